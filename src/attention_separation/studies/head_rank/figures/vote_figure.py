"""The majority vote of heads of rank 1 on two points: Theorem 7."""

from itertools import cycle

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....looks.colors import PALETTE
from ....pages.drawing import Look, key, sheet, ticks_at
from ....results.tables import Row, chosen
from ..settings.titles import ERROR, FIGURES
from ..training.runs import columns_of, listed, values
from .computed_parts import ErrorCurve, colours_of

ZERO_PREDICTOR = 1.0
"""The error of predicting zero."""

GUARANTEE = "slope 𝑑³, as in the guarantee 𝑑³/ε²\n(constant unknown;\nthrough each first point)"


def draw_vote(table: pa.Table) -> Figure:
    """Error against H for each d, and H against d for each error."""
    rows = table.to_pylist()
    errors = chosen(rows, series="error")
    smallest = min(row["p_value"] for row in errors)
    note = (
        f"Points: {listed(errors, 'draws')} draws of heads and data, 95 % intervals "
        "(Clopper-Pearson). Solid: exact expectation over heads and data. Dashed: 2𝑓(0)√(π/2𝐻), "
        "with 𝑓 the density of a coordinate on the sphere; about √(𝑑/𝐻). Smallest p-value of an "
        f"exact value, corrected for {len(errors)} points: {smallest:.2g}.\nA construction for "
        "Theorem 7, whose proof is not in the text that was read. 𝐻 is the number of heads that "
        "vote, in layer 1; layer 2 takes 𝑑, and both layers have max(𝐻, 𝑑)."
    )
    with sheet(FIGURES["rank_vote"], note, 2, cell=(4.8, 4.4)) as (figure, axes):
        left, right = axes
        _draw_votes(left, errors)
        _draw_needed(right, chosen(rows, series="heads_needed"))
    return figure


def _draw_votes(ax: Axes, rows: list[Row]) -> None:
    for d, colour in colours_of(values(rows, "d")).items():
        curve = ErrorCurve.of(chosen(rows, d=d), "heads")
        curve.draw_exact(ax, colour, linewidth=1)
        curve.draw_law(ax, colour, where=curve.law <= ZERO_PREDICTOR)
        curve.draw_sampled(ax, colour)
        ax.annotate(
            f"𝑑 = {d}",
            (curve.x[-1], curve.exact[-1]),
            xytext=(6, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            fontsize=8.5,
        )
    ax.set(xscale="log", yscale="log", xlabel="voting heads 𝐻 of rank 1", ylabel=ERROR)
    ax.margins(x=0.08)
    ax.set_title("Error of a vote of 𝐻 heads, about √(𝑑/𝐻) for many")


def _draw_needed(ax: Axes, rows: list[Row]) -> None:
    law: Look = {"linestyle": "--", "linewidth": 0.9}
    guarantee: Look = {"linestyle": ":", "linewidth": 1.1}
    ax.set_yscale("log")
    falling = values(rows, "epsilon")[::-1]
    for epsilon, colour in zip(falling, cycle(PALETTE[3:]), strict=False):
        d, heads = columns_of(chosen(rows, epsilon=epsilon), "d", "heads")
        ax.plot(d, heads, "o-", color=colour, markersize=4)
        ax.plot(d, d / epsilon**2, color=colour, **law)
        ax.plot(d, heads[0] * (d / d[0]) ** 3, color=colour, **guarantee)
        ax.annotate(
            f"ε = {epsilon:g}",
            (d[-1], heads[-1]),
            xytext=(0, -9),
            textcoords="offset points",
            color=colour,
            ha="right",
            va="top",
            fontsize=8.5,
        )
    ticks_at(ax.xaxis, values(rows, "d"))
    ax.set(title="Heads for an error ε", xlabel="dimension 𝑑", ylabel="voting heads 𝐻")
    handles = [
        key("exact", marker="o", markersize=4),
        key("𝑑/ε²", **law),
        key(GUARANTEE, **guarantee),
    ]
    ax.legend(handles=handles, loc="upper left")
