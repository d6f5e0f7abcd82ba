"""The rank bound of the second paper's layer, as a picture and a sentence."""

import numpy as np
from matplotlib.figure import Figure

from attention_separation.head_rank.theory.bound import bound
from attention_separation.pages.house_style import BLUE, MIDDLE_GRAY, VERMILION

from .pictures import legend_above, new_panel

MOST_RANKS = 9
"""Ranks at which the bound is computed: each takes some milliseconds."""


def draw_rank_bound(d: int = 64, rank: int = 32, heads: int = 2) -> Figure:
    """The error that no one layer of so many heads goes below, against their rank; a dot at `rank`.

    Parameters
    ----------
    d : dimension, from 2
    rank : of each head, 1 to d
    heads : their number

    Raises
    ------
    ValueError
        If a size is out of range.
    """
    even = np.linspace(1, d, min(d, MOST_RANKS))
    ranks = sorted({*(round(r) for r in even), rank})
    figure, axes = new_panel()
    for any_value, color, dashes, name in (
        (False, BLUE, "-", "value maps a I"), (True, VERMILION, "--", "any value maps"),
    ):  # fmt: skip
        found = [float(bound(d, r, heads, any_value)) for r in ranks]
        axes.plot(ranks, found, ".", color=color, linestyle=dashes, label=name, zorder=3)
        axes.plot([rank], [found[ranks.index(rank)]], "o", color=color, zorder=4)
    axes.axvline(rank, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"rank r of each of {heads:,} heads, d = {d}")
    axes.set_ylabel("error that is surely exceeded")
    legend_above(figure, axes)
    return figure


def say_rank_bound(d: int, rank: int, heads: int) -> str:
    """The same in a sentence."""
    own, other = (float(bound(d, rank, heads, each)) for each in (False, True))
    layer = f"one layer of {heads:,} head{'s' * (heads != 1)} of rank {rank} at d = {d}"
    about = "Apart from the number above, of the second paper:"
    if own == other == 0:
        return f"{about} for {layer} the bound is 0."
    return (
        f"{about} no {layer} predicts which of two orthogonal points is nearer with a mean squared "
        f"error below {own:.4f} (value maps a I) or {other:.4f} (any value maps). Predicting their "
        "mean has 0.5, predicting zero 1. For heads of full rank the bound is 0."
    )
