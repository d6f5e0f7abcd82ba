"""The weight u(q, k) that represents the target by rank-1 heads, beside the published one."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from ...pages.drawing import legend_beside, save_with_numbers, sheet
from ...pages.house_style import BLUE, VERMILION
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ...settings.strict_model import Job
from ..constructions.features import TERMS, representing_weight
from ..settings.titles import FIGURES
from ..training.runs import chosen, values

DIMENSIONS, ANGLES = (4, 6, 8), 720
"""As published; of so many angles none is right, where both weights are 0."""

SCHEMA = schema(d=int, theta=float, published=float, representing=float)
"""`theta` is the angle of q and k; both weights have their signs, and the degrees below TERMS."""

NOTE = (
    f"Exact: sums over the odd degrees $l$ below {TERMS}. With $N_l/s_l$ times "
    "$P_l(\\cos\\theta)$ the mean of $u(q, k)$ times a head's sign function, over independent "
    "$q$ and $k$, is the target's up to that degree. The published plot has $\\sqrt{N_l}P_l$, the L2-normalised polynomial, in its place, "
    "which gives high degrees more weight. Neither series converges."
)


def weight_table() -> pa.Table:
    """Both weights at every angle."""
    theta = np.linspace(-np.pi, np.pi, ANGLES)
    rows = []
    for d in DIMENSIONS:
        both = (representing_weight(d, np.cos(theta), published=each) for each in (True, False))
        rows += [
            dict(zip(SCHEMA.names, (d, *map(float, values)), strict=True))
            for values in zip(theta, *both, strict=True)
        ]
    return table_from_rows(rows, SCHEMA)


def draw_weight(table: pa.Table) -> Figure:
    """A panel for each d."""
    rows = table.to_pylist()
    dimensions = values(rows, "d")
    with sheet(
        FIGURES["rank_weight"], NOTE, len(dimensions), (3.1, 2.9), (1.8, 0.9), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, d in zip(axes, dimensions, strict=True):
            own = chosen(rows, d=d)
            for name, colour, label in (
                ("published", VERMILION, "as published"),
                ("representing", BLUE, "represents\nthe target"),
            ):
                theta, size = zip(*((row["theta"], abs(row[name])) for row in own), strict=True)
                ax.plot(theta, size, color=colour, label=label)
            ax.set_yscale("log")
            ax.set_xticks([-np.pi, 0, np.pi], ["−π", "0", "π"])
            ax.set(xlabel="angle θ of 𝑞 and 𝑘", ylabel="$|u|$", title=f"$d$ = {d}")
            ax.label_outer()
        legend_beside(figure)
    return figure


def run(job: Job, output: Path) -> None:
    table = weight_table()
    save_with_numbers(draw_weight(table), output, table, record(job.canonical(), __name__))
