"""Colours, lines and sizes of kernels' figures, and their common frame: a panel for each layer."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.threshold_curves import LARGEST_N
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

from ..exact.layers import Layer


def multiples(classes: int, count: int, least: float = 100, most: float = LARGEST_N) -> list[int]:
    """About so many multiples of K from `least` to `most`, nearly geometric."""
    whole = np.geomspace(least, most, count) / classes
    return (np.unique(np.maximum(np.floor(whole + 1e-9), 1)).astype(np.int64) * classes).tolist()


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
    "uniform": (INK, (0, (1, 1))),
}
"""Colour and dashes of a kernel: exponentials blue, polynomials vermilion, feature maps green."""

OTHERS = (MIDDLE_GRAY, "-")

OWN_COLORS = (INK, MIDDLE_GRAY)
OWN_DASHES = ("-", "--", "-.", (0, (6, 1, 1, 1, 1, 1)))
"""Of a user's kernels: all dashes in one colour, then in the next, then again."""

NO_KERNELS: Mapping[str, Kernel] = MappingProxyType({})

MOST_OF_SYMBOL = 40
"""Characters of a formula that a legend shows."""


def label_of(name: str, own: Mapping[str, Kernel] = NO_KERNELS) -> str:
    """A kernel's name and formula, for a legend; `own` are a user's."""
    symbol = (KERNELS | dict(own))[name].symbol
    cut = len(symbol) > MOST_OF_SYMBOL
    return f"{name}: {f'{symbol[: MOST_OF_SYMBOL - 1]}…' if cut else symbol}"


def _line_of(name: str, own: Mapping[str, Kernel]) -> tuple:
    """A kernel's colour and dashes."""
    if name not in own:
        return LINES.get(name, OTHERS)
    color, dashes = divmod(list(own).index(name), len(OWN_DASHES))
    return OWN_COLORS[color % len(OWN_COLORS)], OWN_DASHES[dashes]


HEIGHT = 4.2
LINE_OF_LEGEND = 0.165
"""Inches."""


def sheet(layers: Sequence[Layer], title: str, note: str, lines: int = 0):
    """A figure with a panel for each layer, and the panels; high enough for `lines` of a legend."""
    height = max(HEIGHT, 0.7 + LINE_OF_LEGEND * lines)
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.1 * len(layers) + 2.2, height), layout="constrained")
        panels = figure.subplots(1, len(layers), squeeze=False)[0]
        for panel, layer in zip(panels, layers, strict=True):
            panel.set_title(layer.words)
    frame(figure, title, note)
    return figure, panels


def draw_lines(
    panel: Axes, n: np.ndarray, lines: Iterable[tuple[str, np.ndarray]],
    own: Mapping[str, Kernel] = NO_KERNELS,
) -> None:  # fmt: skip
    """One line for each kernel against n on a logarithmic axis; the control on top. `own` are a
    user's kernels among them."""
    for name, values in lines:
        color, dashes = _line_of(name, own)
        panel.plot(
            n, values, color=color, linestyle=dashes, label=label_of(name, own),
            linewidth=1.6 if name != "uniform" else 2.0, zorder=3 if name == "uniform" else 2,
        )  # fmt: skip
    panel.set_xscale("log")
    panel.set_xlabel("tokens $n$")


def legend_beside(
    figure: Figure, panel: Axes, more: Mapping[str, str] | None = None, title: str = ""
) -> None:
    """The lines of a panel named at the right of all, with a second line of words for each."""
    handles, labels = panel.get_legend_handles_labels()
    if more:
        labels = [f"{label}\n{more[label]}" for label in labels]
    with mpl.rc_context(RC):
        figure.legend(
            handles, labels, loc="outside right center", fontsize=7.5, handlelength=2.6,
            title=title, title_fontsize=7.5, alignment="left",
        )  # fmt: skip
