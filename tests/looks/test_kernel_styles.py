"""One table of how kernels are drawn: no two alike, and every figure's kernels are in it."""

import inspect

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
    """Colours of curves of the explorer, recall and the API are those of the table."""
    drawn = pictures.draw_curve(["power_4", "elu_plus_one"], n=420).axes[0]
    for line in drawn.lines:
        if line.get_label() in KERNEL_STYLES:
            assert line.get_color() == KERNEL_STYLES[line.get_label()].color
    labels = {line.get_label() for line in drawn.lines}
    assert {"power_4", "elu_plus_one"} <= labels
    for module in (pictures, needle, recall, any_attention):
        assert "kernel_styles import" in inspect.getsource(module)


def test_kernels_of_ones_own_follow_in_their_order():
    looks = kernel_lines(["mine", "exp", "another", "bayes"])
    for name, style in zip(("mine", "another"), OTHER_STYLES, strict=False):
        assert looks[name]["color"] == style.color
        assert looks[name]["linestyle"] == style.line
    assert looks["exp"] == kernel_line("exp")
    assert looks["bayes"]["linewidth"] > looks["exp"]["linewidth"]
    assert kernel_marker("mine") == "o"
