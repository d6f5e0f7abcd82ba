"""One head of full rank against its inverse temperature c: Facts 1 and 3.

In Fact 3 the head adds something to the scores: -b/2, which Equation 8 takes, or the text's +b.
"""

from itertools import cycle

import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import INK
from ....pages.drawing import Look, key
from ....results.tables import Row, chosen
from ..constructions.temperature import AddedBias, Fact
from ..settings.titles import ERROR, FIGURE_TITLES, POINTS_IN_WORDS
from ..training.runs import groups, listed, values
from .panels import Axis, Mark, Panel, Scale, colours_of, curve_of, draw_panels, error_marks

DATA_MARKERS = {"uniform": "o", "orthogonal": "s"}
"""Of distributions of points."""

DIMENSION_MARKERS = "s^Dvo"

Biases = tuple[float, float]
"""b_1 and b_2."""

TEMPERATURE_AXIS = Axis("inverse temperature $c$ of the softmax", Scale.LOG)
ERROR_AXIS = Axis(ERROR, Scale.LOG)

TEMPERATURE_NOTE = (
    "Points: means of {draws} draws with 95 % intervals, the same draws at every $c$. Solid: "
    "exact, by quadrature ($N$ = 2). Dashed: the law of large $c$, a constant over $c$. Predicting "
    "zero has error 1.\n"
    "Fact 3: Equation 8 on two orthogonal points, and + 𝑏, as a translation of the text has them. "
    "In the middle, without 𝑏 that make one point always the nearest; on the right, lines join "
    "exact values."
)


def draw_temperature(table: pa.Table) -> Figure:
    """The figure of errors against c: a panel of Fact 1, with a colour for each (d, N), and panels
    of Fact 3, with one for each b, for the right bias -b/2 and for the text's +b."""
    rows = table.to_pylist()
    fact_1 = chosen(rows, construction=Fact.FACT_1)
    right = chosen(rows, construction=Fact.FACT_3, added=AddedBias.RIGHT)
    as_printed = chosen(rows, construction=Fact.FACT_3, added=AddedBias.AS_PRINTED)
    colours = colours_of((row["b_1"], row["b_2"]) for row in as_printed)
    # Where one point is always the nearest the error falls faster than any power of c.
    with_law = [row for row in right if row["error_law"]]
    panels = []
    if fact_1:
        panels.append(_fact_1_panel(fact_1))
    if with_law:
        panels.append(_right_bias_panel(with_law, colours))
    if as_printed:
        panels.append(_printed_bias_panel(as_printed, right, colours))
    return draw_panels(
        FIGURE_TITLES["rank_temperature"],
        TEMPERATURE_NOTE.format(draws=listed(rows, "draws")),
        panels,
        cell=(4.4, 4.6),
        around=(0.6, 0.0),
    )


def _fact_1_panel(rows: list[Row]) -> Panel:
    """The panel of Fact 1: errors against c, a colour for each (d, N), a marker for the points."""
    by_size = sorted(rows, key=lambda row: (row["d"], row["n"]))
    colours = colours_of((row["d"], row["n"]) for row in by_size)
    marks: list[Mark] = []
    for (d, n), colour in colours.items():
        for distribution, marker in DATA_MARKERS.items():
            group = chosen(rows, d=d, n=n, distribution=distribution)
            marks += _softmax_marks(group, colour, marker)
    legend = [
        key(f"$d$ = {d}, $N$ = {n}", colour, linewidth=4) for (d, n), colour in colours.items()
    ]
    for distribution, marker in DATA_MARKERS.items():
        if chosen(rows, distribution=distribution):
            legend.append(_marker_key(marker, f"{POINTS_IN_WORDS[distribution]} points"))
    return _softmax_panel("Fact 1: one head, $V = I$, $KQ^T = cI$", marks, legend)


def _right_bias_panel(rows: list[Row], all_colours: dict[Biases, str]) -> Panel:
    """The panel of Fact 3 with the right bias: errors against c, a colour for each b."""
    markers = dict(zip(values(rows, "d"), cycle(DIMENSION_MARKERS), strict=False))
    drawn = {(row["b_1"], row["b_2"]) for row in rows}
    colours = {biases: colour for biases, colour in all_colours.items() if biases in drawn}
    marks: list[Mark] = []
    for (b_1, b_2), colour in colours.items():
        for d, marker in markers.items():
            marks += _softmax_marks(chosen(rows, b_1=b_1, b_2=b_2, d=d), colour, marker)
    legend = _bias_keys(colours)
    legend += [_marker_key(marker, f"$d$ = {d}") for d, marker in markers.items()]
    title = "Fact 3 with scores 𝑋ᵀ𝑦 − 𝑏/2,\nwhich Equation 8 takes"
    return _softmax_panel(title, marks, legend)


def _softmax_panel(title: str, marks: list[Mark], legend: list[Line2D]) -> Panel:
    """A panel of errors against c, with these marks and legend."""
    return Panel(
        title,
        marks,
        x=TEMPERATURE_AXIS,
        y=ERROR_AXIS,
        is_alone=True,
        legend=legend,
        legend_place="lower left",
    )


def _softmax_marks(rows: list[Row], colour: str, marker: str) -> list[Mark]:
    """The marks of errors of softmax heads against c: exact, the law of large c, and the sampled
    ones; none where all heads are hardmax."""
    rows = [row for row in rows if row["temperature"]]
    if not rows:
        return []
    largest = max(row["error"] for row in rows)
    return error_marks(rows, "temperature", colour, marker, law_below=1.5 * largest)


def _printed_bias_panel(
    as_printed: list[Row], right: list[Row], colours: dict[Biases, str]
) -> Panel:
    """The panel of Fact 3's hardmax heads against d: the text's, a curve for each b, and the worst
    of the right ones."""
    marks: list[Mark] = []
    for (b_1, b_2), colour in colours.items():
        group = chosen(as_printed, temperature=None, b_1=b_1, b_2=b_2)
        marks += error_marks(group, "d", colour, "s")
    right = chosen(right, temperature=None)
    worst = {d: max(row["error_exact"] for row in group) for d, group in groups(right, "d").items()}
    dashed: Look = {"linestyle": "--", "linewidth": 0.9}
    marks.append(curve_of(worst, color=INK, **dashed))
    return Panel(
        "Fact 3 with 𝑋ᵀ𝑦 + 𝑏,\nas in the text; hardmax",
        marks,
        x=Axis("dimension $d$", ticks=list(worst)),
        y=Axis(ERROR),
        is_alone=True,
        legend=[*_bias_keys(colours), key("− 𝑏/2, the worst 𝑏", **dashed)],
    )


def _marker_key(marker: str, label: str) -> Line2D:
    """The legend's entry for a marker without a line."""
    return key(label, marker=marker, markerfacecolor="white", linewidth=0, markersize=4)


def _bias_keys(colours: dict[Biases, str]) -> list[Line2D]:
    """The legend's entries for the colour of each b."""
    return [
        key(f"𝑏 = ({b_1:g}, {b_2:g})", colour, linewidth=4)
        for (b_1, b_2), colour in colours.items()
    ]
