"""Success rates against the swept parameters, panel by panel."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from ....messages.words import rounded_up
from ....pages import drawing
from ....pages.house_style import BLUE, VERMILION
from ....results.provenance import record
from ....results.tables import numpy_column
from ..models.model import SWEEPABLE
from ..models.panel_tables import read_joined
from ..settings.panels import Panel, PanelsJob
from .figure_text import choices_in_words, footnote, held_title, marked

HIGH = 0.8
"""Where the axis of a panel begins all of whose rates are above it, with their intervals."""

MANY_POINTS = 12
VERY_MANY_POINTS = 90
CONTOURS = (0.1, 0.25, 0.5, 0.75, 0.9)

INTERVAL: dict[str, Any] = {"alpha": 0.25, "linewidth": 1.0}
INTERVAL_OF_FEW: dict[str, Any] = {"alpha": 0.45, "linewidth": 1.6}
EXACT_TICKS: dict[str, Any] = {
    "linewidth": 0.6,
    "linestyle": ":",
    "marker": "_",
    "markersize": 13,
    "markeredgewidth": 1.4,
    "zorder": 2.5,
}
EXACT_LINE: dict[str, Any] = {"linewidth": 1.3, "zorder": 2.5}
EXACT_LINE_ABOVE: dict[str, Any] = {"linewidth": 0.9, "zorder": 3.5}

WIDE = 30
"""Values whose largest is this many times the smallest stand on a logarithmic axis."""


def draw(job: PanelsJob, tables: list[pa.Table]) -> Figure:
    """The figure, one panel for each table in order: trials as dots with 95 % intervals, and exact
    or reference values as a line. The tables hold both, joined."""
    is_alone = len(tables) == 1
    sheet = drawing.sheet(
        job.title or "",
        _note(job),
        panels=len(tables),
        cell=(5.4, 3.9) if is_alone else (3.9, 2.75),
        around=(0.0, 0.0) if is_alone else (0.0, 0.75),
        columns=3 if len(tables) > 4 else 2,
        parse_math=False,
    )
    with sheet as (figure, axes):
        for k, (ax, panel, table) in enumerate(zip(axes, job.panels, tables, strict=True)):
            ax.set_title(held_title(panel, table["m"].to_pylist()))
            if not is_alone:
                _draw_letter(ax, chr(ord("a") + k))
            if len(panel.sweep) == 2:
                rate = numpy_column(table, "p_hat")
                mesh = draw_panel_map(ax, panel, rate, exact=numpy_column(table, "p_exact"))
                figure.colorbar(mesh, ax=ax, label="success rate")
            else:
                _draw_rates(ax, panel, table)
        largest = max(numpy_column(table, "p_error").max() for table in tables)
        line = f"reference value, estimated error ≤ {rounded_up(largest)}" if largest else "exact"
        handles = [
            drawing.key("trials", BLUE, marker="o", markersize=4, linewidth=0),
            drawing.key(line, VERMILION, linewidth=1.3),
        ]
        drawing.legend_above(figure, handles)
    return figure


def _draw_letter(ax: Axes, letter: str) -> None:
    ax.annotate(
        letter,
        xy=(0, 1),
        xytext=(-26, 8),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=11,
        fontweight="bold",
        va="bottom",
    )


def _draw_rates(ax: Axes, panel: Panel, table: pa.Table) -> None:
    (swept,) = panel.sweep
    names = ("value", "p_hat", "ci_low", "ci_high", "p_exact")
    x, rate, low, high, exact = drawing.sorted_columns(table, *names)
    if len(x) <= MANY_POINTS:
        # Few values, and none between them: ticks with a thin link.
        line = EXACT_TICKS
        interval = INTERVAL_OF_FEW
        size = 4.0
    else:
        line = EXACT_LINE
        interval = INTERVAL
        size = 2.2
        if len(x) > VERY_MANY_POINTS:
            # Where points are dense and hardly scatter, the line would vanish beneath them.
            line = EXACT_LINE_ABOVE
            size = 1.6
    ax.plot(x, exact, color=VERMILION, clip_on=False, **line)
    ax.vlines(x, low, high, color=BLUE, **interval)
    ax.plot(x, rate, "o", color=BLUE, markersize=size, clip_on=False, zorder=3)
    gaps = np.diff(x)
    if len(x) > MANY_POINTS:
        ax.set_xlim(x[0], x[-1])
    elif len(x) >= 3 and x[0] > 0 and gaps[-1] > 4 * gaps[0]:
        # Few positive values that lie further apart the larger they are.
        drawing.ticks_at(ax.xaxis, x.tolist())
    else:
        ax.margins(x=0.08)
    # What lies within the upper fifth would be a line along the edge.
    is_high = min(low.min(), exact.min()) >= HIGH
    ax.set_ylim(HIGH if is_high else 0, 1)
    ax.set_xlabel(_axis_label(swept, panel))
    ax.set_ylabel(f"success rate, from {HIGH:g}" if is_high else "success rate")


def draw_panel_map(
    ax: Axes, panel: Panel, shown: np.ndarray, exact: np.ndarray, smooth: int = 2
) -> QuadMesh:
    """A panel of two swept parameters: what is shown at its points as colours, and contours of
    exact values where both parameters have at least `smooth` values."""
    x, y = np.array([point.swept for point in panel.points()]).T
    columns, rows, grid = drawing.as_grid(x, y, shown)
    across, upwards = panel.sweep
    _set_axis(ax.xaxis, _axis_label(across, panel), columns)
    _set_axis(ax.yaxis, _axis_label(upwards, panel), rows)
    mesh = drawing.draw_map(ax, columns, rows, grid)
    levels = [level for level in CONTOURS if exact.min() < level < exact.max()]
    if levels and min(grid.shape) >= smooth:
        lines = ax.contour(*drawing.as_grid(x, y, exact), levels, colors=VERMILION, linewidths=1)
        ax.clabel(lines, fontsize=7)
    return mesh


def _set_axis(axis: Axis, label: str, values: np.ndarray) -> None:
    """The label, and a scale and ticks as sorted values need them."""
    axis.set_label_text(label)
    if values[0] > 0 and values[-1] > WIDE * values[0]:
        drawing.log_axis(axis, (values[0], values[-1]))
    elif len(values) <= MANY_POINTS:
        axis.set_ticks(values, [f"{value:g}" for value in values])


def _axis_label(name: str, panel: Panel) -> str:
    swept = SWEEPABLE[name]
    return marked(swept.words + swept.symbol, name in panel.reconstructed)


def _note(job: PanelsJob) -> str:
    """The trials, the choices that all panels share, and what departs from them."""
    trials = sorted({panel.trials for panel in job.panels})
    counts = " or ".join(f"{count:,}" for count in trials)
    maps = all(len(panel.sweep) == 2 for panel in job.panels)
    intervals = "lines: exact" if maps else "95 % intervals (Clopper-Pearson)"
    line = f"{counts} trials per point; {intervals}; {choices_in_words(job.panels)}."
    return footnote([line], job.panels)


def run(job: PanelsJob, tables: list[Path], exact: list[Path], output: Path) -> None:
    joined = read_joined(tables, exact, [panel.contest for panel in job.panels])
    # Panels of other contests have other events.
    whole = pa.concat_tables(
        [table.replace_schema_metadata() for table in joined], promote_options="default"
    )
    drawing.save_with_numbers(draw(job, joined), output, whole, record(job.canonical(), __name__))
