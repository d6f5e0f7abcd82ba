"""Colours and words of kernels, and the dots of trained networks that may stand beside lines."""

from typing import NamedTuple

from matplotlib.lines import Line2D

from attention_separation.pages.drawing import (
    BLUE,
    GREEN,
    INK,
    MIDDLE_GRAY,
    PALETTE,
    PURPLE,
    VERMILION,
)


class Style(NamedTuple):
    """How a kernel is drawn: dashes tell lines apart in print too."""

    color: str
    dashes: str | tuple
    width: float
    words: str


STYLES = {
    "bayes": Style(MIDDLE_GRAY, "-", 4.0, "best possible (Bayes)"),
    "exp": Style(BLUE, "-", 1.4, "softmax: the largest token"),
    "power_4": Style(PURPLE, "-", 1.4, "power_4: one ratio"),
    "power_3": Style(GREEN, (0, (6, 1.5)), 1.4, "power_3: one ratio"),
    "power_2": Style(PALETTE[4], "-", 1.4, "power_2: one ratio"),
    "linear": Style(VERMILION, (0, (4, 2)), 1.8, "linear: a bound"),
    "none": Style(INK, (0, (1, 1.5)), 1.8, "none: a bound"),
}
"""From the best to the least, which is the order of a legend; Bayes beneath the others."""


class AccuracyDot(NamedTuple):
    """The held-out accuracy of a trained network, or a mean of them with its interval."""

    kernel: str
    n: int
    accuracy: float
    low: float | None = None
    high: float | None = None


class CriticalDot(NamedTuple):
    """Where trained networks of a kernel cross .75."""

    kernel: str
    mu: float
    n: float


def legend_handles(with_dots: bool) -> list[Line2D]:
    """A line for each kernel, and one dot if there are any."""
    handles = [
        Line2D([], [], color=style.color, linestyle=style.dashes, linewidth=style.width,
               label=style.words)
        for style in STYLES.values()
    ]  # fmt: skip
    if with_dots:
        handles.append(
            Line2D([], [], color=INK, marker="o", linewidth=0, markersize=4, label="trained")
        )
    return handles
