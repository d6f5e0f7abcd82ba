"""Differences and means of errors as text."""

import math

from attention_separation.pages.prose import from_to
from attention_separation.statistics.means import Estimate

LEVEL = 0.05
"""Of intervals of differences, where the claims' own level is not given."""


def number(value: float) -> str:
    """With three digits; what rounds to nothing has no sign."""
    return f"{round(value, 3) + 0.0:.3f}"


def gap_words(gap: Estimate) -> str:
    """A difference with its interval, where it has one: 0.100 (0.075 to 0.126)."""
    ends = "" if math.isnan(gap.low) else f" ({number(gap.low)} to {number(gap.high)})"
    return number(gap.value) + ends


def over_runs(cells: list[list[dict]]) -> str:
    """Over how many runs means and intervals are."""
    counts = sorted({len(own) for own in cells})
    if counts == [1]:
        return "of a single run each"
    over = f"means over {from_to(f'{counts[0]:,}', f'{counts[-1]:,}')} runs with 95 % intervals"
    return over + ", of which a single run has none" * (counts[0] == 1)
