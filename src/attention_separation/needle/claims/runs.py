"""Trained cells among the rows of the table: means of their accuracies, and these against n."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...statistics.means import Mean
from ..exact.accuracy import CRITICAL

Rows = Sequence[dict]

QUERIES = {
    "query_given": "query given",
    "query_learned": "query learned",
    "self_attention": "every token a query",
    "sink_learned": "a sink learned",
    "sink_and_scale_learned": "a sink and the scale of scores learned",
}
"""Arms in words."""


def mean_accuracy(rows: Rows) -> Mean:
    """The mean accuracy of a cell's runs; of a single run, with no interval (NaN).

    Every run has held-out sequences of its own, so that the spread over runs has the binomial error
    in it; a run's variance is taken to be no less than that error's, whatever the spread.
    """
    binomial = [row["accuracy"] * (1 - row["accuracy"]) / row["held_out"] for row in rows]
    return Mean.of([row["accuracy"] for row in rows], math.sqrt(sum(binomial) / len(rows)))


def cells_of(rows: Rows, **wanted) -> Iterator[Rows]:
    """The runs of each cell whose columns have these values."""
    groups: dict[str, list[dict]] = {}
    for row in rows:
        if all(row[key] == value for key, value in wanted.items()):
            groups.setdefault(row["cell"], []).append(row)
    yield from groups.values()


def mean_of_cell(rows: Rows, **wanted) -> Mean | None:
    """The mean accuracy of the only cell with these values; None if there is none."""
    return next(map(mean_accuracy, cells_of(rows, **wanted)), None)


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
    return mean_of_cell(
        rows, arm="query_given", kernel=kernel, divided_by=divided, features=None, mu=mu, n=n
    )


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
