"""What of the outputs of a layer depends on the set of points, along training."""

from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....looks.colors import PALETTE
from ....messages.words import counted
from ....pages.drawing import Look, key, legend_beside, sheet
from ....statistics.contrasts import Run
from ..settings.titles import TRAINED
from ..training import runs
from .trained_parts import recipe

LOOKS: list[Look] = [
    {"color": color, "linestyle": dash} for dash, color in product(("-", "--", ":"), PALETTE)
]
"""Of lines, one for each cell."""

BELOW = 1e-8
"""Shares below it are rounding, and are drawn at it."""


def figure_collapse(rows: list[Run]) -> Figure:
    """The share of the first and the last layer's outputs that depends on the set, and the norm of
    the last, against the step: a line for each run."""
    cells = runs.cells_of(rows)
    note = (
        f"{recipe(rows)}. Share: of the outputs' mean square, what is left without their "
        "mean over the sets; the rest is the same for every set."
    )
    title = TRAINED["rank_collapse"]
    with sheet(title, note, 3, cell=(3.1, 3.6), around=(2.2, 0.0)) as (figure, axes):
        first, last, norm = axes
        handles = []
        for cell, look in zip(cells, LOOKS, strict=False):
            for row in cell:
                _draw_along(first, row, 1, "share", look)
                _draw_along(last, row, row["layers"], "share", look)
                _draw_along(norm, row, row["layers"], "stream_norm", look)
            handles.append(key(_cell_name(cell[0], rows), **look))
        first.set(title="share after the first layer", ylabel="share that depends on the set")
        last.set_title("share after the last layer")
        norm.set(title="norm after the last layer", ylim=(0, None))
        for ax in (first, last):
            ax.set(yscale="log", ylim=(BELOW, 1.5))
        for ax in axes:
            ax.set(xscale="log", xlabel="steps")
        legend_beside(figure, handles)
    return figure


def _draw_along(ax: Axes, row: Run, layer: int, column: str, look: Look) -> None:
    """What was recorded of a layer before each step, from step 1 on."""
    steps = []
    recorded = []
    for step, of_layer, value in zip(
        row["share_step"], row["share_layer"], row[column], strict=True
    ):
        if of_layer == layer and step >= 1:
            steps.append(step)
            recorded.append(max(value or 0.0, BELOW))
    ax.plot(steps, recorded, linewidth=1.2, **look)


def _cell_name(row: Run, rows: list[Run]) -> str:
    """The encoding of a run, and what else tells it from the others."""
    parts = [_encoding_words(row)]
    if len(runs.values(rows, "layers")) > 1:
        parts.append(counted(row["layers"], "layer"))
    if len(runs.values(rows, "steps")) > 1:
        parts.append(f"{row['steps']:,} steps")
    if len(runs.values(rows, "lr")) > 1:
        parts.append(f"rate {row['lr']:g}")
    if row["warm_start"]:
        parts.append("warm start")
    return ", ".join(parts)


def _encoding_words(row: Run) -> str:
    if row["encoding"] == "none":
        return "no encoding"
    if row["encoding"] == "concatenated":
        return "concatenated"
    return f"additive, {runs.initial_words(row)}"
