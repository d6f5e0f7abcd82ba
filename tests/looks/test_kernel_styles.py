"""One table of how kernels are drawn: no two alike, and every figure's kernels are in it."""

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
)
from attention_separation.studies.any_attention import figures as any_attention
from attention_separation.studies.needle import figures as needle
from attention_separation.studies.recall import figures as recall


def test_no_two_are_drawn_alike_with_lines_or_with_marks():
    # The line of the best possible is broad, and no kernel's.
    kernels = {name: style for name, style in KERNEL_STYLES.items() if name != "bayes"}
    lines = [(style.color, style.line) for style in kernels.values()]
    lines += [(style.color, style.line) for style in OTHER_STYLES]
    marks = [(style.color, style.marker) for style in KERNEL_STYLES.values()]
    assert len({*lines}) == len(lines)
    assert len({*marks}) == len(marks)
    for color, _ in lines:
        to_rgb(color)


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
