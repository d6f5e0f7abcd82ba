"""The probabilities of the points of some panels, exact or reference values, without simulation.

A panel sweeps one or two parameters over a grid; a point is one place of it, with the values of all
parameters. Reference values are approximations with an estimated error.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from ....results.provenance import record
from ....results.tables import table_from_columns, write_parquet
from ..models import MODELS
from ..models.model import AttentionModel, Model, Point
from ..models.panel_tables import Reference, exact_schema
from ..settings.panels import Panel, PanelsJob
from . import attention_probabilities, regression_probabilities


def references(model: Model, points: list[Point]) -> list[Reference]:
    """The probabilities of success and of its events at each point, exact or as reference
    values."""
    if isinstance(model, AttentionModel):
        return attention_probabilities.references(model, points)
    return regression_probabilities.references(points)


def compute_exact(panel: Panel) -> pa.Table:
    """The table of the probabilities of success and of its events at every point of a panel, as
    `exact_schema`."""
    points = panel.points()
    values = references(MODELS[panel.model], points)
    columns: dict[str, list[Any]] = {
        "panel": [panel.name] * len(points),
        "parameter": [",".join(panel.sweep)] * len(points),
        "value": [point.swept[0] for point in points],
        "p_exact": [reference.success for reference in values],
        "p_error": [reference.error for reference in values],
        "p_method": [reference.method for reference in values],
    }
    for k, event in enumerate(panel.contest.events):
        columns[f"prob_{event}"] = [reference.events[k] for reference in values]
        columns[f"error_{event}"] = [reference.event_errors[k] for reference in values]
    return table_from_columns(columns, exact_schema(panel.contest))


def run(job: PanelsJob, outputs: list[Path]) -> None:
    """Write the tables of exact values of some panels, a file each."""
    # All are computed before any is written.
    tables = [compute_exact(panel) for panel in job.panels]
    for panel, table, path in zip(job.panels, tables, outputs, strict=True):
        write_parquet(table, path, record(panel.canonical(), __name__))
