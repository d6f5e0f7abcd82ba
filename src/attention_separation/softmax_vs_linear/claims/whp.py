"""At which points of a panel each event is not "with high probability": fails more than delta/n."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.success import EVENTS

DELTA = 0.01
"""The delta of the experiments, for panels whose points have none."""

WHP_SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("event", pa.string()),
        ("points", pa.int64()),
        ("points_whp", pa.int64()),
        ("not_whp", pa.string()),
        ("worst_failure", pa.float64()),
        ("worst_over_bound", pa.float64()),
        ("worst_at", pa.string()),
    ]
)
"""One row per panel and event. `points` counts those whose probability is known. `not_whp` are the
swept values where the event fails too often, as ranges in the panel's order, null where there is
none. The worst point is the one of the largest n * failure / delta, `worst_over_bound`; null where
no probability is known."""


@dataclass(frozen=True)
class PanelEvents:
    """The points of a panel in its order, and the exact probabilities of EVENTS, (points, 4).

    NaN is a probability that is not known.
    """

    panel: str
    parameter: str
    points: list[Point]
    events: np.ndarray


def whp_table(panels: Iterable[PanelEvents]) -> pa.Table:
    """For every panel and event, where the event is not with high probability."""
    rows = [_row(panel, k) for panel in panels for k in range(len(EVENTS))]
    columns = {name: [row[name] for row in rows] for name in WHP_SCHEMA.names}
    return pa.table(columns, schema=WHP_SCHEMA)


def _row(panel: PanelEvents, event: int) -> dict:
    probabilities = np.asarray(panel.events, dtype=float)
    if probabilities.shape != (len(panel.points), len(EVENTS)):
        raise ValueError(
            f"{panel.panel}: probabilities of shape {probabilities.shape} for {len(panel.points)} "
            f"points; allowed: one row per point, one column per event"
        )
    failure = 1 - probabilities[:, event]
    bounds = [(point.delta or DELTA) / point.n for point in panel.points]
    over = failure / np.array(bounds)
    known = ~np.isnan(failure)
    often = known & (over > 1)
    row = {
        "panel": panel.panel,
        "parameter": panel.parameter,
        "event": EVENTS[event],
        "points": int(known.sum()),
        "points_whp": int((known & ~often).sum()),
        "not_whp": _ranges(panel.points, often) or None,
    }
    if not known.any():
        return row | {"worst_failure": None, "worst_over_bound": None, "worst_at": None}
    worst = int(np.nanargmax(over))
    # Probabilities just above one by rounding are no failure below zero.
    return row | {
        "worst_failure": max(float(failure[worst]), 0.0),
        "worst_over_bound": max(float(over[worst]), 0.0),
        "worst_at": _value(panel.points[worst]),
    }


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
