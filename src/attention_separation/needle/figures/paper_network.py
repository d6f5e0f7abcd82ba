"""Figure needle_paper_network: the first paper's network trained, every token a query."""

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, MIDDLE_GRAY, RC, VERMILION, frame

from .style import STYLES

NOTE = (
    "All weights trained, X from the identity; ReLU neurons on every token, standardised, pooled "
    "by the largest. Bars: means of runs; dots: every run, on held-out sequences.\nWith linear "
    "attention a token's query can copy the token; row sums vary from token to token: there 0.5 is "
    "a failed training, for\nweights set by hand have 0.60 at μ = 5 and n = 512."
)

WORDS = {
    (None, "sum"): "no\nattention",
    ("linear", "n"): "linear,\nby $n$",
    ("linear_unnormalised", "rms"): "linear,\nRMSNorm",
    ("linear", "sum"): "linear, by\nrow sums",
    ("exp", "sum"): "softmax",
}


def draw(title: str, lines: pa.Table, cells: pa.Table) -> Figure:
    """The figure of tables of accuracies and of networks."""
    rows = [
        row for row in cells.to_pylist() if row["arm"] == "self_attention" and not row["control"]
    ]
    places = sorted({(row["mu"], row["n"]) for row in rows})
    bayes = {
        (row["mu"], row["n"]): row["accuracy"]
        for row in lines.to_pylist()
        if row["kernel"] == "bayes"
    }
    with mpl.rc_context(RC):
        count = max(len(places), 1)
        figure = Figure(figsize=(3.9 * count + 2.0, 3.9), layout="constrained")
        axes = figure.subplots(1, count, squeeze=False, sharey=True)[0]
        for ax, place in zip(axes, places, strict=False):
            own = [row for row in rows if (row["mu"], row["n"]) == place]
            _draw_panel(ax, own, place, bayes.get(place))
            ax.label_outer()
        style = STYLES["bayes"]
        handles = [
            Line2D([], [], color=style.color, linewidth=style.width, label=style.words),
            Line2D([], [], color=INK, linestyle="--", linewidth=1, label="without attention"),
        ]
        figure.legend(handles=handles, loc="outside right center", fontsize=8)
    frame(figure, title, NOTE)
    return figure


def _draw_panel(ax: Axes, rows: list[dict], place: tuple[float, int], bayes: float | None) -> None:
    maps = list(dict.fromkeys((row["kernel"], row["divided_by"]) for row in rows))
    for at, (kernel, divided_by) in enumerate(maps):
        own = [
            row["accuracy"]
            for row in rows
            if (row["kernel"], row["divided_by"]) == (kernel, divided_by)
        ]
        known = STYLES[kernel].color if kernel in STYLES else VERMILION
        color = MIDDLE_GRAY if kernel is None else known
        ax.bar(at, float(np.mean(own)) - 0.5, bottom=0.5, width=0.6, color=color, alpha=0.6)
        ax.plot([at] * len(own), own, "o", color=color, markeredgecolor=INK, markersize=4)
        if kernel is None:
            ax.axhline(float(np.mean(own)), color=INK, linestyle="--", linewidth=1, zorder=1)
    if bayes is not None:
        style = STYLES["bayes"]
        ax.axhline(bayes, color=style.color, linewidth=style.width, zorder=1)
    names = [WORDS.get(each, f"{each[0]},\nby {each[1]}") for each in maps]
    ax.set_xticks(range(len(maps)), names, fontsize=8)
    ax.set_ylim(0.49, 1.01)
    ax.set_ylabel("held-out accuracy")
    mu, n = place
    ax.set_title(f"$\\mu$ = {mu:g}, $n$ = {n}")
