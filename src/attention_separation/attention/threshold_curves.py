"""Probabilities as functions of the threshold: of one network alone, and of E_success.

The theorems give F_exp and F_lin the same tau. Here each may have its own: a network distinguishes
the pair if it is positive on D1 and zero on D0. As a function of tau that probability, like
P(E_success), is a step function whose steps are at the largest scores of the states of a column: so
its maximum is exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .sign_columns import ROUNDING, States, StateScores, different_classes, none_of, same_class

LARGEST_N = 10**12
"""Scores of linear attention on D0 and D1 differ by about 1/n. Beyond this n that comes near
what they may be off by, and then below ROUNDING, where no curve shows it."""

EQUAL = 1e-12
"""Probabilities closer than this are not told apart."""

MOST_NUMBERS = 1 << 17
"""Scores and states of points worked on at once."""

Columns = list[tuple[float, States]]
"""Chances of cases, and the states of a column in each: where their scores on D0 and on D1 stand,
(S,), and their probabilities, (S,)."""


@dataclass(frozen=True)
class Networks:
    """Networks at P points, the first of which is to be positive on D1, and all others zero.

    Attributes
    ----------
    d0, d1 : (P, N0, places) and (P, N1, places), their scores
    m, s : (P,) number of sign columns, and the unit of thresholds
    columns : see `Columns`
    signs : y "shared" by all networks, or "fresh" for each
    """

    d0: StateScores
    d1: StateScores
    m: np.ndarray
    s: np.ndarray
    columns: Columns
    signs: str

    def __getitem__(self, points: slice) -> "Networks":
        d0, d1 = self.d0[points], self.d1[points]
        return Networks(d0, d1, self.m[points], self.s[points], self.columns, self.signs)

    def parts(self) -> Iterator[slice]:
        """The points in parts that arrays can hold together."""
        states = sum(2 * len(weights) for _, (_, _, weights) in self.columns)
        numbers = self.d0.score[0].size + self.d1.score[0].size + states
        step = max(MOST_NUMBERS // numbers, 1)
        for start in range(0, len(self.m), step):
            yield slice(start, start + step)

    def probability(self, thetas: np.ndarray, gap: float = 0.0) -> np.ndarray:
        """The probability at a threshold of each point, (P,): of networks on D0 gap / 2 below it,
        on D1 as far above. A score that ties a threshold is not above it."""
        on_d0 = self.d0.exceed(((thetas - gap / 2) * self.s)[:, None, None])
        on_d1 = self.d1.exceed(((thetas + gap / 2) * self.s)[:, None, None])
        if self.signs == "fresh":
            ((_, (places, _, weights)),) = self.columns
            positive = np.concatenate([on_d1, on_d0], axis=1)[..., places] @ weights
            none = none_of(positive, self.m[:, None])
            return (1 - none[:, 0]) * none[:, 1:].prod(axis=1)
        first, others_on_d1, on_d0 = on_d1[:, 0], on_d1[:, 1:].any(axis=1), on_d0.any(axis=1)
        found = np.zeros(len(self.m))
        for share, (at_d0, at_d1, weights) in self.columns:
            others = on_d0[:, at_d0] | others_on_d1[:, at_d1]
            some = others | first[:, at_d1]
            found += share * (none_of(others @ weights, self.m) - none_of(some @ weights, self.m))
        return found


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

    def best(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The largest probability, and the ends of the widest interval of theta between two scores
        that reaches it, each (P,)."""
        k, widest = np.arange(len(self.edges)), self._widest()
        return self.probability[k, widest], self.edges[k, widest], self.edges[k, widest + 1]

    def best_thresholds(self) -> np.ndarray:
        """A threshold of each point, (P,), that has the largest probability if it is given: the
        middle of the widest interval, unless scores at its ends tie it."""
        _, low, high = self.best()
        points, s = len(low), self.networks.s
        d0 = self.networks.d0.reshape(points, -1).over(s[:, None])
        d1 = self.networks.d1.reshape(points, -1).over(s[:, None])
        score = np.concatenate([d0.score, d1.score], axis=1)
        tie_limit = np.concatenate([d0.tie_limit, d1.tie_limit], axis=1)
        # Thresholds that no score below the interval exceeds, and every one above it does.
        is_below = score <= low[:, None]
        lowest = np.where(is_below, tie_limit, 0.0).max(axis=1, initial=0.0)
        highest = np.where(is_below, np.inf, tie_limit).min(axis=1)
        middle = (low + high) / 2
        is_clear = (lowest <= middle) & (middle < highest)
        return np.where(is_clear, middle, (lowest + np.minimum(highest, high)) / 2)

    def at(self, thetas: np.ndarray, gap: float = 0.0) -> np.ndarray:
        """The probability at thresholds (P, T), in their shape; a score that ties one is not above
        it. With a gap scores are to be gap / 2 below it on D0, and one as far above on D1."""
        thetas = np.asarray(thetas)
        found = np.zeros(thetas.shape)
        for part in self.networks.parts():
            networks = self.networks[part]
            for k, of_points in enumerate(thetas[part].T):
                found[part, k] = networks.probability(of_points, gap)
        return np.where(thetas >= 0, found, 0.0)

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

    def _widest(self) -> np.ndarray:
        """Of the intervals that reach the largest probability the widest, (P,)."""
        told = np.where(self.is_told, self.probability, -1.0)
        reached = told >= told.max(axis=1, keepdims=True) - EQUAL
        return np.argmax(np.where(reached, np.diff(self.edges, axis=1), -1.0), axis=1)


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
        probability, low, high = self._alone.best()
        return float(probability[0]), float(low[0]), float(high[0])

    def at(self, theta: float | np.ndarray) -> np.ndarray:
        """The probability at thresholds, in their shape; a score that ties one is not above it."""
        theta = np.asarray(theta)
        return self._alone.at(theta.reshape(1, -1)).reshape(theta.shape)


def threshold_curves(
    d0: StateScores, d1: StateScores, m: np.ndarray, s: np.ndarray, n: np.ndarray, data: str,
    signs: str = "shared",
) -> ThresholdCurves:  # fmt: skip
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
    classes = shape[-1]
    places = np.arange(np.prod(shape)).reshape(shape)
    columns = [(1.0, same_class(places, places))]
    # A network's own law does not depend on the case.
    if data == "independent" and signs == "shared" and classes > 1:
        different = different_classes(places, places)
        columns = [(1 / classes, columns[0][1]), (1 - 1 / classes, different)]
    d0 = d0.reshape(*d0.score.shape[:2], -1)
    d1 = d1.reshape(*d1.score.shape[:2], -1)
    return curves_of(Networks(d0, d1, m, s, columns, signs), n)


def curves_of(networks: Networks, n: np.ndarray) -> ThresholdCurves:
    """The same for columns with any states, at numbers of tokens n, (P,)."""
    parts = [_curves_together(networks[part], n[part]) for part in networks.parts()]
    arrays = {
        name: _padded([getattr(part, name) for part in parts])
        for name in ("edges", "probability", "is_told")
    }
    resolved = np.concatenate([part.resolved for part in parts])
    return ThresholdCurves(**arrays, resolved=resolved, networks=networks)


def _curves_together(networks: Networks, n: np.ndarray) -> ThresholdCurves:
    """The same of points that arrays can hold together."""
    d0, d1 = networks.d0, networks.d1
    ranked = _ranked(d1, d0, networks.s)
    ranks, steps = ranked.ranks, ranked.edges.shape[1] - 1
    if networks.signs == "fresh":
        ((_, (places, _, weights)),) = networks.columns
        none = none_above(ranks[..., places], weights, networks.m, steps)
        probability = (1 - none[:, 0]) * none[:, 1:].prod(axis=1)
    else:
        on_d1 = d1.score.shape[1]
        first = ranks[:, 0]
        others_on_d1 = ranks[:, 1:on_d1].max(axis=1, initial=0)
        on_d0 = ranks[:, on_d1:].max(axis=1, initial=0)
        probability = np.zeros((len(n), steps))
        for share, (at_d0, at_d1, weights) in networks.columns:
            others = np.maximum(on_d0[:, at_d0], others_on_d1[:, at_d1])
            largest = np.stack([others, np.maximum(others, first[:, at_d1])], axis=1)
            none = none_above(largest, weights, networks.m, steps)
            probability += share * (none[:, 0] - none[:, 1])
    told = np.where(ranked.is_told, probability, 0.0).max(axis=1)
    return ThresholdCurves(
        edges=ranked.edges,
        probability=probability,
        is_told=ranked.is_told,
        resolved=(n <= LARGEST_N) & (probability.max(axis=1) <= told + EQUAL),
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


def _ranked(d1: StateScores, d0: StateScores, s: np.ndarray) -> _Ranked:
    networks = np.concatenate([d1.score, d0.score], axis=1)
    points = len(networks)
    point = np.arange(points)[:, None]
    score = networks.reshape(points, -1)
    size = np.concatenate([d1.size, d0.size], axis=1).reshape(points, -1)
    error = np.concatenate([d1.error, d0.error], axis=1).reshape(points, -1)
    is_positive = score > ROUNDING * size
    # Before them one score that is 0.
    values, sizes, errors = np.zeros((3, points, 1 + score.shape[1]))
    np.copyto(values[:, 1:], score, where=is_positive)
    np.copyto(sizes[:, 1:], size, where=is_positive)
    # What is 0 but for rounding may be a little above it.
    np.copyto(errors[:, 1:], error, where=is_positive)
    errors[:, 0] = np.where(is_positive, 0.0, score + error).max(axis=1, initial=0.0)
    # Scores come in runs that ascend with the number of pluses: a stable sort merges them. Of the
    # zeros it puts first one is enough.
    most = np.count_nonzero(values, axis=1).max()
    order = np.argsort(values, axis=1, kind="stable")[:, -most - 1 :]
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
    return _Ranked(ranks[:, 1:].reshape(networks.shape), edges, is_told)


def is_apart(ordered: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether each of scores in order, (P, S), of these sizes, is another than the next,
    (P, S - 1), and not the same summed in another way."""
    return np.diff(ordered, axis=1) > ROUNDING * np.minimum(sizes[:, :-1], sizes[:, 1:])


def tells_between(ordered: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Whether float64 tells some threshold between two neighbours of scores in order, (P, S), from
    all scores, which may be off by `errors` (P, S): (P, S - 1)."""
    is_wide = np.diff(ordered, axis=1) > errors[:, :-1] + errors[:, 1:]
    # Scores further away may reach over it.
    below = np.maximum.accumulate(ordered + errors, axis=1)
    above = np.minimum.accumulate((ordered - errors)[:, ::-1], axis=1)[:, ::-1]
    rounding = ROUNDING * np.abs(ordered[:, 1:])
    return is_wide & (below[:, :-1] - above[:, 1:] < rounding)


def beyond(largest: np.ndarray) -> np.ndarray:
    """Thresholds above the largest scores: by 1, or a 1000th where that is more."""
    return largest + np.maximum(1.0, largest / 1000)


def none_above(ranks: np.ndarray, weights: np.ndarray, m: np.ndarray, steps: int) -> np.ndarray:
    """Probability that of m columns none has a rank above 0, 1, ..., steps - 1: (P, N, steps).

    ranks : (P, N, S) of states with probabilities weights (S,)
    """
    points, networks, states = ranks.shape
    cells = points * networks
    own = steps * np.arange(cells)[:, None]
    law = np.bincount(
        (ranks.reshape(cells, states) + own).ravel(),
        weights=np.broadcast_to(weights, (cells, states)).ravel(),
        minlength=cells * steps,
    ).reshape(points, networks, steps)
    above = np.zeros_like(law)
    np.cumsum(law[..., :0:-1], axis=-1, out=above[..., -2::-1])
    return none_of(above, m[:, None, None])


def _padded(parts: list[np.ndarray]) -> np.ndarray:
    """Rows of several lengths as one array, their last numbers repeated."""
    longest = max(part.shape[1] for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, 0), (0, longest - part.shape[1])), mode="edge") for part in parts]
    )
