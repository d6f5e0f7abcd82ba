"""Figures 1, 3 and 4: errors of trained transformers against the rank of their heads."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, frame

from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED
from ..training import published_values
from ..training.runs import PUBLISHED_INITIAL, chosen, initial_words, listed, values
from .marks import (
    DEAD,
    ERROR,
    THEIRS,
    draw_run,
    error_axis,
    is_size,
    mark,
    panel_title,
    published,
    recipe,
)

RUN, MEAN, BEST = "a run", "mean", "best run"
RANK_0 = "uniform attention\n(rank 0)"
FACT_1 = "Fact 1's head at the\nlearned 𝑐"


@dataclass(frozen=True)
class Series:
    """A line: its name, its colour, its runs' settings, and the published errors by rank, of so
    many layers."""

    name: str
    colour: str
    wanted: dict[str, object]
    theirs: Callable[[int], dict[int, float]] = lambda layers: {}


@dataclass(frozen=True)
class Panels:
    """A figure's series, and what is said of it; `theirs`: what the published values beside them
    are, empty where there are none. `is_linear`: errors on a linear axis, and the error of uniform
    attention at its right, where lines for each N would cross what is drawn."""

    title: str
    series: list[Series]
    theirs: str
    notes: list[str] = field(default_factory=list)
    is_linear: bool = False


def figure_1(rows: list[dict]) -> Figure:
    """Rank, layers and number of heads; the rows have `fact_1_error`."""
    (d, *more), widths = values(rows, "d"), values(rows, "width")
    budgets = {w: _budget(w, d) if not more else "" for w in widths}
    series = [
        Series(
            f"$w$ = {width}" + f" ({budgets[width]})" * bool(budgets[width]),
            colour,
            {"width": width},
            lambda layers, w=width: published_values.figure_1(layers, w),
        )
        for colour, width in zip(cycle(PALETTE), widths, strict=False)
    ]
    notes = []
    if any(budgets.values()):
        named = ", ".join(filter(None, budgets.values()))
        notes.append(f"{named}: the paper's attention parameters of a layer, $r d H$.")
    if max(widths) < d:
        said = " and ".join(map(str, widths))
        notes.append(f"$w$ = {said}: the paper's $w$ = $d$ is not run.")
    compared = is_size(rows, published_values.SIZE_1)
    theirs = published("rank_fig1") if compared else ""
    return _by_layers(rows, Panels(TRAINED["rank_fig1"], series, theirs, notes))


def _budget(width: int, d: int) -> str:
    """The power of d that r d H is with so many modules of d/r heads, where it is one of the
    paper's."""
    powers = {1: "$d^2$", d: "$d^3$"}
    if width * width == d:
        powers[width] = "$d^{2.5}$"
    return powers.get(width, "")


def figure_3(rows: list[dict]) -> Figure:
    """Positional encodings, additive ones by their initial values."""
    least = min(values(rows, "width"))
    series = [
        Series(
            name,
            colour,
            {"width": least, **wanted},
            lambda layers, e=wanted["encoding"], shown=is_theirs: (
                published_values.figure_3(layers, e) if shown else {}
            ),
        )
        for colour, (name, wanted, is_theirs) in zip(cycle(PALETTE), _encodings(rows), strict=False)
    ]
    series += [
        Series(
            f"no encoding, {width // least} × 𝑤",
            colour,
            {"encoding": "none", "width": width},
        )
        for colour, width in zip(cycle(PALETTE[4:]), values(rows, "width")[1:], strict=False)
    ]
    series = [each for each in series if chosen(rows, **each.wanted)]
    compared = least == published_values.WIDTH_3 and is_size(rows, published_values.SIZE_1)
    theirs = published("rank_fig3") if compared else ""
    notes = []
    if chosen(rows, encoding="additive"):
        law = initial_words(PUBLISHED_INITIAL)
        notes.append(
            f"Initial values of additive encodings: normal, N(mean, standard deviation); {law} as "
            "published."
        )
    return _by_layers(rows, Panels(TRAINED["rank_fig3"], series, theirs, notes))


def _encodings(rows: list[dict]) -> list[tuple[str, dict, bool]]:
    """Each kind of encoding: its name, its settings, and whether it is the published one."""
    # The published ones first, so that they keep their colour.
    additive = sorted(
        chosen(rows, encoding="additive"), key=lambda row: not chosen([row], **PUBLISHED_INITIAL)
    )
    initials = {
        initial_words(row): {name: row[name] for name in PUBLISHED_INITIAL} for row in additive
    }
    return [
        ("no encoding", {"encoding": "none"}, True),
        *(
            (f"additive,\ninitial {law}", {"encoding": "additive", **of}, of == PUBLISHED_INITIAL)
            for law, of in initials.items()
        ),
        ("concatenated", {"encoding": "concatenated"}, True),
    ]


def figure_4(rows: list[dict]) -> Figure:
    """Number of points."""
    numbers, widths, d = (values(rows, name) for name in ("n", "width", "d"))
    steps = {n: listed(chosen(rows, n=n), "steps") for n in numbers}
    apart = len({*steps.values()}) > 1
    series = [
        Series(
            f"$N$ = {n}" + f", {steps[n]} steps" * apart,
            colour,
            {"n": n},
            lambda layers, n=n: published_values.figure_4(n),
        )
        for colour, n in zip(cycle(PALETTE), numbers, strict=False)
    ]
    notes = [f"$w$ = {', '.join(map(str, widths))}, where the paper has $w$ = $d$."]
    # Beside other widths too: the note says so.
    compared = is_size(rows, published_values.SIZE_4)
    return _by_layers(
        rows,
        Panels(
            TRAINED["rank_fig4"],
            series,
            published("rank_fig4") if compared else "",
            notes * (widths != d),
            is_linear=True,
        ),
    )


def _by_layers(rows: list[dict], panels: Panels) -> Figure:
    """A panel per number of layers: error against rank, a line per series; published values
    beside."""
    layers, series = values(rows, "layers"), panels.series
    # Wide enough for the title beside the legend.
    figure = Figure(figsize=(max(3.6 * len(layers) + 1.9, 8.4), 4.2), layout="constrained")
    axes = figure.subplots(1, len(layers), squeeze=False, sharey=True)[0]
    ranks = {*values(rows, "rank")}
    for ax, count in zip(axes, layers, strict=True):
        for k, each in enumerate(series):
            colour = each.colour
            own = chosen(rows, layers=count, **each.wanted)
            if own:
                # Beside each other: runs of several series have nearly the same error.
                _draw_line(ax, own, colour, 2 ** (0.1 * (k - (len(series) - 1) / 2)))
            if own and panels.theirs and (points := each.theirs(count)):
                ax.plot(
                    list(points), list(points.values()), ":", color=colour, linewidth=1,
                    marker="D", markersize=3, markerfacecolor="white",
                )  # fmt: skip
                ranks |= points.keys()
        ax.set_title(panel_title(rows, count), fontweight="bold")
        ax.axhline(1, color=INK, linestyle="--", linewidth=0.8)
        _draw_rank_0(ax, chosen(rows, layers=count), panels)
    for ax in axes:
        _rank_axis(ax, sorted(ranks))
    axes[0].set_ylabel(ERROR)
    if panels.is_linear:
        axes[0].set_ylim(bottom=0)
    else:
        error_axis(axes[0].yaxis)
    _add_legend(figure, rows, panels)
    return figure


def _draw_rank_0(ax: Axes, rows: list[dict], panels: Panels) -> None:
    """A line at the error of uniform attention for each number of points, or a short one at the
    right end of the axis: of a series' colour where series differ in it."""
    colours = {
        (row["d"], row["n"]): each.colour
        for each in panels.series
        for row in chosen(rows, **each.wanted)
    }
    for k, ((d, n), colour) in enumerate(colours.items()):
        # Of two points it makes no error, which such an axis has no place for.
        if n > 2:
            shade = colour if len(colours) > 1 else INK
            error = least_error(d, n)
            if panels.is_linear:
                # In two columns: two numbers of points may have nearly the same error.
                left = 1.01 + 0.05 * (k % 2)
                ax.plot(
                    [left, left + 0.04], [error, error], color=shade, linewidth=2.2, clip_on=False,
                    transform=ax.get_yaxis_transform(),
                )  # fmt: skip
            else:
                ax.axhline(error, color=shade, linestyle="-.", linewidth=0.9)


def _draw_line(ax: Axes, rows: list[dict], colour: str, beside: float) -> None:
    ranks = values(rows, "rank")
    groups = [chosen(rows, rank=rank) for rank in ranks]
    means = [np.mean(_errors(group)) if _errors(group) else np.nan for group in groups]
    places = [rank * beside for rank in ranks]
    ax.plot(places, means, color=colour, linewidth=1.3, zorder=3)
    for place, group in zip(places, groups, strict=True):
        for row in group:
            if row["test_error"] is not None:
                draw_run(ax, place, row, colour)
            if row.get("fact_1_error") is not None:
                ax.plot(
                    place, row["fact_1_error"], "s", color=INK, markerfacecolor="none",
                    markersize=7.5, markeredgewidth=1, zorder=5,
                )  # fmt: skip
        if len(errors := _errors(group)) > 1:
            ax.plot(place, min(errors), "_", color=colour, markersize=11, markeredgewidth=1.2)


def _errors(rows: list[dict]) -> list[float]:
    return [row["test_error"] for row in rows if row["test_error"] is not None]


def _rank_axis(ax: Axes, ranks: list[int]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(ranks, [str(rank) for rank in ranks])
    ax.minorticks_off()
    ax.set_xlabel("rank 𝑟 of a head")


def _add_legend(figure: Figure, rows: list[dict], panels: Panels) -> None:
    of_rank_0 = {"color": INK, "label": RANK_0}
    handles = [
        *(
            Line2D([], [], color=each.colour, linewidth=4, label=each.name)
            for each in panels.series
        ),
        mark("o", RUN),
        Line2D([], [], color=INK, linewidth=1.3, label=MEAN),
    ]
    if len(values(rows, "run")) > 1:
        handles.append(mark("_", BEST, size=9))
    handles.append(
        Line2D([], [], linewidth=0, marker="_", markersize=9, markeredgewidth=2.2, **of_rank_0)
        if panels.is_linear
        else Line2D([], [], linewidth=0.9, linestyle="-.", **of_rank_0)
    )
    if any(row["dead"] for row in rows):
        handles.append(mark("x", DEAD))
    if any(row.get("fact_1_error") is not None for row in rows):
        handles.append(mark("s", FACT_1, "none", 7.5))
    if panels.theirs:
        handles.append(Line2D([], [], color=INK, linestyle=":", marker="D", markersize=3,
                              markerfacecolor="white", label=THEIRS))  # fmt: skip
    figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    rank_0 = "$-a\\,x_i + b\\,\\Sigma_j\\,x_j$"
    drawn = "short bars at the right" if panels.is_linear else "dash-dotted"
    note = f"{recipe(rows)}. Dashed: predicting zero; {drawn}: the best {rank_0}."
    # Each on a line of its own: the figures of one panel are narrow.
    lines = filter(None, [note, *panels.notes, panels.theirs])
    frame(figure, panels.title, "\n".join(lines))
