"""Trained cells among the rows of the table: means of their accuracies, and these against n.

A *cell* is networks of one setting, its *runs*, each with a row of its own. The *ladder* is the
kernels whose accuracies rise one above the other.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ....needle.accuracy import CRITICAL
from ....results.tables import chosen, rows_by
from ....statistics.claims import Estimate
from ....statistics.contrasts import Run
from ....statistics.means import Mean

Rows = Sequence[Run]

ARM_WORDS = {
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
    text += f", {ARM_WORDS[run['arm']]}, μ = {run['mu']:g}, n = {run['n']}"
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


class CurvePoint(NamedTuple):
    """The mean accuracy of a cell's runs at some n."""

    n: int
    accuracy: Mean


def curve(rows: Rows, kernel: str, mu: float) -> list[CurvePoint]:
    """The mean accuracies of a kernel of the ladder against n, rising, the query given."""
    sizes = sorted({row["n"] for row in rows if row["arm"] == "query_given" and row["mu"] == mu})
    points = []
    for n in sizes:
        mean = query_given(rows, kernel, mu, n)
        if mean is not None:
            points.append(CurvePoint(n, mean))
    return points


@dataclass(frozen=True)
class Crossing:
    """Two neighbours on a curve between which its accuracy falls to .75."""

    before: CurvePoint
    after: CurvePoint

    @property
    def n(self) -> float:
        """The n at which the accuracy is .75, interpolated in log n."""
        return self._n_of(self.before.accuracy.value, self.after.accuracy.value)

    def interval(self, level: float) -> Estimate:
        """The n at which the accuracy is .75, from the n with both accuracies at the low ends of
        their intervals to that with both at the high ends; these may lie beyond the two n."""
        before = self.before.accuracy.interval(level)
        after = self.after.accuracy.interval(level)
        low = self._n_of(before.low, after.low)
        high = self._n_of(before.high, after.high)
        return Estimate(self.n, low, high)

    def _n_of(self, accuracy_before: float, accuracy_after: float) -> float:
        """The n at which a line in log n through these accuracies is at .75; NaN if it rises."""
        fall = accuracy_before - accuracy_after
        if fall <= 0:
            return math.nan
        share = (accuracy_before - CRITICAL) / fall
        return self.before.n * (self.after.n / self.before.n) ** share


def crossing(points: Sequence[CurvePoint]) -> Crossing | None:
    """The first crossing of a curve; None if it has none."""
    for before, after in pairwise(points):
        if before.accuracy.value >= CRITICAL > after.accuracy.value:
            return Crossing(before, after)
    return None


class TrainedCrossing(NamedTuple):
    """Where the trained networks of a kernel cross .75 within the grid."""

    kernel: str
    mu: float
    crossing: Crossing


def trained_crossings(rows: Rows) -> Iterator[TrainedCrossing]:
    """The crossings of the ladder's kernels at every mu."""
    for mu in sorted({row["mu"] for row in rows if row["arm"] == "query_given"}):
        for kernel in LADDER:
            crossed = crossing(curve(rows, kernel, mu))
            if crossed is not None:
                yield TrainedCrossing(kernel, mu, crossed)
