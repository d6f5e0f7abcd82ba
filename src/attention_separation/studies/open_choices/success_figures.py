"""Probabilities of success over two parameters, drawn: as maps over the threshold, as curves of
each network alone, and as maps beyond the panels' grids.

theta is the threshold tau / sqrt(log n). A plot of a panel has its swept parameter across; what a
panel *holds* are the parameters that it keeps fixed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, zip_longest
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ...looks.colors import INK
from ...looks.kernel_styles import kernel_lines
from ...pages.drawing import (
    MOST_WITHOUT_CONTOURS,
    ON_MAP,
    Look,
    as_grid,
    draw_map,
    hatch,
    hatch_key,
    key,
    legend_beside,
    shade,
    shade_key,
    sheet,
    sorted_columns,
    ticks_at,
)
from ...results.tables import numpy_column, select_rows
from ..softmax_vs_linear.exact.best_thresholds import curve_at
from ..softmax_vs_linear.figures.figure_text import (
    WORDS_OF_CHOICES,
    are_outside,
    choices_in_words,
    footnote,
    held_items,
    held_title,
    items_in_lines,
    marked,
    symbol_of,
)
from ..softmax_vs_linear.figures.panel_figure import OUTSIDE, draw_letter, draw_panel_map
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.contest import CONTEST_OF_PAPER, network_name
from ..softmax_vs_linear.models.model import SWEEPABLE, Point
from ..softmax_vs_linear.models.panel_tables import PARAMETER_COLUMNS
from ..softmax_vs_linear.settings.panels import Panel, PanelsJob, PhaseJob
from .success_tables import MAP_POINTS, THETAS, ThetaKind

SMALLEST = 8
"""Points of the smallest letters of what fits a printed page, 7.5 by 10 inches."""

PAGE_INCHES = 7.5
LEAST_PLOTS_INCHES = 4.0
"""Height of all rows of plots together, at least: headings and notes take theirs."""

TITLE_PAD = 4
ROW_PAD = 0.03

X_NAMES = {"identity": "X = identity", "ones": "X = all ones"}

THETA_DOTS: Look = {"marker": "o", "linewidth": 0, "color": INK, "markeredgecolor": "white"}
SMALL_DOTS: Look = THETA_DOTS | {
    "markersize": 2.8,
    "markeredgewidth": 0.5,
    "rasterized": True,
    "zorder": 1,
}
FEW_VALUES = 12

AT_BEST: Look = {"linewidth": 3.6, "alpha": 0.35, "linestyle": "-"}
AT_OWN: Look = {"linewidth": 1.1}
"""A thin line is seen on a broad pale one."""

OUTSIDE_IN_LINES = OUTSIDE.replace("datasets' ", "datasets'\n")

HELD = "Above a column stands what most of its panels hold fixed, above a panel what else it does."

Looks = dict[str, Look]
"""By kernel."""


@dataclass(frozen=True)
class Column:
    """Small plots of the panels of one model, X and contest, one beneath the other."""

    panels: list[Panel]

    @cached_property
    def held(self) -> dict[str, str]:
        """The value that most of the panels hold fixed of each parameter, as text, by its name."""
        texts: dict[str, Counter[str]] = {}
        for panel in self.panels:
            for name, text in held_items(panel).items():
                texts.setdefault(name, Counter())[text] += 1
        # delta enters through m alone.
        names = [name for name in SWEEPABLE if name in texts and name != "delta"]
        return {name: _most_common(texts[name]) for name in names}

    @property
    def name(self) -> str:
        """The column's model and X, in words; marked where X, or Ax of softmax regression, is
        reconstructed."""
        model = MODELS[self.panels[0].model]
        attention_x = self.panels[0].fixed.get("attention_x")
        name = model.title
        if attention_x in X_NAMES:
            name = f"{name}, {X_NAMES[attention_x]}"
        is_reconstructed = any(model.titled_by in panel.reconstructed for panel in self.panels)
        return marked(name, is_reconstructed)

    def title_of(self, panel: Panel) -> str:
        """The title of a panel's plot: its name, and what it holds fixed otherwise than most."""
        items = held_items(panel).items()
        others = [text for name, text in items if text != self.held.get(name, text)]
        return f"{panel.name}: {', '.join(others)}" if others else panel.name

    def heading(self, characters: int) -> str:
        """The column's heading: its name, and what most of its panels hold fixed, in lines of at
        most so many characters."""
        return f"{self.name}\n{items_in_lines(self.held.values(), characters)}"


def _most_common(texts: Counter[str]) -> str:
    """The text that is counted most often; of several the first."""
    return max(texts, key=lambda text: texts[text])


def columns_of(panels: Sequence[Panel]) -> list[Column]:
    """The columns of plots that some panels make, one for each model, X and contest; columns of
    many panels come first."""
    columns: dict[tuple[object, ...], list[Panel]] = {}
    for panel in panels:
        group = (panel.model, panel.fixed.get("attention_x"), panel.contest)
        columns.setdefault(group, []).append(panel)
    longest_first = sorted(columns.values(), key=len, reverse=True)
    return [Column(panels_of_column) for panels_of_column in longest_first]


def rows_of(columns: list[Column]) -> list[tuple[Panel | None, ...]]:
    """The rows of plots, each with one panel of each column, or None: panels of a row sweep the
    same parameter, and no other."""
    rows: list[tuple[Panel | None, ...]] = []
    for name in SWEEPABLE:
        panels_by_column = []
        for column in columns:
            sweeping = [panel for panel in column.panels if [*panel.sweep] == [name]]
            panels_by_column.append(sweeping)
        rows += zip_longest(*panels_by_column)
    return rows


def cell_of(columns: list[Column], rows: int, beside: float, height: float) -> tuple[float, float]:
    """The width and the height of a plot in inches.

    The columns fill the page's width but for `beside`; a plot is `height` inches high, or higher
    where the rows are few.
    """
    return (PAGE_INCHES - beside) / len(columns), max(height, LEAST_PLOTS_INCHES / rows)


def theta_figure(job: PanelsJob, table: pa.Table) -> Figure:
    """The figure of P(E_success) with one threshold for all networks: a map for each panel, the
    swept parameter across, theta upwards."""
    lines = [
        f"Exact probabilities, at {len(THETAS)} thresholds and at most {MAP_POINTS} values of the "
        f"swept parameter; line and dots at all of a panel's points. Dots: the middle of the "
        f"widest interval of best thresholds. {HELD}",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    columns = columns_of(job.panels)
    maps = sheet(
        "Success with one threshold for all networks",
        footnote(lines, job.panels, mark="Hatched"),
        panels=len(rows_of(columns)) * len(columns),
        cell=cell_of(columns, rows=len(rows_of(columns)), beside=0.9, height=1.18),
        around=(0.9, 1.7),
        columns=len(columns),
        note_size=SMALLEST,
        sharey=True,
        parse_math=False,
    )
    with maps as (figure, axes):
        _move_rows_together(figure)
        symbols = {symbol_of("theta", panel.reconstructed) for panel in job.panels}
        _draw_columns(axes, columns, max(symbols, key=len), partial(_draw_map, table=table))
        _write_headings(axes, columns, characters=36)
        mesh = next(ax.collections[0] for ax in axes if ax.collections)
        figure.colorbar(mesh, ax=[*axes], label="P(E_success), exact", shrink=0.6, aspect=40)
        best = key("the best one", **THETA_DOTS | {"markersize": 4})
        handles: list[Artist] = [key("the panels' own threshold", **ON_MAP), best]
        if any(any(are_outside(panel)) for panel in job.panels):
            handles.append(hatch_key(OUTSIDE_IN_LINES))
        _draw_legend(figure, axes, handles)
    return figure


def _move_rows_together(figure: Figure) -> None:
    """Set the space between a figure's rows of plots to ROW_PAD."""
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(h_pad=ROW_PAD)


def _draw_columns(
    axes: np.ndarray, columns: list[Column], words: str, draw: Callable[[Axes, Panel], None]
) -> None:
    """Draw the plots of all panels with `draw`, row by row; `words` label the axis of the first
    plot of a row."""
    for row, axes_of_row in zip(rows_of(columns), axes.reshape(-1, len(columns)), strict=True):
        is_first = True
        for panel, column, ax in zip(row, columns, axes_of_row, strict=True):
            if panel is None:
                ax.set_axis_off()
                continue
            draw(ax, panel)
            (swept,) = panel.sweep
            ax.set_xlabel(symbol_of(swept, panel.reconstructed), ha="left", va="center")
            ax.xaxis.set_label_coords(1.02, 0)
            ax.set_title(column.title_of(panel), fontsize=SMALLEST, pad=TITLE_PAD)
            if is_first:
                ax.tick_params(labelleft=True)
                ax.set_ylabel(words, fontsize=SMALLEST)
                is_first = False


def _write_headings(axes: np.ndarray, columns: list[Column], characters: int) -> None:
    """Write the columns' headings above the titles of the first row of plots, in lines of at most
    so many characters."""
    for ax, column in zip(axes, columns, strict=False):
        title = ax.get_title(loc="left")
        ax.set_title(f"{column.heading(characters)}\n{title}", fontsize=SMALLEST)


def _draw_legend(figure: Figure, axes: np.ndarray, handles: list[Artist]) -> None:
    """Draw a legend where the last plot is missing; if none is, at the right of all plots."""
    missing = [ax for ax in axes if not ax.axison]
    if missing:
        missing[-1].legend(handles=handles, loc="center left", borderaxespad=0)
    else:
        legend_beside(figure, handles)


def _draw_map(ax: Axes, panel: Panel, table: pa.Table) -> None:
    """Draw a panel's map of P(E_success), its own thresholds as a line, and the best as dots."""
    rows = select_rows(table, panel=panel.name)
    on_map = select_rows(rows, kind=ThetaKind.MAP)
    values, thetas, grid = as_grid(
        x=numpy_column(on_map, "value"),
        y=numpy_column(on_map, "theta"),
        values=numpy_column(on_map, "p_exact"),
    )
    has_few = len(values) <= FEW_VALUES
    across = np.arange(len(values), dtype=float) if has_few else values
    mesh = draw_map(ax, across, thetas, grid)
    is_outside = dict(zip((p.swept[0] for p in panel.points()), are_outside(panel), strict=True))
    is_hatched = np.array([is_outside.get(value, False) for value in values.tolist()])
    hatch(ax, across, thetas, np.broadcast_to(is_hatched, grid.shape))
    for kind, look in ((ThetaKind.PAPER, ON_MAP), (ThetaKind.BEST, SMALL_DOTS)):
        rows_of_kind = select_rows(rows, kind=kind)
        x = np.interp(numpy_column(rows_of_kind, "value"), values, across)
        ax.plot(x, numpy_column(rows_of_kind, "theta"), **look)
    if has_few:
        ax.set_xticks(across, [f"{value:g}" for value in values])
    heights = np.asarray(mesh.get_coordinates())[:, 0, 1]
    ax.set_ylim(heights[0], heights[-1])


def threshold_figure(job: PanelsJob, table: pa.Table) -> Figure:
    """The figure of the success of each network alone: in the first row against the threshold,
    below at its best threshold and at the panel's own, against each swept parameter."""
    columns = columns_of(job.panels)
    kernels = list(dict.fromkeys(chain.from_iterable(p.contest.kernels for p in job.panels)))
    # Of X and of Ax the titles speak.
    titled = {model.titled_by for model in MODELS.values()}
    lines = [
        "Exact; in softmax regression where all entries of 𝐴𝑥 but the special one are 1.2 log 𝑛. "
        "First row: against the threshold; dotted, the panels' own, the same for "
        f"{'both' if len(kernels) == 2 else 'all'} networks. Other rows: at the panels' points, "
        f"each drawn to midway to the next. {HELD}",
        choices_in_words(job.panels, titled) + ".",
    ]
    looks = kernel_lines(kernels)
    plots = sheet(
        "One network alone: at its best threshold, and at the shared one",
        footnote(lines, job.panels, names_contests=False, mark="Shaded"),
        panels=(1 + len(rows_of(columns))) * len(columns),
        cell=cell_of(columns, rows=1 + len(rows_of(columns)), beside=0.3, height=0.98),
        around=(0.3, 1.7),
        columns=len(columns),
        note_size=SMALLEST,
        sharey=True,
        parse_math=False,
    )
    with plots as (figure, axes):
        _move_rows_together(figure)
        for ax, column in zip(axes, columns, strict=False):
            _draw_curve(ax, column.panels, looks)
        axes[0].set_ylabel("probability", fontsize=SMALLEST)
        draw = partial(_draw_best, table=table, looks=looks)
        _draw_columns(axes[len(columns) :], columns, "probability", draw)
        _write_headings(axes, columns, characters=30)
        handles: list[Artist] = [
            key(network_name(kernel).replace("F", "𝐹"), **look) for kernel, look in looks.items()
        ]
        handles += [
            key("broad: best threshold", **AT_BEST),
            key("thin: the panel's own", **AT_OWN),
        ]
        if any(any(are_outside(panel)) for panel in job.panels):
            handles.append(shade_key(OUTSIDE_IN_LINES))
        _draw_legend(figure, axes, handles)
    return figure


class Operating(NamedTuple):
    """A point, and the panel that it is of."""

    panel: Panel
    point: Point


def operating_point(panels: list[Panel]) -> Operating:
    """The panel and the point whose curve stands for a column's panels: the panel that sweeps m, or
    else the last one, at its point whose m is nearest to the median m of the others."""
    chosen = next((panel for panel in panels if "m" in panel.sweep), panels[-1])
    m_of_others = []
    for panel in panels:
        if panel is not chosen:
            m_of_others += [point.m for point in panel.points()]
    median = np.median(m_of_others) if m_of_others else 0
    nearest = min(chosen.points(), key=lambda point: abs(point.m - median))
    return Operating(chosen, nearest)


def _draw_curve(ax: Axes, panels: list[Panel], looks: Looks) -> None:
    """Draw the success of each network alone against the threshold, at the point that
    `operating_point` takes."""
    panel, point = operating_point(panels)
    for kernel in panel.contest.kernels:
        curve = curve_at(MODELS[panel.model], point, kernel)
        ax.stairs(curve.probability, curve.edges, **looks[kernel] | {"linewidth": 1.2})
    ax.axvline(point.theta, color=INK, linestyle=":", linewidth=1)
    ax.set_xlim(0, 2 if point.d else 1)
    ax.set_ylim(0, 1)
    sizes = []
    for name in ("n", "d", "m"):
        value = getattr(point, name)
        if value is not None:
            size = f"{SWEEPABLE[name].symbol} = {value}"
            sizes.append(marked(size, name in panel.reconstructed))
    ax.set_title(f"at {', '.join(sizes)}", fontsize=SMALLEST, pad=TITLE_PAD)
    threshold = "tau" if point.d is None else "theta"
    ax.set_xlabel(symbol_of(threshold, panel.reconstructed), labelpad=1)


def _draw_best(ax: Axes, panel: Panel, table: pa.Table, looks: Looks) -> None:
    """Draw the success of each network alone against the swept parameter, with its best threshold
    and with the panel's own."""
    rows = select_rows(table, panel=panel.name)
    for kernel in panel.contest.kernels:
        rows_of_network = select_rows(rows, network=kernel)
        x, best, at_theta = sorted_columns(rows_of_network, "value", "p_best", "p_at_theta")
        # Whole numbers and steps: each value to midway to its neighbours.
        ax.plot(x, best, drawstyle="steps-mid", **looks[kernel] | AT_BEST)
        ax.plot(x, at_theta, drawstyle="steps-mid", **looks[kernel] | AT_OWN)
    if "d" in panel.sweep and len(x) > 2:
        ticks_at(ax.xaxis, x.tolist())
    order = np.argsort([point.swept[0] for point in panel.points()])
    is_outside = np.array(are_outside(panel))[order]
    shade(ax, x, is_outside)
    ax.set_ylim(0, 1)


def phase_figure(job: PhaseJob, table: pa.Table) -> Figure:
    """The figure of P(E_success) over two parameters: the maps, with contours, and dots where
    points of the paper's panels lie."""
    success = "F_exp separates D1 from D0 and F_lin is zero"
    if any(panel.contest != CONTEST_OF_PAPER for panel in job.panels):
        success = "success is likely"
    lines = [
        f"Exact probabilities at {len(table):,} points. Dots: points of the paper's panels. "
        f"Contours on maps of over {MOST_WITHOUT_CONTOURS} values each way.",
        choices_in_words(job.panels, titled=("attention_x",)) + ".",
    ]
    maps = sheet(
        f"Beyond the grids: where {success}, at one threshold",
        footnote(lines, job.panels, mark="Hatched", names=ascii_lowercase[: len(job.panels)]),
        panels=len(job.panels),
        cell=(3.9, 3.4),
        around=(0, 0.8),
        columns=3,
        parse_math=False,
    )
    with maps as (figure, axes):
        for ax, panel, letter in zip(axes, job.panels, ascii_lowercase, strict=False):
            draw_letter(ax, letter)
            p = numpy_column(select_rows(table, map=panel.name), "p_exact")
            mesh = draw_panel_map(ax, panel, shown=p, exact=p)
            x, y = np.reshape(places_on_map(panel, job.marked), (-1, 2)).T
            ax.plot(x, y, "o", color="white", mec=INK, markeredgewidth=0.4, markersize=2.6)
            attention_x = WORDS_OF_CHOICES["attention_x", panel.fixed["attention_x"]]
            title = f"{MODELS[panel.model].title}, {attention_x}"
            title = marked(title, "attention_x" in panel.reconstructed)
            ax.set_title(f"{title}\n{held_title(panel)}")
        figure.colorbar(mesh, ax=[*axes], label="P(E_success), exact", shrink=0.6, aspect=30)
        if any(any(are_outside(panel)) for panel in job.panels):
            figure.legend(handles=[hatch_key(OUTSIDE)], loc="lower right", borderaxespad=0.3)
    return figure


def places_on_map(panel_map: Panel, panels: list[Panel]) -> list[tuple[float, float]]:
    """The values of a map's two parameters at those points of some panels that lie on the map:
    whose other parameters are as the map holds them."""
    first, second = panel_map.sweep
    whole = panel_map.with_more(most_values=None)
    held_on_map = {_held_values(point, panel_map.sweep) for point in whole.points()}
    places = set()
    for panel in panels:
        if panel.model == panel_map.model:
            for point in panel.points():
                if _held_values(point, panel_map.sweep) in held_on_map:
                    places.add((float(getattr(point, first)), float(getattr(point, second))))
    return sorted(places)


def _held_values(point: Point, swept: Collection[str]) -> tuple[object, ...]:
    """The values at a point of all parameters that are not swept; tau and delta are left out, for
    they follow from the others, or from m."""
    names = (*PARAMETER_COLUMNS, "attention_x", "data", "signs", "contest")
    return tuple(getattr(point, name) for name in names if name not in swept)
