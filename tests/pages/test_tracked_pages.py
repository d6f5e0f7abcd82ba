"""The pages that are tracked are those of their templates and tables, and they are short."""

import re
import subprocess
import sys

import pytest
from few import few
from prose import Prose, all_faults, faults, prose
from tracked_pages import DOCS, ROOT, TEMPLATES, copy_of_docs, page_of

from attention_separation.__main__ import main
from attention_separation.pages.rendering import PageError, render
from attention_separation.studies.facts import FACTS

MOST_WORDS = {
    "README.md": 400, "gallery.md": 350, "kernels.md": 700, "needle.md": 500, "recall.md": 400,
    "head_rank.md": 600, "rank-figures.md": 500,
    "coverage.md": 400, "laws.md": 350, "reproducibility.md": 350, "reading-the-results.md": 350,
}  # fmt: skip
"""Of a page, without its tables."""

FIRST_SCREEN = 12
"""Lines of README in which a reader finds how to make a figure, and where it then lies."""

MOST_WORDS_OF_A_CELL = 12
LOOKED_UP = {"coverage.md", "README.md"}
"""Pages with tables to look things up in."""

TABLE_LINE = re.compile(r"^\|.*\|$", re.M)
CELL_END = re.compile(r"(?<!\\)\|")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
WORD = re.compile(r"[^\W\d_]{2,}")

GUARD = re.compile(r"{% holds (.*?) %}")

CHANGES = {
    "gallery.md": ("contests/verdicts", '"fig4a","agrees",81', '"fig4a","agrees",8'),
    "head_rank.md": ("head_rank/rank_claims", "0.0060861424", "0.0160861424"),
    "rank-figures.md": ("head_rank/compared", "0.88598668", "0.98598668"),
    "kernels.md": ("kernels/kernels_simulated", "0.6575", "0.5575"),
    "laws.md": ("kernels/laws_elsewhere", '"number",13', '"number",14'),
    "needle.md": ("needle/needle_critical", '"uniform",8,', '"uniform",8,1'),
    "coverage.md": ("gallery/choices", "0.56630617", "0.46630617"),
    "reproducibility.md": ("gallery/fig3", ",,0.25,,1000", ",,0.25,,900"),
    "recall.md": ("recall/recall_capacity", '"linear",64,0.9,39', '"linear",64,0.9,38'),
    "long_description.md": ("needle/needle_critical", '"linear",5,162', '"linear",5,152'),
    "README.md": ("needle/needle_critical", '"linear",5,162', '"linear",5,152'),
}
"""One number of a table that each page shows: the table, what stands there, and another."""


@pytest.fixture
def docs(tmp_path):
    return copy_of_docs(tmp_path)


def is_of_its_tables(template, docs):
    """Whether a tracked page is that of its template over the tables of a folder."""
    try:
        text = render(docs / "templates" / template.name, docs, FACTS)
    except PageError:
        return False
    return page_of(template).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_tracked_page_is_that_of_its_template_and_tables(template):
    assert is_of_its_tables(template, DOCS), "run `make gallery`"


@few(2, "template", TEMPLATES, ids=lambda path: path.name)
def test_a_page_is_seen_to_be_of_other_tables(docs, template):
    table, old, new = CHANGES[page_of(template).name]
    path = docs / f"{table}.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    assert is_of_its_tables(template, docs)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert not is_of_its_tables(template, docs)


@few(1, "template", TEMPLATES, ids=lambda path: path.name)
def test_every_guard_that_fails_is_named_with_its_finding(docs, template):
    path = docs / "templates" / template.name
    text = path.read_text(encoding="utf-8")
    guards = [*GUARD.finditer(text)]
    for guard in guards:
        broken = f"{text[: guard.start(1)]}({guard[1]}) and false{text[guard.end(1) :]}"
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(PageError) as error:
            render(path, docs, FACTS)
        line = text[: guard.start()].count("\n") + 1
        place, *finding, condition, advice = str(error.value).splitlines()
        assert place == f"{template.name}, line {line}: a finding no longer holds."
        assert len(" ".join(finding).split()) > 5
        assert not any(mark in words for words in finding for mark in ("{{", "{%", "|--"))
        assert guard[1] in condition
        assert advice.startswith("Write what the tables say now, and its guard")
    assert guards


@pytest.mark.exhaustive
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
    assert {path.name for path in docs.parent.rglob("*.md")} == {*CHANGES}


@pytest.mark.parametrize("name", MOST_WORDS)
def test_a_page_is_short(name):
    page = page_of(DOCS / f"templates/{name}.j2")
    assert prose(page.read_text(encoding="utf-8")).words <= MOST_WORDS[name]


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


def pictures_in(folder):
    """Pictures by name, without the line that says which version of Matplotlib drew them."""
    version = re.compile(r"<dc:title>Matplotlib v[\d.]+, ")
    return {path.name: version.sub("", path.read_text()) for path in folder.iterdir()}


@pytest.mark.exhaustive
def test_readmes_pictures_are_those_that_the_script_draws(tmp_path):
    script = DOCS / "site/readme_pictures.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    assert pictures_in(tmp_path) == pictures_in(DOCS / "readme")


@few(5, "path", sorted(DOCS.rglob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_fits_a_page(path):
    view = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', path.read_text(encoding="utf-8"))
    width, height = map(float, view.groups())
    # Of a printed page, 7.5 by 10 inches.
    most = 4 / 3
    assert height <= most * width


@pytest.mark.parametrize("name", sorted({*MOST_WORDS} - LOOKED_UP))
def test_no_prose_stands_in_a_table_of_results(name):
    text = page_of(DOCS / f"templates/{name}.j2").read_text(encoding="utf-8")
    cells = [cell for line in TABLE_LINE.findall(text) for cell in CELL_END.split(line)]
    assert cells
    for cell in cells:
        assert len(WORD.findall(LINK_TARGET.sub("", cell))) <= MOST_WORDS_OF_A_CELL, cell


def test_words_are_counted_without_tables_pictures_code_and_addresses():
    text = "One two three [four](a/b.md).\n| a | b |\n![p q](r.svg)\n\n<!-- c\nd -->\n"
    text += "Five six seven.\n```sh\nx y\n```\n"
    found = prose(text)
    assert (found.words, found.sentence) == (7, 3.5)
