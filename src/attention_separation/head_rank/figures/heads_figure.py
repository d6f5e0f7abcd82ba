"""Figure 2: what heads of full rank have learned."""

import numpy as np
from matplotlib.figure import Figure

from attention_separation.pages.drawing import INK, PALETTE, frame
from attention_separation.pages.prose import counted

from ..claims import published_values
from ..claims.runs import chosen, is_full_rank, values
from ..settings.titles import TRAINED
from .marks import error_axis, is_size, mark, panel_title, recipe


def figure_2(rows: list[dict]) -> Figure:
    """Heads of full rank: angle and size of what multiplies the points' products."""
    rows = [row for row in rows if is_full_rank(row) and row["encoding"] == "none"]
    layers = values(rows, "layers")
    figure = Figure(figsize=(max(3.6 * len(layers), 5.6) + 1, 5.8), layout="constrained")
    axes = figure.subplots(2, len(layers), squeeze=False, sharey="row")
    compared = is_size(rows, published_values.SIZE_1)
    for column, count in zip(axes.T, layers, strict=True):
        widths = values(chosen(rows, layers=count), "width")
        groups = [chosen(rows, layers=count, width=width) for width in widths]
        for ax, name in zip(column, ("angle", "norm"), strict=True):
            heads = [[x for row in group for x in row[name] if x is not None] for group in groups]
            places = range(len(widths))
            # A box of a single head is a line that hides it.
            several = {place: own for place, own in enumerate(heads) if len(own) > 1}
            if several:
                ax.boxplot(
                    [*several.values()], positions=[*several], widths=0.5, whis=(0, 100),
                    showcaps=False, medianprops={"color": PALETTE[1], "linewidth": 1.6},
                )  # fmt: skip
            for place, found in zip(places, heads, strict=True):
                spread = np.linspace(-0.18, 0.18, len(found)) if len(found) > 1 else [0.0]
                size = 3 if place in several else 9
                ax.plot(place + np.array(spread), found, ".", color=PALETTE[0], markersize=size)
            ax.set_xticks(list(places), [str(width) for width in widths])
            ax.set_xlim(-0.5, len(widths) - 0.5)
            ax.set_xlabel("heads 𝐻 of full rank")
        column[0].set_title(panel_title(rows, count), fontweight="bold")
        column[0].set_ylim(0, 185)
        column[0].set_yticks([0, 45, 90, 135, 180])
        if count == 1 and compared:
            for place, width in enumerate(widths):
                angle, norm = published_values.FIGURE_2.get(width, (np.nan, np.nan))
                column[0].plot(place, angle, "D", color=INK, markerfacecolor="none", markersize=8)
                column[1].plot(place, norm, "D", color=INK, markerfacecolor="none", markersize=8)
        error_axis(column[1].yaxis)
    axes[0, 0].set_ylabel("angle of 𝐾𝑄ᵀ to 𝐼, degrees")
    axes[1, 0].set_ylabel("‖𝐾𝑄ᵀ‖ / √𝑑")
    handles = [mark(".", "a head", PALETTE[0])]
    if compared:
        handles.append(mark("D", "published\nmedian", "none", 8))
    figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    frame(figure, TRAINED["rank_fig2"], "\n".join(_notes(rows, compared)))
    return figure


def _notes(rows: list[dict], compared: bool) -> list[str]:
    """What is shown, and how the lower axis leads to the c of Fact 1's head."""
    ranks = values(rows, "rank")
    root = f"; here √𝑟 = {ranks[0] ** 0.5:.3g}" if len(ranks) == 1 else ""
    notes = [
        f"{recipe(rows)}.",
        "180 degrees: a negative multiple of the identity, Fact 1's head for the farthest point.",
        "The norm is the paper's, ‖·‖ of Frobenius over √𝑑, without the 1/√𝑟 of the logits: a head "
        f"−𝑐𝐼 has 𝑐 = value/√𝑟{root}.",
    ]
    if compared:
        steps, batch = published_values.STEPS["rank_fig2"], published_values.BATCH
        notes.append(f"Published: medians after {steps:,} steps of {batch}, on repeated batches.")
    more = [counted(count, "layer") for count in values(rows, "layers") if count > 1]
    return notes + [f"Not in the paper's figure: {', '.join(more)}."] * bool(more)
