"""Is one group of runs worse than another by more than a margin? Means over seeds, with Welch's
interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

SPREAD = 1e-3
"""Least standard deviation of a run's error over seeds that is believed: two runs that happen to
agree prove no certainty."""


@dataclass(frozen=True)
class Difference:
    """Mean error of one group of runs less that of another, with its interval."""

    mean: float
    low: float
    high: float

    def exceeds(self, margin: float) -> str:
        """agrees if it surely exceeds the margin, differs if it surely does not, else undecided."""
        if self.low > margin:
            return "agrees"
        return "differs" if self.high < margin else "undecided"

    def stays_below(self, margin: float) -> str:
        """agrees if it is surely below the margin, differs if it surely is not, else undecided."""
        if self.high < margin:
            return "agrees"
        return "differs" if self.low > margin else "undecided"


def difference(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]], level: float
) -> Difference:
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
    return Difference(mean, mean - half, mean + half)


def mean_of(gaps: Sequence[float], level: float) -> Difference:
    """The mean of differences within single runs, with Student's interval.

    Raises
    ------
    ValueError
        If there are fewer than two, or one is no finite number.
    """
    return difference([(gaps, np.zeros(len(gaps)))], level)


def together(verdicts: Sequence[str]) -> str:
    """The verdict on a claim of several parts: all must agree, one that differs decides."""
    if "differs" in verdicts:
        return "differs"
    return "agrees" if set(verdicts) == {"agrees"} else "undecided"
