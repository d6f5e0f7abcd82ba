"""The dataset of Definition 3.8, networks by hand, the tensor form of attention, models by name."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_networks import attention_network, regression_network, tensor_attention

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds
from attention_separation.studies.softmax_vs_linear.models import MODELS, ModelName, regression
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
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
