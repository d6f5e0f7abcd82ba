"""Verb `whp`: at which points of the panels the events are not with high probability."""

import argparse
from pathlib import Path

import numpy as np

from attention_separation.provenance import digest, record
from attention_separation.softmax_vs_linear import exact_table
from attention_separation.softmax_vs_linear.claims.whp import PanelEvents, whp_table
from attention_separation.softmax_vs_linear.jobs import ExactJob
from attention_separation.softmax_vs_linear.panels import ExactPanel, points
from attention_separation.softmax_vs_linear.success import EVENTS
from attention_separation.tables import read_parquet, write_result

TITLE = "With high probability?"
ABOUT = (
    "The theorems give each of the four events with high probability: failure at most delta / n. "
    "Here is, for each panel and event, at how many of its points that is so, at which values of "
    "the swept parameter it is not, and how often the event fails at worst, also in units of "
    "delta / n. Exact probabilities; Figure 3 by reference values."
)


def panel_events(panel: ExactPanel, path: Path) -> PanelEvents:
    """A panel's points with the exact probabilities of the events, from its table."""
    table = read_parquet(path, exact_table.SCHEMA, digest(panel.canonical()))
    events = np.column_stack([table[f"prob_{event}"].to_numpy() for event in EVENTS])
    parameter = ",".join(panel.panel.swept())
    return PanelEvents(panel.name, parameter, points(panel.panel, panel.points), events)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panels' settings, as JSON")
    parser.add_argument(
        "--exact", required=True, nargs="+", type=Path, help="tables of their exact values"
    )
    parser.add_argument(
        "--output", required=True, type=Path, help="parquet to write, the rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ExactJob.model_validate_json(arguments.settings)
    found = [
        panel_events(panel, path) for panel, path in zip(job.panels, arguments.exact, strict=True)
    ]
    provenance = record(arguments.settings, __name__)
    stem = arguments.output.with_suffix("")
    write_result(whp_table(found), stem, provenance, TITLE, ABOUT)
