"""The probability that a network alone tells D1 from D0 with a gap between their scores."""

import numpy as np

from attention_separation.attention.exceeding import TIE_TOLERANCE
from attention_separation.attention.separation import Ranked
from attention_separation.attention.sign_columns import none_of

MOST_BYTES = 2 << 30
"""Of the joint law of a column's two scores; more values than fit are refused."""


def gap_probability(ranked: Ranked, gap: float, theta: float | None = None) -> float:
    """P(all scores are at most theta - gap / 2 on D0, and one is above theta + gap / 2 on D1), of
    the one point of `ranked`; at the best theta > 0 where none is given.

    Parameters
    ----------
    gap : 2 eps, in units of s, at least 0
    theta : threshold in units of s, or None
    """
    values = ranked.values[0]
    if theta is None:
        # Scores are compared with each other: equal ones have one rank.
        lowest, tie = values[2 * values + gap > 0], 0.0
    else:
        lowest, tie = np.array([theta - gap / 2]), TIE_TOLERANCE
    found = np.zeros(len(lowest))
    for case in ranked.cases:
        u0, u1 = values[case.u0[0]], values[case.u1[0]]
        for k, low in enumerate(lowest):
            loud = u0 > low + tie
            heard = loud | (u1 > low + gap + tie)
            some, any_of_both = case.weights[loud].sum(), case.weights[heard].sum()
            found[k] += case.chance * (
                none_of(some, ranked.m[0]) - none_of(any_of_both, ranked.m[0])
            )
    return float(found.max(initial=0.0))


def bytes_of_margin(classes: int) -> int:
    """About how much memory `separation.widest_margin` takes for so many classes."""
    return 5 * 8 * (16 * classes) ** 2
