"""The one way in which figures of this paper are drawn: a number, most often an error, against one
that is swept. A figure is panels, and a panel is a title, two axes and marks, which draw
themselves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from itertools import cycle
from typing import Any, Literal, TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis as DrawnAxis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import PALETTE
from ....pages.drawing import Look, draw_estimates, legend_beside, log_axis, sheet, ticks_at
from ....results.tables import Row
from ..training.runs import columns_of

Numbers = Sequence[float] | np.ndarray
Case = TypeVar("Case")

BOLD: Look = {"fontweight": "bold"}
"""Of the titles of panels of trained transformers."""


Mark = Callable[[Axes], object]
"""What a panel shows, as a function that draws it."""


def curve(x: Numbers, y: Numbers, **look: Any) -> Mark:
    """Points that a line joins, or that are marked, as the look says."""
    return lambda ax: ax.plot(x, y, **look)


def curve_of(y_by_x: Mapping[Any, float], **look: Any) -> Mark:
    """The curve through numbers that are known by their x."""
    return curve(list(y_by_x), list(y_by_x.values()), **look)


def points(x: Numbers, y: Numbers, marker: str, colour: str, size: float, **look: Any) -> Mark:
    """Marked points, which nothing joins."""
    return curve(x, y, marker=marker, color=colour, markersize=size, linestyle="none", **look)


def level(y: float, **look: Any) -> Mark:
    """A horizontal line at y."""
    return lambda ax: ax.axhline(y, **look)


def band(x: Numbers, low: Numbers | float, high: Numbers, **look: Any) -> Mark:
    """The filled area between two numbers at each x."""
    return lambda ax: ax.fill_between(x, low, high, linewidth=0, **look)


def remark(text: str, x: float, y: float, points_away: tuple[float, float], **look: Any) -> Mark:
    """Words so many points away from a place."""
    return lambda ax: ax.annotate(
        text, (x, y), xytext=points_away, textcoords="offset points", fontsize=8.5, **look
    )


class Scale(StrEnum):
    """How an axis shows numbers."""

    LINEAR = auto()
    LOG = auto()
    """To base 10, with the powers of 10."""
    LOG_2 = auto()
    """To base 2, with the powers of 2."""
    READABLE_LOG = auto()
    """To base 10, with numbers that a person reads."""


@dataclass(frozen=True)
class Axis:
    """What an axis says, and how it shows numbers.

    `ticks` are written out, and make it logarithmic; `names` are ticks with a text of their own;
    `ends` may be None, where what is drawn decides; `number_format` is of Python's `format`.
    """

    label: str = ""
    scale: Scale = Scale.LINEAR
    ticks: Sequence[float] = ()
    names: Mapping[float, str] = field(default_factory=dict)
    ends: tuple[float | None, float | None] | None = None
    margin: float | None = None
    number_format: str | None = None


@dataclass(frozen=True)
class Panel:
    """Marks, in the order in which they are drawn, and two axes.

    `is_alone` is one whose neighbours have other axes: it keeps its labels. A `legend` is of this
    panel alone.
    """

    title: str
    marks: Sequence[Mark]
    x: Axis
    y: Axis
    title_look: Look = field(default_factory=dict)
    is_alone: bool = False
    legend: Sequence[Line2D] = ()
    legend_place: Literal["best", "lower left", "upper left"] = "best"


def draw_panels(
    title: str,
    note: str,
    panels: Sequence[Panel],
    legend: Iterable[Artist] | None = None,
    legend_title: str = "",
    **layout: Any,
) -> Figure:
    """A figure of panels. Beside them stands a legend of marks with a label and of some artists, if
    it is not None; `layout` is that of `sheet`."""
    with sheet(title, note, len(panels), **layout) as (figure, axes):
        for ax, panel in zip(axes, panels, strict=True):
            for mark in panel.marks:
                mark(ax)
        # Panels may share their axes: the ends of all are known now.
        for ax, panel in zip(axes, panels, strict=True):
            _set_axes(ax, panel)
        if legend is not None:
            legend_beside(figure, legend, legend_title)
    return figure


def _set_axes(ax: Axes, panel: Panel) -> None:
    """Give the axes of a panel their scales, ticks, ends and labels."""
    ax.set_xscale(**SCALE_SETTINGS[panel.x.scale])
    ax.set_yscale(**SCALE_SETTINGS[panel.y.scale])
    _set_ticks(ax.xaxis, panel.x)
    _set_ticks(ax.yaxis, panel.y)
    if panel.x.ends:
        ax.set_xlim(*panel.x.ends)
    if panel.y.ends:
        ax.set_ylim(*panel.y.ends)
    if panel.x.margin is not None:
        ax.margins(x=panel.x.margin)
    ax.set(xlabel=panel.x.label, ylabel=panel.y.label)
    ax.set_title(panel.title, **panel.title_look)
    if panel.legend:
        ax.legend(handles=panel.legend, loc=panel.legend_place)
    if not panel.is_alone:
        ax.label_outer()


def _set_ticks(drawn: DrawnAxis, axis: Axis) -> None:
    """Give an axis, as Matplotlib draws it, the ticks that it is to have."""
    if axis.scale is Scale.READABLE_LOG:
        log_axis(drawn)
    if axis.ticks:
        ticks_at(drawn, axis.ticks)
    if axis.names:
        drawn.set_ticks(list(axis.names), list(axis.names.values()))
    if axis.number_format:
        drawn.set_major_formatter(axis.number_format)


SCALE_SETTINGS: dict[Scale, dict[str, Any]] = {
    Scale.LINEAR: {"value": "linear"},
    Scale.LOG: {"value": "log"},
    Scale.LOG_2: {"value": "log", "base": 2},
    Scale.READABLE_LOG: {"value": "log"},
}
"""What Matplotlib calls each scale."""


def colours_of(cases: Iterable[Case]) -> dict[Case, str]:
    """A colour for each distinct case, in their order."""
    return dict(zip(dict.fromkeys(cases), cycle(PALETTE), strict=False))


def error_marks(
    rows: list[Row],
    swept: str,
    colour: str,
    marker: str = "o",
    law_below: float | None = None,
    linewidth: float = 0.9,
) -> list[Mark]:
    """The marks of errors in rows of a table against the column `swept`.

    A line has the exact errors, marks the sampled ones. If `law_below` is given, a dashed line has
    the law of large c, or of many heads, where it is below this number.
    """
    errors = ("error_exact", "error_law", "error", "ci_low", "ci_high")
    x, exact, law, sampled, low, high = columns_of(rows, swept, *errors)
    marks = [curve(x, exact, color=colour, linewidth=linewidth)]
    if law_below is not None:
        is_drawn = law < law_below
        marks.append(curve(x[is_drawn], law[is_drawn], color=colour, linestyle="--", linewidth=0.9))
    marks.append(lambda ax: draw_estimates(ax, x, sampled, low, high, colour, marker))
    return marks
