"""Values, names, numbers and lists in sentences; values are cut where they are long."""

import difflib
import math
import re
import reprlib
from collections.abc import Sequence
from typing import Any

SHOWN_CHARACTERS = 60
"""Characters of a value or a name that a sentence shows."""

MOST_DECIMALS = 15

PLAIN_KEY = re.compile(r"[\w/+-]([\w/+ -]{0,98}[\w/+-])?")


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class _Shown(reprlib.Repr):
    """As the library's, but it can say any whole number."""

    def repr_int(self, x: int, level: int) -> str:
        """The number as the library writes it; of one too long for Python to write, how many digits
        it has."""
        try:
            return super().repr_int(x, level)
        except ValueError:
            return f"a number of {round(x.bit_length() * math.log10(2))} digits"


# The whole of a value in which aliases multiply would take all memory.
_SHOWN = _Shown()
_SHOWN.maxlevel = 4
_SHOWN.maxdict = _SHOWN.maxlist = _SHOWN.maxtuple = _SHOWN.maxset = 12
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = SHOWN_CHARACTERS


def plain_or_quoted(name: str) -> str:
    """A key as it stands, or in quotes where it would not be recognised as one."""
    return name if PLAIN_KEY.fullmatch(name) else short_repr(name)


def suggestion(name: str, allowed: list[str]) -> str:
    """The hint on what may stand in a name's place, the likeliest first."""
    close = difflib.get_close_matches(name, allowed, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(map(plain_or_quoted, allowed)) or 'none'}"


def short_repr(value: Any) -> str:
    """A value as text, cut where it is long."""
    text = _SHOWN.repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 3]}..."


def counted(count: int, noun: str) -> str:
    """A count with its noun, whose plural ends in s: 1 point, 2,000 points."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def whole_range(least: int, most: int) -> str:
    """The whole numbers of a range, in words."""
    return f"whole numbers from {least:,} to {most:,}"


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """At least one word as a list: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def rounded_up(value: float) -> str:
    """A positive number as text of one digit, never too small: 1.3e-6 is 2e-6."""
    power = math.floor(math.log10(value))
    return f"{math.ceil(value / 10**power - 1e-9):d}e{power}" if power < -3 else f"{value:.2g}"


def range_in_words(low: float, high: float, digits: int) -> str:
    """Two ends as text, with as many decimals each: so many digits of the larger, more where they
    would be one text."""
    largest = max(abs(low), abs(high))
    decimals = max(digits - 1 - math.floor(math.log10(largest)), 0) if largest > 0 else 0
    while f"{low:.{decimals}f}" == f"{high:.{decimals}f}" and decimals < MOST_DECIMALS:
        if low == high:
            break
        decimals += 1
    return f"{low:.{decimals}f} to {high:.{decimals}f}"


def ten_to(power: int) -> str:
    """A power of ten as text: 10⁶."""
    return f"10{str(power).translate(SUPERSCRIPTS)}"
