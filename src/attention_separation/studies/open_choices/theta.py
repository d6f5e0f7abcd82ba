"""Success against the threshold, the same for all networks."""

from pathlib import Path

from ...pages.drawing import save_with_numbers
from ...results.provenance import record
from ..softmax_vs_linear.settings.panels import PanelsJob
from .success_figures import theta_figure
from .success_tables import theta_table


def run(job: PanelsJob, output: Path) -> None:
    """Write the figure of success against the shared threshold, and its numbers."""
    if not job.panels:
        raise ValueError("no panel of attention sweeps one parameter other than theta")
    table = theta_table(job)
    provenance = record(job.canonical(), __name__)
    save_with_numbers(theta_figure(job, table), output, table, provenance)
