"""Sign columns: scores against distinct rows, when one exceeds tau, and the law of their states.

A state of a column y is the bits of its first, last and marked coordinates and the number of pluses
among the K - 1 unmarked classes, in this order in arrays. Columns are alike and apart from each
other.

A score is a row of c against a column of signs. Its size is the row's: the sum of |weight x entry|
over all tokens and coordinates, which no score of the row is beyond. Rounding is a part of it, so
every tolerance of a score is in units of its own size.

Arrays have an axis of P points, and of K counts of pluses; E is 2 where the last sign counts, else
1. y_d, the last sign, is the same for all tokens of a column.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from .distinct_rows import Rows

TIE_TOLERANCE = 1e-12 + 2e-16
"""In units of a score's size: scores are sums of floats, and exact ties with tau do occur. A score
of n = 10^12 equal weights that is above tau by one of them is above it by 1e-12 of its size, and
ties it: the rest is for the rounding of such a score."""


def exceeds(score: np.ndarray, tau: float | np.ndarray, size: float | np.ndarray) -> np.ndarray:
    """Whether a score exceeds tau (sections 7.1 and 7.2): strictly, and a tie does not.

    F > 0 if and only if some neuron's score exceeds tau, for every summand of F is >= 0.
    `size` is that of the score's row: about sqrt(log n) for the attention models of the paper, and
    1 for the regression model.
    """
    return score - tau > TIE_TOLERANCE * size


ROUNDING = 1e-15
"""Scores closer than this, times the smaller of their sizes, count as one score that was summed in
two ways: sums of the same weights in another order differ by less."""

NARROWEST = 1e-13
"""Of a score float64 hardly tells more than this, times what of its row is rounded: weights err by
up to 1e-14 where they are exponentials or come from vectors. A score may be off by half of this."""


@dataclass(frozen=True)
class StateScores:
    """What each state of a column is worth, of all rows; all in one shape.

    Attributes
    ----------
    score : the largest score
    size : that of its row; of rows whose scores are the same but for rounding the smaller one
    error : by how much the score may be off
    tie_limit : thresholds below this are exceeded by some row's score; from here on they are tied,
        or above
    """

    score: np.ndarray
    size: np.ndarray
    error: np.ndarray
    tie_limit: np.ndarray

    def exceed(self, tau: float | np.ndarray) -> np.ndarray:
        """Whether some row's score exceeds thresholds, which broadcast against them."""
        return self.tie_limit > tau

    def over(self, unit: float | np.ndarray) -> "StateScores":
        """The scores over a unit, which broadcasts against them."""
        return self._map(lambda array: array / unit)

    def off_by(self, error: np.ndarray) -> "StateScores":
        """The scores of P points, each larger by its error, (P,)."""
        errors = np.expand_dims(error, tuple(range(1, self.score.ndim)))
        return replace(self, score=self.score + errors, tie_limit=self.tie_limit + errors)

    def __getitem__(self, index: Any) -> "StateScores":
        return self._map(lambda array: array[index])

    def reshape(self, *shape: int) -> "StateScores":
        """The scores in another shape."""
        return self._map(lambda array: array.reshape(shape))

    def _map(self, change: Callable[[np.ndarray], np.ndarray]) -> "StateScores":
        """The scores with a change made to each of the four arrays."""
        return StateScores(
            score=change(self.score),
            size=change(self.size),
            error=change(self.error),
            tie_limit=change(self.tie_limit),
        )


def of_one_size(score: np.ndarray, size: float) -> StateScores:
    """The scores of rows that all have one size."""
    sizes = np.full(score.shape, size)
    return _scores_with_errors(score, size=sizes, rounded=sizes)


def _scores_with_errors(score: np.ndarray, size: np.ndarray, rounded: np.ndarray) -> StateScores:
    """The scores of rows of a size; `rounded` is the part of a row's size that a score may be
    rounded by."""
    return StateScores(
        score=score,
        size=np.broadcast_to(size, score.shape),
        error=np.broadcast_to(NARROWEST / 2 * rounded, score.shape),
        tie_limit=score - TIE_TOLERANCE * size,
    )


def stack_networks(networks: Sequence[StateScores]) -> StateScores:
    """The scores of several networks at P points as one array, (P, networks, ...)."""
    return _combined(networks, np.stack)


def concatenate_networks(networks: Sequence[StateScores]) -> StateScores:
    """The scores of parts along their second axis as one, where each part is several networks, (P,
    N, ...), or several states, (P, S)."""
    return _combined(networks, np.concatenate)


def _combined(parts: Sequence[StateScores], combine: Callable[..., np.ndarray]) -> StateScores:
    """The scores of several parts, combined along the second axis by `np.stack` or
    `np.concatenate`."""
    return StateScores(
        score=combine([part.score for part in parts], axis=1),
        size=combine([part.size for part in parts], axis=1),
        error=combine([part.error for part in parts], axis=1),
        tie_limit=combine([part.tie_limit for part in parts], axis=1),
    )


SIGN = np.array([-1.0, 1.0])


def largest_scores(rows: Rows) -> StateScores:
    """The largest <c_j0, y> over all tokens j0, for every state of a column.

    rows : of P points with equal K, or ValueError is raised

    Returns
    -------
    StateScores of shape (P, 2, E, 2, K), float64, indexed by the bit of the first sign, the bit of
    the last (E = 1 without a last coordinate, else 2), the bit of the marked class's sign, and the
    number of pluses among the unmarked classes
    """
    largest = reduce(_larger, _scores_by_row(rows))
    score = _with_last(rows, largest.score)
    return StateScores(
        score=score,
        size=np.broadcast_to(largest.size, score.shape),
        error=np.broadcast_to(largest.error, score.shape),
        tie_limit=_with_last(rows, largest.tie_limit),
    )


def exceeding_states(rows: Rows, tau: np.ndarray) -> np.ndarray:
    """Whether the score of some token exceeds thresholds tau (P,), for every state of a column:
    bool, of the shape of `largest_scores`."""
    tie_limits = [scores.tie_limit for scores in _scores_by_row(rows)]
    return _with_last(rows, reduce(np.maximum, tie_limits)) > _with_state_axes(tau)


def _with_state_axes(values: np.ndarray) -> np.ndarray:
    """The numbers of points, (P,), with further axes, so that they broadcast against the scores of
    states."""
    return values[:, None, None, None, None]


def _scores_by_row(rows: Rows) -> Iterator[StateScores]:
    """For each type of row the largest scores in every state, (P, 2, E, 2, K). Where a last
    coordinate is the same in every row, it is not yet in them, and E is 1."""
    (classes,) = set(rows.classes.tolist())
    for row in range(rows.first.shape[1]):
        scores = _scores_without_last(
            rows.first[:, row], rows.marked[:, row], rows.own[:, row], rows.rest[:, row], classes
        )
        scores = scores[:, :, None]
        if rows.last is not None and rows.last.shape[1] > 1:
            scores = _plus_or_minus(scores, rows.last[:, row])
        yield _scores_with_errors(
            scores,
            size=_with_state_axes(rows.size[:, row]),
            rounded=_with_state_axes(rows.rounded[:, row]),
        )


def _with_last(rows: Rows, scores: np.ndarray) -> np.ndarray:
    """The scores with the last coordinate added, where it is the same in every row and not in them
    yet."""
    if rows.last is None or rows.last.shape[1] > 1:
        return scores
    return _plus_or_minus(scores, rows.last[:, 0])


def _plus_or_minus(scores: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The scores (P, 2, 1, 2, K) with the last coordinate (P,) taken off or added, by the bit of
    the last sign: (P, 2, 2, 2, K)."""
    by_last_sign = SIGN * last[:, None]
    return scores + by_last_sign[:, None, :, None, None]


def _larger(first: StateScores, second: StateScores) -> StateScores:
    """The larger of the scores of two rows, in each state. Scores closer than rounding count as
    equal, and are the first row's."""
    difference = ROUNDING * (second.size - first.size)
    is_second_larger = second.score - first.score > difference
    return StateScores(
        score=np.where(is_second_larger, second.score, first.score),
        size=np.where(is_second_larger, second.size, first.size),
        error=np.where(is_second_larger, second.error, first.error),
        tie_limit=np.maximum(first.tie_limit, second.tie_limit),
    )


def _scores_without_last(
    first: np.ndarray, marked: np.ndarray, own: np.ndarray, rest: np.ndarray, classes: int
) -> np.ndarray:
    """The largest scores, (P, 2, 2, K) by a column's state, of one type of row with weights (P,),
    less what its last coordinate adds."""
    unmarked = classes - 1
    pluses = np.arange(unmarked + 1)
    # The own class takes either sign, as far as the unmarked classes have that sign.
    excess = (own - rest)[:, None]
    with_plus = np.where(pluses > 0, excess, -np.inf)
    with_minus = np.where(pluses < unmarked, -excess, -np.inf)
    largest_excess = np.where(excess == 0.0, 0.0, np.maximum(with_plus, with_minus))
    unmarked_sum = rest[:, None] * (2.0 * pluses - unmarked) + largest_excess
    by_first_and_marked_sign = SIGN[:, None] * first[:, None, None] + SIGN * marked[:, None, None]
    return by_first_and_marked_sign[..., None] + unmarked_sum[:, None, None, :]


def binomial_half_pmf(coins: int) -> np.ndarray:
    """The probabilities of 0 to `coins` heads of fair coins, (coins + 1,), each to a relative error
    of about 1e-16 coins."""
    return _around_middle(coins, coins)[1]


def likely_heads(coins: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of heads of fair coins and their probabilities, all but a share of 1e-20."""
    return _around_middle(coins, math.isqrt(25 * coins) + 5)


@lru_cache(maxsize=8192)
def _around_middle(coins: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of heads within `reach` of the middle, and their probabilities. Ratios of
    neighbours are multiplied up from the middle, where the probability is largest."""
    middle = coins // 2
    up = np.arange(middle, min(middle + reach, coins))
    down = np.arange(middle, max(middle - reach, 0), -1)
    rising = np.cumprod((coins - up) / (up + 1.0))
    falling = np.cumprod(down / (coins - down + 1.0))
    ratios_to_middle = np.concatenate([falling[::-1], [1.0], rising])
    heads = np.arange(middle - len(down), middle + len(up) + 1)
    probabilities = ratios_to_middle / ratios_to_middle.sum()
    # All who ask share them.
    heads.flags.writeable = False
    probabilities.flags.writeable = False
    return heads, probabilities


class States(NamedTuple):
    """The S states of a column: what each is worth to D0 and D1, and its probability."""

    on_d0: np.ndarray  # (..., S)
    on_d1: np.ndarray  # (..., S)
    weights: np.ndarray  # (S,) probabilities


class ClassCase(NamedTuple):
    """Whether the special tokens of D0 and D1 mark the same class or two: its chance, and the
    states of a column then."""

    chance: float
    states: States


NEARLY_ONE = np.nextafter(1.0, 0.0)


def none_of(q: float | np.ndarray, m: float | np.ndarray) -> np.ndarray:
    """The probability that none of m columns has a property that each has with probability q: (1 -
    q)^m.

    At most 1 however the q were rounded, and exact to their rounding for large m.
    """
    return np.exp(m * np.log1p(-np.minimum(q, NEARLY_ONE)))


def same_class(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark the same class.

    d0, d1 : (..., 2, E, 2, K), what each state of a column is worth to either dataset, as
    `largest_scores` indexes them.
    """
    return _flat_states([d0], [d1], counted_bits=3)


def different_classes(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark two classes: each dataset
    counts the other's class among the unmarked ones."""
    unmarked = d0.shape[-1] - 1
    on_d0 = []
    on_d1 = []
    for sign_of_d0s in (0, 1):
        for sign_of_d1s in (0, 1):
            # Pluses among the unmarked: those of the classes that neither marks, and the other's.
            on_d0.append(d0[..., sign_of_d0s, sign_of_d1s : unmarked + sign_of_d1s])
            on_d1.append(d1[..., sign_of_d1s, sign_of_d0s : unmarked + sign_of_d0s])
    return _flat_states(on_d0, on_d1, counted_bits=2)


def class_cases(d0: np.ndarray, d1: np.ndarray) -> list[ClassCase]:
    """The cases where the special tokens of D0 and D1, drawn independently, mark the same class,
    and where they mark two."""
    classes = d0.shape[-1]
    cases = [ClassCase(1 / classes, same_class(d0, d1))]
    if classes > 1:
        cases.append(ClassCase(1 - 1 / classes, different_classes(d0, d1)))
    return cases


def _flat_states(d0: list[np.ndarray], d1: list[np.ndarray], counted_bits: int) -> States:
    """The states along one axis. The last axis of each part counts heads of fair coins,
    `counted_bits` axes before it are fair bits, and the parts are equally likely."""
    points = d0[0].shape[: -1 - counted_bits]
    flat_d0 = np.concatenate([part.reshape(*points, -1) for part in d0], axis=-1)
    flat_d1 = np.concatenate([part.reshape(*points, -1) for part in d1], axis=-1)
    coins = binomial_half_pmf(d0[0].shape[-1] - 1)
    settings_of_bits = flat_d0.shape[-1] // len(coins)
    weights = np.tile(coins / settings_of_bits, settings_of_bits)
    return States(flat_d0, flat_d1, weights)
