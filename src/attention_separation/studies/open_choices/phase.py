"""Maps of P(E_success) over two parameters, exactly."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from ...looks.colors import INK
from ...pages.drawing import MOST_WITHOUT_CONTOURS, save_with_numbers, sheet
from ...results.provenance import record
from ...results.tables import Row, numpy_column, schema, select_rows, table_from_rows
from ..softmax_vs_linear.exact.compute import references
from ..softmax_vs_linear.figures.figure_text import (
    CHOICES,
    choices_in_words,
    footnote,
    held_title,
    marked,
)
from ..softmax_vs_linear.figures.panel_figure import draw_panel_map
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.contest import PAPERS
from ..softmax_vs_linear.models.model import Point
from ..softmax_vs_linear.models.panel_tables import SIZES
from ..softmax_vs_linear.settings.panels import Panel, PhaseJob

SCHEMA = schema(
    map=str,
    parameter=str,
    model=str,
    attention_x=str,
    **SIZES,
    delta=float,
    tau=float,
    p_exact=float,
)
"""One row per point of a map; `parameter` names the two swept parameters."""

PARAMETERS = (*SIZES, "delta", "tau", "attention_x")


def phase_table(job: PhaseJob) -> pa.Table:
    """P(E_success) at every point of every map."""
    rows = []
    for entry in job.panels:
        points = entry.points()
        values = references(MODELS[entry.model], points)
        for point, value in zip(points, values, strict=True):
            row: Row = {name: getattr(point, name) for name in PARAMETERS}
            row["map"] = entry.name
            row["parameter"] = ",".join(entry.sweep)
            row["model"] = entry.model
            row["p_exact"] = value.success
            rows.append(row)
    return table_from_rows(rows, SCHEMA)


def points_of(panels: list[Panel]) -> list[tuple[str, list[Point]]]:
    """Of each panel its model and its points."""
    return [(panel.model, panel.points()) for panel in panels]


def marks(entry: Panel, panels: list[tuple[str, list[Point]]]) -> list[tuple[float, float]]:
    """Where points of panels, as `points_of` gives them, lie on a map: those with all else as it is
    there."""
    first, second = entry.sweep
    whole = entry.with_more(most_values=None)
    held_on_map = {_held(point, entry.sweep) for point in whole.points()}
    places = set()
    for model, points in panels:
        if model == entry.model:
            for point in points:
                if _held(point, entry.sweep) in held_on_map:
                    places.add((float(getattr(point, first)), float(getattr(point, second))))
    return sorted(places)


def _held(point: Point, swept: Collection[str]) -> tuple[object, ...]:
    """The parameters that a map holds fixed; tau and delta follow from the others, or from m."""
    names = (*SIZES, "attention_x", "data", "signs", "contest")
    return tuple(getattr(point, name) for name in names if name not in swept)


def draw(job: PhaseJob, table: pa.Table) -> Figure:
    """The maps, with contours, and dots where the paper's panels lie."""
    success = "F_exp separates D1 from D0 and F_lin is zero"
    if any(entry.contest != PAPERS for entry in job.panels):
        success = "success is likely"
    lines = [
        f"Exact probabilities at {len(table):,} points. Dots: points of the paper's panels. "
        f"Contours on maps of over {MOST_WITHOUT_CONTOURS} values each way.",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    maps = sheet(
        f"Beyond the grids: where {success}, at one threshold",
        footnote(lines, job.panels),
        panels=len(job.panels),
        cell=(3.9, 3.3),
        around=(0, 0.8),
        columns=3,
    )
    with maps as (figure, axes):
        points = points_of(job.marked)
        for ax, entry in zip(axes, job.panels, strict=True):
            on_map = select_rows(table, map=entry.name)
            p = numpy_column(on_map, "p_exact")
            mesh = draw_panel_map(ax, entry, shown=p, exact=p)
            x, y = np.reshape(marks(entry, points), (-1, 2)).T
            ax.plot(x, y, "o", color="white", mec=INK, markeredgewidth=0.4, markersize=2.6)
            attention_x = CHOICES["attention_x", entry.fixed["attention_x"]]
            title = f"{MODELS[entry.model].title}, {attention_x}"
            title = marked(title, "attention_x" in entry.reconstructed)
            held = held_title(entry, on_map["m"].to_pylist())
            ax.set_title(f"{title}\n{held}")
        figure.colorbar(mesh, ax=[*axes], label="P(E_success), exact", shrink=0.6, aspect=30)
    return figure


def run(job: PhaseJob, output: Path) -> None:
    if not job.panels:
        raise ValueError("no maps: the section `phase` is empty")
    table = phase_table(job)
    save_with_numbers(draw(job, table), output, table, record(job.canonical(), __name__))
