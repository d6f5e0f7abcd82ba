"""What trained networks do along their training: what of a layer's output still depends on the
points, and errors on batches that come back beside errors on new ones."""

import numpy as np
from matplotlib.figure import Figure

from ...pages.drawing import key, legend_beside, sheet
from ...pages.house_style import PALETTE
from ...settings.words import counted
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED
from ..training.runs import cells_of, initial_words, values
from .error_figures import recipe

BELOW = 1e-8
"""Shares below it are rounding, and are drawn at it."""


def figure_collapse(rows: list[dict]) -> Figure:
    """The share of the first and the last layer's outputs that depends on the set, and the norm of
    the last, against the step: a line for each run."""
    cells = cells_of(rows)
    looks = [{"color": color, "linestyle": dash} for dash in ("-", "--", ":") for color in PALETTE]
    note = (
        f"{recipe(rows)}. Share: of the outputs' mean square, what is left without their mean over "
        "the sets; the rest is the same for every set."
    )
    with sheet(TRAINED["rank_collapse"], note, 3, (3.1, 3.6), (2.2, 0.0)) as (figure, axes):
        first, last, norm = axes
        for cell, look in zip(cells, looks, strict=False):
            for row in cell:
                for ax, layer, name in (
                    (first, 1, "share"),
                    (last, row["layers"], "share"),
                    (norm, row["layers"], "stream_norm"),
                ):
                    ax.plot(*_along(row, layer, name), linewidth=1.2, **look)
        first.set(title="share after the first layer", ylabel="share that depends on the set")
        last.set_title("share after the last layer")
        norm.set(title="norm after the last layer", ylim=(0, None))
        for ax in (first, last):
            ax.set(yscale="log", ylim=(BELOW, 1.5))
        for ax in axes:
            ax.set(xscale="log", xlabel="steps")
        names = [_name(cell[0], rows) for cell in cells]
        legend_beside(figure, [key(name, **look) for name, look in zip(names, looks, strict=False)])
    return figure


def _along(row: dict, layer: int, name: str) -> tuple[list[int], list[float]]:
    """Steps from 1 on, and what was recorded before each of a layer."""
    places = zip(row["share_step"], row["share_layer"], row[name], strict=True)
    found = [(step, value) for step, of, value in places if of == layer and step]
    return [step for step, _ in found], [max(value or 0.0, BELOW) for _, value in found]


def _name(row: dict, rows: list[dict]) -> str:
    """The encoding of a run, and what else tells it from the others."""
    words = {"none": "no encoding", "concatenated": "concatenated"}
    parts = [words.get(row["encoding"]) or f"additive, {initial_words(row)}"]
    if len(values(rows, "layers")) > 1:
        parts.append(counted(row["layers"], "layer"))
    if len(values(rows, "steps")) > 1:
        parts.append(f"{row['steps']:,} steps")
    if len(values(rows, "lr")) > 1:
        parts.append(f"rate {row['lr']:g}")
    if row["warm_start"]:
        parts.append("warm start")
    return ", ".join(parts)


ARMS = {"fresh": "new batches", "repeated": "{} again and again"}


def figure_memory(rows: list[dict]) -> Figure:
    """Training loss and the error on new sets against the step: lines for each run."""
    cells = sorted(cells_of(rows), key=lambda cell: cell[0]["batches"] or np.inf)
    names = [ARMS[cell[0]["regime"]].format(cell[0]["batches"] or EPOCH) for cell in cells]
    note = f"{recipe(rows)}. A line for each run: its error on new sets, and its training loss."
    with sheet(TRAINED["rank_memory"], note, 1, (6.0, 3.8), (1.9, 0.0)) as (figure, (ax,)):
        for colour, cell in zip(PALETTE, cells, strict=False):
            for row in cell:
                for name, dash in (("curve_train", "--"), ("curve_test", "-")):
                    ax.plot(row["curve_step"], row[name], dash, color=colour, linewidth=1.1)
        ax.set(xscale="log", yscale="log", xlabel="steps", ylabel="error")
        handles = [key(name, colour) for name, colour in zip(names, PALETTE, strict=False)]
        dashes = {"on new sets": "-", "in training": "--"}
        legend_beside(figure, handles + [key(of, linestyle=dash) for of, dash in dashes.items()])
    return figure
