"""What runs report beside their errors on new data: on new batches, on the same ones again, and
with the published schedule."""

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, frame

from ..claims.batch_claims import AS_PUBLISHED, FRESH, REPEATED
from ..claims.runs import chosen, values
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED
from .marks import DEAD, ERROR, error_axis, mark, panel_title, recipe

ARMS = (
    ("o", "none", "new batches", FRESH),
    ("s", None, f"the same {EPOCH} again", REPEATED),
    ("^", None, f"the same {EPOCH} again,\nschedule per epoch,\nas published", AS_PUBLISHED),
)
"""Markers that shape tells apart, what they are filled with, and the arms that they stand for."""


def figure_fresh(rows: list[dict]) -> Figure:
    """A panel for each number of layers and width: what a run reports, and its error on new data.

    The colour is the rank, the marker the arm.
    """
    layers, widths = values(rows, "layers"), values(rows, "width")
    size = (max(3.2 * len(layers), 4.4) + 2, 2.9 * len(widths) + 1.1)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(widths), len(layers), squeeze=False, sharex=True, sharey=True)
    colours = dict(zip(values(rows, "rank"), PALETTE, strict=False))
    shown = [row for row in rows if row["min_train"] and row["test_error"] is not None]
    for line, width in zip(axes, widths, strict=True):
        for ax, count in zip(line, layers, strict=True):
            # New batches last: their open markers hide nothing.
            for marker, fill, _, arm in reversed(ARMS):
                for row in chosen(shown, layers=count, width=width, **arm):
                    colour = colours[row["rank"]]
                    point = row["min_train"], row["test_error"]
                    ax.plot(
                        *point, marker, color=colour, markerfacecolor=fill or colour, markersize=6,
                        alpha=0.8,
                    )  # fmt: skip
                    if row["dead"]:
                        ax.plot(*point, "x", color=INK, markersize=4, markeredgewidth=0.8)
            ax.set_title(f"{panel_title(rows, count)}, $w$ = {width}", fontweight="bold")
    if shown:
        every = [row[name] for row in shown for name in ("min_train", "test_error")]
        for ax in axes.flat:
            ends = [min(every), max(every)]
            ax.plot(ends, ends, color=INK, linewidth=0.8, zorder=1)
    for ax in axes.flat:
        error_axis(ax.xaxis)
        error_axis(ax.yaxis)
    for ax in axes[-1]:
        ax.set_xlabel("least training loss of an epoch")
    for ax in axes[:, 0]:
        ax.set_ylabel(ERROR)
    handles = [
        *(Line2D([], [], color=c, linewidth=4, label=f"𝑟 = {r}") for r, c in colours.items()),
        *(mark(marker, name, fill or INK) for marker, fill, name, _ in ARMS),
    ]
    if any(row["dead"] for row in shown):
        handles.append(mark("x", DEAD, size=4))
    figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    note = (
        f"{recipe(rows)}. On the line, a run does on new data as it reports; above it, worse.\n"
        "A schedule of the rate per step where none is named."
    )
    frame(figure, TRAINED["rank_fresh"], note)
    return figure
