"""What of the outputs of a layer depends on the set of points, along training."""

from itertools import product

import numpy as np
from matplotlib.figure import Figure

from ....looks.colors import PALETTE
from ....messages.words import counted
from ....pages.drawing import Look, key
from ....statistics.contrasts import Run
from ..settings.titles import TRAINED_TITLES
from ..training import runs
from .panels import Axis, Mark, Panel, Scale, curve, draw_panels
from .trained_parts import recipe

CELL_LOOKS: list[Look] = [
    {"color": color, "linestyle": dash} for dash, color in product(("-", "--", ":"), PALETTE)
]
"""Of lines, one for each cell."""

CELL_WIDTHS = (3.6, 1.0)
"""Of the lines of the first cell and of the last: those of each cell are narrower than those below
them, so that all are seen."""

LEAST_DRAWN_SHARE = 1e-8
"""Shares below it are rounding, and are drawn at it."""


def figure_collapse(rows: list[Run]) -> Figure:
    """The figure of the share of the first and the last layer's outputs that depends on the set,
    and of the norm of the last, against the step: a line for each run."""
    first: list[Mark] = []
    last: list[Mark] = []
    norm: list[Mark] = []
    legend = []
    cells = runs.cells_of(rows)
    widths = np.geomspace(*CELL_WIDTHS, len(cells))
    for cell, cell_look, width in zip(cells, CELL_LOOKS, widths.tolist(), strict=False):
        look = cell_look | {"linewidth": width}
        for row in cell:
            first.append(_curve_of_layer(row, 1, "share", look))
            last.append(_curve_of_layer(row, row["layers"], "share", look))
            norm.append(_curve_of_layer(row, row["layers"], "stream_norm", look))
        legend.append(key(_cell_name(cell[0], rows), **look))
    steps = Axis("steps", Scale.LOG)
    ends = (LEAST_DRAWN_SHARE, 1.5)
    share = Axis("share that depends on the set", Scale.LOG, ends=ends)
    panels = [
        Panel("share after the first layer", first, steps, share, is_alone=True),
        Panel(
            "share after the last layer", last, steps, Axis("", Scale.LOG, ends=ends), is_alone=True
        ),
        Panel("norm after the last layer", norm, steps, Axis(ends=(0, None)), is_alone=True),
    ]
    note = (
        f"{recipe(rows)}. Share: of the outputs' mean square, what is left without their "
        "mean over the sets; the rest is the same for every set."
    )
    title = TRAINED_TITLES["rank_collapse"]
    return draw_panels(title, note, panels, legend, cell=(3.1, 3.6), around=(2.2, 0.0))


def _curve_of_layer(row: Run, layer: int, column: str, look: Look) -> Mark:
    """The curve of what a column has recorded of a layer, against the step, from step 1 on."""
    steps = []
    recorded = []
    for step, of_layer, value in zip(
        row["share_step"], row["share_layer"], row[column], strict=True
    ):
        if of_layer == layer and step >= 1:
            steps.append(step)
            recorded.append(max(value or 0.0, LEAST_DRAWN_SHARE))
    return curve(steps, recorded, **look)


def _cell_name(row: Run, rows: list[Run]) -> str:
    """The encoding of a run, and in a line beneath it what else tells it from the others."""
    parts = []
    if len(runs.values(rows, "layers")) > 1:
        parts.append(counted(row["layers"], "layer"))
    if len(runs.values(rows, "steps")) > 1:
        parts.append(f"{row['steps']:,} steps")
    if len(runs.values(rows, "lr")) > 1:
        parts.append(f"rate {row['lr']:g}")
    if row["warm_start"]:
        parts.append("warm start")
    encoding = _encoding_words(row)
    return f"{encoding}\n{', '.join(parts)}" if parts else encoding


def _encoding_words(row: Run) -> str:
    """The encoding of a run in words, an additive one with the law of its initial values."""
    if row["encoding"] == "none":
        return "no encoding"
    if row["encoding"] == "concatenated":
        return "concatenated"
    return f"additive, {runs.initial_words(row)}"
