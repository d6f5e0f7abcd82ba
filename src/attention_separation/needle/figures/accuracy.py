"""Figure needle_accuracy: the best accuracy of each kernel against n, a panel for each mu."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.pages.drawing import DARK_GRAY, INK, RC, frame
from attention_separation.results.tables import numpy_column, select_rows

from ..claims.runs import QUERIES
from ..exact.accuracy import CRITICAL
from .style import STYLES, AccuracyDot, Map, legend_handles, marks_of

NOTE = (
    "One query over n tokens with noise of standard deviation 1, one of which has μ more on D1; "
    "chance is 0.5, and an n is critical at 0.75.\nOf uniform and linear, no layer of heads whose "
    "queries do not see the tokens, with scores and values linear in them, passes its line;\n"
    "powers and softmax have one threshold on one ratio, or on the largest token: references, not "
    "bounds. Nothing passes the gray line. Computed, not simulated."
)
NOTE_OF_DOTS = (
    "\nDots: trained networks, every run, on held-out sequences; one beneath its line has not "
    "learned it in these steps. Query given: it is the needle's direction, drawn for each "
    "sequence.\nQuery learned: the first paper's D1 against D0; classes separate these tokens, so "
    "that the bounds are not theirs."
)
ARMS = {arm: QUERIES[arm] for arm in ("query_given", "query_learned")}
"""Arms that are shown, in words."""


class Panel(NamedTuple):
    """A panel: the mu of its lines, what stands above it, and trained networks to show in it."""

    mu: float
    words: str
    dots: Sequence[AccuracyDot] = ()


def panels_of(lines: pa.Table) -> list[Panel]:
    """A panel without dots for each mu of the table."""
    found = dict.fromkeys(lines["mu"].to_pylist())
    return [Panel(mu, f"signal-to-noise ratio of the needle $\\mu$ = {mu:g}") for mu in found]


def panels_of_runs(cells: pa.Table) -> list[Panel]:
    """A panel for each arm and mu, with a dot for each run; controls are not shown."""
    rows = [row for row in cells.to_pylist() if not row["control"] and row["arm"] in ARMS]
    marks = marks_of(map_of(row) for row in rows)
    panels: dict[tuple[str, float], list[AccuracyDot]] = {}
    for row in rows:
        dots = panels.setdefault((row["arm"], row["mu"]), [])
        dots.append(AccuracyDot(marks[map_of(row)], row["n"], row["accuracy"]))
    return [
        Panel(mu, f"{ARMS[arm]}, $\\mu$ = {mu:g}", dots)
        for (arm, mu), dots in sorted(panels.items(), key=lambda item: item[0])
    ]


def map_of(row: dict) -> Map:
    """The attention map of a run."""
    return row["kernel"], row["divided_by"], row["features"]


def draw(title: str, lines: pa.Table, cells: pa.Table | None = None) -> Figure:
    """The figure of a table of accuracies, with the runs of trained networks if there are any."""
    shown = (panels_of_runs(cells) if cells else []) or panels_of(lines)
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.5 * len(shown) + 2.3, 4.1), layout="constrained")
        axes = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        for ax, panel in zip(axes, shown, strict=True):
            _draw_panel(ax, select_rows(lines, mu=panel.mu), panel.dots)
            ax.set_title(panel.words)
            ax.label_outer()
        marks = [dot.mark for panel in shown for dot in panel.dots]
        figure.legend(handles=legend_handles(marks), loc="outside right center", fontsize=8)
    frame(figure, title, NOTE + (NOTE_OF_DOTS if marks else ""))
    return figure


def _draw_panel(ax: Axes, lines: pa.Table, dots: Sequence[AccuracyDot]) -> None:
    ax.axhline(CRITICAL, color=DARK_GRAY, linewidth=0.8)
    for order, (kernel, style) in enumerate(STYLES.items()):
        rows = select_rows(lines, kernel=kernel)
        n = numpy_column(rows, "n")
        at = np.argsort(n)
        ax.plot(
            n[at], numpy_column(rows, "accuracy")[at], color=style.color, linestyle=style.dashes,
            linewidth=style.width, zorder=2 + order / 10,
        )  # fmt: skip
    for dot in dots:
        ax.plot(
            dot.n, dot.accuracy, dot.mark.marker, color=dot.mark.color, markeredgecolor=INK,
            markeredgewidth=0.5, markersize=4, zorder=4, clip_on=False,
        )  # fmt: skip
    ax.set_xscale("log")
    n = lines["n"].to_pylist()
    if min(n) < max(n):
        ax.set_xlim(min(n), max(n))
    ax.set_ylim(0.49, 1.01)
    ax.set_xlabel("tokens $n$")
    ax.set_ylabel("accuracy")
