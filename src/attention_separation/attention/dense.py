"""Attention literally: every query over every key, n x n. It judges the distinct rows."""

import numpy as np

from .kernel import Kernel, KernelInputs
from .sign_columns import exceeds


def attention_weights(a1, a2, q, k, kernel: Kernel) -> np.ndarray:
    """f, (n, n): the weights of every query over all keys; parameters as of `attention`, though a1
    may have some of the queries alone."""
    n, d = a2.shape
    queries, keys = a1 @ q, a2 @ k
    scores = queries @ keys.T
    seen = KernelInputs(scores, queries, keys, np.ones(scores.shape, dtype=int), n, d)
    return kernel.attention_weights(seen)


def attention(a1, a2, a3, q, k, v, kernel: Kernel) -> np.ndarray:
    """c of Equation (1) with any kernel in place of exp.

    Parameters
    ----------
    a1, a2, a3 : (n, d) tokens that query, that are attended to, and whose values are read
    q, k, v : (d, d) Q, K, V
    kernel : weights of a query over keys

    Returns
    -------
    (n, d), row j0 is sum_j1 f[j0, j1] (A3 V)[j1]
    """
    return attention_weights(a1, a2, q, k, kernel) @ (a3 @ v)


def is_positive(a1, a2, a3, q, k, v, kernel: Kernel, y: np.ndarray, tau: float) -> bool:
    """Whether F of Definitions C.2 and C.6 is positive: whether for some token and some column of
    signs y, (d, m), the score <c_j0, y_l> exceeds tau; other parameters as of `attention`."""
    weights, values = attention_weights(a1, a2, q, k, kernel), a3 @ v
    sizes = np.abs(weights) @ np.abs(values).sum(axis=1, keepdims=True)
    return bool(exceeds(weights @ values @ y, tau, sizes).any())
