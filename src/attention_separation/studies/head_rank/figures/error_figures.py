"""Figures 1, 3 and 4: errors of trained transformers against the rank of their heads.

A series is a line in each panel: runs that differ in their rank alone, and the line that the paper
published of such runs, where their sizes can be compared.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import INK, PALETTE
from ....pages.drawing import key, legend_beside, log_axis, sheet, ticks_at
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED
from ..training import published_values
from ..training.runs import PUBLISHED_INITIAL, initial_words, listed, values
from .trained_parts import (
    DEAD_WORDS,
    ERROR,
    UNIFORM_ATTENTION,
    is_size,
    mark,
    panel_title,
    recipe,
    uniform_attention_key,
)

RANK_0 = "$-a\\,x_i + b\\,\\Sigma_j\\,x_j$"
"""What uniform attention is at best."""


def _nothing_published(layers: int) -> dict[int, float]:
    """Of series that the paper does not have."""
    return {}


@dataclass(frozen=True)
class Series:
    """A line of a figure: its name, what its runs are chosen by, and the published errors by rank
    of so many layers."""

    name: str
    settings: Mapping[str, object]
    published: Callable[[int], dict[int, float]] = _nothing_published


def figure_1(rows: list[Run]) -> Figure:
    """Rank, layers and number of heads; the rows have `fact_1_error`."""
    dimensions = values(rows, "d")
    widths = values(rows, "width")
    series = []
    budgets = []
    for width in widths:
        name = f"$w$ = {width}"
        budget = _budget(width, dimensions[0]) if len(dimensions) == 1 else None
        if budget is not None:
            name += f" ({budget})"
            budgets.append(budget)
        published = partial(published_values.line, 1, width=width)
        series.append(Series(name, {"width": width}, published))
    notes = []
    if budgets:
        notes.append(f"{', '.join(budgets)}: the paper's attention parameters of a layer, $r d H$.")
    if max(widths) < dimensions[0]:
        widths_run = " and ".join(map(str, widths))
        notes.append(f"$w$ = {widths_run}: the paper's $w$ = $d$ is not run.")
    is_compared = is_size(rows, published_values.SIZE_1)
    return _figure_by_layers("rank_fig1", rows, series, notes, is_compared)


def _budget(width: int, d: int) -> str | None:
    """The power of d that r d H is with so many modules of d/r heads; None where it is none of the
    paper's."""
    if width == d:
        return "$d^3$"
    if width == 1:
        return "$d^2$"
    if width * width == d:
        return "$d^{2.5}$"
    return None


def figure_3(rows: list[Run]) -> Figure:
    """Positional encodings, additive ones by their initial values."""
    least_width, *wider = values(rows, "width")
    line_3 = partial(published_values.line, 3)
    series = [
        Series(
            "no encoding",
            {"encoding": "none", "width": least_width},
            partial(line_3, encoding="none"),
        ),
        *_additive_series(rows, least_width),
        Series(
            "concatenated",
            {"encoding": "concatenated", "width": least_width},
            partial(line_3, encoding="concatenated"),
        ),
    ]
    for width in wider:
        name = f"no encoding, {width // least_width} × 𝑤"
        series.append(Series(name, {"encoding": "none", "width": width}))
    series = [line for line in series if chosen(rows, **line.settings)]
    notes = []
    if chosen(rows, encoding="additive"):
        law = initial_words(PUBLISHED_INITIAL)
        notes.append(
            f"Initial values of additive encodings: normal, N(mean, standard deviation); {law} as "
            "published."
        )
    is_compared = least_width == published_values.WIDTH_3 and is_size(rows, published_values.SIZE_1)
    return _figure_by_layers("rank_fig3", rows, series, notes, is_compared)


def _additive_series(rows: list[Run], width: int) -> list[Series]:
    """A series for each law of initial values; the published one first, so that it keeps its
    colour."""
    additive = chosen(rows, encoding="additive")
    initial_values = {
        initial_words(row): {name: row[name] for name in PUBLISHED_INITIAL} for row in additive
    }
    theirs = []
    others = []
    for law, initial in initial_values.items():
        name = f"additive,\ninitial {law}"
        settings = {"encoding": "additive", "width": width, **initial}
        if initial == PUBLISHED_INITIAL:
            published = partial(published_values.line, 3, encoding="additive")
            theirs.append(Series(name, settings, published))
        else:
            others.append(Series(name, settings))
    return theirs + others


def figure_4(rows: list[Run]) -> Figure:
    """Number of points."""
    steps = {n: listed(chosen(rows, n=n), "steps") for n in values(rows, "n")}
    series = []
    for n, steps_of_n in steps.items():
        name = f"$N$ = {n}"
        if len(set(steps.values())) > 1:
            name += f", {steps_of_n} steps"
        series.append(Series(name, {"n": n}, partial(published_values.line, 4, n=n)))
    notes = []
    widths = values(rows, "width")
    if widths != values(rows, "d"):
        notes.append(f"$w$ = {', '.join(map(str, widths))}, where the paper has $w$ = $d$.")
    # Beside other widths too: the note says so.
    is_compared = is_size(rows, published_values.SIZE_4)
    return _figure_by_layers("rank_fig4", rows, series, notes, is_compared)


def _figure_by_layers(
    name: str, rows: list[Run], series: list[Series], notes: list[str], is_compared: bool
) -> Figure:
    """A panel per number of layers: error against rank, a line per series; published values
    beside them where the two can be compared."""
    layers = values(rows, "layers")
    lines = [f"{recipe(rows)}. Dashed: predicting zero; dash-dotted: the best {RANK_0}.", *notes]
    if is_compared:
        lines.append(_published_note(name))
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(series))]
    ranks = set(values(rows, "rank"))
    with sheet(
        TRAINED[name],
        "\n".join(lines),
        len(layers),
        cell=(3.6, 4.2),
        around=(1.9, 0.0),
        sharey=True,
    ) as (figure, axes):
        for ax, count in zip(axes, layers, strict=True):
            rows_of_panel = chosen(rows, layers=count)
            for k, (line, colour) in enumerate(zip(series, colours, strict=True)):
                group = chosen(rows_of_panel, **line.settings)
                published = line.published(count) if is_compared and group else {}
                if group:
                    # Beside each other: runs of several series have nearly the same error.
                    shift = 2 ** (0.1 * (k - (len(series) - 1) / 2))
                    _draw_runs(ax, group, colour, shift)
                if published:
                    _draw_published(ax, published, colour)
                    ranks |= published.keys()
            ax.set_title(panel_title(rows, count), fontweight="bold")
            ax.axhline(1, color=INK, linestyle="--", linewidth=0.8)
            _draw_rank_0(ax, rows_of_panel, series, colours)
        for ax in axes:
            ticks_at(ax.xaxis, sorted(ranks))
            ax.set_xlabel("rank 𝑟 of a head")
        axes[0].set_ylabel(ERROR)
        if name == "rank_fig4":
            # As in the paper: errors read off its axis are no ratios.
            axes[0].set_ylim(bottom=0)
        else:
            log_axis(axes[0].yaxis)
        names = [
            key(line.name, colour, linewidth=4)
            for line, colour in zip(series, colours, strict=True)
        ]
        legend_beside(figure, names + _marks(rows, is_compared))
    return figure


def _draw_published(ax: Axes, errors_by_rank: dict[int, float], colour: str) -> None:
    ax.plot(
        list(errors_by_rank),
        list(errors_by_rank.values()),
        ":",
        color=colour,
        linewidth=1,
        marker="D",
        markersize=3,
        markerfacecolor="white",
    )


def _draw_rank_0(ax: Axes, rows: list[Run], series: list[Series], colours: list[str]) -> None:
    """A line at the error of uniform attention for each number of points, of a series' colour where
    series differ in it."""
    colour_by_size = {}
    for line, colour in zip(series, colours, strict=True):
        for row in chosen(rows, **line.settings):
            colour_by_size[row["d"], row["n"]] = colour
    has_several_sizes = len(colour_by_size) > 1
    for (d, n), colour in colour_by_size.items():
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            shade = colour if has_several_sizes else INK
            ax.axhline(least_error(d, n), color=shade, **UNIFORM_ATTENTION)


def _on_batches_that_come_back(rows: list[Run]) -> list[Run]:
    """The runs whose training loss is of sets that they have seen."""
    return [row for row in chosen(rows, regime="repeated") if row["min_train"] is not None]


def _marks(rows: list[Run], is_compared: bool) -> list[Line2D]:
    """What a legend says of marks and lines that all series have."""
    marks = [mark("o", "a run"), key("mean", linewidth=1.3)]
    if len(values(rows, "run")) > 1:
        marks.append(mark("_", "best run", size=9))
    if _on_batches_that_come_back(rows):
        marks.append(mark("o", "its least training loss", "none", 5))
    marks.append(uniform_attention_key())
    if any(row["dead"] for row in rows):
        marks.append(mark("x", DEAD_WORDS))
    if any(row.get("fact_1_error") is not None for row in rows):
        marks.append(mark("s", "Fact 1's head at the\nlearned 𝑐", "none", 7.5))
    if is_compared:
        marks.append(
            key("published", linestyle=":", marker="D", markersize=3, markerfacecolor="white")
        )
    return marks


def _draw_runs(ax: Axes, rows: list[Run], colour: str, shift: float) -> None:
    """Each run's error against its rank, times a shift, and a line through the means."""
    ranks = values(rows, "rank")
    groups = [chosen(rows, rank=rank) for rank in ranks]
    places = [rank * shift for rank in ranks]
    means = [_mean(_errors(group)) for group in groups]
    ax.plot(places, means, color=colour, linewidth=1.3, zorder=3)
    for place, group in zip(places, groups, strict=True):
        for row in group:
            _draw_run(ax, place, row, colour)
        for row in _on_batches_that_come_back(group):
            ax.plot(
                place,
                row["min_train"],
                "o",
                color=colour,
                markerfacecolor="none",
                markersize=5,
                zorder=4,
            )
        errors = _errors(group)
        if len(errors) > 1:
            ax.plot(place, min(errors), "_", color=colour, markersize=11, markeredgewidth=1.2)


def _draw_run(ax: Axes, place: float, row: Run, colour: str) -> None:
    """A run's error, and that of Fact 1's head at its c where it has one."""
    error = row["test_error"]
    if error is not None and row["dead"]:
        # Crosses stay crosses where many lie on each other.
        ax.plot(
            place,
            error,
            "x",
            color=colour,
            zorder=4,
            markersize=4.5,
            markeredgewidth=1.1,
            alpha=0.9,
        )
    elif error is not None:
        ax.plot(
            place,
            error,
            "o",
            color=colour,
            zorder=4,
            markersize=3.5,
            markeredgewidth=0.6,
            alpha=0.6,
        )
    if row.get("fact_1_error") is not None:
        ax.plot(
            place,
            row["fact_1_error"],
            "s",
            color=INK,
            markerfacecolor="none",
            markersize=7.5,
            markeredgewidth=1,
            zorder=5,
        )


def _errors(rows: list[Run]) -> list[float]:
    """The errors of the runs that ended with a number."""
    return [row["test_error"] for row in rows if row["test_error"] is not None]


def _mean(errors: list[float]) -> float:
    """NaN where there is none, at which a line is interrupted."""
    return float(np.mean(errors)) if errors else np.nan


def _published_note(figure: str) -> str:
    """What a figure's published values are, beside runs of this reproduction."""
    exception = ""
    if figure == "rank_fig3":
        # The runs without an encoding are Figure 1's.
        exception = f" ({published_values.STEPS['rank_fig1']:,} without an encoding)"
    return (
        f"Published: {published_values.STEPS[figure]:,} steps of {published_values.BATCH}"
        f"{exception}, least training loss of five runs on repeated batches."
    )
