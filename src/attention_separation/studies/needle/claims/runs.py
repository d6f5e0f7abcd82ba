"""Trained cells among the rows of the table: means of their accuracies, and these against n."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ....needle.accuracy import CRITICAL
from ....results.tables import chosen, rows_by
from ....statistics.contrasts import Run
from ....statistics.means import Mean

Rows = Sequence[Run]

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
    accuracies = [row["accuracy"] for row in rows]
    variances = [row["accuracy"] * (1 - row["accuracy"]) / row["held_out"] for row in rows]
    return Mean.of(accuracies, math.sqrt(sum(variances) / len(rows)))


def cells_of(rows: Rows, **wanted: object) -> Iterable[Rows]:
    """The runs of each cell whose columns have these values."""
    return rows_by(chosen(rows, **wanted), "cell").values()


def mean_of_cell(rows: Rows, **wanted: object) -> Mean | None:
    """The mean accuracy of the only cell with these values; None if there is none."""
    for cell in cells_of(rows, **wanted):
        return mean_accuracy(cell)
    return None


def cell_words(run: Run) -> str:
    """A cell in words, as in a table of claims; of a control also how it was trained."""
    text = run["kernel"] or "no attention"
    if run["divided_by"] != "sum":
        text += f" divided by {run['divided_by']}"
    if run["features"]:
        text += f", {run['features']} features"
    text += f", {QUERIES[run['arm']]}, μ = {run['mu']:g}, n = {run['n']}"
    if run["control"]:
        text += f", learning rate {run['lr']:g}"
        if not run["standardised"]:
            text += ", outputs not standardised"
    return text


LADDER = ("uniform", "linear", "power_2", "power_4", "exp")
DIVIDED = {"linear": "n"}
"""By what a kernel of the ladder is divided, if not by its row sum."""


def query_given(rows: Rows, kernel: str, mu: float, n: int) -> Mean | None:
    """The mean accuracy of a kernel of the ladder where the query is given."""
    return mean_of_cell(
        rows,
        arm="query_given",
        kernel=kernel,
        divided_by=DIVIDED.get(kernel, "sum"),
        features=None,
        mu=mu,
        n=n,
    )


def curve(rows: Rows, kernel: str, mu: float) -> list[tuple[int, Mean]]:
    """The mean accuracies of a kernel of the ladder against n, rising, the query given."""
    sizes = sorted({row["n"] for row in rows if row["arm"] == "query_given" and row["mu"] == mu})
    points = []
    for n in sizes:
        mean = query_given(rows, kernel, mu, n)
        if mean is not None:
            points.append((n, mean))
    return points


def falling_segment(accuracies: Sequence[float]) -> int | None:
    """The first of two neighbours between which accuracies fall to .75; None if they do not."""
    for k, (high, low) in enumerate(pairwise(accuracies)):
        if high >= CRITICAL > low:
            return k
    return None


def crossing(points: Sequence[tuple[int, float]]) -> float | None:
    """The n at which accuracies cross .75, interpolated in log n; None if they do not."""
    k = falling_segment([accuracy for _, accuracy in points])
    if k is None:
        return None
    (n, high), (next_n, low) = points[k], points[k + 1]
    return interpolated(n, high, next_n, low)


def interpolated(n: int, high: float, next_n: int, low: float) -> float:
    """Where the line in log n through the accuracies at two n is at .75; NaN if it rises."""
    if high <= low:
        return math.nan
    return n * (next_n / n) ** ((high - CRITICAL) / (high - low))


def trained_crossings(rows: Rows) -> Iterator[tuple[str, float, float]]:
    """Kernel, mu and the n at which its trained networks cross .75 within the grid."""
    for mu in sorted({row["mu"] for row in rows if row["arm"] == "query_given"}):
        for kernel in LADDER:
            n = crossing([(n, mean.value) for n, mean in curve(rows, kernel, mu)])
            if n is not None:
                yield kernel, mu, n
