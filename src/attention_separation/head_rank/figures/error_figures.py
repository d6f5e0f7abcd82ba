"""Figures 1, 3 and 4: errors of trained transformers against the rank of their heads."""

from collections.abc import Callable
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...pages.drawing import key, legend_beside, log_axis, sheet, ticks_at
from ...pages.house_style import INK, PALETTE
from ...settings.words import counted
from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED
from ..training import published_values
from ..training.cell_table import DEAD as DEAD_SHARE
from ..training.runs import PUBLISHED_INITIAL, chosen, initial_words, listed, values

ERROR = "held-out error"
DEAD = f"dead run: {100 * DEAD_SHARE:g} % or more of\nuniform attention's error"

Series = tuple[str, dict[str, object]]
"""A line: its name, and its runs' settings."""

Published = Callable[[int, dict[str, object]], dict[int, float]]
"""The published errors by rank, of so many layers and a line's settings."""


def figure_1(rows: list[dict]) -> Figure:
    """Rank, layers and number of heads; the rows have `fact_1_error`."""
    (d, *more), widths = values(rows, "d"), values(rows, "width")
    budgets = {w: _budget(w, d) if not more else "" for w in widths}
    series = [
        (f"$w$ = {width}" + f" ({budget})" * bool(budget), {"width": width})
        for width, budget in budgets.items()
    ]
    notes = []
    if any(budgets.values()):
        named = ", ".join(filter(None, budgets.values()))
        notes.append(f"{named}: the paper's attention parameters of a layer, $r d H$.")
    if max(widths) < d:
        said = " and ".join(map(str, widths))
        notes.append(f"$w$ = {said}: the paper's $w$ = $d$ is not run.")
    compared = is_size(rows, published_values.SIZE_1)
    return _by_layers(
        "rank_fig1", rows, series, notes, compared,
        lambda layers, of: published_values.line(1, layers, **of),
    )  # fmt: skip


def _budget(width: int, d: int) -> str:
    """The power of d that r d H is with so many modules of d/r heads, where it is one of the
    paper's."""
    powers = {1: "$d^2$", d: "$d^3$"}
    if width * width == d:
        powers[width] = "$d^{2.5}$"
    return powers.get(width, "")


def figure_3(rows: list[dict]) -> Figure:
    """Positional encodings, additive ones by their initial values."""
    least, *wider = values(rows, "width")
    # The published ones first, so that they keep their colour.
    additive = sorted(
        chosen(rows, encoding="additive"), key=lambda row: not chosen([row], **PUBLISHED_INITIAL)
    )
    initials = {
        initial_words(row): {name: row[name] for name in PUBLISHED_INITIAL} for row in additive
    }
    series = [
        ("no encoding", {"encoding": "none", "width": least}),
        *(
            (f"additive,\ninitial {law}", {"encoding": "additive", "width": least, **of})
            for law, of in initials.items()
        ),
        ("concatenated", {"encoding": "concatenated", "width": least}),
        *(
            (f"no encoding, {width // least} × 𝑤", {"encoding": "none", "width": width})
            for width in wider
        ),
    ]
    series = [each for each in series if chosen(rows, **each[1])]
    notes = []
    if additive:
        law = initial_words(PUBLISHED_INITIAL)
        notes.append(
            f"Initial values of additive encodings: normal, N(mean, standard deviation); {law} as "
            "published."
        )

    def published(layers: int, of: dict) -> dict[int, float]:
        theirs = {"width": least} | PUBLISHED_INITIAL
        if any(of.get(name, value) != value for name, value in theirs.items()):
            return {}
        return published_values.line(3, layers, encoding=of["encoding"])

    compared = least == published_values.WIDTH_3 and is_size(rows, published_values.SIZE_1)
    return _by_layers("rank_fig3", rows, series, notes, compared, published)


def figure_4(rows: list[dict]) -> Figure:
    """Number of points."""
    numbers, widths, d = (values(rows, name) for name in ("n", "width", "d"))
    steps = {n: listed(chosen(rows, n=n), "steps") for n in numbers}
    apart = len({*steps.values()}) > 1
    series = [(f"$N$ = {n}" + f", {steps[n]} steps" * apart, {"n": n}) for n in numbers]
    notes = [f"$w$ = {', '.join(map(str, widths))}, where the paper has $w$ = $d$."]
    # Beside other widths too: the note says so.
    compared = is_size(rows, published_values.SIZE_4)
    return _by_layers(
        "rank_fig4", rows, series, notes * (widths != d), compared,
        lambda layers, of: published_values.line(4, layers, **of),
    )  # fmt: skip


def _by_layers(
    name: str, rows: list[dict], series: list[Series], notes: list[str], compared: bool,
    published: Published,
) -> Figure:  # fmt: skip
    """A panel per number of layers: error against rank, a line per series; published values
    beside them where the two can be compared."""
    layers, ranks = values(rows, "layers"), {*values(rows, "rank")}
    rank_0 = "$-a\\,x_i + b\\,\\Sigma_j\\,x_j$"
    lines = [
        f"{recipe(rows)}. Dashed: predicting zero; dash-dotted: the best {rank_0}.",
        *notes,
        *([_published(name)] * compared),
    ]
    colours = dict(zip(range(len(series)), cycle(PALETTE), strict=False))
    with sheet(
        TRAINED[name], "\n".join(lines), len(layers), (3.6, 4.2), (1.9, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, count in zip(axes, layers, strict=True):
            for k, (_, wanted) in enumerate(series):
                own = chosen(rows, layers=count, **wanted)
                if own:
                    # Beside each other: runs of several series have nearly the same error.
                    _draw_line(ax, own, colours[k], 2 ** (0.1 * (k - (len(series) - 1) / 2)))
                if own and compared and (points := published(count, wanted)):
                    ax.plot(
                        [*points], [*points.values()], ":", color=colours[k], linewidth=1,
                        marker="D", markersize=3, markerfacecolor="white",
                    )  # fmt: skip
                    ranks |= points.keys()
            ax.set_title(panel_title(rows, count), fontweight="bold")
            ax.axhline(1, color=INK, linestyle="--", linewidth=0.8)
            _draw_rank_0(ax, chosen(rows, layers=count), series, colours)
        for ax in axes:
            ticks_at(ax.xaxis, sorted(ranks))
            ax.set_xlabel("rank 𝑟 of a head")
        axes[0].set_ylabel(ERROR)
        if name == "rank_fig4":
            # As in the paper: errors read off its axis are no ratios.
            axes[0].set_ylim(bottom=0)
        else:
            log_axis(axes[0].yaxis)
        names = [key(each[0], colours[k], linewidth=4) for k, each in enumerate(series)]
        legend_beside(figure, names + _marks(rows, compared))
    return figure


def _draw_rank_0(ax: Axes, rows: list[dict], series: list[Series], colours: dict[int, str]) -> None:
    """A line at the error of uniform attention for each number of points, of a series' colour where
    series differ in it."""
    sizes = {
        (row["d"], row["n"]): colours[k]
        for k, (_, wanted) in enumerate(series)
        for row in chosen(rows, **wanted)
    }
    for (d, n), colour in sizes.items():
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            shade = colour if len(sizes) > 1 else INK
            ax.axhline(least_error(d, n), color=shade, linestyle="-.", linewidth=0.9)


def _marks(rows: list[dict], compared: bool) -> list[Line2D]:
    """What a legend says of marks and lines that all series have."""
    found = [mark("o", "a run"), key("mean", linewidth=1.3)]
    if len(values(rows, "run")) > 1:
        found.append(mark("_", "best run", size=9))
    found.append(key("uniform attention\n(rank 0)", linewidth=0.9, linestyle="-."))
    if any(row["dead"] for row in rows):
        found.append(mark("x", DEAD))
    if any(row.get("fact_1_error") is not None for row in rows):
        found.append(mark("s", "Fact 1's head at the\nlearned 𝑐", "none", 7.5))
    if compared:
        found.append(
            key("published", linestyle=":", marker="D", markersize=3, markerfacecolor="white")
        )
    return found


def _draw_line(ax: Axes, rows: list[dict], colour: str, beside: float) -> None:
    ranks = values(rows, "rank")
    groups = [chosen(rows, rank=rank) for rank in ranks]
    means = [np.mean(_errors(group)) if _errors(group) else np.nan for group in groups]
    places = [rank * beside for rank in ranks]
    ax.plot(places, means, color=colour, linewidth=1.3, zorder=3)
    for place, group in zip(places, groups, strict=True):
        for row in group:
            if row["test_error"] is not None:
                dead = row["dead"]
                # Crosses stay crosses where many lie on each other.
                ax.plot(
                    place, row["test_error"], "x" if dead else "o", color=colour, zorder=4,
                    markersize=4.5 if dead else 3.5, markeredgewidth=1.1 if dead else 0.6,
                    alpha=0.9 if dead else 0.6,
                )  # fmt: skip
            if row.get("fact_1_error") is not None:
                ax.plot(
                    place, row["fact_1_error"], "s", color=INK, markerfacecolor="none",
                    markersize=7.5, markeredgewidth=1, zorder=5,
                )  # fmt: skip
        if len(errors := _errors(group)) > 1:
            ax.plot(place, min(errors), "_", color=colour, markersize=11, markeredgewidth=1.2)


def _errors(rows: list[dict]) -> list[float]:
    return [row["test_error"] for row in rows if row["test_error"] is not None]


def _published(figure: str) -> str:
    """What a figure's published values are, beside runs of this reproduction."""
    apart = ""
    if figure == "rank_fig3":
        # The runs without an encoding are Figure 1's.
        apart = f" ({published_values.STEPS['rank_fig1']:,} without an encoding)"
    return (
        f"Published: {published_values.STEPS[figure]:,} steps of {published_values.BATCH}{apart}, "
        "least training loss of five runs on repeated batches."
    )


# What other figures of trained transformers have too.


def mark(marker: str, name: str, fill: str = INK, size: float = 6) -> Line2D:
    """A marker of a legend."""
    return key(name, linewidth=0, marker=marker, markersize=size, markerfacecolor=fill)


def is_size(rows: list[dict], size: dict[str, int]) -> bool:
    """Whether published values may stand beside the runs."""
    return all(row[name] == value for row in rows for name, value in size.items())


def recipe(rows: list[dict]) -> str:
    """What the runs have in common, in words."""
    runs = {(row["cell"], row["run"]) for row in rows}
    cells = [cell for cell, _ in runs]
    fewest, most = (f({cell: cells.count(cell) for cell in cells}.values()) for f in (min, max))
    of_cell = counted(most, "run") if fewest == most else f"{fewest} to {most} runs a cell"
    parts = [f"$d$ = {listed(rows, 'd')}", f"$N$ = {listed(rows, 'n')}"]
    # Some stop before the steps that their schedule is of.
    run = [{"steps": row["stop_after"] or row["steps"]} for row in rows]
    parts += [f"{listed(run, 'steps')} steps of {listed(rows, 'batch')} sets", of_cell]
    return ", ".join(parts)


def panel_title(rows: list[dict], layers: int) -> str:
    """The number of layers; with the steps where panels differ in them."""
    own = [row for row in rows if row["layers"] == layers]
    apart = len(values(rows, "steps")) > 1 and len(values(rows, "layers")) > 1
    return counted(layers, "layer") + f", {listed(own, 'steps')} steps" * apart
