"""Figures 2 and 6: self-attention, from the arrays of Definitions C.1-C.6 and D.1."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.attention.dense import attention_weights
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import self_attention
from attention_separation.pages.drawing import (
    BLUE,
    DARK_GRAY,
    PALE_BLUE,
    PALE_VERMILION,
    RC,
    VERMILION,
)
from attention_separation.statistics.seeding import stream

from ..models.contest import PAPERS
from ..models.networks import tensor_attention
from ..simulation.signs import draw_lanes, sign_matrix
from . import sheet
from .sheet import Box

NETWORK_BOUNDS = {"n": (2, 6), "d": (2, 5), "m": (1, 4)}
STEPS_BOUNDS = {"n": (2, 12), "d": (3, 8)}
"""Parts of larger pictures are too small to see."""

NETWORK_TITLE = "Figure 2. Self-attention: the network"
NETWORK_NOTE = (
    "Drawn here from the shapes and values of the code's own arrays, not copied; the paper's "
    "figure is itself a drawing.\nThe tokens 𝐴₁ = 𝐴₂ = 𝐴₃ are random, 𝑋 and 𝑉 the identity. "
    "The linear network has no exp. Shades run from white for 0 to each array's largest entry."
)
STEPS_TITLE = "Figure 6. Self-attention: how c is computed"
STEPS_NOTE = (
    "Drawn here from the shapes and values of the code's own arrays, not copied; the paper's "
    "figure is itself a drawing.\n𝐴₁ = 𝐴₂ = 𝐴₃ are the tokens of Definition D.1 with 𝑎₁ = {a}, "
    "𝑏 = {b}, 𝑐 = {c}; 𝑋 and 𝑉 are the identity; framed: the special token 𝑗₃.\n"
    "Shades run from white for 0 to each array's largest entry; "
    "the two 𝑓 share one scale, and so do the two 𝑐."
)
AMPLITUDES = {"a": 1.2, "b": 0.2, "c": 0.8}
"""Of the tokens in Figure 6: the paper's own, for D1."""

SPECIAL = 1
"""Index of the special token j3, from 0."""

SPREAD = 3.0
"""Size of the random tokens in Figure 2: large enough for tokens to attend to different ones."""

LANES = {
    "exp": ("softmax attention", "ℎ = exp, then each row ÷ its sum", "blue", BLUE, PALE_BLUE),
    "linear": (
        "linear attention",
        "ℎ = identity, then each row ÷ its sum",
        "vermilion",
        VERMILION,
        PALE_VERMILION,
    ),
}
"""Of each kernel: its name, what it does, and its colours."""

STEPS_GAPS = 170.0
"""All that is not cells, across Figure 6."""

LANE_HEAD, LANE_FOOT, LANE_WIDTH = 40.0, 40.0, 170.0
"""Of a kernel's box: what is above and below its matrices, and the width of its words."""

SCORES = (("a1", "𝐴₁", 8.0), ("x", "𝑋", 8.0), ("a2t", "𝐴₂ᵀ", 22.0), ("scores", "𝐴₁𝑋𝐴₂ᵀ", 0.0))
"""Arrays up to the scores, what they are called, and the gap after each."""

STEPS_TOP = 40.0
TOP = 96.0
GAP = 16.0
HEADER = 46.0


def network_example(n: int, d: int, m: int) -> dict[str, np.ndarray]:
    """The arrays of the network for random tokens, attention by Definition C.4."""
    rng = stream(0, "schematic", self_attention.SELF_ATTENTION.name)
    tokens = SPREAD * rng.random((n, d))
    x, v = self_attention.x_matrix("identity", d), np.eye(d)
    return {
        "a1": tokens,
        "a2": tokens,
        "a": np.kron(tokens, tokens),
        "x": np.reshape(x, -1, order="C"),
        "c": tensor_attention(tokens, tokens, tokens, x, v, np.exp),
        "a3v": tokens @ v,
        "y": sign_matrix(draw_lanes(rng, 1, m, d)[0], d),
    }


def fig2(n: int, d: int, m: int) -> Figure:
    """The self-attention network for n tokens of d coordinates and m units per token.

    Raises
    ------
    ValueError
        If a size is out of bounds.
    """
    sheet.check_visible({"n": n, "d": d, "m": m}, NETWORK_BOUNDS)
    arrays = network_example(n, d, m)
    cell = min(13.0, 140 / d**2)
    block = max(n * cell, 16.0 * d, 24.0 * m)
    body = n * block + (n - 1) * GAP
    middles = sheet.spread(n, TOP + body / 2, block + GAP)
    below = TOP + body + 22
    with matplotlib.rc_context(RC):
        ax = sheet.blank(below + 62, NETWORK_TITLE, NETWORK_NOTE)
        right = _kronecker(ax, arrays, cell, middles, below)
        _blocks(ax, arrays, right, block, middles, below)
    return ax.figure


def _kronecker(ax: Axes, arrays: dict, cell: float, middles: list, below: float) -> float:
    """A = A1 kron A2 with one block of rows per token, and x above it; returns A's right end."""
    n = len(middles)
    middle = (middles[0] + middles[-1]) / 2
    a1 = sheet.matrix_box(arrays["a1"], sheet.MARGIN, middle, cell)
    a2 = sheet.matrix_box(arrays["a2"], a1.right + 22, middle, cell)
    for name, place, symbol in (("a1", a1, "𝐴₁"), ("a2", a2, "𝐴₂")):
        sheet.heat(ax, name, arrays[name], place, "ink", arrays[name].max())
        sheet.label(ax, place.x, place.bottom + 14, symbol, arrays[name])
    sheet.text(ax, (a1.right + a2.left) / 2, middle, "⊗", size=11)
    left = a2.right + 24
    sheet.text(ax, (a2.right + left) / 2, middle, "=", size=11)
    for index, (rows, at) in enumerate(zip(np.split(arrays["a"], n), middles, strict=True)):
        place = sheet.matrix_box(rows, left, at, cell)
        sheet.heat(ax, f"block-{index + 1}", rows, place, "ink", arrays["a"].max())
    sheet.label(ax, place.x, below, "𝐴 = 𝐴₁ ⊗ 𝐴₂", arrays["a"])
    strip = Box(left, TOP - 14 - cell, place.width, cell)
    sheet.heat(ax, "x", arrays["x"][None, :], strip, "ink", arrays["x"].max())
    sheet.text(ax, strip.left - 8, strip.y - 6, "𝑥 = vec(𝑋)", size=10.5, ha="right")
    words = sheet.shape_text(arrays["x"])
    sheet.text(ax, strip.left - 8, strip.y + 7, words, size=8, ha="right", color=DARK_GRAY)
    return place.right


def _blocks(ax: Axes, arrays: dict, left: float, block: float, middles: list, below: float) -> None:
    """One block of c and its units per token, all summed into one output."""
    c, y = arrays["c"], arrays["y"]
    middle = (middles[0] + middles[-1]) / 2
    at_c, at_units, total, last = left + 112, 478.0, (552.0, middle), (590.0, middle)
    for token, (values, at) in enumerate(zip(c, middles, strict=True)):
        name = f"{token + 1}"
        place = Box(at_c - 17, at - block / 2 - 3, 34, block + 6)
        sheet.panel(ax, f"token-{name}", place, PALE_BLUE, BLUE)
        sheet.arrow(ax, (left + 6, at), (place.left - 5, at))
        entries = [(at_c, down) for down in sheet.spread(len(values), at, block / len(values))]
        units = [(at_units, down) for down in sheet.spread(y.shape[1], at, 24)]
        sheet.fan(ax, entries, units, y, f"signs-{name}")
        for index, (x, down) in enumerate(entries):
            face = sheet.SHADES["blue"](values[index] / c.max())
            sheet.circle(ax, f"entry-{name}-{index + 1}", x, down, 6.2, face)
        for index, (x, down) in enumerate(units):
            sheet.hinge(ax, f"unit-{name}-{index + 1}", x, down, 9.5, shift=0.15)
            sheet.arrow(ax, (x + 10, down), sheet.towards(total, (x, down), 13))
        sheet.text(ax, (left + place.left) / 2, at - 8, f"𝑗₀ = {name}")
    sheet.output(ax, total, last)
    arrows = (left + at_c - 17) / 2
    between = (at_c + at_units) / 2
    sheet.sign_legend(ax, between - 6, TOP - 16)
    sheet.text(ax, sheet.MARGIN, HEADER, "input", ha="left", weight="bold")
    sheet.text(ax, at_c - 30, HEADER, "softmax attention", weight="bold", color=BLUE)
    sheet.text(ax, at_units, HEADER, sheet.counted(len(c) * len(units), "ReLU unit"), weight="bold")
    sheet.text(ax, last[0] + 8, HEADER, "output", weight="bold")
    sheet.text(ax, arrows - 2, below, "softmax · 𝐴₃𝑉", size=10.5)
    words = f"𝐴₃𝑉: {sheet.shape_text(arrays['a3v'])}"
    sheet.text(ax, arrows - 2, below + 13, words, size=8, color=DARK_GRAY)
    sheet.label(ax, at_c, below, "𝑐(𝐴, 𝑥)", c)
    sheet.label(ax, between + 4, below, "signs 𝑦", y)
    sheet.unit_label(ax, at_units - 18, below, "𝑐_[𝑗₀], 𝑦_[𝑙]")


def steps_example(n: int, d: int) -> dict[str, np.ndarray]:
    """Every array on the way to c for the tokens of Definition D.1, X = V = identity."""
    tokens = self_attention.tokens(n, d, j3=SPECIAL, **AMPLITUDES)
    x, v = self_attention.x_matrix("identity", d), np.eye(d)
    scores = tokens @ x @ tokens.T
    arrays = {"a1": tokens, "x": x, "a2t": tokens.T, "scores": scores, "a3v": tokens @ v}
    for name in PAPERS.kernels:
        arrays[f"f-{name}"] = attention_weights(tokens, tokens, x, np.eye(d), KERNELS[name])
        arrays[f"c-{name}"] = arrays[f"f-{name}"] @ (tokens @ v)
    return arrays


def fig6(n: int, d: int) -> Figure:
    """How c is computed from n tokens of d coordinates, by softmax and by linear attention.

    Raises
    ------
    ValueError
        If Definition D.1 has no such tokens, or a size is out of bounds.
    """
    self_attention.SELF_ATTENTION.check(n, d)
    sheet.check_visible({"n": n, "d": d}, STEPS_BOUNDS)
    arrays = steps_example(n, d)
    cell = min(18.0, (sheet.WIDTH - 2 * sheet.MARGIN - STEPS_GAPS) / (4 * d + 3 * n))
    lane = LANE_HEAD + max(n, d) * cell + LANE_FOOT
    middles = [STEPS_TOP + LANE_HEAD + max(n, d) * cell / 2 + down for down in (0, lane + GAP)]
    bottom = STEPS_TOP + 2 * lane + GAP
    with matplotlib.rc_context(RC):
        ax = sheet.blank(bottom + 58, STEPS_TITLE, STEPS_NOTE.format(**AMPLITUDES))
        scores = _scores(ax, arrays, cell, (STEPS_TOP + bottom) / 2)
        for kernel, middle in zip(PAPERS.kernels, middles, strict=True):
            _lane(ax, arrays, kernel, scores, cell, middle)
    return ax.figure


def _scores(ax: Axes, arrays: dict, cell: float, middle: float) -> Box:
    """A1 X A2^T = scores; returns the place of the scores."""
    half = max(arrays["a1"].shape) * cell / 2
    left = sheet.MARGIN + 10
    for name, symbol, gap in SCORES:
        place = sheet.matrix_box(arrays[name], left, middle, cell)
        sheet.heat(ax, name, arrays[name], place, "ink", arrays[name].max())
        sheet.label(ax, place.x, middle + half + 15, symbol, arrays[name])
        left = place.right + gap
        if name == "a1":
            token = place.top + (SPECIAL + 0.5) * cell
            sheet.text(ax, place.left - 5, token, "𝑗₃", ha="right")
            sheet.text(ax, place.left, middle - half - 12, "input", ha="left", weight="bold")
        if name in ("a1", "scores"):
            sheet.outline_row(ax, place, len(arrays[name]), SPECIAL)
    sheet.text(ax, place.left - 11, middle, "=", size=11)
    sheet.text(ax, place.x, middle - half - 12, "scores", weight="bold")
    return place


def _lane(ax: Axes, arrays: dict, kernel: str, scores: Box, cell: float, middle: float) -> None:
    """Weights f and c = f A3 V of one kernel."""
    words, how, shade, color, pale = LANES[kernel]
    f, a3v, c = (arrays[name] for name in (f"f-{kernel}", "a3v", f"c-{kernel}"))
    half = max(a3v.shape) * cell / 2
    f_at = sheet.matrix_box(f, scores.right + 70, middle, cell)
    a3v_at = sheet.matrix_box(a3v, f_at.right + 10, middle, cell)
    c_at = sheet.matrix_box(c, a3v_at.right + 24, middle, cell)
    top, width = middle - half - LANE_HEAD, max(c_at.right - f_at.left, LANE_WIDTH) + 24
    box = Box(f_at.left - 12, top, width, LANE_HEAD + 2 * half + LANE_FOOT)
    sheet.panel(ax, f"lane-{kernel}", box, pale, color)
    sheet.text(ax, f_at.left, top + 13, words, ha="left", weight="bold", color=color)
    sheet.text(ax, f_at.left, top + 26, how, ha="left")
    most = {name: max(arrays[f"{name}-{other}"].max() for other in PAPERS.kernels) for name in "fc"}
    for name, symbol, values, place, colors, highest in (
        (f"f-{kernel}", "𝑓", f, f_at, shade, most["f"]),
        (f"a3v-{kernel}", "𝐴₃𝑉", a3v, a3v_at, "ink", a3v.max()),
        (f"c-{kernel}", "𝑐", c, c_at, shade, most["c"]),
    ):
        sheet.heat(ax, name, values, place, colors, highest)
        sheet.label(ax, place.x, middle + half + 15, symbol, values)
    for place in (f_at, c_at):
        sheet.outline_row(ax, place, len(f), SPECIAL)
    sheet.text(ax, (a3v_at.right + c_at.left) / 2, middle, "=", size=11)
    sheet.arrow(ax, (scores.right + 8, scores.y), (box.left - 5, middle), color)
