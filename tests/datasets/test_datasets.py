"""The datasets of Definitions D.1 and F.1 against the matrices written out."""

import math

import numpy as np
import pytest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import (
    CROSS_ATTENTION,
    SELF_ATTENTION,
    cross_attention,
    self_attention,
)
from attention_separation.datasets.dataset import nearest_multiples


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


@pytest.mark.parametrize(
    ("dataset", "sizes", "words"),
    [
        (SELF_ATTENTION, (201, 12), ["n=201", "D.1", "d-2 = 10", "200 or 210"]),
        (SELF_ATTENTION, (5, 12), ["n=5", "nearest valid n: 10"]),
        (SELF_ATTENTION, (10, 2), ["d=2", "d >= 3"]),
        (SELF_ATTENTION, (1, 3), ["n=1", "n >= 2"]),
        (CROSS_ATTENTION, (201, 11), ["n=201", "F.1", "d-1 = 10", "200 or 210"]),
        (CROSS_ATTENTION, (10, 1), ["d=1", "d >= 2"]),
        (CROSS_ATTENTION, (1, 2), ["n=1", "n >= 2"]),
    ],
)
def test_broken_structure_is_named_with_what_is_valid(dataset, sizes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        dataset.check(*sizes)
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
