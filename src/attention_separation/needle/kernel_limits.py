"""The accuracy limits of kernels: what a trained layer of one query is held against."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, log_ndtr, logsumexp, ndtr

from ..attention.kernel_names import without_alias
from ..messages.number_check import number, whole_number
from ..messages.question import question
from ..messages.words import short_repr, suggestion
from . import bayes, power
from .accuracy import MOST_N, Accuracy, Crossing, crossing, of_events, of_one_token


def uniform_accuracy(mu: float, n: int) -> Accuracy:
    """Phi(mu / (2 sqrt n)): the likelihood ratio of two normal laws with one variance."""
    return Accuracy(float(ndtr(mu / (2 * math.sqrt(n)))), 0.0)


CHI_NODES, FINER_CHI_NODES = 200, 400
"""Nodes of Gauss and Legendre: what is stated, and what its error is measured by."""

WIDTH = 9.0
"""Standard deviations of the chi law to both sides: beyond lies less than 1e-18."""

MANY_DEGREES_OF_FREEDOM = 100
"""Degrees of freedom from which on Stirling's series of three terms is exact to rounding."""


def linear_accuracy(mu: float, n: int) -> Accuracy:
    """1/2 + TV / 2 of the pair (sum, sum of squares) between D0 and D1."""
    if n == 1:
        return Accuracy(of_one_token(mu), 0.0)
    value = _total_variation_accuracy(mu, n, CHI_NODES)
    finer = _total_variation_accuracy(mu, n, FINER_CHI_NODES)
    return Accuracy(value, abs(value - finer))


def _total_variation_accuracy(mu: float, n: int, nodes: int) -> float:
    """The best accuracy from the sum and the sum of squares, by a rule of so many nodes.

    v, the sum of squares about the mean, is integrated over; at each v the likelihood ratio has one
    threshold on the sum.
    """
    freedom = n - 1
    noncentrality = mu * mu * (1 - 1 / n)
    # In w = sqrt v both laws have standard deviations of about 1 / sqrt 2.
    low = max(math.sqrt(max(freedom - 1, 0)) - WIDTH, 0.0)
    high = math.sqrt(freedom + noncentrality) + WIDTH
    nodes_of_unit, weights_of_unit = _nodes_and_weights(nodes)
    w = low + (nodes_of_unit + 1) * (high - low) / 2
    weight = weights_of_unit * (high - low) / 2
    log_ratio = _log_ratio(freedom, noncentrality, w)
    law_d0 = weight * np.exp(_log_chi(freedom, w))
    law_d1 = law_d0 * np.exp(log_ratio)
    shift = mu / math.sqrt(n)
    threshold = shift / 2 - log_ratio / shift
    above_on_d1 = float(law_d1 @ ndtr(shift - threshold))
    above_on_d0 = float(law_d0 @ ndtr(-threshold))
    return of_events(above_on_d1, above_on_d0)


@cache
def _nodes_and_weights(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes and weights (count,) of Gauss and Legendre's rule from -1 to 1; kept, for finding
    them takes longer than all else here."""
    nodes, weights = leggauss(count)
    nodes.flags.writeable = False
    weights.flags.writeable = False
    return nodes, weights


def _log_chi(freedom: int, w: np.ndarray) -> np.ndarray:
    """The log density of the chi law at w.

    Of many degrees of freedom it is taken about its mode, by Stirling's series, for terms as large
    as n log n would cancel.
    """
    if freedom < MANY_DEGREES_OF_FREEDOM:
        constant = (1 - freedom / 2) * math.log(2) - gammaln(freedom / 2)
        return constant + (freedom - 1) * np.log(w) - w * w / 2
    half = freedom / 2
    mode = math.sqrt(freedom - 1)
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


THRESHOLD_REACH = 9.0
"""The largest of n tokens is not below minus that, and the needle not above mu and that."""

GRID = 400


def largest_token_accuracy(mu: float, n: int) -> Accuracy:
    """The accuracy of saying D1 where the largest token is above t, at the best threshold t: found
    on a grid and then by Brent's method."""
    grid = np.linspace(-THRESHOLD_REACH, mu + THRESHOLD_REACH, GRID)
    k = int(np.clip(_gains(grid, mu, n).argmax(), 1, GRID - 2))
    low = grid[k - 1]
    high = grid[k + 1]
    best = minimize_scalar(
        lambda t: -float(_gains(t, mu, n)),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-10},
    )
    value = of_events(-float(best.fun), 0.0)
    on_finer_grid = _gains(np.linspace(low, high, 4001), mu, n)
    finer = of_events(float(on_finer_grid.max()), 0.0)
    return Accuracy(value, abs(value - finer))


def _gains(t: np.ndarray | float, mu: float, n: int) -> np.ndarray:
    """The probability that the largest token is above t on D1 less that on D0, for each t."""
    of_one_token = ndtr(t) - ndtr(np.subtract(t, mu))
    if n == 1:
        return np.asarray(of_one_token)
    others_below = np.exp((n - 1) * log_ndtr(t))
    return np.asarray(others_below * of_one_token)


BOUND, REFERENCE, BEST = KINDS_OF_LIMIT = ("bound", "reference", "best possible")
"""What no layer of the kernel can pass, of any number of heads that each sum a score times a value
over the tokens, both linear in the token and the same functions at every place, and anything
behind; what one reading of one query comes to; and what nothing at all can pass."""


@dataclass(frozen=True)
class Line:
    """The best accuracy of a kernel, at any mu and n."""

    name: str  # of the kernel
    kind: str  # one of KINDS_OF_LIMIT
    method: str  # how it is computed, in words
    accuracy: Callable[[float, int], Accuracy]  # at a signal-to-noise ratio mu and n tokens
    growth: Callable[[float], float]  # about where n is critical, by mu
    # A function of mu that gives one of n, which begins where it ended.
    remembering: Callable[[float], Callable[[int], Accuracy]] | None = None

    def at(self, mu: float) -> Callable[[int], Accuracy]:
        """The accuracy as a function of n, for many n near each other."""
        if self.remembering:
            return self.remembering(mu)
        return partial(self.accuracy, mu)

    def critical(self, mu: float) -> Crossing:
        """The n at which the accuracy crosses .75."""
        return crossing(self.at(mu), self.growth(mu))


def _polynomial_growth(degree: int) -> Callable[[float], float]:
    """The function of mu that gives about the n at which the sum of Hermite polynomials of a degree
    has the accuracy .75."""
    return lambda mu: mu ** (2 * degree) / (1.82 * math.factorial(degree))


def _exponential_growth(mu: float) -> float:
    """About the n at which a token of size mu is as large as the largest of n."""
    return 0.7 * math.exp(min(mu * mu / 2, 700.0))


def _warm_started(p: int, mu: float) -> Callable[[int], Accuracy]:
    """The accuracy of a score to the power p, by n: each search begins where the last one ended."""
    last_reading: power.Reading | None = None

    def accuracy_at(n: int) -> Accuracy:
        """The accuracy at n, sought from the last reading."""
        nonlocal last_reading
        accuracy, reading = power.accuracy_and_reading(p, mu, n, last_reading)
        if n > 1:
            last_reading = reading
        return accuracy

    return accuracy_at


def _line_of_power(p: int) -> Line:
    """The line of the kernel that is a score to the power p."""
    return Line(
        name=f"power_{p}",
        kind=REFERENCE,
        method="best threshold on one ratio, characteristic function inverted",
        accuracy=partial(power.best_accuracy, p),
        growth=_polynomial_growth(p + 1),
        remembering=partial(_warm_started, p),
    )


_ALL_LINES = (
    Line("uniform", BOUND, "closed form", uniform_accuracy, _polynomial_growth(1)),
    Line(
        name="linear",
        kind=BOUND,
        method="total variation of sum and sum of squares",
        accuracy=linear_accuracy,
        growth=_polynomial_growth(2),
    ),
    _line_of_power(2),
    _line_of_power(3),
    _line_of_power(4),
    Line(
        name="exp",
        kind=REFERENCE,
        method="best threshold on the largest token",
        accuracy=largest_token_accuracy,
        growth=_exponential_growth,
    ),
    Line("bayes", BEST, "Laplace transform inverted", bayes.best_accuracy, _exponential_growth),
)
LIMITS_BY_KERNEL: Mapping[str, Line] = {line.name: line for line in _ALL_LINES}
"""By the kernel's name, from the least to the best."""


LEAST_MU, MOST_MU = 0.1, 10.0
"""Signal-to-noise ratios at which the lines' numerics have been tried."""


@question
def limit(kernel: str, mu: float, n: int) -> float:
    """The best accuracy with which one query of a kernel tells a needle among n noisy tokens.

    n tokens have independent noise of standard deviation 1 along the needle's direction; on D1 one
    of them has mu added. D0 and D1 are equally likely.

    Parameters
    ----------
    kernel : "uniform", "linear", "power_2", "power_3", "power_4", "exp" or "bayes". For uniform
        and linear it is a bound for one layer: any number of heads that each sum a score times a
        value over the tokens, both linear in the token and the same functions at every place, and
        anything behind. So a bias by place, positions in keys or values, a norm before the heads or
        a query that is a token may pass it. For powers it is the best threshold on one ratio, for
        exp that on the largest token; bayes is the best possible detector.
    mu : signal-to-noise ratio of the needle, 0.1 to 10
    n : number of tokens, 1 to 10^15

    Returns
    -------
    The accuracy, 0.5 to 1.

    Raises
    ------
    ValueError
        If the kernel is unknown, mu no number in range, or n no whole number in range.
    """
    return _line_of_kernel(kernel).accuracy(checked_mu(mu), checked_n(n)).value


@question
def critical_n(kernel: str, mu: float) -> float:
    """The number of tokens at which the limit of a kernel is .75, halfway to a guess.

    Interpolated in log n between two whole numbers. The limit is taken to fall with n, for each
    token more is noise: n between those that are asked are not looked at. 0 where one token alone
    is separated less often (mu below 1.35), inf where the limit is above .75 at n = 10^15 still.
    kernel, mu and errors are as of `limit`.
    """
    return _line_of_kernel(kernel).critical(checked_mu(mu)).n


def _line_of_kernel(kernel: str) -> Line:
    """The line of a kernel by its name or alias; ValueError if it has none."""
    name = without_alias(kernel) if isinstance(kernel, str) else ""
    if name in LIMITS_BY_KERNEL:
        return LIMITS_BY_KERNEL[name]
    raise ValueError(
        f"kernel={short_repr(kernel)} has no line; {suggestion(name, list(LIMITS_BY_KERNEL))}"
    )


def checked_mu(mu: float) -> float:
    """mu, if it is a number in range; else ValueError."""
    allowed = f"numbers from {LEAST_MU:g} to {MOST_MU:g}"
    return number("mu", mu, allowed, lambda x: LEAST_MU <= x <= MOST_MU)


def checked_n(n: int, name: str = "n") -> int:
    """A number of tokens, if it is a whole one in range; else ValueError."""
    return whole_number(name, n, least=1, most=MOST_N)
