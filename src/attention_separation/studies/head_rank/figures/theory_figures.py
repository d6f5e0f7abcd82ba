"""One layer of low-rank heads as numbers, what is possible and what is not: errors against rank,
heads that an error takes, and a vote of rank-1 heads against the number of points."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ....looks.colors import BLUE, DARK_GRAY, GRAY, GREEN, INK, PURPLE, VERMILION
from ....pages.drawing import draw_estimates, key, legend_beside, save_with_numbers, sheet, ticks_at
from ....results.provenance import record
from ....results.tables import Row, chosen, read_parquet
from ....settings.strict_model import Job
from ..settings.titles import ERROR, KINDS, THEORY
from ..theory import bound_table, found_table, layers_table, plurality_table
from ..theory.plurality_table import heads_reaching
from ..training.runs import columns_of, listed, values
from .computed_parts import colours_of

BUDGETS = {"d^2": "$H = d/r$", "d^2.5": "$H = d^{1.5}/r$", "d^3": "$H = d^2/r$"}


@dataclass(frozen=True)
class HeadLine:
    """The least error of some kinds of heads, and how it is drawn."""

    label: str
    kinds: tuple[str, ...]
    colour: str
    marker: str
    linestyle: str = "-"


HARDMAX = ("random", "orthogonal", "optimised")
LINES = (
    HeadLine("random hardmax heads", ("random",), VERMILION, "s", linestyle=":"),
    HeadLine("best hardmax heads found", HARDMAX, GREEN, "^"),
    HeadLine("best softmax heads found", ("linear", "mixed", *HARDMAX), BLUE, "o"),
)

LOWEST = 4e-4
"""Where the axis of errors begins."""

IMPOSSIBLE = "#8F8F8F"
IMPOSSIBLE_WITHOUT_MAPS = GRAY
"""Below the bound for any value maps, and for multiples of the identity: two grays that a printer
keeps apart from each other and from white."""

TICKS = (0.001, 0.01, 0.1, 0.5)
POWERS = (0, 1, 2, 5, 10, 20, 40, 60)
"""Of 10, numbers of heads with a tick."""

HEADS = "heads $H$; height = √(log₁₀ $H$)"
"""What an axis of numbers of heads says of its scale."""

HALF = 0.5
"""The error that the number of voters is shown for."""


LEARNED = "softmax heads as trained,\nany 𝑉"


def draw_ranks(title: str, table: pa.Table, layers: pa.Table) -> Figure:
    """Error against rank: a row of panels for each budget, a column for each d; with the least
    errors of `layers`, a table of trained layers."""
    rows, trained_rows = table.to_pylist(), layers.to_pylist()
    dimensions = values(rows, "d")
    panels = []
    for budget in BUDGETS:
        if chosen(rows, budget=budget):
            panels += [(budget, d) for d in dimensions]
    hottest = max(row["temperature"] or 0 for row in rows)
    note = (
        "One layer, two orthogonal points, exact or with 95 % intervals smaller than the marks. "
        "Gray: below the bound for so many heads of this rank, whatever they do with what they see "
        "through $K$. Softmax heads: a bilinear form, the limit of small $c$, with "
        "hardmax heads beside it where that is better; with any $V$, the best of some trainings. "
        f"Diamonds: one full-rank head, the lowest at $c$ = {hottest:g}. Predicting zero has error "
        "1."
    )
    with sheet(
        title,
        note,
        len(panels),
        cell=(2.5, 2.1),
        around=(2.6, 1.2),
        columns=len(dimensions),
        sharey=True,
        sharex="col",
    ) as (figure, axes):
        for ax, (budget, d) in zip(axes, panels, strict=True):
            _draw_errors_by_rank(ax, chosen(rows, d=d, budget=budget))
            trained = chosen(trained_rows, d=d, budget=budget)
            _draw_trained(ax, [row for row in trained if row["rank"] < d])
            ax.set_title(f"$d$ = {d},  {BUDGETS[budget]}")
        impossible = [
            Patch(color=IMPOSSIBLE, label="impossible, any 𝑉"),
            Patch(color=IMPOSSIBLE_WITHOUT_MAPS, label="impossible, 𝑉 = 𝑎𝐼"),
        ]
        legend_beside(figure, impossible)
    return figure


def _draw_errors_by_rank(ax: Axes, rows: list[Row]) -> None:
    *low_ranks, full_rank = values(rows, "rank")
    of_low_rank = [row for row in rows if row["rank"] < full_rank]
    _draw_bound(ax, of_low_rank, "bound", IMPOSSIBLE_WITHOUT_MAPS)
    _draw_bound(ax, of_low_rank, "bound_any_value", IMPOSSIBLE)
    for line in LINES:
        errors = least_errors([row for row in of_low_rank if row["kind"] in line.kinds])
        ax.plot(
            list(errors),
            list(errors.values()),
            color=line.colour,
            linestyle=line.linestyle,
            marker=line.marker,
            markersize=3.5,
            linewidth=1.2,
            label=line.label,
        )
    label = "one full-rank head,\neach inverse temperature 𝑐"
    for row in chosen(rows, kind="full_rank"):
        ax.plot(full_rank, row["error"], "D", color=INK, markersize=3.5, label=label)
    ticks_at(ax.xaxis, [*low_ranks, full_rank])
    ticks_at(ax.yaxis, TICKS)
    ax.set_ylim(LOWEST, 1)
    ax.set(xlabel="rank 𝑟", ylabel=ERROR)
    ax.label_outer()


def _draw_bound(ax: Axes, rows: list[Row], name: str, colour: str) -> None:
    bound_by_rank = {row["rank"]: row[name] for row in rows}
    ranks = sorted(bound_by_rank)
    bounds = [bound_by_rank[rank] for rank in ranks]
    # Between two ranks a head can do no more than at the larger: a step claims no more.
    ax.fill_between(ranks, LOWEST, bounds, step="pre", color=colour, linewidth=0)
    ax.plot(ranks, bounds, "_", color=INK, markersize=7)


def least_errors(rows: list[Row]) -> dict[int, float]:
    """The least error of rows, by rank."""
    return {
        rank: min(row["error"] for row in chosen(rows, rank=rank)) for rank in values(rows, "rank")
    }


def _draw_trained(ax: Axes, rows: list[Row]) -> None:
    """The least error at each rank of trained layers, if there are any."""
    errors = least_errors(rows)
    if errors:
        ax.plot(
            list(errors),
            list(errors.values()),
            "D--",
            color=PURPLE,
            markersize=3,
            linewidth=1,
            label=LEARNED,
        )


def draw_heads(title: str, table: pa.Table) -> Figure:
    """Heads that an error takes at least, against rank: a panel for each d."""
    rows = table.to_pylist()
    dimensions = values(rows, "d")
    note = (
        "With fewer heads in one layer the error on two orthogonal points is surely above ε: solid "
        "for value maps $V = aI$, dotted for any. One head of full rank comes as near to 0 as is "
        "wanted. Powers of 10 stand at the square roots of their exponents, so that few heads are "
        "seen beside many.\n"
        "The paper's theorem has constants that it does not state, and so no point here."
    )
    with sheet(
        title,
        note,
        len(dimensions),
        cell=(2.6, 4.2),
        around=(1.6, 0.0),
        sharey=True,
    ) as (figure, axes):
        for ax, d in zip(axes, dimensions, strict=True):
            _draw_heads_by_rank(ax, chosen(rows, d=d))
            ax.set(xlabel="rank 𝑟", ylabel=HEADS, title=f"$d$ = {d}")
            ax.label_outer()
        handles = [
            key("the same, any 𝑉", linestyle=":"),
            key("$d^2/r$, the paper's\nlargest budget", linestyle="--"),
        ]
        legend_beside(figure, handles)
    return figure


def _draw_heads_by_rank(ax: Axes, rows: list[Row]) -> None:
    """A line for each error, and the paper's largest budget."""
    errors = values(rows, "error")[::-1]
    colours = matplotlib.colormaps["cividis"](np.linspace(0.85, 0, len(errors)))
    ranks = values(rows, "rank")
    for error, colour in zip(errors, colours, strict=True):
        group = chosen(rows, error=error)
        heads = [row["log10_heads"] for row in group]
        any_value = [row["log10_heads_any_value"] for row in group]
        label = f"ε = {error:g}"
        ax.plot(ranks, heads, "o-", color=colour, markersize=3.5, linewidth=1.1, label=label)
        ax.plot(ranks, any_value, ":", color=colour, markersize=3.5, linewidth=1.1)
    budget = np.log10([chosen(rows, rank=rank)[0]["heads_of_d3"] for rank in ranks])
    ax.plot(ranks, budget, "--", color=INK, linewidth=1)
    ticks_at(ax.xaxis, ranks)
    # Of logarithms, so that the few heads of large errors are seen beside 10^57.
    ax.set_yscale("function", functions=(_root, np.square))
    ax.set_yticks(POWERS, [f"$10^{{{power}}}$" for power in POWERS])


def _root(log10: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(log10, 0.0))


def draw_points(title: str, table: pa.Table) -> Figure:
    """A vote's error against heads, a panel for each kind of points and d; and heads against N."""
    rows = table.to_pylist()
    cases = sorted({(row["distribution"], row["d"]) for row in rows}, reverse=True)
    colours = colours_of(values(rows, "n"))
    note = (
        f"Means of {listed(rows, 'draws')} draws of heads and data, 95 % intervals. Each of 𝐻 "
        "heads of rank 1 with a random direction votes for a point; the one with most votes is the "
        "answer.\nRank 0: the best combination of the query and the mean of all points. Predicting "
        "zero has error 1."
    )
    panels = len(cases) + 1
    with sheet(title, note, panels, cell=(2.6, 4.2), around=(1.2, 0.0)) as (figure, axes):
        for ax, (distribution, d) in zip(axes, cases, strict=False):
            group = chosen(rows, distribution=distribution, d=d)
            for n in values(group, "n"):
                _draw_votes(ax, chosen(group, n=n), colours[n])
            ax.set_xscale("log", base=2)
            ax.set_ylim(0, 2)
            ax.set(xlabel="voting heads 𝐻 of rank 1", ylabel=ERROR)
            ax.set_title(f"{KINDS[distribution]} points, $d$ = {d}")
            ax.label_outer()
        _draw_voters(axes[-1], chosen(rows, distribution="orthogonal"))
        handles = [
            key(f"$N$ = {n}", colour, marker="o", markersize=3.5) for n, colour in colours.items()
        ]
        legend_beside(figure, [*handles, key("rank 0 at this $N$", linestyle="-.")])
    return figure


def _draw_votes(ax: Axes, rows: list[Row], colour: str) -> None:
    """Errors against heads, and where they end the error of rank 0."""
    heads, errors, low, high = columns_of(rows, "heads", "error", "ci_low", "ci_high")
    ax.plot(heads, errors, color=colour)
    draw_estimates(ax, heads, errors, low, high, colour)
    last_heads = heads[-2:]
    ax.plot(last_heads, np.full(len(last_heads), rows[0]["rank_0"]), "-.", color=colour)


def _draw_voters(ax: Axes, rows: list[Row]) -> None:
    """Heads with which orthogonal points have the error HALF."""
    ax.set_title(f"Heads for error {HALF:g}, orthogonal;\ndotted: in proportion to 𝑁")
    ax.set_xlabel("points 𝑁")
    for d, marker in zip(values(rows, "d"), "o^sDv", strict=False):
        heads_by_points = voters(rows, d, HALF)
        if heads_by_points:
            n = np.array(list(heads_by_points), dtype=float)
            heads = np.array(list(heads_by_points.values()))
            ax.plot(n, heads, marker + "-", color=INK, markersize=4, label=f"$d$ = {d}")
            ax.plot(n, heads[0] * n / n[0], ":", color=DARK_GRAY)
    # Without a number a logarithmic axis has no ends.
    if ax.lines:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)


def voters(rows: list[Row], d: int, error: float) -> dict[int, float]:
    """By N, where the vote's error falls to this one; without those N where it is not seen to."""
    heads_by_points = {}
    for n in values(chosen(rows, d=d), "n"):
        heads, errors = columns_of(chosen(rows, d=d, n=n), "heads", "error")
        reaching = heads_reaching(heads, errors, error)
        if reaching is not None:
            heads_by_points[n] = reaching
    return heads_by_points


def run(
    job: Job, bound: list[Path], found: Path, plurality: Path, layers: Path, output: Path
) -> None:
    provenance = record(job.canonical(), __name__)
    _, needed, _ = bound

    def save(
        name: str, draw: Callable[[str, pa.Table], Figure], path: Path, schema: pa.Schema
    ) -> None:
        table = read_parquet(path, schema)
        picture = draw(THEORY[name], table)
        save_with_numbers(picture, output.with_name(f"{name}.svg"), table, provenance)

    trained = read_parquet(layers, layers_table.SCHEMA)
    save("rank_theory", partial(draw_ranks, layers=trained), found, found_table.SCHEMA)
    save("rank_heads", draw_heads, needed, bound_table.NEEDED)
    save("rank_points", draw_points, plurality, plurality_table.SCHEMA)
