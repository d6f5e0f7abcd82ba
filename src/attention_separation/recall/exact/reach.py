"""Up to which n an accuracy is at least a level, and at which n before it is not."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ...statistics.bisection import bracket, whole_between
from .answer import Recall

LARGEST_N = 10**12

EVERY = 24
"""Up to here every n is tried."""

PER_DECADE = 10
"""Of n that are tried beyond."""

GROWTH = 1.5
"""From one simulated n to the next."""

WIDER = 1.08
"""From one n to the next, where it is asked from which on the answer is sure."""

RecallAt = Callable[[int], Recall]


@dataclass(frozen=True)
class Reach:
    """The largest n with an accuracy of at least a level.

    Attributes
    ----------
    last : that n; inf where it is at the end still, None where at none
    warnings : what is to be said of it
    low, high : of what is simulated, the n that surely are on their sides; None where none was met
    """

    last: float | None
    warnings: list[str] = field(default_factory=list)
    low: int | None = None
    high: int | None = None


def sizes(least: int, end: int) -> list[int]:
    """The n that are tried, from the least to the end."""
    count = math.ceil(PER_DECADE * math.log10(end))
    tried = {round(10 ** (k / PER_DECADE)) for k in range(count)}
    tried |= {*range(1, EVERY + 1), least, end}
    return sorted(n for n in tried if least <= n <= end)


def reach(recall_at: RecallAt, level: float, least: int, end: int) -> Reach:
    """Of an accuracy that is computed; beyond `end` it does not rise, and only the last n is sought
    there."""
    tried = sizes(least, end)
    reaches = {n: recall_at(n).value >= level for n in tried}
    if not any(reaches.values()):
        return Reach(None)
    last = max(n for n in tried if reaches[n])
    below = [n for n in tried if n < last and not reaches[n]]
    warnings = []
    if below:
        warnings.append(_words_of_holes(recall_at, level, tried, reaches))
    if last < tried[-1]:
        return Reach(_end_between(recall_at, level, last, _next(tried, last)), warnings)
    if end == LARGEST_N or recall_at(LARGEST_N).value >= level:
        return Reach(math.inf, warnings)
    return Reach(_end_beyond(recall_at, level, end), warnings)


def _words_of_holes(
    recall_at: RecallAt, level: float, tried: list[int], reaches: dict[int, bool]
) -> str:
    last = max(n for n in tried if reaches[n])
    below = [n for n in tried if n < last and not reaches[n]]
    first_below = below[0]
    before = [n for n in tried if n < first_below]
    if before:
        first_below = _end_between(recall_at, level, before[-1], first_below) + 1
    after = _next(tried, below[-1])
    last_below = _first_between(recall_at, level, below[-1], after) - 1
    return (
        f"the accuracy is below {level:g} at smaller n too, first at {first_below:,} and last at "
        f"{last_below:,}"
    )


def _next(tried: list[int], n: int) -> int:
    return tried[tried.index(n) + 1]


def _end_beyond(recall_at: RecallAt, level: float, end: int) -> int:
    """The last n that reaches the level, where `end` does and LARGEST_N does not."""
    low = end
    high = LARGEST_N
    # Of the mean over all ages the excess over 1/2 falls as 1 / n: it is beside this n.
    excess = (recall_at(end).value - 0.5) * end
    about = int(excess / (level - 0.5))
    for n in (about - 1, about + 2):
        if low < n < high:
            if recall_at(n).value >= level:
                low = n
            else:
                high = n
    return _end_between(recall_at, level, low, high)


def _end_between(recall_at: RecallAt, level: float, low: int, high: int) -> int:
    """The last n that reaches the level, where `low` does and `high` does not."""

    def reaches(n: int) -> bool:
        return recall_at(n).value >= level

    last, _ = bracket(low, high, reaches, whole_between)
    return last


def _first_between(recall_at: RecallAt, level: float, low: int, high: int) -> int:
    """The first n that reaches the level, where `low` does not and `high` does."""

    def is_below(n: int) -> bool:
        return not recall_at(n).value >= level

    _, first = bracket(low, high, is_below, whole_between)
    return first


def simulated_reach(recall_at: RecallAt, level: float, least: int, most: int) -> Reach:
    """Of an accuracy that is simulated and falls with n: sought upwards, with the n that the
    intervals leave open."""
    known: dict[int, Recall] = {}

    def asked(n: int) -> Recall:
        if n not in known:
            known[n] = recall_at(n)
        return known[n]

    low = least
    if asked(low).value < level:
        return Reach(None)
    high = max(math.ceil(GROWTH * low), low + 1)
    while high <= most and asked(high).value >= level:
        low = high
        high = math.ceil(GROWTH * high)
    if high > most:
        text = f"simulated up to n = {low:,}, where its accuracy is at least {level:g} still"
        return Reach(math.inf, [text], low=_surely_above(known, level))
    last = _end_between(asked, level, low, high)
    _ask_until_sure(asked, level, last, least, most)
    near = asked(last)
    beyond = asked(last + 1)
    slope = _slope(known, last)
    open_n = math.ceil(max(near.error, beyond.error) / slope) if slope else high - low
    text = (
        f"simulated: the accuracy's interval of 95 % leaves about n = {max(last - open_n, least):,}"
        f" to {last + open_n:,} open"
    )
    return Reach(last, [text], low=_surely_above(known, level), high=_surely_below(known, level))


def _ask_until_sure(asked: RecallAt, level: float, last: int, least: int, most: int) -> None:
    """Ask at n to both sides of the last until intervals are on theirs."""
    low = last
    while low > least and asked(low).value - asked(low).error < level:
        low = max(math.floor(low / WIDER), least)
    high = last + 1
    while high < most and asked(high).value + asked(high).error >= level:
        high = min(math.ceil(WIDER * high), most)


def _surely_above(known: dict[int, Recall], level: float) -> int | None:
    """The largest n whose interval is above a level."""
    return max(
        (n for n, found in known.items() if found.value - found.error >= level), default=None
    )


def _surely_below(known: dict[int, Recall], level: float) -> int | None:
    """The least n whose interval is below a level."""
    return min((n for n, found in known.items() if found.value + found.error < level), default=None)


def _slope(known: dict[int, Recall], last: int) -> float:
    """How much the accuracy falls with each n, between the known n at least a tenth away."""
    below = [n for n in known if n < 0.9 * last]
    above = [n for n in known if n > 1.1 * last]
    low = max(below, default=min(known))
    high = min(above, default=max(known))
    if low == high:
        return 0.0
    return (known[low].value - known[high].value) / (high - low)
