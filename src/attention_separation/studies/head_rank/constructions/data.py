"""The paper's data, many draws at once; its target functions, and the error of an approximation.

Points x_1..x_N and a query y. Everywhere in this package X has shape (..., d, N), its columns the
points, and y shape (..., d); leading axes count draws.
"""

import numpy as np

Data = tuple[np.ndarray, np.ndarray]


def unit_vectors(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Uniform vectors of the unit sphere along the last axis of an array of this shape."""
    normal = rng.standard_normal(shape)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def uniform(rng: np.random.Generator, draws: int, d: int, n: int) -> Data:
    """Draws of Unif(S^(d-1)), X (draws, d, n) and y (draws, d): x_1..x_N and y independent."""
    points = unit_vectors(rng, draws, n, d)
    return np.swapaxes(points, -1, -2), unit_vectors(rng, draws, d)


def orthogonal(rng: np.random.Generator, draws: int, d: int, n: int) -> Data:
    """Draws of D_N of section 3, X (draws, d, n) and y (draws, d).

    X is n columns of a Haar orthonormal matrix, and y uniform, independent of them. ValueError if
    n > d.
    """
    if n > d:
        raise ValueError(f"n is {n}; allowed: at most d = {d}, for the points are orthogonal")
    q, r = np.linalg.qr(rng.standard_normal((draws, d, n)))
    # With a positive diagonal of R the factorisation is unique, and Q inherits the invariance.
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    return q * signs[..., None, :], unit_vectors(rng, draws, d)


DISTRIBUTIONS = {"uniform": uniform, "orthogonal": orthogonal}


def column(x: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The columns of X (..., d, N) that index (...) picks: (..., d)."""
    return np.take_along_axis(x, index[..., None, None], axis=-1)[..., 0]


def nearest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Equation 3: the column of X (..., d, N) nearest to y (..., d); of equals, the first."""
    return biased_nearest(x, y, 0.0)


def biased_nearest(x: np.ndarray, y: np.ndarray, bias: np.ndarray | float) -> np.ndarray:
    """Equation 8: the column x_i with the smallest ||x_i - y||^2 + b_i; bias has shape (..., N)."""
    return column(x, np.argmin(np.sum((x - y[..., None]) ** 2, axis=-2) + bias, axis=-1))


def farthest(x: np.ndarray) -> np.ndarray:
    """Section 7: for each column of X the column x_j with the smallest x_i . x_j, (..., d, N).

    j runs over all columns: x_i itself, with the largest product of unit vectors, never wins.
    """
    products = np.swapaxes(x, -1, -2) @ x
    return np.take_along_axis(x, np.argmin(products, axis=-1)[..., None, :], axis=-1)


def squared_error(f: np.ndarray, approximation: np.ndarray) -> np.ndarray:
    """||f - approximation||^2 over the last axis, the paper's error before its expectation."""
    return np.sum((f - approximation) ** 2, axis=-1)
