"""Probabilities as functions of the threshold: of one network alone, and of E_success.

The theorems give F_exp and F_lin the same tau. Here each may have its own: a network distinguishes
the pair if it is positive on D1 and zero on D0. As a function of tau that probability, like
P(E_success), is a step function whose steps are at the largest scores of the states of a column: so
its maximum is exact.
"""

from dataclasses import dataclass

import numpy as np

from .sign_columns import TIE_TOLERANCE, States, different_classes, none_of, same_class

ROUNDING = 1e-15
"""Scores closer than this, times the largest of their point, count as one score that was summed in
two ways: sums of the same weights in another order differ by less."""

NARROWEST = 1e-13
"""Of two scores closer than this, times the largest of their point, float64 hardly tells which is
the larger: weights err by up to 1e-14 where they are exponentials or come from vectors."""

LARGEST_N = 10**12
"""Scores of linear attention on D0 and D1 differ by about 1/n. Beyond this n that comes near
NARROWEST, and then below ROUNDING, where no curve shows it."""

EQUAL = 1e-12
"""Probabilities closer than this are not told apart."""

MOST_NUMBERS = 1 << 17
"""Scores and states of points worked on at once."""


@dataclass(frozen=True)
class ThresholdCurves:
    """Probabilities, (P, G), for theta = tau / s in [edges[:, k], edges[:, k + 1]) of P points."""

    edges: np.ndarray
    """(P, G + 1), the first 0, the last 1 above the largest score; it is repeated where a point has
    fewer steps than others."""
    probability: np.ndarray
    resolved: np.ndarray
    """(P,) bool, False where n is above LARGEST_N, or the curve is higher between two scores that
    float64 does not tell apart: the largest probability is then unknown."""

    def best(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The largest probability, and the ends of the widest interval of theta between two scores
        that reaches it, each (P,)."""
        told = np.where(_wide(self.edges), self.probability, -1.0)
        reached = told >= told.max(axis=1, keepdims=True) - EQUAL
        widest = np.argmax(np.where(reached, np.diff(self.edges, axis=1), -1.0), axis=1)
        k = np.arange(len(widest))
        return self.probability[k, widest], self.edges[k, widest], self.edges[k, widest + 1]

    def at(self, thetas: np.ndarray) -> np.ndarray:
        """The probability at thresholds (P, T), in their shape; a score that ties one is not above
        it."""
        pairs = zip(self.edges, np.asarray(thetas) + TIE_TOLERANCE, strict=True)
        below = np.array([np.searchsorted(*pair, side="right") for pair in pairs])
        inside = (below > 0) & (below < self.edges.shape[1])
        found = np.take_along_axis(self.probability, np.where(inside, below - 1, 0), axis=1)
        return np.where(inside, found, 0.0)

    def curve(self, k: int) -> "ThresholdCurve":
        """The curve of one point, without what pads it."""
        steps = np.searchsorted(self.edges[k], self.edges[k, -1])
        return ThresholdCurve(
            self.edges[k, : steps + 1], self.probability[k, :steps], bool(self.resolved[k])
        )


@dataclass(frozen=True)
class ThresholdCurve:
    """The curve of one point, (K,) probabilities for K + 1 edges, as ThresholdCurves has them."""

    edges: np.ndarray
    probability: np.ndarray
    resolved: bool

    def best(self) -> tuple[float, float, float]:
        """The largest probability, and the ends of the widest interval of theta between two scores
        that reaches it."""
        return tuple(float(part[0]) for part in self._alone().best())

    def at(self, theta: float | np.ndarray) -> np.ndarray:
        """The probability at thresholds, in their shape; a score that ties one is not above it."""
        theta = np.asarray(theta)
        return self._alone().at(theta.reshape(1, -1)).reshape(theta.shape)

    def _alone(self) -> ThresholdCurves:
        return ThresholdCurves(self.edges[None], self.probability[None], np.array([self.resolved]))


def _wide(edges: np.ndarray) -> np.ndarray:
    """Whether float64 tells the two ends of an interval apart, (P, G)."""
    largest = edges[:, -1:] - 1.0
    return np.diff(edges, axis=1) > NARROWEST * largest


def threshold_curves(
    d0: np.ndarray, d1: np.ndarray, m: np.ndarray, s: np.ndarray, n: np.ndarray, data: str,
    signs: str = "shared",
) -> ThresholdCurves:  # fmt: skip
    """P(the first network on D1 is positive, and all others are zero), for thresholds above 0.

    With one network on either dataset it is the probability that one kernel alone separates D1 from
    D0; with those of F_exp and F_lin it is P(E_success) against the threshold that all share.

    Parameters
    ----------
    d0, d1 : (P, N0, 2, E, 2, K) and (P, N1, 2, E, 2, K), the largest score of each network on D0
        and on D1 for every state of a column, as `DistinctRows.largest_scores` indexes them
    m, s, n : (P,), number of sign columns, sqrt(log n), and n
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by all networks, or "fresh" for each
    """
    classes = d0.shape[-1]
    places = np.arange(np.prod(d0.shape[2:])).reshape(d0.shape[2:])
    columns = [(1.0, same_class(places, places))]
    # A network's own law does not depend on the case.
    if data == "independent" and signs == "shared" and classes > 1:
        different = different_classes(places, places)
        columns = [(1 / classes, columns[0][1]), (1 - 1 / classes, different)]
    d0, d1 = (scores.reshape(*scores.shape[:2], -1) for scores in (d0, d1))
    numbers = d0[0].size + d1[0].size + sum(2 * len(states[2]) for _, states in columns)
    step = max(MOST_NUMBERS // numbers, 1)
    parts = []
    for start in range(0, len(d0), step):
        part = slice(start, start + step)
        scores = (of_dataset[part] / s[part, None, None] for of_dataset in (d0, d1))
        parts.append(column_curves(*scores, m[part], n[part], columns, signs))
    return ThresholdCurves(
        _padded([part.edges for part in parts]),
        _padded([part.probability for part in parts]),
        np.concatenate([part.resolved for part in parts]),
    )


Columns = list[tuple[float, States]]
"""Chances of cases, and the states of a column in each: where their scores on D0 and on D1 stand,
(S,), and their probabilities, (S,)."""


def column_curves(
    d0: np.ndarray, d1: np.ndarray, m: np.ndarray, n: np.ndarray, columns: Columns, signs: str
) -> ThresholdCurves:
    """The same for columns with any states: scores (P, N0, places) and (P, N1, places) in units of
    s."""
    ranks, edges = _ranks(np.concatenate([d1, d0], axis=1))
    steps = edges.shape[1] - 1
    if signs == "fresh":
        ((_, (places, _, weights)),) = columns
        none = none_above(ranks[..., places], weights, m, steps)
        probability = (1 - none[:, 0]) * none[:, 1:].prod(axis=1)
    else:
        first, others_on_d1, on_d0 = ranks[:, 0], ranks[:, 1 : d1.shape[1]], ranks[:, d1.shape[1] :]
        others_on_d1, on_d0 = (part.max(axis=1, initial=0) for part in (others_on_d1, on_d0))
        probability = np.zeros((len(m), steps))
        for share, (at_d0, at_d1, weights) in columns:
            others = np.maximum(on_d0[:, at_d0], others_on_d1[:, at_d1])
            largest = np.stack([others, np.maximum(others, first[:, at_d1])], axis=1)
            none = none_above(largest, weights, m, steps)
            probability += share * (none[:, 0] - none[:, 1])
    told = np.where(_wide(edges), probability, 0.0).max(axis=1)
    resolved = (n <= LARGEST_N) & (probability.max(axis=1) <= told + EQUAL)
    return ThresholdCurves(edges, probability, resolved)


def _ranks(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of scores (P, N, S) among their point's positive ones, those that nearly coincide being
    one, and 0 for the rest; and the edges of the intervals between them, (P, G + 1)."""
    points = np.arange(len(scores))[:, None]
    values = np.zeros((len(scores), 1 + scores[0].size))
    np.maximum(scores.reshape(len(scores), -1), 0.0, out=values[:, 1:])
    # Scores come in runs that ascend with the number of pluses: a stable sort merges them. Of the
    # zeros it puts first one is enough.
    most = np.count_nonzero(values, axis=1).max()
    order = np.argsort(values, axis=1, kind="stable")[:, -most - 1 :]
    ordered = values[points, order]
    largest = ordered[:, -1:]
    rank = np.zeros(order.shape, dtype=np.intp)
    np.cumsum(ordered[:, 1:] - ordered[:, :-1] > ROUNDING * largest, axis=1, out=rank[:, 1:])
    edges = np.repeat(largest + 1.0, rank[:, -1].max() + 2, axis=1)
    # Of the scores with one rank the last, the largest, stays.
    edges[points, rank] = ordered
    edges[:, 0] = 0.0
    ranks = np.zeros(values.shape, dtype=np.intp)
    ranks[points, order] = rank
    return ranks[:, 1:].reshape(scores.shape), edges


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
