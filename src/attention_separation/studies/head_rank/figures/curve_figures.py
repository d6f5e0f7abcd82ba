"""Errors along training: of batches that come back and new ones, and under two warm-ups. A figure
has a panel for each model, a colour for each arm, and two lines for each run."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ....looks.colors import PALETTE
from ....messages.words import counted
from ....pages.drawing import key
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED_TITLES
from ..training import runs
from .panels import BOLD, Axis, Mark, Panel, Scale, curve, draw_panels
from .trained_parts import recipe, uniform_attention_key, uniform_attention_levels

CURVES = {"curve_train": "--", "curve_test": "-"}
"""Columns of errors along training, and the dashes of their lines."""

CURVE_NAMES = {"on new sets": "-", "in training": "--"}
"""What a legend says of these dashes."""

LINES_OF_RUNS = "A line for each run: its error on new sets, and its training loss."


@dataclass(frozen=True)
class Arm:
    """Runs with some settings, as a legend calls them, and the colour of their lines."""

    name: str
    settings: dict[str, Any]
    colour: str


BATCH_ARMS = (
    Arm(f"the same {EPOCH} again", {"regime": "repeated"}, PALETTE[0]),
    Arm("new batches", {"regime": "fresh"}, PALETTE[1]),
)
PUBLISHED_ON_NEW = {"regime": "fresh", "schedule": "per_epoch"}
CROSSED_ARMS = (
    Arm("new batches, fast warm-up", runs.FRESH, PALETTE[0]),
    Arm("the same 100, fast warm-up", runs.REPEATED, PALETTE[1]),
    Arm("new batches, published warm-up", PUBLISHED_ON_NEW, PALETTE[2]),
    Arm("the same 100, published warm-up", runs.AS_PUBLISHED, PALETTE[3]),
)
"""Of the crossing of batches and warm-ups."""


def figure_memory(rows: list[Run]) -> Figure:
    """The figure of errors along training, an arm for each number of batches that come back."""
    cells = sorted(runs.cells_of(rows), key=lambda cell: cell[0]["batches"] or np.inf)
    arms = [
        Arm(_batches_in_words(cell[0]), {"cell": cell[0]["cell"]}, colour)
        for cell, colour in zip(cells, PALETTE, strict=False)
    ]
    panel = Panel("", _curves(rows, arms), Axis("steps", Scale.LOG), Axis("error", Scale.LOG))
    note = f"{recipe(rows)}. {LINES_OF_RUNS}"
    return _figure_of_arms("rank_memory", note, [panel], arms, cell=(6.0, 3.8), around=(1.9, 0.0))


def _batches_in_words(run: Run) -> str:
    """How many batches come back in a run, in words."""
    if run["regime"] == "fresh":
        return "new batches"
    return f"{run['batches'] or EPOCH} again and again"


def figure_by_heart(rows: list[Run]) -> Figure:
    """The figure of errors along training on batches that come back and on new ones, a panel for
    each rank."""
    note = (
        f"{recipe(rows)}. {LINES_OF_RUNS} {EPOCH} batches come back in every epoch, new ones never "
        "do."
    )
    beginnings = {(row["stop_after"], row["steps"]) for row in rows if row["stop_after"]}
    for stopped, steps in sorted(beginnings):
        note += f" These are the first {stopped:,} of {steps:,} steps."
    arms = [arm for arm in BATCH_ARMS if chosen(rows, **arm.settings)]
    x = Axis("steps", number_format="{x:,.0f}")
    y = Axis("error", Scale.READABLE_LOG)
    panels = []
    for rank, rows_of_panel in runs.groups(rows, "rank").items():
        marks = _curves_and_uniform_attention(rows_of_panel, arms)
        panels.append(Panel(f"rank {rank}", marks, x, y, BOLD))
    return _figure_of_arms(
        "rank_by_heart",
        note,
        panels,
        arms,
        [uniform_attention_key()],
        cell=(3.0, 3.5),
        around=(2.3, 0.0),
        columns=min(4, len(panels)),
        sharex=True,
        sharey=True,
    )


def figure_crossing(rows: list[Run]) -> Figure:
    """The figure of errors along training, a panel for each encoding and number of layers, an arm
    for each pair of batches and warm-up."""
    by_layers = sorted(rows, key=lambda row: row["layers"])
    models = list(dict.fromkeys((row["layers"], row["encoding"]) for row in by_layers))
    # All fall to 1 first; what tells them apart is near it, or where they end.
    largest = max(row["test_error"] or 0 for row in rows)
    x = Axis("steps", Scale.READABLE_LOG)
    y = Axis("error", ends=(None, np.clip(1.05 * largest, 1.1, 2)))
    panels = []
    for layers, encoding in models:
        rows_of_panel = chosen(rows, layers=layers, encoding=encoding)
        marks = _curves_and_uniform_attention(rows_of_panel, CROSSED_ARMS)
        words = "no encoding" if encoding == "none" else encoding
        panels.append(Panel(f"{counted(layers, 'layer')}, {words}", marks, x, y, BOLD))
    return _figure_of_arms(
        "rank_crossing",
        f"{recipe(rows)}. {LINES_OF_RUNS} Predicting zero has error 1.",
        panels,
        CROSSED_ARMS,
        [uniform_attention_key()],
        cell=(3.2, 2.9),
        around=(2.6, 0.0),
        columns=min(2, len(panels)),
        sharex=True,
        sharey=True,
    )


def _figure_of_arms(
    name: str,
    note: str,
    panels: list[Panel],
    arms: Iterable[Arm],
    more_keys: Iterable[Line2D] = (),
    **layout: Any,
) -> Figure:
    """A figure of panels, with a legend of the arms' colours, the dashes of curves, and more."""
    legend = [key(arm.name, arm.colour) for arm in arms]
    legend += [key(words, linestyle=dash) for words, dash in CURVE_NAMES.items()]
    return draw_panels(TRAINED_TITLES[name], note, panels, [*legend, *more_keys], **layout)


def _curves(rows: list[Run], arms: Iterable[Arm]) -> list[Mark]:
    """The curves of each run's errors along its training, in the colour of its arm."""
    curves = []
    for arm in arms:
        for row in chosen(rows, **arm.settings):
            for column, dash in CURVES.items():
                errors = row[column]
                curves.append(
                    curve(
                        row["curve_step"],
                        errors,
                        linestyle=dash,
                        color=arm.colour,
                        linewidth=1.1,
                    )
                )
    return curves


def _curves_and_uniform_attention(rows: list[Run], arms: Iterable[Arm]) -> list[Mark]:
    """The curves of each run's errors, and lines at the error of uniform attention."""
    sizes = {(row["d"], row["n"]) for row in rows}
    return _curves(rows, arms) + uniform_attention_levels(sizes)
