"""Errors in training beside those on new data: of runs on new batches, and on the same again."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import INK, PALETTE
from ....messages.words import counted
from ....pages.drawing import key, legend_beside, log_axis, sheet
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED
from ..training import runs
from .trained_parts import (
    CURVE_KEYS,
    CURVES,
    DEAD_WORDS,
    ERROR,
    UNIFORM_ATTENTION,
    mark,
    panel_title,
    recipe,
    uniform_attention_key,
)


@dataclass(frozen=True)
class Arm:
    """Runs of one regime and schedule: their name, marker, and what it is filled with; None is
    their own colour."""

    name: str
    settings: dict[str, str]
    marker: str
    fill: str | None = None


ARMS = (
    Arm("new batches", runs.FRESH, "o", "none"),
    Arm(f"the same {EPOCH} again", runs.REPEATED, "s"),
    Arm(f"the same {EPOCH} again,\nschedule per epoch,\nas published", runs.AS_PUBLISHED, "^"),
)


def figure_fresh(rows: list[Run]) -> Figure:
    """A panel for each number of layers and width: what a run reports, and its error on new data.

    The colour is the rank, the marker the arm.
    """
    layers = runs.values(rows, "layers")
    panels = []
    for width in runs.values(rows, "width"):
        panels += [(count, width) for count in layers]
    colours = dict(zip(runs.values(rows, "rank"), PALETTE, strict=False))
    shown = [row for row in rows if row["min_train"] and row["test_error"] is not None]
    note = (
        f"{recipe(rows)}. On the line, a run does on new data as it reports; above it, "
        "worse. A schedule of the rate per step where none is named."
    )
    with sheet(
        TRAINED["rank_fresh"],
        note,
        len(panels),
        cell=(3.2, 2.9),
        around=(2.0, 1.1),
        columns=len(layers),
        sharex=True,
        sharey=True,
    ) as (figure, axes):
        for ax, (count, width) in zip(axes, panels, strict=True):
            rows_of_panel = chosen(shown, layers=count, width=width)
            # New batches last: their open markers hide nothing.
            for arm in reversed(ARMS):
                for row in chosen(rows_of_panel, **arm.settings):
                    _draw_run(ax, row, arm, colours[row["rank"]])
            if shown:
                _draw_diagonal(ax, shown)
            ax.set_title(f"{panel_title(rows, count)}, $w$ = {width}", fontweight="bold")
            ax.set_xlabel("least training loss of an epoch")
            ax.set_ylabel(ERROR)
            ax.label_outer()
        # Of all panels at once: they share them.
        log_axis(axes[0].xaxis)
        log_axis(axes[0].yaxis)
        handles = [key(f"𝑟 = {rank}", colour, linewidth=4) for rank, colour in colours.items()]
        handles += [mark(arm.marker, arm.name, arm.fill or INK) for arm in ARMS]
        if any(row["dead"] for row in shown):
            handles.append(mark("x", DEAD_WORDS, size=4))
        legend_beside(figure, handles)
    return figure


def _draw_run(ax: Axes, row: Run, arm: Arm, colour: str) -> None:
    reported = row["min_train"]
    error = row["test_error"]
    ax.plot(
        reported,
        error,
        arm.marker,
        color=colour,
        markerfacecolor=arm.fill or colour,
        markersize=6,
        alpha=0.8,
    )
    if row["dead"]:
        ax.plot(reported, error, "x", color=INK, markersize=4, markeredgewidth=0.8)


def _draw_diagonal(ax: Axes, rows: list[Run]) -> None:
    """A line where a run does on new data as it reports, as long as all runs need."""
    errors = [row["min_train"] for row in rows] + [row["test_error"] for row in rows]
    ends = [min(errors), max(errors)]
    ax.plot(ends, ends, color=INK, linewidth=0.8, zorder=1)


def figure_memory(rows: list[Run]) -> Figure:
    """Training loss and the error on new sets against the step: lines for each run."""
    cells = sorted(runs.cells_of(rows), key=lambda cell: cell[0]["batches"] or np.inf)
    note = f"{recipe(rows)}. A line for each run: its error on new sets, and its training loss."
    title = TRAINED["rank_memory"]
    with sheet(title, note, 1, cell=(6.0, 3.8), around=(1.9, 0.0)) as (figure, axes):
        ax = axes[0]
        handles = []
        for colour, cell in zip(PALETTE, cells, strict=False):
            _draw_curves(ax, cell, colour)
            handles.append(key(_batches_in_words(cell[0]), colour))
        ax.set(xscale="log", yscale="log", xlabel="steps", ylabel="error")
        legend_beside(figure, handles + _curve_keys())
    return figure


def _batches_in_words(run: Run) -> str:
    if run["regime"] == "fresh":
        return "new batches"
    return f"{run['batches'] or EPOCH} again and again"


def _draw_curves(ax: Axes, rows: list[Run], colour: str) -> None:
    for row in rows:
        for column, dash in CURVES.items():
            ax.plot(row["curve_step"], row[column], dash, color=colour, linewidth=1.1)


def _curve_keys() -> list[Line2D]:
    return [key(name, linestyle=dash) for name, dash in CURVE_KEYS.items()]


OF_BATCHES = {f"the same {EPOCH} again": {"regime": "repeated"}, "new batches": {"regime": "fresh"}}
"""Arms of `rank_by_heart`, by what they are called."""


def figure_by_heart(rows: list[Run]) -> Figure:
    """A panel for each rank: training loss and the error on new sets against the step, on batches
    that come back and on new ones; lines for each run."""
    ranks = runs.values(rows, "rank")
    note = (
        f"{recipe(rows)}. A line for each run: its error on new sets, and its training loss. "
        f"{EPOCH} batches come back in every epoch, new ones never do."
    )
    beginnings = {(row["stop_after"], row["steps"]) for row in rows if row["stop_after"]}
    for stopped, steps in sorted(beginnings):
        note += f" These are the first {stopped:,} of {steps:,} steps."
    arms = {name: settings for name, settings in OF_BATCHES.items() if chosen(rows, **settings)}
    colours = dict(zip(OF_BATCHES, PALETTE, strict=False))
    with sheet(
        TRAINED["rank_by_heart"],
        note,
        len(ranks),
        cell=(3.0, 3.5),
        around=(2.3, 0.0),
        columns=min(4, len(ranks)),
        sharex=True,
        sharey=True,
    ) as (figure, axes):
        for ax, rank in zip(axes, ranks, strict=True):
            rows_of_panel = chosen(rows, rank=rank)
            for name, settings in arms.items():
                _draw_curves(ax, chosen(rows_of_panel, **settings), colours[name])
            for d, n in {(row["d"], row["n"]) for row in rows_of_panel}:
                ax.axhline(least_error(d, n), color=INK, **UNIFORM_ATTENTION)
            ax.set_title(f"rank {rank}", fontweight="bold")
            ax.set(xlabel="steps", ylabel="error")
            ax.xaxis.set_major_formatter("{x:,.0f}")
            ax.label_outer()
        log_axis(axes[0].yaxis)
        handles = [key(name, colours[name]) for name in arms]
        legend_beside(figure, [*handles, *_curve_keys(), uniform_attention_key()])
    return figure


CROSSED_ARMS = {
    "new batches, fast warm-up": runs.FRESH,
    "the same 100, fast warm-up": runs.REPEATED,
    "new batches, published warm-up": {"regime": "fresh", "schedule": "per_epoch"},
    "the same 100, published warm-up": runs.AS_PUBLISHED,
}
"""Arms of the crossing of batches and warm-ups, by what they are called."""


def figure_crossing(rows: list[Run]) -> Figure:
    """A panel for each encoding and number of layers: training loss and the error on new sets
    against the step, by batches and warm-up; lines for each run."""
    by_layers = sorted(rows, key=lambda row: row["layers"])
    panels = list(dict.fromkeys((row["layers"], row["encoding"]) for row in by_layers))
    note = (
        f"{recipe(rows)}. A line for each run: its error on new sets, and its training "
        "loss. Predicting zero has error 1."
    )
    with sheet(
        TRAINED["rank_crossing"],
        note,
        len(panels),
        cell=(3.2, 2.9),
        around=(2.6, 0.0),
        columns=min(2, len(panels)),
        sharex=True,
        sharey=True,
    ) as (figure, axes):
        for ax, (layers, encoding) in zip(axes, panels, strict=True):
            rows_of_panel = chosen(rows, layers=layers, encoding=encoding)
            for colour, settings in zip(PALETTE, CROSSED_ARMS.values(), strict=False):
                _draw_curves(ax, chosen(rows_of_panel, **settings), colour)
            for d, n in {(row["d"], row["n"]) for row in rows_of_panel}:
                ax.axhline(least_error(d, n), color=INK, **UNIFORM_ATTENTION)
            words = "no encoding" if encoding == "none" else encoding
            ax.set_title(f"{counted(layers, 'layer')}, {words}", fontweight="bold")
            ax.set(xlabel="steps", ylabel="error")
            ax.label_outer()
        # All fall to 1 first; what tells them apart is near it, or where they end.
        largest = max(row["test_error"] or 0 for row in rows)
        axes[0].set_ylim(top=np.clip(1.05 * largest, 1.1, 2))
        log_axis(axes[0].xaxis)
        handles = [key(name, colour) for name, colour in zip(CROSSED_ARMS, PALETTE, strict=False)]
        handles += _curve_keys()
        handles.append(uniform_attention_key())
        legend_beside(figure, handles)
    return figure
