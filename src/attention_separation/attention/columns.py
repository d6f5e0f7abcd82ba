"""Scores of a sign column against distinct rows: few signs and a count of pluses decide them.

The state of a column y is the bits of its first, last and marked coordinates and the number of
pluses among the K - 1 unmarked classes.
"""

import numpy as np

from .rows import Rows

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
