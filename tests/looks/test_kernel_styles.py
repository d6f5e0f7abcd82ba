"""One table of how kernels are drawn: no two alike, and every figure's kernels are in it."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
from making import ROOT
from matplotlib.colors import to_rgb

from attention_separation.explorer import pictures
from attention_separation.looks.kernel_styles import (
    KERNEL_STYLES,
    OTHER_STYLES,
    kernel_line,
    kernel_lines,
    kernel_marker,
    nested_kernel_lines,
)
from attention_separation.studies.any_attention import figures as any_attention
from attention_separation.studies.needle import figures as needle
from attention_separation.studies.recall import figures as recall

SEEN_APART = 15
"""Distance of two colours in CIE L*a*b*: 2.3 is just seen side by side."""


def lab(color):
    """CIE L*a*b* of a colour: distances in it are about what an eye sees."""
    srgb = np.array(to_rgb(color))
    linear = np.where(srgb > 0.04045, ((srgb + 0.055) / 1.055) ** 2.4, srgb / 12.92)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(to_xyz @ linear / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_no_two_kernels_have_one_colour_or_two_that_an_eye_takes_for_one():
    colors = [style.color for style in KERNEL_STYLES.values()]
    colors += dict.fromkeys(style.color for style in OTHER_STYLES)
    for one, other in combinations(colors, 2):
        assert np.linalg.norm(lab(one) - lab(other)) > SEEN_APART, (one, other)


def test_kernels_of_ones_own_are_drawn_unlike_each_other():
    assert len({(style.color, style.line) for style in OTHER_STYLES}) == len(OTHER_STYLES)
    few = OTHER_STYLES[:4]
    assert len({style.color for style in few}) == len(few)


def test_kernels_that_figures_of_the_configuration_draw_are_in_it():
    shown = {*needle.LABELS, *needle.REFERENCES, *recall.LAYERS_IN_LEGEND, *pictures.NEEDLE_KERNELS}
    for figure in any_attention.DRAWN.values():
        if isinstance(figure, any_attention.Lines):
            shown |= {*figure.shown}
    assert shown <= KERNEL_STYLES.keys()


def test_all_figures_have_the_same_look_of_a_kernel():
    """Curves of the explorer and of recall, and dots of the needle."""
    numbers = pd.read_csv(ROOT / "docs/recall/recall_lines.csv", comment="#")
    table = pa.Table.from_pandas(numbers[numbers["d"] == 64])
    for figure, kernels in (
        (pictures.draw_curve(["power_4", "elu_plus_one"], n=420), {"power_4", "elu_plus_one"}),
        (recall.draw_accuracies("", table), {"linear", "exp_sqrt_d"}),
    ):
        colors = {line.get_label(): line.get_color() for line in figure.axes[0].lines}
        for kernel in kernels:
            assert colors[kernel] == KERNEL_STYLES[kernel].color
    style = KERNEL_STYLES["linear"]
    assert needle.look_of("linear") == (style.color, style.marker)


def test_kernels_of_ones_own_follow_in_their_order():
    looks = kernel_lines(["mine", "exp", "another", "bayes"])
    for name, style in zip(("mine", "another"), OTHER_STYLES, strict=False):
        assert looks[name]["color"] == style.color
        assert looks[name]["linestyle"] == style.line
    assert looks["exp"] == kernel_line("exp")
    assert looks["bayes"]["linewidth"] > looks["exp"]["linewidth"]
    assert kernel_marker("mine") == "o"


def test_of_lines_that_lie_over_each_other_each_is_seen():
    kernels = ["exp_sqrt_d", "exp", "linear", "elu_plus_one", "mine"]
    nested = nested_kernel_lines(kernels)
    assert [*nested] == kernels
    from_below = sorted(nested.values(), key=lambda look: look["zorder"])
    widths = [look["linewidth"] for look in from_below]
    assert all(below > above for below, above in pairwise(widths))
    is_broken = [look["linestyle"] != "-" for look in from_below]
    assert is_broken == sorted(is_broken)
    for kernel, look in kernel_lines(kernels).items():
        same = {name: nested[kernel][name] for name in ("color", "linestyle")}
        assert look | same == look
