"""How well a network alone separates D1 from D0 with thresholds after the signs, or with a gap.

One threshold is chosen after the signs, or one for each neuron, or the scores have to keep a gap
between them; of a threshold that is chosen before them, `threshold_curves` has the law. A column of
signs is worth u0 to D0 and u1 to D1, the largest scores over all tokens. Given the classes that the
special tokens mark, the m columns are independent and alike.
"""

from dataclasses import dataclass

import numpy as np

from .sign_columns import ROUNDING, StateScores, different_classes, none_of, same_class
from .threshold_curves import EQUAL, beyond, is_apart, none_above, tells_between


@dataclass(frozen=True)
class Case:
    """One case of the special tokens' classes, of P points: `u0` and `u1`, (P, S), are ranks of
    what each state of a column is worth among all scores of their point."""

    chance: float
    u0: np.ndarray
    u1: np.ndarray
    weights: np.ndarray  # (S,) probabilities of the states


@dataclass(frozen=True)
class Ranked:
    """The states of a column of P points, their scores replaced by ranks."""

    values: np.ndarray  # (P, G) scores in units of s, in order, by rank; the last is repeated
    errors: np.ndarray  # (P, G) by how much scores with that rank may be off
    # (P,) the highest rank of a score that is not above 0, but for rounding; the lowest where all
    # are above it.
    zero: np.ndarray
    cases: tuple[Case, ...]  # same class, and different classes where there are two
    m: np.ndarray  # (P,) sign columns


def rank_states(d0: StateScores, d1: StateScores, m: np.ndarray, s: np.ndarray) -> Ranked:
    """The states of a column for special tokens of D0 and D1 drawn apart from each other.

    Parameters
    ----------
    d0, d1 : (P, 2, E, 2, K), as `largest_scores` gives them
    m, s : (P,), number of sign columns, and sqrt(log n)
    """
    points, shape = len(s), d0.score.shape[1:]
    score, size, error = (
        np.concatenate([on_d0.reshape(points, -1), on_d1.reshape(points, -1)], axis=1) / s[:, None]
        for on_d0, on_d1 in ((d0.score, d1.score), (d0.size, d1.size), (d0.error, d1.error))
    )
    is_zero = np.abs(score) <= ROUNDING * size
    score = np.where(is_zero, 0.0, score)
    order = np.argsort(score, axis=1, kind="stable")
    ordered, sizes, errors = (
        np.take_along_axis(part, order, axis=1)
        for part in (score, np.where(is_zero, 0.0, size), error)
    )
    rank = np.zeros(order.shape, dtype=np.intp)
    np.cumsum(is_apart(ordered, sizes), axis=1, out=rank[:, 1:])
    ranks = np.empty_like(rank)
    np.put_along_axis(ranks, order, rank, axis=1)
    count = rank[:, -1].max() + 1
    values = np.repeat(ordered[:, -1:], count, axis=1)
    np.put_along_axis(values, rank, ordered, axis=1)
    errors_by_rank = np.zeros(values.shape)
    np.maximum.at(errors_by_rank, (np.arange(points)[:, None], rank), errors)
    zero = np.where(ordered <= 0, rank, 0).max(axis=1)
    of_d0, of_d1 = (part.reshape(points, *shape) for part in np.split(ranks, 2, axis=1))
    classes = shape[-1]
    cases = [Case(1 / classes, *same_class(of_d0, of_d1))]
    if classes > 1:
        cases.append(Case(1 - 1 / classes, *different_classes(of_d0, of_d1)))
    return Ranked(values, errors_by_rank, zero, tuple(cases), m)


def after_signs(ranked: Ranked) -> np.ndarray:
    """P(some threshold above 0, chosen after y, separates D1 from D0), (P,): that the largest score
    on D1 is above the largest on D0, and above 0."""
    steps = ranked.values.shape[1] + 1
    least = ranked.zero[:, None]
    found = np.zeros(len(ranked.m))
    for case in ranked.cases:
        u0, u1 = (np.maximum(u - least, 0) for u in (case.u0, case.u1))
        # Of each rank v: the largest on D0 is at most v, and so is that on D1; it is below v.
        both, below = (
            none_above(u[:, None], case.weights, ranked.m, steps)[:, 0]
            for u in (np.maximum(u0, u1), np.maximum(u0 + 1, u1))
        )
        found += case.chance * (1 - (both - below).sum(axis=1))
    return found


def of_each_neuron(ranked: Ranked) -> np.ndarray:
    """P(some neuron separates D1 from D0 with a bias of its own, chosen after y), (P,)."""
    found = np.zeros(len(ranked.m))
    for case in ranked.cases:
        found += case.chance * (1 - none_of((case.u1 > case.u0) @ case.weights, ranked.m))
    return found


def widest_margins(ranked: Ranked, targets: np.ndarray) -> np.ndarray:
    """The largest 2 eps, in units of s, such that for some theta > 0 with probability `targets` the
    scores are at most theta - eps on D0, and one is above theta + eps on D1: a supremum; NaN where
    no eps > 0 has it. Targets are (P, T), and so is what is returned."""
    return np.array([_widest(ranked, point, of_point) for point, of_point in enumerate(targets)])


def _widest(ranked: Ranked, point: int, targets: np.ndarray) -> list[float]:
    values, m = ranked.values[point], ranked.m[point]
    steps = len(values)
    laws = []
    for case in ranked.cases:
        law = np.bincount(
            case.u0[point] * steps + case.u1[point], weights=case.weights, minlength=steps**2
        ).reshape(steps, steps)
        laws.append((case.chance, law))
    targets = targets * (1 - EQUAL)
    none = sum(share * none_of(_above(law.sum(axis=1)), m) for share, law in laws)
    # It grows with the threshold phi: those that are likely enough are the last ones.
    enough = none >= np.fmin.reduce(targets)
    if not enough[-1]:
        return [np.nan] * len(targets)
    first = int(np.argmax(enough))
    # P(u0 <= phi, u1 < v) of these, and all v above 0.
    low = ranked.zero[point] + 1
    reached = none[first:, None] - sum(
        share * none_of(1 - _up_to(law, first)[:, low:], m) for share, law in laws
    )
    phi, v = np.arange(first, steps)[:, None], np.arange(low, steps)
    # The middle of the gap is theta, above 0: so the gap reaches down to -v at most.
    gaps = np.where(v > phi, values[v] - np.maximum(values[phi], -values[v]), -np.inf)
    widest = [np.max(gaps, where=reached >= target, initial=-np.inf) for target in targets]
    return [np.nan if gap == -np.inf else float(gap) for gap in widest]


def _up_to(law: np.ndarray, first: int) -> np.ndarray:
    """P(u0 <= i, u1 < j), (G - first, G), of i from `first` on, from P(u0 = i, u1 = j), (G, G)."""
    rows = law[first:].copy()
    rows[0] += law[:first].sum(axis=0)
    below = np.cumsum(np.cumsum(rows, axis=0), axis=1)
    return np.concatenate([np.zeros((len(rows), 1)), below[:, :-1]], axis=1)


def _above(law: np.ndarray) -> np.ndarray:
    """Probabilities above each value, summed from the far end."""
    return np.append(np.cumsum(law[:0:-1])[::-1], 0.0)


MOST_BYTES = 2 << 30
"""Of the joint law of a column's two scores; more values than fit are refused."""


def best_with_gap(ranked: Ranked, gap: float) -> tuple[float, float, float]:
    """The largest P(all scores are at most theta - gap / 2 on D0, and one is above theta + gap / 2
    on D1) over theta > 0, of the one point of `ranked`, and the ends of the widest interval of
    theta that float64 tells and that reaches it; `gap`, 2 eps, and theta in units of s. Where a gap
    is the largest of a probability, as `widest_margins` has it, that probability is returned, and a
    single theta."""
    values, errors = ranked.values[0], ranked.errors[0]
    # Between two of these nothing changes.
    ends = [-gap / 2, beyond(np.maximum(values[-1], 0.0))]
    lowest = np.concatenate([values, values - gap, ends])
    errors = np.concatenate([errors, errors, [0.0, 0.0]])
    order = np.argsort(lowest, kind="stable")
    lowest, errors = lowest[order], errors[order]
    is_told = tells_between(lowest[None], errors[None])[0] & (lowest[:-1] >= -gap / 2)
    # At the ends (value - gap) + gap may be above or below the value.
    middles = (lowest[:-1] + lowest[1:]) / 2
    found = np.full(len(middles), -1.0)
    found[is_told] = _with_gap(ranked, middles[is_told], gap)
    reached = found >= found.max() - EQUAL
    widest = int(np.argmax(np.where(reached, np.diff(lowest), -1.0)))
    low, high = lowest[widest : widest + 2] + gap / 2
    at_largest_gap = _if_largest_gap(ranked, gap)
    if at_largest_gap is not None and at_largest_gap[0] > found[widest] + EQUAL:
        probability, theta = at_largest_gap
        return probability, theta, theta
    return float(found[widest]), float(low), float(high)


def _if_largest_gap(ranked: Ranked, gap: float) -> tuple[float, float] | None:
    """The probability, and a threshold, of a gap that is smaller by what float64 does not tell of a
    score; None if it is hardly larger than that."""
    rounding = 4 * float(ranked.errors[0].max())
    if gap <= 2 * rounding:
        return None
    values = ranked.values[0]
    lowest = np.append(values[values >= -gap / 2], -gap / 2)
    found = _with_gap(ranked, lowest, gap - rounding)
    best = int(np.argmax(found))
    return float(found[best]), float(lowest[best] + gap / 2)


def _with_gap(ranked: Ranked, lowest: np.ndarray, gap: float) -> np.ndarray:
    """The probability at thresholds gap / 2 above `lowest` (T,): (T,)."""
    values, found = ranked.values[0], np.zeros(len(lowest))
    for case in ranked.cases:
        u0, u1 = values[case.u0[0]], values[case.u1[0]]
        for k, low in enumerate(lowest):
            loud = u0 > low
            heard = loud | (u1 > low + gap)
            some, any_of_both = case.weights[loud].sum(), case.weights[heard].sum()
            found[k] += case.chance * (
                none_of(some, ranked.m[0]) - none_of(any_of_both, ranked.m[0])
            )
    return found


def require_memory(d: int) -> None:
    """Raise MemoryError where a margin at dimension d would take too much."""
    needed = 5 * 8 * (16 * d) ** 2
    if needed > MOST_BYTES:
        raise MemoryError(
            f"a margin at d={d} takes about {needed / 2**30:.1f} GiB; allowed: {MOST_BYTES >> 30}"
        )
