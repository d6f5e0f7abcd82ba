"""The paper's data: points x_1..x_N and a query y, many draws at once.

Everywhere in this package X has shape (..., d, N), its columns the points, and y shape (..., d);
leading axes count draws.
"""

import numpy as np

Data = tuple[np.ndarray, np.ndarray]


def unit_vectors(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Uniform vectors of the unit sphere along the last axis of an array of this shape."""
    normal = rng.standard_normal(shape)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def uniform(rng: np.random.Generator, draws: int, d: int, n: int) -> Data:
    """Unif(S^(d-1)): x_1..x_N and y independent. X (draws, d, n), y (draws, d)."""
    points = unit_vectors(rng, draws, n, d)
    return np.swapaxes(points, -1, -2), unit_vectors(rng, draws, d)


def orthogonal(rng: np.random.Generator, draws: int, d: int, n: int) -> Data:
    """D_N of section 3: n columns of a Haar orthonormal matrix, and y uniform, independent of them.

    Raises
    ------
    ValueError
        If n > d.
    """
    if n > d:
        raise ValueError(f"n is {n}; allowed: at most d = {d}, for the points are orthogonal")
    q, r = np.linalg.qr(rng.standard_normal((draws, d, n)))
    # With a positive diagonal of R the factorisation is unique, and Q inherits the invariance.
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    return q * signs[..., None, :], unit_vectors(rng, draws, d)


DISTRIBUTIONS = {"uniform": uniform, "orthogonal": orthogonal}
