"""A detector's accuracy where D0 and D1 are equally likely, and the n at which it crosses .75.

On D0 all n tokens are noise, on D1 one of them, the needle, has mu added.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.special import ndtr

CRITICAL = 0.75
"""The accuracy at which n is critical: halfway between certainty and a guess."""


class Accuracy(NamedTuple):
    """The share of right answers at equal priors, 1/2 to 1, and the measured `error` of its
    numerics: how far a finer grid moves it."""

    value: float
    error: float


def of_events(on_d1: float, on_d0: float) -> float:
    """The accuracy of saying D1 in an event that has these probabilities on D1 and on D0."""
    return 0.5 + 0.5 * (on_d1 - on_d0)


def of_one_token(mu: float) -> float:
    """With n = 1 every kernel's average is the token itself, z or z + mu: Phi(mu / 2)."""
    return float(ndtr(mu / 2))


MOST_N = 10**15
"""Tokens: whole numbers that float64 and the sums over n still tell apart."""

N_FACTOR = 4
"""Factor between the n that are tried first."""


class Crossing(NamedTuple):
    """The n at which the accuracy is .75, interpolated in log n between two whole numbers, and how
    far the accuracies' errors may move it. 0 where it is below at n = 1, inf where above at
    MOST_N."""

    n: float
    error: float


def crossing(accuracy_at: Callable[[int], Accuracy], about: float) -> Crossing:
    """The n at which `accuracy_at(n)`, which falls with n, is CRITICAL; the search begins near
    `about`."""
    known: dict[int, Accuracy] = {}

    def above(n: int) -> float:
        """The accuracy at n less CRITICAL; each n is asked once."""
        if n not in known:
            known[n] = accuracy_at(n)
        return known[n].value - CRITICAL

    low = high = int(min(max(about, 1), MOST_N))
    while above(low) < 0:
        if low == 1:
            return Crossing(0.0, 0.0)
        high, low = low, max(low // N_FACTOR, 1)
    while above(high) >= 0:
        if high == MOST_N:
            return Crossing(math.inf, 0.0)
        low, high = high, min(high * N_FACTOR, MOST_N)
    while high - low > 1:
        middle = _interpolated_n(low, high, above(low), above(high))
        # The true crossing is near: the other end is drawn to it.
        reach = max((high - low) // 64, 1)
        beyond = middle + reach if above(middle) >= 0 else middle - reach
        for n in (middle, beyond):
            if not low < n < high:
                continue
            if above(n) >= 0:
                low = n
            else:
                high = n
    fall = above(low) - above(high)
    # log1p, for neighbours of 10^15 have one logarithm.
    width = math.log1p(1 / low)
    crossing_n = low * math.exp(above(low) / fall * width)
    error = max(known[low].error, known[high].error)
    return Crossing(crossing_n, crossing_n * error / (fall / width))


def _interpolated_n(low: int, high: int, value_at_low: float, value_at_high: float) -> int:
    """The whole n strictly between `low` and `high` nearest to where a value that is linear in log
    n, positive at `low` and negative at `high`, is 0."""
    share = value_at_low / (value_at_low - value_at_high)
    n = round(low * (high / low) ** share)
    return min(max(n, low + 1), high - 1)
