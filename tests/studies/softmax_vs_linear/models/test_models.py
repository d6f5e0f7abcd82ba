"""The dataset of Definition 3.8, networks by hand, the tensor form of attention, models by name,
and other readings of cross-attention."""

import itertools
import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from literal_networks import attention_network, regression_network, tensor_attention
from making import point

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds, largest_scores
from attention_separation.studies.softmax_vs_linear.models import MODELS, ModelName, regression
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    IN_A1_ALONE,
    IN_BOTH,
    SELF_ATTENTION_MODEL,
    with_common_score,
)
from attention_separation.studies.softmax_vs_linear.models.regression import REGRESSION


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


@pytest.mark.parametrize(
    ("model", "sizes", "words"),
    [
        (REGRESSION, (1, None), ["n=1", "2 <= n"]),
        (REGRESSION, (10**10, None), ["n=10000000000", "2 <= n <= 1000000000"]),
    ],
)
def test_broken_structure_is_named_with_what_is_valid(model, sizes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        model.check(*sizes)
    for word in words:
        assert word in str(error.value)


def test_models_by_name():
    assert {name: model.name for name, model in MODELS.items()} == {
        name: name for name in get_args(ModelName)
    }
    assert get_args(ModelName) == ("regression", "self_attention", "cross_attention")
    assert (
        SELF_ATTENTION_MODEL.scale(200)
        == CROSS_ATTENTION_MODEL.scale(200)
        == math.sqrt(math.log(200))
    )
    assert REGRESSION.scale(200) == 1.0


ENTRYWISE = {
    "exp": np.exp, "linear": lambda z: z, "power_2": np.square, "cosh": np.cosh,
    "softplus": lambda z: np.log1p(np.exp(z)), "uniform": np.ones_like,
    "taylor_2": lambda z: 1 + z + z**2 / 2,
}  # fmt: skip
"""Kernels that are functions of one score, and as functions."""


@given(
    st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 4), st.sampled_from(sorted(ENTRYWISE))
)
def test_matrix_form_is_the_tensor_form(seed, n, d, name):
    rng = np.random.default_rng(seed)
    a1, a2, a3 = (rng.uniform(0.1, 1.0, (n, d)) for _ in range(3))
    q, k, v = (rng.uniform(0.1, 1.0, (d, d)) for _ in range(3))
    np.testing.assert_allclose(
        attention(a1, a2, a3, q, k, v, KERNELS[name]),
        tensor_attention(a1, a2, a3, q @ k.T, v, ENTRYWISE[name]),
        rtol=1e-12,
    )


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4))
def test_a_network_is_positive_where_some_neuron_exceeds_tau(seed, n, d, m):
    rng = np.random.default_rng(seed)
    c, y = rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], size=(d, m))
    tau = rng.uniform(0, 3)
    assert (attention_network(c, y, tau) > 0) == exceeds(c @ y, tau, size=1.0).any()
    f, signs = rng.dirichlet(np.ones(n)), rng.choice([-1.0, 1.0], size=(n, m))
    tau = rng.uniform(0, 1)
    assert (regression_network(f, signs, tau) > 0) == exceeds(f @ signs, tau, size=1.0).any()


def test_a_tie_does_not_exceed():
    assert not exceeds(1.0, 1.0, size=1.0)
    assert not exceeds(1.0 + 5e-13, 1.0, size=1.0)
    assert exceeds(1.0 + 2e-12, 1.0, size=1.0)
    assert not exceeds(1.0 + 2e-12, 1.0, size=3.0)


READINGS = {
    "taken": CROSS_ATTENTION_MODEL, "in A1 alone": IN_A1_ALONE, "in both": IN_BOTH,
    "v = 0.1": with_common_score(0.1), "v = 2": with_common_score(2.0),
}  # fmt: skip
A, S = 1.2, math.sqrt(math.log(12))
ENTRIES = {
    # A1 at j2 and elsewhere, A2 at j3 and in its identities.
    "taken": (A * S, S, S, S),
    "in A1 alone": (A * S**2, S**2, 1, 1),
    "in both": (A * S, S, A * S, S),
    "v = 0.1": (A * S, 0.1 * S, S, S),
    "v = 2": (A * S, 2 * S, S, S),
}


@given(name=st.sampled_from([*READINGS]))
def test_entries_of_the_datasets(name):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=A)
    a1, a2, a3, q, k = READINGS[name].literal(p, 1, np.array([7, 6]))
    special_query, common, special_key, block = ENTRIES[name]
    wanted = np.full((12, 5), common)
    wanted[:, 0] = 0.0
    wanted[7, 0] = special_query
    np.testing.assert_allclose(a1, wanted, rtol=1e-14)
    wanted = np.zeros((12, 5))
    wanted[np.arange(12), 1 + np.arange(12) % 4] = block
    wanted[6, 0] = special_key
    np.testing.assert_allclose(a2, wanted, rtol=1e-14)
    np.testing.assert_array_equal(a3, a2)
    np.testing.assert_array_equal(q @ k.T, np.eye(5))


@settings(max_examples=40)
@given(
    name=st.sampled_from([*READINGS]),
    kernel=st.sampled_from([*KERNELS]),
    dataset=st.sampled_from([0, 1]),
)
@example(name="in both", kernel="exp", dataset=1)
@example(name="in A1 alone", kernel="linear_unnormalised", dataset=0)
def test_largest_scores_are_those_of_dense_attention(name, kernel, dataset):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=A)
    model, (j2, j3) = READINGS[name], (7, 6)
    a1, a2, a3, q, k = model.literal(p, dataset, np.array([j2, j3]))
    c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[kernel])
    rows = distinct_rows(model.token_types([p], dataset), KERNELS[kernel])
    (found,) = largest_scores(rows).score
    marked = model.special_class(j3, p.d)
    for y in itertools.product([-1.0, 1.0], repeat=p.d):
        pluses = sum(sign > 0 for k, sign in enumerate(y[1:]) if k != marked)
        state = int(y[0] > 0), 0, int(y[1 + marked] > 0), pluses
        assert found[state] == pytest.approx((c @ y).max(), rel=1e-11, abs=1e-12)
