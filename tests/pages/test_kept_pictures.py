"""Pictures that docs/ keeps, as a page of 830 pixels shows them."""

import math
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = sorted(DOCS.glob("*/**/*.svg"))
PAGE_PIXELS = 830
LEAST_LETTERS = 9
MOST_PIXELS_HIGH = 1050


SIZE_OF_INDEX = 0.72
"""Of an index's letters, in parts of those that it stands at."""


def letter_sizes(svg):
    """The sizes of a picture's letters in its points, without those of indices: Matplotlib draws
    letters at a hundredth of their size."""
    sizes = {100 * float(scale) for scale in re.findall(r"scale\(([\d.]+) -[\d.]+\)", svg)}
    sizes |= {float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)}
    return {
        size
        for size in sizes
        if not any(math.isclose(size, SIZE_OF_INDEX * other, rel_tol=1e-3) for other in sizes)
    }


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_picture_has_letters_that_a_page_shows_and_fits_a_screen(path):
    svg = path.read_text(encoding="utf-8")
    view = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    width, height = map(float, view.groups())
    pixels_per_point = PAGE_PIXELS / width
    assert height * pixels_per_point <= MOST_PIXELS_HIGH
    assert min(letter_sizes(svg)) * pixels_per_point >= LEAST_LETTERS
