"""Is one group of runs worse than another by more than a margin, or a factor? Means over seeds,
with Welch's interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from attention_separation.statistics.verdict_words import AGREES, DIFFERS, UNDECIDED

SPREAD = 1e-3
"""Least standard deviation of a run's error over seeds that is believed: two runs that happen to
agree prove no certainty."""


MOST_TIMES = 1e6
"""Of one mean to another: an interval that comes so far has no upper end."""

Pairs = Sequence[tuple[Sequence[float], Sequence[float]]]


@dataclass(frozen=True)
class Contrast:
    """Mean error of one group of runs against that of another, with its interval."""

    mean: float
    low: float
    high: float

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


def difference(pairs: Pairs, level: float) -> Contrast:
    """Mean error of the larger groups less that of the smaller ones, averaged over the pairs.

    Groups are held-out errors of single runs, all of them different runs. The interval is
    two-sided, of confidence 1 - level, by Welch's t with unequal variances.

    Raises
    ------
    ValueError
        If a group has fewer than two runs, or an error is no finite number.
    """
    groups = [np.asarray(group, dtype=float) for pair in pairs for group in pair]
    if min(len(group) for group in groups) < 2:
        raise ValueError("an interval over seeds takes at least two runs of each group")
    if not all(np.isfinite(group).all() for group in groups):
        raise ValueError("the error of a run is no finite number")
    mean = float(np.mean([np.mean(larger) - np.mean(smaller) for larger, smaller in pairs]))
    parts = [max(group.var(ddof=1), SPREAD**2) / len(group) / len(pairs) ** 2 for group in groups]
    # Welch and Satterthwaite's degrees of freedom.
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(group) - 1) for part, group in zip(parts, groups, strict=True)
    )
    half = float(stats.t.ppf(1 - level / 2, freedom) * np.sqrt(sum(parts)))
    return Contrast(mean, mean - half, mean + half)


def ratio(pairs: Pairs, level: float) -> Contrast:
    """Sum of the larger groups' mean errors over that of the smaller ones'.

    The interval holds the factors that are not rejected, at `level`, as those by which the smaller
    groups' means are to be multiplied for a difference of 0. Its upper end is infinite where the
    smaller ones' sum may be 0.

    Raises
    ------
    ValueError
        As `difference`; or if the smaller groups' mean is not positive.
    """

    def rest(factor: float) -> Contrast:
        scaled = [(larger, factor * np.asarray(smaller)) for larger, smaller in pairs]
        return difference(scaled, level)

    below = sum(np.mean(smaller) for _, smaller in pairs)
    if below <= 0:
        raise ValueError("the mean of the smaller errors is not positive")
    mean = float(sum(np.mean(larger) for larger, _ in pairs) / below)
    low = brentq(lambda factor: rest(factor).low, 0, mean) if rest(0).low > 0 else 0.0
    most = max(MOST_TIMES, 2 * mean)
    unbounded = rest(most).high > 0
    high = np.inf if unbounded else brentq(lambda factor: rest(factor).high, mean, most)
    return Contrast(mean, low, high)


def mean_of(gaps: Sequence[float], level: float) -> Contrast:
    """The mean of differences within single runs, with Student's interval.

    Raises
    ------
    ValueError
        If there are fewer than two, or one is no finite number.
    """
    return difference([(gaps, np.zeros(len(gaps)))], level)


def simultaneous(level: float, comparisons: int) -> float:
    """Two-sided normal quantile of so many intervals that hold together."""
    return float(stats.norm.ppf(1 - level / comparisons / 2))


def together(verdicts: Sequence[str]) -> str:
    """The verdict on a claim of several parts: all must agree, one that differs decides."""
    if DIFFERS in verdicts:
        return DIFFERS
    return AGREES if set(verdicts) == {AGREES} else UNDECIDED
