"""Accuracies of trained networks against n, and where they cross .75."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..exact.accuracy import CRITICAL
from .runs import Mean, Rows, one_cell

LADDER = ("none", "linear", "power_2", "power_4", "exp")
DIVIDED = {"linear": "n"}
"""By what a kernel of the ladder is divided, if not by its row sum."""


def asked(rows: Rows, kernel: str, mu: float, n: int) -> Mean | None:
    """The mean accuracy of a kernel of the ladder where the query is given."""
    divided = DIVIDED.get(kernel, "sum")
    found = one_cell(
        rows, arm="asked", kernel=kernel, divided_by=divided, features=None, mu=mu, n=n
    )
    return Mean.of_runs(found) if found else None


def curve(rows: Rows, kernel: str, mu: float) -> list[tuple[int, Mean]]:
    """The mean accuracies of a kernel of the ladder against n, rising, the query given."""
    sizes = sorted({row["n"] for row in rows if row["arm"] == "asked" and row["mu"] == mu})
    means = ((n, asked(rows, kernel, mu, n)) for n in sizes)
    return [(n, mean) for n, mean in means if mean]


def segment(accuracies: Sequence[float]) -> int | None:
    """The first of two neighbours between which accuracies fall to .75; None if they do not."""
    for at, (high, low) in enumerate(pairwise(accuracies)):
        if high >= CRITICAL > low:
            return at
    return None


def crossing(points: Sequence[tuple[int, float]]) -> float | None:
    """The n at which accuracies cross .75, interpolated in log n; None if they do not."""
    at = segment([accuracy for _, accuracy in points])
    return None if at is None else interpolated(*points[at], *points[at + 1])


def interpolated(n: int, high: float, more: int, low: float) -> float:
    """Where the line in log n through two accuracies is at .75; NaN if it rises."""
    if high <= low:
        return math.nan
    return n * (more / n) ** ((high - CRITICAL) / (high - low))


def trained_crossings(rows: Rows) -> Iterator[tuple[str, float, float]]:
    """Kernel, mu and the n at which its trained networks cross .75 within the grid."""
    for mu in sorted({row["mu"] for row in rows if row["arm"] == "asked"}):
        for kernel in LADDER:
            n = crossing([(n, mean.value) for n, mean in curve(rows, kernel, mu)])
            if n is not None:
                yield kernel, mu, n
