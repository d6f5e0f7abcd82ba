"""Intervals of the rates of counts."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Exact two-sided intervals, (low, high), of binomial probabilities (Clopper and Pearson,
    1934).

    Parameters
    ----------
    successes, trials : array_like of int, broadcast against each other
    level : probability, at least, that the interval covers the truth

    Returns
    -------
    low, high : arrays of float64

    Raises
    ------
    ValueError
        Unless 0 <= successes <= trials, trials >= 1 and 0 < level < 1.
    """
    k, n = np.broadcast_arrays(np.asarray(successes), np.asarray(trials))
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    if np.any(n < 1) or np.any(k < 0) or np.any(k > n):
        raise ValueError("successes must lie between 0 and trials, and trials be at least 1")
    tail = (1 - level) / 2
    # betaincinv wants positive shapes: the two edges are set by hand.
    low = np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), n - k + 1, tail))
    high = np.where(k == n, 1.0, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail))
    return low, high
