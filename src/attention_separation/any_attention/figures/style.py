"""Colours and lines of kernels, and the frame that the figures share: a panel for each layer."""

from collections.abc import Iterable, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.attention.kernels import KERNELS
from attention_separation.pages.drawing import (
    BLUE,
    GREEN,
    INK,
    MIDDLE_GRAY,
    PALETTE,
    PURPLE,
    RC,
    VERMILION,
    frame,
)

LINES = {
    "exp": (BLUE, "-"),
    "exp_half": (BLUE, "--"),
    "exp_sqrt_d": (BLUE, ":"),
    "power_8": (VERMILION, "-"),
    "power_4": (VERMILION, "--"),
    "power_2": (VERMILION, "-."),
    "linear": (VERMILION, ":"),
    "elu_plus_one": (GREEN, "-"),
    "exp_features": (GREEN, "--"),
    "hedgehog": (GREEN, ":"),
    "sparsemax": (PURPLE, (0, (4, 4))),
    "rbf": (PALETTE[4], "--"),
    "sigmoid_log_n": (PALETTE[5], "-"),
    "none": (INK, (0, (1, 1))),
}
"""Colour and dashes of a kernel: exponentials blue, polynomials vermilion, feature maps green."""

OTHERS = (MIDDLE_GRAY, "-")


def label_of(name: str) -> str:
    """A kernel's name and formula, for a legend."""
    if name == "none":
        return "none: 1, no attention"
    return f"{name}: {KERNELS[name].symbol}" if name in KERNELS else name


def sheet(layers: Sequence[Layer], title: str, note: str, height: float = 4.2):
    """A figure with a panel for each layer, and the panels."""
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.1 * len(layers) + 2.2, height), layout="constrained")
        panels = figure.subplots(1, len(layers), squeeze=False)[0]
        for panel, layer in zip(panels, layers, strict=True):
            panel.set_title(layer.words)
    frame(figure, title, note)
    return figure, panels


def draw_lines(panel: Axes, n: np.ndarray, lines: Iterable[tuple[str, np.ndarray]]) -> None:
    """One line for each kernel against n on a logarithmic axis; the control on top."""
    for name, values in lines:
        color, dashes = LINES.get(name, OTHERS)
        panel.plot(
            n, values, color=color, linestyle=dashes, label=label_of(name),
            linewidth=1.6 if name != "none" else 2.0, zorder=3 if name == "none" else 2,
        )  # fmt: skip
    panel.set_xscale("log")
    panel.set_xlabel("tokens $n$")


def legend_beside(figure: Figure, panel: Axes) -> None:
    """The lines of a panel named at the right of all."""
    handles, labels = panel.get_legend_handles_labels()
    with mpl.rc_context(RC):
        figure.legend(handles, labels, loc="outside right center", fontsize=7.5, handlelength=2.6)
