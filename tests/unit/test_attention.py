"""The definitions against hand-computed cases, each other, and what must hold of any attention."""

import math

import numpy as np
import pytest
from attention_separation.softmax_vs_linear.attention import (
    KERNELS,
    attention,
    attention_network,
    exp_kernel,
    linear_kernel,
    regression_network,
    relu,
    relu_tau,
    tensor_attention,
)
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.softmax_vs_linear.success import events, exceeds, success

ENTRYWISE = {"exp": np.exp, "lin": lambda z: z}


def random_inputs(seed, n, d):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.1, 1.0, shape) for shape in ((n, d), (n, d), (n, d), (d, d), (d, d))]


def test_relu_is_zero_below_its_threshold():
    assert relu(-1.0) == 0.0
    assert relu(2.0) == 2.0
    assert relu_tau(0.5, 0.3) == pytest.approx(0.2)
    assert relu_tau(0.3, 0.3) == 0.0


def test_attention_by_hand():
    tokens = np.array([[0.0, 1.0], [1.0, 1.0]])
    x = np.eye(2)
    # Scores: [[1, 1], [1, 2]].
    linear = attention(tokens, tokens, tokens, x, np.eye(2), linear_kernel)
    np.testing.assert_allclose(linear, [[0.5, 1.0], [2 / 3, 1.0]], rtol=1e-15)
    softmax = attention(tokens, tokens, tokens, x, np.eye(2), exp_kernel)
    np.testing.assert_allclose(softmax, [[0.5, 1.0], [math.e / (1 + math.e), 1.0]], rtol=1e-15)


def test_attention_of_different_queries_keys_and_values_by_hand():
    a1 = np.array([[1.0, 0.0], [0.0, 2.0]])
    a2 = np.array([[1.0, 1.0], [0.0, 1.0]])
    a3 = np.array([[3.0, 0.0], [0.0, 5.0]])
    x = np.array([[1.0, 2.0], [0.0, 1.0]])
    v = np.array([[0.0, 1.0], [1.0, 0.0]])
    # a1 x = [[1, 2], [0, 2]], scores [[3, 2], [2, 2]], values [[0, 3], [5, 0]].
    c = attention(a1, a2, a3, x, v, linear_kernel)
    np.testing.assert_allclose(c, [[5 * 2 / 5, 3 * 3 / 5], [2.5, 1.5]], rtol=1e-15)


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 4), st.sampled_from(["exp", "lin"]))
def test_matrix_form_is_the_tensor_form(seed, n, d, name):
    inputs = random_inputs(seed, n, d)
    np.testing.assert_allclose(
        attention(*inputs, KERNELS[name]),
        tensor_attention(*inputs, ENTRYWISE[name]),
        rtol=1e-12,
    )


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 5), st.sampled_from(["exp", "lin"]))
def test_rows_are_averages_of_values(seed, n, d, name):
    a1, a2, _, x, _ = random_inputs(seed, n, d)
    # With values 1 everywhere a row of c is the sum of its weights.
    c = attention(a1, a2, np.ones((n, d)), x, np.eye(d), KERNELS[name])
    np.testing.assert_allclose(c, 1.0, rtol=1e-13)
    weights = KERNELS[name](a1 @ x @ a2.T)
    assert (weights >= 0).all()


@given(st.integers(0, 2**32), st.integers(2, 8), st.integers(1, 5), st.sampled_from(["exp", "lin"]))
def test_tokens_may_be_permuted(seed, n, d, name):
    a1, a2, a3, x, v = random_inputs(seed, n, d)
    order, queries = (np.random.default_rng(seed + k).permutation(n) for k in (1, 2))
    c = attention(a1, a2, a3, x, v, KERNELS[name])
    permuted = attention(a1[queries], a2[order], a3[order], x, v, KERNELS[name])
    np.testing.assert_allclose(permuted, c[queries], rtol=1e-12)


def test_exp_kernel_does_not_overflow_and_keeps_ratios():
    weights = exp_kernel(np.array([[2000.0, 2001.0]]))
    assert weights[0, 1] / weights[0, 0] == pytest.approx(math.e)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4))
def test_network_is_positive_where_some_neuron_exceeds_tau(seed, n, d, m):
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


def test_success_is_all_four_events():
    positive = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool)
    assert success(positive).tolist() == [True, False, False, False]
    assert events(positive)[3].tolist() == [True, True, False, True]
