"""What every figure of one table has in common: its options, its files."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet
from attention_separation.settings.closed import Job

ERROR = "mean squared error"


def make(
    job: Job, table: Path, output: Path, schema: pa.Schema, module: str,
    draw: Callable[[pa.Table], Figure],
) -> None:  # fmt: skip
    """Read the table, draw it, and write pictures and numbers beside each other."""
    numbers = read_parquet(table, schema)
    stem = output.with_suffix("")
    save_with_numbers(draw(numbers), stem, numbers, record(job.canonical(), module))
