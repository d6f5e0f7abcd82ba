"""Counts of trials and of what happened in them, which merge exactly; intervals of their rates."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv


@dataclass(frozen=True)
class Counts:
    """How many of some trials had each of K outcomes; `happened` is (K,) int64."""

    trials: int
    happened: np.ndarray

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.trials + other.trials, self.happened + other.happened)

    @classmethod
    def of(cls, outcomes: np.ndarray) -> "Counts":
        """Counts of outcomes (trials, K) bool."""
        return cls(len(outcomes), outcomes.sum(axis=0, dtype=np.int64))

    @classmethod
    def none(cls, outcomes: int) -> "Counts":
        """No trials yet."""
        return cls(0, np.zeros(outcomes, dtype=np.int64))


def clopper_pearson(successes, trials, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Exact two-sided interval of a binomial probability (Clopper and Pearson, 1934).

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
