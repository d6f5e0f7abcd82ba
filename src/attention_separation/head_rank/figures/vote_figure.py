"""The majority vote's error, and the heads that it needs."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, RC, frame
from attention_separation.settings.closed import Job

from ..constructions.vote import SCHEMA
from ..settings.titles import FIGURES
from . import figure_job

ZERO_PREDICTOR = 1.0
GUARANTEE = "slope 𝑑³, as in the guarantee 𝑑³/ε²\n(constant unknown;\nthrough each first point)"


def draw(table: pa.Table) -> Figure:
    """Error against H for each d, and H against d for each error."""
    rows = table.to_pylist()
    errors = [row for row in rows if row["series"] == "error"]
    needed = [row for row in rows if row["series"] == "heads_needed"]
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(9.6, 4.4), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
        _draw_errors(left, errors)
        _draw_needed(right, needed)
        draws = " or ".join(f"{n:,}" for n in sorted({row["draws"] for row in errors}))
        smallest = min(row["p_value"] for row in errors)
        note = (
            f"Points: {draws} draws of heads and data, 95 % intervals (Clopper-Pearson). Solid: "
            "exact expectation over heads and data. Dashed:\n2𝑓(0)√(π/2𝐻), with 𝑓 the density of "
            "a coordinate on the sphere; about √(𝑑/𝐻). Smallest p-value of an exact value, "
            f"corrected for {len(errors)} points: {smallest:.2g}.\nA construction for Theorem 7, "
            "whose proof is not in the text that was read. 𝐻 is the number of heads that vote, in "
            "layer 1; layer 2 takes 𝑑, and both layers have max(𝐻, 𝑑)."
        )
        frame(figure, FIGURES["rank_vote"], note)
    return figure


def _draw_errors(ax: Axes, rows: list[dict]) -> None:
    dimensions = sorted({row["d"] for row in rows})
    for d, colour in zip(dimensions, PALETTE * len(dimensions), strict=False):
        own = sorted((row for row in rows if row["d"] == d), key=lambda row: row["heads"])
        heads = np.array([row["heads"] for row in own])
        names = ("error", "ci_low", "ci_high", "error_exact", "error_law")
        error, low, high, exact, law = (np.array([row[name] for row in own]) for name in names)
        ax.plot(heads, exact, color=colour, linewidth=1)
        lawful = law <= ZERO_PREDICTOR
        ax.plot(heads[lawful], law[lawful], "--", color=colour, linewidth=0.9)
        # An interval that reaches 0 goes down to where a logarithmic axis ends.
        ax.vlines(heads, np.where(low > 0, low, error / 10), high, color=colour, alpha=0.6)
        ax.plot(heads, error, "o", color=colour, markersize=4, markerfacecolor="white", zorder=3)
        ax.annotate(
            f"𝑑 = {d}", (heads[-1], exact[-1]), xytext=(6, 0), textcoords="offset points",
            color=colour, va="center", fontsize=8.5,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("voting heads 𝐻 of rank 1")
    ax.set_ylabel(figure_job.ERROR)
    ax.margins(x=0.08)
    ax.set_title("Error of a vote of 𝐻 heads, about √(𝑑/𝐻) for many", y=1.0, pad=8)


def _draw_needed(ax: Axes, rows: list[dict]) -> None:
    epsilons = sorted({row["epsilon"] for row in rows}, reverse=True)
    ax.set_title("Heads for an error ε", y=1.0, pad=8)
    ax.set_xlabel("dimension 𝑑")
    ax.set_ylabel("voting heads 𝐻")
    for epsilon, colour in zip(epsilons, PALETTE[3:] * len(epsilons), strict=False):
        own = sorted((row for row in rows if row["epsilon"] == epsilon), key=lambda row: row["d"])
        d, heads = (np.array([row[name] for row in own], dtype=float) for name in ("d", "heads"))
        ax.plot(d, heads, "o-", color=colour, markersize=4)
        ax.plot(d, d / epsilon**2, "--", color=colour, linewidth=0.9)
        ax.plot(d, heads[0] * (d / d[0]) ** 3, ":", color=colour, linewidth=1.1)
        ax.annotate(
            f"ε = {epsilon:g}", (d[-1], heads[-1]), xytext=(0, -9), textcoords="offset points",
            color=colour, ha="right", va="top", fontsize=8.5,
        )  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(d, [f"{value:g}" for value in d])
    ax.minorticks_off()
    handles = [
        Line2D([], [], color=INK, marker="o", markersize=4, label="exact"),
        Line2D([], [], color=INK, linestyle="--", linewidth=0.9, label="𝑑/ε²"),
        Line2D([], [], color=INK, linestyle=":", linewidth=1.1, label=GUARANTEE),
    ]
    ax.legend(handles=handles, fontsize=8, loc="upper left")


def run(job: Job, table: Path, output: Path) -> None:
    figure_job.make(job, table, output, SCHEMA, __name__, draw)
