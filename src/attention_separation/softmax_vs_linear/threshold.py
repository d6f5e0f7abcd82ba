"""Verb `threshold`: what each network alone could do with its own best threshold."""

import argparse
import importlib
import textwrap
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.drawing import BLUE, INK, RC, VERMILION, save_with_numbers
from attention_separation.provenance import record
from attention_separation.softmax_vs_linear.attention import KERNELS
from attention_separation.softmax_vs_linear.dataset_ranges import note_on_definition, parameters_of
from attention_separation.softmax_vs_linear.figures import (
    SYMBOLS,
    held_title,
    said_choices,
    symbol_of,
)
from attention_separation.softmax_vs_linear.jobs import MarkedPanel, ThresholdJob
from attention_separation.softmax_vs_linear.panels import definitions_module, points
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reconstruction import (
    COLUMN,
    KEY,
    MARK,
    reconstruction,
)
from attention_separation.softmax_vs_linear.regression import LEVELS
from attention_separation.softmax_vs_linear.thresholds import (
    ThresholdCurve,
    equal_entries_curve,
    threshold_curve,
)
from attention_separation.tables import write_result

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("network", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("n", pa.int64()),
        ("d", pa.int64()),
        ("m", pa.int64()),
        *((name, pa.float64()) for name in ("a0", "a1", "b", "c")),
        ("theta", pa.float64()),
        ("p_at_theta", pa.float64()),
        ("best_theta_low", pa.float64()),
        ("best_theta_high", pa.float64()),
        ("p_best", pa.float64()),
        ("resolved", pa.bool_()),
        ("reconstructed", pa.string()),
    ]
)
"""theta is tau / sqrt(log n); `theta` is the panel's own, the same for both networks. `value` is of
the first swept parameter. The best is null where it is not `resolved`: scores of D0 and D1 then lie
so close that float64 does not tell which thresholds are between them."""

OF_POINT = ("attention_x", "n", "d", "m", "a0", "a1", "b", "c")
TITLE = "Thresholds: what each network alone can do"
ABOUT = (
    "Exact probability that one network alone tells the pair apart, positive on D1 and zero on D0: "
    "at its panel's own threshold theta = tau / sqrt(log n), the same for both networks, and at "
    "its own best one, which lies anywhere from best theta low to best theta high. Each point has "
    "its own best; two scores closer than 1e-13 sqrt(log n) have no threshold between them, and "
    "where that could hide a better one, resolved says no and the best stays empty. In softmax "
    "regression theta is tau, and all entries of Ax but the special one are 1.2 log n: what is "
    "exact is of such entries, not of the panels' random ones. " + COLUMN
)
COLOURS = {"exp": BLUE, "lin": VERMILION}
NAMES = {"exp": "𝐹_exp", "lin": "𝐹_lin"}
DRAWN = (("n", "d", "m"), ("a1", "a0", "c"))
"""The swept parameters of a model's two lines of plots."""
COLUMNS = 4
NOTE_CHARACTERS = 175
REGRESSION_LAW = "middle"
"""Of Ax in softmax regression: with all entries equal, scores are few and the curve is exact."""

MODELS = {
    "regression": "Softmax regression{mark}",
    "self_attention": "Self-attention, X = {x}{mark}",
    "cross_attention": "Cross-attention, X = {x}{mark}",
}
X_NAMES = {"identity": "identity", "ones": "all ones", None: ""}


def curve(model: str, point: Point, kernel: str) -> ThresholdCurve:
    """P(one kernel's network alone tells the pair apart) against its threshold."""
    if model == "regression":
        level = LEVELS[REGRESSION_LAW]
        return equal_entries_curve(point.n, point.m, level, kernel, point.signs)
    rows = importlib.import_module(definitions_module(model)).rows
    d0, d1 = (rows(point, dataset, KERNELS[kernel]) for dataset in (0, 1))
    return threshold_curve(d0, d1, point.m, point.s, point.data, point.signs)


def thresholds(job: ThresholdJob) -> pa.Table:
    """The best threshold of each network at every point of the panels."""
    rows = []
    for panel in job.panels:
        parameter = ",".join(panel.panel.swept())
        marked = reconstruction(panel.reconstructed, panel.notes)
        for point in points(panel.panel, panel.points):
            for kernel in KERNELS:
                found = curve(panel.panel.model, point, kernel)
                p_best, low, high = found.best() if found.resolved else (None, None, None)
                theta = point.tau / point.s
                rows.append(
                    {
                        "panel": panel.name,
                        "model": panel.panel.model,
                        "network": kernel,
                        "parameter": parameter,
                        "value": point.swept[0],
                        **{name: getattr(point, name) for name in OF_POINT},
                        "theta": theta,
                        "p_at_theta": float(found.at(theta)),
                        "best_theta_low": low,
                        "best_theta_high": high,
                        "p_best": p_best,
                        "resolved": found.resolved,
                        "reconstructed": marked,
                    }
                )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def operating_point(panels: list[MarkedPanel]) -> tuple[MarkedPanel, Point]:
    """The panel and the point whose curve stands for a row: of the last, which sweeps m, the one
    nearest to the m of the row's other panels."""
    last = panels[-1]
    others = [p.m for panel in panels[:-1] for p in points(panel.panel, panel.points)]
    wanted = np.median(others) if others else 0
    return last, min(points(last.panel, last.points), key=lambda point: abs(point.m - wanted))


def draw(job: ThresholdJob, table: pa.Table) -> Figure:
    """Two lines of plots for each model and X: the curve over theta, and the best over each swept
    parameter."""
    groups: dict[tuple, dict[str, MarkedPanel]] = {}
    for panel in job.panels:
        first = points(panel.panel, 1)[0]
        row = groups.setdefault((panel.panel.model, first.attention_x), {})
        row.setdefault(",".join(panel.panel.swept()), panel)
    lines = [
        (key, names, panels)
        for key, panels in groups.items()
        for names in DRAWN
        if names == DRAWN[0] or {*names} & panels.keys()
    ]
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(11.7, 2.45 * len(lines) + 1.2), layout="constrained")
        axes = figure.subplots(len(lines), COLUMNS, squeeze=False)
        for line, (key, names, panels) in zip(axes, lines, strict=True):
            plots = list(line)
            if names == DRAWN[0]:
                _draw_curve(plots.pop(0), _title(key, panels), panels)
            present = [panels[name] for name in names if name in panels]
            for ax, panel in zip(plots, present, strict=False):
                _draw_best(ax, panel, table)
            for ax in plots[len(present) :]:
                ax.set_axis_off()
            line[0].set_ylabel("probability")
        _frame(figure, job)
    return figure


def _title(key: tuple[str, str | None], panels: dict[str, MarkedPanel]) -> str:
    """Model and X; Ax of softmax regression and X are marked where they are reconstructed."""
    model, x = key
    of_title = "law" if model == "regression" else "attention_x"
    marked = any(of_title in panel.reconstructed for panel in panels.values())
    return MODELS[model].format(x=X_NAMES[x], mark=MARK * marked)


def _frame(figure: Figure, job: ThresholdJob) -> None:
    title = "One network alone tells D1 from D0: at its own best threshold, and at the shared one"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left", fontweight="bold")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    styles = {"own best threshold": "-", "the panel's own threshold": "--"}
    handles += [Line2D([], [], color=INK, linestyle=style) for style in styles.values()]
    # In the last cell, that no plot needs; in small figures, above.
    last = figure.axes[-1]
    place = {"loc": "center"} if not last.axison else {"loc": "upper right", "ncols": 2}
    (last if not last.axison else figure).legend(handles, [*labels, *styles], fontsize=8, **place)
    lines = [
        "Exact; in softmax regression where all entries of 𝐴𝑥 but the special one are 1.2 log 𝑛. "
        "First plot of a model: against the threshold; dotted, the panels' own, the same for both "
        "networks.",
        said_choices(map(_look, job.panels)) + ".",
    ]
    lines += filter(None, [note_on_definition(parameters_of(job.panels))])
    if any(panel.reconstructed or panel.notes for panel in job.panels):
        lines.append(KEY)
    note = "\n".join(textwrap.fill(line, NOTE_CHARACTERS) for line in lines)
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=INK)
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)


def _look(panel: MarkedPanel) -> tuple[dict, list[str], list[str]]:
    """What all plots share: X and Ax stand in the titles."""
    held = {k: v for k, v in panel.panel.held().items() if k not in ("attention_x", "law")}
    return held, panel.reconstructed, panel.notes


def _draw_curve(ax: Axes, title: str, panels: dict[str, MarkedPanel]) -> None:
    of_sizes = [panels[name] for name in DRAWN[0] if name in panels]
    panel, point = operating_point(of_sizes or list(panels.values()))
    for kernel, colour in COLOURS.items():
        found = curve(panel.panel.model, point, kernel)
        ax.stairs(found.probability, found.edges, color=colour, label=NAMES[kernel], linewidth=1.2)
    ax.axvline(point.tau / point.s, color=INK, linestyle=":", linewidth=1)
    ax.set_xlim(0, 2 if point.d else 1)
    ax.set_ylim(0, 1)
    name = "tau" if point.d is None else "theta"
    sizes = [(key, getattr(point, key)) for key in DRAWN[0]]
    marks = {key: MARK * (key in panel.reconstructed) for key in DRAWN[0]}
    at = ", ".join(
        f"{SYMBOLS[key]} = {size}{marks[key]}" for key, size in sizes if size is not None
    )
    ax.set_xlabel(f"{symbol_of(name, panel.reconstructed)}  at {at}")
    ax.set_title(title, fontweight="bold", fontsize=9, y=1.0, pad=8)


def _draw_best(ax: Axes, panel: MarkedPanel, table: pa.Table) -> None:
    (name,) = panel.panel.swept()
    rows = table.filter(pc.equal(table["panel"], panel.name))
    for kernel, colour in COLOURS.items():
        own = rows.filter(pc.equal(rows["network"], kernel)).sort_by("value")
        x = own["value"].to_numpy()
        marker = "o" if len(x) <= 12 else None
        best = own["p_best"].to_numpy()
        ax.plot(x, best, color=colour, marker=marker, markersize=3)
        ax.plot(x, own["p_at_theta"].to_numpy(), color=colour, linestyle="--", linewidth=0.9)
    if name == "d" and len(x) > 2:
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    ax.set_ylim(0, 1)
    # delta enters through m alone; theta of regression is tau, and of Ax the title speaks.
    held = {key: value for key, value in panel.panel.held().items() if key != "delta"}
    ax.set_title(held_title(held, rows, panel.reconstructed), y=1.0, pad=8, fontsize=7.5)
    ax.set_xlabel(symbol_of(name, panel.reconstructed))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panels' settings, as JSON")
    parser.add_argument(
        "--table", required=True, type=Path, help="parquet to write, the table's rest beside"
    )
    parser.add_argument(
        "--figure", required=True, type=Path, help="svg to write, the figure's rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ThresholdJob.model_validate_json(arguments.settings)
    if not job.panels:
        raise ValueError("every panel sweeps the threshold itself")
    table = thresholds(job)
    modules = sorted({definitions_module(panel.panel.model) for panel in job.panels})
    provenance = record(arguments.settings, __name__, *modules)
    write_result(table, arguments.table.with_suffix(""), provenance, TITLE, ABOUT)
    save_with_numbers(draw(job, table), arguments.figure.with_suffix(""), table, provenance)
