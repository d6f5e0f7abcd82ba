"""Distinct attention rows: what is left of n x n attention once equal tokens are counted.

Both attention datasets have K classes of t tokens each; one token is special and marks its class.
Every row of c is then first y_1 + marked y_k3 + own y_q + rest (sum of the other class signs)
+ last y_d against a sign column y, where q is the class of the querying token. Only few signs and a
count of pluses matter: that is the state of a column.
"""

import math
from dataclasses import dataclass

import numpy as np

SIGN = np.array([-1.0, 1.0])
WEIGHTS = ("first", "marked", "own", "rest")


@dataclass(frozen=True)
class TokenClasses:
    """K classes with t tokens in each; n = K t."""

    count: int
    tokens_each: int


@dataclass(frozen=True)
class DistinctRows:
    """The R distinct rows of c of one network, as weights of a column's signs.

    Each weight is an (R,) array: of the first coordinate, of the marked class, of the querying
    token's own class (equal to `rest` where the own class is none of the unmarked ones), and of
    every further class. `last` is that of the last coordinate, the same in every row; None for a
    model without one. Rows of P points together have (P, R) weights, and (P,) for `last`.
    """

    classes: int
    first: np.ndarray
    marked: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    last: float | np.ndarray | None

    def largest_scores(self) -> np.ndarray:
        """The largest <c_j0, y_l> over all tokens j0, for every state of a column y_l.

        Returns
        -------
        scores : (2, E, 2, K) float64, indexed by the bit of the first sign, the bit of the last
            (E = 1 without a last coordinate, else 2), the bit of the marked class's sign, and the
            number of pluses among the K - 1 unmarked classes; (P, 2, E, 2, K) for P points.
        """
        unmarked = self.classes - 1
        pluses = np.arange(unmarked + 1)[:, None]
        first, marked, own, rest = (
            weight[..., None, None, None, :]
            for weight in (self.first, self.marked, self.own, self.rest)
        )
        # The own class takes either sign, as far as the unmarked classes have that sign.
        excess = own - rest
        with_plus = np.where(pluses > 0, excess, -np.inf)
        with_minus = np.where(pluses < unmarked, -excess, -np.inf)
        own = np.where(excess == 0.0, 0.0, np.maximum(with_plus, with_minus))
        signed = SIGN[:, None, None, None] * first + SIGN[:, None, None] * marked
        largest = (signed + (rest * (2.0 * pluses - unmarked) + own)).max(axis=-1)
        largest = largest[..., :, None, :, :]
        if self.last is None:
            return largest
        return largest + SIGN[:, None, None] * np.asarray(self.last)[..., None, None, None, None]


def together(rows: list[DistinctRows]) -> DistinctRows:
    """The rows of several points as one: all with as many classes and as many distinct rows."""
    weights = [np.array([getattr(row, name) for row in rows]) for name in WEIGHTS]
    last = None if rows[0].last is None else np.array([row.last for row in rows])
    return DistinctRows(rows[0].classes, *weights, last)


def attend(
    weights: np.ndarray,
    classes: TokenClasses,
    first: float,
    block: float,
    last: float | None,
) -> DistinctRows:
    """Normalise kernel weights over all n tokens and read the tokens' values (A3 V, V = I).

    Parameters
    ----------
    weights : (R, 4) weight h(score) that a row gives to the special token, to another of its
        class, to one of the row's own class, and to one of any further class
    first : value of the special token's first coordinate
    block : value of a token's class coordinate
    last : value of every token's last coordinate, None for a model without one
    """
    special, same, own, rest = weights.T
    t, unmarked = classes.tokens_each, classes.count - 1
    others = own + (unmarked - 1) * rest if unmarked else np.zeros_like(rest)
    total = special + (t - 1) * same + t * others
    return DistinctRows(
        classes=classes.count,
        first=first * special / total,
        marked=block * (special + (t - 1) * same) / total,
        own=block * t * own / total,
        rest=block * t * rest / total,
        last=last,
    )


def check_stack(n: int, d: int, other_columns: int, definition: str) -> None:
    """Raise ValueError unless n tokens stack identities of d - other_columns, and log n > 0."""
    size = d - other_columns
    if size < 1:
        raise ValueError(
            f"d={d}: {definition} has {other_columns} columns beside its identities; "
            f"allowed: d >= {other_columns + 1}"
        )
    if n < 2:
        raise ValueError(f"n={n}: {definition} has the factor sqrt(log n); allowed: n >= 2")
    if n % size:
        raise ValueError(
            f"n={n} with d={d}: {definition} stacks identities, n = (d-{other_columns}) t with "
            f"d-{other_columns} = {size}; nearest valid n: {nearest_multiples(n, size)}"
        )


def nearest_multiples(n: int, of: int) -> str:
    """The multiples of `of` next to n, smaller and larger, that leave log n > 0."""
    below = n // of * of
    smallest = of * math.ceil(2 / of)
    return " or ".join(str(k) for k in sorted({max(below, smallest), max(below + of, smallest)}))
