"""The frame of all figures."""

import zlib
from io import BytesIO

import matplotlib
import numpy as np
import pytest
from fontTools.subset import Options
from fontTools.ttLib import TTFont
from matplotlib.backends.backend_pdf import PdfFile
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from PIL import Image

from attention_separation.pages.drawing import (
    CONTOURS,
    MOST_WITHOUT_CONTOURS,
    NOTE_SIZE,
    ON_MAP,
    as_grid,
    contour_colour,
    draw_contours,
    draw_estimates,
    draw_map,
    draw_ticks,
    hatch,
    key,
    legend_beside,
    log_axis,
    save,
    shade,
    sheet,
    ticks_at,
)
from attention_separation.pages.house_style import RC

PAGE_PIXELS = 830
LEAST_LETTERS = 9
"""Pixels: the width of a page, and of letters that a person reads on it."""


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


def test_without_mathematics_dollars_in_any_text_are_dollars():
    formula = r"$\foo$ of $5 to $6"
    with sheet(formula, formula, 1, (4.0, 3.0), parse_math=False) as (figure, (ax,)):
        ax.plot([0, 1], label=formula)
        ax.set(title=formula, xlabel=formula, ylabel=formula)
        ax.annotate(formula, (0, 0))
        ax.set_xticks([0], [formula])
        legend_beside(figure, title=formula)
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if "foo" in text.get_text()]
    assert len(texts) >= 8
    assert not any(text.get_parse_math() for text in texts)


def test_a_line_without_mathematics_breaks_between_dollars_too():
    note = "costs $" + " word" * 30 + " $"
    with sheet("", note, 1, (4.0, 3.0), parse_math=False) as (figure, _):
        pass
    assert figure.get_supxlabel().replace("\n", " ") == note


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


def fonts_in(pdf):
    """The fonts in a pdf of Matplotlib's."""
    texts = [zlib.decompressobj().decompress(text) for text in pdf.split(b"\nstream\n")[1:]]
    return [TTFont(BytesIO(text)) for text in texts if text.startswith(b"\x00\x01\x00\x00")]


def test_fonts_in_a_pdf_have_the_outlines_of_letters_and_nothing_that_places_them(tmp_path):
    with sheet("AVA", "", 1, (3.0, 2.0)) as (figure, _):
        save(figure, tmp_path / "fig", ("pdf",))
    fonts = fonts_in((tmp_path / "fig.pdf").read_bytes())
    assert fonts
    outlines = {name for font in fonts for name in font["glyf"].glyphOrder}
    assert {"A", "V"} <= outlines
    for font in fonts:
        assert {"GDEF", "GPOS", "GSUB", "MATH", "kern"}.isdisjoint(font.keys())
    assert "GSUB" not in Options().drop_tables


def test_maps_in_a_pdf_do_not_hold_the_sheet_that_each_was_drawn_on(tmp_path, monkeypatch):
    held = []

    def recording(file, write=PdfFile.writeImages):
        held.extend(image for image, *_ in file._images.values())
        write(file)

    monkeypatch.setattr(PdfFile, "writeImages", recording)
    with sheet("", "", 2, (2.0, 1.5)) as (figure, axes):
        for ax in axes:
            draw_map(ax, np.arange(4.0), np.arange(4.0), np.eye(4))
    save(figure, tmp_path / "maps", ("pdf",))
    assert len(held) == 2
    assert all(image.base is None for image in held)


def test_a_tick_reaches_almost_midway_to_its_neighbours():
    with sheet("Title", "", 1, (2.0, 2.0)) as (_, (ax,)):
        draw_ticks(ax, np.array([10.0, 20, 40]), np.array([0.1, 0.3, 0.2]), "black")
    (ticks,) = ax.collections
    segments = [segment.tolist() for segment in ticks.get_segments()]
    assert segments == [
        [[6, 0.1], [14, 0.1]], [[16, 0.3], [28, 0.3]], [[32, 0.2], [48, 0.2]],
    ]  # fmt: skip


def test_runs_of_values_are_shaded_to_midway_and_the_axis_stays():
    with sheet("Title", "", 1, (2.0, 2.0)) as (_, (ax,)):
        ax.set_xlim(1, 5)
        shade(ax, np.arange(1.0, 6), np.array([True, True, False, False, True]))
    spans = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert spans == [(0.5, 2.5), (4.5, 5.5)]
    assert ax.get_xlim() == (1, 5)


def luminance(colour):
    """Relative luminance, as contrast of pages is defined."""
    parts = np.array(colour)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    dark, light = sorted([luminance(to_rgb(one)), luminance(to_rgb(other))])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("level", CONTOURS)
def test_a_contour_stands_out_from_the_maps_colour_at_its_level(level):
    ground = matplotlib.colormaps[RC["image.cmap"]](level)[:3]
    assert contrast(contour_colour(level), ground) >= 3


def test_a_line_over_a_map_stands_out_from_all_its_colours():
    (edge,) = ON_MAP["path_effects"]
    dark = edge._gc["foreground"]
    for level in np.linspace(0, 1, 101):
        ground = matplotlib.colormaps[RC["image.cmap"]](level)[:3]
        assert max(contrast("white", ground), contrast(dark, ground)) >= 3


@pytest.mark.parametrize("values", [MOST_WITHOUT_CONTOURS, MOST_WITHOUT_CONTOURS + 1])
def test_large_maps_alone_have_contours(values):
    grid = np.linspace(0, 1, values * 40).reshape(values, 40)
    with sheet("Title", "", 1, (2.0, 2.0)) as (_, (ax,)):
        drawn = draw_contours(ax, np.arange(40), np.arange(values), grid)
    assert drawn == bool(ax.collections) == (values > MOST_WITHOUT_CONTOURS)


@pytest.mark.parametrize("panels", [1, 3, 9])
def test_no_figure_is_so_wide_that_a_page_makes_its_letters_small(panels):
    with sheet("Title", "Note.", panels, (4.0, 2.0), around=(2.0, 0.0)) as (figure, axes):
        assert len(axes) == panels
        pixels_per_point = PAGE_PIXELS / (72 * figure.get_figwidth())
        assert NOTE_SIZE * pixels_per_point >= LEAST_LETTERS


def test_cells_are_hatched_as_they_are_drawn():
    with sheet("Title", "Note.", 1, (4.0, 3.0)) as (_, (ax,)):
        ax.set_xscale("log")
        x, y = np.array([1.0, 10.0, 100.0]), np.array([0.0, 1.0])
        is_hatched = np.array([[True, False, True], [False, False, True]])
        mesh = draw_map(ax, x, y, np.zeros((2, 3)))
        hatch(ax, x, y, is_hatched)
        (patch,) = ax.patches
        places = [(column, row) for row in y for column in x]
        inside = patch.get_path().contains_points(places).reshape(is_hatched.shape)
        np.testing.assert_array_equal(inside, is_hatched)
        assert patch.get_zorder() > mesh.get_zorder()
        hatch(ax, x, y, np.zeros((2, 3), dtype=bool))
        assert len(ax.patches) == 1
