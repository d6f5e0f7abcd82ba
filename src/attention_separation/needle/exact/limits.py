"""The accuracy limits of kernels: what a trained layer of one query is held against."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, log_ndtr, logsumexp, ndtr

from ...attention.kernel_names import without_alias
from ...settings.words import suggestion
from . import bayes, power
from .accuracy import MOST_N, Accuracy, Crossing, crossing, of_events, of_one_token


def uniform_accuracy(mu: float, n: int) -> Accuracy:
    """Phi(mu / (2 sqrt n)): the likelihood ratio of two normal laws with one variance."""
    return Accuracy(float(ndtr(mu / (2 * math.sqrt(n)))), 0.0)


NODES, FINER = 200, 400
"""Nodes of Gauss and Legendre: what is stated, and what its error is measured by."""

WIDTH = 9.0
"""Standard deviations of the chi law to both sides: beyond lies less than 1e-18."""

MANY = 100
"""Degrees of freedom from which on Stirling's series of three terms is exact to rounding."""


def linear_accuracy(mu: float, n: int) -> Accuracy:
    """1/2 + TV / 2 of the pair (sum, sum of squares) between D0 and D1."""
    if n == 1:
        return Accuracy(of_one_token(mu), 0.0)
    value, finer = (_total_variation_accuracy(mu, n, nodes) for nodes in (NODES, FINER))
    return Accuracy(value, abs(value - finer))


def _total_variation_accuracy(mu: float, n: int, nodes: int) -> float:
    freedom, noncentrality = n - 1, mu * mu * (1 - 1 / n)
    # In w = sqrt v both laws have standard deviations of about 1 / sqrt 2.
    low = max(math.sqrt(max(freedom - 1, 0)) - WIDTH, 0.0)
    high = math.sqrt(freedom + noncentrality) + WIDTH
    at, weight = leggauss(nodes)
    w, weight = low + (at + 1) * (high - low) / 2, weight * (high - low) / 2
    log_ratio = _log_ratio(freedom, noncentrality, w)
    of_d0 = weight * np.exp(_log_chi(freedom, w))
    of_d1 = of_d0 * np.exp(log_ratio)
    shift = mu / math.sqrt(n)
    threshold = shift / 2 - log_ratio / shift
    return of_events(float(of_d1 @ ndtr(shift - threshold)), float(of_d0 @ ndtr(-threshold)))


def _log_chi(freedom: int, w: np.ndarray) -> np.ndarray:
    """Log density of the chi law; of many degrees of freedom about its mode, by Stirling's series,
    for terms as large as n log n would cancel."""
    if freedom < MANY:
        constant = (1 - freedom / 2) * math.log(2) - gammaln(freedom / 2)
        return constant + (freedom - 1) * np.log(w) - w * w / 2
    half, mode = freedom / 2, math.sqrt(freedom - 1)
    series = 1 / (12 * half) - 1 / (360 * half**3) + 1 / (1260 * half**5)
    largest = (freedom - 1) / 2 * math.log1p(-1 / freedom) + 0.5 - math.log(math.pi) / 2 - series
    step = w / mode - 1
    return largest + (freedom - 1) * (np.log1p(step) - step - step * step / 2)


def _log_ratio(freedom: int, noncentrality: float, w: np.ndarray) -> np.ndarray:
    """Log of the noncentral chi density over the central one at w: a mixture over a Poisson index
    j, whose terms are (noncentrality w^2 / 4)^j / (j! (freedom/2)_j)."""
    half = freedom / 2
    most = noncentrality * float(w.max()) ** 2 / 4
    # The largest term is where j (half + j) is about `most`; beyond, they fall fast.
    peak = 2 * most / (half + math.sqrt(half * half + 4 * most))
    j = np.arange(int(peak + 12 * math.sqrt(peak + 1) + 40))
    rising = np.concatenate([[0.0], np.cumsum(np.log(half + j[:-1]))])
    terms = j * np.log(noncentrality / 4 * w * w)[:, None] - gammaln(j + 1) - rising
    return logsumexp(terms, axis=1) - noncentrality / 2


REACH = 9.0
"""The largest of n tokens is not below -REACH, and the needle not above mu + REACH."""

GRID = 400


def largest_token_accuracy(mu: float, n: int) -> Accuracy:
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


BOUND, REFERENCE, BEST = KINDS = ("bound", "reference", "best possible")
"""What no layer of the kernel can pass, of any number of heads whose queries do not see the tokens,
with scores and values linear in them, and anything behind; what one reading of one query comes to;
and what nothing at all can pass."""


@dataclass(frozen=True)
class Line:
    """The best accuracy of a kernel, at any mu and n."""

    name: str  # of the kernel
    kind: str  # one of KINDS
    method: str  # how it is computed, in words
    accuracy: Callable[[float, int], Accuracy]  # at a signal-to-noise ratio mu and n tokens
    growth: Callable[[float], float]  # about where n is critical, by mu
    # A function of mu that gives one of n, which begins where it ended.
    remembering: Callable[[float], Callable[[int], Accuracy]] | None = None

    def at(self, mu: float) -> Callable[[int], Accuracy]:
        """The accuracy as a function of n, for many n near each other."""
        return self.remembering(mu) if self.remembering else partial(self.accuracy, mu)

    def critical(self, mu: float) -> Crossing:
        """Where it crosses .75."""
        return crossing(self.at(mu), self.growth(mu))


def _polynomial(degree: int) -> Callable[[float], float]:
    """n at which the sum of Hermite polynomials of a degree has the accuracy .75."""
    return lambda mu: mu ** (2 * degree) / (1.82 * math.factorial(degree))


def _exponential(mu: float) -> float:
    return 0.7 * math.exp(min(mu * mu / 2, 700.0))


def _warm_started(p: int, mu: float) -> Callable[[int], Accuracy]:
    near: power.Reading | None = None

    def accuracy(n: int) -> Accuracy:
        nonlocal near
        found, reading = power.accuracy_and_reading(p, mu, n, near)
        near = reading if n > 1 else near
        return found

    return accuracy


def _power(p: int) -> Line:
    return Line(
        name=f"power_{p}",
        kind=REFERENCE,
        method="best threshold on one ratio, characteristic function inverted",
        accuracy=partial(power.best_accuracy, p),
        growth=_polynomial(p + 1),
        remembering=partial(_warm_started, p),
    )


LINES: Mapping[str, Line] = {
    line.name: line
    for line in (
        Line("uniform", BOUND, "closed form", uniform_accuracy, _polynomial(1)),
        Line(
            "linear", BOUND, "total variation of sum and sum of squares",
            linear_accuracy, _polynomial(2),
        ),
        *map(_power, (2, 3, 4)),
        Line(
            "exp", REFERENCE, "best threshold on the largest token",
            largest_token_accuracy, _exponential,
        ),
        Line(
            "bayes", BEST, "Laplace transform inverted",
            bayes.best_accuracy, _exponential,
        ),
    )
}  # fmt: skip


LEAST_MU, MOST_MU = 0.1, 10.0
"""Signal-to-noise ratios at which the lines' numerics have been tried."""


def limit(kernel: str, mu: float, n: int) -> float:
    """The best accuracy with which one query of a kernel tells a needle among n noisy tokens.

    n tokens have independent noise of standard deviation 1 along the needle's direction; on D1 one
    of them has mu added. D0 and D1 are equally likely.

    Parameters
    ----------
    kernel : "uniform", "linear", "power_2", "power_3", "power_4", "exp" or "bayes". For uniform
        and linear it is a bound for one layer, any number of heads whose queries do not see the
        tokens, with scores and values linear in them, and anything behind; for powers the best
        threshold on one ratio, for exp that on the largest token; bayes is the best possible
        detector.
    mu : signal-to-noise ratio of the needle, 0.1 to 10
    n : number of tokens, 1 to 10^15

    Returns the accuracy, 0.5 to 1. Raises ValueError if the kernel is unknown, or mu or n out of
    range, and TypeError if mu is no number, or n no whole number.
    """
    return _line(kernel).accuracy(checked_mu(mu), checked_n(n)).value


def critical_n(kernel: str, mu: float) -> float:
    """The number of tokens at which the limit of a kernel is .75, halfway to a guess.

    Interpolated in log n between two whole numbers. 0 where one token alone is separated less
    often (mu below 1.35), inf where the limit is above .75 at n = 10^15 still. kernel, mu and
    errors are as of `limit`.
    """
    return _line(kernel).critical(checked_mu(mu)).n


def _line(kernel: str) -> Line:
    if isinstance(kernel, str) and (written := without_alias(kernel)) in LINES:
        return LINES[written]
    raise ValueError(f"kernel={kernel!r} has no line; {suggestion(str(kernel), list(LINES))}")


def checked_mu(mu: float) -> float:
    if not isinstance(mu, Real) or isinstance(mu, bool):
        raise TypeError(f"mu={mu!r} is no number; allowed: {LEAST_MU:g} to {MOST_MU:g}")
    if not LEAST_MU <= mu <= MOST_MU:  # NaN too
        raise ValueError(f"mu={mu!r} is out of range; allowed: {LEAST_MU:g} to {MOST_MU:g}")
    return float(mu)


def checked_n(n: int, name: str = "n") -> int:
    allowed = "allowed: whole numbers from 1 to 10^15"
    # 1e6 is a whole number to a person.
    is_whole = isinstance(n, Integral) or (isinstance(n, Real) and float(n).is_integer())
    if isinstance(n, bool) or not is_whole:
        raise TypeError(f"{name}={n!r} is no whole number; {allowed}")
    if not 1 <= n <= MOST_N:
        raise ValueError(f"{name}={n!r} is out of range; {allowed}")
    return int(n)
