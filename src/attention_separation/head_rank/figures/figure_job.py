"""What every figure of one table has in common: its options, its files."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.head_rank.settings.jobs import TableFigureJob
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet

ERROR = "mean squared error"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--table", required=True, type=Path, help="parquet file with its numbers")
    parser.add_argument("--output", required=True, type=Path, help="svg to write, the rest beside")


def make(
    arguments: argparse.Namespace, schema: pa.Schema, module: str,
    draw: Callable[[TableFigureJob, pa.Table], Figure],
) -> None:  # fmt: skip
    """Read the table, draw it, and write pictures and numbers beside each other."""
    job = TableFigureJob.model_validate_json(arguments.settings)
    table = read_parquet(arguments.table, schema, job.table_settings)
    stem = arguments.output.with_suffix("")
    save_with_numbers(draw(job, table), stem, table, record(arguments.settings, module))
