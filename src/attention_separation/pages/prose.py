"""Numbers and lists in words."""

import math
from collections.abc import Sequence


def counted(count: int, what: str) -> str:
    """How many there are of something whose plural ends in s: 1 point, 2,000 points."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """At least one word as a list: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def rounded_up(value: float) -> str:
    """A positive number as text of one digit, never too small: 1.3e-6 is 2e-6."""
    power = math.floor(math.log10(value))
    return f"{math.ceil(value / 10**power - 1e-9):d}e{power}" if power < -3 else f"{value:.2g}"
