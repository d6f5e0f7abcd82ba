"""Verb `needle-figure`: one of the figures of this study, with its numbers."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.needle.exact.line_table import ACCURACIES, CRITICAL
from attention_separation.needle.figures import accuracy, critical
from attention_separation.needle.settings.jobs import FigureJob
from attention_separation.needle.settings.titles import FIGURES
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet


class Drawn(NamedTuple):
    """The columns of a figure's numbers, and the figure of these under a title."""

    schema: pa.Schema
    draw: Callable[..., Figure]


DRAWN = {
    "needle_accuracy": Drawn(ACCURACIES, accuracy.draw),
    "needle_critical": Drawn(CRITICAL, critical.draw),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--figure", required=True, choices=FIGURES, help="which one")
    parser.add_argument("--table", required=True, type=Path, help="parquet file with its numbers")
    parser.add_argument("--output", required=True, type=Path, help="svg to write, the rest beside")


def run(arguments: argparse.Namespace) -> None:
    job = FigureJob.model_validate_json(arguments.settings)
    drawn = DRAWN[arguments.figure]
    table = read_parquet(arguments.table, drawn.schema, job.lines)
    provenance = record(arguments.settings, __name__)
    stem = arguments.output.with_suffix("")
    save_with_numbers(drawn.draw(job.title, table), stem, table, provenance)
