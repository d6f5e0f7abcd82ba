"""Verb `rank-temperature-figure`: error against temperature, Facts 1 and 3."""

import argparse

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.drawing import INK, PALETTE, RC
from attention_separation.head_rank import figure_job
from attention_separation.head_rank.figure_job import add_arguments
from attention_separation.head_rank.jobs import TableFigureJob
from attention_separation.head_rank.temperature import SCHEMA

__all__ = ["add_arguments", "draw", "run"]

DATA = {"uniform": "independent", "orthogonal": "orthogonal"}
MARKERS = {"uniform": "o", "orthogonal": "s"}


def draw(job: TableFigureJob, table: pa.Table) -> Figure:
    """Fact 1, one colour for each (d, N); beside it Fact 3 with either bias."""
    rows = table.to_pylist()
    facts = {name: [r for r in rows if r["construction"] == name] for name in ("fact_1", "fact_3")}
    shown = [name for name in facts if facts[name]]
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(4.6 * len(shown) + 0.6, 4.4), layout="constrained")
        ratios = [{"fact_1": 1.25, "fact_3": 1}[name] for name in shown]
        axes = figure.subplots(1, len(shown), squeeze=False, width_ratios=ratios)[0]
        for ax, name in zip(axes, shown, strict=True):
            {"fact_1": _draw_fact_1, "fact_3": _draw_fact_3}[name](ax, facts[name])
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.set_xlabel("softmax temperature $c$")
            ax.set_ylabel("mean squared error")
        figure.suptitle(job.title, fontsize=11, x=0.01, ha="left", fontweight="bold")
        draws = " or ".join(f"{n:,}" for n in sorted({r["draws"] for r in rows}))
        note = (
            f"Points: means of {draws} draws with 95 % intervals, the same draws at every $c$. "
            "Solid: exact, by quadrature ($N$ = 2). Dashed: the law of large $c$."
        )
        figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=INK)
        figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)
    return figure


def _series(rows: list[dict], *keys: str) -> dict[tuple, list[dict]]:
    found: dict[tuple, list[dict]] = {}
    for row in sorted((r for r in rows if r["temperature"]), key=lambda r: r["temperature"]):
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _columns(rows: list[dict]) -> dict[str, np.ndarray]:
    names = ("temperature", "error", "ci_low", "ci_high", "error_exact", "error_law")
    return {name: np.array([row[name] for row in rows], dtype=float) for name in names}


def _draw_points(ax: Axes, data: dict[str, np.ndarray], colour: str, marker: str) -> None:
    c, error = data["temperature"], data["error"]
    # On a logarithmic axis an interval that reaches 0 would have no foot.
    low = np.where(data["ci_low"] > 0, data["ci_low"], error / 10)
    ax.vlines(c, low, data["ci_high"], color=colour, linewidth=1.2, alpha=0.6)
    ax.plot(c, error, marker, color=colour, markersize=4, markerfacecolor="white", zorder=3)


def _draw_fact_1(ax: Axes, rows: list[dict]) -> None:
    sizes = sorted({(row["d"], row["n"]) for row in rows})
    colours = dict(zip(sizes, PALETTE * len(sizes), strict=False))
    series = _series(rows, "d", "n", "distribution")
    for (d, n, distribution), own in series.items():
        data, colour = _columns(own), colours[d, n]
        ax.plot(data["temperature"], data["error_exact"], color=colour, linewidth=0.9)
        style = {"color": colour, "linewidth": 0.9, "linestyle": "--"}
        reached = data["error_law"] < 1.5 * data["error"].max()
        ax.plot(data["temperature"][reached], data["error_law"][reached], **style)
        _draw_points(ax, data, colour, MARKERS[distribution])
    handles = [
        Line2D([], [], color=colours[size], linewidth=4, label=f"$d$ = {size[0]}, $N$ = {size[1]}")
        for size in sizes
    ] + [
        Line2D(
            [], [], color=INK, marker=MARKERS[name], markerfacecolor="white", linewidth=0,
            markersize=4, label=f"{DATA[name]} points",
        )
        for name in DATA
        if name in {row["distribution"] for row in rows}
    ]  # fmt: skip
    ax.legend(handles=handles, fontsize=8, loc="lower left")
    ax.set_title("Fact 1: one head, $V = I$, $KQ^T = cI$. The error falls as $1/c$", y=1.0, pad=8)


def _draw_fact_3(ax: Axes, rows: list[dict]) -> None:
    d = rows[0]["d"]
    for index, ((bias,), own) in enumerate(_series(rows, "bias").items()):
        data, colour = _columns(own), PALETTE[index % len(PALETTE)]
        ax.plot(data["temperature"], data["error_exact"], color=colour, linewidth=0.9)
        ax.plot(data["temperature"], data["error_law"], "--", color=colour, linewidth=0.9)
        _draw_points(ax, data, colour, "s")
        (limit,) = (r for r in rows if r["temperature"] is None and r["bias"] == bias)
        last = data["temperature"][-1], data["error"][-1]
        place = {
            "-b/2": {
                "xy": (0.04, 0.06),
                "xycoords": "axes fraction",
                "va": "bottom",
                "xytext": (0, 0),
            },
            "+b": {"xy": last, "xytext": (0, -9), "ha": "right", "va": "top"},
        }[bias]
        text = {"-b/2": "− 𝑏/2, which Equation 8 takes", "+b": "+ 𝑏, as in the text"}[bias]
        ax.annotate(
            f"scores 𝑋ᵀ𝑦 {text}:\nwith hardmax the error is {limit['error_exact']:.3g}",
            textcoords="offset points", fontsize=8, color=colour, **place,
        )  # fmt: skip
    ax.margins(y=0.12)
    ax.set_title(f"Fact 3: biased, two orthogonal points, $d$ = {d}", y=1.0, pad=8)


def run(arguments: argparse.Namespace) -> None:
    figure_job.make(arguments, SCHEMA, __name__, draw)
