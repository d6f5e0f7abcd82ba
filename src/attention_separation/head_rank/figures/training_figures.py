"""Figures 1 to 4 of the paper, and errors in training beside those on new data, from the tables of
trained cells.
"""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, RC, frame, save_with_numbers
from attention_separation.pages.prose import counted
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows
from attention_separation.settings.jobs import Job

from ..settings.cells import EPOCH
from ..settings.titles import TRAINED
from ..training import published_values
from ..training.cell_table import HEADS, OF_HEADS, RUNS
from ..training.runs import (
    AS_PUBLISHED,
    FRESH,
    REPEATED,
    chosen,
    is_full_rank,
    read_runs,
    read_seed,
    values,
)
from ..training.single_heads import fact_1_errors
from .error_figures import figure_1, figure_3, figure_4
from .marks import DEAD, ERROR, error_axis, is_size, mark, panel_title, recipe


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


FIGURES = {
    "rank_fig1": figure_1,
    "rank_fig2": figure_2,
    "rank_fig3": figure_3,
    "rank_fig4": figure_4,
    "rank_fresh": figure_fresh,
}

WITH_FACT_1 = RUNS.append(pa.field("fact_1_error", pa.float64()))
"""A table with a row per run. `fact_1_error`: of a run of one layer with one head of full rank, the
error that Fact 1's head -cI with V = I has at the run's learned c, simulated; null of others."""

NUMBERS = dict.fromkeys(FIGURES, RUNS) | {"rank_fig1": WITH_FACT_1, "rank_fig2": HEADS}
"""The columns of what each figure shows: a row per run; in Figure 2 one per head of full rank."""


def shown(figure: str, rows: list[dict], seed: int) -> list[dict]:
    """The runs, as `runs.read_runs` reads them, with what a figure shows beside them; `seed` is the
    root of what is simulated."""
    if figure != "rank_fig1":
        return rows
    found = fact_1_errors(rows, seed)
    return [row | {"fact_1_error": found.get((row["cell"], row["run"]))} for row in rows]


def draw(figure: str, rows: list[dict]) -> Figure:
    """A figure of such rows."""
    with matplotlib.rc_context(RC):
        return FIGURES[figure](rows)


def numbers(figure: str, rows: list[dict]) -> pa.Table:
    """What it shows, as a table."""
    if figure == "rank_fig2":
        rows = [
            row | dict(zip(OF_HEADS, head, strict=True))
            for row in rows
            for head in zip(*(row[name] for name in OF_HEADS), strict=True)
        ]
    return table_from_rows(rows, NUMBERS[figure])


def run(job: Job, figure: str, tables: list[Path], output: Path) -> None:
    runs = read_runs(tables).to_pylist()
    rows = shown(figure, runs, read_seed(tables[0]))
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    save_with_numbers(draw(figure, rows), stem, numbers(figure, rows), provenance)
