"""Attention by the definitions, hand-computed, and what must hold of it for any kernel."""

import math

import numpy as np
import pytest

from attention_separation.attention.dense import attention, attention_weights
from attention_separation.attention.kernels import KERNELS

LINEAR, SOFTMAX = KERNELS["linear"], KERNELS["exp"]


def test_attention_by_hand():
    tokens = np.array([[0.0, 1.0], [1.0, 1.0]])
    eye = np.eye(2)
    # Scores: [[1, 1], [1, 2]].
    linear = attention(tokens, tokens, tokens, eye, eye, eye, LINEAR)
    np.testing.assert_allclose(linear, [[0.5, 1.0], [2 / 3, 1.0]], rtol=1e-15)
    softmax = attention(tokens, tokens, tokens, eye, eye, eye, SOFTMAX)
    np.testing.assert_allclose(softmax, [[0.5, 1.0], [math.e / (1 + math.e), 1.0]], rtol=1e-15)
    unnormalised = KERNELS["linear_unnormalised"]
    not_divided = attention(tokens, tokens, tokens, eye, eye, eye, unnormalised)
    np.testing.assert_allclose(not_divided, [[1.0, 2.0], [2.0, 3.0]], rtol=1e-15)


def test_attention_of_different_queries_keys_and_values_by_hand():
    a1 = np.array([[1.0, 0.0], [0.0, 2.0]])
    a2 = np.array([[1.0, 1.0], [0.0, 1.0]])
    a3 = np.array([[3.0, 0.0], [0.0, 5.0]])
    q = np.array([[1.0, 2.0], [0.0, 1.0]])
    v = np.array([[0.0, 1.0], [1.0, 0.0]])
    # a1 q = [[1, 2], [0, 2]], scores [[3, 2], [2, 2]], values [[0, 3], [5, 0]].
    c = attention(a1, a2, a3, q, np.eye(2), v, LINEAR)
    np.testing.assert_allclose(c, [[5 * 2 / 5, 3 * 3 / 5], [2.5, 1.5]], rtol=1e-15)
    # With K = Q instead: keys [[1, 3], [0, 1]], scores [[7, 2], [6, 2]].
    c = attention(a1, a2, a3, q, q, v, LINEAR)
    np.testing.assert_allclose(c, [[5 * 2 / 9, 3 * 7 / 9], [5 * 2 / 8, 3 * 6 / 8]], rtol=1e-15)


def test_softmax_does_not_overflow_and_keeps_ratios():
    weights = attention_weights(
        np.array([[1.0], [1.0]]), np.array([[2000.0], [2001.0]]), np.eye(1), np.eye(1), SOFTMAX
    )
    assert weights[:, 1] / weights[:, 0] == pytest.approx(math.e)
