"""At which points of a panel each event is not "with high probability": fails more than delta/n."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, numpy_column, read_parquet, schema, table_from_rows
from ..softmax_vs_linear.models.model import Point
from ..softmax_vs_linear.models.panel_tables import exact_schema
from ..softmax_vs_linear.settings.panels import COLUMN, Panel, PanelsJob

DELTA = 0.01
"""The delta of the experiments, for panels whose points have none."""

ALL_FOUR = "all_four"
ALL = "all"
"""The row on points at which each of a contest's events is with high probability: of four, or of
more or fewer."""

SCHEMA = schema(
    panel=str,
    parameter=str,
    event=str,
    points=int,
    points_whp=int,
    points_undecided=int,
    not_whp=str,
    worst_failure=float,
    worst_over_bound=float,
    worst_at=str,
    reconstructed=str,
)
"""One row per panel and event, and one of all together. `points` counts those whose probability is
known, of all together those where all are; its failure is the largest of theirs. An event is with
high probability where it fails at most delta/n even if its probability is off by all of its error;
`not_whp` are the swept values where it fails more often for all that, as ranges in the panel's
order, null where there is none; the points between are undecided. The worst point is the one of the
largest n * failure / delta, `worst_over_bound`; null where no probability is known. `reconstructed`
is what the paper's text does not state of the panel."""

TITLE = "With high probability?"
ABOUT = (
    "The theorems give events with high probability, failure at most delta/poly(n), read here as "
    f"delta/n (delta = {DELTA:g} where a panel has none). For X the identity the paper states only "
    "F_exp > 0 on D1; Figure 7's theorems are reconstructed; many points lie outside the ranges "
    "that the theorems ask for. "
    "Here is, for each panel and event, at how many of its points that is so, at which values of "
    "the swept parameter it is not, and how often the event fails at worst, also in units of "
    f"delta/n; {ALL_FOUR} is that each of the four events is so at the same point, and its failure "
    f"is the largest of theirs; {ALL} is the same where there are more events or fewer. The "
    "probabilities are exact, but for Figure 3, where they are reference values with an estimated "
    "error: a point counts as with high probability, or as not, only if no error up to that would "
    "change it, and is undecided otherwise. "
    f"{COLUMN}"
)


def whp_table(panels: Sequence[Panel], exact: Sequence[pa.Table]) -> pa.Table:
    """The table of where each event, and all together, fail to be with high probability, panel by
    panel, as SCHEMA.

    `exact` are the panels' tables of exact values, in which NaN is a probability that is not known.
    ValueError if a table has not one row per point, or a known probability has no error.
    """
    rows = []
    for panel, values in zip(panels, exact, strict=True):
        rows += _rows_of_panel(panel, values)
    return table_from_rows(rows, SCHEMA)


def _rows_of_panel(panel: Panel, exact: pa.Table) -> list[Row]:
    """The rows of SCHEMA of a panel: one for each event, and one for all together.

    `exact` : its table of exact values; ValueError as `whp_table`
    """
    points = panel.points()
    events = panel.contest.events
    probability = np.column_stack([numpy_column(exact, f"prob_{event}") for event in events])
    error = np.column_stack([numpy_column(exact, f"error_{event}") for event in events])
    if len(exact) != len(points):
        raise ValueError(
            f"{panel.name}: values of shape {probability.shape} for {len(points)} points; "
            f"allowed: one row per point, one column per event"
        )
    failure = 1 - probability
    known = ~np.isnan(probability)
    for k, event in enumerate(events):
        if not (error[known[:, k], k] >= 0).all():
            raise ValueError(f"{panel.name}: an error of {event} is missing; allowed: >= 0")
    bounds = np.array([(point.delta or DELTA) / point.n for point in points])
    often = failure - error > bounds[:, None]
    seldom = failure + error <= bounds[:, None]
    rows = [
        _failure_columns(
            points, bounds, failure=failure[:, k], often=often[:, k], seldom=seldom[:, k]
        )
        for k in range(len(events))
    ]
    all_together = _failure_columns(
        points,
        bounds,
        failure=failure.max(axis=1),
        often=often.any(axis=1) & known.all(axis=1),
        seldom=seldom.all(axis=1),
    )
    rows.append(all_together)
    names = [*events, ALL_FOUR if len(events) == 4 else ALL]
    for name, row in zip(names, rows, strict=True):
        row["panel"] = panel.name
        row["parameter"] = ",".join(panel.sweep)
        row["event"] = name
        row["reconstructed"] = panel.reconstruction
    return rows


def _failure_columns(
    points: list[Point],
    bounds: np.ndarray,
    failure: np.ndarray,
    often: np.ndarray,
    seldom: np.ndarray,
) -> Row:
    """The columns of SCHEMA on how often one event, or all together, fail at a panel's P points.

    bounds : (P,), delta / n
    failure : (P,), probability of failure, NaN where it is not known
    often, seldom : (P,), whether it surely fails more often than the bound, and surely no more
    """
    known = ~np.isnan(failure)
    over_bound = failure / bounds
    row: Row = {
        "points": int(known.sum()),
        "points_whp": int(seldom.sum()),
        "points_undecided": int((known & ~often & ~seldom).sum()),
        "not_whp": _ranges_in_words(points, often) or None,
    }
    if known.any():
        worst = int(np.nanargmax(over_bound))
        # Probabilities just above one by rounding are no failure below zero.
        row["worst_failure"] = max(float(failure[worst]), 0.0)
        row["worst_over_bound"] = max(float(over_bound[worst]), 0.0)
        row["worst_at"] = _swept_value(points[worst])
    return row


def _ranges_in_words(points: list[Point], chosen: np.ndarray) -> str:
    """The swept values of the chosen points in words, runs of neighbours as ranges, such as
    "0.1 to 0.64, 1.2"."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]])))
    runs = []
    for start, end in edges.reshape(-1, 2).tolist():
        first = _swept_value(points[start])
        last = _swept_value(points[end - 1])
        runs.append(first if first == last else f"{first} to {last}")
    return ", ".join(runs)


def _swept_value(point: Point) -> str:
    """A point's swept value as text; several values together in parentheses."""
    values = [f"{value:.12g}" for value in point.swept]
    return values[0] if len(values) == 1 else f"({'; '.join(values)})"


def run(job: PanelsJob, exact: list[Path], output: Path) -> None:
    """Write the table of which events are with high probability, from the panels' exact values."""
    tables = [
        read_parquet(path, exact_schema(panel.contest))
        for panel, path in zip(job.panels, exact, strict=True)
    ]
    provenance = record(job.canonical(), __name__)
    write_result(whp_table(job.panels, tables), output, provenance, TITLE, ABOUT)
