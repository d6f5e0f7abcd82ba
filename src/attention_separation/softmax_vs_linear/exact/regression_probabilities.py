"""P(E_success) of the softmax-regression model, Figure 3, with an estimate of the error.

Given the data the columns of y are independent and alike, so all probabilities are means over the
data of powers x^m, with x a column's probability that certain networks stay zero. The mean of x is
computed (see regression_columns); its variance over the data is that of its best sum of functions
of one coordinate's data each (the Hajek projection), which enters in second order:
E x^m = (E x)^m (1 + m (m - 1) / 2 Var x / (E x)^2 + ...). The stated error is half of that term
and what the projection is known to miss: an estimate, for the remainder is not proved to be less.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...attention.sign_columns import exceeds, likely_heads
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.panel_tables import EXACT_EVENTS, Reference
from ..models.regression import LEVELS, SPECIAL, RegressionModel, special_sign_decides
from .regression_columns import TwoPointSums, UniformSums, gauss_legendre, weights

QUANTITIES = ("plus", "minus", "lin_d1", "exp_d0", "lin_d0")
"""Probabilities, for one column given the data: that F_lin(D1), F_exp(D0), F_lin(D0) are all zero
given y_j = +1 and given y_j = -1, and that each of them is."""


@dataclass(frozen=True)
class Moments:
    """Over the data, of QUANTITIES: means (5,), and to first order covariances (5, 5).

    error : estimated numerical error of the means
    missed : variance beyond first order, as far as single networks show it
    laws : of the last three of QUANTITIES, values over the data and their probabilities, where
        all data can be summed over; else none
    """

    mean: np.ndarray
    covariance: np.ndarray
    error: float
    missed: float
    laws: tuple[tuple[np.ndarray, np.ndarray], ...] = ()


@lru_cache(maxsize=128)
def moments(columns: UniformSums | TwoPointSums, data: str) -> Moments:
    """Means and, to first order, covariances over the data.

    A quantity's mean given one coordinate's data, less its mean, is that coordinate's function in
    the Hajek projection: one and the same for all n - 1 ordinary coordinates, another for j.
    """
    given = _given_independent if data == "independent" else _given_same
    ordinary, special, error = given(columns)
    mean = np.average(special[0], axis=0, weights=special[1])
    covariance = (columns.n - 1) * _covariance(*ordinary) + _covariance(*special)
    laws = ()
    if isinstance(columns, TwoPointSums):
        laws = tuple(columns.zero_given_data(*network) for network in PAPERS.networks[1:])
    missed = _missed(laws, covariance.diagonal()[2:])
    return Moments(mean, covariance, float(error), missed, laws)


def _missed(laws: tuple[tuple[np.ndarray, np.ndarray], ...], first_order: np.ndarray) -> float:
    """Variance that the projection misses, were all networks' fluctuations in step.

    Sums of two-point entries lie on lattices, and how a lattice lies to tau depends on all data
    at once. Under the uniform law, which has no `laws`, the projection misses a share of order 1/n.
    """
    missed = 0.0
    for (zero, share), found in zip(laws, first_order, strict=False):
        missed += math.sqrt(max(share @ (zero - share @ zero) ** 2 - found, 0.0))
    return missed**2


def _covariance(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    centred = values - np.average(values, axis=0, weights=shares)
    return (centred * shares[:, None]).T @ centred


def _terms(columns, sign: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A coordinate's terms w (y - tau) in the linear and in the exponential sum."""
    return (sign - columns.tau) * u, (sign - columns.tau) * weights("exp", columns.n, u)


def _given_independent(columns):
    """QUANTITIES given the data of an ordinary coordinate and given those of j; shares; error.

    Given y_j and the pluses among the others, F_lin(D1) is independent of both networks on D0.
    """
    n, tau = columns.n, columns.tau
    u, share = columns.entry
    pair = [_terms(columns, sign, u) for sign in (-1, 1)]
    pluses, weight = likely_heads(n - 2)
    both_signs = np.concatenate([x for x, _ in pair])
    d1 = [
        columns.below("linear", pluses, n - 2 - pluses, SPECIAL * (sign - tau) + both_signs)
        for sign in (-1, 1)
    ]
    d0_pluses = np.append(pluses, pluses[-1] + 1)
    d0_weight = (np.append(weight, 0) + np.append(0, weight)) / 2
    d0 = columns.both(
        d0_pluses, n - 1 - d0_pluses, both_signs, np.concatenate([y for _, y in pair])
    )
    # Axes: pluses, sign of the coordinate whose data are given, its entry in that data set.
    shape = (-1, 2, len(u))
    lin_d1 = [part.probability.reshape(shape) for part in d1]
    zero_d0 = d0.both.reshape(shape)
    weighted = weight[:, None, None] / 2
    zero = [
        np.tensordot(zero_d0[s : s + len(pluses)], weighted * lin_d1[s], axes=([0, 1], [0, 1]))
        for s in (0, 1)
    ]
    lin_d1_given = np.einsum("k,skab->b", weight / 4, np.array(lin_d1))
    exp_d0, lin_d0 = (
        np.einsum("k,kab->b", d0_weight / 2, part.reshape(shape))
        for part in (d0.exponential, d0.linear)
    )
    ordinary = np.broadcast_arrays(zero[1], zero[0], lin_d1_given, exp_d0[:, None], lin_d0[:, None])
    # A column's law given its pluses does not depend on which coordinate is told apart.
    lin_d1_alike = [np.append(part[:, 0] @ share, part[-1:, 1] @ share) for part in lin_d1]
    own = [np.einsum("k,k,kc->c", d0_weight, lin_d1_alike[s], zero_d0[:, s]) for s in (0, 1)]
    special = np.broadcast_arrays(own[1], own[0], lin_d1_given @ share, exp_d0, lin_d0)
    return (
        (np.stack(ordinary, axis=-1).reshape(-1, 5), np.outer(share, share).ravel()),
        (np.stack(special, axis=-1), share),
        d0.error + max(part.error for part in d1),
    )


def _given_same(columns):
    """The same where D0 has the entries of D1 but at j.

    If y_j = +1 then F_lin is zero on D0 where it is on D1, and if y_j = -1 the other way round.
    """
    n, tau = columns.n, columns.tau
    u, share = columns.entry
    pluses, weight = likely_heads(n - 2)
    # Axes of offsets: sign and entry of an ordinary coordinate, and the entry of j in D0.
    shape = (2, len(u), len(u))
    lin, exp = (
        np.stack([_terms(columns, sign, u)[k] for sign in (-1, 1)])[:, :, None] for k in (0, 1)
    )
    found, error = [], 0.0
    for sign in (-1, 1):
        lin_own, exp_own = _terms(columns, sign, u)
        on_d1 = np.broadcast_to(lin + SPECIAL * (sign - tau), shape).ravel()
        on_d0, exp_d0 = ((x + own).ravel() for x, own in ((lin, lin_own), (exp, exp_own)))
        d0 = columns.both(pluses, n - 2 - pluses, on_d0, exp_d0)
        d1 = columns.both(pluses, n - 2 - pluses, on_d1, exp_d0)
        parts = ((d1 if sign > 0 else d0).both, d1.linear, d0.exponential, d0.linear)
        found.append([(weight @ part).reshape(shape).mean(axis=0) for part in parts])
        error = max(error, d0.error, d1.error)
    minus, plus = found
    table = np.stack(
        [plus[0], minus[0], *((a + b) / 2 for a, b in zip(plus[1:], minus[1:], strict=True))],
        axis=-1,
    )
    ordinary, special = (np.tensordot(share, table, axes=(0, axis)) for axis in (1, 0))
    return (ordinary, share), (special, share), error


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
