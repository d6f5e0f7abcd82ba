"""Figure 1: the softmax-regression network, from the arrays of Definitions 3.2-3.8."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.pages.drawing import BLUE, PALE_BLUE, PALE_VERMILION, RC, VERMILION
from attention_separation.statistics.seeding import stream

from ..models import regression
from ..simulation.signs import draw_lanes, sign_matrix
from . import sheet
from .sheet import Box

BOUNDS = {"n": (2, 16), "m": (1, 8)}
"""More entries or units are too small to see."""

INPUT_LENGTH = 3
"""Length of x; any will do, for only A x matters."""

TITLE = "Figure 1. Softmax regression: the network"
NOTE = (
    "Drawn here from the shapes and values of the code's own arrays, one draw of 𝐷₁, not copied; "
    "the paper's figure is itself a drawing.\n"
    "𝑚 = O(log 𝑛) units. Shades run from white for 0 to each array's largest entry; "
    "those of 𝑓 from 0 to 1."
)
TOP = 68.0
CALLOUT = 58.0
STRIP = 160.0


def example(n: int, m: int) -> dict[str, np.ndarray]:
    """The network's arrays for one draw of D1, by the code that simulates it."""
    rng = stream(0, "schematic", regression.REGRESSION.name)
    x = 0.4 + 0.6 * rng.random(INPUT_LENGTH)
    z = regression.dataset_z(n, rng.random(n), "uniform", special=n // 3)
    a = np.outer(z, x) / (x @ x)
    u = regression.u_exp(a @ x)
    return {
        "a": a,
        "x": x,
        "z": a @ x,
        "u": u,
        "f": regression.normalise(u),
        "f_lin": regression.normalise(regression.u_lin(a @ x)),
        "y": sign_matrix(draw_lanes(rng, 1, m, n)[0], n),
    }


def fig1(n: int, m: int) -> Figure:
    """The network of section 4 for n entries and m units.

    Raises
    ------
    ValueError
        If n or m is out of bounds.
    """
    regression.check(n)
    sheet.check_visible({"n": n, "m": m}, BOUNDS)
    arrays = example(n, m)
    cell = min(20.0, 180.0 / n)
    step = min(38.0, 250.0 / m)
    body = max(max(n, INPUT_LENGTH) * cell, step * m)
    below = TOP + body + 18
    with matplotlib.rc_context(RC):
        ax = sheet.blank(below + 92 + CALLOUT, TITLE, NOTE)
        entries, turn = _softmax_unit(ax, arrays, cell, TOP + body / 2, below)
        _units(ax, arrays["y"], entries, step, TOP + body / 2, below)
        _where_linear_differs(ax, arrays, turn, Box(turn[0] - 70, below + 40, 360, CALLOUT))
    return ax.figure


def _softmax_unit(
    ax: Axes, arrays: dict, cell: float, middle: float, below: float
) -> tuple[list[tuple], tuple]:
    """A, x and f; returns where the entries of f are, and the place below the step z -> u."""
    places, left = {}, sheet.MARGIN
    for name, gap in (("a", 16), ("x", 46), ("z", 44), ("u", 44), ("f", 0)):
        places[name] = sheet.matrix_box(arrays[name], left, middle, cell)
        left = places[name].right + gap
    radius = min(9.0, 0.42 * cell)
    entries = [(places["f"].x, y) for y in sheet.spread(len(arrays["f"]), middle, cell)]
    box = Box(places["z"].left - 16, TOP - 12, places["f"].x - places["z"].left + 42, 0)
    box = Box(box.left, box.top, box.width, below + 26 - box.top)
    sheet.panel(ax, "softmax", box, PALE_BLUE, BLUE)
    for name, symbol in (("a", "𝐴"), ("x", "𝑥"), ("z", "𝐴𝑥"), ("u", "𝑢"), ("f", "𝑓(𝐴, 𝑥)")):
        sheet.label(ax, places[name].x, below, symbol, arrays[name])
        if name != "f":
            sheet.heat(ax, name, arrays[name], places[name], "ink", arrays[name].max())
    for index, (x, y) in enumerate(entries):
        face = sheet.SHADES["blue"](arrays["f"][index])
        sheet.circle(ax, f"entry-{index + 1}", x, y, radius, face)
    sheet.text(ax, (places["a"].right + places["x"].left) / 2, middle, "·", size=12)
    steps = (("x", "z", ""), ("z", "u", "exp"), ("u", "f", "÷ sum"))
    for before, after, words in steps:
        sheet.arrow(ax, (places[before].right + 6, middle), (places[after].left - 5, middle))
        sheet.text(ax, (places[before].right + places[after].left) / 2, middle - 9, words)
    sheet.text(ax, places["a"].left, TOP - 22, "input", ha="left", weight="bold")
    sheet.text(ax, box.x, TOP - 22, "softmax unit", weight="bold", color=BLUE)
    return entries, ((places["z"].right + places["u"].left) / 2, middle + 5)


def _units(
    ax: Axes, y: np.ndarray, entries: list, step: float, middle: float, below: float
) -> None:
    """The shifted-ReLU units, their sum and the output."""
    units = [(468.0, at) for at in sheet.spread(y.shape[1], middle, step)]
    total, last = (546.0, middle), (588.0, middle)
    sheet.fan(ax, entries, units, y, "signs")
    for index, (x, at) in enumerate(units):
        sheet.hinge(ax, f"unit-{index + 1}", x, at, 14, shift=0.15)
        sheet.arrow(ax, (x + 15, at), sheet.towards(total, (x, at), 13))
    sheet.output(ax, total, last)
    between = (entries[0][0] + units[0][0]) / 2
    sheet.label(ax, between + 4, below, "signs 𝑦", y)
    sheet.sign_legend(ax, between - 6, TOP - 22)
    sheet.text(ax, units[0][0], TOP - 22, sheet.counted(len(units), "ReLU unit"), weight="bold")
    sheet.unit_label(ax, units[0][0] - 22, below, "𝑓, 𝑦_[𝑗]")
    sheet.text(ax, last[0] + 8, TOP - 22, "output", weight="bold")


def _where_linear_differs(ax: Axes, arrays: dict, turn: tuple, box: Box) -> None:
    """The one step that the linear network takes differently, and what it makes of f."""
    color = VERMILION
    sheet.panel(ax, "linear", box, PALE_VERMILION, color)
    sheet.arrow(ax, (turn[0], box.top), turn, color, linestyle=(0, (3, 2)))
    left = box.left + 14
    sheet.text(ax, left, box.y - 14, "linear network", ha="left", weight="bold", color=color)
    sheet.text(ax, left, box.y + 1, "𝑢 = 𝐴𝑥, without exp;", ha="left")
    sheet.text(ax, left, box.y + 14, "the rest is the same", ha="left")
    for name, words, shade, down in (
        ("f", "softmax 𝑓", "blue", -12),
        ("f_lin", "linear 𝑓", "vermilion", 12),
    ):
        values = arrays[name][None, :]
        strip = Box(box.right - 14 - STRIP, box.y + down - 8, STRIP, 16)
        sheet.heat(ax, f"{name}-strip", values, strip, shade, 1.0)
        sheet.text(ax, strip.left - 8, strip.y, words, ha="right")
