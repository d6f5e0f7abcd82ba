"""Figures 1 to 4 of the paper, errors in training beside those on new data, and what networks do
along their training, from the tables of trained cells."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...pages.drawing import key, legend_beside, log_axis, save_with_numbers, sheet
from ...pages.house_style import INK, PALETTE
from ...results.provenance import record
from ...results.tables import read_schema, table_from_rows
from ...settings.strict_model import Job
from ...settings.words import counted
from ..settings.cells import EPOCH
from ..settings.titles import TRAINED
from ..training import published_values, runs
from ..training.cell_table import OF_CURVES, OF_HEADS, OF_SHARES, RUNS, entries
from . import error_figures as errors


def figure_2(rows: list[dict]) -> Figure:
    """Heads of full rank: angle and size of what multiplies the points' products."""
    rows = [row for row in rows if runs.is_full_rank(row) and row["encoding"] == "none"]
    layers = runs.values(rows, "layers")
    compared = errors.is_size(rows, published_values.SIZE_1)
    with sheet(
        TRAINED["rank_fig2"], "\n".join(_notes(rows, compared)), 2 * len(layers), (3.6, 2.9),
        (1.0, 0.0), len(layers), sharey="row",
    ) as (figure, axes):  # fmt: skip
        angles, norms = axes[: len(layers)], axes[len(layers) :]
        for angle, norm, count in zip(angles, norms, layers, strict=True):
            own = runs.chosen(rows, layers=count)
            angle.set_title(errors.panel_title(rows, count), fontweight="bold")
            theirs = published_values.FIGURE_2 if count == 1 and compared else {}
            for k, (ax, name) in enumerate(((angle, "angle"), (norm, "norm"))):
                _draw_heads(ax, own, name, {width: both[k] for width, both in theirs.items()})
        angles[0].set_ylim(0, 185)
        angles[0].set_yticks([0, 45, 90, 135, 180])
        log_axis(norms[0].yaxis)
        angles[0].set_ylabel("angle of 𝐾𝑄ᵀ to 𝐼, degrees")
        norms[0].set_ylabel("‖𝐾𝑄ᵀ‖ / √𝑑")
        handles = [errors.mark(".", "a head", PALETTE[0])]
        if compared:
            handles.append(errors.mark("D", "published\nmedian", "none", 8))
        legend_beside(figure, handles)
    return figure


def _draw_heads(ax: Axes, rows: list[dict], name: str, published: dict[int, float]) -> None:
    """A quantity of all heads of runs, by their number in a layer; published medians by it."""
    widths = runs.values(rows, "width")
    for place, width in enumerate(widths):
        of_width = runs.chosen(rows, width=width)
        heads = [x for row in of_width for x in row[name] if x is not None]
        # A box of a single head is a line that hides it.
        if len(heads) > 1:
            ax.boxplot(
                [heads], positions=[place], widths=0.5, whis=(0, 100), showcaps=False,
                medianprops={"color": PALETTE[1], "linewidth": 1.6},
            )  # fmt: skip
        spread = np.linspace(-0.18, 0.18, len(heads)) if len(heads) > 1 else np.zeros(len(heads))
        size = 3 if len(heads) > 1 else 9
        ax.plot(place + spread, heads, ".", color=PALETTE[0], markersize=size)
        if width in published:
            ax.plot(place, published[width], "D", color=INK, markerfacecolor="none", markersize=8)
    ax.set_xticks(range(len(widths)), [str(width) for width in widths])
    ax.set_xlim(-0.5, len(widths) - 0.5)
    ax.set_xlabel("heads 𝐻 of full rank")


def _notes(rows: list[dict], compared: bool) -> list[str]:
    """What is shown, and how the lower axis leads to the c of Fact 1's head."""
    ranks = runs.values(rows, "rank")
    root = f"; here √𝑟 = {ranks[0] ** 0.5:.3g}" if len(ranks) == 1 else ""
    notes = [
        f"{errors.recipe(rows)}.",
        "180 degrees: a negative multiple of the identity, Fact 1's head for the farthest point.",
        "The norm is the paper's, ‖·‖ of Frobenius over √𝑑, without the 1/√𝑟 of the logits: a head "
        f"−𝑐𝐼 has 𝑐 = value/√𝑟{root}.",
    ]
    if compared:
        steps, batch = published_values.STEPS["rank_fig2"], published_values.BATCH
        notes.append(f"Published: medians after {steps:,} steps of {batch}, on repeated batches.")
    more = [counted(count, "layer") for count in runs.values(rows, "layers") if count > 1]
    return notes + [f"Not in the paper's figure: {', '.join(more)}."] * bool(more)


ARMS = (
    ("o", "none", "new batches", runs.FRESH),
    ("s", None, f"the same {EPOCH} again", runs.REPEATED),
    ("^", None, f"the same {EPOCH} again,\nschedule per epoch,\nas published", runs.AS_PUBLISHED),
)
"""Markers that differ in shape, what they are filled with, and the arms that they stand for."""


def figure_fresh(rows: list[dict]) -> Figure:
    """A panel for each number of layers and width: what a run reports, and its error on new data.

    The colour is the rank, the marker the arm.
    """
    layers, widths = runs.values(rows, "layers"), runs.values(rows, "width")
    panels = [(count, width) for width in widths for count in layers]
    colours = dict(zip(runs.values(rows, "rank"), PALETTE, strict=False))
    shown = [row for row in rows if row["min_train"] and row["test_error"] is not None]
    every = [row[name] for row in shown for name in ("min_train", "test_error")]
    note = (
        f"{errors.recipe(rows)}. On the line, a run does on new data as it reports; above it, "
        "worse. A schedule of the rate per step where none is named."
    )
    with sheet(
        TRAINED["rank_fresh"], note, len(panels), (3.2, 2.9), (2.0, 1.1), len(layers),
        sharex=True, sharey=True,
    ) as (figure, axes):  # fmt: skip
        for ax, (count, width) in zip(axes, panels, strict=True):
            # New batches last: their open markers hide nothing.
            for marker, fill, _, arm in reversed(ARMS):
                for row in runs.chosen(shown, layers=count, width=width, **arm):
                    colour = colours[row["rank"]]
                    point = row["min_train"], row["test_error"]
                    ax.plot(
                        *point, marker, color=colour, markerfacecolor=fill or colour, markersize=6,
                        alpha=0.8,
                    )  # fmt: skip
                    if row["dead"]:
                        ax.plot(*point, "x", color=INK, markersize=4, markeredgewidth=0.8)
            if every:
                ends = [min(every), max(every)]
                ax.plot(ends, ends, color=INK, linewidth=0.8, zorder=1)
            ax.set_title(f"{errors.panel_title(rows, count)}, $w$ = {width}", fontweight="bold")
            ax.set_xlabel("least training loss of an epoch")
            ax.set_ylabel(errors.ERROR)
            ax.label_outer()
        # Of all panels at once: they share them.
        log_axis(axes[0].xaxis)
        log_axis(axes[0].yaxis)
        handles = [key(f"𝑟 = {rank}", colour, linewidth=4) for rank, colour in colours.items()]
        handles += [errors.mark(marker, name, fill or INK) for marker, fill, name, _ in ARMS]
        if any(row["dead"] for row in shown):
            handles.append(errors.mark("x", errors.DEAD, size=4))
        legend_beside(figure, handles)
    return figure


BELOW = 1e-8
"""Shares below it are rounding, and are drawn at it."""


def figure_collapse(rows: list[dict]) -> Figure:
    """The share of the first and the last layer's outputs that depends on the set, and the norm of
    the last, against the step: a line for each run."""
    cells = runs.cells_of(rows)
    looks = [{"color": color, "linestyle": dash} for dash in ("-", "--", ":") for color in PALETTE]
    note = (
        f"{errors.recipe(rows)}. Share: of the outputs' mean square, what is left without their "
        "mean over the sets; the rest is the same for every set."
    )
    with sheet(TRAINED["rank_collapse"], note, 3, (3.1, 3.6), (2.2, 0.0)) as (figure, axes):
        first, last, norm = axes
        for cell, look in zip(cells, looks, strict=False):
            for row in cell:
                for ax, layer, name in (
                    (first, 1, "share"),
                    (last, row["layers"], "share"),
                    (norm, row["layers"], "stream_norm"),
                ):
                    ax.plot(*_along(row, layer, name), linewidth=1.2, **look)
        first.set(title="share after the first layer", ylabel="share that depends on the set")
        last.set_title("share after the last layer")
        norm.set(title="norm after the last layer", ylim=(0, None))
        for ax in (first, last):
            ax.set(yscale="log", ylim=(BELOW, 1.5))
        for ax in axes:
            ax.set(xscale="log", xlabel="steps")
        names = [_name(cell[0], rows) for cell in cells]
        legend_beside(figure, [key(name, **look) for name, look in zip(names, looks, strict=False)])
    return figure


def _along(row: dict, layer: int, name: str) -> tuple[list[int], list[float]]:
    """Steps from 1 on, and what was recorded before each of a layer."""
    places = zip(row["share_step"], row["share_layer"], row[name], strict=True)
    found = [(step, value) for step, of, value in places if of == layer and step]
    return [step for step, _ in found], [max(value or 0.0, BELOW) for _, value in found]


WORDS = {"none": "no encoding"}
"""What encodings are called, where not as their setting."""


def _name(row: dict, rows: list[dict]) -> str:
    """The encoding of a run, and what else tells it from the others."""
    words = {"none": "no encoding", "concatenated": "concatenated"}
    parts = [words.get(row["encoding"]) or f"additive, {runs.initial_words(row)}"]
    if len(runs.values(rows, "layers")) > 1:
        parts.append(counted(row["layers"], "layer"))
    if len(runs.values(rows, "steps")) > 1:
        parts.append(f"{row['steps']:,} steps")
    if len(runs.values(rows, "lr")) > 1:
        parts.append(f"rate {row['lr']:g}")
    if row["warm_start"]:
        parts.append("warm start")
    return ", ".join(parts)


def figure_memory(rows: list[dict]) -> Figure:
    """Training loss and the error on new sets against the step: lines for each run."""
    cells = sorted(runs.cells_of(rows), key=lambda cell: cell[0]["batches"] or np.inf)
    again = [0 if row["regime"] == "fresh" else row["batches"] or EPOCH for row, *_ in cells]
    names = [f"{count} again and again" if count else "new batches" for count in again]
    note = (
        f"{errors.recipe(rows)}. A line for each run: its error on new sets, and its training loss."
    )
    with sheet(TRAINED["rank_memory"], note, 1, (6.0, 3.8), (1.9, 0.0)) as (figure, (ax,)):
        for colour, cell in zip(PALETTE, cells, strict=False):
            for row in cell:
                for name, dash in (("curve_train", "--"), ("curve_test", "-")):
                    ax.plot(row["curve_step"], row[name], dash, color=colour, linewidth=1.1)
        ax.set(xscale="log", yscale="log", xlabel="steps", ylabel="error")
        handles = [key(name, colour) for name, colour in zip(names, PALETTE, strict=False)]
        dashes = {"on new sets": "-", "in training": "--"}
        legend_beside(figure, handles + [key(of, linestyle=dash) for of, dash in dashes.items()])
    return figure


CROSSED = (
    ("new batches, fast warm-up", runs.FRESH),
    ("the same 100, fast warm-up", runs.REPEATED),
    ("new batches, published warm-up", {"regime": "fresh", "schedule": "per_epoch"}),
    ("the same 100, published warm-up", runs.AS_PUBLISHED),
)
"""Arms of the crossing of batches and warm-ups, and what they are called."""


def figure_crossing(rows: list[dict]) -> Figure:
    """A panel for each encoding and number of layers: training loss and the error on new sets
    against the step, by batches and warm-up; lines for each run."""
    panels = dict.fromkeys(
        (row["layers"], row["encoding"]) for row in sorted(rows, key=lambda row: row["layers"])
    )
    note = (
        f"{errors.recipe(rows)}. A line for each run: its error on new sets, and its training "
        "loss. Predicting zero has error 1."
    )
    with sheet(
        TRAINED["rank_crossing"], note, len(panels), (3.2, 2.9), (2.6, 0.0), min(2, len(panels)),
        sharey=True,
    ) as (figure, axes):  # fmt: skip
        for ax, (layers, encoding) in zip(axes, panels, strict=True):
            own = runs.chosen(rows, layers=layers, encoding=encoding)
            for colour, (_, arm) in zip(PALETTE, CROSSED, strict=False):
                for row in runs.chosen(own, **arm):
                    for name, dash in (("curve_train", "--"), ("curve_test", "-")):
                        ax.plot(row["curve_step"], row[name], dash, color=colour, linewidth=1.1)
            title = f"{counted(layers, 'layer')}, {WORDS.get(encoding, encoding)}"
            ax.set_title(title, fontweight="bold")
            ax.set(xlabel="steps", ylabel="error")
            ax.label_outer()
        handles = [key(name, colour) for (name, _), colour in zip(CROSSED, PALETTE, strict=False)]
        dashes = {"on new sets": "-", "in training": "--"}
        legend_beside(figure, handles + [key(of, linestyle=dash) for of, dash in dashes.items()])
    return figure


FIGURES = {
    "rank_fig1": errors.figure_1,
    "rank_fig2": figure_2,
    "rank_fig3": errors.figure_3,
    "rank_fig4": errors.figure_4,
    "rank_fresh": figure_fresh,
    "rank_collapse": figure_collapse,
    "rank_memory": figure_memory,
    "rank_crossing": figure_crossing,
}

WITH_FACT_1 = RUNS.append(pa.field("fact_1_error", pa.float64()))
"""A table with a row per run. `fact_1_error`: of a run of one layer with one head of full rank, the
error that Fact 1's head -cI with V = I has at the run's learned c, simulated; null of others."""

LISTS = {
    "rank_fig2": OF_HEADS,
    "rank_collapse": OF_SHARES,
    "rank_memory": OF_CURVES,
    "rank_crossing": OF_CURVES,
}
"""Columns with several entries per run, of figures that show a row per entry."""


def shown(figure: str, rows: list[dict], seed: int) -> list[dict]:
    """The runs, as `runs.read_runs` reads them, with what a figure shows beside them; `seed` is the
    root of what is simulated."""
    if figure != "rank_fig1":
        return rows
    own = runs.chosen(rows, layers=1, total_heads=1, encoding="none")
    own = runs.with_fact_1([row for row in own if runs.is_full_rank(row)], seed)
    found = {(row["cell"], row["run"]): row["fact_1_error"] for row in own}
    return [row | {"fact_1_error": found.get((row["cell"], row["run"]))} for row in rows]


def numbers(figure: str, rows: list[dict]) -> pa.Table:
    """What a figure shows, as a table with a row per run or, of LISTS, per entry."""
    if names := LISTS.get(figure):
        return entries(rows, names)
    return table_from_rows(rows, WITH_FACT_1 if figure == "rank_fig1" else RUNS)


def run(job: Job, figure: str, tables: list[Path], output: Path) -> None:
    # The root of the random streams of the cells.
    seed = int(read_schema(tables[0]).metadata[b"seed"])
    rows = shown(figure, runs.read_runs(tables).to_pylist(), seed)
    provenance = record(job.canonical(), __name__)
    save_with_numbers(FIGURES[figure](rows), output, numbers(figure, rows), provenance)
