"""The test that the largest token passes a threshold: what softmax tends to as it grows sharp.

It says D1 where max z > t. P(max <= t) is Phi(t)^n on D0 and Phi(t)^(n-1) Phi(t - mu) on D1.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtr

from .accuracy import Accuracy, of_events

REACH = 9.0
"""The largest of n tokens is not below -REACH, and the needle not above mu + REACH."""

GRID = 400


def best_accuracy(mu: float, n: int) -> Accuracy:
    """At the best threshold t, found on a grid and then by Brent's method."""
    grid = np.linspace(-REACH, mu + REACH, GRID)
    k = int(np.clip(_gains(grid, mu, n).argmax(), 1, GRID - 2))
    found = minimize_scalar(
        lambda t: -float(_gains(t, mu, n)), bounds=(grid[k - 1], grid[k + 1]), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    value = of_events(-float(found.fun), 0.0)
    finer = of_events(float(_gains(np.linspace(grid[k - 1], grid[k + 1], 4001), mu, n).max()), 0.0)
    return Accuracy(value, abs(value - finer))


def _gains(t: np.ndarray | float, mu: float, n: int) -> np.ndarray:
    """P(max > t) on D1 less that on D0."""
    others = np.exp((n - 1) * log_ndtr(t)) if n > 1 else np.ones_like(np.asarray(t, float))
    return others * (ndtr(t) - ndtr(np.subtract(t, mu)))
