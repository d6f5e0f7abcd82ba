"""The probability that a network alone tells D1 from D0 with a gap between their scores."""

import numpy as np

from .exceeding import TIE_TOLERANCE
from .separation import Ranked
from .sign_columns import none_of
from .threshold_curves import EQUAL, NARROWEST

MOST_BYTES = 2 << 30
"""Of the joint law of a column's two scores; more values than fit are refused."""


def best_with_gap(ranked: Ranked, gap: float) -> tuple[float, float, float]:
    """The largest P(all scores are at most theta - gap / 2 on D0, and one is above theta + gap / 2
    on D1) over theta > 0, of the one point of `ranked`, and the ends of the widest interval of
    theta that float64 tells and that reaches it; `gap`, 2 eps, and theta in units of s."""
    values = ranked.values[0]
    # Between two of these nothing changes.
    lowest = np.unique(np.concatenate([values, values - gap, [-gap / 2, values[-1] + 1.0]]))
    lowest = lowest[lowest >= -gap / 2]
    wide = np.diff(lowest) > NARROWEST * np.abs(values).max()
    # At the ends (value - gap) + gap may be above or below the value.
    middles = (lowest[:-1] + lowest[1:]) / 2
    found = np.full(len(middles), -1.0)
    found[wide] = _with_gap(ranked, middles[wide], gap, 0.0)
    reached = found >= found.max() - EQUAL
    widest = int(np.argmax(np.where(reached, np.diff(lowest), -1.0)))
    low, high = lowest[widest : widest + 2] + gap / 2
    return float(found[widest]), float(low), float(high)


def probability_with_gap(ranked: Ranked, gap: float, theta: float) -> float:
    """The same at a given threshold; a score that ties one is not above it."""
    return float(_with_gap(ranked, np.array([theta - gap / 2]), gap, TIE_TOLERANCE)[0])


def _with_gap(ranked: Ranked, lowest: np.ndarray, gap: float, tie: float) -> np.ndarray:
    """The probability at thresholds gap / 2 above `lowest` (T,): (T,)."""
    values, found = ranked.values[0], np.zeros(len(lowest))
    for case in ranked.cases:
        u0, u1 = values[case.u0[0]], values[case.u1[0]]
        for k, low in enumerate(lowest):
            loud = u0 > low + tie
            heard = loud | (u1 > low + gap + tie)
            some, any_of_both = case.weights[loud].sum(), case.weights[heard].sum()
            found[k] += case.chance * (
                none_of(some, ranked.m[0]) - none_of(any_of_both, ranked.m[0])
            )
    return found


def bytes_of_margin(classes: int) -> int:
    """About how much memory `separation.widest_margin` takes for so many classes."""
    return 5 * 8 * (16 * classes) ** 2
