"""Verb `threshold`: what each network alone could do with its own best threshold."""

import argparse
import importlib
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.drawing import BLUE, INK, RC, VERMILION, save_with_numbers
from attention_separation.provenance import record
from attention_separation.softmax_vs_linear.attention import KERNELS
from attention_separation.softmax_vs_linear.jobs import ThresholdJob
from attention_separation.softmax_vs_linear.panels import ExactPanel, definitions_module, points
from attention_separation.softmax_vs_linear.point import Point
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
        ("theta", pa.float64()),
        ("p_at_theta", pa.float64()),
        ("best_theta_low", pa.float64()),
        ("best_theta_high", pa.float64()),
        ("p_best", pa.float64()),
    ]
)
"""theta is tau / sqrt(log n); `theta` is the panel's own, the same for both networks."""

TITLE = "Thresholds: what each network alone can do"
ABOUT = (
    "Exact probability that one network alone tells the pair apart, positive on D1 and zero on D0: "
    "at the threshold theta = tau / sqrt(log n) that both networks have in the experiments, and at "
    "its own best one, which lies anywhere from best theta low to best theta high. In softmax "
    "regression theta is tau, and all entries of Ax but the special one are 1.2 log n."
)
COLOURS = {"exp": BLUE, "lin": VERMILION}
NAMES = {"exp": "𝐹_exp", "lin": "𝐹_lin"}
SYMBOLS = {"n": "𝑛", "d": "𝑑", "m": "𝑚"}
REGRESSION_LAW = "middle"
"""Of Ax in softmax regression: with all entries equal, scores are few and the curve is exact."""

ROWS = {
    ("regression", None): "Softmax regression, Ax = 1.2 log n",
    ("self_attention", "identity"): "Self-attention, X = identity",
    ("self_attention", "ones"): "Self-attention, X = all ones",
    ("cross_attention", "identity"): "Cross-attention, X = identity",
}


def curve(model: str, point: Point, kernel: str) -> ThresholdCurve:
    """P(one kernel's network alone tells the pair apart) against its threshold."""
    if model == "regression":
        return equal_entries_curve(point.n, point.m, LEVELS[REGRESSION_LAW], kernel)
    rows = importlib.import_module(definitions_module(model)).rows
    d0, d1 = (rows(point, dataset, KERNELS[kernel]) for dataset in (0, 1))
    return threshold_curve(d0, d1, point.m, point.s, point.data)


def thresholds(job: ThresholdJob) -> pa.Table:
    """The best threshold of each network at every point of the panels."""
    rows = []
    for panel in job.panels:
        parameter = ",".join(panel.panel.swept())
        for point in points(panel.panel, panel.points):
            for kernel in KERNELS:
                found = curve(panel.panel.model, point, kernel)
                p_best, low, high = found.best()
                theta = point.tau / point.s
                rows.append(
                    {
                        "panel": panel.name,
                        "model": panel.panel.model,
                        "attention_x": point.attention_x,
                        "network": kernel,
                        "parameter": parameter,
                        "value": point.swept[0],
                        "n": point.n,
                        "d": point.d,
                        "m": point.m,
                        "theta": theta,
                        "p_at_theta": found.at(theta),
                        "best_theta_low": low,
                        "best_theta_high": high,
                        "p_best": p_best,
                    }
                )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def operating_point(panels: list[ExactPanel]) -> tuple[str, Point]:
    """The model and the point whose curve stands for a row: of the panel that sweeps m, the one
    nearest to the m of the row's other panels."""
    last = panels[-1]
    others = [p.m for panel in panels[:-1] for p in points(panel.panel, panel.points)]
    wanted = np.median(others) if others else 0
    return last.panel.model, min(
        points(last.panel, last.points), key=lambda point: abs(point.m - wanted)
    )


def draw(job: ThresholdJob, table: pa.Table) -> Figure:
    """A row for each model and X: the curve over theta, and the best over n, d and m."""
    groups: dict[tuple, dict[str, ExactPanel]] = {}
    for panel in job.panels:
        first = points(panel.panel, 1)[0]
        row = groups.setdefault((panel.panel.model, first.attention_x), {})
        row.setdefault(",".join(panel.panel.swept()), panel)
    with matplotlib.rc_context(RC):
        height = 2.35 * len(groups) + 1.0
        figure = Figure(figsize=(11.7, height), layout="constrained")
        axes = figure.subplots(len(groups), 4, squeeze=False)
        for line, (key, panels) in zip(axes, groups.items(), strict=True):
            _draw_curve(line[0], [panels[name] for name in SYMBOLS if name in panels])
            line[0].set_ylabel("probability")
            line[0].set_title(ROWS[key], fontweight="bold", fontsize=9, y=1.0, pad=8)
            for ax, name in zip(line[1:], SYMBOLS, strict=True):
                if name in panels:
                    _draw_best(ax, panels[name], table)
                else:
                    ax.set_axis_off()
        _frame(figure)
    return figure


def _frame(figure: Figure) -> None:
    title = "One network alone tells D1 from D0: at its own best threshold, and at the shared one"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left", fontweight="bold")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=len(labels), fontsize=8)
    note = (
        "Exact. Left: against the threshold over √log 𝑛; dotted: the threshold of the experiments, "
        "the same for both networks. Right: solid, at the network's own best threshold; dashed, "
        "at the threshold of the experiments."
    )
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=INK)
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)


def _draw_curve(ax: Axes, panels: list[ExactPanel]) -> None:
    model, point = operating_point(panels)
    for kernel, colour in COLOURS.items():
        found = curve(model, point, kernel)
        ax.stairs(found.probability, found.edges, color=colour, label=NAMES[kernel], linewidth=1.2)
    ax.axvline(point.tau / point.s, color=INK, linestyle=":", linewidth=1)
    ax.set_xlim(0, 2 if point.d else 1)
    ax.set_ylim(0, 1)
    scale = "τ" if point.d is None else "τ/√log 𝑛"
    sizes = [(symbol, getattr(point, name)) for name, symbol in SYMBOLS.items()]
    at = ", ".join(f"{symbol} = {size}" for symbol, size in sizes if size is not None)
    ax.set_xlabel(f"{scale}  at {at}")


def _draw_best(ax: Axes, panel: ExactPanel, table: pa.Table) -> None:
    (name,) = panel.panel.swept()
    rows = [row for row in table.to_pylist() if row["panel"] == panel.name]
    for kernel, colour in COLOURS.items():
        own = sorted((r for r in rows if r["network"] == kernel), key=lambda r: r["value"])
        x = [row["value"] for row in own]
        marker = "o" if len(x) <= 12 else None
        ax.plot(x, [r["p_best"] for r in own], color=colour, marker=marker, markersize=3)
        ax.plot(x, [r["p_at_theta"] for r in own], color=colour, linestyle="--", linewidth=0.9)
    if name == "d" and len(x) > 2:
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    ax.set_ylim(0, 1)
    ax.set_title(_held(rows, name), y=1.0, pad=8)
    ax.set_xlabel(SYMBOLS[name])


def _held(rows: list[dict], swept: str) -> str:
    held = {key: sorted({row[key] for row in rows}) for key in SYMBOLS if key != swept}
    return ",  ".join(f"{SYMBOLS[k]} = {v[0]}" for k, v in held.items() if len(v) == 1 and v[0])


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
        raise ValueError("no panel sweeps only n, d or m")
    table = thresholds(job)
    modules = sorted({definitions_module(panel.panel.model) for panel in job.panels})
    provenance = record(arguments.settings, __name__, *modules)
    write_result(table, arguments.table.with_suffix(""), provenance, TITLE, ABOUT)
    save_with_numbers(draw(job, table), arguments.figure.with_suffix(""), table, provenance)
