"""The worst admissible data of the regression model: entries of Ax at the ends of their interval.

The sum of f^2 is quasi-convex in every entry of exp(Ax) or Ax, so it is largest where each is at
one end of its interval; the share at the upper end has a closed form. f is never built.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln

from ..models import regression


@dataclass(frozen=True)
class Levels:
    """u of one kernel on D0 or D1 up to a factor: the ends of the interval, and u_j (0 in D0)."""

    n: int
    low: float
    high: float
    special: float

    @property
    def others(self) -> int:
        """Entries in the interval."""
        return self.n - (self.special > 0)

    def total(self, at_high: float) -> float:
        """alpha where so many of the others are at the upper end."""
        return self.special + self.low * (self.others - at_high) + self.high * at_high

    def squares(self, at_high: float) -> float:
        """Sum of f^2 where so many of the others are at the upper end."""
        u_squares = self.special**2 + self.low**2 * (self.others - at_high) + self.high**2 * at_high
        return u_squares / self.total(at_high) ** 2

    def worst(self) -> float:
        """How many of the others at the upper end make the sum of f^2 largest, as a real number."""
        squares, squares_slope = (
            self.special**2 + self.others * self.low**2,
            self.high**2 - self.low**2,
        )
        total, slope = self.total(0), self.high - self.low
        at_high = (squares_slope * total - 2 * slope * squares) / (squares_slope * slope)
        return min(max(at_high, 0.0), float(self.others))

    def largest_other(self) -> float:
        """Largest entry of f but the special one, over all admissible data."""
        return self.high / self.total(1)

    def smallest_special(self) -> float:
        """Smallest f_j over all admissible data."""
        return self.special / self.total(self.others)

    def largest_special(self) -> float:
        """Largest f_j over all admissible data."""
        return self.special / self.total(0)

    def hoeffding(self, tau: float) -> float:
        """Bound on Pr[<f, sigma> >= tau] for every admissible data."""
        return math.exp(-(tau**2) / (2 * self.squares(self.worst())))


@lru_cache(maxsize=1 << 12)
def levels(n: int, kernel: str, dataset: int) -> Levels:
    """The levels of Definition 3.8 under one of the model's kernels."""
    multiples = np.array([regression.LOWER, regression.UPPER, regression.SPECIAL])
    # Up to a factor, so that the largest exponential is 1.
    taken_off = regression.SPECIAL if kernel == "exp" else 0.0
    u = regression.U[kernel](math.log(n) * (multiples - taken_off))
    low, high, special = u.tolist()
    return Levels(n, low, high, special if dataset else 0.0)


@lru_cache(maxsize=1 << 12)
def exceeds(data: Levels, at_high: int, tau: float) -> float:
    """Pr[<f, sigma> > tau] where so many of the others are at the upper end, exactly.

    A sum over the pluses among the upper entries, of tails over those among the lower ones; terms
    beyond 40 standard deviations are below 1e-300.
    """
    half, reach = at_high / 2, 20 * math.sqrt(at_high) + 1
    pluses = np.arange(max(0, math.floor(half - reach)), min(at_high, math.ceil(half + reach)) + 1)
    log_law = gammaln(at_high + 1) - gammaln(pluses + 1) - gammaln(at_high - pluses + 1)
    law = np.exp(log_law - at_high * math.log(2))
    lower = data.others - at_high
    threshold = tau * data.total(at_high) * (1 + 1e-12)
    probability = 0.0
    for sign in (-1, 1) if data.special else (0,):
        missing = threshold - sign * data.special - data.high * (2 * pluses - at_high)
        heads = np.floor((missing / data.low + lower) / 2) + 1
        inside = np.clip(heads, 1, max(lower, 1))
        tails = betainc(inside, lower - inside + 1, 0.5)
        tails = np.where(heads <= 0, 1.0, np.where(heads > lower, 0.0, tails))
        probability += float(law @ tails) / (2 if sign else 1)
    return probability
