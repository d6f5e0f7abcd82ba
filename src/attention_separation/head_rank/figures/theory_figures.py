"""One layer of low-rank heads as numbers, what is possible and what is not."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from attention_separation.pages.drawing import (
    BLUE,
    DARK_GRAY,
    GREEN,
    INK,
    LIGHT_GRAY,
    MIDDLE_GRAY,
    PALETTE,
    RC,
    VERMILION,
    frame,
    save_with_numbers,
)
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet
from attention_separation.settings.closed import Job

from ..settings.titles import THEORY
from ..theory import bound_table, found_table, plurality_table
from ..theory.plurality_table import heads_for
from . import figure_job

BUDGETS = {"d^2": "$H = d/r$", "d^2.5": "$H = d^{1.5}/r$", "d^3": "$H = d^2/r$"}
HARDMAX = ("random", "orthogonal", "optimised")
SOFTMAX = ("linear", "mixed", *HARDMAX)
LINES = {
    ("random",): (VERMILION, ":", "s", "random hardmax heads"),
    HARDMAX: (GREEN, "-", "^", "best hardmax heads found"),
    SOFTMAX: (BLUE, "-", "o", "best softmax heads found"),
}
LOWEST, TICKS = 4e-4, (0.001, 0.01, 0.1, 0.5)
POWERS = (0, 1, 2, 5, 10, 20, 40, 60)
HALF = 0.5
"""The error that the number of voters is shown for."""


def least(rows: list[dict], kinds: tuple[str, ...]) -> tuple[list[int], list[float]]:
    """Ranks, and the least error of these kinds of heads at each."""
    own = [row for row in rows if row["kind"] in kinds]
    ranks = sorted({row["rank"] for row in own})
    return ranks, [min(row["error"] for row in own if row["rank"] == r) for r in ranks]


def draw_ranks(title: str, table: pa.Table) -> Figure:
    """Error against rank: a row of panels for each budget, a column for each d."""
    rows = table.to_pylist()
    dimensions = sorted({row["d"] for row in rows})
    budgets = [name for name in BUDGETS if any(row["budget"] == name for row in rows)]
    with matplotlib.rc_context(RC):
        size = (2.5 * len(dimensions) + 2.6, 2.1 * len(budgets) + 1.2)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(
            len(budgets), len(dimensions), squeeze=False, sharey=True, sharex="col"
        )
        for line, budget in zip(axes, budgets, strict=True):
            for ax, d in zip(line, dimensions, strict=True):
                own = [row for row in rows if (row["d"], row["budget"]) == (d, budget)]
                _draw_ranks(ax, own)
                ax.set_title(f"$d$ = {d},  {BUDGETS[budget]}", y=1.0, pad=5)
        handles = [
            Line2D([], [], color=colour, linestyle=style, marker=marker, markersize=4, label=label)
            for colour, style, marker, label in LINES.values()
        ]
        handles += [
            Patch(color=MIDDLE_GRAY, label="impossible, any 𝑉"),
            Patch(color=LIGHT_GRAY, label="impossible, 𝑉 = 𝑎𝐼"),
            Line2D([], [], color=INK, marker="D", linewidth=0, markersize=4,
                   label="one full-rank head,\neach temperature 𝑐"),
        ]  # fmt: skip
        figure.legend(handles=handles, loc="outside right upper", fontsize=8)
        hottest = max(row["temperature"] or 0 for row in rows)
        note = (
            "One layer, two orthogonal points, exact or with 95 % intervals smaller than the "
            "marks. Grey: below the bound for so many heads of this rank,\nwhatever they do with "
            "what they see through $K$. Softmax heads: a bilinear form, the limit of small "
            "temperatures, with hardmax heads beside it where that is\nbetter. Diamonds: one "
            f"full-rank head, the lowest at $c$ = {hottest:g}. Predicting zero has error 1."
        )
        frame(figure, title, note)
    return figure


def _draw_ranks(ax: Axes, rows: list[dict]) -> None:
    full = max(row["rank"] for row in rows)
    low = [row for row in rows if row["rank"] < full]
    by_rank = {row["rank"]: row for row in low}
    ranks = sorted(by_rank)
    # Between two ranks a head can do no more than at the larger: a step claims no more.
    for name, colour in (("bound", LIGHT_GRAY), ("bound_any_value", MIDDLE_GRAY)):
        bounds = [by_rank[r][name] for r in ranks]
        ax.fill_between(ranks, LOWEST, bounds, step="pre", color=colour, linewidth=0)
        ax.plot(ranks, bounds, "_", color=DARK_GRAY, markersize=7)
    for kinds, (colour, style, marker, _) in LINES.items():
        ax.plot(
            *least(low, kinds), color=colour, linestyle=style, marker=marker, markersize=3.5,
            linewidth=1.2,
        )  # fmt: skip
    hot = [row for row in rows if row["kind"] == "full_rank"]
    ax.plot([full] * len(hot), [row["error"] for row in hot], "D", color=INK, markersize=3.5)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_ylim(LOWEST, 1)
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.set_xticks([*ranks, full], [str(r) for r in (*ranks, full)])
    ax.minorticks_off()
    ax.set_xlabel("rank 𝑟")
    ax.set_ylabel(figure_job.ERROR)
    ax.label_outer()


def draw_heads(title: str, table: pa.Table) -> Figure:
    """Heads that an error takes at least, against rank: a panel for each d."""
    rows = table.to_pylist()
    dimensions = sorted({row["d"] for row in rows})
    errors = sorted({row["error"] for row in rows}, reverse=True)
    colours = matplotlib.colormaps["cividis"](np.linspace(0.85, 0, len(errors)))
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(2.6 * len(dimensions) + 1.6, 4.2), layout="constrained")
        axes = figure.subplots(1, len(dimensions), squeeze=False, sharey=True)[0]
        for ax, d in zip(axes, dimensions, strict=True):
            own = [row for row in rows if row["d"] == d]
            for error, colour in zip(errors, colours, strict=True):
                line = [row for row in own if row["error"] == error]
                ranks = [row["rank"] for row in line]
                for name, style in (("", "o-"), ("_any_value", ":")):
                    heads = [row[f"log10_heads{name}"] for row in line]
                    ax.plot(ranks, heads, style, color=colour, markersize=3.5, linewidth=1.1)
            line = [row for row in own if row["error"] == errors[0]]
            budget = np.log10([row["heads_of_d3"] for row in line])
            ax.plot([row["rank"] for row in line], budget, "--", color=INK, linewidth=1)
            ax.set_xscale("log", base=2)
            ax.set_xticks([row["rank"] for row in line], [str(row["rank"]) for row in line])
            ax.minorticks_off()
            ax.set_xlabel("rank 𝑟")
            # Of logarithms, so that the few heads of large errors are seen beside 10^57.
            ax.set_yscale("function", functions=(_root, np.square))
            ax.set_yticks(POWERS, [f"$10^{{{power}}}$" for power in POWERS])
            ax.set_ylabel("heads $H$")
            ax.set_title(f"$d$ = {d}", y=1.0, pad=6)
            ax.label_outer()
        handles = [
            Line2D([], [], color=colour, marker="o", markersize=3.5, label=f"ε = {error:g}")
            for error, colour in zip(errors, colours, strict=True)
        ]
        handles += [
            Line2D([], [], color=INK, linestyle=":", label="the same, any 𝑉"),
            Line2D([], [], color=INK, linestyle="--", label="$d^2/r$, the paper's\nlargest budget"),
        ]
        figure.legend(handles=handles, loc="outside right upper", fontsize=8)
        note = (
            "With fewer heads in one layer the error on two orthogonal points is surely above ε: "
            "solid for value maps $V = aI$, dotted for any. One head of full rank has any error.\n"
            "The paper's theorem has constants that it does not state, and so no point here."
        )
        frame(figure, title, note)
    return figure


def draw_points(title: str, table: pa.Table) -> Figure:
    """A vote's error against heads, a panel for each kind of points and d; and heads against N."""
    rows = table.to_pylist()
    cases = sorted({(row["distribution"], row["d"]) for row in rows}, reverse=True)
    points = sorted({row["n"] for row in rows})
    colours = dict(zip(points, PALETTE * len(points), strict=False))
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(2.6 * (len(cases) + 1) + 1.2, 4.2), layout="constrained")
        axes = figure.subplots(1, len(cases) + 1, squeeze=False)[0]
        for ax, case in zip(axes, cases, strict=False):
            own = [row for row in rows if (row["distribution"], row["d"]) == case]
            _draw_votes(ax, own, colours)
            kind = {"uniform": "independent", "orthogonal": "orthogonal"}[case[0]]
            ax.set_title(f"{kind} points, $d$ = {case[1]}", y=1.0, pad=6)
            ax.label_outer()
        _draw_voters(axes[-1], rows)
        handles = [Line2D([], [], color=c, marker="o", markersize=3.5, label=f"$N$ = {n}")
                   for n, c in colours.items()]  # fmt: skip
        handles.append(Line2D([], [], color=INK, linestyle="-.", label="rank 0 at this $N$"))
        figure.legend(handles=handles, loc="outside right upper", fontsize=8)
        draws = " or ".join(f"{n:,}" for n in sorted({row["draws"] for row in rows}))
        note = (
            f"Means of {draws} draws of heads and data, 95 % intervals. Each of 𝐻 heads of rank 1 "
            "with a random direction votes for a point; the one with most votes is the answer.\n"
            "Rank 0: the best combination of the query and the mean of all points. Predicting zero "
            "has error 1."
        )
        frame(figure, title, note)
    return figure


def _root(log10: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(log10, 0.0))


def _draw_votes(ax: Axes, rows: list[dict], colours: dict[int, str]) -> None:
    for n in sorted({row["n"] for row in rows}):
        own = sorted((row for row in rows if row["n"] == n), key=lambda row: row["heads"])
        heads = [row["heads"] for row in own]
        ax.plot(heads, [row["error"] for row in own], "o-", color=colours[n], markersize=3)
        ax.vlines(heads, [row["ci_low"] for row in own], [row["ci_high"] for row in own],
                  color=colours[n], alpha=0.5)  # fmt: skip
        ax.plot(heads[-2:], [own[0]["rank_0"]] * len(heads[-2:]), "-.", color=colours[n])
    ax.set_xscale("log", base=2)
    ax.set_ylim(0, 2)
    ax.set_xlabel("voting heads 𝐻 of rank 1")
    ax.set_ylabel(figure_job.ERROR)


def _draw_voters(ax: Axes, rows: list[dict]) -> None:
    """Heads with which orthogonal points have the error HALF."""
    own = [row for row in rows if row["distribution"] == "orthogonal"]
    ax.set_title(f"Heads for error {HALF:g}, orthogonal;\ndotted: in proportion to 𝑁", pad=6)
    ax.set_xlabel("points 𝑁")
    for d, marker in zip(sorted({row["d"] for row in own}), "o^sDv", strict=False):
        found = voters(own, d, HALF)
        if found:
            n = np.array(list(found), dtype=float)
            ax.plot(
                n, list(found.values()), marker + "-", color=INK, markersize=4, label=f"$d$ = {d}"
            )
            ax.plot(n, found[int(n[0])] * n / n[0], ":", color=DARK_GRAY)
    # Without a number a logarithmic axis has no ends.
    if ax.lines:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)
        ax.legend(fontsize=8)


def voters(rows: list[dict], d: int, error: float) -> dict[int, float]:
    """By N, where the vote's error falls to this one; without those N where it is not seen to."""
    found = {}
    for n in sorted({row["n"] for row in rows if row["d"] == d}):
        own = sorted((row for row in rows if (row["d"], row["n"]) == (d, n)),
                     key=lambda row: row["heads"])  # fmt: skip
        heads, errors = (np.array([row[name] for row in own]) for name in ("heads", "error"))
        at = heads_for(heads, errors, error)
        if at is not None:
            found[n] = at
    return found


def run(job: Job, bound: list[Path], found: Path, plurality: Path, output: Path) -> None:
    needed = read_parquet(bound[1], bound_table.NEEDED)
    found = read_parquet(found, found_table.SCHEMA)
    plurality = read_parquet(plurality, plurality_table.SCHEMA)
    provenance = record(job.canonical(), __name__)
    for name, draw, table in (
        ("rank_theory", draw_ranks, found),
        ("rank_heads", draw_heads, needed),
        ("rank_points", draw_points, plurality),
    ):
        stem = output.with_name(name)
        save_with_numbers(draw(THEORY[name], table), stem, table, provenance)
