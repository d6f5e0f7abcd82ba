"""Error against temperature, Facts 1 and 3."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, RC, frame
from attention_separation.settings.closed import Job

from ..constructions.temperature import SCHEMA
from ..settings.titles import FIGURES
from . import figure_job

DATA = {"uniform": "independent", "orthogonal": "orthogonal"}
MARKERS = {"uniform": "o", "orthogonal": "s"}
MARKERS_OF_DIMENSIONS = "s^Dvo"

Colours = dict[tuple[float, float], str]
"""By (b_1, b_2)."""


def draw(table: pa.Table) -> Figure:
    """Fact 1, one colour for each (d, N); Fact 3, one for each b: with -b/2, with the text's +b."""
    rows = table.to_pylist()

    def of(construction: str, added: str | None) -> list[dict]:
        return [r for r in rows if (r["construction"], r["added"]) == (construction, added)]

    right, text = of("fact_3", "-b/2"), of("fact_3", "+b")
    colours = _colours(text)
    panels: list[tuple[Callable, list[dict]]] = [
        (_draw_fact_1, of("fact_1", None)),
        # Where one point is always the nearest the error falls faster than any power of c.
        (partial(_draw_right, colours=colours), [r for r in right if r["error_law"]]),
        (partial(_draw_text, colours=colours), [r for r in right + text if not r["temperature"]]),
    ]
    shown = [panel for panel in panels if panel[1]]
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(4.4 * len(shown) + 0.6, 4.6), layout="constrained")
        axes = figure.subplots(1, len(shown), squeeze=False)[0]
        for ax, (draw_panel, own) in zip(axes, shown, strict=True):
            draw_panel(ax, own)
            ax.set_ylabel(figure_job.ERROR)
        draws = " or ".join(f"{n:,}" for n in sorted({r["draws"] for r in rows}))
        note = (
            f"Points: means of {draws} draws with 95 % intervals, the same draws at every $c$. "
            "Solid: exact, by quadrature ($N$ = 2). Dashed: the law of large $c$, a constant over "
            "$c$. Predicting zero has error 1.\n"
            "Fact 3: Equation 8 on two orthogonal points, and + 𝑏, as a translation of the text "
            "has them. In the middle, without 𝑏 that make one point always the nearest; on the "
            "right, lines join exact values."
        )
        frame(figure, FIGURES["rank_temperature"], note)
    return figure


def _series(rows: list[dict], *keys: str) -> dict[tuple, list[dict]]:
    found: dict[tuple, list[dict]] = {}
    for row in sorted((r for r in rows if r["temperature"]), key=lambda r: r["temperature"]):
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _columns(rows: list[dict]) -> dict[str, np.ndarray]:
    names = ("d", "temperature", "error", "ci_low", "ci_high", "error_exact", "error_law")
    return {name: np.array([row[name] for row in rows], dtype=float) for name in names}


def _draw_points(ax: Axes, data: dict[str, np.ndarray], colour: str, marker: str) -> None:
    c, error = data["temperature"], data["error"]
    # On a logarithmic axis an interval that reaches 0 would have no foot.
    low = np.where(data["ci_low"] > 0, data["ci_low"], error / 10)
    ax.vlines(c, low, data["ci_high"], color=colour, linewidth=1.2, alpha=0.6)
    ax.plot(c, error, marker, color=colour, markersize=4, markerfacecolor="white", zorder=3)


def _draw_errors(ax: Axes, rows: list[dict], colour: str, marker: str) -> None:
    """Errors of one head against c: exact, the law of large c, and the sampled ones."""
    data = _columns(rows)
    ax.plot(data["temperature"], data["error_exact"], color=colour, linewidth=0.9)
    style = {"color": colour, "linewidth": 0.9, "linestyle": "--"}
    reached = data["error_law"] < 1.5 * data["error"].max()
    ax.plot(data["temperature"][reached], data["error_law"][reached], **style)
    _draw_points(ax, data, colour, marker)


def _temperature_axes(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("softmax temperature $c$")


def _swatch(colour: str, label: str) -> Line2D:
    return Line2D([], [], color=colour, linewidth=4, label=label)


def _mark(marker: str, label: str) -> Line2D:
    return Line2D(
        [], [], color=INK, marker=marker, markerfacecolor="white", linewidth=0, markersize=4,
        label=label,
    )  # fmt: skip


def _draw_fact_1(ax: Axes, rows: list[dict]) -> None:
    sizes = sorted({(row["d"], row["n"]) for row in rows})
    colours = dict(zip(sizes, PALETTE * len(sizes), strict=False))
    for (d, n, distribution), own in _series(rows, "d", "n", "distribution").items():
        _draw_errors(ax, own, colours[d, n], MARKERS[distribution])
    _temperature_axes(ax)
    handles = [_swatch(colours[d, n], f"$d$ = {d}, $N$ = {n}") for d, n in sizes]
    shown = {row["distribution"] for row in rows}
    handles += [_mark(MARKERS[name], f"{DATA[name]} points") for name in DATA if name in shown]
    ax.legend(handles=handles, fontsize=8, loc="lower left")
    ax.set_title("Fact 1: one head, $V = I$, $KQ^T = cI$", y=1.0, pad=8)


def _colours(rows: list[dict]) -> Colours:
    biases = list(dict.fromkeys((row["b_1"], row["b_2"]) for row in rows))
    return dict(zip(biases, PALETTE * len(biases), strict=False))


def _swatches(colours: Colours) -> list[Line2D]:
    return [_swatch(colour, f"𝑏 = ({b_1:g}, {b_2:g})") for (b_1, b_2), colour in colours.items()]


def _draw_right(ax: Axes, rows: list[dict], colours: Colours) -> None:
    dimensions = sorted({row["d"] for row in rows})
    markers = dict(zip(dimensions, MARKERS_OF_DIMENSIONS * len(dimensions), strict=False))
    for (b_1, b_2, d), own in _series(rows, "b_1", "b_2", "d").items():
        _draw_errors(ax, own, colours[b_1, b_2], markers[d])
    _temperature_axes(ax)
    used = {(row["b_1"], row["b_2"]) for row in rows}
    handles = _swatches({b: colour for b, colour in colours.items() if b in used})
    handles += [_mark(markers[d], f"$d$ = {d}") for d in dimensions]
    ax.legend(handles=handles, fontsize=8, loc="lower left")
    ax.set_title("Fact 3 with scores 𝑋ᵀ𝑦 − 𝑏/2, which Equation 8 takes", y=1.0, pad=8)


def _draw_text(ax: Axes, rows: list[dict], colours: Colours) -> None:
    """Hardmax heads: the text's, a curve for each b, and the right one."""
    right = [row for row in rows if row["added"] == "-b/2"]
    text = sorted((row for row in rows if row["added"] == "+b"), key=lambda row: row["d"])
    for (b_1, b_2), colour in colours.items():
        data = _columns([row for row in text if (row["b_1"], row["b_2"]) == (b_1, b_2)])
        ax.plot(data["d"], data["error_exact"], color=colour, linewidth=0.9)
        ax.vlines(data["d"], data["ci_low"], data["ci_high"], color=colour, alpha=0.6)
        ax.plot(data["d"], data["error"], "s", color=colour, markersize=4, mfc="white", zorder=3)
    dimensions = sorted({row["d"] for row in right})
    worst = [max(row["error_exact"] for row in right if row["d"] == d) for d in dimensions]
    ax.plot(dimensions, worst, "--", color=INK, linewidth=0.9)
    dashed = Line2D([], [], color=INK, linestyle="--", linewidth=0.9, label="− 𝑏/2, the worst 𝑏")
    ax.set_xscale("log")
    ax.set_xticks(dimensions, [str(d) for d in dimensions], minor=False)
    ax.minorticks_off()
    ax.set_xlabel("dimension $d$")
    ax.legend(handles=[*_swatches(colours), dashed], fontsize=8)
    ax.set_title("Fact 3 with 𝑋ᵀ𝑦 + 𝑏, as in the text; hardmax", y=1.0, pad=8)


def run(job: Job, table: Path, output: Path) -> None:
    figure_job.make(job, table, output, SCHEMA, __name__, draw)
