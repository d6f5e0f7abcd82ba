"""Exact laws of scores and of networks, from the distinct rows, at any number of classes.

Given a few signs, a score grows with the number of pluses among the other classes, so it exceeds a
threshold from some count on: a tail of the binomial law, and nothing of size n is built.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from attention_separation.attention.sign_columns import TIE_TOLERANCE

SIGNS = (-1.0, 1.0)

NEVER = 1e300
"""The constant where no number of columns is enough."""


@dataclass(frozen=True)
class RowWeights:
    """The distinct rows of c of one network as weights of a column's signs, (R,) each but `last`,
    the same in every row; None without a last coordinate."""

    classes: int
    first: np.ndarray
    marked: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    last: float | None


def heads_at_least(heads: float, coins: int) -> float:
    """Pr[at least so many heads among fair coins]."""
    if heads <= 0:
        return 1.0
    if heads > coins:
        return 0.0
    return float(betainc(heads, coins - heads + 1, 0.5))


def row_at_least(rows: RowWeights, row: int, threshold: float, s: float) -> float:
    """Pr[<c_j0, sigma> >= threshold] of one distinct row over a random sign vector.

    A score that is below the threshold by rounding alone, TIE_TOLERANCE s, reaches it.
    """
    rest = float(rows.rest[row])
    coins = rows.classes - 1
    singles = [float(rows.first[row]), float(rows.marked[row])]
    if coins and rows.own[row] != rest:
        singles.append(float(rows.own[row]))
        coins -= 1
    if rows.last is not None:
        singles.append(rows.last)
    total = 0.0
    for signs in itertools.product(SIGNS, repeat=len(singles)):
        known = sum(sign * weight for sign, weight in zip(signs, singles, strict=True))
        missing = threshold - TIE_TOLERANCE * s - known
        total += heads_at_least(_heads_to_reach(missing, rest, coins), coins)
    return total / 2 ** len(singles)


def column_exceeds(rows: RowWeights, tau: float, s: float) -> float:
    """Pr[some token's <c_j0, y_l> exceeds tau] of one sign column, as `success.exceeds` has it."""
    if (rows.own < rows.rest).any():
        raise ValueError("a row gives its own class less weight than another; allowed: not less")
    of_rows = [rows.first, rows.marked, rows.own - rows.rest, rows.rest]
    weights = np.transpose(of_rows).tolist()
    last = 0.0 if rows.last is None else rows.last
    unmarked = rows.classes - 1
    limit = tau + TIE_TOLERANCE * s
    last_signs = SIGNS if rows.last is not None else (1.0,)
    total = 0.0
    for sign_first, sign_marked, sign_last in itertools.product(SIGNS, SIGNS, last_signs):
        # From this count of pluses among the unmarked classes on, some row exceeds the limit.
        fewest = math.inf
        for first, marked, excess, rest in weights:
            missing = limit - sign_first * first - sign_marked * marked - sign_last * last
            if not excess:
                fewest = min(fewest, _heads_to_exceed(missing, rest, unmarked))
                continue
            # The own class has a plus as soon as there is one, else all classes have a minus.
            if missing + excess < -rest * unmarked:
                fewest = 0
            fewest = min(fewest, max(1, _heads_to_exceed(missing - excess, rest, unmarked)))
        total += heads_at_least(fewest, unmarked)
    return total / (4 * len(last_signs))


def none_positive(p: float, m: int) -> float:
    """(1 - p)^m: none of m independent columns does what each does with probability p."""
    return 0.0 if p >= 1 else math.exp(m * math.log1p(-p))


def some_positive(p: float, m: int) -> float:
    """1 - (1 - p)^m, precise where it is tiny."""
    return 1.0 if p >= 1 else -math.expm1(m * math.log1p(-p))


def least_constant(p: float) -> float:
    """Least C with (1 - p)^(C log(n/delta)) <= delta/n, p the chance of one column."""
    return NEVER if p == 0 else 0.0 if p == 1 else -1 / math.log1p(-p)


def _heads_to_reach(missing: float, rest: float, coins: int) -> float:
    """Fewest heads with rest (heads - tails) >= missing."""
    if not rest or not coins:
        return 0 if missing <= 0 else math.inf
    return math.ceil((missing / rest + coins) / 2)


def _heads_to_exceed(missing: float, rest: float, coins: int) -> float:
    """Fewest heads with rest (heads - tails) > missing."""
    if not rest or not coins:
        return 0 if missing < 0 else math.inf
    return math.floor((missing / rest + coins) / 2) + 1
