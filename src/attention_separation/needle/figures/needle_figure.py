"""One of the figures of this study, with its numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet
from attention_separation.settings.closed import Job

from ..exact.line_table import ACCURACIES, CRITICAL
from ..settings.titles import FIGURES
from ..training.cells_table import SCHEMA as CELLS
from . import accuracy, critical, features, paper_network


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


def run(job: Job, figure: str, table: Path, output: Path, cells: Path | None = None) -> None:
    drawn = DRAWN[figure]
    table = read_parquet(table, drawn.schema)
    cells = read_parquet(cells, CELLS) if cells else None
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    numbers = cells if drawn.of_networks else table
    save_with_numbers(drawn.draw(FIGURES[figure], table, cells), stem, numbers, provenance)
