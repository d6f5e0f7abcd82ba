"""Success rates against the swept parameters, panel by panel."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import BLUE, RC, VERMILION, frame, save_with_numbers
from attention_separation.pages.prose import rounded_up
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column

from ..models.model import X_LABELS
from ..models.panel_tables import read_joined
from ..settings.panels import Panel, PanelsJob
from .figure_text import choices_in_words, footnote, held_title

MANY_POINTS = 12
VERY_MANY_POINTS = 90
CONTOURS = (0.1, 0.25, 0.5, 0.75, 0.9)


def draw(job: PanelsJob, tables: list[pa.Table]) -> Figure:
    """The figure, one panel for each table in order: trials as dots with 95 % intervals, and exact
    or reference values as a line. The tables hold both, joined."""
    columns = min(len(tables), 3 if len(tables) > 4 else 2)
    rows = -(-len(tables) // columns)
    with matplotlib.rc_context(RC):
        size = (3.9 * columns, 2.75 * rows + 0.75) if len(tables) > 1 else (5.4, 3.9)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for index, (ax, panel, table) in enumerate(zip(axes, job.panels, tables, strict=False)):
            letter = chr(ord("a") + index) if len(tables) > 1 else ""
            _draw_panel(ax, panel, table, letter)
        for ax in axes[len(tables) :]:
            ax.set_axis_off()
        _draw_legend(figure, tables)
        frame(figure, job.title, _footnote(job, tables, size[0]), parse_math=False)
    return figure


def _draw_panel(ax: Axes, panel: Panel, table: pa.Table, letter: str) -> None:
    swept = list(panel.sweep)
    # A given y spares Matplotlib the search for one, at every draw.
    title = held_title(panel.fixed, table["m"].to_pylist(), panel.reconstructed)
    ax.set_title(title, pad=8, y=1.0)
    ax.annotate(
        letter, (0, 1), xytext=(-26, 8), xycoords="axes fraction", textcoords="offset points",
        fontsize=11, fontweight="bold", va="bottom",
    )  # fmt: skip
    if len(swept) == 2:
        _draw_map(ax, panel, table)
        return
    x = numpy_column(table, "value")
    order = np.argsort(x)
    names = ("value", "p_hat", "ci_low", "ci_high", "p_exact")
    x, rate, low, high, exact = (numpy_column(table, name)[order] for name in names)
    many = len(x) > MANY_POINTS
    if many:
        # Where points are dense and hardly scatter, the line would vanish beneath them.
        dense = len(x) > VERY_MANY_POINTS
        above, width, size = (3.5, 0.9, 1.6) if dense else (2.5, 1.3, 2.2)
        ax.plot(x, exact, color=VERMILION, linewidth=width, clip_on=False, zorder=above)
        ax.vlines(x, low, high, color=BLUE, alpha=0.25, linewidth=1.0)
    else:
        # Few values, and none between them: ticks with a thin link.
        size = 4.0
        ax.plot(
            x, exact, color=VERMILION, linewidth=0.6, linestyle=":", marker="_", markersize=13,
            markeredgewidth=1.4, clip_on=False, zorder=2.5,
        )  # fmt: skip
        ax.vlines(x, low, high, color=BLUE, alpha=0.45, linewidth=1.6)
    ax.plot(x, rate, "o", color=BLUE, markersize=size, clip_on=False, zorder=3)
    if _evenly_in_logarithm(x):
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    else:
        ax.set_xlim(x[0], x[-1]) if many else ax.margins(x=0.08)
    ax.set_ylim(0, 1)
    ax.set_xlabel(_axis_label(swept[0], panel))
    ax.set_ylabel("success rate")


def _draw_legend(figure: Figure, tables: list[pa.Table]) -> None:
    largest = max(numpy_column(table, "p_error").max() for table in tables)
    line = "exact" if largest == 0 else f"reference value, estimated error ≤ {rounded_up(largest)}"
    handles = [
        Line2D([], [], color=BLUE, marker="o", markersize=4, linewidth=0, label="trials"),
        Line2D([], [], color=VERMILION, linewidth=1.3, label=line),
    ]
    figure.legend(handles=handles, loc="upper right", ncols=2, fontsize=8, borderaxespad=0.3)


def _draw_map(ax: Axes, panel: Panel, table: pa.Table) -> None:
    coordinates = zip(*(point.swept for point in panel.points()), strict=True)
    (first, column), (second, row) = (np.unique(c, return_inverse=True) for c in coordinates)
    rate, exact = np.full((2, len(second), len(first)), np.nan)
    rate[row, column] = numpy_column(table, "p_hat")
    exact[row, column] = numpy_column(table, "p_exact")
    mesh = ax.pcolormesh(edges(first), edges(second), rate, vmin=0, vmax=1)
    levels = [level for level in CONTOURS if exact.min() < level < exact.max()]
    if levels and min(exact.shape) > 1:
        lines = ax.contour(first, second, exact, levels, colors=VERMILION, linewidths=1)
        ax.clabel(lines, fontsize=7)
    ax.grid(False)
    ax.figure.colorbar(mesh, ax=ax, label="success rate")
    for axis, values, name in zip((ax.xaxis, ax.yaxis), (first, second), panel.sweep, strict=True):
        axis.set_label_text(_axis_label(name, panel))
        if len(values) <= MANY_POINTS:
            axis.set_ticks(values, [f"{value:g}" for value in values])


def edges(values: np.ndarray) -> np.ndarray:
    """Ends of the cells around sorted values: midway between neighbours."""
    if len(values) == 1:
        return values + np.array([-0.5, 0.5])
    middles = (values[1:] + values[:-1]) / 2
    ends = values[0] - (middles[0] - values[0]), values[-1] + (values[-1] - middles[-1])
    return np.array([ends[0], *middles, ends[1]])


def _axis_label(name: str, panel: Panel) -> str:
    return X_LABELS[name] + "*" * (name in panel.reconstructed)


def _footnote(job: PanelsJob, tables: list[pa.Table], inches: float) -> str:
    """The trials, the choices that all panels share, and what departs from them."""
    trials = sorted({panel.trials for panel in job.panels})
    counts = " or ".join(f"{count:,}" for count in trials)
    maps = all(len(panel.sweep) == 2 for panel in job.panels)
    intervals = "lines: exact" if maps else "95 % intervals (Clopper-Pearson)"
    parameters = [
        (panel.model, tuple(row.values()))
        for panel, table in zip(job.panels, tables, strict=True)
        for row in table.select(["a0", "a1", "b", "c"]).to_pylist()
    ]
    contests = {panel.name: panel.contest for panel in job.panels}
    line = f"{counts} trials per point; {intervals}; {choices_in_words(job.panels)}."
    return footnote([line], job.panels, contests, parameters, inches)


def _evenly_in_logarithm(x: np.ndarray) -> bool:
    """Whether few positive values lie further apart the larger they are."""
    gaps = np.diff(x)
    return 3 <= len(x) <= MANY_POINTS and x[0] > 0 and gaps[-1] > 4 * gaps[0]


def run(job: PanelsJob, tables: list[Path], exact: list[Path], output: Path) -> None:
    joined = read_joined(tables, exact, [panel.contest for panel in job.panels])
    stem = output.with_suffix("")
    # Panels of other contests have other events.
    whole = pa.concat_tables(
        [table.replace_schema_metadata() for table in joined], promote_options="default"
    )
    provenance = record(job.canonical(), __name__)
    save_with_numbers(draw(job, joined), stem, whole, provenance)
