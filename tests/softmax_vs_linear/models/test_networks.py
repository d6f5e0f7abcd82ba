"""The networks by hand, where they are positive, and the tensor form of attention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_networks import attention_network, regression_network, relu, relu_tau, tensor_attention

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds

ENTRYWISE = {
    "exp": np.exp, "linear": lambda z: z, "power_2": np.square, "cosh": np.cosh,
    "softplus": lambda z: np.log1p(np.exp(z)), "uniform": np.ones_like,
    "taylor_2": lambda z: 1 + z + z**2 / 2,
}  # fmt: skip
"""Kernels that are functions of one score, and as functions."""


def test_relu_is_zero_below_its_threshold():
    assert relu(-1.0) == 0.0
    assert relu(2.0) == 2.0
    assert relu_tau(0.5, 0.3) == pytest.approx(0.2)
    assert relu_tau(0.3, 0.3) == 0.0


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
    assert (attention_network(c, y, tau) > 0) == exceeds(c @ y, tau, s=1.0).any()
    f, signs = rng.dirichlet(np.ones(n)), rng.choice([-1.0, 1.0], size=(n, m))
    tau = rng.uniform(0, 1)
    assert (regression_network(f, signs, tau) > 0) == exceeds(f @ signs, tau, s=1.0).any()


def test_a_tie_does_not_exceed():
    assert not exceeds(1.0, 1.0, s=1.0)
    assert not exceeds(1.0 + 5e-13, 1.0, s=1.0)
    assert exceeds(1.0 + 2e-12, 1.0, s=1.0)
    assert not exceeds(1.0 + 2e-12, 1.0, s=3.0)
