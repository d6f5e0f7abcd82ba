"""Verb `figure`: success rates against the swept parameters, panel by panel."""

import argparse
import textwrap
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.drawing import BLUE, INK, RC, VERMILION, save_with_numbers
from attention_separation.prose import rounded_up
from attention_separation.provenance import record
from attention_separation.softmax_vs_linear.contest import said_contests
from attention_separation.softmax_vs_linear.dataset_ranges import note_on_definition
from attention_separation.softmax_vs_linear.exact_table import read_joined
from attention_separation.softmax_vs_linear.jobs import FigureJob, PanelLook
from attention_separation.softmax_vs_linear.models import modules_of_others
from attention_separation.softmax_vs_linear.parameters import MRule
from attention_separation.softmax_vs_linear.reconstruction import KEY, MARK

SYMBOLS = {
    "n": "𝑛",
    "d": "𝑑",
    "m": "𝑚",
    "delta": "δ",
    "a0": "𝑎₀",
    "a1": "𝑎₁",
    "b": "𝑏",
    "c": "𝑐",
    "tau": "τ",
    "theta": "τ/√log 𝑛",
}
"""Numeric parameters as text, in the order in which titles list them."""

X_LABELS = {
    "n": "input length 𝑛",
    "d": "embedding dimension 𝑑",
    "m": "network width 𝑚",
    "a0": "size of the special entry in 𝐷₀, 𝑎₀",
    "a1": "size of the special entry in 𝐷₁, 𝑎₁",
    "b": "size of the class entries 𝑏",
    "c": "size of the last column 𝑐",
    "delta": "δ",
    "tau": "threshold τ",
    "theta": "threshold τ/√log 𝑛",
}
CHOICES = {
    ("law", "uniform"): "𝐴𝑥/log 𝑛 uniform on [1, 1.4]",
    ("law", "two-point"): "𝐴𝑥/log 𝑛 is 1 or 1.4",
    ("law", "low"): "𝐴𝑥/log 𝑛 = 1",
    ("law", "middle"): "𝐴𝑥/log 𝑛 = 1.2",
    ("law", "high"): "𝐴𝑥/log 𝑛 = 1.4",
    ("attention_x", "identity"): "𝑋 the identity",
    ("attention_x", "ones"): "𝑋 all ones",
    ("data", "independent"): "𝐷₀ and 𝐷₁ drawn independently",
    ("data", "same"): "𝐷₀ and 𝐷₁ from the same draw",
    ("signs", "shared"): "one 𝑦 per trial",
    ("signs", "fresh"): "a fresh 𝑦 per network",
}
MANY_POINTS = 12
VERY_MANY_POINTS = 90
CONTOURS = (0.1, 0.25, 0.5, 0.75, 0.9)
TITLE_ITEMS_PER_LINE = 4
CHARACTERS_PER_INCH = 17


def draw(job: FigureJob, tables: list[pa.Table]) -> Figure:
    """The figure, one panel for each table in order: trials as dots with 95 % intervals, and exact
    or reference values as a line. The tables hold both, joined."""
    columns = min(len(tables), 3 if len(tables) > 4 else 2)
    rows = -(-len(tables) // columns)
    with matplotlib.rc_context(RC):
        size = (3.9 * columns, 2.75 * rows + 0.75) if len(tables) > 1 else (5.4, 3.9)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for index, (ax, look, table) in enumerate(zip(axes, job.panels, tables, strict=False)):
            letter = chr(ord("a") + index) if len(tables) > 1 else ""
            _draw_panel(ax, look, table, letter)
        for ax in axes[len(tables) :]:
            ax.set_axis_off()
        figure.suptitle(
            job.title, fontsize=11, x=0.01, ha="left", fontweight="bold", parse_math=False
        )
        _draw_legend(figure, tables)
        note = _footnote(job, tables, characters=int(size[0] * CHARACTERS_PER_INCH))
        figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=INK)
        figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)
    return figure


def _draw_panel(ax: Axes, look: PanelLook, table: pa.Table, letter: str) -> None:
    swept = list(look.panel.swept())
    # A given y spares Matplotlib the search for one, at every draw.
    ax.set_title(held_title(look.panel.held(), table, look.reconstructed), pad=8, y=1.0)
    ax.annotate(
        letter, (0, 1), xytext=(-26, 8), xycoords="axes fraction", textcoords="offset points",
        fontsize=11, fontweight="bold", va="bottom",
    )  # fmt: skip
    if len(swept) == 2:
        _draw_map(ax, look, table)
        return
    x = table["value"].to_numpy()
    order = np.argsort(x)
    names = ("value", "p_hat", "ci_low", "ci_high", "p_exact")
    x, rate, low, high, exact = (table[name].to_numpy()[order] for name in names)
    many = len(x) > MANY_POINTS
    if many:
        # Where points are dense and hardly scatter, the line would vanish beneath them.
        dense = len(x) > VERY_MANY_POINTS
        above, width, size = (3.5, 0.9, 1.6) if dense else (2.5, 1.3, 2.2)
        ax.plot(x, exact, color=VERMILION, linewidth=width, clip_on=False, zorder=above)
        ax.vlines(x, low, high, color=BLUE, alpha=0.25, linewidth=1.0)
    else:
        # Few values, and none between them: ticks with a thin link.
        size = 4.0
        ax.plot(
            x, exact, color=VERMILION, linewidth=0.6, linestyle=":", marker="_", markersize=13,
            markeredgewidth=1.4, clip_on=False, zorder=2.5,
        )  # fmt: skip
        ax.vlines(x, low, high, color=BLUE, alpha=0.45, linewidth=1.6)
    ax.plot(x, rate, "o", color=BLUE, markersize=size, clip_on=False, zorder=3)
    if _evenly_in_logarithm(x):
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    else:
        ax.set_xlim(x[0], x[-1]) if many else ax.margins(x=0.08)
    ax.set_ylim(0, 1)
    ax.set_xlabel(_axis_label(swept[0], look))
    ax.set_ylabel("success rate")


def _draw_legend(figure: Figure, tables: list[pa.Table]) -> None:
    largest = max(table["p_error"].to_numpy().max() for table in tables)
    line = "exact" if largest == 0 else f"reference value, estimated error ≤ {rounded_up(largest)}"
    handles = [
        Line2D([], [], color=BLUE, marker="o", markersize=4, linewidth=0, label="trials"),
        Line2D([], [], color=VERMILION, linewidth=1.3, label=line),
    ]
    figure.legend(handles=handles, loc="upper right", ncols=2, fontsize=8, borderaxespad=0.3)


def _draw_map(ax: Axes, look: PanelLook, table: pa.Table) -> None:
    swept = list(look.panel.swept())
    coordinates = [_swept_values(name, table) for name in swept]
    (first, column), (second, row) = (np.unique(c, return_inverse=True) for c in coordinates)
    rate, exact = np.full((2, len(second), len(first)), np.nan)
    rate[row, column] = table["p_hat"].to_numpy()
    exact[row, column] = table["p_exact"].to_numpy()
    mesh = ax.pcolormesh(edges(first), edges(second), rate, vmin=0, vmax=1)
    levels = [level for level in CONTOURS if exact.min() < level < exact.max()]
    if levels and min(exact.shape) > 1:
        lines = ax.contour(first, second, exact, levels, colors=VERMILION, linewidths=1)
        ax.clabel(lines, fontsize=7)
    ax.grid(False)
    ax.figure.colorbar(mesh, ax=ax, label="success rate")
    for axis, values, name in ((ax.xaxis, first, swept[0]), (ax.yaxis, second, swept[1])):
        axis.set_label_text(_axis_label(name, look))
        if len(values) <= MANY_POINTS:
            axis.set_ticks(values, [f"{value:g}" for value in values])


def edges(values: np.ndarray) -> np.ndarray:
    """Ends of the cells around sorted values: midway between neighbours."""
    if len(values) == 1:
        return values + np.array([-0.5, 0.5])
    middles = (values[1:] + values[:-1]) / 2
    ends = values[0] - (middles[0] - values[0]), values[-1] + (values[-1] - middles[-1])
    return np.array([ends[0], *middles, ends[1]])


def _axis_label(name: str, look: PanelLook) -> str:
    return X_LABELS[name] + "*" * (name in look.reconstructed)


def _swept_values(name: str, table: pa.Table) -> np.ndarray:
    """The values of a swept parameter, row by row; theta has no column but makes tau."""
    if name in table.column_names:
        return table[name].to_numpy()
    return np.round(table["tau"].to_numpy() / np.sqrt(np.log(table["n"].to_numpy())), 12)


def held_title(
    held: dict[str, Any], table: pa.Table, reconstructed: Collection[str] = (),
    per_line: int = TITLE_ITEMS_PER_LINE,
) -> str:  # fmt: skip
    """The numeric parameters held fixed, as lines of text; an asterisk marks reconstructed ones."""
    items = [
        f"{symbol} = {_value(name, held[name], table)}{MARK * (name in reconstructed)}"
        for name, symbol in SYMBOLS.items()
        if name in held
    ]
    lines = [
        ",  ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)
    ]
    return "\n".join(lines)


def _value(name: str, value: object, table: pa.Table) -> str:
    if isinstance(value, MRule):
        used = table["m"].unique().to_pylist()
        return str(used[0]) if len(used) == 1 else _rule(value)
    if isinstance(value, str):
        return value.replace("c", SYMBOLS["c"])
    return f"{value:g}"


def _rule(rule: MRule) -> str:
    log = {"e": "log", 2: "log₂", 10: "log₁₀"}[rule.base]
    times = "" if rule.times == 1 else f"{rule.times:g} "
    text = f"{times}{log}{'(𝑛/δ)' if rule.log_of == 'n/delta' else ' 𝑛'}"
    text = {"floor": "⌊{}⌋", "ceil": "⌈{}⌉", "nearest": "[{}]"}[rule.round].format(text)
    return text if rule.at_least == 1 else f"max({text}, {rule.at_least})"


def symbol_of(name: str, reconstructed: Collection[str] = ()) -> str:
    """A parameter as text; theta, a fraction, has an asterisk behind brackets."""
    if name not in reconstructed:
        return SYMBOLS[name]
    return f"({SYMBOLS[name]}){MARK}" if name == "theta" else f"{SYMBOLS[name]}{MARK}"


def said_choices(looks: Iterable[tuple[dict[str, Any], Collection[str], Collection[str]]]) -> str:
    """The choices that panels make, in words, each once; what is reconstructed has an asterisk.

    `looks` are each panel's parameters held fixed, its reconstructed ones, and its model's notes.
    """
    looks = list(looks)
    choices = dict.fromkeys(
        CHOICES[name, value] + MARK * (name in reconstructed)
        for held, reconstructed, _ in looks
        for name, value in held.items()
        if (name, value) in CHOICES
    )
    notes = dict.fromkeys(note for *_, notes in looks for note in notes)
    return "; ".join([*choices, *notes])


def _footnote(job: FigureJob, tables: list[pa.Table], characters: int) -> str:
    """The choices that all panels share, the trials, what leaves the datasets' definition, and what
    the asterisk means."""
    choices = said_choices(
        (look.panel.held(), look.reconstructed, look.notes) for look in job.panels
    )
    trials = sorted({look.panel.trials for look in job.panels})
    counts = " or ".join(f"{count:,}" for count in trials)
    maps = all(len(look.panel.swept()) == 2 for look in job.panels)
    intervals = "lines: exact" if maps else "95 % intervals (Clopper-Pearson)"
    lines = [f"{counts} trials per point; {intervals}; {choices}."]
    lines += said_contests({look.name: look.contest for look in job.panels})
    parameters = [
        (look.panel.model, tuple(row.values()))
        for look, table in zip(job.panels, tables, strict=True)
        for row in table.select(["a0", "a1", "b", "c"]).to_pylist()
    ]
    lines += filter(None, [note_on_definition(parameters)])
    if any(look.reconstructed or look.notes for look in job.panels):
        lines.append(KEY)
    return "\n".join(textwrap.fill(line, characters) for line in lines)


def _evenly_in_logarithm(x: np.ndarray) -> bool:
    """Whether few positive values lie further apart the larger they are."""
    gaps = np.diff(x)
    return 3 <= len(x) <= MANY_POINTS and x[0] > 0 and gaps[-1] > 4 * gaps[0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--tables", required=True, nargs="+", type=Path, help="its panels' tables")
    parser.add_argument(
        "--exact", required=True, nargs="+", type=Path, help="tables of their exact values"
    )
    parser.add_argument("--output", required=True, type=Path, help="svg to write, the rest beside")


def run(arguments: argparse.Namespace) -> None:
    job = FigureJob.model_validate_json(arguments.settings)
    tables = read_joined(arguments.tables, arguments.exact, job.panels)
    stem = arguments.output.with_suffix("")
    # Panels of other contests have other events.
    whole = pa.concat_tables(
        [table.replace_schema_metadata() for table in tables], promote_options="default"
    )
    others = modules_of_others(look.panel.model for look in job.panels)
    provenance = record(arguments.settings, __name__, without=others)
    save_with_numbers(draw(job, tables), stem, whole, provenance)
