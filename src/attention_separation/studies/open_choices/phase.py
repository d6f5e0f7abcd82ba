"""Success over two parameters, beyond the panels' grids."""

from pathlib import Path

from ...pages.drawing import save_with_numbers
from ...results.provenance import record
from ..softmax_vs_linear.settings.panels import PhaseJob
from .success_figures import phase_figure
from .success_tables import phase_table


def run(job: PhaseJob, output: Path) -> None:
    """Write the maps of exact success probabilities over two parameters, and their numbers."""
    if not job.panels:
        raise ValueError("no maps: the section `phase` is empty")
    table = phase_table(job)
    provenance = record(job.canonical(), __name__)
    save_with_numbers(phase_figure(job, table), output, table, provenance)
