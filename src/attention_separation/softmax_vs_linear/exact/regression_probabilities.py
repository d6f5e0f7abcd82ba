"""P(E_success) of the softmax-regression model, Figure 3, with an estimate of the error.

Given the data the columns of y are independent and alike, so all probabilities are means over the
data of powers x^m, with x a column's probability that certain networks stay zero. The mean of x is
computed (see regression_columns); its variance over the data is that of its best sum of functions
of one coordinate's data each (the Hajek projection), which enters in second order:
E x^m = (E x)^m (1 + m (m - 1) / 2 Var x / (E x)^2 + ...). The stated error is half of that term
and what the projection is known to miss: an estimate, for the remainder is not proved to be less.
"""

import math
from functools import lru_cache

import numpy as np

from attention_separation.attention.sign_columns import exceeds, likely_heads

from ..models.contest import PAPERS
from ..models.model import Point
from ..models.panel_tables import EXACT_EVENTS, Reference
from ..models.regression import LEVELS, SPECIAL, RegressionModel, special_sign_decides
from .regression_columns import TwoPointSums, weights
from .regression_fourier import UniformSums, gauss_legendre
from .regression_moments import Moments, moments

SURE = 1e-7
"""Where all that can go wrong has at most this probability, it is neglected."""

FEWEST = 12
"""Below, no error is stated under the uniform law: characteristic functions decay too slowly for
the estimate of what is cut off."""

FEWEST_UNIFORM = 50
"""Below, no error is stated for means of powers under the uniform law: their variance over the data
need not be that to first order, for uniform sums of few terms bunch at the numbers of pluses."""

MOST_TWO_POINT = 5_000
"""Above, sums over counts take longer than seconds."""

TILTS = np.geomspace(1e-3, 10, 400)
"""Of Chernoff's bounds, in units of tau over the largest weight."""

ROUNDING = 1e-12
"""Stated beside all other errors, for those of floats."""

NEGLIGIBLE = 1e-9

LARGEST_CORRECTION = 0.5
"""Relative; the second-order expansion is not used further than this."""


def references(model: RegressionModel, points: list[Point]) -> list[Reference]:
    """Reference values with their estimated errors, at each point."""
    return [reference(point) for point in points]


def reference(point: Point) -> Reference:
    """Reference values for a point of the softmax-regression model.

    point : any valid point; none raises
    """
    if point.law in LEVELS:
        return _equal_entries(point)
    if point.tau >= 1:
        events = (0.0, 1.0, 1.0, 1.0)
        return Reference(0.0, events, 0.0, EXACT_EVENTS, "exact: no score exceeds 1")
    some_plus = -math.expm1(-point.m * math.log(2))
    decides = special_sign_decides(point.n, point.tau)
    undecided = 0.0 if decides else 1.0
    wrong = point.m * _tail_bound(point.law, point.n, point.tau)
    if wrong <= SURE:
        events, errors = (some_plus, 1.0, 1.0, 1.0), (undecided, wrong, wrong, wrong)
        if decides:
            return Reference(some_plus, events, wrong, errors, "Chernoff bounds")
        return Reference(some_plus, events, 1.0, errors, "F_exp(D1) taken for the sign of y_j")
    if point.law == "two-point" and point.n > MOST_TWO_POINT:
        events, errors = (some_plus, 1.0, 1.0, 1.0), (undecided, 1.0, 1.0, 1.0)
        return Reference(some_plus, events, 1.0, errors, "none: too many entries")
    sums = UniformSums if point.law == "uniform" else TwoPointSums
    of = moments(sums(point.n, point.tau), point.data)
    success, error = _success(of, point)
    zeros = [_mean_zero(of, point, network) for network in range(len(PAPERS.networks) - 1)]
    events = (some_plus, *(value for value, _ in zeros))
    errors = (undecided, *(estimate for _, estimate in zeros))
    if not decides:
        method = "F_exp(D1) taken for the sign of y_j"
        return Reference(success, events, 1.0, errors, method)
    if _too_few(point, point.m > 1 or point.signs == "fresh"):
        method = "second order, too few entries for an estimated error"
        return Reference(success, events, 1.0, errors, method)
    how = "Fourier inversion" if point.law == "uniform" else "sums over counts"
    return Reference(success, events, error, errors, f"second order, {how}")


def equal_entries_scores(n: int, level: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Scores of a column against each network where all ordinary entries of Ax are equal.

    Returns
    -------
    scores : four arrays (2, heads), by the sign y_j and the number of pluses among the others
    share : (heads,), probabilities of a number of pluses given y_j, halved for y_j's own chance

    Scores are written as in regression_trials, with which ties must agree.
    """
    others, share = likely_heads(n - 1)
    sign = np.array([[-1], [1]])
    total = 2 * (others + (sign > 0)) - n
    scores = []
    for kernel, dataset in PAPERS.networks:
        if dataset == 0:
            scores.append(total / n)
        else:
            special = SPECIAL / level if kernel == "linear" else n ** (SPECIAL - level)
            scores.append((special * sign + (total - sign)) / (special + n - 1))
    return scores, share / 2


def _equal_entries(point: Point) -> Reference:
    """Laws of equal entries: the data are fixed; a column is its special sign and its pluses."""
    scores, share = equal_entries_scores(point.n, LEVELS[point.law])
    positive = [exceeds(score, point.tau, point.s) for score in scores]
    zero = np.minimum([(~p @ share).sum() for p in positive], 1.0) ** point.m
    events = np.where([True, False, False, False], 1 - zero, zero)
    if point.signs == "fresh":
        success = events.prod()
    else:
        good = ~(positive[1] | positive[2] | positive[3])
        at_most, none = ((part @ share).sum() for part in (good, good & ~positive[0]))
        success = min(at_most, 1.0) ** point.m - min(none, 1.0) ** point.m
    method = "exact: sum over counts"
    return Reference(float(success), tuple(events.tolist()), 0.0, EXACT_EVENTS, method)


@lru_cache(maxsize=4096)
def _tail_bound(law: str, n: int, tau: float) -> float:
    """Chernoff's bound on P(a column makes F_lin(D1), F_exp(D0) or F_lin(D0) positive)."""
    u, share = gauss_legendre(32) if law == "uniform" else TwoPointSums(n, tau).entry
    tilts, log_mgfs = {}, {}
    for kernel in {kernel for kernel, _ in PAPERS.networks[1:]}:
        w = weights(kernel, n, u)
        tilts[kernel] = TILTS * tau / w.max()
        log_mgfs[kernel] = np.log(_mgf(tilts[kernel][:, None] * w, tau) @ share)
    bound = 0.0
    for kernel, dataset in PAPERS.networks[1:]:
        exponent = (n - dataset) * log_mgfs[kernel]
        if dataset:
            exponent += np.log(_mgf(tilts[kernel] * SPECIAL, tau))
        bound += math.exp(exponent.min())
    return bound


def _mgf(tilt: np.ndarray, tau: float) -> np.ndarray:
    """E exp(tilt (y - tau)) over the sign y."""
    return (np.exp((1 - tau) * tilt) + np.exp(-(1 + tau) * tilt)) / 2


def _too_few(point: Point, powers: bool) -> bool:
    """Whether no error can be estimated, of means over the data of a power, or of a mean alone."""
    return point.n < (FEWEST_UNIFORM if powers and point.law == "uniform" else FEWEST)


def _mean_zero(of: Moments, point: Point, network: int) -> tuple[float, float]:
    """P(a network of PAPERS.networks[1:] is zero), and its estimated error."""
    if of.laws:
        zero, share = of.laws[network]
        return float(min(share @ zero**point.m, 1.0)), ROUNDING
    value, error = _mean_power(of, np.eye(5)[2 + network][None], point.m)
    return value, 1.0 if _too_few(point, point.m > 1) else error


def _success(of: Moments, point: Point) -> tuple[float, float]:
    """P(E_success), and its estimated error."""
    if point.signs == "fresh":
        product, error = _mean_power(of, np.eye(5)[2:], point.m)
        some_plus = -math.expm1(-point.m * math.log(2))
        success, error = some_plus * product, some_plus * error
    else:
        good, good_error = _mean_power(of, np.array([[0.5, 0.5, 0, 0, 0]]), point.m)
        no_plus, no_plus_error = _mean_power(of, np.array([[0, 0.5, 0, 0, 0]]), point.m)
        success, error = good - no_plus, good_error + no_plus_error
    return float(np.clip(success, 0, 1)), float(min(error, 1))


def _mean_power(of: Moments, which: np.ndarray, m: int) -> tuple[float, float]:
    """E prod_i x_i^m over the data, x = which @ QUANTITIES, and its estimated error.

    The mean falls with m: where the expansion is no longer to be trusted, a smaller m bounds it.
    """
    x = which @ of.mean
    if x.min() < NEGLIGIBLE:
        return 0.0, NEGLIGIBLE + of.error
    relative = which @ of.covariance @ which.T / np.outer(x, x)
    squares, all_pairs = np.trace(relative), relative.sum()

    def correction(m: float) -> float:
        return (m**2 * all_pairs - m * squares) / 2

    missed = m**2 * of.missed / x.min() ** 2 / 2 if m > 1 or len(x) > 1 else 0.0
    size = m**2 * np.abs(relative).sum() / 2 + missed

    def numeric(m: float) -> float:
        return ROUNDING + m * of.error * (1 + m * math.sqrt(of.covariance.trace()))

    if size <= LARGEST_CORRECTION:
        first = math.exp(m * np.log(x).sum())
        return (
            float(np.clip(first * (1 + correction(m)), 0, 1)),
            float(first * (abs(correction(m)) / 2 + missed) + numeric(m)),
        )
    fewer = m * math.sqrt(LARGEST_CORRECTION / size)
    bound = math.exp(fewer * np.log(x).sum()) * (1 + 1.5 * LARGEST_CORRECTION)
    value = math.exp(m * np.log(x).sum() + correction(m)) if correction(m) < 500 else 1.0
    return float(min(value, bound)), float(min(1, bound + numeric(fewer)))
