"""What each network alone can do: with its panel's threshold, and with its own best one."""

from pathlib import Path

from ...pages.drawing import save
from ...pages.table_page import write_result
from ...results.provenance import record
from ..softmax_vs_linear.settings.panels import COLUMN, PanelsJob
from .success_figures import threshold_figure
from .success_tables import threshold_table

TITLE = "Thresholds: what each network alone can do"
ABOUT = (
    "Exact probability that one network alone separates the pair, positive on D1 and zero on D0: "
    "at its panel's own threshold theta = tau / sqrt(log n), the same for all networks, and at "
    "its own best one, which lies anywhere from best theta low to best theta high. Each point has "
    "its own best; two scores closer than 1e-13 of their rows' size have no threshold between "
    "them, and where that could hide a better one, resolved says no and the best stays empty. In "
    "softmax regression theta is tau, and all entries of Ax but the special one are 1.2 log n: "
    "what is exact is of such entries, not of the panels' random ones. " + COLUMN
)


def run(job: PanelsJob, table: Path, figure: Path) -> None:
    """Write the table of each network's best thresholds, and its figure."""
    if not job.panels:
        raise ValueError("every panel sweeps the threshold itself")
    thresholds = threshold_table(job)
    provenance = record(job.canonical(), __name__)
    save(threshold_figure(job, thresholds), figure.with_suffix(""))
    write_result(thresholds, table, provenance, TITLE, ABOUT)
