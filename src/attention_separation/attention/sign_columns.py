"""Sign columns: scores against distinct rows, when one exceeds tau, and the law of their states.

A state of a column y is the bits of its first, last and marked coordinates and the number of pluses
among the K - 1 unmarked classes, in this order in arrays. Columns are alike and apart from each
other.
"""

import math
from functools import lru_cache

import numpy as np

from .distinct_rows import Rows

TIE_TOLERANCE = 1e-12
"""In units of s: scores are sums of floats, and exact ties with tau do occur."""


def exceeds(score, tau: float, s: float):
    """Whether a score exceeds tau (sections 7.1 and 7.2): strictly, and a tie does not.

    F > 0 if and only if some neuron's score exceeds tau, for every summand of F is >= 0.
    `s` is sqrt(log n) for the attention models and 1 for the regression model.
    """
    return score - tau > TIE_TOLERANCE * s


SIGN = np.array([-1.0, 1.0])


def largest_scores(rows: Rows) -> np.ndarray:
    """The largest <c_j0, y> over all tokens j0, for every state of a column.

    rows : of P points with equal K, or ValueError is raised

    Returns
    -------
    (P, 2, E, 2, K) float64, indexed by the bit of the first sign, the bit of the last (E = 1
    without a last coordinate, else 2), the bit of the marked class's sign, and the number of pluses
    among the unmarked classes
    """
    (classes,) = {*rows.classes.tolist()}
    per_row = rows.last is not None and rows.last.shape[1] > 1
    largest = None
    for row in range(rows.first.shape[1]):
        scores = _scores(
            *(w[:, row] for w in (rows.first, rows.marked, rows.own, rows.rest)), classes
        )
        if per_row:
            scores = _with_last(scores, rows.last[:, row])
        largest = scores if largest is None else np.maximum(largest, scores, out=largest)
    if per_row:
        return largest
    return largest[:, :, None] if rows.last is None else _with_last(largest, rows.last[:, 0])


def _scores(
    first: np.ndarray, marked: np.ndarray, own: np.ndarray, rest: np.ndarray, classes: int
) -> np.ndarray:
    """The largest scores of one type of row, its weights (P,), without the last coordinate:
    (P, 2, 2, K)."""
    unmarked = classes - 1
    pluses = np.arange(unmarked + 1)
    # The own class takes either sign, as far as the unmarked classes have that sign.
    excess = (own - rest)[:, None]
    with_plus = np.where(pluses > 0, excess, -np.inf)
    with_minus = np.where(pluses < unmarked, -excess, -np.inf)
    of_own = np.where(excess == 0.0, 0.0, np.maximum(with_plus, with_minus))
    of_rest = rest[:, None] * (2.0 * pluses - unmarked) + of_own
    signed = SIGN[:, None] * first[:, None, None] + SIGN * marked[:, None, None]
    return signed[..., None] + of_rest[:, None, None, :]


def _with_last(scores: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(P, 2, 2, K) and (P,) -> (P, 2, 2, 2, K): after the first sign, the bit of the last."""
    return scores[:, :, None] + (SIGN * last[:, None])[:, None, :, None, None]


def binomial_half_pmf(coins: int) -> np.ndarray:
    """Probabilities of 0..coins heads, each to a relative error of about 1e-16 coins."""
    return _around_middle(coins, coins)[1]


def likely_heads(coins: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of heads and their probabilities, all but a share of 1e-20."""
    return _around_middle(coins, math.isqrt(25 * coins) + 5)


@lru_cache(maxsize=8192)
def _around_middle(coins: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratios of neighbours multiplied up from the middle, where the probability is largest."""
    middle = coins // 2
    up = np.arange(middle, min(middle + reach, coins))
    down = np.arange(middle, max(middle - reach, 0), -1)
    rising = np.cumprod((coins - up) / (up + 1.0))
    falling = np.cumprod(down / (coins - down + 1.0))
    unscaled = np.concatenate([falling[::-1], [1.0], rising])
    numbers = np.arange(middle - len(down), middle + len(up) + 1)
    probabilities = unscaled / unscaled.sum()
    for shared in (numbers, probabilities):
        shared.flags.writeable = False
    return numbers, probabilities


States = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What each of S states of a column is worth to D0 and D1, (..., S), and its probability, (S,)."""

NEARLY_ONE = np.nextafter(1.0, 0.0)


def none_of(q: float | np.ndarray, m: float | np.ndarray) -> np.ndarray:
    """Probability that none of m columns is one of them: (1 - q)^m.

    At most 1 however the q were rounded, and exact to their rounding for large m.
    """
    return np.exp(m * np.log1p(-np.minimum(q, NEARLY_ONE)))


def same_class(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark the same class.

    d0, d1 : (..., 2, E, 2, K), what each state of a column is worth to either dataset, as
    `largest_scores` indexes them.
    """
    return _weighted([(d0, d1)])


def different_classes(d0: np.ndarray, d1: np.ndarray) -> States:
    """The same where they mark two classes: each counts the other's among the unmarked."""
    unmarked = d0.shape[-1] - 1
    return _weighted(
        [
            (
                d0[..., own0, own1 : unmarked + own1],
                d1[..., own1, own0 : unmarked + own0],
            )
            for own0 in (0, 1)
            for own1 in (0, 1)
        ]
    )


def _weighted(parts: list[tuple[np.ndarray, np.ndarray]]) -> States:
    """States whose last axis counts heads of fair coins, and whose others are fair bits."""
    lead = parts[0][0].shape[: parts[0][0].ndim - (4 if len(parts) == 1 else 3)]
    d0, d1 = (
        np.concatenate([part[k].reshape(*lead, -1) for part in parts], axis=-1) for k in (0, 1)
    )
    coins = binomial_half_pmf(parts[0][0].shape[-1] - 1)
    bits = d0.shape[-1] // len(coins)
    return d0, d1, np.tile(coins / bits, bits)
