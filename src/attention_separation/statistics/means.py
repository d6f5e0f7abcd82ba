"""Values with intervals, means of samples, and whether one group of runs is worse than another.

Groups are compared by a margin or a factor, in differences and ratios of means over seeds: of runs
that differ in all, with Welch's interval; of runs that share data seed by seed, with Student's of
their differences.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri, stdtrit

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


SPREAD = 1e-3
"""Least standard deviation of a run's error over seeds that is believed: two runs that happen to
agree prove no certainty."""

MOST_TIMES = 1e6
"""Of one mean to another: an interval that comes so far has no upper end."""

_TOO_FEW = "an interval over seeds takes at least two runs of each group"
_NO_NUMBER = "the error of a run is no finite number"

Pairs = Sequence[tuple[Sequence[float], Sequence[float]]]
Difference = Callable[[Pairs, float], Estimate]


def difference_of_means(pairs: Pairs, level: float) -> Estimate:
    """Mean of the larger groups less that of the smaller ones, averaged over the pairs.

    Groups are errors of single runs, all of them different runs. The interval is two-sided, of
    confidence 1 - level, by Welch's t with unequal variances, each of at least SPREAD squared.

    Raises
    ------
    ValueError
        If a group has fewer than two runs, or an error is no finite number.
    """
    groups = [np.asarray(group, dtype=float) for pair in pairs for group in pair]
    if min(len(group) for group in groups) < 2:
        raise ValueError(_TOO_FEW)
    if not all(np.isfinite(group).all() for group in groups):
        raise ValueError(_NO_NUMBER)
    mean = float(np.mean([np.mean(larger) - np.mean(smaller) for larger, smaller in pairs]))
    parts = [max(group.var(ddof=1), SPREAD**2) / len(group) / len(pairs) ** 2 for group in groups]
    # Welch and Satterthwaite's degrees of freedom.
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(group) - 1) for part, group in zip(parts, groups, strict=True)
    )
    return Estimate.within(mean, float(stdtrit(freedom, 1 - level / 2) * np.sqrt(sum(parts))))


def paired_difference_of_means(pairs: Pairs, level: float) -> Estimate:
    """The same of groups that run k of each shares its data, or its initial values, with run k of
    every other, (n,) each: Student's interval of the n differences, each averaged over the pairs.

    Where runs share nothing it holds too, and is longer than Welch's.

    Raises
    ------
    ValueError
        If groups differ in length; or as `mean_gap`.
    """
    if len({len(group) for pair in pairs for group in pair}) != 1:
        raise ValueError("runs are compared one by one: groups of different lengths are not")
    gaps = [np.subtract(larger, smaller, dtype=float) for larger, smaller in pairs]
    return mean_gap(np.mean(gaps, axis=0), level)


def ratio_of_means(
    pairs: Pairs, level: float, difference: Difference = difference_of_means
) -> Estimate:
    """Sum of the larger groups' means over that of the smaller ones'.

    `difference` : what compares the larger groups with multiples of the smaller ones

    The interval holds the factors that are not rejected, at `level`, as those by which the smaller
    groups' means are to be multiplied for a difference of 0. Its upper end is infinite where the
    smaller ones' sum may be 0.

    Raises
    ------
    ValueError
        As `difference`; or if the smaller groups' mean is not positive.
    """

    def rest(factor: float) -> Estimate:
        scaled = [(larger, factor * np.asarray(smaller)) for larger, smaller in pairs]
        return difference(scaled, level)

    below = sum(np.mean(smaller) for _, smaller in pairs)
    if below <= 0:
        raise ValueError("the mean of the smaller errors is not positive")
    ratio = float(sum(np.mean(larger) for larger, _ in pairs) / below)
    low = brentq(lambda factor: rest(factor).low, 0, ratio) if rest(0).low > 0 else 0.0
    most = max(MOST_TIMES, 2 * ratio)
    unbounded = rest(most).high > 0
    high = np.inf if unbounded else brentq(lambda factor: rest(factor).high, ratio, most)
    return Estimate(ratio, low, high)


def mean_gap(gaps: Sequence[float], level: float) -> Estimate:
    """The mean of differences within single runs, (n,), with Student's interval; their standard
    deviation is taken to be at least SPREAD.

    Raises
    ------
    ValueError
        If there are fewer than two, or one is no finite number.
    """
    found = np.asarray(gaps, dtype=float)
    if len(found) < 2:
        raise ValueError(_TOO_FEW)
    if not np.isfinite(found).all():
        raise ValueError(_NO_NUMBER)
    spread = max(float(found.std(ddof=1)), SPREAD) / np.sqrt(len(found))
    reach = float(stdtrit(len(found) - 1, 1 - level / 2) * spread)
    return Estimate.within(float(found.mean()), reach)


def simultaneous_quantile(level: float, comparisons: int) -> float:
    """Two-sided normal quantile of so many intervals that hold together."""
    return float(ndtri(1 - level / comparisons / 2))
