"""Random heads of rank 1 with the best weights, and as published, against their number."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....looks.colors import BLUE, GRAY, GREEN, INK, VERMILION
from ....pages.drawing import legend_beside, sheet, ticks_at
from ....rank_bound.bound import bound
from ....results.tables import Row, chosen
from ..constructions.rank_1_heads import error_beyond_degree
from ..settings.titles import ERROR, FIGURES
from ..training.runs import values

LOWEST = 0.05
"""Where the axis of errors begins."""

TICKS = (0.05, 0.1, 0.2, 0.5, 1)
FLOORS = {1: ":", 3: (0, (1, 4))}
"""Degrees up to which all of the target is captured, and the dashes of their lines."""


@dataclass(frozen=True)
class Line:
    """The rows of one law and quantity, and how they are drawn."""

    law: str
    quantity: str
    label: str
    colour: str
    style: Any = "-"
    width: float = 1.0
    opacity: float = 1.0


LINES = (
    # The widest first: the others lie on it where they agree.
    Line("compromise", "best", "best weights,\ncos(𝑞, 𝑘) uniform", BLUE, width=5, opacity=0.4),
    Line("independent", "best", "best weights,\n𝑞 and 𝑘 independent", GREEN, width=1.3),
    Line(
        "published",
        "reported",
        "as published:\nwhat is reported",
        VERMILION,
        style=(0, (4, 2)),
        width=1.5,
    ),
    Line(
        "published",
        "attained",
        "as published:\nwhat the weights attain",
        VERMILION,
        style=(0, (1, 1.2)),
        width=1.7,
    ),
)


def draw_features(table: pa.Table) -> Figure:
    """A panel for each dimension: random rank-1 heads, right and as published."""
    rows = table.to_pylist()
    dimensions = values(rows, "d")
    most_draws = max(row["draw"] or 0 for row in rows) + 1
    note = (
        f"Exact given the heads; means of up to {most_draws} draws of heads, bands from the least "
        "to the largest. Floors: all that stays if every degree up to 1, or 3, of the target is "
        "captured. Gray: below a lower bound for rank-1 heads of any kind with $V = aI$; hardmax "
        "heads need not attain it."
    )
    with sheet(
        FIGURES["rank_random_features"],
        note,
        len(dimensions),
        cell=(3.9, 2.9),
        around=(2.6, 1.0),
        columns=2,
        sharex=True,
        sharey=True,
    ) as (figure, axes):
        for ax, d in zip(axes, dimensions, strict=True):
            _draw_dimension(ax, d, chosen(rows, d=d))
            ax.set_title(f"𝑑 = {d}")
        counts = values(rows, "heads")
        axes[0].set_xlim(counts[0], counts[-1])
        legend_beside(figure)
    return figure


def _draw_dimension(ax: Axes, d: int, rows: list[Row]) -> None:
    _draw_references(ax, d, values(rows, "heads"))
    for line in LINES:
        group = chosen(rows, law=line.law, quantity=line.quantity)
        if group:
            _draw_line(ax, line, ErrorsOfDraws.of(group))
    read = chosen(rows, quantity="read")
    if read:
        published = ErrorsOfDraws.of(read)
        ax.plot(
            published.heads,
            published.mean,
            "D",
            color=VERMILION,
            markerfacecolor="white",
            markersize=3.5,
            clip_on=False,
            label="as published:\nread from its figure",
        )
    ax.set_xscale("log", base=2)
    ticks_at(ax.yaxis, TICKS)
    ax.set_ylim(LOWEST, 1)
    ax.set(xlabel="number of heads 𝐻 of rank 1", ylabel=ERROR)
    ax.label_outer()


def _draw_references(ax: Axes, d: int, counts: list[int]) -> None:
    """The lower bound, and what remains if low degrees are captured."""
    # Between two counts the bound is at least that of the larger: a step claims no more.
    ax.fill_between(
        counts,
        LOWEST,
        bound(d, 1, np.array(counts)),
        step="pre",
        color=GRAY,
        linewidth=0,
        label="below a lower bound for\nso many heads with 𝑉 = 𝑎𝐼",
    )
    for degree, style in FLOORS.items():
        ax.axhline(
            error_beyond_degree(d, degree),
            color=INK,
            linewidth=0.9,
            linestyle=style,
            label=f"floor of degree {degree}",
        )


@dataclass(frozen=True)
class ErrorsOfDraws:
    """Numbers of heads, and the mean, least and largest error over the draws with so many."""

    heads: np.ndarray
    mean: np.ndarray
    least: np.ndarray
    largest: np.ndarray

    @classmethod
    def of(cls, rows: list[Row]) -> "ErrorsOfDraws":
        heads = values(rows, "heads")
        errors = [[row["error"] for row in chosen(rows, heads=count)] for count in heads]
        return cls(
            np.array(heads),
            np.array([np.mean(errors_of_draws) for errors_of_draws in errors]),
            np.array([min(errors_of_draws) for errors_of_draws in errors]),
            np.array([max(errors_of_draws) for errors_of_draws in errors]),
        )


def _draw_line(ax: Axes, line: Line, errors: ErrorsOfDraws) -> None:
    ax.fill_between(
        errors.heads, errors.least, errors.largest, color=line.colour, alpha=0.15, linewidth=0
    )
    ax.plot(
        errors.heads,
        errors.mean,
        color=line.colour,
        linestyle=line.style,
        linewidth=line.width,
        alpha=line.opacity,
        solid_capstyle="butt",
        label=line.label,
    )
