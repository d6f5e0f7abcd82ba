"""Figures of constructions, which nobody trains: one head against its temperature (Facts 1 and 3),
the majority vote (Theorem 7), and random heads with the best weights."""

from itertools import cycle
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...pages.drawing import draw_estimates, key, legend_beside, save_with_numbers, sheet, ticks_at
from ...pages.house_style import BLUE, GREEN, INK, LIGHT_GRAY, PALETTE, VERMILION
from ...results.provenance import record
from ...results.tables import read_parquet
from ...settings.strict_model import Job
from ..constructions import features, temperature, vote
from ..constructions.rank_1_heads import error_beyond_degree
from ..settings.titles import ERROR, FIGURES, KINDS
from ..theory.bound import bound
from ..training.runs import chosen, columns_of, listed, values

Colours = dict[tuple, str]


ERRORS = ("error_exact", "error_law", "error", "ci_low", "ci_high")
"""Columns: the exact error, that by the law of large c or of many heads, and the sampled one."""


def _colours(rows: list[dict], *names: str) -> Colours:
    """A colour for all rows with the same values, in the order of the rows."""
    found = dict.fromkeys(tuple(row[name] for name in names) for row in rows)
    return dict(zip(found, cycle(PALETTE), strict=False))


# One head against its temperature.

DATA = {"uniform": "o", "orthogonal": "s"}
"""Of points."""

MARKERS = "s^Dvo"
"""Of dimensions."""


def draw_temperature(table: pa.Table) -> Figure:
    """Fact 1, one colour for each (d, N); Fact 3, one for each b: with -b/2, with the text's +b."""
    rows = table.to_pylist()
    right = chosen(rows, construction="fact_3", added="-b/2")
    text = chosen(rows, construction="fact_3", added="+b")
    colours = _colours(text, "b_1", "b_2")
    panels = [
        (_draw_fact_1, chosen(rows, construction="fact_1")),
        # Where one point is always the nearest the error falls faster than any power of c.
        (_draw_right, [row for row in right if row["error_law"]]),
        (_draw_text, chosen(right + text, temperature=None)),
    ]
    panels = [(draw_panel, own) for draw_panel, own in panels if own]
    note = (
        f"Points: means of {listed(rows, 'draws')} draws with 95 % intervals, the same draws at "
        "every $c$. Solid: exact, by quadrature ($N$ = 2). Dashed: the law of large $c$, a "
        "constant over $c$. Predicting zero has error 1.\n"
        "Fact 3: Equation 8 on two orthogonal points, and + 𝑏, as a translation of the text has "
        "them. In the middle, without 𝑏 that make one point always the nearest; on the right, "
        "lines join exact values."
    )
    with sheet(
        FIGURES["rank_temperature"], note, len(panels), (4.4, 4.6), (0.6, 0.0)
    ) as (figure, axes):  # fmt: skip
        for ax, (draw_panel, own) in zip(axes, panels, strict=True):
            draw_panel(ax, own, colours)
            ax.set_ylabel(ERROR)
    return figure


def _draw_fact_1(ax: Axes, rows: list[dict], _: Colours) -> None:
    colours = _colours(sorted(rows, key=lambda row: (row["d"], row["n"])), "d", "n")
    _draw_heads(ax, rows, ("d", "n"), colours, "distribution", DATA)
    handles = [key(f"$d$ = {d}, $N$ = {n}", c, linewidth=4) for (d, n), c in colours.items()]
    shown = values(rows, "distribution")
    handles += [_marker(DATA[kind], f"{KINDS[kind]} points") for kind in DATA if kind in shown]
    ax.legend(handles=handles, loc="lower left")
    ax.set_title("Fact 1: one head, $V = I$, $KQ^T = cI$")


def _draw_right(ax: Axes, rows: list[dict], colours: Colours) -> None:
    markers = dict(zip(values(rows, "d"), cycle(MARKERS), strict=False))
    used = {(row["b_1"], row["b_2"]) for row in rows}
    colours = {bias: colour for bias, colour in colours.items() if bias in used}
    _draw_heads(ax, rows, ("b_1", "b_2"), colours, "d", markers)
    handles = [*_biases(colours), *(_marker(m, f"$d$ = {d}") for d, m in markers.items())]
    ax.legend(handles=handles, loc="lower left")
    ax.set_title("Fact 3 with scores 𝑋ᵀ𝑦 − 𝑏/2, which Equation 8 takes")


def _marker(marker: str, label: str) -> Line2D:
    return key(label, marker=marker, markerfacecolor="white", linewidth=0, markersize=4)


def _biases(colours: Colours) -> list[Line2D]:
    return [
        key(f"𝑏 = ({b_1:g}, {b_2:g})", colour, linewidth=4)
        for (b_1, b_2), colour in colours.items()
    ]


def _draw_heads(
    ax: Axes, rows: list[dict], coloured_by: tuple[str, str], colours: Colours, marked_by: str,
    markers: dict,
) -> None:  # fmt: skip
    """Errors of heads against c: exact, the law of large c, and the sampled ones."""
    rows = [row for row in rows if row["temperature"]]
    for of, colour in colours.items():
        for kind, marker in markers.items():
            own = chosen(rows, **dict(zip(coloured_by, of, strict=True)), **{marked_by: kind})
            if own:
                c, exact, law, *errors = columns_of(own, "temperature", *ERRORS)
                reached = law < 1.5 * errors[0].max()
                ax.plot(c, exact, color=colour, linewidth=0.9)
                ax.plot(c[reached], law[reached], "--", color=colour, linewidth=0.9)
                draw_estimates(ax, c, *errors, colour, marker)
    ax.set(xscale="log", yscale="log", xlabel="softmax temperature $c$")


def _draw_text(ax: Axes, rows: list[dict], colours: Colours) -> None:
    """Hardmax heads: the text's, a curve for each b, and the right one."""
    for (b_1, b_2), colour in colours.items():
        own = chosen(rows, added="+b", b_1=b_1, b_2=b_2)
        d, exact, _, *errors = columns_of(own, "d", *ERRORS)
        ax.plot(d, exact, color=colour, linewidth=0.9)
        draw_estimates(ax, d, *errors, colour, "s")
    right = chosen(rows, added="-b/2")
    dimensions = values(right, "d")
    worst = [max(row["error_exact"] for row in chosen(right, d=d)) for d in dimensions]
    dashed = {"linestyle": "--", "linewidth": 0.9}
    ax.plot(dimensions, worst, color=INK, **dashed)
    ticks_at(ax.xaxis, dimensions)
    ax.set_xlabel("dimension $d$")
    ax.legend(handles=[*_biases(colours), key("− 𝑏/2, the worst 𝑏", **dashed)])
    ax.set_title("Fact 3 with 𝑋ᵀ𝑦 + 𝑏, as in the text; hardmax")


# The majority vote.

ZERO_PREDICTOR = 1.0
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
    with sheet(FIGURES["rank_vote"], note, 2, (4.8, 4.4)) as (figure, (left, right)):
        _draw_votes(left, errors)
        _draw_needed(right, chosen(rows, series="heads_needed"))
    return figure


def _draw_votes(ax: Axes, rows: list[dict]) -> None:
    for d, colour in zip(values(rows, "d"), cycle(PALETTE), strict=False):
        heads, exact, law, *errors = columns_of(chosen(rows, d=d), "heads", *ERRORS)
        lawful = law <= ZERO_PREDICTOR
        ax.plot(heads, exact, color=colour, linewidth=1)
        ax.plot(heads[lawful], law[lawful], "--", color=colour, linewidth=0.9)
        draw_estimates(ax, heads, *errors, colour)
        ax.annotate(
            f"𝑑 = {d}", (heads[-1], exact[-1]), xytext=(6, 0), textcoords="offset points",
            color=colour, va="center", fontsize=8.5,
        )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="voting heads 𝐻 of rank 1", ylabel=ERROR)
    ax.margins(x=0.08)
    ax.set_title("Error of a vote of 𝐻 heads, about √(𝑑/𝐻) for many")


def _draw_needed(ax: Axes, rows: list[dict]) -> None:
    law, guarantee = {"linestyle": "--", "linewidth": 0.9}, {"linestyle": ":", "linewidth": 1.1}
    ax.set_yscale("log")
    for epsilon, colour in zip(values(rows, "epsilon")[::-1], cycle(PALETTE[3:]), strict=False):
        d, heads = columns_of(chosen(rows, epsilon=epsilon), "d", "heads")
        ax.plot(d, heads, "o-", color=colour, markersize=4)
        ax.plot(d, d / epsilon**2, color=colour, **law)
        ax.plot(d, heads[0] * (d / d[0]) ** 3, color=colour, **guarantee)
        ax.annotate(
            f"ε = {epsilon:g}", (d[-1], heads[-1]), xytext=(0, -9), textcoords="offset points",
            color=colour, ha="right", va="top", fontsize=8.5,
        )  # fmt: skip
    ticks_at(ax.xaxis, d)
    ax.set(title="Heads for an error ε", xlabel="dimension 𝑑", ylabel="voting heads 𝐻")
    exact = key("exact", marker="o", markersize=4)
    ax.legend(handles=[exact, key("𝑑/ε²", **law), key(GUARANTEE, **guarantee)], loc="upper left")


# Random heads.

LOWEST, TICKS = 0.05, (0.05, 0.1, 0.2, 0.5, 1)
DASHES, DOTS = (0, (4, 2)), (0, (1, 1.2))
LINES = {
    # The widest first: the others lie on it where they agree.
    ("compromise", "best"): (BLUE, "-", 5, 0.4, "best weights,\ncos(𝑞, 𝑘) uniform"),
    ("independent", "best"): (GREEN, "-", 1.3, 1, "best weights,\n𝑞 and 𝑘 independent"),
    ("published", "reported"): (VERMILION, DASHES, 1.5, 1, "as published:\nwhat is reported"),
    ("published", "attained"): (VERMILION, DOTS, 1.7, 1, "as published:\nwhat the weights attain"),
}
"""Of each law and quantity its colour, dashes, width, opacity and name."""


def draw_features(table: pa.Table) -> Figure:
    """A panel for each dimension: random rank-1 heads, right and as published."""
    rows = table.to_pylist()
    dimensions = values(rows, "d")
    most = max(row["draw"] or 0 for row in rows) + 1
    note = (
        f"Exact given the heads; means of up to {most} draws of heads, bands from the least to the "
        "largest. Floors: all that stays if every degree up to 1, or 3, of the target is captured. "
        "Grey: below a lower bound for rank-1 heads of any kind with $V = aI$; hardmax heads need "
        "not attain it."
    )
    with sheet(
        FIGURES["rank_random_features"], note, len(dimensions), (3.9, 2.9), (2.6, 1.0), 2,
        sharex=True, sharey=True,
    ) as (figure, axes):  # fmt: skip
        for ax, d in zip(axes, dimensions, strict=True):
            _draw_features(ax, chosen(rows, d=d))
            ax.set_title(f"𝑑 = {d}")
        axes[0].set_xlim(min(row["heads"] for row in rows), max(row["heads"] for row in rows))
        legend_beside(figure)
    return figure


def _draw_features(ax: Axes, rows: list[dict]) -> None:
    d, counts = rows[0]["d"], values(rows, "heads")
    # Between two counts the bound is at least that of the larger: a step claims no more.
    ax.fill_between(
        counts, LOWEST, bound(d, 1, np.array(counts)), step="pre", color=LIGHT_GRAY, linewidth=0,
        label="below a lower bound for\nso many heads with 𝑉 = 𝑎𝐼",
    )  # fmt: skip
    for degree, style in ((1, ":"), (3, (0, (1, 4)))):
        ax.axhline(
            error_beyond_degree(d, degree), color=INK, linewidth=0.9, linestyle=style,
            label=f"floor of degree {degree}",
        )  # fmt: skip
    for (law, quantity), (colour, style, width, opacity, label) in LINES.items():
        if own := chosen(rows, law=law, quantity=quantity):
            heads, mean, low, high = _spread(own)
            ax.fill_between(heads, low, high, color=colour, alpha=0.15, linewidth=0)
            ax.plot(
                heads, mean, color=colour, linestyle=style, linewidth=width, alpha=opacity,
                solid_capstyle="butt", label=label,
            )  # fmt: skip
    if read := chosen(rows, quantity="read"):
        ax.plot(
            *_spread(read)[:2], "D", color=VERMILION, markerfacecolor="white", markersize=3.5,
            clip_on=False, label="as published:\nread from its figure",
        )  # fmt: skip
    ax.set_xscale("log", base=2)
    ticks_at(ax.yaxis, TICKS)
    ax.set_ylim(LOWEST, 1)
    ax.set(xlabel="number of heads 𝐻 of rank 1", ylabel=ERROR)
    ax.label_outer()


def _spread(rows: list[dict]) -> list[np.ndarray]:
    """Heads, and the mean, least and largest error over the draws with so many."""
    heads = values(rows, "heads")
    errors = [[row["error"] for row in chosen(rows, heads=count)] for count in heads]
    return [np.array(heads), *(np.array([f(of) for of in errors]) for f in (np.mean, min, max))]


DRAWN = {
    "rank_temperature": (temperature.SCHEMA, draw_temperature),
    "rank_vote": (vote.SCHEMA, draw_vote),
    "rank_random_features": (features.SCHEMA, draw_features),
}
"""The columns of each figure's table, and what draws it."""


def run(job: Job, figure: str, table: Path, output: Path) -> None:
    schema, draw = DRAWN[figure]
    numbers = read_parquet(table, schema)
    save_with_numbers(draw(numbers), output, numbers, record(job.canonical(), __name__))
