"""The probabilities of the points of some panels, exact or reference values, without simulation."""

from pathlib import Path

import pyarrow as pa

from ...results.provenance import record
from ...results.tables import table_from_columns, write_parquet
from ..models import MODELS
from ..models.model import AttentionModel, Model, Point
from ..models.panel_tables import Reference, exact_schema
from ..models.regression import RegressionModel
from ..settings.panels import Panel, PanelsJob
from . import attention_probabilities, regression_probabilities

REFERENCES = {
    AttentionModel: attention_probabilities.references,
    RegressionModel: regression_probabilities.references,
}


def references(model: Model, points: list[Point]) -> list[Reference]:
    """P(success) and the probabilities of its events at each point."""
    return REFERENCES[type(model)](model, points)


def compute_exact(panel: Panel) -> pa.Table:
    """P(success) and the probabilities of its events at every point of a panel."""
    of_panel = panel.points()
    found = references(MODELS[panel.model], of_panel)
    columns = {
        "panel": [panel.name] * len(of_panel),
        "parameter": [",".join(panel.sweep)] * len(of_panel),
        "value": [point.swept[0] for point in of_panel],
        "p_exact": [reference.success for reference in found],
        "p_error": [reference.error for reference in found],
        "p_method": [reference.method for reference in found],
    }
    for k, event in enumerate(panel.contest.events):
        columns[f"prob_{event}"] = [reference.events[k] for reference in found]
        columns[f"error_{event}"] = [reference.event_errors[k] for reference in found]
    return table_from_columns(columns, exact_schema(panel.contest))


def run(job: PanelsJob, outputs: list[Path]) -> None:
    made = [(compute_exact(panel), record(panel.canonical(), __name__)) for panel in job.panels]
    for (table, provenance), path in zip(made, outputs, strict=True):
        write_parquet(table, path, provenance)
