"""Attention and the networks on top of it, as the paper defines them: they judge all else.

Shapes: n tokens, d coordinates, m sign columns. Indices count from 0 here, from 1 in the paper.
"""

from collections.abc import Callable

import numpy as np

Kernel = Callable[[np.ndarray], np.ndarray]
"""h: scores (..., n) -> weights (..., n), each row up to a positive factor of its own."""


def exp_kernel(scores: np.ndarray) -> np.ndarray:
    """Softmax attention: h = exp. The row's maximum is taken off; normalising undoes it."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def linear_kernel(scores: np.ndarray) -> np.ndarray:
    """Linear attention: h is the identity."""
    return scores


KERNELS: dict[str, Kernel] = {"exp": exp_kernel, "lin": linear_kernel}
"""The kernels of F_exp and F_lin."""


def relu(z):
    """max(z, 0), Definition 3.4."""
    return np.maximum(z, 0.0)


def relu_tau(z, tau: float):
    """max(z - tau, 0), Definition 3.4."""
    return np.maximum(z - tau, 0.0)


def attention(a1, a2, a3, x, v, kernel: Kernel) -> np.ndarray:
    """Attention by Equation (1) and Claims C.3, C.5.

    Parameters
    ----------
    a1, a2, a3 : (n, d) tokens that query, that are attended to, and whose values are read
    x : (d, d) X = Q K^T
    v : (d, d) V
    kernel : h, the score -> weight function

    Returns
    -------
    c : (n, d), row j0 is sum_j1 f[j0, j1] (A3 V)[j1]
    """
    weights = kernel(a1 @ x @ a2.T)
    f = weights / weights.sum(axis=1, keepdims=True)
    return f @ (a3 @ v)


def tensor_attention(a1, a2, a3, x, v, h: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The same by Definitions C.1 and C.4: A = A1 kron A2 is n^2 x d^2, for tiny n only.

    `h` is applied entrywise, without stabilising: `numpy.exp`, or the identity. vec stacks rows.
    """
    n, d = a1.shape
    big = np.kron(a1, a2)
    vec_x = np.reshape(x, d * d, order="C")
    c = np.empty((n, d))
    for j0 in range(n):
        u = h(big[j0 * n : (j0 + 1) * n] @ vec_x)
        alpha = np.dot(u, np.ones(n))
        f = u / alpha
        for i0 in range(d):
            c[j0, i0] = np.dot(f, (a3 @ v)[:, i0])
    return c


def attention_network(c, y, tau: float) -> float:
    """F of Definitions C.2 and C.6: relu of the sum over j0 and l of relu_tau(<c_j0, y_l>).

    c : (n, d) attention output; y : (d, m) signs.
    """
    return float(relu(np.sum(relu_tau(c @ y, tau))))


def regression_network(f, y, tau: float) -> float:
    """F of Definitions 3.5 and 3.6; f : (n,) normalised weights, y : (n, m) signs."""
    return float(relu(np.sum(relu_tau(f @ y, tau))))
