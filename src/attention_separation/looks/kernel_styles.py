"""How kernels and layers are drawn, in all figures, by the API and in the explorer."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any, NamedTuple

import numpy as np

from .colors import BLUE, DARK_GRAY, GREEN, INK, MIDDLE_GRAY, ORANGE, PURPLE, SKY_BLUE, VERMILION

LineStyle = str | tuple[int, tuple[float, ...]]
"""As Matplotlib takes it: a name, or an offset and lengths, in widths of the line."""

LONG_DASHES = (0, (6, 1.5))
SHORT_DASHES = (0, (4, 2))
SPARSE_DASHES = (0, (4, 4))
FINE_DOTS = (0, (1, 1.5))
DASH_AND_DOTS = (0, (6, 1, 1, 1, 1, 1))


class KernelStyle(NamedTuple):
    """How the line and the points of a kernel or a layer are drawn."""

    color: str
    line: LineStyle
    marker: str


KERNEL_STYLES = {
    "bayes": KernelStyle(MIDDLE_GRAY, "-", "o"),
    "exp": KernelStyle(BLUE, "-", "o"),
    "exp_half": KernelStyle("#4B3FC0", "--", "d"),
    "exp_sqrt_d": KernelStyle("#00304F", ":", "h"),
    "ssmax": KernelStyle("#8FA8FF", "-.", "H"),
    "decay_exp_sqrt_d": KernelStyle(DARK_GRAY, "-", "<"),
    "window_exp_sqrt_d": KernelStyle("#6B8E9E", "-.", ">"),
    "sparsemax": KernelStyle("#7F7F00", SPARSE_DASHES, "8"),
    "power_8": KernelStyle(GREEN, "-", "P"),
    "power_4": KernelStyle(PURPLE, "-", "D"),
    "power_3": KernelStyle("#7A1FA0", LONG_DASHES, "^"),
    "power_2": KernelStyle(ORANGE, "-", "s"),
    "taylor_2_sqrt_d": KernelStyle("#A87B00", ":", "p"),
    "linear": KernelStyle(VERMILION, SHORT_DASHES, "v"),
    "linear_unnormalised": KernelStyle("#9B1C1C", "-", "^"),
    "decay_linear": KernelStyle("#F2A07B", ":", "<"),
    "elu_plus_one": KernelStyle(SKY_BLUE, "-", "X"),
    "exp_features": KernelStyle("#007C80", "--", "P"),
    "hedgehog": KernelStyle("#8FDCC8", ":", "o"),
    "rbf": KernelStyle("#8B5A2B", "-", "*"),
    "least_squares": KernelStyle("#C9A77C", "--", "s"),
    "delta_half": KernelStyle("#882255", "-", "o"),
    "delta_1": KernelStyle("#DD3377", "--", "s"),
    "gated_delta": KernelStyle("#7DBE3C", ":", "D"),
    "uniform": KernelStyle(INK, FINE_DOTS, "s"),
}
"""By the name of the kernel or layer: no two have one colour. `bayes` is the best that anything can
do."""

OTHER_COLORS = ("#2F5D1E", "#5C2E5C", "#E8C547", "#B7A4E0")
OTHER_LINES: tuple[LineStyle, ...] = ("-", "--", "-.", DASH_AND_DOTS)
OTHER_STYLES = tuple(
    KernelStyle(color, line, "o") for line, color in product(OTHER_LINES, OTHER_COLORS)
)
"""Of kernels that KERNEL_STYLES has not, in turn."""

LINE_WIDTH = 1.6
WIDTH_OF_BEST = 4.0
"""Of the line of the best that anything can do."""

BROADEST_LINE, NARROWEST_LINE = 4.8, 1.1
"""Of lines that may lie over each other."""


def kernel_lines(kernels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The Matplotlib properties (color, linestyle, linewidth) of the line of each of some kernels,
    by its name; kernels that KERNEL_STYLES has not take OTHER_STYLES in turn."""
    lines = {}
    other_styles = cycle(OTHER_STYLES)
    for kernel in kernels:
        if kernel in KERNEL_STYLES:
            style = KERNEL_STYLES[kernel]
        else:
            style = next(other_styles)
        width = WIDTH_OF_BEST if kernel == "bayes" else LINE_WIDTH
        lines[kernel] = {"color": style.color, "linestyle": style.line, "linewidth": width}
    return lines


def nested_kernel_lines(kernels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The same of lines that may lie over each other, with `zorder`: each is narrower than those
    below it, and broken ones lie over whole ones, so that all are seen."""
    lines = kernel_lines(kernels)
    from_below = sorted(lines, key=lambda kernel: lines[kernel]["linestyle"] != "-")
    widths = np.geomspace(BROADEST_LINE, NARROWEST_LINE, len(lines))
    for place, (kernel, width) in enumerate(zip(from_below, widths.tolist(), strict=True)):
        lines[kernel]["zorder"] = 2 + place / 100
        if lines[kernel]["linewidth"] == LINE_WIDTH:
            lines[kernel]["linewidth"] = width
    return lines


def kernel_line(kernel: str) -> dict[str, Any]:
    """The Matplotlib properties of the line of one kernel."""
    return kernel_lines([kernel])[kernel]


def kernel_marker(kernel: str) -> str:
    """The marker of a kernel's points."""
    return KERNEL_STYLES.get(kernel, OTHER_STYLES[0]).marker
