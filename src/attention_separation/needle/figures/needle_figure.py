"""One of the figures of this study, with its numbers."""

from pathlib import Path

from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet
from attention_separation.settings.closed import Job

from ..exact.line_table import ACCURACIES, CRITICAL
from ..settings.titles import FIGURES, FIGURES_OF_NETWORKS
from ..training.cells_table import SCHEMA as CELLS
from .accuracy_limits import draw_accuracies, draw_critical
from .networks import draw_features, draw_paper_network

DRAWN = {
    "needle_accuracy": (ACCURACIES, draw_accuracies),
    "needle_critical": (CRITICAL, draw_critical),
    "needle_features": (ACCURACIES, draw_features),
    "needle_paper_network": (ACCURACIES, draw_paper_network),
}
"""The columns of the table of limits that a figure shows, and what draws it and networks."""


def run(job: Job, figure: str, table: Path, output: Path, cells: Path | None = None) -> None:
    schema, draw = DRAWN[figure]
    limits = read_parquet(table, schema)
    networks = read_parquet(cells, CELLS) if cells else None
    numbers = networks if figure in FIGURES_OF_NETWORKS else limits
    picture = draw(FIGURES[figure], limits, networks)
    save_with_numbers(picture, output, numbers, record(job.canonical(), __name__))
