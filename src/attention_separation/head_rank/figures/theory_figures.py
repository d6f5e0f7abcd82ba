"""One layer of low-rank heads as numbers, what is possible and what is not."""

from itertools import cycle
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ...pages import house_style
from ...pages.drawing import draw_estimates, key, legend_beside, save_with_numbers, sheet, ticks_at
from ...results.provenance import record
from ...results.tables import read_parquet
from ...settings.strict_model import Job
from ..settings.titles import ERROR, KINDS, THEORY
from ..theory import bound_table, found_table, plurality_table
from ..theory.plurality_table import heads_reaching
from ..training.runs import chosen, columns_of, listed, values

BUDGETS = {"d^2": "$H = d/r$", "d^2.5": "$H = d^{1.5}/r$", "d^3": "$H = d^2/r$"}
HARDMAX = ("random", "orthogonal", "optimised")
SOFTMAX = ("linear", "mixed", *HARDMAX)
LINES = {
    ("random",): (house_style.VERMILION, ":", "s", "random hardmax heads"),
    HARDMAX: (house_style.GREEN, "-", "^", "best hardmax heads found"),
    SOFTMAX: (house_style.BLUE, "-", "o", "best softmax heads found"),
}
LOWEST, TICKS = 4e-4, (0.001, 0.01, 0.1, 0.5)
POWERS = (0, 1, 2, 5, 10, 20, 40, 60)
HALF = 0.5
"""The error that the number of voters is shown for."""


def least(rows: list[dict], kinds: tuple[str, ...]) -> tuple[list[int], list[float]]:
    """Ranks, and the least error of these kinds of heads at each."""
    own = [row for row in rows if row["kind"] in kinds]
    ranks = values(own, "rank")
    return ranks, [min(row["error"] for row in chosen(own, rank=rank)) for rank in ranks]


def draw_ranks(title: str, table: pa.Table) -> Figure:
    """Error against rank: a row of panels for each budget, a column for each d."""
    rows = table.to_pylist()
    dimensions = values(rows, "d")
    panels = [(b, d) for b in BUDGETS for d in dimensions if chosen(rows, budget=b)]
    hottest = max(row["temperature"] or 0 for row in rows)
    note = (
        "One layer, two orthogonal points, exact or with 95 % intervals smaller than the marks. "
        "Grey: below the bound for so many heads of this rank, whatever they do with what they see "
        "through $K$. Softmax heads: a bilinear form, the limit of small temperatures, with "
        "hardmax heads beside it where that is better. Diamonds: one full-rank head, the lowest at "
        f"$c$ = {hottest:g}. Predicting zero has error 1."
    )
    with sheet(
        title, note, len(panels), (2.5, 2.1), (2.6, 1.2), len(dimensions), sharey=True, sharex="col"
    ) as (figure, axes):  # fmt: skip
        for ax, (budget, d) in zip(axes, panels, strict=True):
            _draw_ranks(ax, chosen(rows, d=d, budget=budget))
            ax.set_title(f"$d$ = {d},  {BUDGETS[budget]}")
        impossible = [
            Patch(color=house_style.MIDDLE_GRAY, label="impossible, any 𝑉"),
            Patch(color=house_style.LIGHT_GRAY, label="impossible, 𝑉 = 𝑎𝐼"),
        ]
        legend_beside(figure, impossible)
    return figure


def _draw_ranks(ax: Axes, rows: list[dict]) -> None:
    *ranks, full = values(rows, "rank")
    low = [row for row in rows if row["rank"] < full]
    by_rank = {row["rank"]: row for row in low}
    # Between two ranks a head can do no more than at the larger: a step claims no more.
    shades = {"bound": house_style.LIGHT_GRAY, "bound_any_value": house_style.MIDDLE_GRAY}
    for name, colour in shades.items():
        bounds = [by_rank[rank][name] for rank in ranks]
        ax.fill_between(ranks, LOWEST, bounds, step="pre", color=colour, linewidth=0)
        ax.plot(ranks, bounds, "_", color=house_style.DARK_GRAY, markersize=7)
    for kinds, (colour, style, marker, label) in LINES.items():
        ax.plot(
            *least(low, kinds), color=colour, linestyle=style, marker=marker, markersize=3.5,
            linewidth=1.2, label=label,
        )  # fmt: skip
    for row in chosen(rows, kind="full_rank"):
        label = "one full-rank head,\neach temperature 𝑐"
        ax.plot(full, row["error"], "D", color=house_style.INK, markersize=3.5, label=label)
    ticks_at(ax.xaxis, [*ranks, full])
    ticks_at(ax.yaxis, TICKS)
    ax.set_ylim(LOWEST, 1)
    ax.set(xlabel="rank 𝑟", ylabel=ERROR)
    ax.label_outer()


def draw_heads(title: str, table: pa.Table) -> Figure:
    """Heads that an error takes at least, against rank: a panel for each d."""
    rows = table.to_pylist()
    dimensions, errors = values(rows, "d"), values(rows, "error")[::-1]
    colours = matplotlib.colormaps["cividis"](np.linspace(0.85, 0, len(errors)))
    note = (
        "With fewer heads in one layer the error on two orthogonal points is surely above ε: solid "
        "for value maps $V = aI$, dotted for any. One head of full rank has any error.\n"
        "The paper's theorem has constants that it does not state, and so no point here."
    )
    with sheet(
        title, note, len(dimensions), (2.6, 4.2), (1.6, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, d in zip(axes, dimensions, strict=True):
            for error, colour in zip(errors, colours, strict=True):
                own = chosen(rows, d=d, error=error)
                ranks = [row["rank"] for row in own]
                for name, style in (("", "o-"), ("_any_value", ":")):
                    heads = [row[f"log10_heads{name}"] for row in own]
                    label = f"ε = {error:g}" if not name else None
                    ax.plot(
                        ranks, heads, style, color=colour, markersize=3.5, linewidth=1.1,
                        label=label,
                    )  # fmt: skip
            budget = np.log10([row["heads_of_d3"] for row in own])
            ax.plot(ranks, budget, "--", color=house_style.INK, linewidth=1)
            ticks_at(ax.xaxis, ranks)
            # Of logarithms, so that the few heads of large errors are seen beside 10^57.
            ax.set_yscale("function", functions=(_root, np.square))
            ax.set_yticks(POWERS, [f"$10^{{{power}}}$" for power in POWERS])
            ax.set(xlabel="rank 𝑟", ylabel="heads $H$", title=f"$d$ = {d}")
            ax.label_outer()
        more = [
            key("the same, any 𝑉", linestyle=":"),
            key("$d^2/r$, the paper's\nlargest budget", linestyle="--"),
        ]
        legend_beside(figure, more)
    return figure


def _root(log10: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(log10, 0.0))


def draw_points(title: str, table: pa.Table) -> Figure:
    """A vote's error against heads, a panel for each kind of points and d; and heads against N."""
    rows = table.to_pylist()
    cases = sorted({(row["distribution"], row["d"]) for row in rows}, reverse=True)
    colours = dict(zip(values(rows, "n"), cycle(house_style.PALETTE), strict=False))
    note = (
        f"Means of {listed(rows, 'draws')} draws of heads and data, 95 % intervals. Each of 𝐻 "
        "heads of rank 1 with a random direction votes for a point; the one with most votes is the "
        "answer.\nRank 0: the best combination of the query and the mean of all points. Predicting "
        "zero has error 1."
    )
    with sheet(title, note, len(cases) + 1, (2.6, 4.2), (1.2, 0.0)) as (figure, (*axes, last)):
        for ax, (kind, d) in zip(axes, cases, strict=True):
            own = chosen(rows, distribution=kind, d=d)
            for n in values(own, "n"):
                _draw_votes(ax, chosen(own, n=n), colours[n])
            ax.set_xscale("log", base=2)
            ax.set_ylim(0, 2)
            ax.set(xlabel="voting heads 𝐻 of rank 1", ylabel=ERROR)
            ax.set_title(f"{KINDS[kind]} points, $d$ = {d}")
            ax.label_outer()
        _draw_voters(last, chosen(rows, distribution="orthogonal"))
        handles = [key(f"$N$ = {n}", c, marker="o", markersize=3.5) for n, c in colours.items()]
        legend_beside(figure, [*handles, key("rank 0 at this $N$", linestyle="-.")])
    return figure


def _draw_votes(ax: Axes, rows: list[dict], colour: str) -> None:
    heads, *errors = columns_of(rows, "heads", "error", "ci_low", "ci_high")
    ax.plot(heads, errors[0], color=colour)
    draw_estimates(ax, heads, *errors, colour)
    ax.plot(heads[-2:], [rows[0]["rank_0"]] * len(heads[-2:]), "-.", color=colour)


def _draw_voters(ax: Axes, rows: list[dict]) -> None:
    """Heads with which orthogonal points have the error HALF."""
    ax.set_title(f"Heads for error {HALF:g}, orthogonal;\ndotted: in proportion to 𝑁")
    ax.set_xlabel("points 𝑁")
    for d, marker in zip(values(rows, "d"), "o^sDv", strict=False):
        found = voters(rows, d, HALF)
        if found:
            n, heads = (np.array([*of], dtype=float) for of in (found, found.values()))
            ax.plot(n, heads, marker + "-", color=house_style.INK, markersize=4, label=f"$d$ = {d}")
            ax.plot(n, heads[0] * n / n[0], ":", color=house_style.DARK_GRAY)
    # Without a number a logarithmic axis has no ends.
    if ax.lines:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)


def voters(rows: list[dict], d: int, error: float) -> dict[int, float]:
    """By N, where the vote's error falls to this one; without those N where it is not seen to."""
    found = {}
    for n in values(chosen(rows, d=d), "n"):
        at = heads_reaching(*columns_of(chosen(rows, d=d, n=n), "heads", "error"), error)
        if at is not None:
            found[n] = at
    return found


def run(job: Job, bound: list[Path], found: Path, plurality: Path, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, draw, path, schema in (
        ("rank_theory", draw_ranks, found, found_table.SCHEMA),
        ("rank_heads", draw_heads, bound[1], bound_table.NEEDED),
        ("rank_points", draw_points, plurality, plurality_table.SCHEMA),
    ):
        table = read_parquet(path, schema)
        picture = draw(THEORY[name], table)
        save_with_numbers(picture, output.with_name(f"{name}.svg"), table, provenance)
