"""The needle's table is what the study's exact part computes, and its picture is the table."""

import subprocess
import sys
from itertools import pairwise

import pytest
from making import ROOT

from attention_separation.explorer.needle import (
    KERNELS,
    MUS,
    SIZES,
    draw_needle,
    needle_lines,
    say_needle,
    written_row,
)
from attention_separation.needle import critical_n, limit
from attention_separation.pages.house_style import kernel_line

NEAR = 2e-5
"""How far numerics of another machine may move an accuracy."""


def test_it_holds_every_line():
    assert needle_lines().keys() == {(kernel, mu) for kernel in KERNELS for mu in MUS}


@pytest.mark.parametrize("kernel", ["uniform", "linear", "exp", "bayes"])
@pytest.mark.parametrize("mu", [3.0, 5.0, 8.0])
def test_its_lines_are_the_limits(kernel, mu):
    tabled = needle_lines()[kernel, mu]
    for k in (0, 6, 17):
        assert tabled.accuracies[k] == pytest.approx(limit(kernel, mu, SIZES[k]), abs=NEAR)
    assert tabled.critical_n == pytest.approx(critical_n(kernel, mu), rel=1e-3)


@pytest.mark.parametrize(("kernel", "mu", "k"), [("power_2", 5, 4), ("power_4", 6.5, 9)])
def test_lines_of_polynomials_are_the_limits(kernel, mu, k):
    tabled = needle_lines()[kernel, mu].accuracies[k]
    assert tabled == pytest.approx(limit(kernel, mu, SIZES[k]), abs=NEAR)


def test_a_row_as_it_is_written():
    name, mu, critical, *accuracies = written_row("uniform", 5.0)
    tabled = needle_lines()["uniform", 5.0]
    assert (name, mu) == ("uniform", "5")
    assert float(critical) == pytest.approx(tabled.critical_n, rel=1e-4)
    assert [float(each) for each in accuracies] == pytest.approx(tabled.accuracies, abs=NEAR)


def test_lines_fall_and_bayes_is_above_all():
    for mu in MUS:
        best = needle_lines()["bayes", mu].accuracies
        for kernel in KERNELS:
            own = needle_lines()[kernel, mu].accuracies
            assert all(a >= b for a, b in pairwise(own)), (kernel, mu)
            assert all(a <= b + NEAR for a, b in zip(own, best, strict=True)), (kernel, mu)


def test_the_picture_and_its_sentence():
    figure = draw_needle(5.0, 512)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert tuple(lines["linear"].get_ydata()) == needle_lines()["linear", 5.0].accuracies
    said = say_needle(5.0, 512)
    for kernel in ("uniform", "linear", "power_2", "exp", "bayes"):
        assert f"{needle_lines()[kernel, 5.0].accuracies[SIZES.index(512)]:.3f}" in said
    for wrong in ((5.1, 512), (5.0, 500)):
        with pytest.raises(ValueError, match="not in the table"):
            draw_needle(*wrong)


def test_a_kernel_looks_as_in_the_studys_figures():
    lines = draw_needle(5.0, 512).axes[0].lines
    drawn = {tuple(line.get_ydata()): line for line in lines}
    for kernel in KERNELS:
        line = drawn[needle_lines()[kernel, 5.0].accuracies]
        wanted = kernel_line(kernel)
        assert (line.get_color(), line.get_linewidth()) == (wanted["color"], wanted["linewidth"])


def test_what_draws_it_needs_no_pyarrow():
    code = "import sys, attention_separation.explorer.views; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT / "src").returncode == 0
