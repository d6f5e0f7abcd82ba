"""Guards of the pages stop them where a finding no longer holds, and pages read as they should."""

import math
import re

import pytest
from prose import Prose, all_faults, faults, prose
from tracked_pages import DOCS, ROOT, TEMPLATES, copy_of_docs, page_of

from attention_separation.__main__ import main
from attention_separation.pages.rendering import PageError, Tables, render
from attention_separation.studies.facts import FACTS

MOST_WORDS_OF_ALL = 25_000
"""Of README and the pages of docs/ but settings.md, with their tables and code."""

FIRST_SCREEN = 19
"""Lines of README in which a reader finds how to make a figure, and where it then lies."""

MOST_WORDS_OF_A_CELL = 12
LOOKED_UP = {"papers.md", "README.md", "long_description.md"}
"""Pages with tables to look things up in."""

PAGE_PIXELS = 830
LEAST_LETTERS = 9
MOST_PIXELS_HIGH = 1050
SIZE_OF_INDEX = 0.72
"""Of an index's letters, in parts of those that it stands at."""

TABLE_LINE = re.compile(r"^\|.*\|$", re.M)
CELL_END = re.compile(r"(?<!\\)\|")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
WORD = re.compile(r"[^\W\d_]{2,}")

GUARD = re.compile(r"{% holds (.*?) %}")


@pytest.fixture
def docs(tmp_path):
    return copy_of_docs(tmp_path)


def test_every_guard_that_fails_is_named_with_its_finding(docs):
    """All of a page at once."""
    tables = Tables(docs)
    for template in TEMPLATES:
        path = docs / "templates" / template.name
        text = path.read_text(encoding="utf-8")
        guards = {text[: guard.start()].count("\n") + 1: guard[1] for guard in GUARD.finditer(text)}
        path.write_text(GUARD.sub(r"{% holds (\1) and false %}", text), encoding="utf-8")
        with pytest.raises(PageError) as error:
            render(path, tables, FACTS)
        path.write_text(text, encoding="utf-8")
        said, _, advice = str(error.value).rpartition("\n")
        assert advice.startswith("Write what the tables say now, and its guard")
        first, *blocks = said.split(f"{template.name}, line ")
        assert first == ""
        # Those in a loop are said each time.
        named = set()
        for block in blocks:
            place, *finding, condition = block.splitlines()
            line, _, words = place.partition(": ")
            named.add(int(line))
            assert words == "a finding no longer holds."
            assert len(" ".join(finding).split()) > 5
            assert not any(mark in words for words in finding for mark in ("{{", "{%", "|--"))
            assert guards[int(line)] in condition
        assert named == guards.keys() != set()


def test_a_finding_that_no_longer_holds_stops_the_gallery(docs, capsys):
    """A broken guard in the last page: the ones before are not written either."""
    last = docs / "templates" / TEMPLATES[-1].name
    for name in ("kernels.md.j2", last.name):
        path = docs / "templates" / name
        text = path.read_text(encoding="utf-8")
        path.write_text(GUARD.sub("{% holds 1 > 2 %}", text, count=1), encoding="utf-8")
        assert main(["gallery", "--docs", str(docs)]) == 1
        said = capsys.readouterr().err
        assert f"{name}, line " in said
        assert "a finding no longer holds" in said
        path.write_text(text, encoding="utf-8")
    assert not [*docs.parent.rglob("*.md")]
    assert main(["gallery", "--docs", str(docs)]) == 0
    written = {path.name for path in docs.parent.rglob("*.md")}
    assert written == {template.name.removesuffix(".j2") for template in TEMPLATES}


def test_all_pages_together_are_short():
    pages = [ROOT / "README.md", *DOCS.glob("*.md")]
    pages.remove(DOCS / "settings.md")
    assert sum(len(page.read_text("utf-8").split()) for page in pages) <= MOST_WORDS_OF_ALL


def test_pages_read_as_they_should():
    assert all_faults(ROOT) == []


def test_what_is_over_a_limit_is_named():
    found = prose("**One two three four.** Five six seven 8.")
    assert vars(found) == {"words": 8, "sentence": 4, "bold": 0.5, "numbers": 12.5}
    assert faults("a.md", found, Prose(words=7, sentence=5, bold=0.4, numbers=20)) == [
        "a.md: words 8; allowed: at most 7",
        "a.md: bold 0.5; allowed: at most 0.4",
    ]


def test_readme_leads_from_a_question_to_a_picture_in_one_screen():
    lines = page_of(DOCS / "templates/README.md.j2").read_text(encoding="utf-8").splitlines()
    first = "\n".join(lines[:FIRST_SCREEN])
    assert first.count("?") >= 2
    for command in ("git clone ", "make paper ", "ls results/figures/fig4."):
        assert f"\n{command}" in first
    assert lines[FIRST_SCREEN].startswith("![Figure 4")


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


def test_a_picture_has_letters_that_a_page_shows_and_fits_a_screen():
    pictures = sorted(DOCS.glob("*/**/*.svg"))
    assert pictures
    for path in pictures:
        svg = path.read_text(encoding="utf-8")
        view = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        width, height = map(float, view.groups())
        pixels_per_point = PAGE_PIXELS / width
        assert height * pixels_per_point <= MOST_PIXELS_HIGH, path
        assert min(letter_sizes(svg)) * pixels_per_point >= LEAST_LETTERS, path


def test_no_prose_stands_in_a_table_of_results():
    for template in TEMPLATES:
        page = page_of(template)
        if page.name in LOOKED_UP:
            continue
        cells = [
            cell
            for line in TABLE_LINE.findall(page.read_text(encoding="utf-8"))
            for cell in CELL_END.split(line)
        ]
        assert cells
        for cell in cells:
            words = WORD.findall(LINK_TARGET.sub("", cell))
            assert len(words) <= MOST_WORDS_OF_A_CELL, f"{page.name}: {cell}"


def test_words_are_counted_without_tables_pictures_code_and_addresses():
    text = "One two three [four](a/b.md).\n| a | b |\n![p q](r.svg)\n\n<!-- c\nd -->\n"
    text += "Five six seven.\n```sh\nx y\n```\n"
    found = prose(text)
    assert (found.words, found.sentence) == (7, 3.5)
