"""Maps of P(E_success) over the threshold and a panel's swept parameter, exactly."""

from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from ...looks.colors import INK
from ...pages.drawing import (
    ON_MAP,
    Look,
    as_grid,
    draw_map,
    key,
    legend_above,
    save_with_numbers,
    sheet,
)
from ...results.provenance import record
from ...results.tables import Row, numpy_column, schema, select_rows, table_from_rows
from ..softmax_vs_linear.exact.best_thresholds import Best, best_thresholds, success_at
from ..softmax_vs_linear.figures.figure_text import (
    choices_in_words,
    footnote,
    held_title,
    marked,
    symbol_of,
)
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.model import AttentionModel
from ..softmax_vs_linear.models.panel_tables import DECIMALS
from ..softmax_vs_linear.settings.panels import Panel, PanelsJob

SCHEMA = schema(
    panel=str,
    parameter=str,
    value=float,
    kind=str,
    theta=float,
    p_exact=float,
    theta_low=float,
    theta_high=float,
    reconstructed=bool,
)
"""theta is tau / sqrt(log n), the same for all networks. Rows by `kind`:

- PAPER: at the panel's own theta, at every point; `reconstructed` says whether theta is.
- BEST: where P(E_success) is largest, anywhere in [theta_low, theta_high), `theta` its middle, at
  every point; all null where float64 does not resolve the best (`ThresholdCurve.resolved`).
- MAP: at each of THETAS, at MAP_POINTS values of the swept parameter at most.
"""

PAPER = "paper"
BEST = "best"
MAP = "map"
THETAS = np.round(np.arange(0.3, 2.21, 0.02), 10)
MAP_POINTS = 31

DOTS: Look = {"marker": "o", "linewidth": 0, "color": INK, "markeredgecolor": "white"}
MOST_COLUMNS = 3
FEW_VALUES = 12


def theta_table(job: PanelsJob) -> pa.Table:
    """P(E_success) at each panel's own threshold, at the best one, and on the map's grid."""
    rows = []
    for panel in job.panels:
        model = MODELS[panel.model]
        # Thresholds in units of s are of attention alone.
        assert isinstance(model, AttentionModel)
        points = panel.points()
        few = min(panel.most_values or MAP_POINTS, MAP_POINTS)
        mapped = panel.with_more(most_values=few).points()
        on_map = dict(zip(mapped, success_at(model, mapped, THETAS).tolist(), strict=True))
        (swept,) = panel.sweep
        for point, best in zip(points, best_thresholds(model, points, None), strict=True):
            at_point: Row = {"panel": panel.name, "parameter": swept, "value": point.swept[0]}
            at_own_theta = at_point | {
                "kind": PAPER,
                "theta": point.theta,
                "p_exact": best.p_at_theta,
                "reconstructed": "theta" in panel.reconstructed,
            }
            rows += [at_own_theta, at_point | _best_columns(best)]
            if point in on_map:
                for theta, p in zip(THETAS.tolist(), on_map[point], strict=True):
                    on_grid = {"kind": MAP, "theta": theta, "p_exact": round(p, DECIMALS)}
                    rows.append(at_point | on_grid)
    return table_from_rows(rows, SCHEMA)


def _best_columns(best: Best) -> Row:
    middle = None
    if best.low is not None and best.high is not None:
        middle = (best.low + best.high) / 2
    return {
        "kind": BEST,
        "theta": middle,
        "p_exact": best.p_best,
        "theta_low": best.low,
        "theta_high": best.high,
    }


def draw(job: PanelsJob, table: pa.Table) -> Figure:
    """A map for each panel: the swept parameter across, theta upwards; the title of a figure beside
    the first of its panels."""
    lines = [
        f"Exact probabilities, at {len(THETAS)} thresholds and at most {MAP_POINTS} values of the "
        f"swept parameter; line and dots at all of a panel's points. Dots: the middle of the "
        f"widest interval of best thresholds.",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    title = "One threshold for all networks: where success is likely"
    figures: dict[str, list[Panel]] = {}
    for panel in job.panels:
        figures.setdefault(panel.figure or panel.name, []).append(panel)
    maps = sheet(
        title,
        footnote(lines, job.panels),
        panels=len(job.panels),
        cell=(2.9, 2.6),
        around=(0.9, 1.1),
        columns=MOST_COLUMNS,
        sharey=True,
    )
    with maps as (figure, axes):
        for ax, panel in zip(axes, job.panels, strict=True):
            mesh = _draw_map(ax, panel, select_rows(table, panel=panel.name))
        for figure_title, panels in figures.items():
            first = axes[job.panels.index(panels[0])]
            first.set_ylabel(_line_label(figure_title, panels))
        figure.colorbar(mesh, ax=[*axes], label="P(E_success), exact", shrink=0.6, aspect=40)
        best = key("the best one", **DOTS | {"markersize": 4})
        legend_above(figure, [key("the panels' own threshold", **ON_MAP), best])
    return figure


def _line_label(title: str, panels: list[Panel]) -> str:
    """The title of a figure, which names X, and theta: either is marked if it is in any panel."""
    reconstructed = set(chain.from_iterable(panel.reconstructed for panel in panels))
    lines = marked(title.replace(". ", "\n", 1), "attention_x" in reconstructed)
    return f"{lines}\n{symbol_of('theta', reconstructed)}"


def _draw_map(ax: Axes, panel: Panel, table: pa.Table) -> QuadMesh:
    (name,) = panel.sweep
    on_map = select_rows(table, kind=MAP)
    values, thetas, grid = as_grid(
        x=numpy_column(on_map, "value"),
        y=numpy_column(on_map, "theta"),
        values=numpy_column(on_map, "p_exact"),
    )
    has_few = len(values) <= FEW_VALUES
    across = np.arange(len(values), dtype=float) if has_few else values
    mesh = draw_map(ax, across, thetas, grid)
    small = {"markersize": 2.8, "markeredgewidth": 0.5, "rasterized": True, "zorder": 1}
    small_dots = DOTS | small
    for kind, look in ((PAPER, ON_MAP), (BEST, small_dots)):
        of_kind = select_rows(table, kind=kind)
        x = np.interp(numpy_column(of_kind, "value"), values, across)
        ax.plot(x, numpy_column(of_kind, "theta"), **look)
    if has_few:
        ax.set_xticks(across, [f"{value:g}" for value in values])
    heights = np.asarray(mesh.get_coordinates())[:, 0, 1]
    ax.set_ylim(heights[0], heights[-1])
    ax.set_xlabel(symbol_of(name, panel.reconstructed))
    # delta enters through m alone.
    held = held_title(panel, [point.m for point in panel.points()], per_line=3, without=("delta",))
    ax.set_title(f"{panel.name}\n{held}", fontsize=7.5)
    return mesh


def run(job: PanelsJob, output: Path) -> None:
    if not job.panels:
        raise ValueError("no panel of attention sweeps one parameter other than theta")
    table = theta_table(job)
    save_with_numbers(draw(job, table), output, table, record(job.canonical(), __name__))
