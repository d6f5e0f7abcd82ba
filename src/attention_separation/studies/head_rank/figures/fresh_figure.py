"""Errors on new data against what a run reports of its training: on new batches, and on the same
again."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from ....looks.colors import INK, PALETTE
from ....pages.drawing import key
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED_TITLES
from ..training import runs
from .panels import BOLD, Axis, Mark, Panel, Scale, curve, draw_panels, points
from .trained_parts import DEAD_WORDS, HELD_OUT_ERROR, mark_key, panel_title, recipe


@dataclass(frozen=True)
class MarkedArm:
    """Runs of one regime and schedule: their name, marker, and what it is filled with; None is
    their own colour."""

    name: str
    settings: dict[str, str]
    marker: str
    fill: str | None = None


MARKED_ARMS = (
    MarkedArm("new batches", runs.FRESH, "o", "none"),
    MarkedArm(f"the same {EPOCH} again", runs.REPEATED, "s"),
    MarkedArm(
        f"the same {EPOCH} again,\nschedule per epoch,\nas published", runs.AS_PUBLISHED, "^"
    ),
)


def figure_fresh(rows: list[Run]) -> Figure:
    """The figure of each run's error on new data against what it reports of its training, a panel
    for each number of layers and width.

    The colour is the rank, the marker the arm.
    """
    layers = runs.values(rows, "layers")
    colours = dict(zip(runs.values(rows, "rank"), PALETTE, strict=False))
    shown = [row for row in rows if row["min_train"] and row["test_error"] is not None]
    x = Axis("least training loss of an epoch", Scale.READABLE_LOG)
    y = Axis(HELD_OUT_ERROR, Scale.READABLE_LOG)
    panels = []
    for width in runs.values(rows, "width"):
        for count in layers:
            rows_of_panel = chosen(shown, layers=count, width=width)
            marks = _marks_of_runs(rows_of_panel, colours)
            if shown:
                marks.append(_diagonal(shown))
            title = f"{panel_title(rows, count)}, $w$ = {width}"
            panels.append(Panel(title, marks, x, y, BOLD))
    note = (
        f"{recipe(rows)}. On the line, a run does on new data as it reports; above it, "
        "worse. A schedule of the rate per step where none is named."
    )
    legend = [key(f"𝑟 = {rank}", colour, linewidth=4) for rank, colour in colours.items()]
    legend += [mark_key(arm.marker, arm.name, arm.fill or INK) for arm in MARKED_ARMS]
    if any(row["dead"] for row in shown):
        legend.append(mark_key("x", DEAD_WORDS, size=4))
    return draw_panels(
        TRAINED_TITLES["rank_fresh"],
        note,
        panels,
        legend,
        cell=(3.2, 2.9),
        around=(2.0, 1.1),
        columns=len(layers),
        sharex=True,
        sharey=True,
    )


def _marks_of_runs(rows: list[Run], colours: dict[int, str]) -> list[Mark]:
    """The marks of runs at their least training loss and held-out error; dead ones have a cross."""
    marks = []
    # New batches last: their open markers hide nothing.
    for arm in reversed(MARKED_ARMS):
        for row in chosen(rows, **arm.settings):
            reported = [row["min_train"]]
            error = [row["test_error"]]
            colour = colours[row["rank"]]
            fill = arm.fill or colour
            marks.append(
                points(reported, error, arm.marker, colour, 6, markerfacecolor=fill, alpha=0.8)
            )
            if row["dead"]:
                marks.append(points(reported, error, "x", INK, 4, markeredgewidth=0.8))
    return marks


def _diagonal(rows: list[Run]) -> Mark:
    """A line where a run does on new data as it reports, as long as all runs need."""
    errors = [row["min_train"] for row in rows] + [row["test_error"] for row in rows]
    ends = [min(errors), max(errors)]
    return curve(ends, ends, color=INK, linewidth=0.8, zorder=1)
