"""Every value that is published, by the lines of the paper's figures, is there and is found."""

from attention_separation.studies.head_rank.training import published_values as published

RANKS = (1, 2, 4, 8, 16, 32, 64)
LINES = {
    **{(1, layers, w, "none", 16): RANKS for layers in (1, 3, 5) for w in (1, 8, 64)},
    **{(3, layers, 8, encoding, 16): RANKS
       for layers in (1, 3) for encoding in ("additive", "concatenated")},
    **{(4, 2, 64, "none", n): (1, 8, 16, 32, 64) for n in (4, 16, 64, 256)},
}  # fmt: skip
"""The ranks of each line, by figure, layers, width, encoding and N."""
BANDS = {
    (3, 1, "additive", 16): (64,),
    (3, 3, "additive", 16): (64,),
    (3, 3, "concatenated", 16): (1, 2, 4, 8, 32, 64),
    **{(4, 2, "none", n): (1,) for n in (4, 16, 64, 256)},
}
"""The ranks at which the largest of five runs can be read, by figure, layers, encoding and N."""


def test_every_line_has_its_errors():
    for (figure, layers, width, encoding, n), ranks in LINES.items():
        # Of its own width where a figure has one: figures and claims leave it out.
        own = width if figure == 1 else None
        found = published.errors_by_rank(figure, layers, own, encoding, n)
        assert tuple(found) == ranks
        assert all(0 <= error < 1.2 for error in found.values())
    assert {*published.ERRORS_BY_LINE} == LINES.keys()


def test_lines_without_an_encoding_are_figure_1s_in_figure_3():
    for layers in (1, 3):
        assert published.errors_by_rank(3, layers) == published.errors_by_rank(1, layers, 8)


def test_a_line_that_no_figure_has_is_empty():
    assert published.errors_by_rank(2, 1) == {}
    assert published.errors_by_rank(1, 1, 10**9) == {}


def test_the_largest_of_five_runs_is_found_and_above_their_least():
    for line, errors in published.ERRORS_BY_LINE.items():
        with_band = BANDS.get((line.figure, line.layers, line.encoding, line.n), ())
        for rank, least in errors.items():
            largest = published.largest_error(line, rank)
            assert (largest is not None) == (rank in with_band), (line, rank)
            assert largest is None or largest > least


def test_medians_of_figure_2_stand_in_their_boxes():
    assert [*published.FIGURE_2] == [1, 8, 64]
    # Of one head the box cannot be told from the median.
    assert [*published.QUARTILES_2] == [8, 64]
    for width, boxes in published.QUARTILES_2.items():
        for median, (low, high) in zip(published.FIGURE_2[width], boxes, strict=True):
            assert low <= median <= high
