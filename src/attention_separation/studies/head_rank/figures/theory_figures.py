"""One layer of low-rank heads as numbers, what is possible and what is not: errors against rank,
heads that an error takes, and a vote of rank-1 heads against the number of points."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ....looks.colors import BLUE, DARK_GRAY, GRAY, GREEN, INK, PURPLE, VERMILION
from ....pages.drawing import Look, draw_estimates, key, save_with_numbers
from ....results.provenance import record
from ....results.tables import Row, chosen, read_parquet
from ....settings.strict_model import Job
from ..settings.titles import ERROR, POINTS_IN_WORDS, THEORY_TITLES
from ..theory import bound_table, found_table, layers_table, plurality_table
from ..theory.found_table import HeadKind
from ..theory.plurality_table import heads_reaching
from ..training.runs import columns_of, groups, listed, values
from .panels import Axis, Mark, Panel, Scale, band, colours_of, curve, curve_of, draw_panels, points

BUDGET_HEADS = {"d^2": "$H = d/r$", "d^2.5": "$H = d^{1.5}/r$", "d^3": "$H = d^2/r$"}
"""The number of heads of each budget, as a formula."""


@dataclass(frozen=True)
class HeadLine:
    """The least error of some kinds of heads, and how it is drawn."""

    kinds: tuple[HeadKind, ...]
    look: Look


HARDMAX = (HeadKind.RANDOM, HeadKind.ORTHOGONAL, HeadKind.OPTIMISED)
HEAD_LINES = (
    HeadLine(
        (HeadKind.RANDOM,),
        {"label": "random hardmax heads", "color": VERMILION, "marker": "s", "linestyle": ":"},
    ),
    HeadLine(HARDMAX, {"label": "best hardmax heads found", "color": GREEN, "marker": "^"}),
    HeadLine(
        (HeadKind.LINEAR, HeadKind.MIXED, *HARDMAX),
        {"label": "best softmax heads found", "color": BLUE, "marker": "o"},
    ),
)

LEAST_THEORY_ERROR = 4e-4
"""Where the axis of errors begins."""

IMPOSSIBLE = "#8F8F8F"
IMPOSSIBLE_WITHOUT_MAPS = GRAY
"""Below the bound for any value maps, and for multiples of the identity: two grays that a printer
keeps apart from each other and from white."""

THEORY_ERROR_TICKS = (0.001, 0.01, 0.1, 0.5)
HEADS_TICKS: dict[float, str] = {power: f"$10^{{{power}}}$" for power in range(0, 61, 10)}
FEW_HEADS_TICKS: dict[float, str] = {
    math.log10(heads): f"{heads:,}" for heads in (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)
}
"""Numbers of heads with a tick, by their logarithm, and those that a model may have."""

PALEST = 0.7
"""Part of a colour map at which its colours are seen on white."""

HALF_ERROR = 0.5
"""The error that the number of voters is shown for."""

LEARNED_LABEL = "softmax heads as trained,\nany 𝑉"


def draw_ranks(title: str, table: pa.Table, layers: pa.Table) -> Figure:
    """The figure of errors against rank, a row of panels for each budget, a column for each d; with
    the least errors of `layers`, a table of trained layers."""
    rows = table.to_pylist()
    trained_rows = layers.to_pylist()
    dimensions = values(rows, "d")
    panels = []
    for budget in BUDGET_HEADS:
        if chosen(rows, budget=budget):
            for d in dimensions:
                rows_of_panel = chosen(rows, d=d, budget=budget)
                trained = chosen(trained_rows, d=d, budget=budget)
                panels.append(_rank_panel(d, budget, rows_of_panel, trained))
    hottest = max(row["temperature"] or 0 for row in rows)
    note = (
        "One layer, two orthogonal points, exact or with 95 % intervals smaller than the marks. "
        "Gray: below the bound for so many heads of this rank, whatever they do with what they see "
        "through $K$. Softmax heads: a bilinear form, the limit of small $c$, with "
        "hardmax heads beside it where that is better; with any $V$, the best of some trainings. "
        f"Diamonds: one full-rank head, the lowest at $c$ = {hottest:g}. Predicting zero has error "
        "1."
    )
    legend = [
        Patch(color=IMPOSSIBLE, label="impossible, any 𝑉"),
        Patch(color=IMPOSSIBLE_WITHOUT_MAPS, label="impossible, 𝑉 = 𝑎𝐼"),
    ]
    return draw_panels(
        title,
        note,
        panels,
        legend,
        cell=(2.5, 2.1),
        around=(2.6, 1.2),
        columns=len(dimensions),
        sharey=True,
        sharex="col",
    )


def _rank_panel(d: int, budget: str, rows: list[Row], trained_rows: list[Row]) -> Panel:
    """The panel of a d and budget: bounds, and the least errors of heads found and trained."""
    ranks = values(rows, "rank")
    full_rank = ranks[-1]
    of_low_rank = [row for row in rows if row["rank"] < full_rank]
    marks = _bound_marks(of_low_rank, "bound", IMPOSSIBLE_WITHOUT_MAPS)
    marks += _bound_marks(of_low_rank, "bound_any_value", IMPOSSIBLE)
    for line in HEAD_LINES:
        errors = least_errors([row for row in of_low_rank if row["kind"] in line.kinds])
        marks.append(curve_of(errors, markersize=3.5, linewidth=1.2, **line.look))
    label = "one full-rank head,\neach inverse temperature 𝑐"
    for row in chosen(rows, kind=HeadKind.FULL_RANK):
        marks.append(points([full_rank], [row["error"]], "D", INK, 3.5, label=label))
    trained_errors = least_errors([row for row in trained_rows if row["rank"] < d])
    if trained_errors:
        look: Look = {"marker": "D", "linestyle": "--", "markersize": 3, "linewidth": 1}
        marks.append(curve_of(trained_errors, label=LEARNED_LABEL, color=PURPLE, **look))
    return Panel(
        f"$d$ = {d},  {BUDGET_HEADS[budget]}",
        marks,
        x=Axis("rank 𝑟", ticks=ranks),
        y=Axis(ERROR, ticks=THEORY_ERROR_TICKS, ends=(LEAST_THEORY_ERROR, 1)),
    )


def _bound_marks(rows: list[Row], column: str, colour: str) -> list[Mark]:
    """The marks of a bound, one of the columns, against rank: the ground below it is filled, and
    each rank has a dash."""
    bound_by_rank = {row["rank"]: row[column] for row in rows}
    ranks = sorted(bound_by_rank)
    bounds = [bound_by_rank[rank] for rank in ranks]
    # Between two ranks a head can do no more than at the larger: a step claims no more.
    ground = band(ranks, LEAST_THEORY_ERROR, bounds, step="pre", color=colour)
    return [ground, points(ranks, bounds, "_", INK, 7)]


def least_errors(rows: list[Row]) -> dict[int, float]:
    """The least error of rows, by rank."""
    return {
        rank: min(row["error"] for row in group) for rank, group in groups(rows, "rank").items()
    }


def draw_heads(title: str, table: pa.Table) -> Figure:
    """The figure of the heads that an error takes at least, against rank, a panel for each d; below
    it the numbers of heads that a model may have, enlarged."""
    rows = table.to_pylist()
    note = (
        "With fewer heads in one layer the error on two orthogonal points is surely above ε: solid "
        "for value maps $V = aI$, dotted for any. One head of full rank comes as near to 0 as is "
        "wanted. Below: the same up to 10,000 heads.\n"
        "The paper's theorem has constants that it does not state, and so no point here."
    )
    legend = [
        key("the same, any 𝑉", linestyle=":"),
        key("$d^2/r$, the paper's\nlargest budget", linestyle="--"),
    ]
    all_heads = Axis("heads $H$", names=HEADS_TICKS, ends=(-1, None))
    few_heads = Axis("heads $H$", names=FEW_HEADS_TICKS, ends=(-0.08, 4))
    rows_by_dimension = groups(rows, "d")
    panels = []
    for y in (all_heads, few_heads):
        for d, rows_of_panel in rows_by_dimension.items():
            x = Axis("rank 𝑟", ticks=values(rows_of_panel, "rank"))
            panels.append(Panel(f"$d$ = {d}", _heads_marks(rows_of_panel), x, y))
    return draw_panels(
        title,
        note,
        panels,
        legend,
        cell=(2.3, 2.6),
        around=(1.6, 0.6),
        columns=len(rows_by_dimension),
        sharey="row",
    )


def _heads_marks(rows: list[Row]) -> list[Mark]:
    """The curves of heads needed against rank, for each error, and of the paper's largest
    budget."""
    errors = values(rows, "error")[::-1]
    colours = matplotlib.colormaps["cividis"](np.linspace(PALEST, 0, len(errors)))
    ranks = values(rows, "rank")
    marks: list[Mark] = []
    for error, colour in zip(errors, colours, strict=True):
        group = chosen(rows, error=error)
        heads = [row["log10_heads"] for row in group]
        any_value = [row["log10_heads_any_value"] for row in group]
        look: Look = {"color": colour, "markersize": 3.5, "linewidth": 1.3}
        marks.append(curve(ranks, heads, label=f"ε = {error:g}", marker="o", **look))
        marks.append(curve(ranks, any_value, linestyle=":", **look))
    budget = np.log10([chosen(rows, rank=rank)[0]["heads_of_d3"] for rank in ranks])
    marks.append(curve(ranks, budget, linestyle="--", color=INK, linewidth=1))
    return marks


def draw_points(title: str, table: pa.Table) -> Figure:
    """The figure of a vote's error against heads, a panel for each kind of points and d, and of
    heads against N."""
    rows = table.to_pylist()
    cases = sorted({(row["distribution"], row["d"]) for row in rows}, reverse=True)
    colours = colours_of(values(rows, "n"))
    note = (
        f"Means of {listed(rows, 'draws')} draws of heads and data, 95 % intervals. Each of 𝐻 "
        "heads of rank 1 with a random direction votes for a point; the one with most votes is the "
        "answer.\nRank 0: the best combination of the query and the mean of all points. Predicting "
        "zero has error 1."
    )
    x = Axis("voting heads 𝐻 of rank 1", Scale.LOG_2)
    y = Axis(ERROR, ends=(0, 2))
    panels = []
    for distribution, d in cases:
        marks: list[Mark] = []
        rows_of_panel = chosen(rows, distribution=distribution, d=d)
        for n, rows_of_line in groups(rows_of_panel, "n").items():
            marks += _vote_marks(rows_of_line, colours[n])
        words = f"{POINTS_IN_WORDS[distribution]} points, $d$ = {d}"
        panels.append(Panel(words, marks, x, y, is_alone=True))
    panels.append(_voters_panel(chosen(rows, distribution="orthogonal")))
    legend = [
        key(f"$N$ = {n}", colour, marker="o", markersize=3.5) for n, colour in colours.items()
    ]
    legend.append(key("rank 0 at this $N$", linestyle="-."))
    return draw_panels(title, note, panels, legend, cell=(2.6, 2.9), around=(1.2, 0.6), columns=3)


def _vote_marks(rows: list[Row], colour: str) -> list[Mark]:
    """The marks of a vote's errors against heads, and of rank 0's error where they end."""
    heads, errors, low, high = columns_of(rows, "heads", "error", "ci_low", "ci_high")
    last_heads = heads[-2:]
    rank_0 = np.full(len(last_heads), rows[0]["rank_0"])
    return [
        curve(heads, errors, color=colour),
        lambda ax: draw_estimates(ax, heads, errors, low, high, colour),
        curve(last_heads, rank_0, linestyle="-.", color=colour),
    ]


def _voters_panel(rows: list[Row]) -> Panel:
    """The panel of the heads with which a vote among orthogonal points has HALF_ERROR, against
    N."""
    marks: list[Mark] = []
    for d, marker in zip(values(rows, "d"), "o^sDv", strict=False):
        heads_by_points = voters(rows, d, HALF_ERROR)
        if heads_by_points:
            n = np.array(list(heads_by_points), dtype=float)
            heads = np.array(list(heads_by_points.values()))
            label = f"$d$ = {d}"
            marks.append(curve(n, heads, label=label, marker=marker, color=INK, markersize=4))
            marks.append(curve(n, heads[0] * n / n[0], linestyle=":", color=DARK_GRAY))
    # Without a number a logarithmic axis has no ends.
    scale = Scale.LOG_2 if marks else Scale.LINEAR
    title = f"Heads for error {HALF_ERROR:g}, orthogonal;\ndotted: in proportion to 𝑁"
    return Panel(title, marks, x=Axis("points 𝑁", scale), y=Axis(scale=scale), is_alone=True)


def voters(rows: list[Row], d: int, error: float) -> dict[int, float]:
    """The number of heads at which the vote's error falls to `error`, by N; without those N where
    it is not seen to."""
    heads_by_points = {}
    for n, group in groups(chosen(rows, d=d), "n").items():
        heads, errors = columns_of(group, "heads", "error")
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
        """Draw a figure of a table and save it beside the output, with its numbers."""
        table = read_parquet(path, schema)
        picture = draw(THEORY_TITLES[name], table)
        save_with_numbers(picture, output.with_name(f"{name}.svg"), table, provenance)

    trained = read_parquet(layers, layers_table.SCHEMA)
    save("rank_theory", partial(draw_ranks, layers=trained), found, found_table.SCHEMA)
    save("rank_heads", draw_heads, needed, bound_table.NEEDED)
    save("rank_points", draw_points, plurality, plurality_table.SCHEMA)
