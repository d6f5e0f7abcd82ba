"""Differences of errors as text."""

import math

from attention_separation.statistics.means import Estimate


def number(value: float) -> str:
    """With three digits; what rounds to nothing has no sign."""
    return f"{round(value, 3) + 0.0:.3f}"


def gap_words(gap: Estimate) -> str:
    """A difference with its interval, where it has one: 0.100 (0.075 to 0.126)."""
    ends = "" if math.isnan(gap.low) else f" ({number(gap.low)} to {number(gap.high)})"
    return number(gap.value) + ends
