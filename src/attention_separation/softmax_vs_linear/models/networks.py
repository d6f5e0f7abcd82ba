"""Attention by the tensor trick, as the paper defines it.

Shapes: n tokens, d coordinates. Indices count from 0 here, from 1 in the paper.
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
