"""Maps of P(E_success) over the threshold and a panel's swept parameter, exactly."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, RC, VERMILION, frame, save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column, select_rows, table_from_columns

from ..exact.best_thresholds import success_curves
from ..figures.figure_text import choices_in_words, footnote, held_title, parameters_of, symbol_of
from ..figures.panel_figure import edges
from ..models import MODELS
from ..models.model import alike
from ..settings.panels import MARK, Panel, PanelsJob

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("kind", pa.string()),
        ("theta", pa.float64()),
        ("p_exact", pa.float64()),
        ("theta_low", pa.float64()),
        ("theta_high", pa.float64()),
        ("reconstructed", pa.bool_()),
    ]
)
"""theta is tau / sqrt(log n), the same for all networks. Rows by `kind`:

- PAPER: at the panel's own theta, at every point; `reconstructed` says whether theta is.
- BEST: where P(E_success) is largest, anywhere in [theta_low, theta_high), `theta` its middle, at
  every point; all null where float64 does not tell the best (`ThresholdCurve.resolved`).
- MAP: at each of THETAS, at MAP_POINTS values of the swept parameter at most.
"""

PAPER, BEST, MAP = "paper", "best", "map"
THETAS = np.round(np.arange(0.3, 2.21, 0.02), 10)
MAP_POINTS = 31
DECIMALS = 12
"""What exact values are good for."""

STYLES = {
    PAPER: {"color": VERMILION, "linewidth": 1.6},
    BEST: {
        "color": "white",
        "marker": "o",
        "markersize": 1.6,
        "linewidth": 0,
        "rasterized": True,
        "zorder": 1,
    },
}
MOST_COLUMNS = 6
FEW_VALUES = 12
TITLE_ITEMS = 3


def theta_table(job: PanelsJob) -> pa.Table:
    """P(E_success) at each panel's own threshold, at the best one, and on the map's grid."""
    return pa.concat_tables([_of_panel(panel) for panel in job.panels])


def _of_panel(panel: Panel) -> pa.Table:
    (parameter,) = panel.sweep
    few = min(panel.most_values or MAP_POINTS, MAP_POINTS)
    mapped = {point.swept for point in panel.with_more(most_values=few).points()}
    of_panel = panel.points()
    rows: list[list[tuple]] = [[]] * len(of_panel)
    marked = "theta" in panel.reconstructed
    for members in alike(of_panel):
        part = [of_panel[k] for k in members]
        curves = success_curves(MODELS[panel.model], part)
        own = np.array([point.theta for point in part])
        at = curves.at(np.column_stack([own, np.tile(THETAS, (len(part), 1))]))
        best = np.column_stack(curves.best()).tolist()
        for place, (k, point) in enumerate(zip(members, part, strict=True)):
            p_best, low, high = best[place] if curves.resolved[place] else (None, None, None)
            middle = None if low is None else (low + high) / 2
            p_own, *p_map = at[place].tolist()
            rows[k] = [
                (*point.swept, PAPER, own[place], p_own, None, None, marked),
                (*point.swept, BEST, middle, p_best, low, high, None),
            ]
            if point.swept in mapped:
                rows[k] += [
                    (*point.swept, MAP, theta, round(p, DECIMALS), None, None, None)
                    for theta, p in zip(THETAS.tolist(), p_map, strict=True)
                ]
    columns = list(zip(*(row for of_point in rows for row in of_point), strict=True))
    first = [[panel.name] * len(columns[0]), [parameter] * len(columns[0])]
    named = dict(zip(SCHEMA.names, [*first, *columns], strict=True))
    return table_from_columns(named, SCHEMA)


def draw(job: PanelsJob, table: pa.Table) -> Figure:
    """A line of maps for each figure: the swept parameter across, theta upwards."""
    figures: dict[str, list[Panel]] = {}
    for panel in job.panels:
        figures.setdefault(panel.figure, []).append(panel)
    columns = min(MOST_COLUMNS, max(map(len, figures.values())))
    lines = [part for panels in figures.values() for part in _parts(panels, columns)]
    with matplotlib.rc_context(RC):
        size = (2.2 * columns + 0.9, 2.9 * len(lines) + 1.1)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(lines), columns, squeeze=False, sharey=True)
        for line, panels in zip(axes, lines, strict=True):
            for ax, panel in zip(line, panels, strict=False):
                mesh = _draw_map(ax, panel, select_rows(table, panel=panel.name))
            for ax in line[len(panels) :]:
                ax.set_axis_off()
            line[0].set_ylabel(_line_label(panels))
        figure.colorbar(
            mesh, ax=axes.ravel().tolist(), label="P(E_success), exact", shrink=0.6, aspect=40
        )
        _add_texts(figure, job)
    return figure


def _parts(panels: list[Panel], most: int) -> list[list[Panel]]:
    return [panels[start : start + most] for start in range(0, len(panels), most)]


def _line_label(panels: list[Panel]) -> str:
    """The title of a figure, which tells X, and theta: either is marked if it is in any panel."""
    marked = {name for panel in panels for name in panel.reconstructed}
    title = panels[0].figure.replace(". ", "\n", 1) + MARK * ("attention_x" in marked)
    return f"{title}\n{symbol_of('theta', marked)}"


def _draw_map(ax: Axes, panel: Panel, table: pa.Table):
    of_kind = {kind: select_rows(table, kind=kind) for kind in (PAPER, BEST, MAP)}
    columns, column = np.unique(numpy_column(of_kind[MAP], "value"), return_inverse=True)
    rows, row = np.unique(numpy_column(of_kind[MAP], "theta"), return_inverse=True)
    values = np.full((len(rows), len(columns)), np.nan)
    values[row, column] = numpy_column(of_kind[MAP], "p_exact")
    few = len(columns) <= FEW_VALUES
    across = np.arange(len(columns), dtype=float) if few else columns
    # The map itself as pixels: thousands of cells would make a picture of megabytes.
    mesh = ax.pcolormesh(edges(across), edges(rows), values, vmin=0, vmax=1, rasterized=True)
    ax.grid(False)
    for kind, style in STYLES.items():
        own = of_kind[kind].filter(of_kind[kind]["theta"].is_valid())
        x = np.interp(numpy_column(own, "value"), columns, across)
        ax.plot(x, numpy_column(own, "theta"), **style)
    if few:
        ax.set_xticks(across, [f"{value:g}" for value in columns])
    ax.set_ylim(edges(rows)[[0, -1]])
    (name,) = panel.sweep
    ax.set_xlabel(symbol_of(name, panel.reconstructed))
    # delta enters through m alone.
    held = {key: value for key, value in panel.fixed.items() if key != "delta"}
    sizes = [point.m for point in panel.points()]
    title = held_title(held, sizes, panel.reconstructed, TITLE_ITEMS)
    ax.set_title(f"{panel.name}\n{title}", y=1.0, pad=6, fontsize=7.5)
    return mesh


def _add_texts(figure: Figure, job: PanelsJob) -> None:
    labels = {PAPER: "the panels' own threshold", BEST: "the best one"}
    handles = [Line2D([], [], label=labels[kind], **style) for kind, style in STYLES.items()]
    handles[1].set(markeredgecolor=INK, markersize=4, rasterized=False)
    figure.legend(handles=handles, loc="upper right", ncols=2, fontsize=8, borderaxespad=0.3)
    lines = [
        f"Exact probabilities, at {len(THETAS)} thresholds and at most {MAP_POINTS} values of the "
        f"swept parameter; line and dots at all of a panel's points. Dots: the middle of the "
        f"widest interval of best thresholds.",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    contests = {panel.name: panel.contest for panel in job.panels}
    note = footnote(lines, job.panels, contests, parameters_of(job.panels), figure.get_figwidth())
    title = (
        "One threshold for all networks: where success is likely, and where the panels' own lies"
    )
    frame(figure, title, note, w_pad=0.04)


def run(job: PanelsJob, output: Path) -> None:
    if not job.panels:
        raise ValueError("no panel of attention sweeps one parameter other than theta")
    table = theta_table(job)
    provenance = record(job.canonical(), __name__)
    save_with_numbers(draw(job, table), output.with_suffix(""), table, provenance)
