"""The target functions, and the error of an approximation."""

import numpy as np


def column(x: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The columns of X (..., d, N) that index (...) picks: (..., d)."""
    return np.take_along_axis(x, index[..., None, None], axis=-1)[..., 0]


def squared_distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """||x_i - y||^2 for every column of X (..., d, N): (..., N)."""
    return np.sum((x - y[..., None]) ** 2, axis=-2)


def nearest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Equation 3: the column of X (..., d, N) nearest to y (..., d); of equals, the first."""
    return column(x, np.argmin(squared_distances(x, y), axis=-1))


def biased_nearest(x: np.ndarray, y: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Equation 8: the column x_i with the smallest ||x_i - y||^2 + b_i; bias has shape (..., N)."""
    return column(x, np.argmin(squared_distances(x, y) + bias, axis=-1))


def farthest(x: np.ndarray) -> np.ndarray:
    """Section 7: for each column of X the column x_j with the smallest x_i . x_j, (..., d, N).

    j runs over all columns: x_i itself, with the largest product of unit vectors, never wins.
    """
    products = np.swapaxes(x, -1, -2) @ x
    return np.take_along_axis(x, np.argmin(products, axis=-1)[..., None, :], axis=-1)


def squared_error(f: np.ndarray, approximation: np.ndarray) -> np.ndarray:
    """||f - approximation||^2 over the last axis, the paper's error before its expectation."""
    return np.sum((f - approximation) ** 2, axis=-1)
