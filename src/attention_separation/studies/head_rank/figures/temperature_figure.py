"""One head of full rank against its inverse temperature c: Facts 1 and 3.

In Fact 3 the head adds something to the scores: -b/2, which Equation 8 takes, or the text's +b.
"""

from collections.abc import Callable
from itertools import cycle

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import INK
from ....pages.drawing import Look, key, sheet, ticks_at
from ....results.tables import Row, chosen
from ..settings.titles import ERROR, FIGURES, KINDS
from ..training.runs import listed, values
from .computed_parts import ErrorCurve, colours_of

DATA_MARKERS = {"uniform": "o", "orthogonal": "s"}
"""Of distributions of points."""

DIMENSION_MARKERS = "s^Dvo"

Biases = tuple[float, float]

Panel = tuple[Callable[[Axes, list[Row], dict[Biases, str]], None], list[Row]]
"""What draws a panel, and the rows that it draws, by the colours of biases."""


def draw_temperature(table: pa.Table) -> Figure:
    """Fact 1, one colour for each (d, N); Fact 3, one for each b: with -b/2, with the text's +b."""
    rows = table.to_pylist()
    right = chosen(rows, construction="fact_3", added="-b/2")
    as_printed = chosen(rows, construction="fact_3", added="+b")
    colours = colours_of((row["b_1"], row["b_2"]) for row in as_printed)
    panels: list[Panel] = [
        (_draw_fact_1, chosen(rows, construction="fact_1")),
        # Where one point is always the nearest the error falls faster than any power of c.
        (_draw_right_bias, [row for row in right if row["error_law"]]),
        (_draw_printed_bias, chosen(right + as_printed, temperature=None)),
    ]
    panels = [(draw_panel, panel_rows) for draw_panel, panel_rows in panels if panel_rows]
    note = (
        f"Points: means of {listed(rows, 'draws')} draws with 95 % intervals, the same draws at "
        "every $c$. Solid: exact, by quadrature ($N$ = 2). Dashed: the law of large $c$, a "
        "constant over $c$. Predicting zero has error 1.\n"
        "Fact 3: Equation 8 on two orthogonal points, and + 𝑏, as a translation of the text has "
        "them. In the middle, without 𝑏 that make one point always the nearest; on the right, "
        "lines join exact values."
    )
    title = FIGURES["rank_temperature"]
    with sheet(title, note, len(panels), cell=(4.4, 4.6), around=(0.6, 0.0)) as (figure, axes):
        for ax, (draw_panel, panel_rows) in zip(axes, panels, strict=True):
            draw_panel(ax, panel_rows, colours)
            ax.set_ylabel(ERROR)
    return figure


def _draw_fact_1(ax: Axes, rows: list[Row], _: dict[Biases, str]) -> None:
    by_size = sorted(rows, key=lambda row: (row["d"], row["n"]))
    colours = colours_of((row["d"], row["n"]) for row in by_size)
    for (d, n), colour in colours.items():
        for distribution, marker in DATA_MARKERS.items():
            group = chosen(rows, d=d, n=n, distribution=distribution)
            _draw_softmax_heads(ax, group, colour, marker)
    _set_scales(ax)
    handles = [
        key(f"$d$ = {d}, $N$ = {n}", colour, linewidth=4) for (d, n), colour in colours.items()
    ]
    for distribution, marker in DATA_MARKERS.items():
        if chosen(rows, distribution=distribution):
            handles.append(_marker_key(marker, f"{KINDS[distribution]} points"))
    ax.legend(handles=handles, loc="lower left")
    ax.set_title("Fact 1: one head, $V = I$, $KQ^T = cI$")


def _draw_right_bias(ax: Axes, rows: list[Row], colours: dict[Biases, str]) -> None:
    markers = dict(zip(values(rows, "d"), cycle(DIMENSION_MARKERS), strict=False))
    drawn = {(row["b_1"], row["b_2"]) for row in rows}
    colours = {biases: colour for biases, colour in colours.items() if biases in drawn}
    for (b_1, b_2), colour in colours.items():
        for d, marker in markers.items():
            _draw_softmax_heads(ax, chosen(rows, b_1=b_1, b_2=b_2, d=d), colour, marker)
    _set_scales(ax)
    handles = _bias_keys(colours)
    handles += [_marker_key(marker, f"$d$ = {d}") for d, marker in markers.items()]
    ax.legend(handles=handles, loc="lower left")
    ax.set_title("Fact 3 with scores 𝑋ᵀ𝑦 − 𝑏/2, which Equation 8 takes")


def _draw_softmax_heads(ax: Axes, rows: list[Row], colour: str, marker: str) -> None:
    """Errors of heads against c: exact, the law of large c, and the sampled ones."""
    rows = [row for row in rows if row["temperature"]]
    if rows:
        curve = ErrorCurve.of(rows, "temperature")
        curve.draw_exact(ax, colour)
        curve.draw_law(ax, colour, where=curve.law < 1.5 * curve.sampled.max())
        curve.draw_sampled(ax, colour, marker)


def _set_scales(ax: Axes) -> None:
    ax.set(xscale="log", yscale="log", xlabel="inverse temperature $c$ of the softmax")


def _draw_printed_bias(ax: Axes, rows: list[Row], colours: dict[Biases, str]) -> None:
    """Hardmax heads: the text's, a curve for each b, and the right one."""
    for (b_1, b_2), colour in colours.items():
        curve = ErrorCurve.of(chosen(rows, added="+b", b_1=b_1, b_2=b_2), "d")
        curve.draw_exact(ax, colour)
        curve.draw_sampled(ax, colour, "s")
    right = chosen(rows, added="-b/2")
    dimensions = values(right, "d")
    worst = [max(row["error_exact"] for row in chosen(right, d=d)) for d in dimensions]
    dashed: Look = {"linestyle": "--", "linewidth": 0.9}
    ax.plot(dimensions, worst, color=INK, **dashed)
    ticks_at(ax.xaxis, dimensions)
    ax.set_xlabel("dimension $d$")
    ax.legend(handles=[*_bias_keys(colours), key("− 𝑏/2, the worst 𝑏", **dashed)])
    ax.set_title("Fact 3 with 𝑋ᵀ𝑦 + 𝑏, as in the text; hardmax")


def _marker_key(marker: str, label: str) -> Line2D:
    return key(label, marker=marker, markerfacecolor="white", linewidth=0, markersize=4)


def _bias_keys(colours: dict[Biases, str]) -> list[Line2D]:
    return [
        key(f"𝑏 = ({b_1:g}, {b_2:g})", colour, linewidth=4)
        for (b_1, b_2), colour in colours.items()
    ]
