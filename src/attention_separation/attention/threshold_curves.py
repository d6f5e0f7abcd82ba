"""Probabilities as functions of the threshold: of one network alone, and of E_success.

The theorems give F_exp and F_lin the same tau. Here each may have its own: a network distinguishes
the pair if it is positive on D1 and zero on D0. As a function of tau that probability, like
P(E_success), is a step function whose steps are at the largest scores of the states of a column: so
its maximum is exact.

float64 *tells* a threshold if it is certain for each score on which side of the threshold it is.

Arrays have an axis of P points, N networks, S states of a column, and G intervals of the threshold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from .sign_columns import (
    ROUNDING,
    ClassCase,
    StateScores,
    class_cases,
    concatenate_networks,
    none_of,
    same_class,
)

LARGEST_N = 10**12
"""Scores of linear attention on D0 and D1 differ by about 1/n. Beyond this n that comes near
what they may be off by, and then below ROUNDING, where no curve shows it."""

EQUAL = 1e-12
"""Probabilities closer than this are not told apart."""

MOST_CURVE_NUMBERS = 1 << 17
"""Scores and states of points worked on at once."""

DatasetDraws = Literal["independent", "same"]
"""Whether D0 and D1 have special tokens drawn apart from each other, or the same."""

SignDraws = Literal["shared", "fresh"]
"""Whether all networks share y, or each has a fresh one."""


@dataclass(frozen=True)
class Networks:
    """Networks at P points, the first of which is to be positive on D1, and all others zero.

    Attributes
    ----------
    d0, d1 : (P, N0, places) and (P, N1, places), their scores
    m, s : (P,) number of sign columns, and the unit of thresholds
    cases : of the special tokens' classes; what a state of a column is worth is where it stands
        among a network's scores, (S,)
    signs : y "shared" by all networks, or "fresh" for each
    """

    d0: StateScores
    d1: StateScores
    m: np.ndarray
    s: np.ndarray
    cases: Sequence[ClassCase]
    signs: SignDraws

    def __getitem__(self, points: slice) -> "Networks":
        """The networks at some of the points."""
        return Networks(
            d0=self.d0[points],
            d1=self.d1[points],
            m=self.m[points],
            s=self.s[points],
            cases=self.cases,
            signs=self.signs,
        )

    def parts(self) -> Iterator[slice]:
        """Slices of the points, each of so few that their arrays fit into memory."""
        states = sum(2 * len(case.states.weights) for case in self.cases)
        numbers = self.d0.score[0].size + self.d1.score[0].size + states
        step = max(MOST_CURVE_NUMBERS // numbers, 1)
        for start in range(0, len(self.m), step):
            yield slice(start, start + step)

    def probability(self, thetas: np.ndarray, gap: float = 0.0) -> np.ndarray:
        """The probability, (P,), at a threshold of each point, where scores on D0 are compared with
        the threshold less gap / 2, and those on D1 with as much more. A score that ties a threshold
        is not above it."""
        exceed_on_d0 = self.d0.exceed(((thetas - gap / 2) * self.s)[:, None, None])
        exceed_on_d1 = self.d1.exceed(((thetas + gap / 2) * self.s)[:, None, None])
        if self.signs == "fresh":
            [case] = self.cases
            exceed = np.concatenate([exceed_on_d1, exceed_on_d0], axis=1)
            chances = exceed[..., case.states.on_d0] @ case.states.weights
            is_zero = none_of(chances, self.m[:, None])
            return first_alone_positive(is_zero)
        first_exceeds = exceed_on_d1[:, 0]
        others_on_d1 = np.logical_or.reduce(exceed_on_d1[:, 1:], axis=1)
        some_on_d0 = np.logical_or.reduce(exceed_on_d0, axis=1)
        probability = np.zeros(len(self.m))
        for case in self.cases:
            states = case.states
            others_exceed = some_on_d0[:, states.on_d0] | others_on_d1[:, states.on_d1]
            some_exceed = others_exceed | first_exceeds[:, states.on_d1]
            others_zero = none_of(others_exceed @ states.weights, self.m)
            all_zero = none_of(some_exceed @ states.weights, self.m)
            probability += case.chance * (others_zero - all_zero)
        return probability


def first_alone_positive(is_zero: np.ndarray) -> np.ndarray:
    """The probability, (P,) or (P, steps), that the first of independent networks is positive and
    all others are zero, from the probabilities that each is zero, (P, N) or (P, N, steps)."""
    return (1 - is_zero[:, 0]) * is_zero[:, 1:].prod(axis=1)


class Best(NamedTuple):
    """The largest probability, and the ends of the widest interval of theta between two scores that
    reaches it: a number each, or each (P,)."""

    probability: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class ThresholdCurves:
    """Probabilities, (P, G), for theta = tau / s in [edges[:, k], edges[:, k + 1]) of P points."""

    edges: np.ndarray
    """(P, G + 1), the first 0, the last 1 above the largest score, or a 1000th of it if that is
    more; it is repeated where a point has fewer steps than others."""
    probability: np.ndarray
    is_told: np.ndarray
    """(P, G) bool, whether float64 tells some threshold of the interval from all scores."""
    resolved: np.ndarray
    """(P,) bool, False where n is above LARGEST_N, or the curve is higher between two scores that
    float64 does not tell apart: the largest probability is then unknown."""
    networks: Networks = field(repr=False)

    def best(self) -> Best:
        """The largest probability of each point and the ends of its interval, (P,) each."""
        is_best = self._reach_largest_probability()
        widest = np.argmax(np.where(is_best, np.diff(self.edges, axis=1), -1.0), axis=1)
        points = np.arange(len(self.edges))
        return Best(
            self.probability[points, widest],
            low=self.edges[points, widest],
            high=self.edges[points, widest + 1],
        )

    def best_thresholds(self) -> np.ndarray:
        """A threshold of each point, (P,), at which the probability is largest: the middle of the
        widest best interval, or beside it where scores at the interval's ends tie the middle."""
        _, low, high = self.best()
        points = len(low)
        scores_of_both = concatenate_networks([self.networks.d0, self.networks.d1]).reshape(
            points, -1
        )
        scores = scores_of_both.over(self.networks.s[:, None])
        # Thresholds that no score below the interval exceeds, and every one above it does.
        is_below = scores.score <= low[:, None]
        lowest = np.where(is_below, scores.tie_limit, 0.0).max(axis=1, initial=0.0)
        highest = np.where(is_below, np.inf, scores.tie_limit).min(axis=1)
        middle = (low + high) / 2
        is_clear = (lowest <= middle) & (middle < highest)
        clear_middle = (lowest + np.minimum(highest, high)) / 2
        return np.where(is_clear, middle, clear_middle)

    def at(self, thetas: np.ndarray, gap: float = 0.0) -> np.ndarray:
        """The probability at thresholds (P, T), in their shape; a score that ties one is not above
        it. With a gap, scores have to be gap / 2 below it on D0, and one as far above it on D1."""
        thetas = np.asarray(thetas)
        probability = np.zeros(thetas.shape)
        for part in self.networks.parts():
            networks = self.networks[part]
            for k, theta_by_point in enumerate(thetas[part].T):
                probability[part, k] = networks.probability(theta_by_point, gap)
        return np.where(thetas >= 0, probability, 0.0)

    def curve(self, k: int) -> "ThresholdCurve":
        """The curve of one point, without what pads it."""
        steps = np.searchsorted(self.edges[k], self.edges[k, -1])
        point = slice(k, k + 1)
        alone = ThresholdCurves(
            edges=self.edges[point, : steps + 1],
            probability=self.probability[point, :steps],
            is_told=self.is_told[point, :steps],
            resolved=self.resolved[point],
            networks=self.networks[point],
        )
        return ThresholdCurve(alone)

    def _reach_largest_probability(self) -> np.ndarray:
        """Whether each interval, (P, G), is told and has the largest probability of those that
        are."""
        told_probability = np.where(self.is_told, self.probability, -1.0)
        return told_probability >= told_probability.max(axis=1, keepdims=True) - EQUAL


@dataclass(frozen=True)
class ThresholdCurve:
    """The curve of one point, (K,) probabilities for K + 1 edges, as ThresholdCurves has them."""

    _alone: ThresholdCurves

    @property
    def edges(self) -> np.ndarray:
        return self._alone.edges[0]

    @property
    def probability(self) -> np.ndarray:
        return self._alone.probability[0]

    @property
    def resolved(self) -> bool:
        return bool(self._alone.resolved[0])

    def best(self) -> tuple[float, float, float]:
        """The largest probability, and the ends of the widest interval of theta between two scores
        that reaches it."""
        best = self._alone.best()
        return float(best.probability[0]), float(best.low[0]), float(best.high[0])

    def at(self, theta: float | np.ndarray) -> np.ndarray:
        """The probability at thresholds, in their shape; a score that ties one is not above it."""
        theta = np.asarray(theta)
        return self._alone.at(theta.reshape(1, -1)).reshape(theta.shape)


def threshold_curves(
    d0: StateScores,
    d1: StateScores,
    m: np.ndarray,
    s: np.ndarray,
    n: np.ndarray,
    data: DatasetDraws,
    signs: SignDraws = "shared",
) -> ThresholdCurves:
    """P(the first network on D1 is positive, and all others are zero), for thresholds above 0.

    With one network on either dataset it is the probability that one kernel alone separates D1 from
    D0; with those of F_exp and F_lin it is P(E_success) against the threshold that all share.

    Parameters
    ----------
    d0, d1 : (P, N0, 2, E, 2, K) and (P, N1, 2, E, 2, K), the largest score of each network on D0
        and on D1 for every state of a column, as `sign_columns.largest_scores` indexes them
    m, s, n : (P,), number of sign columns, sqrt(log n), and n
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by all networks, or "fresh" for each
    """
    shape = d0.score.shape[2:]
    places = np.arange(np.prod(shape)).reshape(shape)
    # With fresh signs only each network's own law counts, which does not depend on the case.
    if data == "independent" and signs == "shared":
        cases = class_cases(places, places)
    else:
        cases = [ClassCase(1.0, same_class(places, places))]
    d0 = d0.reshape(*d0.score.shape[:2], -1)
    d1 = d1.reshape(*d1.score.shape[:2], -1)
    return curves_of(Networks(d0, d1, m, s, cases, signs), n)


def curves_of(networks: Networks, n: np.ndarray) -> ThresholdCurves:
    """The curves of P points against the threshold, for columns with any states, at numbers of
    tokens n, (P,)."""
    parts = [_curves_together(networks[part], n[part]) for part in networks.parts()]
    return ThresholdCurves(
        edges=_padded([part.edges for part in parts]),
        probability=_padded([part.probability for part in parts]),
        is_told=_padded([part.is_told for part in parts]),
        resolved=np.concatenate([part.resolved for part in parts]),
        networks=networks,
    )


def _curves_together(networks: Networks, n: np.ndarray) -> ThresholdCurves:
    """The curves of points whose arrays fit into memory together."""
    ranked = _rank(networks.d1, networks.d0, networks.s)
    ranks = ranked.ranks
    steps = ranked.edges.shape[1] - 1
    if networks.signs == "fresh":
        [case] = networks.cases
        ranks_of_states = ranks[..., case.states.on_d0]
        is_zero = none_above(ranks_of_states, case.states.weights, networks.m, steps)
        probability = first_alone_positive(is_zero)
    else:
        networks_on_d1 = networks.d1.score.shape[1]
        first = ranks[:, 0]
        others_on_d1 = ranks[:, 1:networks_on_d1].max(axis=1, initial=0)
        largest_on_d0 = ranks[:, networks_on_d1:].max(axis=1, initial=0)
        probability = np.zeros((len(n), steps))
        for case in networks.cases:
            states = case.states
            largest_of_others = np.maximum(
                largest_on_d0[:, states.on_d0], others_on_d1[:, states.on_d1]
            )
            all_networks = np.maximum(largest_of_others, first[:, states.on_d1])
            largest = np.stack([largest_of_others, all_networks], axis=1)
            is_zero = none_above(largest, states.weights, networks.m, steps)
            probability += case.chance * (is_zero[:, 0] - is_zero[:, 1])
    largest_told = np.where(ranked.is_told, probability, 0.0).max(axis=1)
    is_largest_told = probability.max(axis=1) <= largest_told + EQUAL
    return ThresholdCurves(
        edges=ranked.edges,
        probability=probability,
        is_told=ranked.is_told,
        resolved=(n <= LARGEST_N) & is_largest_told,
        networks=networks,
    )


@dataclass(frozen=True)
class _Ranked:
    """Ranks of scores, (P, N, S) of networks on D1 and on D0, among their point's positive ones,
    those that nearly coincide being one, and 0 for the rest; and of the intervals between them, in
    units of s, what ThresholdCurves has."""

    ranks: np.ndarray
    edges: np.ndarray
    is_told: np.ndarray


def _rank(d1: StateScores, d0: StateScores, s: np.ndarray) -> _Ranked:
    """The ranks of scores on D1 and then of those on D0, with the intervals between them."""
    networks = concatenate_networks([d1, d0])
    points = len(s)
    point = np.arange(points)[:, None]
    scores = networks.reshape(points, -1)
    is_positive = scores.score > ROUNDING * scores.size
    # The first stands for all that are not positive: it is 0. What is 0 but for rounding may be a
    # little above it.
    largest_zero = np.where(is_positive, 0.0, scores.score + scores.error).max(axis=1, initial=0.0)
    values = np.insert(np.where(is_positive, scores.score, 0.0), 0, 0.0, axis=1)
    sizes = np.insert(np.where(is_positive, scores.size, 0.0), 0, 0.0, axis=1)
    errors = np.insert(np.where(is_positive, scores.error, 0.0), 0, largest_zero, axis=1)
    # Scores come in runs that ascend with the number of pluses: a stable sort merges them. Of the
    # zeros it puts first one is enough.
    most_positive = np.count_nonzero(values, axis=1).max()
    order = np.argsort(values, axis=1, kind="stable")[:, -most_positive - 1 :]
    ordered = values[point, order]
    in_units = ordered / s[:, None]
    is_step = is_apart(in_units, sizes[point, order] / s[:, None])
    rank = np.zeros(order.shape, dtype=np.intp)
    np.cumsum(is_step, axis=1, out=rank[:, 1:])
    edges = np.repeat(beyond(in_units[:, -1:]), rank[:, -1].max() + 2, axis=1)
    # Of the scores with one rank the last, the largest, stays.
    edges[point, rank] = in_units
    edges[:, 0] = 0.0
    ranks = np.zeros(values.shape, dtype=np.intp)
    ranks[point, order] = rank
    ordered_errors = np.where(ordered > 0, errors[point, order], errors[:, :1])
    is_told = np.zeros((points, edges.shape[1] - 1), dtype=bool)
    # Here too the last stays; above the largest score all thresholds are told.
    is_told[point, rank[:, :-1]] = tells_between(ordered, ordered_errors)
    is_told[point, rank[:, -1:]] = True
    return _Ranked(ranks[:, 1:].reshape(networks.score.shape), edges, is_told)


def is_apart(ordered: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether each score in order, (P, S), of these sizes, differs from the next by more than
    rounding, (P, S - 1)."""
    return np.diff(ordered, axis=1) > ROUNDING * np.minimum(sizes[:, :-1], sizes[:, 1:])


def tells_between(ordered: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Whether float64 tells some threshold between two neighbours of scores in order, (P, S - 1):
    one that no score, off by up to its error (P, S), can cross."""
    is_wide = np.diff(ordered, axis=1) > errors[:, :-1] + errors[:, 1:]
    # Scores further away may reach over it.
    below = np.maximum.accumulate(ordered + errors, axis=1)
    above = np.minimum.accumulate((ordered - errors)[:, ::-1], axis=1)[:, ::-1]
    rounding = ROUNDING * np.abs(ordered[:, 1:])
    return is_wide & (below[:, :-1] - above[:, 1:] < rounding)


def beyond(largest: np.ndarray) -> np.ndarray:
    """A threshold above each largest score: by 1, or by a 1000th of it where that is more."""
    return largest + np.maximum(1.0, largest / 1000)


def none_above(ranks: np.ndarray, weights: np.ndarray, m: np.ndarray, steps: int) -> np.ndarray:
    """The probability that none of m columns has a rank above 0, 1, ..., steps - 1: (P, N, steps).

    ranks : (P, N, S) of states with probabilities weights (S,)
    """
    points, networks, states = ranks.shape
    cells = points * networks
    # Each cell has bins of its own, one for each rank.
    first_bins = steps * np.arange(cells)[:, None]
    bins = ranks.reshape(cells, states) + first_bins
    bin_weights = np.broadcast_to(weights, bins.shape)
    counts = np.bincount(bins.ravel(), weights=bin_weights.ravel(), minlength=cells * steps)
    law = counts.reshape(points, networks, steps)
    above = np.zeros_like(law)
    np.cumsum(law[..., :0:-1], axis=-1, out=above[..., -2::-1])
    return none_of(above, m[:, None, None])


def _padded(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays with rows of several lengths as one array; the last number of a shorter row is
    repeated."""
    longest = max(part.shape[1] for part in parts)
    padded = []
    for part in parts:
        missing = longest - part.shape[1]
        padded.append(np.pad(part, ((0, 0), (0, missing)), mode="edge"))
    return np.concatenate(padded)
