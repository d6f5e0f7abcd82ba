"""Values with intervals, and the mean of a sample with its own."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.special import stdtrit

from .verdict_words import AGREES, DIFFERS, UNDECIDED


class Estimate(NamedTuple):
    """A value and a two-sided interval of it; without an interval (NaN) where a sample has one."""

    value: float
    low: float
    high: float

    @classmethod
    def within(cls, value: float, reach: float) -> Self:
        """An interval that goes equally far to both sides."""
        return cls(value, value - reach, value + reach)

    def exceeds(self, bound: float) -> str:
        """agrees if it surely exceeds the bound, differs if it surely does not, else undecided."""
        if self.low > bound:
            return AGREES
        return DIFFERS if self.high < bound else UNDECIDED

    def stays_below(self, bound: float) -> str:
        """agrees if it is surely below the bound, differs if it surely is not, else undecided."""
        if self.high < bound:
            return AGREES
        return DIFFERS if self.low > bound else UNDECIDED

    def stays_within(self, bound: float) -> str:
        """agrees if its size is surely below the bound, differs if surely not, else undecided."""
        if -bound < self.low and self.high < bound:
            return AGREES
        return DIFFERS if self.low > bound or self.high < -bound else UNDECIDED


def mean_of(sample: Sequence[float], level: float = 0.05) -> Estimate:
    """The mean of a sample (n,) with Student's interval: for many values, or nearly normal ones.

    `level` : probability that the interval misses the mean
    """
    count, value = len(sample), float(np.mean(sample))
    if count < 2:
        return Estimate.within(value, np.nan)
    reach = stdtrit(count - 1, 1 - level / 2) * float(np.std(sample, ddof=1)) / np.sqrt(count)
    return Estimate.within(value, float(reach))
