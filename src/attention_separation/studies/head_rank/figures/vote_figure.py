"""The majority vote of heads of rank 1 on two points: Theorem 7."""

from itertools import cycle

import pyarrow as pa
from matplotlib.figure import Figure

from ....looks.colors import PALETTE
from ....pages.drawing import Look, key
from ....results.tables import Row, chosen
from ..constructions.vote import VoteSeries
from ..settings.titles import ERROR, FIGURE_TITLES
from ..training.runs import columns_of, listed, values
from .panels import Axis, Mark, Panel, Scale, colours_of, curve, draw_panels, error_marks, remark

ZERO_PREDICTOR = 1.0
"""The error of predicting zero."""

LAW: Look = {"linestyle": "--", "linewidth": 0.9}
GUARANTEE: Look = {"linestyle": ":", "linewidth": 1.1}
GUARANTEE_LABEL = (
    "slope 𝑑³, as in the guarantee 𝑑³/ε²\n(constant unknown;\nthrough each first point)"
)


def draw_vote(table: pa.Table) -> Figure:
    """The figure of the vote's error against H for each d, and of H against d for each error."""
    rows = table.to_pylist()
    errors = chosen(rows, series=VoteSeries.ERROR)
    smallest = min(row["p_value"] for row in errors)
    note = (
        f"Points: {listed(errors, 'draws')} draws of heads and data, 95 % intervals "
        "(Clopper-Pearson). Solid: exact expectation over heads and data. Dashed: 2𝑓(0)√(π/2𝐻), "
        "with 𝑓 the density of a coordinate on the sphere; about √(𝑑/𝐻). Smallest p-value of an "
        f"exact value, corrected for {len(errors)} points: {smallest:.2g}.\nA construction for "
        "Theorem 7, whose proof is not in the text that was read. 𝐻 is the number of heads that "
        "vote, in layer 1; layer 2 takes 𝑑, and both layers have max(𝐻, 𝑑)."
    )
    panels = [_error_panel(errors), _heads_panel(chosen(rows, series=VoteSeries.HEADS_NEEDED))]
    return draw_panels(FIGURE_TITLES["rank_vote"], note, panels, cell=(4.8, 4.4))


def _error_panel(rows: list[Row]) -> Panel:
    """The panel of the vote's error against the number of heads, a line for each d."""
    marks: list[Mark] = []
    for d, colour in colours_of(values(rows, "d")).items():
        rows_of_d = chosen(rows, d=d)
        marks += error_marks(rows_of_d, "heads", colour, law_below=ZERO_PREDICTOR, linewidth=1)
        last = max(rows_of_d, key=lambda row: row["heads"])
        heads = last["heads"]
        exact = last["error_exact"]
        marks.append(remark(f"𝑑 = {d}", heads, exact, (6, 0), color=colour, va="center"))
    return Panel(
        "Error of a vote of 𝐻 heads, about √(𝑑/𝐻) for many",
        marks,
        x=Axis("voting heads 𝐻 of rank 1", Scale.LOG, margin=0.08),
        y=Axis(ERROR, Scale.LOG),
        is_alone=True,
    )


def _heads_panel(rows: list[Row]) -> Panel:
    """The panel of the heads that an error takes against d, a line for each error."""
    marks: list[Mark] = []
    falling = values(rows, "epsilon")[::-1]
    for epsilon, colour in zip(falling, cycle(PALETTE[3:]), strict=False):
        d, heads = columns_of(chosen(rows, epsilon=epsilon), "d", "heads")
        marks.append(curve(d, heads, color=colour, marker="o", markersize=4))
        marks.append(curve(d, d / epsilon**2, color=colour, **LAW))
        marks.append(curve(d, heads[0] * (d / d[0]) ** 3, color=colour, **GUARANTEE))
        words = f"ε = {epsilon:g}"
        marks.append(remark(words, d[-1], heads[-1], (0, -9), color=colour, ha="right", va="top"))
    return Panel(
        "Heads for an error ε",
        marks,
        x=Axis("dimension 𝑑", ticks=values(rows, "d")),
        y=Axis("voting heads 𝐻", Scale.LOG),
        is_alone=True,
        legend=[
            key("exact", marker="o", markersize=4),
            key("𝑑/ε²", **LAW),
            key(GUARANTEE_LABEL, **GUARANTEE),
        ],
        legend_place="upper left",
    )
