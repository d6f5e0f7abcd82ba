"""Every published value of Figures 1, 3 and 4 is found where figures and claims ask for it."""

from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.head_rank.training import published_values as published


@given(case=st.sampled_from([*published.FIGURE_1]))
def test_lines_of_figure_1(case):
    layers, width = case
    found = published.errors_by_rank(1, layers, width)
    assert tuple(found.values()) == tuple(published.FIGURE_1[layers, width])
    assert tuple(found) == published.RANKS


@given(case=st.sampled_from([*published.FIGURE_3]))
def test_lines_of_figure_3(case):
    layers, encoding = case
    found = published.errors_by_rank(3, layers, encoding=encoding)
    assert tuple(found.values()) == tuple(published.FIGURE_3[layers, encoding])


@given(n=st.sampled_from([*published.FIGURE_4]))
def test_lines_of_figure_4(n):
    found = published.errors_by_rank(4, published.SIZE_4["layers"], n=n)
    assert tuple(found.values()) == tuple(published.FIGURE_4[n])


def test_a_line_that_no_figure_has_is_empty():
    assert published.errors_by_rank(2, 1) == {}
    assert published.errors_by_rank(1, 1, 10**9) == {}


def test_the_largest_of_five_runs_is_found_and_above_their_least():
    count = 0
    for line, errors in published.ERRORS_BY_LINE.items():
        for rank, least in errors.items():
            largest = published.largest_error(line, rank)
            count += largest is not None
            # The smallest of five runs and the largest; both are read off.
            assert largest is None or largest > least
    assert count == sum(map(len, published.LARGEST_ERRORS.values()))


def test_medians_of_figure_2_stand_in_their_boxes():
    widths = [width for layers, width in published.FIGURE_1 if layers == 1]
    assert [*published.FIGURE_2] == widths
    for width, boxes in published.QUARTILES_2.items():
        for median, (low, high) in zip(published.FIGURE_2[width], boxes, strict=True):
            assert low <= median <= high
