"""The mean of independent shares, numbers between 0 and 1, such as of the right answers of a draw.

`mean_of_bounded` takes shares of any law: one that is 0 once in a thousand draws is reckoned with
where few draws were made. Its upper limit is that of Gaffke (2005), which Learned-Miller and Thomas
(arXiv 1905.06208) found anew: the shares and one more, 1, get random weights that are uniform over
all that sum to 1 (Dirichlet's), and the limit is the quantile of the weighted mean. Of shares 0 and
1 it is Clopper and Pearson's, which covers. That it covers whatever the law is has no proof yet,
and no exception is known (Phan, Thomas and Learned-Miller, arXiv 2106.03163). The lower limit is 1
less the upper one of 1 less the shares.

`mean_of_clusters` takes it that no draw is wholly unlike those that were made, and is shorter: the
limits of Clopper and Pearson, for as many independent answers as would have the variance that is
seen between draws (Korn and Graubard 1998).
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtri, stdtrit

from .claims import Estimate

PATH_STEP = 0.05
NODES_AT_ONCE = 40
MOST_PATH_NODES = 400
"""Of the trapezoidal rule along the path, which ends at a NEGLIGIBLE_HEIGHT."""

NEGLIGIBLE_HEIGHT = 1e-13

SPREAD_OF_EQUALS = 1e-12
"""Least spread of values that are not taken to be equal."""

NEAREST_LIMIT = 1e-9
"""How near a limit comes to 1, as a share of the way from the mean: closer it has no chance."""


def mean_of_bounded(values: Sequence[float] | np.ndarray, level: float = 0.05) -> Estimate:
    """The mean of independent values (n,) from 0 to 1, with its two-sided interval.

    `level` : probability that the interval misses the mean. ValueError unless values are from 0 to
    1, and at least one
    """
    sample = _checked(values)
    high = _upper_limit(sample, level / 2)
    low = 1 - _upper_limit(1 - sample, level / 2)
    return Estimate(float(sample.mean()), low, high)


def mean_of_clusters(
    shares: Sequence[float] | np.ndarray, answers: int, level: float = 0.05
) -> Estimate:
    """The mean of the shares (T,) of right answers, each of one independent cluster of as many
    answers, which may depend on each other, with its two-sided interval.

    Of shares that are all equal it is the interval of `mean_of_bounded`. `level` and errors as of
    that.
    """
    sample = _checked(shares)
    if len(sample) < 2 or np.ptp(sample) <= SPREAD_OF_EQUALS:
        return mean_of_bounded(sample, level)
    rate = float(sample.mean())
    variance = float(np.var(sample, ddof=1)) / len(sample)
    # Answers that differ more within clusters than between them are not more than there are.
    independent = min(rate * (1 - rate) / variance, len(sample) * answers)
    # A variance of few clusters is not known well: as Student's quantile to the normal one.
    students = float(stdtrit(len(sample) - 1, 1 - level / 2))
    independent *= (float(ndtri(1 - level / 2)) / students) ** 2
    right = rate * independent
    wrong = independent - right
    low = float(betaincinv(right, wrong + 1, level / 2))
    high = float(betaincinv(right + 1, wrong, 1 - level / 2))
    return Estimate(rate, low, high)


def _checked(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Values (n,), if they are from 0 to 1 and one at least; else ValueError."""
    sample = np.asarray(values, dtype=float)
    if not len(sample) or not ((sample >= 0) & (sample <= 1)).all():
        raise ValueError("an interval of a bounded mean takes values from 0 to 1, at least one")
    return sample


def _upper_limit(sample: np.ndarray, tail: float) -> float:
    """What the randomly weighted mean of a sample and 1 exceeds with probability `tail`."""
    if np.ptp(sample) <= SPREAD_OF_EQUALS:
        # The weight of the one more has a law of Beta(1, n).
        share_of_the_other = 1 - tail ** (1 / len(sample))
        return float(sample[0] + (1 - sample[0]) * share_of_the_other)
    points, counts = np.unique(np.append(sample, 1.0), return_counts=True)
    mean = float(counts @ points) / float(counts.sum())

    def excess(share: float) -> float:
        """At a limit so far from the mean to 1."""
        limit = mean + share * (1 - mean)
        return _probability_above_0(points - limit, counts) - tail

    return mean + (1 - mean) * float(brentq(excess, NEAREST_LIMIT, 1 - NEAREST_LIMIT, xtol=1e-12))


def _probability_above_0(factors: np.ndarray, counts: np.ndarray) -> float:
    """P(Q > 0) of Q, the sum of factors (T,) times independent gamma variables with so many degrees
    (T,); the mean of Q is below 0, and the largest factor is above it.

    With K(s) = log E exp(s Q) it is the integral of exp(K(s)) / (2 pi i s) along a line parallel to
    the imaginary axis, here through the saddle of K.
    """
    factors = factors / factors.max()

    def slope(s: float) -> float:
        return float(np.sum(counts * factors / (1 - s * factors)))

    saddle = float(brentq(slope, 0.0, 1 - 1e-14, xtol=1e-300, rtol=1e-14))
    curvature = float(np.sum(counts * (factors / (1 - saddle * factors)) ** 2))
    width = 1 / math.sqrt(curvature)
    total = 0.0
    for first in range(0, MOST_PATH_NODES, NODES_AT_ONCE):
        nodes = PATH_STEP * np.arange(first, first + NODES_AT_ONCE)
        s = saddle + 1j * width * np.sinh(nodes)
        exponents = -np.log(1 - s[:, None] * factors) @ counts
        heights = np.exp(exponents) / s * (width * np.cosh(nodes))
        # Of the trapezoidal rule the first node has half.
        total += float(heights.real.sum()) - (heights[0].real / 2 if first == 0 else 0.0)
        if np.abs(heights[-1]) <= NEGLIGIBLE_HEIGHT:
            break
    return PATH_STEP * total / math.pi
