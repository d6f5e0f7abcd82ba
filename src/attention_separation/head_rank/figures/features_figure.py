"""Random rank-1 heads, right and as published."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.pages.drawing import BLUE, GREEN, INK, LIGHT_GRAY, RC, VERMILION, frame
from attention_separation.settings.closed import Job

from ..constructions.features import SCHEMA
from ..settings.titles import FIGURES
from . import figure_job

LOWEST, TICKS = 0.05, (0.05, 0.1, 0.2, 0.5, 1)
DASHES, DOTS = (0, (4, 2)), (0, (1, 1.2))
LINES = {
    # The widest first: the others lie on it where they agree.
    ("compromise", "best"): (BLUE, "-", 5, 0.4, "best weights,\ncos(𝑞, 𝑘) uniform"),
    ("independent", "best"): (GREEN, "-", 1.3, 1, "best weights,\n𝑞 and 𝑘 independent"),
    ("published", "reported"): (VERMILION, DASHES, 1.5, 1, "as published:\nwhat is reported"),
    ("published", "attained"): (VERMILION, DOTS, 1.7, 1, "as published:\nwhat the weights attain"),
}
"""Of each law and quantity its colour, dashes, width, opacity and name."""


def draw(table: pa.Table) -> Figure:
    """A panel for each dimension."""
    rows = table.to_pylist()
    dimensions = sorted({row["d"] for row in rows})
    columns = min(len(dimensions), 2)
    lines = -(-len(dimensions) // columns)
    with matplotlib.rc_context(RC):
        size = (3.9 * columns + 2.6, 2.9 * lines + 1.0)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for ax, d in zip(axes, dimensions, strict=False):
            _draw_panel(ax, d, [row for row in rows if row["d"] == d])
        axes[0].set_xlim(min(row["heads"] for row in rows), max(row["heads"] for row in rows))
        for ax in axes[len(dimensions) :]:
            ax.set_axis_off()
        found: dict[str, Artist] = {}
        for ax in axes[: len(dimensions)]:
            handles, labels = ax.get_legend_handles_labels()
            found |= dict(zip(labels, handles, strict=True))
        figure.legend(found.values(), found, loc="outside right upper", fontsize=8)
        most = max(row["draw"] or 0 for row in rows) + 1
        note = (
            f"Exact given the heads; means of up to {most} draws of heads, bands from the least to "
            "the largest. Floors: all that stays\nif every degree up to 1, or 3, of the target is "
            "captured. Grey: below a lower bound for rank-1 heads of any kind with $V = aI$;\n"
            "hardmax heads need not attain it."
        )
        frame(figure, FIGURES["rank_random_features"], note)
    return figure


def _draw_panel(ax: Axes, d: int, rows: list[dict]) -> None:
    counts = sorted({row["heads"] for row in rows})
    bound = {row["heads"]: row["any_heads"] for row in rows}
    # Between two counts the bound is at least that of the larger: a step claims no more.
    ax.fill_between(
        counts, LOWEST, [bound[h] for h in counts], step="pre", color=LIGHT_GRAY, linewidth=0,
        label="below a lower bound for\nso many heads with 𝑉 = 𝑎𝐼",
    )  # fmt: skip
    for degree, style in ((1, ":"), (3, (0, (1, 4)))):
        ax.axhline(
            rows[0][f"floor_{degree}"], color=INK, linewidth=0.9, linestyle=style,
            label=f"floor of degree {degree}",
        )  # fmt: skip
    for (law, quantity), (colour, style, width, opacity, label) in LINES.items():
        own = [row for row in rows if (row["law"], row["quantity"]) == (law, quantity)]
        if own:
            heads, mean, low, high = _spread(own)
            ax.fill_between(heads, low, high, color=colour, alpha=0.15, linewidth=0)
            ax.plot(
                heads, mean, color=colour, linestyle=style, linewidth=width, alpha=opacity,
                solid_capstyle="butt", label=label,
            )  # fmt: skip
    read = [row for row in rows if row["quantity"] == "read"]
    if read:
        heads, value, *_ = _spread(read)
        ax.plot(
            heads, value, "D", color=VERMILION, markerfacecolor="white", markersize=3.5,
            clip_on=False, label="as published:\nread from its figure",
        )  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_ylim(LOWEST, 1)
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.minorticks_off()
    ax.set_title(f"𝑑 = {d}", y=1.0, pad=6)
    ax.set_xlabel("number of heads 𝐻 of rank 1")
    ax.set_ylabel(figure_job.ERROR)
    ax.label_outer()


def _spread(rows: list[dict]) -> tuple[np.ndarray, ...]:
    """Heads, and the mean, least and largest error over the draws with so many."""
    errors: dict[int, list[float]] = {}
    for row in rows:
        errors.setdefault(row["heads"], []).append(row["error"])
    heads = sorted(errors)
    stack = [[f(errors[h]) for h in heads] for f in (np.mean, min, max)]
    return np.array(heads), *map(np.array, stack)


def run(job: Job, table: Path, output: Path) -> None:
    figure_job.make(job, table, output, SCHEMA, __name__, draw)
