"""Figures 1, 3 and 4: errors of trained transformers against the rank of their heads; and errors
against d, at ranks that are a part of it.

A series is a line in each panel: runs that differ in their rank alone, and the line that the paper
published of such runs, where their sizes can be compared.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import INK, PALETTE
from ....messages.words import counted
from ....pages.drawing import Look, key
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED_TITLES
from ..training import published_values
from ..training.runs import PUBLISHED_INITIAL, groups, held_out_error, initial_words, listed, values
from .panels import BOLD, Axis, Mark, Panel, Scale, curve_of, draw_panels, level, points
from .trained_parts import (
    DEAD_WORDS,
    HELD_OUT_ERROR,
    UNIFORM_ATTENTION,
    has_size,
    mark_key,
    panel_title,
    recipe,
    uniform_attention_key,
)

PUBLISHED_LOOK: Look = {
    "linestyle": ":",
    "marker": "D",
    "markersize": 3,
    "markerfacecolor": "white",
}
UNIFORM_ATTENTION_FORMULA = "$-a\\,x_i + b\\,\\Sigma_j\\,x_j$"
"""What uniform attention is at best."""


def _nothing_published(layers: int) -> dict[int, float]:
    """No published errors: those of series that the paper does not have."""
    return {}


@dataclass(frozen=True)
class Series:
    """A line of a figure: its name, what its runs are chosen by, and the published errors by rank
    of so many layers."""

    name: str
    settings: Mapping[str, object]
    published: Callable[[int], dict[int, float]] = _nothing_published


def figure_1(rows: list[Run]) -> Figure:
    """Figure 1: errors against rank, a panel for each number of layers, a line for each width; the
    rows have `fact_1_error`."""
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
        published = partial(published_values.errors_by_rank, 1, width=width)
        series.append(Series(name, {"width": width}, published))
    notes = []
    if budgets:
        notes.append(f"{', '.join(budgets)}: the paper's attention parameters of a layer, $r d H$.")
    if max(widths) < dimensions[0]:
        widths_run = " and ".join(map(str, widths))
        notes.append(f"$w$ = {widths_run}: the paper's $w$ = $d$ is not run.")
    is_compared = has_size(rows, published_values.SIZE_1)
    if is_compared:
        notes.append(_published_note("rank_fig1"))
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
    """Figure 3: errors against rank, a line for each positional encoding; additive ones by their
    initial values."""
    least_width, *wider = values(rows, "width")
    line_3 = partial(published_values.errors_by_rank, 3)
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
    is_compared = least_width == published_values.WIDTH_3 and has_size(
        rows, published_values.SIZE_1
    )
    if is_compared:
        # The runs without an encoding are Figure 1's.
        exception = f" ({published_values.STEPS['rank_fig1']:,} without an encoding)"
        notes.append(_published_note("rank_fig3", exception))
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
            published = partial(published_values.errors_by_rank, 3, encoding="additive")
            theirs.append(Series(name, settings, published))
        else:
            others.append(Series(name, settings))
    return theirs + others


def figure_4(rows: list[Run]) -> Figure:
    """Figure 4: errors against rank, a line for each number of points N."""
    steps = {n: listed(group, "steps") for n, group in groups(rows, "n").items()}
    series = []
    for n, steps_of_n in steps.items():
        name = f"$N$ = {n}"
        if len(set(steps.values())) > 1:
            name += f", {steps_of_n} steps"
        series.append(Series(name, {"n": n}, partial(published_values.errors_by_rank, 4, n=n)))
    notes = []
    widths = values(rows, "width")
    if widths != values(rows, "d"):
        notes.append(f"$w$ = {', '.join(map(str, widths))}, where the paper has $w$ = $d$.")
    # Beside other widths too: the note says so.
    is_compared = has_size(rows, published_values.SIZE_4)
    if is_compared:
        notes.append(_published_note("rank_fig4"))
    # As in the paper: errors read off its axis are no ratios.
    return _figure_by_layers("rank_fig4", rows, series, notes, is_compared, y=ERROR_FROM_0)


LOG_ERROR = Axis(HELD_OUT_ERROR, Scale.READABLE_LOG)
ERROR_FROM_0 = Axis(HELD_OUT_ERROR, ends=(0, None))


def _figure_by_layers(
    name: str,
    rows: list[Run],
    series: list[Series],
    notes: list[str],
    is_compared: bool,
    y: Axis = LOG_ERROR,
) -> Figure:
    """A figure of errors against rank, a panel for each number of layers, a line for each series,
    with the published errors where the two can be compared."""
    first_note = (
        f"{recipe(rows)}. Dashed: predicting zero; dash-dotted: the best "
        f"{UNIFORM_ATTENTION_FORMULA}."
    )
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(series))]
    ranks = set(values(rows, "rank"))
    marks_by_layers: dict[int, list[Mark]] = {}
    for count, rows_of_panel in groups(rows, "layers").items():
        marks: list[Mark] = []
        for k, (line, colour) in enumerate(zip(series, colours, strict=True)):
            group = chosen(rows_of_panel, **line.settings)
            if group:
                # Beside each other: runs of several series have nearly the same error.
                shift = 2 ** (0.1 * (k - (len(series) - 1) / 2))
                marks += _marks_of_runs(group, colour, shift)
            published = line.published(count) if is_compared and group else {}
            if published:
                marks.append(curve_of(published, color=colour, linewidth=1, **PUBLISHED_LOOK))
                ranks |= published.keys()
        marks.append(level(1, color=INK, linestyle="--", linewidth=0.8))
        marks += _uniform_attention_of_series(rows_of_panel, series, colours)
        marks_by_layers[count] = marks
    x = Axis("rank 𝑟 of a head", ticks=sorted(ranks))
    panels = [
        Panel(panel_title(rows, count), marks, x, y, BOLD)
        for count, marks in marks_by_layers.items()
    ]
    legend = [
        key(line.name, colour, linewidth=4) for line, colour in zip(series, colours, strict=True)
    ]
    return draw_panels(
        TRAINED_TITLES[name],
        "\n".join([first_note, *notes]),
        panels,
        legend + _keys_of_marks(rows, is_compared),
        cell=(3.6, 4.2),
        around=(1.9, 0.0),
        sharey=True,
    )


def _uniform_attention_of_series(
    rows: list[Run], series: list[Series], colours: list[str]
) -> list[Mark]:
    """The lines at the error of uniform attention, one for each number of points, in a series'
    colour where series differ in it."""
    colour_by_size = {}
    for line, colour in zip(series, colours, strict=True):
        for row in chosen(rows, **line.settings):
            colour_by_size[row["d"], row["n"]] = colour
    has_several_sizes = len(colour_by_size) > 1
    levels = []
    for (d, n), colour in colour_by_size.items():
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            shade = colour if has_several_sizes else INK
            levels.append(level(least_error(d, n), color=shade, **UNIFORM_ATTENTION))
    return levels


def _on_batches_that_come_back(rows: list[Run]) -> list[Run]:
    """The runs whose training loss is of sets that they have seen."""
    return [row for row in chosen(rows, regime="repeated") if row["min_train"] is not None]


def _keys_of_marks(rows: list[Run], is_compared: bool) -> list[Line2D]:
    """The legend's entries for marks and lines that all series have."""
    keys = [mark_key("o", "a run"), key("mean", linewidth=1.3)]
    if len(values(rows, "run")) > 1:
        keys.append(mark_key("_", "best run", size=9))
    if _on_batches_that_come_back(rows):
        keys.append(mark_key("o", "its least training loss", "none", 5))
    keys.append(uniform_attention_key())
    if any(row["dead"] for row in rows):
        keys.append(mark_key("x", DEAD_WORDS))
    if any(row.get("fact_1_error") is not None for row in rows):
        keys.append(mark_key("s", "Fact 1's head at the\nlearned 𝑐", "none", 7.5))
    if is_compared:
        keys.append(key("published", **PUBLISHED_LOOK))
    return keys


def _marks_of_runs(rows: list[Run], colour: str, shift: float) -> list[Mark]:
    """The marks of each run's error at its rank times `shift`, and a line through the means."""
    errors_by_place = {}
    marks: list[Mark] = []
    for rank, group in groups(rows, "rank").items():
        place = rank * shift
        errors = [row["test_error"] for row in group if row["test_error"] is not None]
        errors_by_place[place] = errors
        for row in group:
            marks += _marks_of_run(row, place, colour)
        for row in _on_batches_that_come_back(group):
            loss = [row["min_train"]]
            marks.append(points([place], loss, "o", colour, 5, markerfacecolor="none", zorder=4))
        if len(errors) > 1:
            marks.append(points([place], [min(errors)], "_", colour, 11, markeredgewidth=1.2))
    # NaN where no run ended with a number: there the line is interrupted.
    means = {
        place: float(np.mean(errors)) if errors else np.nan
        for place, errors in errors_by_place.items()
    }
    return [curve_of(means, color=colour, linewidth=1.3, zorder=3), *marks]


def _marks_of_run(row: Run, place: float, colour: str) -> list[Mark]:
    """The marks of a run's error, and of that of Fact 1's head at its c where it has one."""
    error = row["test_error"]
    marks: list[Mark] = []
    if error is not None and row["dead"]:
        # Crosses stay crosses where many lie on each other.
        cross: Look = {"zorder": 4, "markeredgewidth": 1.1, "alpha": 0.9}
        marks.append(points([place], [error], "x", colour, 4.5, **cross))
    elif error is not None:
        circle: Look = {"zorder": 4, "markeredgewidth": 0.6, "alpha": 0.6}
        marks.append(points([place], [error], "o", colour, 3.5, **circle))
    fact_1 = row.get("fact_1_error")
    if fact_1 is not None:
        hollow: Look = {"markerfacecolor": "none", "markeredgewidth": 1, "zorder": 5}
        marks.append(points([place], [fact_1], "s", INK, 7.5, **hollow))
    return marks


def _published_note(figure: str, exception: str = "") -> str:
    """The sentence that says what a figure's published values are."""
    return (
        f"Published: {published_values.STEPS[figure]:,} steps of {published_values.BATCH}"
        f"{exception}, least training loss of five runs on repeated batches."
    )


PART_MARKERS = "os^"
"""Of the lines against d, in order: colours alone are one in gray print."""


def figure_dimension(rows: list[Run]) -> Figure:
    """The figure of the error on new sets against d, a panel for each number of layers, a line for
    each part of d that the rank is."""
    parts = sorted({_part_of_dimension(row) for row in rows})
    looks: dict[int, Look] = {}
    for k, part in enumerate(parts):
        marker = PART_MARKERS[k % len(PART_MARKERS)]
        looks[part] = {"colour": PALETTE[k % len(PALETTE)], "marker": marker}
    panels = []
    for count, rows_of_panel in groups(rows, "layers").items():
        marks: list[Mark] = []
        for part, look in looks.items():
            group = [row for row in rows_of_panel if _part_of_dimension(row) == part]
            marks += _medians_of_runs(group, look)
        marks += _uniform_attention_by_dimension(rows_of_panel)
        x = Axis("dimension 𝑑", ticks=values(rows_of_panel, "d"))
        panels.append(Panel(counted(count, "layer"), marks, x, LOG_ERROR, BOLD))
    note = (
        f"{recipe(rows)}; modules of heads in a layer: {listed(rows, 'width')}. As many steps at "
        "every $d$: errors that grow with it may be of too few."
    )
    legend = []
    for part, look in looks.items():
        name = "𝑟 = 𝑑" if part == 1 else f"𝑟 = 𝑑/{part}"
        legend.append(
            key(name, look["colour"], marker=look["marker"], markersize=3.5, linewidth=1.3)
        )
    legend.append(uniform_attention_key())
    return draw_panels(
        TRAINED_TITLES["rank_dimension"],
        note,
        panels,
        legend,
        legend_title="runs, and\ntheir median",
        cell=(3.4, 3.2),
        around=(1.9, 0.0),
        sharey=True,
    )


def _part_of_dimension(row: Run) -> int:
    """d over a run's rank: 1 for full rank, 2 for half of it."""
    return row["d"] // row["rank"]


def _medians_of_runs(rows: list[Run], look: Look) -> list[Mark]:
    """The marks of each run's error against d, and a line through the medians: runs may end in two
    ways, and a mean lies between."""
    medians = {}
    marks: list[Mark] = []
    for d, group in groups(rows, "d").items():
        errors = [held_out_error(row) for row in group]
        medians[d] = median(errors)
        marks.append(points([d] * len(errors), errors, size=3.5, alpha=0.6, **look))
    return [*marks, curve_of(medians, color=look["colour"], linewidth=1.3)]


def _uniform_attention_by_dimension(rows: list[Run]) -> list[Mark]:
    """The curves of the error of uniform attention against d, one for each number of points above
    two."""
    curves: list[Mark] = []
    for n, group in groups(rows, "n").items():
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            errors = {d: least_error(d, n) for d in values(group, "d")}
            curves.append(curve_of(errors, color=INK, **UNIFORM_ATTENTION))
    return curves
