"""Verb `rank-figure`: Figures 1 to 4 of the paper, and errors in training beside those on new data,
from the tables of trained cells."""

import argparse
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import chosen, is_full_rank, read_runs, values
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.settings.jobs import TrainedFigureJob
from attention_separation.head_rank.settings.titles import TRAINED
from attention_separation.head_rank.training.cell_table import HEADS, OF_HEADS, RUNS
from attention_separation.pages.drawing import INK, PALETTE, RC, frame, save_with_numbers
from attention_separation.pages.prose import counted, joined
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows

ERROR = "held-out error"
RUN, MEAN, BEST, DEAD, THEIRS = "a run", "mean", "best run", "dead run", "published"
RANK_0 = "uniform attention\n(rank 0)"
NAMES = {"none": "no encoding", "additive": "additive", "concatenated": "concatenated"}


def draw(figure: str, rows: list[dict]) -> Figure:
    """A figure of runs, as `runs.read_runs` reads them."""
    with matplotlib.rc_context(RC):
        return FIGURES[figure](rows)


def _figure_1(rows: list[dict]) -> Figure:
    series = [
        (f"𝑤 = {width}", {"width": width}, lambda layers, w=width: _theirs_1(layers, w))
        for width in values(rows, "width")
    ]
    d, widths = values(rows, "d"), values(rows, "width")
    missing = ""
    if d and max(widths) < max(d):
        missing = f" $w$ = {' and '.join(map(str, widths))}: the paper's $w$ = $d$ is not run."
    compared = _is_size(rows, published_values.SIZE_1)
    return _by_layers(rows, series, TRAINED["rank_fig1"], compared, missing)


def _theirs_1(layers: int, width: int) -> dict[int, float]:
    found = published_values.FIGURE_1.get((layers, width))
    return dict(zip(published_values.RANKS, found, strict=True)) if found else {}


def _figure_3(rows: list[dict]) -> Figure:
    least = min(values(rows, "width"))
    series = [
        (
            NAMES[encoding],
            {"encoding": encoding, "width": least},
            lambda layers, e=encoding: _theirs_3(layers, e),
        )
        for encoding in NAMES
        if chosen(rows, encoding=encoding, width=least)
    ]
    for width in values(rows, "width")[1:]:
        name = f"no encoding, {width // least} × 𝑤"
        series.append((name, {"encoding": "none", "width": width}, lambda layers: {}))
    compared = least == published_values.WIDTH_3 and _is_size(rows, published_values.SIZE_1)
    return _by_layers(rows, series, TRAINED["rank_fig3"], compared)


def _theirs_3(layers: int, encoding: str) -> dict[int, float]:
    if encoding == "none":
        return _theirs_1(layers, published_values.WIDTH_3)
    found = published_values.FIGURE_3.get((layers, encoding))
    return dict(zip(published_values.RANKS, found, strict=True)) if found else {}


def _figure_4(rows: list[dict]) -> Figure:
    series = [(f"$N$ = {n}", {"n": n}, lambda layers, n=n: _theirs_4(n)) for n in values(rows, "n")]
    compared = _is_size(rows, published_values.SIZE_4)
    widths, d = values(rows, "width"), values(rows, "d")
    apart = f" $w$ = {', '.join(map(str, widths))}, where the paper has $w$ = $d$." * (widths != d)
    return _by_layers(rows, series, TRAINED["rank_fig4"], compared, apart)


def _theirs_4(n: int) -> dict[int, float]:
    found = published_values.FIGURE_4.get(n)
    return dict(zip(published_values.FIGURE_4_RANKS, found, strict=True)) if found else {}


def _is_size(rows: list[dict], size: dict[str, int]) -> bool:
    """Whether published values may stand beside the runs."""
    return all(row[key] == value for row in rows for key, value in size.items())


def _by_layers(
    rows: list[dict],
    series: list[tuple[str, dict, Callable[[int], dict]]],
    title: str,
    compared: bool,
    apart: str = "",
) -> Figure:
    """A panel per number of layers: error against rank, a line per series; published values
    beside those that are `compared`. `apart`: what the note says is not as in the paper."""
    layers = values(rows, "layers")
    figure = Figure(figsize=(3.6 * max(len(layers), 1.4) + 1.7, 4.0), layout="constrained")
    axes = figure.subplots(1, len(layers), squeeze=False, sharey=True)[0]
    for ax, count in zip(axes, layers, strict=True):
        for k, (colour, (_, wanted, theirs)) in enumerate(zip(PALETTE, series, strict=False)):
            own = chosen(rows, layers=count, **wanted)
            if own:
                # Beside each other: runs of several series have nearly the same error.
                _draw_line(ax, own, colour, 2 ** (0.1 * (k - (len(series) - 1) / 2)))
            if own and compared and (points := theirs(count)):
                ax.plot(
                    list(points), list(points.values()), ":", color=colour, linewidth=1,
                    marker="D", markersize=3, markerfacecolor="white",
                )  # fmt: skip
        _rank_axis(ax, values(chosen(rows, layers=count), "rank"))
        ax.set_title(counted(count, "layer"), fontweight="bold")
        ax.axhline(1, color=INK, linestyle="--", linewidth=0.8)
        _draw_rank_0(ax, chosen(rows, layers=count), series)
    axes[0].set_ylabel(ERROR)
    _error_axis(axes[0].yaxis)
    lines = [
        Line2D([], [], color=colour, linewidth=4, label=name)
        for colour, (name, _, _) in zip(PALETTE, series, strict=False)
    ]
    _add_legend(figure, rows, title, compared, lines, apart)
    return figure


def _draw_rank_0(ax: Axes, rows: list[dict], series: list[tuple[str, dict, Callable]]) -> None:
    """A line at the error of uniform attention for each number of points: of a series' colour where
    series differ in it."""
    colours = {
        (row["d"], row["n"]): colour
        for colour, (_, wanted, _) in zip(PALETTE, series, strict=False)
        for row in chosen(rows, **wanted)
    }
    for (d, n), colour in colours.items():
        # Of two points it makes no error, which such an axis has no place for.
        if n > 2:
            shade = colour if len(colours) > 1 else INK
            ax.axhline(least_error(d, n), color=shade, linestyle="-.", linewidth=0.9)


def _error_axis(axis: Axis) -> None:
    """Errors on a scale of logarithms, with numbers that a person reads."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _draw_line(ax: Axes, rows: list[dict], colour: str, beside: float) -> None:
    ranks = values(rows, "rank")
    groups = [chosen(rows, rank=rank) for rank in ranks]
    means = [np.mean(_errors(group)) if _errors(group) else np.nan for group in groups]
    places = [rank * beside for rank in ranks]
    ax.plot(places, means, color=colour, linewidth=1.3, zorder=3)
    for rank, group in zip(places, groups, strict=True):
        for row in group:
            if row["test_error"] is not None:
                marker = "x" if row["dead"] else "o"
                ax.plot(rank, row["test_error"], marker, color=colour, markersize=3.5, alpha=0.6)
        if errors := _errors(group):
            ax.plot(rank, min(errors), "_", color=colour, markersize=11, markeredgewidth=1.2)


def _errors(rows: list[dict]) -> list[float]:
    return [row["test_error"] for row in rows if row["test_error"] is not None]


def _rank_axis(ax: Axes, ranks: list[int]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(ranks, [str(rank) for rank in ranks])
    ax.minorticks_off()
    ax.set_xlabel("rank 𝑟 of a head")


def _figure_2(rows: list[dict]) -> Figure:
    """Heads of full rank: angle and size of what multiplies the points' products."""
    rows = [row for row in rows if is_full_rank(row) and row["encoding"] == "none"]
    layers = values(rows, "layers")
    figure = Figure(figsize=(max(3.6 * len(layers), 5.6), 5.6), layout="constrained")
    axes = figure.subplots(2, len(layers), squeeze=False, sharey="row")
    for column, count in zip(axes.T, layers, strict=True):
        widths = values(chosen(rows, layers=count), "width")
        groups = [chosen(rows, layers=count, width=width) for width in widths]
        for ax, name in zip(column, ("angle", "norm"), strict=True):
            heads = [[x for row in group for x in row[name] if x is not None] for group in groups]
            places = range(len(widths))
            ax.boxplot(
                heads, positions=list(places), widths=0.5, whis=(0, 100), showcaps=False,
                medianprops={"color": PALETTE[1], "linewidth": 1.6},
            )  # fmt: skip
            for place, found in zip(places, heads, strict=True):
                spread = np.linspace(-0.18, 0.18, len(found)) if len(found) > 1 else [0.0]
                ax.plot(place + np.array(spread), found, ".", color=PALETTE[0], markersize=3)
            ax.set_xticks(list(places), [str(width) for width in widths])
            ax.set_xlabel("heads 𝐻 of full rank")
        column[0].set_title(counted(count, "layer"), fontweight="bold")
        column[0].set_ylim(0, 185)
        column[0].set_yticks([0, 45, 90, 135, 180])
        _error_axis(column[1].yaxis)
        if count == 1 and _is_size(rows, published_values.SIZE_1):
            for place, width in enumerate(widths):
                angle, norm = published_values.FIGURE_2.get(width, (np.nan, np.nan))
                column[0].plot(place, angle, "D", color=INK, markerfacecolor="white")
                column[1].plot(place, norm, "D", color=INK, markerfacecolor="white")
    axes[0, 0].set_ylabel("angle of 𝐾𝑄ᵀ to 𝐼, degrees")
    axes[1, 0].set_ylabel("‖𝐾𝑄ᵀ‖ / √𝑑")
    title = TRAINED["rank_fig2"]
    note = (
        f"{_recipe(rows)}.\n180 degrees: a negative multiple of the identity, Fact 1's head for "
        "the farthest point."
    )
    more = [counted(count, "layer") for count in layers if count > 1]
    note += f"\nNot in the paper's figure: {', '.join(more)}." if more else ""
    frame(figure, title, note)
    return figure


def _figure_fresh(rows: list[dict]) -> Figure:
    """What a run reports beside its error on new data, in both regimes."""
    layers = values(rows, "layers")
    figure = Figure(figsize=(max(4.0 * len(layers), 5.6), 4.4), layout="constrained")
    axes = figure.subplots(1, len(layers), squeeze=False, sharex=True, sharey=True)[0]
    widths, ranks = values(rows, "width"), values(rows, "rank")
    colours = dict(zip(ranks, PALETTE, strict=False))
    markers = dict(zip(widths, "os^v", strict=False))
    shown = [row for row in rows if row["min_train"] and row["test_error"] is not None]
    for ax, count in zip(axes, layers, strict=True):
        for row in chosen(shown, layers=count):
            fill = colours[row["rank"]] if row["regime"] == "repeated" else "white"
            ax.plot(
                row["min_train"], row["test_error"], markers[row["width"]],
                color=colours[row["rank"]], markerfacecolor=fill, markersize=5,
            )  # fmt: skip
        ax.set_title(counted(count, "layer"), fontweight="bold")
        ax.set_xlabel("least training loss of an epoch")
        _error_axis(ax.xaxis)
        _error_axis(ax.yaxis)
    if shown:
        every = [row[name] for row in shown for name in ("min_train", "test_error")]
        for ax in axes:
            ends = [min(every), max(every)]
            ax.plot(ends, ends, color=INK, linewidth=0.8, zorder=1)
    axes[0].set_ylabel(ERROR)
    handles = [
        *(Line2D([], [], color=c, linewidth=4, label=f"𝑟 = {r}") for r, c in colours.items()),
        *(_mark(m, f"𝑤 = {w}", "white") for w, m in markers.items()),
        _mark("o", "the same 100 batches", INK),
        _mark("o", "new batches", "white"),
    ]
    figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    note = f"{_recipe(rows)}. On the line, a run does on new data as it reports; above it, worse."
    frame(figure, TRAINED["rank_fresh"], note)
    return figure


def _mark(marker: str, name: str, fill: str) -> Line2D:
    return Line2D(
        [], [], linewidth=0, marker=marker, color=INK, markerfacecolor=fill, label=name
    )  # fmt: skip


def _add_legend(
    figure: Figure, rows: list[dict], title: str, compared: bool, lines: list[Line2D], apart: str
) -> None:
    handles = [
        *lines,
        _mark("o", RUN, INK),
        Line2D([], [], color=INK, linewidth=1.3, label=MEAN),
        Line2D([], [], color=INK, linewidth=0, marker="_", markersize=9, label=BEST),
        Line2D([], [], color=INK, linewidth=0.9, linestyle="-.", label=RANK_0),
    ]
    if any(row["dead"] for row in rows):
        handles.append(_mark("x", DEAD, INK))
    if compared:
        handles.append(Line2D([], [], color=INK, linestyle=":", marker="D", markersize=3,
                              markerfacecolor="white", label=THEIRS))  # fmt: skip
    figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    rank_0 = "$-a\\,x_i + b\\,\\Sigma_j\\,x_j$"
    note = f"{_recipe(rows)}. Dashed: predicting zero; dash-dotted: the best {rank_0}."
    if compared:
        note += " Published: least training loss on repeated batches, best of five runs."
    # On a line of its own: the figures of one panel are narrow.
    note += f"\n{apart.strip()}" if apart else ""
    frame(figure, title, note)


def _recipe(rows: list[dict]) -> str:
    """What the runs have in common, in words."""
    parts = [f"$d$ = {_listed(rows, 'd')}", f"$N$ = {_listed(rows, 'n')}"]
    runs = len(values(rows, "run"))
    parts += [f"{_listed(rows, 'steps')} steps of {_listed(rows, 'batch')} sets", f"{runs} runs"]
    return ", ".join(parts)


def _listed(rows: list[dict], name: str) -> str:
    return joined([f"{value:,}" for value in values(rows, name)], "or")


FIGURES = {
    "rank_fig1": _figure_1,
    "rank_fig2": _figure_2,
    "rank_fig3": _figure_3,
    "rank_fig4": _figure_4,
    "rank_fresh": _figure_fresh,
}


def numbers(figure: str, runs: pa.Table) -> pa.Table:
    """What a figure shows: a row per run; in Figure 2 a row per head of full rank."""
    if figure != "rank_fig2":
        return runs.select(RUNS.names)
    rows = [
        row | dict(zip(OF_HEADS, head, strict=True))
        for row in runs.to_pylist()
        for head in zip(*(row[name] for name in OF_HEADS), strict=True)
    ]
    return table_from_rows(rows, HEADS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the figure and its cells, as JSON")
    parser.add_argument("--tables", required=True, nargs="+", type=Path, help="the cells' tables")
    parser.add_argument("--output", required=True, type=Path, help="svg to write, the rest beside")


def run(arguments: argparse.Namespace) -> None:
    job = TrainedFigureJob.model_validate_json(arguments.settings)
    runs = read_runs(arguments.tables, job.cells)
    provenance = record(arguments.settings, __name__)
    stem = arguments.output.with_suffix("")
    picture = draw(job.figure, runs.to_pylist())
    save_with_numbers(picture, stem, numbers(job.figure, runs), provenance)
