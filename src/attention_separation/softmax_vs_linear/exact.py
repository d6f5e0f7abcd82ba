"""Verb `exact`: the probabilities of the points of some panels, without simulation."""

import argparse
import importlib
from pathlib import Path

import pyarrow as pa

from attention_separation.provenance import record
from attention_separation.softmax_vs_linear.exact_table import SCHEMA
from attention_separation.softmax_vs_linear.jobs import ExactJob
from attention_separation.softmax_vs_linear.panels import ExactPanel, exact_module, points
from attention_separation.softmax_vs_linear.success import EVENTS
from attention_separation.tables import write_parquet


def exact(job: ExactPanel) -> pa.Table:
    """P(E_success) and the probabilities of its four events at every point of a panel."""
    of_panel = points(job.panel, job.points)
    references = importlib.import_module(exact_module(job.panel.model)).references(of_panel)
    columns = {
        "panel": [job.name] * len(of_panel),
        "parameter": [",".join(job.panel.swept())] * len(of_panel),
        "value": [point.swept[0] for point in of_panel],
        "p_exact": [found.success for found in references],
        "p_error": [found.error for found in references],
        "p_method": [found.method for found in references],
        **{f"prob_{event}": [r.events[k] for r in references] for k, event in enumerate(EVENTS)},
        **{
            f"error_{event}": [r.event_errors[k] for r in references]
            for k, event in enumerate(EVENTS)
        },
    }
    return pa.table(columns, schema=SCHEMA)


def metadata(job: ExactPanel) -> dict[str, str]:
    """What a panel's exact values come from: settings, code and versions."""
    return record(job.canonical(), __name__, exact_module(job.panel.model))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panels' settings, as JSON")
    parser.add_argument(
        "--outputs", required=True, nargs="+", type=Path, help="parquet file to write, per panel"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ExactJob.model_validate_json(arguments.settings)
    made = [(exact(panel), metadata(panel)) for panel in job.panels]
    for (table, provenance), path in zip(made, arguments.outputs, strict=True):
        write_parquet(table, path, provenance)
