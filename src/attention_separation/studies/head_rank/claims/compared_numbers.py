"""Rows of computed numbers as what a claim compares: their errors, with intervals that hold
together."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scipy.special import ndtri

from ....results.tables import Row
from ....statistics.claims import Comparison, Estimate
from ....statistics.means import simultaneous_quantile
from ..training.runs import sizes
from .claim import Finding, finding_of


def sizes_of_points(rows: Iterable[Row]) -> str:
    """The d and N of rows, which are on two points where N is not said."""
    return sizes({"n": 2} | row for row in rows)


def error_of(row: Row) -> Estimate:
    """A row's error: exact, or simulated with its 95 % interval."""
    if row.get("error_exact") is not None:
        return Estimate.exactly(row["error_exact"])
    if row.get("ci_low") is not None:
        return Estimate(row["error"], row["ci_low"], row["ci_high"])
    return Estimate.exactly(row["error"])


def error_less(row: Row, number: float) -> Estimate:
    """A row's error less a number that is known."""
    return error_of(row).moved(lambda error: error - number)


def times(estimate: Estimate, factor: float) -> Estimate:
    """An estimate times a number that is known."""
    return estimate.moved(lambda value: factor * value)


def finding_together(comparisons: Sequence[Comparison], rows: list[Row], level: float) -> Finding:
    """The finding on comparisons of some rows: their 95 % intervals, which are normal, are widened
    so that all hold together at the level."""
    factor = float(simultaneous_quantile(level, max(len(comparisons), 1)) / ndtri(0.975))
    widened = [
        replace(comparison, measured=_widened(comparison.measured, factor))
        for comparison in comparisons
    ]
    return finding_of(widened, sizes_of_points(rows))


def _widened(estimate: Estimate, factor: float) -> Estimate:
    return estimate.moved(lambda end: estimate.value + factor * (end - estimate.value))
