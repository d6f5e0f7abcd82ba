"""Success rates against the swept parameters, panel by panel. A panel of one swept parameter is a
curve, one of two a map."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from ....looks.colors import BLUE, INK, VERMILION
from ....messages.words import rounded_up
from ....pages import drawing
from ....pages.drawing import Look
from ....results.provenance import record
from ....results.tables import numpy_column, select_rows, write_csv, write_parquet
from ..exact.lines import has_line, lines_table
from ..models.model import SWEEPABLE
from ..models.panel_tables import read_joined
from ..settings.panels import Panel, PanelsJob
from .figure_text import are_outside, choices_in_words, footnote, held_title, marked

HIGH = 0.8
"""Where all lies above it with all intervals, the axis is broken below it: else what is drawn would
be a line along the edge."""

BELOW_BREAK = 0.16
"""The part of a broken axis that is left for what lies below HIGH."""

MANY_POINTS = 12
VERY_MANY_POINTS = 90

INTERVAL_BAND: Look = {"alpha": 0.25, "linewidth": 1.0}
INTERVAL_OF_FEW: Look = {"alpha": 0.45, "linewidth": 1.6}
EXACT_OF_FEW: Look = {
    "linewidth": 0,
    "marker": "_",
    "markersize": 13,
    "markeredgewidth": 1.4,
    "zorder": 2.5,
}
EXACT_LOOK: Look = {"linewidth": 1.3, "zorder": 2.5}
EXACT_ABOVE: Look = {"linewidth": 0.9, "zorder": 3.5}

WIDE_RATIO = 30
"""Values whose largest is this many times the smallest stand on a logarithmic axis."""

OUTSIDE = "outside the datasets' definition"


def draw(job: PanelsJob, tables: list[pa.Table], lines: pa.Table) -> Figure:
    """The figure, one panel for each table in order: trials as dots with 95 % intervals, and exact
    or reference values as a line, or as ticks where the swept parameter has no values between.

    The tables hold trials and exact values of the points, joined; `lines` is of `lines_table`.
    """
    is_alone = len(tables) == 1
    sheet = drawing.sheet(
        job.title or "",
        _note(job),
        panels=len(tables),
        cell=(5.4, 3.9) if is_alone else (3.9, 2.9),
        around=(0.0, 0.0) if is_alone else (0.0, 0.75),
        columns=3 if len(tables) > 4 else 2,
        parse_math=False,
    )
    with sheet as (figure, axes):
        for k, (ax, panel, table) in enumerate(zip(axes, job.panels, tables, strict=True)):
            ax.set_title(held_title(panel))
            if not is_alone:
                draw_letter(ax, chr(ord("a") + k))
            if len(panel.sweep) == 2:
                rate = numpy_column(table, "p_hat")
                mesh = draw_panel_map(ax, panel, rate, exact=numpy_column(table, "p_exact"))
                figure.colorbar(mesh, ax=ax, label="success rate")
            else:
                _draw_rates(ax, panel, table, select_rows(lines, panel=panel.name))
        drawing.legend_above(figure, _legend(job.panels, tables))
    return figure


def _legend(panels: list[Panel], tables: list[pa.Table]) -> list[Artist]:
    """The legend's entries: on the panels that are curves, and on what is outside the datasets'
    definition."""
    curves = []
    largest_error = 0.0
    for panel, table in zip(panels, tables, strict=True):
        if len(panel.sweep) == 1:
            curves.append(panel)
            largest_error = max(largest_error, numpy_column(table, "p_error").max())
    maps = [panel for panel in panels if len(panel.sweep) == 2]
    hatched = [drawing.hatch_key(OUTSIDE)] if any(any(are_outside(panel)) for panel in maps) else []
    if not curves:
        return [*hatched]
    exact = "exact"
    if largest_error:
        exact = f"reference value, estimated error ≤ {rounded_up(largest_error)}"
    handles: list[Artist] = [
        drawing.key("trials", BLUE, marker="o", markersize=4, linewidth=0),
        drawing.key(exact, VERMILION, linewidth=1.3),
    ]
    if any(any(are_outside(panel)) for panel in curves):
        handles.append(drawing.shade_key(OUTSIDE))
    return [*handles, *hatched]


def draw_letter(ax: Axes, letter: str) -> None:
    """Draw a panel's letter above its upper left corner."""
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


def _draw_rates(ax: Axes, panel: Panel, table: pa.Table, line: pa.Table) -> None:
    """Draw the rates of a panel; if all lie above HIGH, on an axis that is broken below it."""
    _draw_points(ax, panel, table, line)
    (swept,) = panel.sweep
    ax.set_ylim(0, 1)
    ax.set_xlabel(_axis_label(swept, panel))
    ax.set_ylabel("success rate")
    lowest = min(numpy_column(table, "ci_low").min(), numpy_column(table, "p_exact").min())
    if lowest >= HIGH:
        _break_axis(ax)


def _break_axis(ax: Axes) -> None:
    """Give the range from HIGH to 1 nearly the whole height of a panel, and mark the break."""

    def height(rate: np.ndarray) -> np.ndarray:
        return np.interp(rate, [0, HIGH, 1], [0, BELOW_BREAK, 1])

    def rate(height: np.ndarray) -> np.ndarray:
        return np.interp(height, [0, BELOW_BREAK, 1], [0, HIGH, 1])

    ax.set_yscale("function", functions=(height, rate))
    ax.set_ylim(0, 1)
    ax.set_yticks([0, *np.linspace(HIGH, 1, 5)])
    ax.set_ylabel(f"success rate, from {HIGH:g}")
    middle = BELOW_BREAK / 2
    look: Look = {"transform": ax.transAxes, "clip_on": False}
    ax.plot([0, 0], [middle - 0.016, middle + 0.016], color="white", linewidth=3, **look)
    for y in (middle - 0.016, middle + 0.016):
        ax.plot([-0.015, 0.015], [y - 0.012, y + 0.012], color=INK, linewidth=1, **look)
    words = f"axis broken: nothing lies below {HIGH:g}"
    ax.text(0.03, middle, words, fontsize=drawing.NOTE_SIZE, va="center", transform=ax.transAxes)


def _draw_points(ax: Axes, panel: Panel, table: pa.Table, line: pa.Table) -> None:
    """Draw a panel's trials with their intervals, and its exact values, on a ground that is shaded
    where points lie outside the datasets' definition."""
    names = ("value", "p_hat", "ci_low", "ci_high", "p_exact")
    x, rate, low, high, exact = drawing.sorted_columns(table, *names)
    gaps = np.diff(x)
    has_few = len(x) <= MANY_POINTS
    if has_few and len(x) >= 3 and x[0] > 0 and gaps[-1] > 4 * gaps[0]:
        # Few positive values that lie further apart the larger they are.
        drawing.ticks_at(ax.xaxis, x.tolist())
    # Where points are dense and hardly scatter, the line would vanish beneath them.
    exact_look = EXACT_ABOVE if len(x) > VERY_MANY_POINTS else EXACT_LOOK
    if has_line(panel):
        values, rates = drawing.sorted_columns(line, "value", "p_exact")
        ax.plot(values, rates, color=VERMILION, clip_on=False, **exact_look)
    elif has_few:
        ax.plot(x, exact, color=VERMILION, clip_on=False, **EXACT_OF_FEW)
    else:
        drawing.draw_ticks(ax, x, exact, VERMILION, **exact_look)
    size = 4.0 if has_few else 2.2
    if len(x) > VERY_MANY_POINTS:
        size = 1.6
    interval = INTERVAL_OF_FEW if has_few else INTERVAL_BAND
    mark: Look = {"markersize": size, "clip_on": False}
    drawing.draw_estimates(ax, x, rate, low, high, BLUE, mark=mark, interval=interval)
    if has_few:
        ax.margins(x=0.08)
    else:
        ax.set_xlim(x[0], x[-1])
    swept = [point.swept[0] for point in panel.points()]
    order = np.argsort(swept, kind="stable")
    is_outside = np.array(are_outside(panel))[order]
    drawing.shade(ax, x, is_outside)
    (inside,) = np.nonzero(~is_outside)
    if len(inside) == 1:
        _point_out(ax, x[inside[0]], f"only {_value_of_swept(panel, x[inside[0]])} is inside")


def _point_out(ax: Axes, x: float, words: str) -> None:
    """Write words near the bottom of a panel, with an arrow to an x."""
    is_at_right = x > sum(ax.get_xlim()) / 2
    ax.annotate(
        words,
        (x, 0.06),
        xytext=(-14 if is_at_right else 14, 16),
        textcoords="offset points",
        ha="right" if is_at_right else "left",
        fontsize=drawing.NOTE_SIZE,
        arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 0.8},
    )


def _value_of_swept(panel: Panel, value: float) -> str:
    """A value of the parameter that a panel sweeps, as text such as "𝑐 = 0.8"."""
    (swept,) = panel.sweep
    return f"{SWEEPABLE[swept].symbol} = {value:g}"


def draw_panel_map(ax: Axes, panel: Panel, shown: np.ndarray, exact: np.ndarray) -> QuadMesh:
    """Draw a panel of two swept parameters: the numbers `shown` at its points as colours, and
    contours of the exact values; what is outside the datasets' definition is hatched. Returned is
    the coloured mesh."""
    x, y = np.array([point.swept for point in panel.points()]).T
    columns, rows, grid = drawing.as_grid(x, y, shown)
    across, upwards = panel.sweep
    _set_axis(ax.xaxis, _axis_label(across, panel), columns)
    _set_axis(ax.yaxis, _axis_label(upwards, panel), rows)
    mesh = drawing.draw_map(ax, columns, rows, grid)
    _, _, is_outside = drawing.as_grid(x, y, np.array(are_outside(panel), dtype=float))
    drawing.hatch(ax, columns, rows, is_outside == 1)
    drawing.draw_contours(ax, *drawing.as_grid(x, y, exact))
    return mesh


def _set_axis(axis: Axis, label: str, values: np.ndarray) -> None:
    """Set an axis's label, and the scale and the ticks that its sorted values need."""
    axis.set_label_text(label)
    if values[0] > 0 and values[-1] > WIDE_RATIO * values[0]:
        drawing.log_axis(axis, (values[0], values[-1]))
    elif len(values) <= MANY_POINTS:
        axis.set_ticks(values, [f"{value:g}" for value in values])


def _axis_label(name: str, panel: Panel) -> str:
    """The label of a swept parameter's axis: what it is, and its symbol."""
    swept = SWEEPABLE[name]
    return marked(swept.words + swept.symbol, name in panel.reconstructed)


def _note(job: PanelsJob) -> str:
    """The text beneath the figure: its numbers of trials, the panels' choices, and notes on
    them."""
    trials = sorted({panel.trials for panel in job.panels})
    counts = " or ".join(f"{count:,}" for count in trials)
    items = [f"{counts} trials per point"]
    if any(len(panel.sweep) == 1 for panel in job.panels):
        items.append("95 % intervals (Clopper-Pearson)")
    if any(len(panel.sweep) == 2 for panel in job.panels):
        items.append("contours on large maps: exact")
    line = "; ".join([*items, choices_in_words(job.panels)])
    marks = {1: "shaded", 2: "hatched"}
    ways = [marks[count] for count in sorted({len(panel.sweep) for panel in job.panels})]
    return footnote([f"{line}."], job.panels, mark=" or ".join(ways).capitalize())


def run(job: PanelsJob, tables: list[Path], exact: list[Path], output: Path) -> None:
    """Write a figure of panels with its numbers, and the lines of exact values that it draws."""
    joined = read_joined(tables, exact, [panel.contest for panel in job.panels])
    # Panels of other contests have other events.
    whole = pa.concat_tables(
        [table.replace_schema_metadata() for table in joined], promote_options="default"
    )
    lines = lines_table(job.panels)
    provenance = record(job.canonical(), __name__)
    beside = output.with_name(f"{output.stem}_lines")
    write_csv(lines, beside.with_suffix(".csv"))
    write_parquet(lines, beside.with_suffix(".parquet"), provenance)
    drawing.save_with_numbers(draw(job, joined, lines), output, whole, provenance)
