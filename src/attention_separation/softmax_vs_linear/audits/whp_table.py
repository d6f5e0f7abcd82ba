"""Verb `whp`: at which points of the panels the events are not with high probability."""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column, read_parquet
from attention_separation.settings.canonical import digest
from attention_separation.softmax_vs_linear.audits.whp import (
    ALL,
    ALL_FOUR,
    DELTA,
    PanelEvents,
    whp_table,
)
from attention_separation.softmax_vs_linear.exact import exact_table
from attention_separation.softmax_vs_linear.settings.code_of_models import modules_of_others
from attention_separation.softmax_vs_linear.settings.jobs import PanelOfWhp, WhpJob
from attention_separation.softmax_vs_linear.settings.panels import points
from attention_separation.softmax_vs_linear.settings.reconstruction import COLUMN

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


def panel_events(of: PanelOfWhp, table: pa.Table) -> PanelEvents:
    """A panel's points with the probabilities of the events and their errors, from its table of
    exact values."""
    contest = of.exact.panel.contest
    events, errors = (
        np.column_stack([numpy_column(table, f"{kind}_{event}") for event in contest.events])
        for kind in ("prob", "error")
    )
    panel = of.exact
    parameter, at = ",".join(panel.panel.swept()), points(panel.panel, panel.points)
    return PanelEvents(panel.name, parameter, at, contest, events, errors, of.reconstructed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panels' settings, as JSON")
    parser.add_argument(
        "--exact", required=True, nargs="+", type=Path, help="tables of their exact values"
    )
    parser.add_argument(
        "--output", required=True, type=Path, help="parquet to write, the rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = WhpJob.model_validate_json(arguments.settings)
    found = []
    for panel, path in zip(job.panels, arguments.exact, strict=True):
        settings = digest(panel.exact.canonical())
        columns = exact_table.schema(panel.exact.panel.contest)
        found.append(panel_events(panel, read_parquet(path, columns, settings)))
    others = modules_of_others(of.exact.panel.model for of in job.panels)
    provenance = record(arguments.settings, __name__, without=others)
    stem = arguments.output.with_suffix("")
    write_result(whp_table(found), stem, provenance, TITLE, ABOUT)
