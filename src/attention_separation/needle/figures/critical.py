"""Figure needle_critical: the n at which each kernel's accuracy is .75, against mu and its square.

Against log mu a kernel that sees sums of degree k is straight, of slope 2k; against mu^2 softmax
and the likelihood ratio are, of slope 1/2.
"""

import math
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from attention_separation.pages.drawing import INK, RC, frame
from attention_separation.results.tables import select_rows

from ..claims.runs import trained_crossings
from .style import STYLES, CriticalDot, Mark, legend_handles

SLOPES = {"uniform": 2, "linear": 4, "power_2": 6, "power_3": 8, "power_4": 10}
"""Of log n* against log mu, in theory, for large mu."""

LEFT_OUT = 3e6
"""Left, exp and bayes are drawn up to so many tokens: else they would press the others together."""

TRIANGLE = (0.93, 1.05)
"""From where to where a slope's triangle reaches, beside the last but one mu."""

BENEATH = 1.35
"""Factor by which it stands beneath its line."""

NOTE = (
    "The n at which the best accuracy of one query is 0.75; computed. Left, triangles have the "
    "slope that is named, 2k where sums of degree k are seen: p + 1 for a score\nto the power p. "
    "Right, against μ², the dotted line is 0.7 e^(μ²/2). Bounds for uniform and linear, "
    "references for powers and softmax. Left, softmax leaves the panel."
)
NOTE_OF_DOTS = (
    "\nDots: where the mean accuracy of trained networks crosses 0.75 within the grid of n, "
    "interpolated in log n; the query given."
)
TRAINED = Mark(INK, "o", "trained")


def dots_of(cells: pa.Table) -> list[CriticalDot]:
    """Where trained networks cross .75."""
    rows = [row for row in cells.to_pylist() if not row["control"]]
    return [CriticalDot(*found) for found in trained_crossings(rows)]


def draw(title: str, critical: pa.Table, cells: pa.Table | None = None) -> Figure:
    """The figure of a table of critical n, with trained networks if there are any."""
    dots = dots_of(cells) if cells else []
    with mpl.rc_context(RC):
        figure = Figure(figsize=(9.6, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        for kernel, (mu, n) in _lines(critical).items():
            style = STYLES[kernel]
            look = {
                "color": style.color, "linestyle": style.dashes, "linewidth": style.width,
                "marker": "." if kernel != "bayes" else None,
            }  # fmt: skip
            near = n < (LEFT_OUT if kernel not in SLOPES else math.inf)
            left.plot(mu[near], n[near], **look)
            right.plot(mu**2, n, **look)
            if kernel in SLOPES and len(mu) > 1:
                _draw_triangle(left, mu, n, SLOPES[kernel])
        _draw_own_line(right, critical)
        for dot in dots:
            look = {"color": STYLES[dot.kernel].color, "markeredgecolor": INK, "markersize": 5}
            left.plot(dot.mu, dot.n, "o", zorder=4, **look)
            right.plot(dot.mu**2, dot.n, "o", zorder=4, **look)
        _finish(left, right, sorted({*critical["mu"].to_pylist()}))
        marks = [TRAINED] if dots else []
        figure.legend(handles=legend_handles(marks), loc="outside right center", fontsize=8)
    frame(figure, title, NOTE + (NOTE_OF_DOTS if dots else ""))
    return figure


def _lines(critical: pa.Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """mu and n* of each kernel, where there is one."""
    found = {}
    for kernel in STYLES:
        rows = [
            (row["mu"], row["n_critical"])
            for row in select_rows(critical, kernel=kernel).to_pylist()
            if 0 < row["n_critical"] < math.inf
        ]
        if rows:
            found[kernel] = tuple(np.array(sorted(rows)).T)
    return found


def _draw_triangle(ax: Axes, mu: np.ndarray, n: np.ndarray, slope: int) -> None:
    low, high = (share * mu[-2] for share in TRIANGLE)
    bottom = float(np.exp(np.interp(math.log(low), np.log(mu), np.log(n)))) / BENEATH
    top = bottom * (high / low) ** slope
    ax.plot([low, high, high, low], [bottom, bottom, top, bottom], color=INK, linewidth=0.7)
    ax.annotate(
        f"{slope}", (high, math.sqrt(bottom * top)), xytext=(2, 0), textcoords="offset points",
        fontsize=7.5, va="center",
    )  # fmt: skip


def _draw_own_line(ax: Axes, critical: pa.Table) -> None:
    mu = np.array(sorted({*critical["mu"].to_pylist()}))
    ax.plot(mu**2, 0.7 * np.exp(mu**2 / 2), color=INK, linestyle=":", linewidth=1, zorder=3)


def _finish(left: Axes, right: Axes, mu: Sequence[float]) -> None:
    left.set_xscale("log")
    left.set_yscale("log")
    right.set_yscale("log")
    whole = [each for each in mu if float(each).is_integer()] or list(mu)
    left.set_xticks(whole, [f"{each:g}" for each in whole])
    left.xaxis.set_minor_locator(NullLocator())
    right.set_xticks([each**2 for each in whole], [f"{each:g}²" for each in whole])
    left.set_xlabel("signal-to-noise ratio $\\mu$ of the needle, logarithmic")
    right.set_xlabel("$\\mu^2$")
    left.set_ylabel("critical $n$")
    left.set_title("Scores to a power: straight against log μ")
    right.set_title("Softmax: straight against μ²")
