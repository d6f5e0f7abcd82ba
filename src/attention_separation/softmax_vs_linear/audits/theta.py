"""Maps of P(E_success) over the threshold and a panel's swept parameter, exactly."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from ...pages.drawing import as_grid, draw_map, key, legend_above, save_with_numbers, sheet
from ...pages.house_style import INK, VERMILION
from ...results.provenance import record
from ...results.tables import numpy_column, schema, select_rows, table_from_rows
from ..exact.best_thresholds import best_thresholds, success_at
from ..figures.figure_text import choices_in_words, footnote, held_title, symbol_of
from ..models import MODELS
from ..models.panel_tables import DECIMALS
from ..settings.panels import MARK, Panel, PanelsJob

SCHEMA = schema(
    panel=str, parameter=str, value=float, kind=str, theta=float, p_exact=float,
    theta_low=float, theta_high=float, reconstructed=bool,
)  # fmt: skip
"""theta is tau / sqrt(log n), the same for all networks. Rows by `kind`:

- PAPER: at the panel's own theta, at every point; `reconstructed` says whether theta is.
- BEST: where P(E_success) is largest, anywhere in [theta_low, theta_high), `theta` its middle, at
  every point; all null where float64 does not resolve the best (`ThresholdCurve.resolved`).
- MAP: at each of THETAS, at MAP_POINTS values of the swept parameter at most.
"""

PAPER, BEST, MAP = "paper", "best", "map"
THETAS = np.round(np.arange(0.3, 2.21, 0.02), 10)
MAP_POINTS = 31

LINE = {"color": VERMILION, "linewidth": 1.6}
DOTS = {"marker": "o", "linewidth": 0, "color": "white"}
MOST_COLUMNS = 6
FEW_VALUES = 12


def theta_table(job: PanelsJob) -> pa.Table:
    """P(E_success) at each panel's own threshold, at the best one, and on the map's grid."""
    rows = []
    for panel in job.panels:
        model, of_panel = MODELS[panel.model], panel.points()
        few = min(panel.most_values or MAP_POINTS, MAP_POINTS)
        mapped = panel.with_more(most_values=few).points()
        on_map = dict(zip(mapped, success_at(model, mapped, THETAS).tolist(), strict=True))
        marked = "theta" in panel.reconstructed
        for point, best in zip(of_panel, best_thresholds(model, of_panel, None), strict=True):
            middle = None if best.low is None else (best.low + best.high) / 2
            (value,) = point.swept
            found = [
                (PAPER, point.theta, best.p_at_theta, None, None, marked),
                (BEST, middle, best.p_best, best.low, best.high, None),
                *(
                    (MAP, theta, round(p, DECIMALS), None, None, None)
                    for theta, p in zip(THETAS.tolist(), on_map.get(point, ()), strict=False)
                ),
            ]
            at = (panel.name, *panel.sweep, value)
            rows += [dict(zip(SCHEMA.names, (*at, *row), strict=True)) for row in found]
    return table_from_rows(rows, SCHEMA)


def draw(job: PanelsJob, table: pa.Table) -> Figure:
    """A map for each panel: the swept parameter across, theta upwards; the title of a figure beside
    the first of its panels."""
    lines = [
        f"Exact probabilities, at {len(THETAS)} thresholds and at most {MAP_POINTS} values of the "
        f"swept parameter; line and dots at all of a panel's points. Dots: the middle of the "
        f"widest interval of best thresholds.",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    title = (
        "One threshold for all networks: where success is likely, and where the panels' own lies"
    )
    figures: dict[str, list[Panel]] = {}
    for panel in job.panels:
        figures.setdefault(panel.figure, []).append(panel)
    with sheet(
        title, footnote(lines, job.panels), len(job.panels), cell=(2.2, 2.9), around=(0.9, 1.1),
        columns=MOST_COLUMNS, sharey=True,
    ) as (figure, axes):  # fmt: skip
        for ax, panel in zip(axes, job.panels, strict=True):
            mesh = _draw_map(ax, panel, select_rows(table, panel=panel.name))
        for panels in figures.values():
            axes[job.panels.index(panels[0])].set_ylabel(_line_label(panels))
        figure.colorbar(mesh, ax=[*axes], label="P(E_success), exact", shrink=0.6, aspect=40)
        best = key("the best one", **DOTS | {"markeredgecolor": INK, "markersize": 4})
        legend_above(figure, [key("the panels' own threshold", **LINE), best])
    return figure


def _line_label(panels: list[Panel]) -> str:
    """The title of a figure, which names X, and theta: either is marked if it is in any panel."""
    marked = {name for panel in panels for name in panel.reconstructed}
    title = panels[0].figure.replace(". ", "\n", 1) + MARK * ("attention_x" in marked)
    return f"{title}\n{symbol_of('theta', marked)}"


def _draw_map(ax: Axes, panel: Panel, table: pa.Table) -> QuadMesh:
    (name,) = panel.sweep
    columns = ("value", "theta", "p_exact")
    of_kind = {
        kind: [numpy_column(select_rows(table, kind=kind), each) for each in columns]
        for kind in (PAPER, BEST, MAP)
    }
    values, thetas, grid = as_grid(*of_kind[MAP])
    few = len(values) <= FEW_VALUES
    across = np.arange(len(values), dtype=float) if few else values
    mesh = draw_map(ax, across, thetas, grid)
    dots = {"markersize": 1.6, "rasterized": True, "zorder": 1}
    for kind, look in ((PAPER, LINE), (BEST, DOTS | dots)):
        value, theta, _ = of_kind[kind]
        ax.plot(np.interp(value, values, across), theta, **look)
    if few:
        ax.set_xticks(across, [f"{value:g}" for value in values])
    ax.set_ylim(mesh.get_coordinates()[[0, -1], 0, 1])
    ax.set_xlabel(symbol_of(name, panel.reconstructed))
    # delta enters through m alone.
    held = held_title(panel, [point.m for point in panel.points()], 3, without=("delta",))
    ax.set_title(f"{panel.name}\n{held}", fontsize=7.5)
    return mesh


def run(job: PanelsJob, output: Path) -> None:
    if not job.panels:
        raise ValueError("no panel of attention sweeps one parameter other than theta")
    table = theta_table(job)
    save_with_numbers(draw(job, table), output, table, record(job.canonical(), __name__))
