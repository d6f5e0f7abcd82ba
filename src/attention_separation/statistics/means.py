"""Numbers with intervals: means of samples, and differences and ratios of means of groups of runs.

A mean has Student's interval, and a sum of means Welch's. Groups of runs that differ in all are
compared by Welch's, those that share data seed by seed by Student's of their differences.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri, stdtrit

from .claims import Comparison, Estimate


@dataclass(frozen=True)
class Mean:
    """A mean of independent values, or a sum of such means: its standard error, and the degrees of
    freedom of that."""

    value: float
    se: float
    freedom: float

    @classmethod
    def of(cls, sample: Sequence[float] | np.ndarray, least_spread: float = 0.0) -> Self:
        """The mean of a sample (n,), whose standard deviation is taken to be at least
        `least_spread`; that of a single value has no standard error (NaN)."""
        count = len(sample)
        value = float(np.mean(sample))
        if count < 2:
            return cls(value, np.nan, np.nan)
        # NaN stays NaN.
        spread = np.maximum(np.std(sample, ddof=1), least_spread)
        return cls(value, float(spread / np.sqrt(count)), count - 1)

    def __sub__(self, other: "Mean | float") -> "Mean":
        """The difference from another mean, or from a known number."""
        if isinstance(other, Mean):
            return sum_of_means([(1.0, self), (-1.0, other)])
        return Mean(self.value - other, self.se, self.freedom)

    def interval(self, level: float) -> Estimate:
        """The mean with Student's two-sided interval, which misses it with probability `level`."""
        quantile = float(stdtrit(self.freedom, 1 - level / 2))
        return Estimate.within(self.value, quantile * self.se)


def sum_of_means(terms: Iterable[tuple[float, Mean]]) -> Mean:
    """The sum of independent means, each times a factor, with the degrees of freedom of Welch and
    Satterthwaite."""
    value = 0.0
    variance = 0.0
    variance_of_variance = 0.0
    least_freedom = math.inf
    for factor, mean in terms:
        part = (factor * mean.se) ** 2
        value += factor * mean.value
        variance += part
        variance_of_variance += part**2 / mean.freedom
        least_freedom = min(least_freedom, mean.freedom)
    freedom = variance**2 / variance_of_variance if variance_of_variance else least_freedom
    return Mean(value, float(np.sqrt(variance)), freedom)


class ClaimedMean(NamedTuple):
    """A mean of runs, and the range that is claimed of it."""

    name: str
    mean: Mean
    least: float = -math.inf
    most: float = math.inf


def compare_means(claimed: Sequence[ClaimedMean], level: float) -> list[Comparison]:
    """One comparison for each mean that a claim is on; the claim is misjudged with a probability of
    at most `level`.

    All must agree for the claim to: each at the level (an intersection-union test). One that
    differs is enough: each at its share of the level.
    """
    return [
        Comparison(
            claim.name,
            claim.mean.interval(level),
            claim.least,
            claim.most,
            far=claim.mean.interval(level / len(claimed)),
        )
        for claim in claimed
    ]


def mean_of(sample: Sequence[float] | np.ndarray, level: float = 0.05) -> Estimate:
    """The mean of a sample (n,) with Student's interval: for many values, or nearly normal ones.

    `level` : probability that the interval misses the mean
    """
    return Mean.of(sample).interval(level)


SPREAD = 1e-3
"""Least standard deviation of a run's error over seeds that is believed: two runs that happen to
agree prove no certainty."""

MOST_TIMES = 1e6
"""Of one mean to another: an interval that comes so far has no upper end."""

Errors = Sequence[float] | np.ndarray
"""Of the runs of a group."""

Pairs = Sequence[tuple[Errors, Errors]]
Difference = Callable[[Pairs, float], Estimate]


def _mean_of_runs(errors: Errors) -> Mean:
    """The mean of runs' errors; ValueError if they are fewer than two or one is not finite."""
    if len(errors) < 2:
        raise ValueError("an interval over seeds takes at least two runs of each group")
    if not np.isfinite(errors).all():
        raise ValueError("the error of a run is no finite number")
    return Mean.of(errors, SPREAD)


def difference_of_means(pairs: Pairs, level: float) -> Estimate:
    """Mean of the larger groups less that of the smaller ones, averaged over the pairs.

    Groups are errors of single runs, all of them different runs. The interval is two-sided, of
    confidence 1 - level, by Welch's t with unequal variances, each of at least SPREAD squared.
    ValueError if a group has fewer than two runs, or an error is no finite number.
    """
    share = 1 / len(pairs)
    terms = []
    for larger, smaller in pairs:
        terms.append((share, _mean_of_runs(larger)))
        terms.append((-share, _mean_of_runs(smaller)))
    return sum_of_means(terms).interval(level)


def paired_difference_of_means(pairs: Pairs, level: float) -> Estimate:
    """Mean of the larger groups less that of the smaller ones, averaged over the pairs, where run k
    of each group shares its data, or its initial values, with run k of every other.

    Groups are errors of n runs each, (n,). The interval is Student's, of confidence 1 - level, of
    the n differences, each averaged over the pairs, with a standard deviation of at least SPREAD.

    Where runs share nothing it holds too, and is longer than Welch's. ValueError if groups differ
    in length, or as `difference_of_means`.
    """
    lengths = set()
    for larger, smaller in pairs:
        lengths |= {len(larger), len(smaller)}
    if len(lengths) != 1:
        raise ValueError("runs are compared one by one: groups of different lengths are not")
    gaps = [np.subtract(larger, smaller, dtype=float) for larger, smaller in pairs]
    return _mean_of_runs(np.mean(gaps, axis=0)).interval(level)


def ratio_of_means(
    pairs: Pairs, level: float, difference: Difference = difference_of_means
) -> Estimate:
    """The ratio of the sum of the larger groups' means to that of the smaller groups', with its
    interval.

    `difference` : what compares the larger groups with multiples of the smaller ones

    The interval holds the factors that are not rejected, at `level`, as those by which the smaller
    groups' means are to be multiplied for a difference of 0. Its upper end is infinite where the
    smaller ones' sum may be 0. ValueError as `difference`, or if the smaller groups' mean is not
    positive.
    """

    def difference_from_multiple(factor: float) -> Estimate:
        """The larger groups' mean less that of the smaller ones times a factor."""
        scaled = [(larger, factor * np.asarray(smaller)) for larger, smaller in pairs]
        return difference(scaled, level)

    sum_of_smaller = sum(np.mean(smaller) for _, smaller in pairs)
    if sum_of_smaller <= 0:
        raise ValueError("the mean of the smaller errors is not positive")
    ratio = float(sum(np.mean(larger) for larger, _ in pairs) / sum_of_smaller)
    low = 0.0
    if difference_from_multiple(0).low > 0:
        low = float(brentq(lambda factor: difference_from_multiple(factor).low, 0, ratio))
    most = max(MOST_TIMES, 2 * ratio)
    high = math.inf
    if difference_from_multiple(most).high <= 0:
        high = float(brentq(lambda factor: difference_from_multiple(factor).high, ratio, most))
    return Estimate(ratio, low, high)


def simultaneous_quantile(level: float, comparisons: int) -> float:
    """The two-sided normal quantile z of intervals of which all of `comparisons` hold together with
    probability 1 - level, by Bonferroni: each is its value +- z standard errors."""
    return float(ndtri(1 - level / comparisons / 2))
