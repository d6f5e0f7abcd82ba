"""Maps of P(E_success) over two parameters, exactly."""

import math
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from attention_separation.pages.drawing import INK, RC, frame, save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column, select_rows, table_from_rows

from ..exact.compute import references
from ..figures.figure_text import CHOICES, choices_in_words, footnote, held_title
from ..figures.panel_figure import edges
from ..models import MODELS
from ..models.contest import PAPERS
from ..models.model import X_LABELS, Point
from ..settings.panels import MARK, Panel, PhaseJob

SCHEMA = pa.schema(
    [
        ("map", pa.string()),
        ("parameter", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        *((name, pa.int64()) for name in ("n", "d", "m")),
        *((name, pa.float64()) for name in ("a0", "a1", "b", "c", "delta", "tau", "p_exact")),
    ]
)
"""One row per point of a map; `parameter` names the two swept parameters."""

OWN = ("n", "d", "m", "a0", "a1", "b", "c", "delta", "tau", "attention_x")
LEVELS = (0.1, 0.5, 0.9)
SMOOTH = 30
"""Fewest values of both parameters for contours: on coarser maps they would invent detail."""

WIDE = 30
"""Values whose largest is this many times the smallest stand on a logarithmic axis."""

LARGE = 10_000
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def phase_table(job: PhaseJob) -> pa.Table:
    """P(E_success) at every point of every map."""
    rows = []
    for entry in job.panels:
        parameter = ",".join(entry.sweep)
        of_map = entry.points()
        for point, found in zip(of_map, references(MODELS[entry.model], of_map), strict=True):
            rows.append(
                {
                    "map": entry.name,
                    "parameter": parameter,
                    "model": entry.model,
                    "p_exact": found.success,
                    **{name: getattr(point, name) for name in OWN},
                }
            )
    return table_from_rows(rows, SCHEMA)


def marks(entry: Panel, panels: list[Panel]) -> list[tuple[float, float]]:
    """Where points of the panels lie on a map: those with all else as it is there."""
    first, second = entry.sweep
    whole = entry.with_more(most_values=None)
    there = {_elsewhere(point, first, second) for point in whole.points()}
    found = {
        (float(getattr(point, first)), float(getattr(point, second)))
        for panel in panels
        if panel.model == entry.model
        for point in panel.points()
        if _elsewhere(point, first, second) in there
    }
    return sorted(found)


def _elsewhere(point: Point, *swept: str) -> tuple:
    """The parameters that a map holds fixed; tau and delta follow from the others, or from m."""
    names = ("n", "d", "m", "a0", "a1", "b", "c", "attention_x", "data", "signs", "contest")
    return tuple(getattr(point, name) for name in names if name not in swept)


def draw(job: PhaseJob, table: pa.Table) -> Figure:
    """The maps, with contours, and dots where the paper's panels lie."""
    columns = min(3, len(job.panels))
    lines = -(-len(job.panels) // columns)
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(3.9 * columns, 3.3 * lines + 0.8), layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for ax, entry in zip(axes, job.panels, strict=False):
            own = select_rows(table, map=entry.name)
            mesh = _draw_map(ax, entry, own, marks(entry, job.marked))
        for ax in axes[len(job.panels) :]:
            ax.set_axis_off()
        figure.colorbar(mesh, ax=axes.tolist(), label="P(E_success), exact", shrink=0.6, aspect=30)
        success = "F_exp separates D1 from D0 and F_lin is zero"
        if any(entry.contest != PAPERS for entry in job.panels):
            success = "success is likely"
        lines = [
            f"Exact probabilities at {len(table):,} points. Dots: points of the paper's panels. "
            f"Contours, on maps of at least {SMOOTH} values each way: "
            f"{', '.join(f'{level:g}' for level in LEVELS)}.",
            choices_in_words(job.panels, titled=("attention_x",)) + ".",
        ]
        contests = {entry.name: entry.contest for entry in job.panels}
        parameters = [
            (row["model"], tuple(row[name] for name in ("a0", "a1", "b", "c")))
            for row in table.to_pylist()
        ]
        note = footnote(lines, job.panels, contests, parameters, figure.get_figwidth())
        frame(figure, f"Beyond the grids: where {success}, at one threshold", note)
    return figure


def _draw_map(ax: Axes, entry: Panel, table: pa.Table, dots: list[tuple[float, float]]):
    first, second = entry.sweep
    columns, column = np.unique(numpy_column(table, first), return_inverse=True)
    rows, row = np.unique(numpy_column(table, second), return_inverse=True)
    values = np.full((len(rows), len(columns)), np.nan)
    values[row, column] = numpy_column(table, "p_exact")
    # The map itself as pixels: thousands of cells would make a picture of megabytes.
    mesh = ax.pcolormesh(
        _cell_edges(columns), _cell_edges(rows), values, vmin=0, vmax=1, rasterized=True
    )
    ax.grid(False)
    inside = [level for level in LEVELS if values.min() < level < values.max()]
    if inside and min(values.shape) >= SMOOTH:
        ax.contour(columns, rows, values, inside, colors="white", linewidths=0.7)
    if dots:
        x, y = zip(*dots, strict=True)
        ax.plot(x, y, "o", color="white", markeredgecolor=INK, markeredgewidth=0.4, markersize=2.6)
    for axis, numbers, name in ((ax.xaxis, columns, first), (ax.yaxis, rows, second)):
        axis.set_label_text(X_LABELS[name])
        if _is_wide(numbers):
            (ax.set_xscale if axis is ax.xaxis else ax.set_yscale)("log")
            subs = (1, 2, 5) if numbers[-1] < LARGE else (1,)
            axis.set_major_locator(LogLocator(subs=subs))
            axis.set_major_formatter(_number)
            axis.set_minor_locator(NullLocator())
    marked = MARK * ("attention_x" in entry.reconstructed)
    x = CHOICES["attention_x", entry.fixed["attention_x"]]
    title = f"{MODELS[entry.model].title}, {x}{marked}"
    numbers = held_title(entry.fixed, table["m"].to_pylist(), entry.reconstructed)
    ax.set_title(f"{title}\n{numbers}", y=1.0, pad=8)
    return mesh


def _number(value: float, position: int | None = None) -> str:
    """A number as an axis shows it: 500, or 10⁶ (as text, for formulas are slow)."""
    if value < LARGE:
        return f"{value:g}"
    return "10" + str(round(math.log10(value))).translate(SUPERSCRIPTS)


def _is_wide(values: np.ndarray) -> bool:
    return values[0] > 0 and values[-1] > WIDE * values[0]


def _cell_edges(values: np.ndarray) -> np.ndarray:
    """Ends of the cells around sorted values, midway between neighbours as the axis shows them."""
    return np.exp(edges(np.log(values))) if _is_wide(values) else edges(values)


def run(job: PhaseJob, output: Path) -> None:
    if not job.panels:
        raise ValueError("no maps: the section `phase` is empty")
    table = phase_table(job)
    provenance = record(job.canonical(), __name__)
    save_with_numbers(draw(job, table), output.with_suffix(""), table, provenance)
