"""P(E_success) of the softmax-regression model, Figure 3, with an estimate of the error.

E_success is that the softmax network F_exp is positive on D1 and zero on D0, and the linear network
F_lin zero on both. y has m columns of random signs, and y_j is a column's sign at the special entry
of D1. A column's score is <f, y>, f the weights; a network is positive if some score exceeds tau.

Given the data the columns of y are independent and alike, so all probabilities are means over the
data of powers x^m, with x a column's probability that certain networks stay zero. The mean of x is
computed (see regression_columns); its variance over the data is that of its best sum of functions
of one coordinate's data each (the Hajek projection), which enters in second order:
E x^m = (E x)^m (1 + m (m - 1) / 2 Var x / (E x)^2 + ...). The stated error is half of that term
and what the projection is known to miss: an estimate, for the remainder is not proved to be less.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ....attention.sign_columns import exceeds, likely_heads
from ....attention.threshold_curves import DatasetDraws
from ..models.contest import CONTEST_OF_PAPER
from ..models.model import Law, Point
from ..models.panel_tables import EXACT_EVENTS, Reference
from ..models.regression import LEVELS, SPECIAL_MULTIPLE, special_sign_decides
from .regression_columns import TwoPointSums, UniformSums, gauss_legendre, weights

LABEL_SIGNS = np.array([-1, 1])

COLUMN_EVENTS = ("plus", "minus", "lin_d1", "exp_d0", "lin_d0")
"""Probabilities, for one column given the data: that F_lin(D1), F_exp(D0), F_lin(D0) are all zero
given y_j = +1 and given y_j = -1, and that each of them is."""


Columns = UniformSums | TwoPointSums
"""The law of a column's sums, by the law of the entries."""

ZeroLaw = tuple[np.ndarray, np.ndarray]
"""Values over the data of P(a column leaves a network zero), and their probabilities."""


@dataclass(frozen=True)
class GivenCoordinate:
    """COLUMN_EVENTS given one coordinate's data.

    values : (E, 5), for each of E values of these data
    shares : (E,) the probabilities of these
    """

    values: np.ndarray
    shares: np.ndarray

    def mean(self) -> np.ndarray:
        """The means of COLUMN_EVENTS over the coordinate's data, (5,)."""
        return np.average(self.values, axis=0, weights=self.shares)

    def covariance(self) -> np.ndarray:
        """The covariances of COLUMN_EVENTS over the coordinate's data, (5, 5)."""
        centred = self.values - self.mean()
        return (centred * self.shares[:, None]).T @ centred


@dataclass(frozen=True)
class Moments:
    """Over the data, of COLUMN_EVENTS: means (5,), and to first order covariances (5, 5).

    error : estimated numerical error of the means
    missed : variance beyond first order, as far as single networks show it
    laws : of the last three of COLUMN_EVENTS, values over the data and their probabilities, where
        all data can be summed over; else none
    """

    mean: np.ndarray
    covariance: np.ndarray
    error: float
    missed: float
    laws: tuple[ZeroLaw, ...] = ()


@lru_cache(maxsize=128)
def moments(columns: Columns, data: DatasetDraws) -> Moments:
    """The means of COLUMN_EVENTS over the data, and to first order their covariances.

    A quantity's mean given one coordinate's data, less its mean, is that coordinate's function in
    the Hajek projection: one and the same for all n - 1 ordinary coordinates, another for j.
    """
    projection = _independent_data if data == "independent" else _same_data
    ordinary, special, error = projection(columns)
    covariance = (columns.n - 1) * ordinary.covariance() + special.covariance()
    laws: tuple[ZeroLaw, ...] = ()
    missed = 0.0
    if isinstance(columns, TwoPointSums):
        laws = tuple(columns.zero_given_data(*network) for network in CONTEST_OF_PAPER.networks[1:])
        missed = _missed(laws, first_order=covariance.diagonal()[2:])
    return Moments(special.mean(), covariance, float(error), missed, laws)


def _missed(laws: Sequence[ZeroLaw], first_order: np.ndarray) -> float:
    """The variance that the projection misses, if all networks' fluctuations were in step.

    laws : of each network that should be zero
    first_order : the variance that the projection has of each

    Sums of two-point entries lie on lattices, and how a lattice lies to tau depends on all data
    at once. Under the uniform law the projection misses a share of order 1/n.
    """
    missed = 0.0
    for (zero, share), projected in zip(laws, first_order, strict=True):
        variance = share @ (zero - share @ zero) ** 2
        missed += math.sqrt(max(variance - projected, 0.0))
    return missed**2


class Projection(NamedTuple):
    """COLUMN_EVENTS given an ordinary coordinate, given j, and the numerical error of both."""

    ordinary: GivenCoordinate
    special: GivenCoordinate
    error: float


def _terms(columns: Columns, kernel: str) -> np.ndarray:
    """A coordinate's terms w (y - tau) in a kernel's sum, (2, E): for its signs -1 and +1, and each
    of its E entries."""
    u, _ = columns.entry
    return np.outer(LABEL_SIGNS - columns.tau, weights(kernel, columns.n, u))


def _independent_data(columns: Columns) -> Projection:
    """The projection where D0 and D1 have independent data: given y_j and the pluses among the
    others, F_lin(D1) does not depend on the networks on D0."""
    n = columns.n
    _, share = columns.entry
    linear = _terms(columns, "linear").ravel()
    exponential = _terms(columns, "exp").ravel()
    pluses, weight = likely_heads(n - 2)
    # By the sign y_j, as all lists here.
    d1 = [
        columns.below("linear", pluses, n - 2 - pluses, special + linear)
        for special in SPECIAL_MULTIPLE * (LABEL_SIGNS - columns.tau)
    ]
    d0_pluses = np.append(pluses, pluses[-1] + 1)
    d0_weight = (np.append(weight, 0) + np.append(0, weight)) / 2
    d0 = columns.both(d0_pluses, n - 1 - d0_pluses, linear, exponential)
    # Axes: pluses, sign of the coordinate whose data are given, its entry in that data set.
    shape = (-1, 2, len(share))
    lin_d1 = [part.probability.reshape(shape) for part in d1]
    both_d0 = d0.both.reshape(shape)
    weighted = weight[:, None, None] / 2
    all_zero = []
    for s in (0, 1):
        # With y_j = +1 a column has one plus more.
        both_given_sign = both_d0[s : s + len(pluses)]
        zero_given_entry = np.tensordot(
            both_given_sign, weighted * lin_d1[s], axes=([0, 1], [0, 1])
        )
        all_zero.append(zero_given_entry)
    lin_d1_given = np.einsum("k,skab->b", weight / 4, np.array(lin_d1))
    exp_d0 = np.einsum("k,kab->b", d0_weight / 2, d0.exponential.reshape(shape))
    lin_d0 = np.einsum("k,kab->b", d0_weight / 2, d0.linear.reshape(shape))
    ordinary = _side_by_side(
        all_zero[1], all_zero[0], lin_d1_given, exp_d0[:, None], lin_d0[:, None]
    )
    # A column's law given its pluses does not depend on which coordinate's data are given.
    lin_d1_alike = [np.append(part[:, 0] @ share, part[-1:, 1] @ share) for part in lin_d1]
    all_zero_given_j = [
        np.einsum("k,k,kc->c", d0_weight, lin_d1_alike[s], both_d0[:, s]) for s in (0, 1)
    ]
    special = _side_by_side(
        all_zero_given_j[1], all_zero_given_j[0], lin_d1_given @ share, exp_d0, lin_d0
    )
    return Projection(
        GivenCoordinate(ordinary.reshape(-1, 5), np.outer(share, share).ravel()),
        GivenCoordinate(special, share),
        error=d0.error + max(part.error for part in d1),
    )


def _side_by_side(*quantities: np.ndarray) -> np.ndarray:
    """Arrays that broadcast, stacked along a new last axis."""
    return np.stack(np.broadcast_arrays(*quantities), axis=-1)


def _same_data(columns: Columns) -> Projection:
    """The projection where D0 has the entries of D1 but at j: if y_j = +1 then F_lin is zero on D0
    where it is on D1, and if y_j = -1 the other way round."""
    _, share = columns.entry
    pluses, weight = likely_heads(columns.n - 2)
    minuses = columns.n - 2 - pluses
    # Axes of offsets: sign and entry of an ordinary coordinate, and the entry of j in D0.
    shape = (2, len(share), len(share))
    linear = _terms(columns, "linear")
    exponential = _terms(columns, "exp")
    error = 0.0
    by_sign = []
    for s, sign in enumerate(LABEL_SIGNS):
        special = SPECIAL_MULTIPLE * (sign - columns.tau)
        linear_d1 = np.broadcast_to(linear[:, :, None] + special, shape).ravel()
        linear_d0 = (linear[:, :, None] + linear[s]).ravel()
        exponential_d0 = (exponential[:, :, None] + exponential[s]).ravel()
        d0 = columns.both(pluses, minuses, linear_d0, exponential_d0)
        d1 = columns.both(pluses, minuses, linear_d1, exponential_d0)
        all_zero = d1.both if sign > 0 else d0.both
        means = []
        for probability in (all_zero, d1.linear, d0.exponential, d0.linear):
            means.append((weight @ probability).reshape(shape).mean(axis=0))
        by_sign.append(means)
        error = max(error, d0.error, d1.error)
    minus, plus = np.array(by_sign)
    single_networks = (plus[1:] + minus[1:]) / 2
    table = np.stack([plus[0], minus[0], *single_networks], axis=-1)
    ordinary = GivenCoordinate(np.tensordot(share, table, axes=(0, 1)), share)
    special = GivenCoordinate(np.tensordot(share, table, axes=(0, 0)), share)
    return Projection(ordinary, special, error)


SURE = 1e-7
"""Where all that can go wrong has at most this probability, it is neglected."""

FEWEST_TOKENS = 12
"""Below, no error is stated under the uniform law: characteristic functions decay too slowly for
the estimate of what is cut off."""

FEWEST_UNIFORM = 50
"""Below, no error is stated for means of powers under the uniform law: their variance over the data
need not be that to first order, for uniform sums of few terms bunch at the numbers of pluses."""

MOST_TWO_POINT = 5_000
"""Above, sums over counts take longer than seconds."""

TILTS = np.geomspace(1e-3, 10, 400)
"""Of Chernoff's bounds, in units of tau over the largest weight."""

PROBABILITY_ROUNDING = 1e-12
"""Stated beside all other errors, for those of floats."""

NEGLIGIBLE_SUCCESS = 1e-9

LARGEST_CORRECTION = 0.5
"""Relative; the second-order expansion is not used further than this."""

SIGN_DECIDES = "F_exp(D1) taken for the sign of y_j"


def references(points: list[Point]) -> list[Reference]:
    """Reference values with their estimated errors, at each point."""
    return [reference(point) for point in points]


def reference(point: Point) -> Reference:
    """The reference values at a point of the softmax-regression model; no valid point raises."""
    if point.law in LEVELS:
        return _equal_entries(point)
    if point.tau >= 1:
        method = "exact: no score exceeds 1"
        return Reference(0.0, (0.0, 1.0, 1.0, 1.0), 0.0, EXACT_EVENTS, method)
    decides = special_sign_decides(point.n, point.tau)
    wrong = point.m * _tail_bound(point.law, point.n, point.tau)
    if wrong <= SURE:
        if decides:
            return _linear_silent(point, wrong, wrong, "Chernoff bounds")
        return _linear_silent(point, wrong, 1.0, SIGN_DECIDES)
    if point.law == "two-point" and point.n > MOST_TWO_POINT:
        return _linear_silent(point, 1.0, 1.0, "none: too many entries")
    sums = UniformSums if point.law == "uniform" else TwoPointSums
    over_data = moments(sums(point.n, point.tau), point.data)
    success, error = _success(over_data, point)
    events = [_some_plus(point.m)]
    event_errors = [_error_of_sign(point)]
    for network in range(len(CONTEST_OF_PAPER.networks) - 1):
        zero, zero_error = _zero_probability(over_data, point, network)
        events.append(zero)
        event_errors.append(zero_error)
    computation = "Fourier inversion" if point.law == "uniform" else "sums over counts"
    method = f"second order, {computation}"
    if not decides:
        error = 1.0
        method = SIGN_DECIDES
    elif _has_too_few_tokens(point, is_power=point.m > 1 or point.signs == "fresh"):
        error = 1.0
        method = "second order, too few entries for an estimated error"
    return Reference(success, tuple(events), error, tuple(event_errors), method)


def _linear_silent(point: Point, event_error: float, error: float, method: str) -> Reference:
    """The reference values at a point where all networks that should be zero are taken to be so.

    event_error : of the event that such a network is zero
    error : of P(success)
    """
    some_plus = _some_plus(point.m)
    event_errors = (_error_of_sign(point), event_error, event_error, event_error)
    return Reference(some_plus, (some_plus, 1.0, 1.0, 1.0), error, event_errors, method)


def _some_plus(m: int) -> float:
    """The probability that the special sign y_j is +1 in some of m columns."""
    return -math.expm1(-m * math.log(2))


def _error_of_sign(point: Point) -> float:
    """The error of taking P(F_exp(D1) > 0) for the probability that y_j is +1 in some column: 1
    where the two need not be the same, else 0."""
    return 0.0 if special_sign_decides(point.n, point.tau) else 1.0


def equal_entries_scores(n: int, level: float) -> tuple[list[np.ndarray], np.ndarray]:
    """The scores of a column with each network where all entries of Ax but the special one are
    `level` log n, and the probabilities of the column's states.

    Returns
    -------
    scores : four arrays (2, heads), by the sign y_j and the number of pluses among the others
    share : (heads,), probabilities of a number of pluses given y_j, halved for y_j's own chance

    Scores are written as in regression_by_definition, with which ties must agree.
    """
    others, share = likely_heads(n - 1)
    sign = np.array([[-1], [1]])
    total = 2 * (others + (sign > 0)) - n
    scores = []
    for kernel, dataset in CONTEST_OF_PAPER.networks:
        if dataset == 0:
            scores.append(total / n)
        else:
            if kernel == "linear":
                special = SPECIAL_MULTIPLE / level
            else:
                special = n ** (SPECIAL_MULTIPLE - level)
            scores.append((special * sign + (total - sign)) / (special + n - 1))
    return scores, share / 2


def _equal_entries(point: Point) -> Reference:
    """The exact values at a point whose entries of Ax are all equal: the data are fixed, and a
    column's scores depend on its special sign and its number of pluses alone."""
    scores, share = equal_entries_scores(point.n, LEVELS[point.law])
    positive = [exceeds(score, point.tau, point.s) for score in scores]
    zero = np.minimum([(~p @ share).sum() for p in positive], 1.0) ** point.m
    events = zero.copy()
    events[0] = 1 - zero[0]
    if point.signs == "fresh":
        success = events.prod()
    else:
        others_zero = ~(positive[1] | positive[2] | positive[3])
        all_zero = others_zero & ~positive[0]
        p_others_zero = min((others_zero @ share).sum(), 1.0)
        p_all_zero = min((all_zero @ share).sum(), 1.0)
        success = p_others_zero**point.m - p_all_zero**point.m
    method = "exact: sum over counts"
    return Reference(float(success), tuple(events.tolist()), 0.0, EXACT_EVENTS, method)


@lru_cache(maxsize=4096)
def _tail_bound(law: Law, n: int, tau: float) -> float:
    """Chernoff's bound on the probability that a column makes F_lin(D1), F_exp(D0) or F_lin(D0)
    positive."""
    if law == "uniform":
        u, share = gauss_legendre(32)
    else:
        u, share = TwoPointSums(n, tau).entry
    bound = 0.0
    for kernel, dataset in CONTEST_OF_PAPER.networks[1:]:
        w = weights(kernel, n, u)
        tilts = TILTS * tau / w.max()
        exponents = (n - dataset) * np.log(_mean_exponential(tilts[:, None] * w, tau) @ share)
        if dataset == 1:
            exponents += np.log(_mean_exponential(tilts * SPECIAL_MULTIPLE, tau))
        bound += math.exp(exponents.min())
    return bound


def _mean_exponential(tilt: np.ndarray, tau: float) -> np.ndarray:
    """E exp(tilt (y - tau)) over a random sign y."""
    return (np.exp((1 - tau) * tilt) + np.exp(-(1 + tau) * tilt)) / 2


def _has_too_few_tokens(point: Point, is_power: bool) -> bool:
    """Whether a point has too few tokens for an estimated error of a mean over the data; a mean of
    powers (`is_power`) needs more."""
    if is_power and point.law == "uniform":
        return point.n < FEWEST_UNIFORM
    return point.n < FEWEST_TOKENS


def _zero_probability(over_data: Moments, point: Point, network: int) -> tuple[float, float]:
    """The probability that the network of this number in CONTEST_OF_PAPER.networks[1:] is zero, and
    its estimated error."""
    if over_data.laws:
        zero, share = over_data.laws[network]
        return float(min(share @ zero**point.m, 1.0)), PROBABILITY_ROUNDING
    network_is_zero = np.eye(len(COLUMN_EVENTS))[2 + network]
    value, error = _mean_power(over_data, network_is_zero[None], point.m)
    if _has_too_few_tokens(point, is_power=point.m > 1):
        error = 1.0
    return value, error


def _success(over_data: Moments, point: Point) -> tuple[float, float]:
    """The probability of success at a point, and its estimated error."""
    if point.signs == "fresh":
        product, product_error = _mean_power(over_data, np.eye(5)[2:], point.m)
        success = _some_plus(point.m) * product
        error = _some_plus(point.m) * product_error
    else:
        good, good_error = _mean_power(over_data, np.array([[0.5, 0.5, 0, 0, 0]]), point.m)
        no_plus, no_plus_error = _mean_power(over_data, np.array([[0, 0.5, 0, 0, 0]]), point.m)
        success = good - no_plus
        error = good_error + no_plus_error
    return float(np.clip(success, 0, 1)), float(min(error, 1))


def _mean_power(over_data: Moments, factors: np.ndarray, m: int) -> tuple[float, float]:
    """The mean over the data of prod_i x_i^m, where x = factors @ COLUMN_EVENTS, and its estimated
    error.

    The mean falls with m: where the expansion is no longer to be trusted, a smaller m bounds it.
    """
    x = factors @ over_data.mean
    if x.min() < NEGLIGIBLE_SUCCESS:
        return 0.0, NEGLIGIBLE_SUCCESS + over_data.error
    relative = factors @ over_data.covariance @ factors.T / np.outer(x, x)
    correction = (m**2 * relative.sum() - m * np.trace(relative)) / 2
    missed = 0.0
    if m > 1 or len(x) > 1:
        missed = m**2 * over_data.missed / x.min() ** 2 / 2
    size = m**2 * np.abs(relative).sum() / 2 + missed

    def numeric_error(power: float) -> float:
        """The error of the mean of a power, from those of floats and of `over_data`."""
        spread = math.sqrt(over_data.covariance.trace())
        return PROBABILITY_ROUNDING + power * over_data.error * (1 + power * spread)

    log_x = np.log(x).sum()
    if size <= LARGEST_CORRECTION:
        first_order = math.exp(m * log_x)
        value = np.clip(first_order * (1 + correction), 0, 1)
        error = first_order * (abs(correction) / 2 + missed) + numeric_error(m)
    else:
        fewer = m * math.sqrt(LARGEST_CORRECTION / size)
        bound = math.exp(fewer * log_x) * (1 + 1.5 * LARGEST_CORRECTION)
        # Beyond, exp would overflow.
        value = math.exp(m * log_x + correction) if correction < 500 else 1.0
        value = min(value, bound)
        error = min(1.0, bound + numeric_error(fewer))
    return float(value), float(error)
