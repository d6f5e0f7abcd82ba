"""Attention literally: every query over every key, n x n. It judges the distinct rows."""

import numpy as np

from .kernel import Kernel, KernelInputs
from .sign_columns import exceeds


def attention_weights(
    a1: np.ndarray, a2: np.ndarray, q: np.ndarray, k: np.ndarray, kernel: Kernel
) -> np.ndarray:
    """f, (n, n): the weights of every query over all keys; parameters as of `attention`, though a1
    may have some of the queries alone."""
    n, d = a2.shape
    queries = a1 @ q
    keys = a2 @ k
    scores = queries @ keys.T
    once = np.ones(scores.shape, dtype=int)
    inputs = KernelInputs(scores, queries, keys, multiplicities=once, n=n, d=d)
    return kernel.attention_weights(inputs)


def attention(
    a1: np.ndarray,
    a2: np.ndarray,
    a3: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    kernel: Kernel,
) -> np.ndarray:
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


def is_positive(
    a1: np.ndarray,
    a2: np.ndarray,
    a3: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    kernel: Kernel,
    y: np.ndarray,
    tau: float,
) -> bool:
    """Whether F of Definitions C.2 and C.6 is positive: whether for some token and some column of
    signs y, (d, m), the score <c_j0, y_l> exceeds tau; other parameters as of `attention`."""
    weights = attention_weights(a1, a2, q, k, kernel)
    values = a3 @ v
    sizes = np.abs(weights) @ np.abs(values).sum(axis=1, keepdims=True)
    return bool(exceeds(weights @ values @ y, tau, sizes).any())
