"""Every published value of Figures 1, 3 and 4 is found where figures and claims ask for it."""

import pytest

from attention_separation.studies.head_rank.training import published_values as published


@pytest.mark.parametrize(("layers", "width"), published.FIGURE_1)
def test_lines_of_figure_1(layers, width):
    found = published.errors_by_rank(1, layers, width)
    assert tuple(found.values()) == tuple(published.FIGURE_1[layers, width])
    assert tuple(found) == published.RANKS


@pytest.mark.parametrize(("layers", "encoding"), published.FIGURE_3)
def test_lines_of_figure_3(layers, encoding):
    found = published.errors_by_rank(3, layers, encoding=encoding)
    assert tuple(found.values()) == tuple(published.FIGURE_3[layers, encoding])


@pytest.mark.parametrize("n", published.FIGURE_4)
def test_lines_of_figure_4(n):
    found = published.errors_by_rank(4, published.SIZE_4["layers"], n=n)
    assert tuple(found.values()) == tuple(published.FIGURE_4[n])


def test_a_line_that_no_figure_has_is_empty():
    assert published.errors_by_rank(2, 1) == {}
    assert published.errors_by_rank(1, 1, 10**9) == {}
