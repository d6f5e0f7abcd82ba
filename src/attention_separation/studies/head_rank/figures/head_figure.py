"""Figure 2: what heads of full rank have learned, the angle and the size of K Q^T."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....looks.colors import INK, PALETTE
from ....messages.words import counted
from ....pages.drawing import legend_beside, log_axis, sheet
from ....results.tables import chosen
from ....statistics.contrasts import Run
from ..settings.titles import TRAINED
from ..training import published_values, runs
from .trained_parts import is_size, mark, panel_title, recipe


def figure_2(rows: list[Run]) -> Figure:
    """Heads of full rank: angle and size of what multiplies the points' products."""
    rows = [row for row in rows if runs.is_full_rank(row) and row["encoding"] == "none"]
    layers = runs.values(rows, "layers")
    is_compared = is_size(rows, published_values.SIZE_1)
    with sheet(
        TRAINED["rank_fig2"],
        "\n".join(_notes(rows, is_compared)),
        2 * len(layers),
        cell=(3.6, 2.9),
        around=(1.0, 0.0),
        columns=len(layers),
        sharey="row",
    ) as (figure, axes):
        angle_axes = axes[: len(layers)]
        norm_axes = axes[len(layers) :]
        for angle_ax, norm_ax, count in zip(angle_axes, norm_axes, layers, strict=True):
            rows_of_panel = chosen(rows, layers=count)
            angle_ax.set_title(panel_title(rows, count), fontweight="bold")
            published_angles = {}
            published_norms = {}
            if count == 1 and is_compared:
                for width, (angle, norm) in published_values.FIGURE_2.items():
                    published_angles[width] = angle
                    published_norms[width] = norm
            _draw_heads(angle_ax, rows_of_panel, "angle", published_angles)
            _draw_heads(norm_ax, rows_of_panel, "norm", published_norms)
        angle_axes[0].set_ylim(0, 185)
        angle_axes[0].set_yticks([0, 45, 90, 135, 180])
        log_axis(norm_axes[0].yaxis)
        angle_axes[0].set_ylabel("angle of 𝐾𝑄ᵀ to 𝐼, degrees")
        norm_axes[0].set_ylabel("‖𝐾𝑄ᵀ‖ / √𝑑")
        handles = [mark(".", "a head", PALETTE[0])]
        if is_compared:
            handles.append(mark("D", "published\nmedian", "none", 8))
        legend_beside(figure, handles)
    return figure


def _draw_heads(ax: Axes, rows: list[Run], name: str, published: dict[int, float]) -> None:
    """A quantity of all heads of runs, by their number in a layer; published medians by it."""
    widths = runs.values(rows, "width")
    for place, width in enumerate(widths):
        heads = _quantities(chosen(rows, width=width), name)
        if len(heads) > 1:
            ax.boxplot(
                [heads],
                positions=[place],
                widths=0.5,
                whis=(0, 100),
                showcaps=False,
                medianprops={"color": PALETTE[1], "linewidth": 1.6},
            )
            places = place + np.linspace(-0.18, 0.18, len(heads))
            ax.plot(places, heads, ".", color=PALETTE[0], markersize=3)
        else:
            # A box of a single head is a line that hides it.
            ax.plot(place + np.zeros(len(heads)), heads, ".", color=PALETTE[0], markersize=9)
        if width in published:
            # The largest may lie on the axes' edge.
            ax.plot(
                place,
                published[width],
                "D",
                color=INK,
                markerfacecolor="none",
                markersize=8,
                clip_on=False,
            )
    ax.set_xticks(range(len(widths)), [str(width) for width in widths])
    ax.set_xlim(-0.5, len(widths) - 0.5)
    ax.set_xlabel("heads 𝐻 of full rank")


def _quantities(rows: list[Run], name: str) -> list[float]:
    """A quantity of all heads of some runs, but of those without a number."""
    quantities: list[float] = []
    for row in rows:
        quantities += [value for value in row[name] if value is not None]
    return quantities


def _notes(rows: list[Run], is_compared: bool) -> list[str]:
    """What is shown, and how the lower axis leads to the c of Fact 1's head."""
    ranks = runs.values(rows, "rank")
    root = f"; here √𝑟 = {ranks[0] ** 0.5:.3g}" if len(ranks) == 1 else ""
    notes = [
        f"{recipe(rows)}.",
        "180 degrees: a negative multiple of the identity, Fact 1's head for the farthest point.",
        "The norm is the paper's, ‖·‖ of Frobenius over √𝑑, without the 1/√𝑟 of the logits: a head "
        f"−𝑐𝐼 has 𝑐 = value/√𝑟{root}.",
    ]
    if is_compared:
        steps = published_values.STEPS["rank_fig2"]
        notes.append(
            f"Published: medians after {steps:,} steps of {published_values.BATCH}, on repeated "
            "batches."
        )
    more_layers = [counted(count, "layer") for count in runs.values(rows, "layers") if count > 1]
    if more_layers:
        notes.append(f"Not in the paper's figure: {', '.join(more_layers)}.")
    return notes
