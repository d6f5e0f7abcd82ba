"""Errors of trained transformers against d, at ranks that are a part of it."""

from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....looks.colors import INK, PALETTE
from ....messages.words import counted
from ....pages.drawing import key, legend_beside, log_axis, sheet, ticks_at
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED
from ..training.runs import held_out_error, listed, values
from .trained_parts import ERROR, UNIFORM_ATTENTION, recipe, uniform_attention_key

MARKERS = "os^"
"""Of the lines, in order: colours alone are one in gray print."""


def figure_dimension(rows: list[Run]) -> Figure:
    """A panel for each number of layers: the error on new sets against d, a line for each part of d
    that the rank is."""
    layers = values(rows, "layers")
    parts = sorted({_part(row) for row in rows})
    looks = {
        part: (PALETTE[k % len(PALETTE)], MARKERS[k % len(MARKERS)]) for k, part in enumerate(parts)
    }
    note = (
        f"{recipe(rows)}; modules of heads in a layer: {listed(rows, 'width')}. As many steps at "
        "every $d$: errors that grow with it may be of too few."
    )
    with sheet(
        TRAINED["rank_dimension"],
        note,
        len(layers),
        cell=(3.4, 3.2),
        around=(1.9, 0.0),
        sharey=True,
    ) as (figure, axes):
        for ax, count in zip(axes, layers, strict=True):
            rows_of_panel = chosen(rows, layers=count)
            for part, (colour, marker) in looks.items():
                rows_of_line = [row for row in rows_of_panel if _part(row) == part]
                _draw_line(ax, rows_of_line, colour, marker)
            _draw_uniform_attention(ax, rows_of_panel)
            ticks_at(ax.xaxis, values(rows_of_panel, "d"))
            ax.set_title(counted(count, "layer"), fontweight="bold")
            ax.set(xlabel="dimension 𝑑", ylabel=ERROR)
            ax.label_outer()
        log_axis(axes[0].yaxis)
        handles = [
            key(_part_in_words(part), colour, marker=marker, markersize=3.5, linewidth=1.3)
            for part, (colour, marker) in looks.items()
        ]
        handles.append(uniform_attention_key())
        legend_beside(figure, handles, title="runs, and\ntheir median")
    return figure


def _part(row: Run) -> int:
    """How many times its rank d is."""
    return row["d"] // row["rank"]


def _part_in_words(part: int) -> str:
    return "𝑟 = 𝑑" if part == 1 else f"𝑟 = 𝑑/{part}"


def _draw_line(ax: Axes, rows: list[Run], colour: str, marker: str) -> None:
    """Each run's error, and a line through the medians: runs may end in two ways, and a mean lies
    between."""
    medians = {}
    for d in values(rows, "d"):
        errors = [held_out_error(row) for row in chosen(rows, d=d)]
        medians[d] = median(errors)
        ax.plot([d] * len(errors), errors, marker, color=colour, markersize=3.5, alpha=0.6)
    ax.plot(list(medians), list(medians.values()), color=colour, linewidth=1.3)


def _draw_uniform_attention(ax: Axes, rows: list[Run]) -> None:
    """A line for each number of points."""
    for n in values(rows, "n"):
        errors = {d: least_error(d, n) for d in values(chosen(rows, n=n), "d")}
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            ax.plot(list(errors), list(errors.values()), color=INK, **UNIFORM_ATTENTION)
