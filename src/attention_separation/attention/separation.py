"""How well a network alone separates D1 from D0 with thresholds after the signs, or with a gap.

One threshold is chosen after the signs, or one for each neuron, or the scores have to keep a gap
between them; of a threshold that is chosen before them, `threshold_curves` has the law. A column of
signs is worth u0 to D0 and u1 to D1, the largest scores over all tokens. Given the classes that the
special tokens mark, the m columns are independent and alike.

A threshold is *told* as in `threshold_curves`.

Arrays have an axis of P points, and S states of a column or G scores by rank. y are the signs, eps
is half a gap.
"""

from dataclasses import dataclass

import numpy as np

from .sign_columns import (
    ROUNDING,
    ClassCase,
    StateScores,
    class_cases,
    concatenate_networks,
    none_of,
)
from .threshold_curves import EQUAL, beyond, is_apart, none_above, tells_between


@dataclass(frozen=True)
class Ranked:
    """The states of a column of P points, their scores replaced by ranks."""

    values: np.ndarray  # (P, G) scores in units of s, in order, by rank; the last is repeated
    errors: np.ndarray  # (P, G) by how much scores with that rank may be off
    # (P,) the highest rank of a score that is not above 0, but for rounding; the lowest where all
    # are above it.
    zero: np.ndarray
    # Of each the states' worth, (P, S), is its rank among all scores of the point.
    cases: tuple[ClassCase, ...]
    m: np.ndarray  # (P,) sign columns


def rank_states(d0: StateScores, d1: StateScores, m: np.ndarray, s: np.ndarray) -> Ranked:
    """The states of a column with their scores replaced by ranks, where the special tokens of D0
    and D1 are drawn independently.

    Parameters
    ----------
    d0, d1 : (P, 2, E, 2, K), as `largest_scores` gives them
    m, s : (P,), number of sign columns, and sqrt(log n)
    """
    points = len(s)
    scores_of_both = concatenate_networks([d0.reshape(points, -1), d1.reshape(points, -1)])
    scores = scores_of_both.over(s[:, None])
    is_zero = np.abs(scores.score) <= ROUNDING * scores.size
    score = np.where(is_zero, 0.0, scores.score)
    size = np.where(is_zero, 0.0, scores.size)
    order = np.argsort(score, axis=1, kind="stable")
    ordered = np.take_along_axis(score, order, axis=1)
    ordered_sizes = np.take_along_axis(size, order, axis=1)
    ordered_errors = np.take_along_axis(scores.error, order, axis=1)
    ordered_ranks = np.zeros(order.shape, dtype=np.intp)
    np.cumsum(is_apart(ordered, ordered_sizes), axis=1, out=ordered_ranks[:, 1:])
    ranks = np.empty_like(ordered_ranks)
    np.put_along_axis(ranks, order, ordered_ranks, axis=1)
    count = ordered_ranks[:, -1].max() + 1
    values = np.repeat(ordered[:, -1:], count, axis=1)
    np.put_along_axis(values, ordered_ranks, ordered, axis=1)
    errors = np.zeros(values.shape)
    np.maximum.at(errors, (np.arange(points)[:, None], ordered_ranks), ordered_errors)
    zero = np.where(ordered <= 0, ordered_ranks, 0).max(axis=1)
    ranks_on_d0, ranks_on_d1 = np.split(ranks, 2, axis=1)
    ranks_on_d0 = ranks_on_d0.reshape(d0.score.shape)
    ranks_on_d1 = ranks_on_d1.reshape(d1.score.shape)
    cases = class_cases(ranks_on_d0, ranks_on_d1)
    return Ranked(values, errors, zero, tuple(cases), m)


def probability_after_signs(ranked: Ranked) -> np.ndarray:
    """The probability, (P,), that some threshold above 0, chosen after the signs, separates D1 from
    D0: that the largest score on D1 is above the largest on D0, and above 0."""
    steps = ranked.values.shape[1] + 1
    probability = np.zeros(len(ranked.m))
    for case in ranked.cases:
        states = case.states
        # Ranks above zero; all others are 0.
        u0 = np.maximum(states.on_d0 - ranked.zero[:, None], 0)
        u1 = np.maximum(states.on_d1 - ranked.zero[:, None], 0)
        # P(the largest on D0 is at most v, and so is that on D1) of each rank v, (P, steps), and
        # P(the largest on D0 is below v, and that on D1 at most v): it is v in their difference.
        at_most = none_above(np.maximum(u0, u1)[:, None], states.weights, ranked.m, steps)[:, 0]
        below = none_above(np.maximum(u0 + 1, u1)[:, None], states.weights, ranked.m, steps)[:, 0]
        not_separated = (at_most - below).sum(axis=1)
        probability += case.chance * (1 - not_separated)
    return probability


def probability_each_bias(ranked: Ranked) -> np.ndarray:
    """The probability, (P,), that some neuron separates D1 from D0 with a bias of its own, chosen
    after the signs."""
    probability = np.zeros(len(ranked.m))
    for case in ranked.cases:
        a_neuron_separates = (case.states.on_d1 > case.states.on_d0) @ case.states.weights
        probability += case.chance * (1 - none_of(a_neuron_separates, ranked.m))
    return probability


def widest_margins(ranked: Ranked, targets: np.ndarray) -> np.ndarray:
    """The margin for each target, (P, T) as the targets are: the largest 2 eps, in units of s, such
    that for some theta > 0 the scores are at most theta - eps on D0, and one is above theta + eps
    on D1, with the target's probability. A supremum; NaN where no eps > 0 reaches it."""
    margins = [_margins_at_point(ranked, point, row) for point, row in enumerate(targets)]
    return np.array(margins)


def _margins_at_point(ranked: Ranked, point: int, targets: np.ndarray) -> np.ndarray:
    """The margins of one point, (T,), one for each target; NaN where there is none.

    With phi = theta - eps and v = theta + eps at ranks of scores, the probability is P(u0 <= phi of
    all columns) - P(u0 <= phi and u1 < v of all columns).
    """
    values = ranked.values[point]
    m = ranked.m[point]
    steps = len(values)
    targets = targets * (1 - EQUAL)
    laws = []
    d0_stays_below = np.zeros(steps)  # P(u0 <= phi of all columns) of each phi
    for case in ranked.cases:
        states = case.states
        pairs = states.on_d0[point] * steps + states.on_d1[point]
        law = np.bincount(pairs, weights=states.weights, minlength=steps**2)
        law = law.reshape(steps, steps)
        laws.append(law)
        d0_stays_below += case.chance * none_of(_chances_above(law.sum(axis=1)), m)
    # It grows with phi: those that are likely enough are the last ones.
    is_enough = d0_stays_below >= np.fmin.reduce(targets)
    if not is_enough[-1]:
        return np.full(len(targets), np.nan)
    first_phi = int(np.argmax(is_enough))
    first_v = ranked.zero[point] + 1
    both_stay_below = np.zeros((steps - first_phi, steps - first_v))
    for case, law in zip(ranked.cases, laws, strict=True):
        in_column = _cumulative_law(law, first_phi)[:, first_v:]
        both_stay_below += case.chance * none_of(1 - in_column, m)
    probability = d0_stays_below[first_phi:, None] - both_stay_below
    phi = np.arange(first_phi, steps)[:, None]
    v = np.arange(first_v, steps)
    # The middle of the gap is theta, above 0: so the gap reaches down to -v at most.
    gaps = np.where(v > phi, values[v] - np.maximum(values[phi], -values[v]), -np.inf)
    margins = [np.max(gaps, where=probability >= target, initial=-np.inf) for target in targets]
    return np.where(np.isneginf(margins), np.nan, margins)


def _cumulative_law(law: np.ndarray, first: int) -> np.ndarray:
    """The probability that u0 <= i and u1 < j, (G - first, G), for each rank i from `first` on and
    each rank j, from the probability of each pair of ranks, (G, G)."""
    rows = law[first:].copy()
    rows[0] += law[:first].sum(axis=0)
    at_most = np.cumsum(np.cumsum(rows, axis=0), axis=1)
    return np.concatenate([np.zeros((len(rows), 1)), at_most[:, :-1]], axis=1)


def _chances_above(law: np.ndarray) -> np.ndarray:
    """The probability of a rank above each rank, (G,), from that of each rank, (G,). It is summed
    from the far end."""
    return np.append(np.cumsum(law[:0:-1])[::-1], 0.0)


MOST_BYTES = 2 << 30
"""Of the joint law of a column's two scores; more values than fit are refused."""


def best_with_gap(ranked: Ranked, gap: float) -> tuple[float, float, float]:
    """The largest P(all scores are at most theta - gap / 2 on D0, and one is above theta + gap / 2
    on D1) over theta > 0, of the one point of `ranked`, and the ends of the widest interval of
    theta that float64 tells and that reaches it; `gap`, 2 eps, and theta in units of s. Where a gap
    is the largest of a probability, as `widest_margins` has it, that probability is returned, and a
    single theta."""
    phi, errors = _lower_ends(ranked, gap)
    is_told = tells_between(phi[None], errors[None])[0] & (phi[:-1] >= -gap / 2)
    # At the ends (value - gap) + gap may be above or below the value.
    middles = (phi[:-1] + phi[1:]) / 2
    probability = np.full(len(middles), -1.0)
    probability[is_told] = _probability_with_gap(ranked, middles[is_told], gap)
    is_best = probability >= probability.max() - EQUAL
    widths = np.diff(phi)
    widest = int(np.argmax(np.where(is_best, widths, -1.0)))
    at_largest_gap = _best_if_largest_gap(ranked, gap)
    if at_largest_gap is not None:
        larger, theta = at_largest_gap
        if larger > probability[widest] + EQUAL:
            return larger, theta, theta
    low = float(phi[widest] + gap / 2)
    high = float(phi[widest + 1] + gap / 2)
    return float(probability[widest]), low, high


def _lower_ends(ranked: Ranked, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """The lower ends phi = theta - gap / 2 at which the probability may change, in order, and the
    errors of the scores that they come from."""
    values = ranked.values[0]
    errors = ranked.errors[0]
    end = beyond(np.maximum(values[-1], 0.0))
    phi = np.concatenate([values, values - gap, [-gap / 2, end]])
    errors_of_phi = np.concatenate([errors, errors, [0.0, 0.0]])
    order = np.argsort(phi, kind="stable")
    return phi[order], errors_of_phi[order]


def _best_if_largest_gap(ranked: Ranked, gap: float) -> tuple[float, float] | None:
    """The largest probability, and its threshold, for the gap less what rounding may make of it;
    None if the gap is hardly larger than that."""
    rounding = 4 * float(ranked.errors[0].max())
    if gap <= 2 * rounding:
        return None
    values = ranked.values[0]
    phi = np.append(values[values >= -gap / 2], -gap / 2)
    probability = _probability_with_gap(ranked, phi, gap - rounding)
    best = int(np.argmax(probability))
    return float(probability[best]), float(phi[best] + gap / 2)


def _probability_with_gap(ranked: Ranked, lower_ends: np.ndarray, gap: float) -> np.ndarray:
    """The probability, (T,), that all scores on D0 are at most phi, and one on D1 is above phi +
    gap, for each phi in `lower_ends` (T,)."""
    values = ranked.values[0]
    m = ranked.m[0]
    probability = np.zeros(len(lower_ends))
    for case in ranked.cases:
        u0 = values[case.states.on_d0[0]]
        u1 = values[case.states.on_d1[0]]
        for k, phi in enumerate(lower_ends):
            above_on_d0 = u0 > phi
            above_on_either = above_on_d0 | (u1 > phi + gap)
            d0_stays_below = none_of(case.states.weights[above_on_d0].sum(), m)
            both_stay_below = none_of(case.states.weights[above_on_either].sum(), m)
            probability[k] += case.chance * (d0_stays_below - both_stay_below)
    return probability


def require_memory(d: int) -> None:
    """Raise MemoryError where a margin at dimension d would take too much."""
    needed = 5 * 8 * (16 * d) ** 2
    if needed > MOST_BYTES:
        raise MemoryError(
            f"a margin at d={d} takes about {needed / 2**30:.1f} GiB; allowed: {MOST_BYTES >> 30}"
        )
