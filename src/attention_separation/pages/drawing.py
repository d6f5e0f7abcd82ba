"""The one frame of all figures, what is drawn in more than one of them, and how they are saved."""

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.ticker import LogLocator, NullLocator
from PIL import Image

from ..looks.colors import INK, MIDDLE_GRAY, PALE_GRAY
from ..messages.words import ten_to
from ..results.files import replacing
from ..results.tables import numpy_column, write_csv, write_parquet
from .house_style import RC, house_rc

matplotlib.use("agg")

FORMATS = ("svg", "png", "pdf")
COLOURS = 255
TITLE_PER_INCH = 11
NOTE_PER_INCH = 17
"""Characters."""

WIDEST_INCHES = 9.4
"""Of any figure: on a page of 830 pixels its smallest letters, of 7.5 points, have 9 pixels."""

NOTE_SIZE: float = RC["figure.labelsize"]
"""Points."""

Look = dict[str, Any]
"""How a line is drawn, as Matplotlib takes it."""


@contextmanager
def sheet(
    title: str,
    note: str,
    panels: int,
    cell: tuple[float, float],
    around: tuple[float, float] = (0.0, 0.0),
    columns: int | None = None,
    parse_math: bool = True,
    note_size: float = NOTE_SIZE,
    **shared: Any,
) -> Iterator[tuple[Figure, np.ndarray]]:
    """A figure and its panels, in the style of all: a title above them, a note below.

    Parameters
    ----------
    title, note : their lines are broken where the figure ends
    panels : how many, at least one; they follow each other from left to right, then down
    cell, around : inches of a panel; inches for all beside the panels, and above and below them; a
        figure that would be wider than WIDEST_INCHES has narrower panels
    columns : panels in a row at most, all if None
    parse_math : without, a dollar sign in any text of the figure is one, as where titles, notes and
        formulas of settings are drawn
    note_size : of the note's letters, in points
    shared : what panels share, as `Figure.subplots` takes it
    """
    across = min(panels, columns or panels)
    down = -(-panels // across)
    width = min(cell[0] * across + around[0], WIDEST_INCHES)
    height = cell[1] * down + around[1]
    with house_rc():
        matplotlib.rcParams["text.parse_math"] = parse_math
        layout = ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.08)
        figure = Figure(figsize=(width, height), layout=layout)
        axes = figure.subplots(down, across, squeeze=False, **shared).ravel()
        for ax in axes[panels:]:
            ax.set_axis_off()
        broken = _broken_around_formulas if parse_math else _broken
        title = broken(title, TITLE_PER_INCH * width)
        note = broken(note, NOTE_PER_INCH * width * NOTE_SIZE / note_size)
        figure.suptitle(title, x=0.01, ha="left")
        figure.supxlabel(note, x=0.01, ha="left", color=INK, fontsize=note_size)
        yield figure, axes[:panels]


def _broken(text: str, characters: float) -> str:
    """A text in lines of so many characters at most."""
    lines = [
        textwrap.fill(line, int(characters), break_on_hyphens=False) for line in text.split("\n")
    ]
    return "\n".join(lines)


def _broken_around_formulas(text: str, characters: float) -> str:
    """The same, but formulas stay whole."""
    text = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    return _broken(text, characters).replace("\N{NO-BREAK SPACE}", " ")


def key(label: str, color: Any = INK, **look: Any) -> Line2D:
    """The mark that a legend shows for lines or marks without a label of their own."""
    return Line2D([], [], color=color, label=label, **look)


def legend_above(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend in one line, at the right of the figure's title."""
    figure.legend(handles=handles, loc="upper right", ncols=len(handles), borderaxespad=0.3)


def legend_beside(figure: Figure, more: Iterable[Artist] = (), title: str = "") -> None:
    """Add a legend at the right of all panels: what has a label in them, each once, then `more`."""
    handles: dict[str, Artist] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    for handle in more:
        handles[str(handle.get_label())] = handle
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside right center",
        title=title,
        alignment="left",
    )


def _make_logarithmic(axis: Axis, base: int = 10) -> None:
    """Give an axis a logarithmic scale."""
    if isinstance(axis, XAxis):
        axis.axes.set_xscale("log", base=base)
    else:
        axis.axes.set_yscale("log", base=base)


def ticks_at(axis: Axis, values: Sequence[float]) -> None:
    """Make an axis logarithmic, with ticks at these values alone, which are written out."""
    _make_logarithmic(axis, base=2)
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.axes.minorticks_off()


def log_axis(axis: Axis, ends: tuple[float, float] | None = None) -> None:
    """Make an axis logarithmic, with numbers that a person reads, for values between two ends:
    those of what is drawn already if none are given."""
    _make_logarithmic(axis)
    low, high = ends or axis.get_view_interval()
    decades = math.log10(high / low)
    multiples: tuple[float, ...] = (1, 1.5, 2, 3, 4, 5, 6, 8)
    if decades > 4:
        multiples = (1,)
    elif decades > 1:
        multiples = (1, 2, 5)
    axis.set_major_locator(LogLocator(subs=multiples))
    axis.set_major_formatter(_number)
    axis.set_minor_locator(NullLocator())


def _number(value: float, position: float | None = None) -> str:
    """A number as text, such as 500, 10⁶ or 2·10⁶: text is drawn faster than formulas."""
    if value < 10_000:
        return f"{value:g}"
    digits, power = f"{value:e}".split("e")
    power_of_ten = ten_to(int(power))
    return power_of_ten if float(digits) == 1 else f"{float(digits):g}·{power_of_ten}"


HOLLOW: Look = {"markersize": 4, "markerfacecolor": "white"}
INTERVAL: Look = {"linewidth": 1.2, "alpha": 0.6}


def draw_estimates(
    ax: Axes,
    x: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    color: Any,
    marker: str = "o",
    mark: Look = HOLLOW,
    interval: Look = INTERVAL,
) -> None:
    """Draw estimates as marks with their intervals. An interval that reaches 0 is drawn down to a
    tenth of its mark, for a logarithmic axis has no 0."""
    ax.vlines(x, np.where(low > 0, low, y / 10), high, color=color, **interval)
    ax.plot(x, y, marker, color=color, zorder=3, **mark)


TICK_WIDTH = 0.8
"""Of the way between two whole numbers."""


def draw_ticks(ax: Axes, x: np.ndarray, y: np.ndarray, color: Any, **look: Any) -> None:
    """A number for each of some sorted values, and none between them, as level ticks: give the axis
    its scale before."""
    edges = cell_edges(ax.xaxis, x)
    left = x + TICK_WIDTH * (edges[:-1] - x)
    right = x + TICK_WIDTH * (edges[1:] - x)
    ax.hlines(y, left, right, color=color, **look)


def shade(ax: Axes, x: np.ndarray, is_shaded: np.ndarray) -> None:
    """Shade the ground of some of the sorted values of an axis, each to midway to its neighbours;
    the axis stays as long as it is."""
    ends = ax.get_xlim()
    edges = cell_edges(ax.xaxis, x)
    for first, first_after in _runs(is_shaded):
        ax.axvspan(edges[first], edges[first_after], **SHADE)
    ax.set_xlim(ends)


def shade_key(label: str) -> Patch:
    """What a legend shows of shaded ground."""
    return Patch(label=label, **SHADE)


SHADE: Look = {"facecolor": PALE_GRAY, "edgecolor": "none", "zorder": 0}


def hatch(ax: Axes, x: np.ndarray, y: np.ndarray, is_hatched: np.ndarray) -> None:
    """Hatch those cells of a map (Y, X), as `draw_map` draws them, that are true."""
    left_and_right = cell_edges(ax.xaxis, x)
    bottom_and_top = cell_edges(ax.yaxis, y)
    outlines = []
    for row, columns in enumerate(is_hatched):
        for first, first_after in _runs(columns):
            corner = (left_and_right[first], bottom_and_top[row])
            end = (left_and_right[first_after], bottom_and_top[row + 1])
            outlines.append(_rectangle(corner, end))
    if outlines:
        ax.add_patch(PathPatch(Path.make_compound_path(*outlines), **HATCH))


def _rectangle(corner: tuple[float, float], end: tuple[float, float]) -> Path:
    """The outline of a rectangle between two opposite corners."""
    (left, bottom), (right, top) = corner, end
    return Path([(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)])


def _runs(flags: np.ndarray) -> np.ndarray:
    """Where flags (X,) are true: the first of each run, and the first behind it, (R, 2)."""
    changes = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]])))
    return changes.reshape(-1, 2)


def hatch_key(label: str) -> Patch:
    """What a legend shows of hatched cells."""
    return Patch(label=label, **HATCH | {"facecolor": MIDDLE_GRAY})


HATCH: Look = {
    "facecolor": "none",
    "edgecolor": "white",
    "hatch": "////",
    "linewidth": 0,
    "hatch_linewidth": 0.5,
    "zorder": 1.5,
}
"""Thin white lines, between which the colours of a map are seen."""


def sorted_columns(table: pa.Table, *names: str) -> list[np.ndarray]:
    """The columns of a table of numbers, all in the order of the first."""
    columns = [numpy_column(table, name) for name in names]
    order = np.argsort(columns[0], kind="stable")
    return [column[order] for column in columns]


def as_grid(
    x: np.ndarray, y: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct x (X,) and y (Y,) of points, sorted, and their values (Y, X), NaN where no point
    is."""
    columns, column = np.unique(x, return_inverse=True)
    rows, row = np.unique(y, return_inverse=True)
    grid = np.full((len(rows), len(columns)), np.nan)
    grid[row, column] = values
    return columns, rows, grid


def draw_map(ax: Axes, x: np.ndarray, y: np.ndarray, grid: np.ndarray) -> QuadMesh:
    """Probabilities (Y, X) as colours, each around its place as the axes show it: give these their
    scales before."""
    # As pixels: thousands of cells would make a picture of megabytes.
    mesh = ax.pcolormesh(
        cell_edges(ax.xaxis, x), cell_edges(ax.yaxis, y), grid, vmin=0, vmax=1, rasterized=True
    )
    ax.grid(False)
    return mesh


CONTOURS = (0.1, 0.25, 0.5, 0.75, 0.9)
MOST_WITHOUT_CONTOURS = 30
"""Values in one direction of a map without contours: there they would invent detail."""

LIGHT_FROM = 0.6
"""Probabilities whose colours are too light for a white line."""

ON_MAP: Look = {
    "color": "white",
    "linewidth": 1.4,
    "path_effects": [withStroke(linewidth=3.0, foreground=INK)],
}
"""A line over all colours of a map: white with dark edges."""


def contour_colour(level: float) -> str:
    """The colour of a contour, which stands out from the map's at this level."""
    return "white" if level < LIGHT_FROM else INK


def draw_contours(ax: Axes, x: np.ndarray, y: np.ndarray, grid: np.ndarray) -> bool:
    """Contours of probabilities (Y, X), if the map has values enough in both directions; whether
    there are any."""
    levels = [level for level in CONTOURS if np.nanmin(grid) < level < np.nanmax(grid)]
    if not levels or min(grid.shape) <= MOST_WITHOUT_CONTOURS:
        return False
    colours = [contour_colour(level) for level in levels]
    lines = ax.contour(x, y, grid, levels, colors=colours, linewidths=1)
    ax.clabel(lines, fontsize=NOTE_SIZE)
    return True


def cell_edges(axis: Axis, values: np.ndarray) -> np.ndarray:
    """The ends of cells around sorted values, midway between neighbours as the axis shows them."""
    if axis.get_scale() == "log":
        return np.exp(_middles(np.log(values)))
    return _middles(values)


def _middles(values: np.ndarray) -> np.ndarray:
    """The ends of cells around sorted values (X,), midway between neighbours: (X + 1,)."""
    if len(values) == 1:
        return values + np.array([-0.5, 0.5])
    inner = (values[1:] + values[:-1]) / 2
    first = values[0] - (inner[0] - values[0])
    last = values[-1] + (values[-1] - inner[-1])
    return np.array([first, *inner, last])


def save(figure: Figure, stem: FilePath, formats: Sequence[str] | None = None) -> None:
    """Write a figure in some formats, as STEM.svg, all FORMATS if none are given; the same figure
    gives the same bytes."""
    dates = {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}
    with house_rc():
        # Laid out once: otherwise every format would lay the figure out again, and with "none" for
        # an engine draw it twice.
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine(None)
        for extension in formats or FORMATS:
            with replacing(stem.with_name(f"{stem.name}.{extension}")) as part:
                if extension == "png":
                    _save_png(figure, part)
                else:
                    with _fonts_that_are_drawn_alone(), _images_cut_out():
                        figure.savefig(part, format=extension, metadata=dates[extension])


@contextmanager
def _fonts_that_are_drawn_alone() -> Iterator[None]:
    """Within it a pdf gets fonts without tables of kerning, ligatures and formulas: its letters
    have their places. To reduce these tables to the letters would take a third of a pdf's time."""
    from fontTools.subset import Options

    dropped = Options._drop_tables_default
    Options._drop_tables_default = [*dropped, "GDEF", "GPOS", "GSUB", "MATH", "kern"]
    try:
        yield
    finally:
        Options._drop_tables_default = dropped


@contextmanager
def _images_cut_out() -> Iterator[None]:
    """Within it a pdf keeps the pixels of each map alone. Matplotlib would keep the whole sheet on
    which a map was drawn, seven megabytes."""
    from matplotlib.backends import backend_pdf

    kind: Any = backend_pdf.PdfFile
    image_object = kind.imageObject
    kind.imageObject = lambda file, image: image_object(file, image.copy())
    try:
        yield
    finally:
        kind.imageObject = image_object


def _save_png(figure: Figure, path: FilePath) -> None:
    """Write a figure as a png with a palette, which takes a third of the bytes: a report has all
    figures in it."""
    figure.set_dpi(RC["savefig.dpi"])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    reduced = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, format="png", compress_level=7)


def save_with_numbers(
    figure: Figure, output: FilePath, numbers: pa.Table, provenance: dict[str, str]
) -> None:
    """Write a figure to a path with any ending, and what it shows as parquet and csv beside it.

    The parquet file is the last: by its digests all are taken to be current.
    """
    save(figure, output.with_suffix(""))
    write_csv(numbers, output.with_suffix(".csv"))
    write_parquet(numbers, output.with_suffix(".parquet"), provenance)
