"""The frame of all figures."""

import numpy as np
from PIL import Image

from attention_separation.pages.drawing import (
    as_grid,
    draw_estimates,
    draw_map,
    key,
    legend_beside,
    log_axis,
    save,
    sheet,
    ticks_at,
)


def test_panels_follow_each_other_and_the_rest_of_the_last_line_is_empty():
    with sheet("Title", "Note", 5, (2.0, 1.5), (0.5, 0.25), columns=3) as (figure, axes):
        assert [*figure.get_size_inches()] == [6.5, 3.25]
    assert [ax.get_subplotspec().num1 for ax in axes] == [0, 1, 2, 3, 4]
    assert [ax.axison for ax in figure.axes] == [True] * 5 + [False]


def test_texts_are_broken_where_the_figure_ends_and_formulas_are_not():
    note = "word " * 12 + "$a = b + c + d$ and\nanother line"
    with sheet("A long title " * 4, note, 1, (4.0, 3.0)) as (figure, _):
        pass
    first, second, last = figure.get_supxlabel().split("\n")
    assert (len(first) <= 4 * 17, second, last) == (True, "$a = b + c + d$ and", "another line")
    assert all(len(line) <= 4 * 11 for line in figure.get_suptitle().split("\n"))


def test_a_legend_has_each_label_once_and_what_is_added_after_them():
    with sheet("Title", "", 2, (2.0, 2.0)) as (figure, axes):
        for ax in axes:
            ax.plot([0, 1], label="line")
            ax.plot([1, 0], label="other")
        legend_beside(figure, [key("more", linestyle="--")])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["line", "other", "more"]


def test_axes_of_logarithms_have_numbers_that_a_person_reads():
    with sheet("Title", "", 2, (3.0, 3.0)) as (figure, (few, many)):
        few.plot([2, 8, 32], [0.01, 0.1, 1.0])
        ticks_at(few.xaxis, [2, 8, 32])
        log_axis(few.yaxis)
        log_axis(many.xaxis, (1, 1e9))
        many.set_xlim(1, 1e9)
        figure.draw_without_rendering()
    assert [label.get_text() for label in few.get_xticklabels()] == ["2", "8", "32"]
    assert {"0.01", "0.05", "1"} <= {label.get_text() for label in few.get_yticklabels()}
    assert {"1", "10⁶"} <= {label.get_text() for label in many.get_xticklabels()}


def test_ticks_of_a_logarithmic_axis_say_their_own_number():
    with sheet("Title", "", 1, (3.0, 3.0)) as (figure, (ax,)):
        log_axis(ax.xaxis, (500, 100_000))
        ax.set_xlim(500, 100_000)
        figure.draw_without_rendering()
    said = {
        x: label.get_text() for x, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    }
    within = {x: words for x, words in said.items() if 500 <= x <= 100_000}
    assert within == {
        500: "500", 1000: "1000", 2000: "2000", 5000: "5000",
        10_000: "10⁴", 20_000: "2·10⁴", 50_000: "5·10⁴", 100_000: "10⁵",
    }  # fmt: skip


def test_intervals_that_reach_zero_go_on_below_a_logarithmic_axis():
    with sheet("Title", "", 1, (2.0, 2.0)) as (_, (ax,)):
        y, low, high = np.array([0.5, 0.2]), np.array([0.4, 0.0]), np.array([0.6, 0.3])
        draw_estimates(ax, np.array([1, 2]), y, low, high, "black")
    (bars,) = ax.collections
    assert [tuple(segment[:, 1]) for segment in bars.get_segments()] == [(0.4, 0.6), (0.02, 0.3)]


def test_cells_of_a_map_end_midway_as_the_axis_shows_it():
    x, y, grid = as_grid(np.array([1, 100, 1]), np.array([2, 2, 4]), np.array([0.1, 0.2, 0.3]))
    assert (x.tolist(), y.tolist()) == ([1, 100], [2, 4])
    np.testing.assert_array_equal(grid, [[0.1, 0.2], [0.3, np.nan]])
    with sheet("Title", "", 1, (2.0, 2.0)) as (_, (ax,)):
        ax.set_xscale("log")
        corners = draw_map(ax, x, y, grid).get_coordinates()
    np.testing.assert_allclose(corners[0, :, 0], [0.1, 10, 1000])
    np.testing.assert_allclose(corners[:, 0, 1], [1, 3, 5])


def test_a_picture_has_all_pixels_of_its_figure(tmp_path):
    """3 * 2.9 + 1.1 inches are 1568 dots, and a little less as floating-point numbers."""
    with sheet("Title", "Note", 3, (2.0, 2.9), (0.0, 1.1), columns=1) as (figure, axes):
        axes[0].plot([0, 1], [0, 1])
    save(figure, tmp_path / "one")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".png", ".pdf"}
    with Image.open(tmp_path / "one.png") as picture:
        assert (picture.size, picture.mode) == ((320, 1568), "P")
