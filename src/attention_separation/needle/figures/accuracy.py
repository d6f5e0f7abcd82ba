"""Figure needle_accuracy: the best accuracy of each kernel against n, a panel for each mu."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.needle.exact.accuracy import CRITICAL
from attention_separation.needle.figures.style import STYLES, AccuracyDot, legend_handles
from attention_separation.pages.drawing import DARK_GRAY, INK, RC, frame
from attention_separation.results.tables import numpy_column, select_rows

NOTE = (
    "One query over n tokens with noise of standard deviation 1, one of which has μ more on D1; "
    "chance is 0.5, and an n is critical at 0.75.\nNo one-query layer of the kernels none and "
    "linear, read along the needle, passes its line; powers and softmax have one threshold on "
    "one ratio, or on the\nlargest token: references, not bounds. Nothing passes the gray line. "
    "Computed, not simulated."
)


class Panel(NamedTuple):
    """A panel: the mu of its lines, what stands above it, and trained networks to show in it."""

    mu: float
    words: str
    dots: Sequence[AccuracyDot] = ()


def panels_of(lines: pa.Table) -> list[Panel]:
    """A panel without dots for each mu of the table."""
    found = dict.fromkeys(lines["mu"].to_pylist())
    return [Panel(mu, f"signal-to-noise ratio of the needle $\\mu$ = {mu:g}") for mu in found]


def draw(title: str, lines: pa.Table, panels: Sequence[Panel] = ()) -> Figure:
    """The figure of a table of accuracies; with other panels than one for each mu if given."""
    shown = panels or panels_of(lines)
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.5 * len(shown) + 2.3, 4.1), layout="constrained")
        axes = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        for ax, panel in zip(axes, shown, strict=True):
            _draw_panel(ax, select_rows(lines, mu=panel.mu), panel.dots)
            ax.set_title(panel.words)
            ax.label_outer()
        with_dots = any(panel.dots for panel in shown)
        figure.legend(handles=legend_handles(with_dots), loc="outside right center", fontsize=8)
    frame(figure, title, NOTE)
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
        color = STYLES[dot.kernel].color
        ax.plot(dot.n, dot.accuracy, "o", color=color, markeredgecolor=INK, markersize=4, zorder=4)
        if dot.low is not None and dot.high is not None:
            ax.vlines(dot.n, dot.low, dot.high, color=color, zorder=3)
    ax.set_xscale("log")
    n = lines["n"].to_pylist()
    if min(n) < max(n):
        ax.set_xlim(min(n), max(n))
    ax.set_ylim(0.49, 1.01)
    ax.set_xlabel("tokens $n$")
    ax.set_ylabel("accuracy")
