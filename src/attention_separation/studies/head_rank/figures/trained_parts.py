"""What several figures of trained transformers have in common: words of notes and titles, marks of
uniform attention and of legends."""

from collections import Counter
from collections.abc import Iterable

from matplotlib.lines import Line2D

from ....looks.colors import INK
from ....messages.words import counted
from ....pages.drawing import Look, key
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..training.cell_table import DEAD
from ..training.runs import listed, values
from .panels import Mark, level

HELD_OUT_ERROR = "held-out error"
DEAD_WORDS = f"dead run: {100 * DEAD:g} % or more of\nuniform attention's error"

UNIFORM_ATTENTION: Look = {"linestyle": "-.", "linewidth": 0.9}
"""The line at the error of uniform attention, which is rank 0."""


def uniform_attention_key() -> Line2D:
    """The legend's entry for the line at the error of uniform attention."""
    return key("uniform attention\n(rank 0)", **UNIFORM_ATTENTION)


def uniform_attention_levels(sizes: Iterable[tuple[int, int]]) -> list[Mark]:
    """The lines at the error of uniform attention, one for each size (d, N)."""
    return [level(least_error(d, n), color=INK, **UNIFORM_ATTENTION) for d, n in sizes]


def mark_key(marker: str, name: str, fill: str = INK, size: float = 6) -> Line2D:
    """The legend's entry for a marker."""
    return key(name, linewidth=0, marker=marker, markersize=size, markerfacecolor=fill)


def has_size(rows: list[Run], size: dict[str, int]) -> bool:
    """Whether all runs are of a size, so that published values may stand beside them."""
    return len(chosen(rows, **size)) == len(rows)


def recipe(rows: list[Run]) -> str:
    """The d, N, steps, batch and number of runs a cell of some runs, in words."""
    # A table may have several rows of a run.
    runs_per_cell = Counter(cell for cell, _ in {(row["cell"], row["run"]) for row in rows})
    fewest = min(runs_per_cell.values())
    most = max(runs_per_cell.values())
    runs = counted(most, "run") if fewest == most else f"{fewest} to {most} runs a cell"
    # Some stop before the steps that their schedule is of.
    steps = listed([{"steps": row["stop_after"] or row["steps"]} for row in rows], "steps")
    return (
        f"$d$ = {listed(rows, 'd')}, $N$ = {listed(rows, 'n')}, "
        f"{steps} steps of {listed(rows, 'batch')} sets, {runs}"
    )


def panel_title(rows: list[Run], layers: int) -> str:
    """The title of the panel of so many layers; with the steps where panels differ in them."""
    title = counted(layers, "layer")
    if len(values(rows, "steps")) > 1 and len(values(rows, "layers")) > 1:
        steps = listed([row for row in rows if row["layers"] == layers], "steps")
        title += f", {steps} steps"
    return title
