"""The datasets of Definitions 3.8, D.1 and F.1 against the matrices written out."""

import math

import numpy as np
import pytest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.softmax_vs_linear.models import (
    MODELS,
    cross_attention,
    regression,
    self_attention,
)
from attention_separation.softmax_vs_linear.models.attention_model import nearest_multiples
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION


def test_self_attention_tokens_written_out():
    s = math.sqrt(math.log(4))
    a = self_attention.tokens(n=4, d=4, a=1.2, b=0.3, c=0.7, j3=2)
    expected = s * np.array(
        [[0.0, 0.3, 0.0, 0.7], [0.0, 0.0, 0.3, 0.7], [1.2, 0.3, 0.0, 0.7], [0.0, 0.0, 0.3, 0.7]]
    )
    np.testing.assert_allclose(a, expected, rtol=1e-15)
    assert SELF_ATTENTION.special_class(2, 4) == 0


def test_cross_attention_tokens_written_out():
    s = math.sqrt(math.log(4))
    a1, a2 = cross_attention.tokens(n=4, d=3, a=1.2, j2=1, j3=3)
    np.testing.assert_allclose(a1, s * np.array([[0, 1, 1], [1.2, 1, 1], [0, 1, 1], [0, 1, 1]]))
    np.testing.assert_allclose(a2, s * np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]]))
    assert CROSS_ATTENTION.special_class(3, 3) == 1


def test_cross_attention_scores_are_log_n_but_for_the_special_pair():
    a1, a2 = cross_attention.tokens(n=6, d=4, a=0.5, j2=4, j3=1)
    scores = a1 @ a2.T / math.log(6)
    assert scores[4, 1] == pytest.approx(1.5)
    scores[4, 1] = 1.0
    np.testing.assert_allclose(scores, 1.0, rtol=1e-14)


@pytest.mark.parametrize("kernel", ["exp", "linear"])
def test_attention_rows_of_lemmas_d_for_all_ones(kernel):
    """p and q of section D, X all ones: special row and any other row, b + c != 1 included."""
    n, d, a, b, c, j3 = 12, 6, 1.2, 0.2, 0.9, 5
    tokens = self_attention.tokens(n, d, a, b, c, j3)
    ones, eye = np.ones((d, d)), np.eye(d)
    out = attention(tokens, tokens, tokens, ones, eye, eye, KERNELS[kernel])
    s, t, total = math.sqrt(math.log(n)), n // (d - 2), b + c
    if kernel == "exp":
        p_special = n ** (a * (total + a)) / (n ** (a * (total + a)) + n - 1)
        p_other = n ** (a * total) / (n ** (a * total) + n - 1)
    else:
        p_special = p_other = (total + a) / (n * total + a)
    for row, p in ((j3, p_special), (0, p_other)):
        q = (1 - p) / (n - 1)
        expected = [a * s * p, *[b * s * t * q] * (d - 2), c * s]
        expected[1 + j3 % (d - 2)] = b * s * (p + (t - 1) * q)
        np.testing.assert_allclose(out[row], expected, rtol=1e-12)


def test_regression_z_has_the_stated_entries():
    uniforms = np.array([0.0, 0.5, 0.999])
    log_n = math.log(3)
    d0 = regression.dataset_z(3, uniforms, "uniform", None)
    np.testing.assert_allclose(d0, log_n * np.array([1.0, 1.2, 1.3996]), rtol=1e-14)
    d1 = regression.dataset_z(3, uniforms, "uniform", 1)
    np.testing.assert_allclose(d1, log_n * np.array([1.0, 4.0, 1.3996]), rtol=1e-14)
    two = regression.dataset_z(3, uniforms, "two-point", None)
    np.testing.assert_allclose(two, log_n * np.array([1.0, 1.4, 1.4]))
    for law, value in regression.LEVELS.items():
        np.testing.assert_allclose(regression.dataset_z(3, uniforms, law, None), log_n * value)


def test_regression_functions_by_hand():
    z = np.array([math.log(2), math.log(3)])
    np.testing.assert_allclose(regression.normalise(regression.u_exp(z)), [0.4, 0.6])
    np.testing.assert_allclose(
        regression.normalise(regression.u_lin(np.array([1.0, 3.0]))), [0.25, 0.75]
    )


def test_regression_needs_nothing_of_a_and_x_but_their_product():
    z = regression.dataset_z(5, np.linspace(0, 0.9, 5), "uniform", 2)
    x = np.array([0.3, -2.0, 1.0])
    a = np.outer(z, x) / (x @ x)
    np.testing.assert_allclose(a @ x, z, rtol=1e-14)


@pytest.mark.parametrize(
    ("model", "sizes", "words"),
    [
        (SELF_ATTENTION, (201, 12), ["n=201", "D.1", "d-2 = 10", "200 or 210"]),
        (SELF_ATTENTION, (5, 12), ["n=5", "nearest valid n: 10"]),
        (SELF_ATTENTION, (10, 2), ["d=2", "d >= 3"]),
        (SELF_ATTENTION, (1, 3), ["n=1", "n >= 2"]),
        (CROSS_ATTENTION, (201, 11), ["n=201", "F.1", "d-1 = 10", "200 or 210"]),
        (CROSS_ATTENTION, (10, 1), ["d=1", "d >= 2"]),
        (CROSS_ATTENTION, (1, 2), ["n=1", "n >= 2"]),
        (REGRESSION, (1, None), ["n=1", "2 <= n"]),
        (REGRESSION, (10**9, None), ["n=1000000000", "2 <= n <= 100000000"]),
    ],
)
def test_broken_structure_is_named_with_what_is_valid(model, sizes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        model.check(*sizes)
    for word in words:
        assert word in str(error.value)


def test_tokens_of_a_broken_structure_are_refused():
    with pytest.raises(ValueError, match="nearest valid n: 200 or 210"):
        self_attention.tokens(201, 12, 1.2, 0.2, 0.8, 0)
    with pytest.raises(ValueError, match="nearest valid n: 200 or 210"):
        cross_attention.tokens(201, 11, 1.2, 0, 0)


def test_nearest_multiples():
    assert nearest_multiples(201, 10) == "200 or 210"
    assert nearest_multiples(5, 10) == "10"
    assert nearest_multiples(1, 1) == "2"


def test_sizes_of_the_papers_sweeps_are_valid():
    for n in range(200, 1001, 10):
        SELF_ATTENTION.check(n, 12)
        CROSS_ATTENTION.check(n, 11)
    for d in (4, 6, 10, 18, 34, 66):
        SELF_ATTENTION.check(256, d)
        CROSS_ATTENTION.check(256, d - 1)


@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_queries_and_keys_have_the_x_that_is_asked_for(attention_x):
    q = self_attention.split_x(attention_x, 7)
    np.testing.assert_allclose(q @ q.T, self_attention.x_matrix(attention_x, 7), rtol=1e-15)
    assert self_attention.x_matrix("ones", 2).tolist() == [[1, 1], [1, 1]]
    assert self_attention.x_matrix("identity", 2).tolist() == [[1, 0], [0, 1]]


def test_models_by_name():
    assert {name: model.name for name, model in MODELS.items()} == {
        name: name for name in ("regression", "self_attention", "cross_attention")
    }
    assert SELF_ATTENTION.scale(200) == CROSS_ATTENTION.scale(200) == math.sqrt(math.log(200))
    assert REGRESSION.scale(200) == 1.0
