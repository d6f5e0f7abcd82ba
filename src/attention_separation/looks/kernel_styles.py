"""How kernels and layers are drawn, in all figures, by the API and in the explorer."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any, NamedTuple

from .colors import (
    BLUE,
    BROWN,
    DARK_GRAY,
    GREEN,
    INK,
    MIDDLE_GRAY,
    ORANGE,
    PURPLE,
    SKY_BLUE,
    VERMILION,
    WINE,
)

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
    "exp_half": KernelStyle(BLUE, "--", "d"),
    "exp_sqrt_d": KernelStyle(BLUE, ":", "h"),
    "ssmax": KernelStyle(BLUE, "-.", "H"),
    "decay_exp_sqrt_d": KernelStyle(DARK_GRAY, "-", "<"),
    "window_exp_sqrt_d": KernelStyle(DARK_GRAY, "-.", ">"),
    "sparsemax": KernelStyle(DARK_GRAY, SPARSE_DASHES, "8"),
    "power_8": KernelStyle(GREEN, "-", "P"),
    "power_4": KernelStyle(PURPLE, "-", "D"),
    "power_3": KernelStyle(GREEN, LONG_DASHES, "^"),
    "power_2": KernelStyle(ORANGE, "-", "s"),
    "taylor_2_sqrt_d": KernelStyle(ORANGE, ":", "p"),
    "linear": KernelStyle(VERMILION, SHORT_DASHES, "v"),
    "linear_unnormalised": KernelStyle(VERMILION, "-", "^"),
    "decay_linear": KernelStyle(VERMILION, ":", "<"),
    "elu_plus_one": KernelStyle(SKY_BLUE, "-", "X"),
    "exp_features": KernelStyle(SKY_BLUE, "--", "P"),
    "hedgehog": KernelStyle(SKY_BLUE, ":", "o"),
    "rbf": KernelStyle(BROWN, "-", "*"),
    "least_squares": KernelStyle(BROWN, "--", "s"),
    "delta_half": KernelStyle(WINE, "-", "o"),
    "delta_1": KernelStyle(WINE, "--", "s"),
    "gated_delta": KernelStyle(WINE, ":", "D"),
    "uniform": KernelStyle(INK, FINE_DOTS, "s"),
}
"""By the name of the kernel or layer. `bayes` is the best that anything can do."""

OTHER_COLORS = (INK, MIDDLE_GRAY)
OTHER_LINES: tuple[LineStyle, ...] = ("-", "--", "-.", DASH_AND_DOTS)
OTHER_STYLES = tuple(KernelStyle(*look, "o") for look in product(OTHER_COLORS, OTHER_LINES))
"""Of kernels that KERNEL_STYLES has not, in turn."""

LINE_WIDTH = 1.6
WIDTH_OF_BEST = 4.0
"""Of the line of the best that anything can do."""


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


def kernel_line(kernel: str) -> dict[str, Any]:
    """The Matplotlib properties of the line of one kernel."""
    return kernel_lines([kernel])[kernel]


def kernel_marker(kernel: str) -> str:
    """The marker of a kernel's points."""
    return KERNEL_STYLES.get(kernel, OTHER_STYLES[0]).marker
