"""Random heads of rank 1 with the best weights, and as published, against their number."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from ....looks.colors import BLUE, GRAY, GREEN, INK, VERMILION
from ....pages.drawing import Look
from ....rank_bound.bound import bound
from ....results.tables import Row, chosen
from ..constructions.features import Quantity
from ..constructions.rank_1_heads import error_beyond_degree
from ..settings.jobs import HeadLaw
from ..settings.titles import ERROR, FIGURE_TITLES
from ..training.runs import groups, values
from .panels import Axis, Mark, Panel, Scale, band, curve_of, draw_panels, level

LEAST_FEATURE_ERROR = 0.05
"""Where the axis of errors begins."""

FEATURE_ERROR_TICKS = (0.05, 0.1, 0.2, 0.5, 1)
FLOORS = {1: ":", 3: (0, (1, 4))}
"""Degrees up to which all of the target is captured, and the dashes of their lines."""


@dataclass(frozen=True)
class FeatureLine:
    """The rows of one law and quantity, and how they are drawn."""

    law: HeadLaw
    quantity: Quantity
    look: Look


FEATURE_LINES = (
    # The widest first: the others lie on it where they agree.
    FeatureLine(
        "compromise",
        Quantity.BEST,
        {
            "label": "best weights,\ncos(𝑞, 𝑘) uniform",
            "color": BLUE,
            "linewidth": 5,
            "alpha": 0.4,
        },
    ),
    FeatureLine(
        "independent",
        Quantity.BEST,
        {"label": "best weights,\n𝑞 and 𝑘 independent", "color": GREEN, "linewidth": 1.3},
    ),
    FeatureLine(
        "published",
        Quantity.REPORTED,
        {
            "label": "as published:\nwhat is reported",
            "color": VERMILION,
            "linestyle": (0, (4, 2)),
            "linewidth": 1.5,
        },
    ),
    FeatureLine(
        "published",
        Quantity.ATTAINED,
        {
            "label": "as published:\nwhat the weights attain",
            "color": VERMILION,
            "linestyle": (0, (1, 1.2)),
            "linewidth": 1.7,
        },
    ),
)
READ_VALUES: Look = {
    "label": "as published:\nread from its figure",
    "color": VERMILION,
    "linestyle": "none",
    "marker": "D",
    "markerfacecolor": "white",
    "markersize": 3.5,
    "clip_on": False,
}


def draw_features(table: pa.Table) -> Figure:
    """The figure of the errors of random rank-1 heads against their number, with the best weights
    and as published, a panel for each d."""
    rows = table.to_pylist()
    most_draws = max(row["draw"] or 0 for row in rows) + 1
    note = (
        f"Exact given the heads; means of up to {most_draws} draws of heads, bands from the least "
        "to the largest. Floors: all that stays if every degree up to 1, or 3, of the target is "
        "captured. Gray: below a lower bound for rank-1 heads of any kind with $V = aI$; hardmax "
        "heads need not attain it."
    )
    counts = values(rows, "heads")
    x = Axis("number of heads 𝐻 of rank 1", Scale.LOG_2, ends=(counts[0], counts[-1]))
    y = Axis(ERROR, ticks=FEATURE_ERROR_TICKS, ends=(LEAST_FEATURE_ERROR, 1))
    panels = [
        Panel(f"𝑑 = {d}", _marks_of_dimension(d, group), x, y)
        for d, group in groups(rows, "d").items()
    ]
    return draw_panels(
        FIGURE_TITLES["rank_random_features"],
        note,
        panels,
        legend=(),
        cell=(3.9, 2.9),
        around=(2.6, 1.0),
        columns=2,
        sharex=True,
        sharey=True,
    )


def _marks_of_dimension(d: int, rows: list[Row]) -> list[Mark]:
    """The marks of a panel: the lower bound, floors, and the errors of heads in d dimensions."""
    counts = values(rows, "heads")
    # Between two counts the bound is at least that of the larger: a step claims no more.
    label = "below a lower bound for\nso many heads with 𝑉 = 𝑎𝐼"
    bounds = bound(d, 1, np.array(counts))
    marks = [band(counts, LEAST_FEATURE_ERROR, bounds, step="pre", color=GRAY, label=label)]
    for degree, dashes in FLOORS.items():
        label = f"floor of degree {degree}"
        floor = error_beyond_degree(d, degree)
        marks.append(level(floor, color=INK, linewidth=0.9, linestyle=dashes, label=label))
    for line in FEATURE_LINES:
        errors = _errors_by_heads(chosen(rows, law=line.law, quantity=line.quantity))
        if errors:
            marks += _marks_of_draws(errors, line.look)
    read = _errors_by_heads(chosen(rows, quantity=Quantity.READ))
    if read:
        marks.append(_mean_curve(read, **READ_VALUES))
    return marks


def _errors_by_heads(rows: list[Row]) -> dict[int, list[float]]:
    """The errors of all draws with each number of heads."""
    return {
        heads: [row["error"] for row in group] for heads, group in groups(rows, "heads").items()
    }


def _marks_of_draws(errors: dict[int, list[float]], look: Look) -> list[Mark]:
    """The band from the least error over the draws to the largest, and the curve of the means."""
    least = [min(of_draws) for of_draws in errors.values()]
    largest = [max(of_draws) for of_draws in errors.values()]
    return [
        band(list(errors), least, largest, color=look["color"], alpha=0.15),
        _mean_curve(errors, solid_capstyle="butt", **look),
    ]


def _mean_curve(errors: dict[int, list[float]], **look: Any) -> Mark:
    """The curve of the mean error over draws against the number of heads."""
    means = {heads: float(np.mean(of_draws)) for heads, of_draws in errors.items()}
    return curve_of(means, **look)
