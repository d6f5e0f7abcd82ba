"""Pictures of attention at a setting, light enough to be drawn while a slider moves.

Each is a function of kernels and of a `Setting`'s parameters, and returns a matplotlib Figure.
"""

import io
import math
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from attention_separation.api.comparing import Given
from attention_separation.api.given import kernel_of, told_apart
from attention_separation.pages.house_style import (
    BLUE,
    GRAY,
    INK,
    MIDDLE_GRAY,
    PALETTE,
    RC,
    VERMILION,
)
from attention_separation.settings.words import suggestion

from .laws import ScoreLaw, score_laws, special_rows
from .setting import PARAMETERS, Setting
from .sweeps import probabilities

SIZE = (5.2, 3.5)
"""Inches: what is small enough for a phone is enlarged on a wide screen."""

LINE_STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1)), (0, (1, 1)))

BINS = 120

UNLIKELY = 1e-3
"""Scores in a tail with less than this chance are not shown."""

PALE_SAME = "#9CC7E3"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw_curve(kernels: Iterable[Given], against: str = "n", **at: Any) -> Figure:
    """P(a kernel's network alone separates D1 from D0) against a parameter, exact, a line for each
    kernel; a dot at the setting itself.

    Where d is another than the setting's, n is the multiple of K nearest to the setting's.

    Parameters
    ----------
    kernels : as of `separate`
    against : name of a parameter of `Setting`
    at : parameters of `Setting`
    """
    setting = Setting(**at)
    if against not in PARAMETERS:
        raise ValueError(f"against={against!r}; {suggestion(str(against), [*PARAMETERS])}")
    parameter = PARAMETERS[against]
    values = parameter.values(setting)
    settings = [setting.with_value(against, value) for value in values]
    now = _value(setting, against)
    figure, axes = new_panel()
    for k, (kernel, name) in enumerate(_named(kernels)):
        color, dashes = PALETTE[k % len(PALETTE)], LINE_STYLES[k % len(LINE_STYLES)]
        found = probabilities(kernel, settings)
        axes.plot(values, found, color=color, linestyle=dashes, label=name, zorder=3)
        if now is not None:
            here = probabilities(kernel, [setting])
            axes.plot([now], here, "o", color=color, markersize=5, zorder=4)
    if now is not None:
        axes.axvline(now, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(parameter.words)
    axes.set_ylabel("P(separates D1 from D0)")
    if parameter.logarithmic:
        logarithmic(axes.xaxis)
    legend_above(figure, axes)
    return figure


def draw_scores(kernel: Given, **at: Any) -> Figure:
    """How the network's largest score is distributed, D1's upwards and D0's downwards, with the
    threshold, or the interval of the best ones.

    Parameters
    ----------
    kernel : as of `separate`
    at : parameters of `Setting`
    """
    setting = Setting(**at)
    theta = setting.of(kernel).theta
    laws = score_laws(kernel, setting)
    figure, axes = new_panel()
    ends = () if theta is None else theta if isinstance(theta, tuple) else (theta,)
    edges = _edges(laws, ends)
    for law, sign, color, name in ((laws[1], 1, BLUE, "D1"), (laws[0], -1, VERMILION, "D0")):
        chances = np.histogram(law.values, bins=edges, weights=law.chances)[0]
        axes.stairs(
            sign * chances, edges, fill=True, color=color, label=f"largest score on {name}",
            zorder=3, linewidth=1.2,
        )  # fmt: skip
    if len(ends) == 2:
        axes.axvspan(*ends, color=GRAY, alpha=0.6, linewidth=1.5, zorder=2, label="best thresholds")
    elif ends:
        axes.axvline(ends[0], color=INK, linewidth=1.4, zorder=4, label="threshold")
    axes.axhline(0, color=INK, linewidth=0.8, zorder=4)
    axes.yaxis.set_major_formatter(lambda y, _: f"{abs(y):g}")
    axes.set_xlabel("score / √log n")
    axes.set_ylabel("probability: D0 below, D1 above")
    legend_above(figure, axes)
    return figure


def draw_row(kernels: Iterable[Given], **at: Any) -> Figure:
    """The special token's attention row, on D1 and D0, a bar for each kernel: how much of it is on
    the special token itself, on the others of its class, and on all other classes.

    A row that is not divided by its sum is shown as shares of its sum.

    Parameters
    ----------
    kernels : as of `separate`
    at : parameters of `Setting`
    """
    setting = Setting(**at)
    figure, axes = new_panel()
    given = _named(kernels)
    places, words = [], []
    for k, (kernel, name) in enumerate(given):
        on_d0, on_d1 = special_rows(kernel, setting)
        for dataset, row in enumerate((on_d0, on_d1)):
            parts = np.array([row.special, row.same_class, row.other_classes])
            shares = parts / np.abs(parts).sum() if np.abs(parts).sum() > 0 else parts
            place = 2.6 * k + (1 - dataset)
            left = np.concatenate([[0.0], np.cumsum(np.abs(shares))[:-1]])
            for share, start, color in zip(shares, left, (BLUE, PALE_SAME, GRAY), strict=True):
                axes.barh(
                    place, abs(share), left=start, color=color, height=0.9, zorder=3,
                    hatch="////" if share < 0 else None, edgecolor="white", linewidth=0,
                )  # fmt: skip
            axes.text(1.01, place, _percent(shares[0]), va="center", fontsize=8, color=BLUE)
            places.append(place)
            words.append(f"{_short(name)}, D{dataset}")
    for color, label in (
        (BLUE, "special token"), (PALE_SAME, "others of its class"), (GRAY, "all other classes"),
    ):  # fmt: skip
        axes.barh(0, 0, color=color, label=label)
    axes.set_yticks(places, words)
    axes.set_ylim(2.6 * len(given) - 0.9, -0.7)
    axes.set_xlim(0, 1)
    axes.grid(False, axis="y")
    axes.set_xlabel("share of the special token's row")
    legend_above(figure, axes, left=0.3, right=0.88)
    return figure


def as_svg(figure: Figure) -> str:
    """The picture as SVG; the same figure gives the same text."""
    with mpl.rc_context(RC):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def new_panel() -> tuple[Figure, Axes]:
    """A figure and its one panel."""
    with mpl.rc_context(RC):
        figure = Figure(figsize=SIZE)
        return figure, figure.add_axes((0.12, 0.14, 0.85, 0.7))


def logarithmic(axis: Axis) -> None:
    """Make an axis logarithmic, in powers of 10 as plain text, which is drawn sooner than
    mathematics."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_formatter(lambda value, _: power_of_10(value))
    axis.set_minor_locator(NullLocator())


def power_of_10(value: float) -> str:
    """10³ for 1000; what is from 0.01 to 100 as it is."""
    power = round(math.log10(value))
    return f"{value:g}" if -2 <= power <= 2 else f"10{str(power).translate(SUPERSCRIPT)}"


def _named(kernels: Iterable[Given]) -> list[tuple[Given, str]]:
    given = [kernels] if isinstance(kernels, str) else list(kernels)
    return [*zip(given, told_apart([kernel_of(each).name for each in given]), strict=True)]


def _value(setting: Setting, parameter: str) -> float | None:
    """Where a setting stands on a parameter's axis; None where that is the best threshold."""
    given = getattr(setting, parameter)
    if parameter == "d" and given is None:
        return setting.layer.d(setting.data.classes)
    if parameter == "m" and given is None:
        return setting.data.m(setting.n)
    if given == "paper":
        return setting.layer.theta(setting.data)
    return None if given == "best" else given


def legend_above(figure: Figure, axes: Axes, left: float = 0.12, right: float = 0.97) -> None:
    """What lines and colours are, above the panel, which is as high as that leaves it."""
    handles, labels = axes.get_legend_handles_labels()
    with mpl.rc_context(RC):
        figure.legend(
            handles, [_short(label) for label in labels], loc="upper left", ncols=3, fontsize=8,
            bbox_to_anchor=(0.0, 1.0), handlelength=2.2, columnspacing=1.0,
        )  # fmt: skip
    lines = math.ceil(len(handles) / 3)
    axes.set_position((left, 0.14, right - left, 0.8 - 0.06 * lines))


def _short(label: str) -> str:
    # A dollar sign would begin mathematics.
    cut = label if len(label) <= 26 else f"{label[:25]}…"
    return cut.replace("$", r"\$")


def _edges(laws: tuple[ScoreLaw, ScoreLaw], thetas: tuple[float, ...]) -> np.ndarray:
    """Ends of bins that hold all scores that are likely, with the thresholds among them."""
    ends = [*thetas]
    for law in laws:
        ends += [law.quantile(UNLIKELY), law.quantile(1 - UNLIKELY)]
    low, high = min(ends), max(ends)
    pad = 0.02 * (high - low or 1.0)
    # Just above a threshold, for a score that ties it is not above it.
    inner = [np.nextafter(theta, np.inf) for theta in thetas]
    return np.unique([*np.linspace(low - pad, high + pad, BINS + 1), *inner])


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if abs(share) < 0.995 else f"{100 * share:.0f} %"
