"""What schematics are drawn with: a sheet measured in points, heat maps, units, arrows, labels.

Places are in points from the sheet's upper left corner, y downwards.
"""

import re
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle

from attention_separation.pages.drawing import (
    BLUE,
    DARK_GRAY,
    GREEN,
    INK,
    MIDDLE_GRAY,
    PURPLE,
    VERMILION,
)

SHADES = {
    "ink": LinearSegmentedColormap.from_list("ink", ["#FFFFFF", "#444444"]),
    "blue": LinearSegmentedColormap.from_list("blue", ["#FFFFFF", BLUE]),
    "vermilion": LinearSegmentedColormap.from_list("vermilion", ["#FFFFFF", VERMILION]),
}
"""From white for zero: data, softmax attention, linear attention."""

SUBSCRIPT = re.compile(r"_\[(.*?)\]")
WIDTH = 648.0
MARGIN = 20.0
POINTS_PER_INCH = 72.0


@dataclass(frozen=True)
class Box:
    """A rectangle on the sheet."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def x(self) -> float:
        """The middle, across."""
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        """The middle, down."""
        return self.top + self.height / 2


def blank(height: float, title: str, note: str) -> Axes:
    """An empty sheet with its title at the top and its footnote at the bottom."""
    figure = Figure(figsize=(WIDTH / POINTS_PER_INCH, height / POINTS_PER_INCH))
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    ax.set_axis_off()
    text(ax, MARGIN / 2, 17, title, size=11, ha="left", weight="bold")
    text(ax, MARGIN / 2, height - 9, note, size=7.5, ha="left", va="bottom", linespacing=1.35)
    return ax


def text(ax: Axes, x: float, y: float, words: str, size: float = 8.5, **style) -> None:
    """Words centred at a place, unless `style` says otherwise."""
    style = {"ha": "center", "va": "center", "color": INK} | style
    ax.text(x, y, words, fontsize=size, parse_math=False, **style)


def shape_text(values: np.ndarray) -> str:
    """The shape of an array, such as 4 × 3."""
    return " × ".join(str(length) for length in values.shape)


def label(ax: Axes, x: float, y: float, name: str, values: np.ndarray) -> None:
    """An array's name and, below it, its shape."""
    text(ax, x, y, name, size=10.5)
    text(ax, x, y + 13, shape_text(values), size=8, color=DARK_GRAY)


def heat(ax: Axes, name: str, values: np.ndarray, place: Box, shade: str, most: float) -> None:
    """A matrix as a heat map of white for 0 to full colour for `most`; a vector is a column."""
    grid = values[:, None] if values.ndim == 1 else values
    rows, columns = grid.shape
    ax.pcolormesh(
        np.linspace(place.left, place.right, columns + 1),
        np.linspace(place.top, place.bottom, rows + 1),
        grid, cmap=SHADES[shade], vmin=0, vmax=most, edgecolors=MIDDLE_GRAY,
        linewidth=0.4, gid=name,
    )  # fmt: skip


def matrix_box(values: np.ndarray, left: float, middle: float, cell: float) -> Box:
    """The place of a matrix of square cells, `middle` being the height of its middle."""
    rows, columns = values.shape if values.ndim == 2 else (len(values), 1)
    return Box(left, middle - rows * cell / 2, columns * cell, rows * cell)


def outline_row(ax: Axes, place: Box, rows: int, row: int) -> None:
    """A frame around one row of a heat map."""
    step = place.height / rows
    corner = (place.left, place.top + row * step)
    ax.add_patch(Rectangle(corner, place.width, step, fill=False, edgecolor=INK, linewidth=1.1))


def panel(ax: Axes, name: str, place: Box, face: str, edge: str) -> None:
    """A tinted box with round corners, behind everything."""
    ax.add_patch(
        FancyBboxPatch(
            (place.left, place.top), place.width, place.height, zorder=0, gid=name,
            boxstyle="round,pad=0,rounding_size=6", facecolor=face, edgecolor=edge, linewidth=0.8,
        )
    )  # fmt: skip


def arrow(ax: Axes, start: tuple, end: tuple, color: str = INK, **style) -> None:
    """A thin straight arrow."""
    style = {"arrowstyle": "-|>", "mutation_scale": 8, "linewidth": 0.9} | style
    ax.add_patch(
        FancyArrowPatch(start, end, color=color, shrinkA=0, shrinkB=0, capstyle="butt", **style)
    )


def circle(ax: Axes, name: str, x: float, y: float, radius: float, face="white") -> None:
    """One unit of a network."""
    ax.add_patch(
        Circle((x, y), radius, facecolor=face, edgecolor=INK, linewidth=0.9, zorder=3, gid=name)
    )


def hinge(ax: Axes, name: str, x: float, y: float, radius: float, shift: float) -> None:
    """A unit with the graph of a ReLU in it, whose kink is `shift` radii right of the middle."""
    circle(ax, name, x, y, radius)
    across = x + radius * np.array([-0.68, shift, 0.64])
    down = y + radius * np.array([0.3, 0.3, 0.3 - (0.64 - shift)])
    ax.plot(across, down, color=BLUE, linewidth=1.4, zorder=4, solid_capstyle="round")


def fan(ax: Axes, starts: list, ends: list, signs: np.ndarray, names: str) -> None:
    """Lines from every start to every end, in the colour and dashes of signs[start, end]."""
    for sign, color, dashes in ((1, GREEN, "solid"), (-1, PURPLE, (0, (3.2, 1.6)))):
        chosen = [
            [start, end]
            for start, row in zip(starts, signs, strict=True)
            for end, own in zip(ends, row, strict=True)
            if own == sign
        ]
        if chosen:
            name = f"{names}-{'plus' if sign > 0 else 'minus'}"
            style = {"colors": color, "linewidths": 1.0, "linestyles": [dashes], "zorder": 1}
            ax.add_collection(LineCollection(chosen, gid=name, **style), autolim=False)


def sign_legend(ax: Axes, x: float, y: float) -> None:
    """What the two kinds of lines of `fan` mean, centred at a place."""
    fan(ax, [(x - 44, y)], [(x - 26, y)], np.array([[1]]), "legend")
    fan(ax, [(x + 8, y)], [(x + 26, y)], np.array([[-1]]), "legend")
    text(ax, x - 22, y, "+1", size=8, ha="left", color=DARK_GRAY)
    text(ax, x + 30, y, "−1", size=8, ha="left", color=DARK_GRAY)


def spread(count: int, middle: float, step: float) -> list[float]:
    """`count` evenly spaced places around a middle."""
    return [middle + (index - (count - 1) / 2) * step for index in range(count)]


def unit_label(ax: Axes, left: float, y: float, argument: str) -> None:
    """What a shifted-ReLU unit computes."""
    formula(ax, left, y, f"φ_[τ](⟨{argument}⟩)", size=10.5)
    formula(ax, left, y + 13, "φ_[τ](𝑧) = max(𝑧 − τ, 0)", size=8, color=DARK_GRAY)


def formula(ax: Axes, left: float, y: float, words: str, size: float, color: str = INK) -> None:
    """Words with _[subscripts], which Unicode lacks; mathtext would double the time of a figure."""
    style = {"fontsize": size, "color": color, "parse_math": False}
    down = y + 0.27 * size
    pieces = SUBSCRIPT.split(words)
    last = ax.text(left, down, pieces[0], va="baseline", **style)
    for index, piece in enumerate(pieces[1:], start=1):
        if index % 2:
            own, place = style | {"fontsize": 0.72 * size}, down + 0.22 * size
        else:
            own, place = style, down
        last = ax.annotate(piece, (1, place), xycoords=(last, "data"), va="baseline", **own)


def check_visible(sizes: dict[str, int], bounds: dict[str, tuple[int, int]]) -> None:
    """Raise ValueError unless every size leaves something to see, and no blur."""
    for name, size in sizes.items():
        least, most = bounds[name]
        if not least <= size <= most:
            raise ValueError(
                f"{name}={size}: a schematic shows every entry; "
                f"allowed: {least} <= {name} <= {most}"
            )


def counted(count: int, noun: str) -> str:
    """Such as 1 unit or 8 units."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def towards(target: tuple, origin: tuple, distance: float) -> tuple:
    """The point `distance` before the target, on the line from the origin."""
    step = np.subtract(target, origin)
    return tuple(np.asarray(target) - step / np.hypot(*step) * distance)


def output(ax: Axes, total: tuple, last: tuple) -> None:
    """The sum of all units, its ReLU and the network's value F, at one height."""
    circle(ax, "sum", *total, 12)
    text(ax, *total, "Σ", size=12, zorder=5)
    hinge(ax, "output", *last, 14, shift=0.0)
    arrow(ax, (total[0] + 13, total[1]), (last[0] - 15, last[1]))
    arrow(ax, (last[0] + 15, last[1]), (last[0] + 32, last[1]))
    text(ax, last[0] + 40, last[1], "𝐹", size=12)
    text(ax, last[0], last[1] + 25, "ReLU")
