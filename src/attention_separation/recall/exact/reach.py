"""Up to which n an accuracy is at least a level, and at which n before it is not.

A *hole* is a run of n below the largest one at which the accuracy is below the level.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ...statistics.bisection import bracket, whole_between
from .answer import Recall

LARGEST_N = 10**12

EVERY_SIZE_UP_TO = 24
"""Up to here every n is tried."""

SIZES_PER_DECADE = 10
"""Of n that are tried beyond."""

LEVEL_ROUNDING = 1e-12
"""By which an accuracy that is the level may miss it."""

BRACKET_GROWTH = 1.5
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
    """The n that are tried, in order, from the least to the end."""
    count = math.ceil(SIZES_PER_DECADE * math.log10(end))
    tried = {round(10 ** (k / SIZES_PER_DECADE)) for k in range(count)}
    tried |= {*range(1, EVERY_SIZE_UP_TO + 1), least, end}
    return sorted(n for n in tried if least <= n <= end)


def reach(
    recall_at: RecallAt, level: float, least: int, end: int, also: Sequence[int] = ()
) -> Reach:
    """The largest n at which a computed accuracy is at least a level, with warnings. Beyond `end`
    the accuracy does not rise, and only the last n is sought there. `also` are further n that are
    tried."""
    level -= LEVEL_ROUNDING
    tried = sorted({*sizes(least, end), *(n for n in also if least <= n <= end)})
    recall_by_n = {n: recall_at(n) for n in tried}
    reaches = {n: answer.value >= level for n, answer in recall_by_n.items()}
    if not any(reaches.values()):
        return Reach(None)
    last = max(n for n in tried if reaches[n])
    below = [n for n in tried if n < last and not reaches[n]]
    warnings = []
    if below:
        warnings.append(_words_of_holes(recall_at, level, tried, reaches))
    warnings += _words_of_error(recall_by_n, level)
    if last < tried[-1]:
        return Reach(_end_between(recall_at, level, last, _next(tried, last)), warnings)
    if end == LARGEST_N or recall_at(LARGEST_N).value >= level:
        return Reach(math.inf, warnings)
    return Reach(_end_beyond(recall_at, level, end), warnings)


def _words_of_error(recall_by_n: dict[int, Recall], level: float) -> list[str]:
    """A sentence on the n tried whose error leaves open whether they reach the level."""
    distances = {n: abs(answer.value - level) for n, answer in recall_by_n.items()}
    open_n = [n for n in recall_by_n if 2 * LEVEL_ROUNDING < distances[n] < recall_by_n[n].error]
    if not open_n:
        return []
    most = max(recall_by_n[n].error for n in open_n)
    return [
        f"the error of the accuracy, up to {most:.1g}, leaves open whether it is {level:g} at n "
        f"from {min(open_n):,} to {max(open_n):,}"
    ]


def _words_of_holes(
    recall_at: RecallAt, level: float, tried: list[int], reaches: dict[int, bool]
) -> str:
    """The sentence that the accuracy is below the level at smaller n too, with the first and the
    last of these n."""
    last = max(n for n in tried if reaches[n])
    below = [n for n in tried if n < last and not reaches[n]]
    first_below = below[0]
    above_before = [n for n in tried if n < first_below]
    if above_before:
        first_below = _end_between(recall_at, level, above_before[-1], first_below) + 1
    n_after = _next(tried, below[-1])
    last_below = _first_between(recall_at, level, below[-1], n_after) - 1
    return (
        f"the accuracy is below {level:g} at smaller n too, first at {first_below:,} and last at "
        f"{last_below:,}"
    )


def _next(tried: list[int], n: int) -> int:
    """The n that is tried after this one."""
    return tried[tried.index(n) + 1]


def _end_beyond(recall_at: RecallAt, level: float, end: int) -> int:
    """The last n that reaches the level, beyond `end`, which does, and below LARGEST_N, which does
    not."""
    low = end
    high = LARGEST_N
    # Of the mean over all ages the excess over 1/2 falls as 1 / n: it is beside this n.
    excess = (recall_at(end).value - 0.5) * end
    estimate = int(excess / (level - 0.5))
    for n in (estimate - 1, estimate + 2):
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


LOOKED_BEYOND = 3
"""Times the last n that is found: so far it is looked for larger ones."""


def simulated_reach(
    recall_at: RecallAt, level: float, least: int, most: int, also: Sequence[int] = ()
) -> Reach:
    """Of an accuracy that is simulated: the end of where it reaches the level from the least n on,
    or of the last island that surely reaches it of those met among the n that are looked at. These
    are 10 a decade, and `also`, up to LOOKED_BEYOND times the last n."""
    known: dict[int, Recall] = {}

    def remembered(n: int) -> Recall:
        if n not in known:
            known[n] = recall_at(n)
        return known[n]

    last: float | None = None
    if remembered(least).value >= level:
        last = _end_upwards(remembered, level, least, most)
    looked_end = _looked_end(last, [LOOKED_BEYOND * least, *also, *known], most)
    _look(remembered, least, looked_end, also)
    islands = _islands(known, level, last)
    while islands:
        last = _end_upwards(remembered, level, islands[-1], most)
        looked_end = _looked_end(last, known, most)
        _look(remembered, least, looked_end, also)
        islands = _islands(known, level, last)
    if last is None and not any(_is_open(found, level) for found in known.values()):
        text = f"simulated: the accuracy is below {level:g} at {_words_of_looked(known)}"
        return Reach(None, [text], high=_surely_below(known, level))
    if last != math.inf:
        _ask_until_sure(remembered, level, least if last is None else int(last), least, most)
    surely_above = _surely_above(known, level)
    surely_below = _surely_below(known, level)
    if last == math.inf:
        text = (
            f"simulated up to n = {max(known):,}, where its accuracy is at least {level:g} still; "
            f"of {_words_of_looked(known)}"
        )
    else:
        text = _words_of_open(surely_above or least, surely_below, most)
        text += f"; of {_words_of_looked(known)}"
    warnings = [text, *_words_of_runs(known, level)]
    return Reach(last, warnings, low=surely_above, high=surely_below)


def _end_upwards(asked: RecallAt, level: float, low: int, most: int) -> float:
    """The end, upwards of an n that reaches the level; inf where it is not met."""
    high = max(math.ceil(BRACKET_GROWTH * low), low + 1)
    while high <= most and asked(high).value >= level:
        low = high
        high = math.ceil(BRACKET_GROWTH * high)
    return math.inf if high > most else _end_between(asked, level, low, high)


def _looked_end(last: float | None, tried: Iterable[int], most: int) -> int:
    """Up to which n it is looked: beyond the last, and no less far than those tried."""
    if last is None or last == math.inf:
        return min(max(tried), most)
    return min(max(LOOKED_BEYOND * int(last), *tried), most)


def _look(asked: RecallAt, least: int, end: int, also: Sequence[int]) -> None:
    """Ask at n that lie evenly, on a scale of logarithms, and at some more."""
    decades = math.log10(max(end, 2))
    even = {
        round(10 ** (k / SIZES_PER_DECADE)) for k in range(math.ceil(SIZES_PER_DECADE * decades))
    }
    for n in sorted({*even, *also, end}):
        if least <= n <= end:
            asked(n)


def _islands(known: dict[int, Recall], level: float, last: float | None) -> list[int]:
    """The n beyond the last that surely reach the level, in order."""
    return sorted(n for n in known if n > (last or 0) and _is_above(known[n], level))


def _words_of_looked(known: dict[int, Recall]) -> str:
    """Which n were looked at."""
    return f"{len(known)} n that were looked at, from {min(known):,} to {max(known):,}"


def _words_of_runs(known: dict[int, Recall], level: float) -> list[str]:
    """A sentence on the n that surely are on each side of the level, where they do not only fall
    below it."""
    runs: list[tuple[bool, int, int]] = []
    for n in sorted(known):
        if _is_open(known[n], level):
            continue
        is_above = _is_above(known[n], level)
        if runs and runs[-1][0] == is_above:
            runs[-1] = (is_above, runs[-1][1], n)
        else:
            runs.append((is_above, n, n))
    sides = [is_above for is_above, _, _ in runs]
    if sides in ([], [True], [False], [True, False]):
        return []
    words = []
    for is_above, first, end in runs:
        where = f"{first:,}" if first == end else f"{first:,} to {end:,}"
        words.append(
            f"at least {level:g} at n = {where}" if is_above else f"below it at n = {where}"
        )
    return [
        "simulated: the accuracy does not only fall with n: of the n that were looked at it is, by "
        f"its intervals, {', '.join(words)}"
    ]


def _words_of_open(low: int, high: int | None, most: int) -> str:
    """What the intervals leave open, from an n to one that is surely below the level; None where
    none was met."""
    end = most if high is None else high
    return f"simulated: the accuracy's interval of 95 % leaves about n = {low:,} to {end:,} open"


def _ask_until_sure(recall_at: RecallAt, level: float, last: int, least: int, most: int) -> None:
    """Simulate at n to both sides of the last one until the whole interval lies above the level on
    the one side, and below it on the other."""
    low = last
    while low > least and not _is_above(recall_at(low), level):
        low = max(math.floor(low / WIDER), least)
    high = last + 1
    while high < most and not _is_below(recall_at(high), level):
        high = min(math.ceil(WIDER * high), most)


def _is_above(recall: Recall, level: float) -> bool:
    """Whether the whole interval of an accuracy reaches a level."""
    return recall.value - recall.error >= level


def _is_below(recall: Recall, level: float) -> bool:
    """Whether the whole interval of an accuracy is below a level."""
    return recall.value + recall.error < level


def _is_open(recall: Recall, level: float) -> bool:
    """Whether the interval of an accuracy contains a level."""
    return not _is_above(recall, level) and not _is_below(recall, level)


def _surely_above(known: dict[int, Recall], level: float) -> int | None:
    """The largest known n up to which all intervals are above a level."""
    last = None
    for n in sorted(known):
        if not _is_above(known[n], level):
            break
        last = n
    return last


def _surely_below(known: dict[int, Recall], level: float) -> int | None:
    """The least known n from which on all intervals are below a level."""
    first = None
    for n in sorted(known, reverse=True):
        if not _is_below(known[n], level):
            break
        first = n
    return first
