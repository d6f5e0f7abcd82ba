"""One of the figures of this study, with its numbers."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.needle.exact.line_table import ACCURACIES, CRITICAL
from attention_separation.needle.figures import accuracy, critical, features, paper_network
from attention_separation.needle.settings.jobs import FigureJob
from attention_separation.needle.settings.titles import FIGURES
from attention_separation.needle.training.cell_table import SCHEMA as CELLS
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet


class Drawn(NamedTuple):
    """The columns of the table of lines that a figure shows, the figure of it and of networks, and
    whether its numbers are those of the networks."""

    schema: pa.Schema
    draw: Callable[..., Figure]
    of_networks: bool = False


DRAWN = {
    "needle_accuracy": Drawn(ACCURACIES, accuracy.draw),
    "needle_critical": Drawn(CRITICAL, critical.draw),
    "needle_features": Drawn(ACCURACIES, features.draw, of_networks=True),
    "needle_paper_network": Drawn(ACCURACIES, paper_network.draw, of_networks=True),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--figure", required=True, choices=FIGURES, help="which one")
    parser.add_argument("--table", required=True, type=Path, help="parquet file of lines")
    parser.add_argument("--cells", type=Path, help="table of trained networks, if there are any")
    parser.add_argument("--output", required=True, type=Path, help="svg to write, the rest beside")


def run(arguments: argparse.Namespace) -> None:
    job = FigureJob.model_validate_json(arguments.settings)
    drawn = DRAWN[arguments.figure]
    table = read_parquet(arguments.table, drawn.schema, job.lines)
    cells = read_parquet(arguments.cells, CELLS, job.cells) if job.cells else None
    provenance = record(arguments.settings, __name__)
    stem = arguments.output.with_suffix("")
    numbers = cells if drawn.of_networks else table
    save_with_numbers(drawn.draw(job.title, table, cells), stem, numbers, provenance)
