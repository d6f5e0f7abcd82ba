"""Errors of trained transformers against d, at ranks that are a part of it."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...pages.drawing import key, legend_beside, log_axis, sheet, ticks_at
from ...pages.house_style import INK, PALETTE
from ...results.tables import chosen
from ...settings.words import counted
from ...statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.titles import TRAINED
from ..training.runs import held_out_error, values
from .trained_parts import ERROR, mark, recipe


def figure_dimension(rows: list[Run]) -> Figure:
    """A panel for each number of layers: the error on new sets against d, a line for each part of d
    that the rank is."""
    layers = values(rows, "layers")
    parts = sorted({_part(row) for row in rows})
    colour_by_part = dict(zip(parts, PALETTE, strict=False))
    note = (
        f"{recipe(rows)}, $w$ = {_listed(rows, 'width')}. Dash-dotted: uniform attention at best."
    )
    with sheet(
        TRAINED["rank_dimension"],
        note,
        len(layers),
        cell=(3.4, 3.2),
        around=(1.5, 0.0),
        sharey=True,
    ) as (figure, axes):
        for ax, count in zip(axes, layers, strict=True):
            rows_of_panel = chosen(rows, layers=count)
            for part, colour in colour_by_part.items():
                rows_of_line = [row for row in rows_of_panel if _part(row) == part]
                _draw_line(ax, rows_of_line, colour)
            _draw_uniform_attention(ax, rows_of_panel)
            ticks_at(ax.xaxis, values(rows_of_panel, "d"))
            ax.set_title(counted(count, "layer"), fontweight="bold")
            ax.set(xlabel="dimension 𝑑", ylabel=ERROR)
            ax.label_outer()
        log_axis(axes[0].yaxis)
        names = [
            key(_part_in_words(part), colour, linewidth=4)
            for part, colour in colour_by_part.items()
        ]
        legend_beside(figure, [*names, mark("o", "a run"), key("mean", linewidth=1.3)])
    return figure


def _part(row: Run) -> int:
    """How many times its rank d is."""
    return row["d"] // row["rank"]


def _part_in_words(part: int) -> str:
    return "𝑟 = 𝑑" if part == 1 else f"𝑟 = 𝑑/{part}"


def _listed(rows: list[Run], name: str) -> str:
    return " or ".join(map(str, values(rows, name)))


def _draw_line(ax: Axes, rows: list[Run], colour: str) -> None:
    """Each run's error, and a line through the means."""
    means = {}
    for d in values(rows, "d"):
        errors = [held_out_error(row) for row in chosen(rows, d=d)]
        means[d] = sum(errors) / len(errors)
        ax.plot([d] * len(errors), errors, "o", color=colour, markersize=3.5, alpha=0.6)
    ax.plot(list(means), list(means.values()), color=colour, linewidth=1.3)


def _draw_uniform_attention(ax: Axes, rows: list[Run]) -> None:
    """A line for each number of points."""
    for n in values(rows, "n"):
        errors = {d: least_error(d, n) for d in values(chosen(rows, n=n), "d")}
        # Of two points it makes no error, which a logarithmic axis has no place for.
        if n > 2:
            ax.plot(list(errors), list(errors.values()), color=INK, linestyle="-.", linewidth=0.9)
