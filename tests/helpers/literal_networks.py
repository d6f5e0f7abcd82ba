"""Attention by the tensor trick, and the networks on top of it and of regression, as the paper
defines them.

Shapes: n tokens, d coordinates, m sign columns.
"""

from collections.abc import Callable

import numpy as np


def tensor_attention(a1, a2, a3, x, v, h: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Attention, (n, d), by Definitions C.1 and C.4: A = A1 kron A2 is n^2 x d^2, for tiny n only.

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


def relu(z):
    """max(z, 0), Definition 3.4."""
    return np.maximum(z, 0.0)


def relu_tau(z, tau: float):
    """max(z - tau, 0), Definition 3.4."""
    return np.maximum(z - tau, 0.0)


def attention_network(c, y, tau: float) -> float:
    """F of Definitions C.2 and C.6: relu of the sum over j0 and l of relu_tau(<c_j0, y_l>).

    c : (n, d) attention output; y : (d, m) signs.
    """
    return float(relu(np.sum(relu_tau(c @ y, tau))))


def regression_network(f, y, tau: float) -> float:
    """F of Definitions 3.5 and 3.6; f : (n,) normalised weights, y : (n, m) signs."""
    return float(relu(np.sum(relu_tau(f @ y, tau))))
