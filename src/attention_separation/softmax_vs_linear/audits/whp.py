"""At which points of a panel each event is not "with high probability": fails more than delta/n."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column, read_parquet, table_from_rows

from ..models import panel_tables
from ..models.model import Point
from ..settings.panels import COLUMN, Panel, PanelsJob

DELTA = 0.01
"""The delta of the experiments, for panels whose points have none."""

ALL_FOUR, ALL = "all_four", "all"
"""The row on points at which each of a contest's events is with high probability: of four, or of
more or fewer."""

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("event", pa.string()),
        ("points", pa.int64()),
        ("points_whp", pa.int64()),
        ("points_undecided", pa.int64()),
        ("not_whp", pa.string()),
        ("worst_failure", pa.float64()),
        ("worst_over_bound", pa.float64()),
        ("worst_at", pa.string()),
        ("reconstructed", pa.string()),
    ]
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


@dataclass(frozen=True)
class PanelEvents:
    """The points of a panel in its order, the probabilities of its contest's events and bounds on
    their errors.

    `events` and `errors` are (points, networks); NaN is a probability that is not known.
    """

    panel: Panel
    points: list[Point]
    events: np.ndarray
    errors: np.ndarray


def whp_table(panels: Iterable[PanelEvents]) -> pa.Table:
    """For every panel and event, and all together, where it is not with high probability.

    Raises
    ------
    ValueError
        If probabilities or errors are not one row per point, or a known probability has no error.
    """
    rows = [row for of in panels for row in _rows(of)]
    return table_from_rows(rows, SCHEMA)


def _rows(of: PanelEvents) -> list[dict]:
    failure, error = 1 - _columns(of, of.events), _columns(of, of.errors)
    known = ~np.isnan(failure)
    for k, event in enumerate(of.panel.contest.events):
        if not (error[known[:, k], k] >= 0).all():
            raise ValueError(f"{of.panel.name}: an error of {event} is missing; allowed: >= 0")
    bounds = np.array([(point.delta or DELTA) / point.n for point in of.points])
    often = failure - error > bounds[:, None]
    seldom = failure + error <= bounds[:, None]
    one = [
        _row(of, event, failure[:, k], bounds, often[:, k], seldom[:, k])
        for k, event in enumerate(of.panel.contest.events)
    ]
    both = often.any(axis=1) & known.all(axis=1), seldom.all(axis=1)
    together = ALL_FOUR if len(of.panel.contest.events) == 4 else ALL
    return [*one, _row(of, together, failure.max(axis=1), bounds, *both)]


def _row(
    of: PanelEvents,
    event: str,
    failure: np.ndarray,
    bounds: np.ndarray,
    often: np.ndarray,
    seldom: np.ndarray,
) -> dict:
    """One event's row; `often` and `seldom` are where it surely fails too often, and surely not."""
    known, over = ~np.isnan(failure), failure / bounds
    row = {
        "panel": of.panel.name,
        "parameter": ",".join(of.panel.sweep),
        "event": event,
        "points": int(known.sum()),
        "points_whp": int(seldom.sum()),
        "points_undecided": int((known & ~often & ~seldom).sum()),
        "not_whp": _ranges(of.points, often) or None,
        "reconstructed": of.panel.reconstruction,
    }
    if not known.any():
        return row | {"worst_failure": None, "worst_over_bound": None, "worst_at": None}
    worst = int(np.nanargmax(over))
    # Probabilities just above one by rounding are no failure below zero.
    return row | {
        "worst_failure": max(float(failure[worst]), 0.0),
        "worst_over_bound": max(float(over[worst]), 0.0),
        "worst_at": _value(of.points[worst]),
    }


def _columns(of: PanelEvents, values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    if values.shape != (len(of.points), len(of.panel.contest.events)):
        raise ValueError(
            f"{of.panel.name}: values of shape {values.shape} for {len(of.points)} points; "
            f"allowed: one row per point, one column per event"
        )
    return values


def _ranges(points: list[Point], chosen: np.ndarray) -> str:
    """Runs of chosen neighbours, such as "0.1 to 0.64, 1.2"."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]])))
    runs = []
    for start, end in edges.reshape(-1, 2).tolist():
        first, last = _value(points[start]), _value(points[end - 1])
        runs.append(first if first == last else f"{first} to {last}")
    return ", ".join(runs)


def _value(point: Point) -> str:
    """The swept value; of several, each in brackets with the others."""
    values = [f"{value:.12g}" for value in point.swept]
    return values[0] if len(values) == 1 else f"({'; '.join(values)})"


def panel_events(panel: Panel, table: pa.Table) -> PanelEvents:
    """A panel's points with the probabilities of the events and their errors, from its table of
    exact values."""
    events, errors = (
        np.column_stack([numpy_column(table, f"{kind}_{event}") for event in panel.contest.events])
        for kind in ("prob", "error")
    )
    return PanelEvents(panel, panel.points(), events, errors)


def run(job: PanelsJob, exact: list[Path], output: Path) -> None:
    found = []
    for panel, path in zip(job.panels, exact, strict=True):
        columns = panel_tables.exact_schema(panel.contest)
        found.append(panel_events(panel, read_parquet(path, columns)))
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    write_result(whp_table(found), stem, provenance, TITLE, ABOUT)
