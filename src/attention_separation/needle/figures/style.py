"""Colours and words of kernels, and the dots of trained networks that may stand beside lines."""

from collections.abc import Iterable
from itertools import cycle
from typing import NamedTuple

from matplotlib.lines import Line2D

from attention_separation.pages.house_style import (
    BLUE,
    DARK_GRAY,
    GREEN,
    INK,
    MIDDLE_GRAY,
    PALETTE,
    PURPLE,
    VERMILION,
)

TRAINED = "trained: every run"


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
    "uniform": Style(INK, (0, (1, 1.5)), 1.8, "uniform: a bound"),
}
"""From the best to the least, which is the order of a legend; Bayes beneath the others."""


class Mark(NamedTuple):
    """How trained networks of an attention map are drawn."""

    color: str
    marker: str
    words: str


MARKS = {
    ("linear", "sum", None): Mark(VERMILION, "s", "trained linear, by row sums"),
    ("linear_unnormalised", "rms", None): Mark(VERMILION, "D", "trained linear, RMSNorm"),
}
"""Of maps whose kernel has a line and that are not drawn as its own; by kernel, what it is divided
by, and features."""

SKY_BLUE = PALETTE[5]
OTHER_COLORS = (SKY_BLUE, DARK_GRAY, MIDDLE_GRAY)
OTHER_MARKERS = "^vPX*<>"


class AccuracyDot(NamedTuple):
    """The held-out accuracy of one run of trained networks."""

    mark: Mark
    n: int
    accuracy: float


class CriticalDot(NamedTuple):
    """Where trained networks of a kernel cross .75."""

    kernel: str
    mu: float
    n: float


Map = tuple[str | None, str, int | None]
"""An attention map by its kernel, what it is divided by, and features."""


def marks_of(maps: Iterable[Map]) -> dict[Map, Mark]:
    """How each map is drawn: one with a line in its colour, others apart."""
    found: dict[Map, Mark] = {}
    others = zip(cycle(OTHER_COLORS), cycle(OTHER_MARKERS), strict=False)
    for each in dict.fromkeys(maps):
        kernel, _, features = each
        if each in MARKS:
            found[each] = MARKS[each]
        elif kernel in STYLES and features is None:
            found[each] = Mark(STYLES[kernel].color, "o", TRAINED)
        else:
            words = f"trained {kernel or 'without attention'}"
            words += f", {features} features" if features else ""
            found[each] = Mark(*next(others), words)
    return found


def legend_handles(marks: Iterable[Mark] = ()) -> list[Line2D]:
    """A line for each kernel, and a mark for each kind of dots."""
    handles = [
        Line2D([], [], color=style.color, linestyle=style.dashes, linewidth=style.width,
               label=style.words)
        for style in STYLES.values()
    ]  # fmt: skip
    kinds = {mark.words: mark for mark in marks}
    return handles + [
        Line2D([], [], color=INK if words == TRAINED else mark.color, marker=mark.marker,
               markeredgecolor=INK, markeredgewidth=0.5, linewidth=0, markersize=4.5, label=words)
        for words, mark in kinds.items()
    ]  # fmt: skip
