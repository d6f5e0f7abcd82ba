"""How kernels and layers are drawn, in all figures, by the API and in the explorer; with the
colours that pictures have."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE)
"""Of Okabe and Ito, which colour-blind readers can tell apart."""

WINE = "#882255"
BROWN = "#8B5A2B"

PALE_BLUE = "#EDF4F9"
INK = "#222222"
DARK_GRAY = "#666666"
MIDDLE_GRAY = "#ABABAB"
GRAY = "#C8C8C8"
PALE_GRAY = "#EFEBE3"

LONG = (0, (6, 1.5))
SHORT = (0, (4, 2))
SPARSE = (0, (4, 4))
FINE = (0, (1, 1.5))
THREE_DOTS = (0, (6, 1, 1, 1, 1, 1))
"""Dashes, in widths of the line."""

KERNELS: dict[str, tuple[str, Any, str]] = {
    "bayes": (MIDDLE_GRAY, "-", "o"),
    "exp": (BLUE, "-", "o"),
    "exp_half": (BLUE, "--", "d"),
    "exp_sqrt_d": (BLUE, ":", "h"),
    "ssmax": (BLUE, "-.", "H"),
    "decay_exp_sqrt_d": (DARK_GRAY, "-", "<"),
    "window_exp_sqrt_d": (DARK_GRAY, "-.", ">"),
    "sparsemax": (DARK_GRAY, SPARSE, "8"),
    "power_8": (GREEN, "-", "P"),
    "power_4": (PURPLE, "-", "D"),
    "power_3": (GREEN, LONG, "^"),
    "power_2": (ORANGE, "-", "s"),
    "taylor_2_sqrt_d": (ORANGE, ":", "p"),
    "linear": (VERMILION, SHORT, "v"),
    "linear_unnormalised": (VERMILION, "-", "^"),
    "decay_linear": (VERMILION, ":", "<"),
    "elu_plus_one": (SKY_BLUE, "-", "X"),
    "exp_features": (SKY_BLUE, "--", "P"),
    "hedgehog": (SKY_BLUE, ":", "o"),
    "rbf": (BROWN, "-", "*"),
    "least_squares": (BROWN, "--", "s"),
    "delta_half": (WINE, "-", "o"),
    "delta_1": (WINE, "--", "s"),
    "gated_delta": (WINE, ":", "D"),
    "uniform": (INK, FINE, "s"),
}
"""Colour, dashes and marker of a kernel or a layer, in all figures and in the explorer. `bayes` is
the best that anything can do."""

OWN = (*product((INK, MIDDLE_GRAY), ("-", "--", "-.", THREE_DOTS)),)
"""Colour and dashes of kernels that KERNELS has not, in turn."""

OWN_MARKER = "o"
WIDTH = 1.6
BROAD = 4.0
"""Widths of a kernel's line, and of the line of the best that anything can do."""


def kernel_lines(kernels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How the lines of some kernels are drawn, as Matplotlib takes it; those without a place in
    KERNELS have looks of their own in their order."""
    looks = {}
    own = cycle(OWN)
    for kernel in kernels:
        color, dashes = KERNELS[kernel][:2] if kernel in KERNELS else next(own)
        width = BROAD if kernel == "bayes" else WIDTH
        looks[kernel] = {"color": color, "linestyle": dashes, "linewidth": width}
    return looks


def kernel_line(kernel: str) -> dict[str, Any]:
    """The same of one kernel."""
    return kernel_lines([kernel])[kernel]


def kernel_marker(kernel: str) -> str:
    """The marker of a kernel's points."""
    return KERNELS[kernel][2] if kernel in KERNELS else OWN_MARKER
