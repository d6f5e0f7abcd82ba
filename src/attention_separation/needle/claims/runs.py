"""Trained cells among the rows of the table: means of their accuracies, and these against n."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from scipy.special import stdtrit

from ..exact.accuracy import CRITICAL
from .outcomes import Comparison

Rows = Sequence[dict]

QUERIES = {
    "query_given": "query given",
    "query_learned": "query learned",
    "self_attention": "every token a query",
}
"""Arms in words."""


@dataclass(frozen=True)
class Mean:
    """A mean over runs, or a difference of means: its variance, and the degrees of freedom of it.

    Every run has held-out sequences of its own, so that the spread over runs has the binomial error
    in it; a run's variance is taken to be no less than that error's, whatever the spread.
    """

    value: float
    variance: float
    freedom: float

    @classmethod
    def of_runs(cls, rows: Rows) -> Self:
        """Of the accuracies of a cell's runs; of a single run, with no interval (NaN)."""
        values = [row["accuracy"] for row in rows]
        count, mean = len(values), sum(values) / len(values)
        binomial = sum(v * (1 - v) / row["held_out"] for v, row in zip(values, rows, strict=True))
        if count < 2:
            return cls(mean, math.nan, math.nan)
        spread = sum((value - mean) ** 2 for value in values) / (count - 1)
        return cls(mean, max(spread, binomial / count) / count, count - 1)

    def less(self, other: Self | float) -> Self:
        """The difference to a number that is known, or to another mean (Welch)."""
        if not isinstance(other, Mean):
            return type(self)(self.value - other, self.variance, self.freedom)
        parts = [(each.variance, each.freedom) for each in (self, other)]
        variance = sum(part for part, _ in parts)
        below = sum(part * part / freedom for part, freedom in parts)
        freedom = variance**2 / below if below else min(freedom for _, freedom in parts)
        return type(self)(self.value - other.value, variance, freedom)

    def reach(self, level: float) -> float:
        """Half the length of Student's two-sided interval."""
        return float(stdtrit(self.freedom, 1 - level / 2)) * math.sqrt(self.variance)


@dataclass(frozen=True)
class Measured:
    """A mean that is claimed to lie in a range."""

    name: str
    mean: Mean
    least: float = -math.inf
    most: float = math.inf


def comparisons(measured: Sequence[Measured], level: float) -> list[Comparison]:
    """The comparisons of one claim, which is to be falsely judged with a chance of `level`.

    All must agree for the claim to: each at the level (an intersection-union test). One that
    differs is enough: each at its share of the level.
    """
    found = []
    for each in measured:
        near, far = (each.mean.reach(at) for at in (level, level / len(measured)))
        value = each.mean.value
        known, wide = (value - near, value + near), (value - far, value + far)
        found.append(Comparison(each.name, value, *known, each.least, each.most, wide))
    return found


def cells_of(rows: Rows, **wanted) -> Iterator[Rows]:
    """The runs of each cell whose columns have these values."""
    groups: dict[str, list[dict]] = {}
    for row in rows:
        if all(row[key] == value for key, value in wanted.items()):
            groups.setdefault(row["cell"], []).append(row)
    yield from groups.values()


def one_cell(rows: Rows, **wanted) -> Rows | None:
    """The runs of the only cell with these values; None if there is none."""
    return next(cells_of(rows, **wanted), None)


def cell_words(row: dict) -> str:
    """A cell in words, as in a table of claims; of a control also how it was trained."""
    kernel = row["kernel"] or "no attention"
    features = f", {row['features']} features" if row["features"] else ""
    divided = "" if row["divided_by"] == "sum" else f" divided by {row['divided_by']}"
    text = f"{kernel}{divided}{features}, {QUERIES[row['arm']]}, μ = {row['mu']:g}, n = {row['n']}"
    if row["control"]:
        plain = "" if row["standardised"] else ", outputs not standardised"
        text += f", learning rate {row['lr']:g}{plain}"
    return text


LADDER = ("uniform", "linear", "power_2", "power_4", "exp")
DIVIDED = {"linear": "n"}
"""By what a kernel of the ladder is divided, if not by its row sum."""


def query_given(rows: Rows, kernel: str, mu: float, n: int) -> Mean | None:
    """The mean accuracy of a kernel of the ladder where the query is given."""
    divided = DIVIDED.get(kernel, "sum")
    found = one_cell(
        rows, arm="query_given", kernel=kernel, divided_by=divided, features=None, mu=mu, n=n
    )
    return Mean.of_runs(found) if found else None


def curve(rows: Rows, kernel: str, mu: float) -> list[tuple[int, Mean]]:
    """The mean accuracies of a kernel of the ladder against n, rising, the query given."""
    sizes = sorted({row["n"] for row in rows if row["arm"] == "query_given" and row["mu"] == mu})
    means = ((n, query_given(rows, kernel, mu, n)) for n in sizes)
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
    for mu in sorted({row["mu"] for row in rows if row["arm"] == "query_given"}):
        for kernel in LADDER:
            n = crossing([(n, mean.value) for n, mean in curve(rows, kernel, mu)])
            if n is not None:
                yield kernel, mu, n
