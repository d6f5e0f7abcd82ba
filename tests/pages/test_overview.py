"""The frame of a study's page of the report, the words before it, and captions beside it."""

import re
from base64 import b64decode

import pyarrow as pa
from attention_separation.pages.captions import Caption
from attention_separation.pages.overview import (
    Overview,
    Section,
    inline,
    overview_page,
    write_overview,
)

from attention_separation.pages import overview as overview_module

SVG = '<?xml version="1.0"?>\n<svg a="b">\n<metadata>\n<x/>\n</metadata>\n<path/></svg>'


def an_overview(**values):
    return Overview(**{"title": "T", "question": "Q?", "said": [], "honesty": "H."} | values)


def test_the_overview_says_what_is_missing_and_what_is_made():
    panels = pa.table({"panel": ["p"], "verdict": ["agrees"]})
    text = overview_page(
        an_overview(
            said=["**Lead.** 3 < 4"],
            sections=[Section("The <panels>", {"": panels, "R & S": panels}, ["B."], ["A & B."])],
            figures={"one": Caption("T", ["S."])},
            missing=["claims"],
            command="make <it>",
            scale="**deep**, not more",
        ),
        {"one": SVG},
    )
    assert "<h2>The &lt;panels&gt;</h2>\n<p>B.</p>\n<table>" in text
    assert "</table>\n<h3>R &amp; S</h3>\n<table>" in text
    assert "</table>\n<p>A &amp; B.</p>" in text
    assert "<li><b>Lead.</b> 3 &lt; 4</li>" in text
    assert "Not made yet: claims. <code>make &lt;it&gt;</code> makes everything." in text
    assert "<p>Made at the scale <b>deep</b>, not more.</p>" in text
    assert "<td>agrees</td>" in text
    assert "<figure><svg" in text
    bare = overview_page(an_overview(), {})
    for words in ("Not made yet", "The answer", "The panels", "The figures", "scale"):
        assert words not in bare
    for words in ("<title>T</title>", "<p>Q?</p>", "<p class='note'>H.</p>"):
        assert words in bare


def test_the_overview_stays_as_small_as_a_frame_can_show(monkeypatch):
    figures = {name: Caption(name, []) for name in ("one", "two")}
    monkeypatch.setattr(overview_module, "MOST_BYTES", len(inline(SVG)))
    text = overview_page(an_overview(figures=figures), dict.fromkeys(figures, SVG))
    assert text.count("<svg") == 1
    assert text.count("in the report's list of figures") == 1
    assert "<b>two.</b>" in text


def test_the_opening_and_captions_lie_beside_the_overview(tmp_path):
    overview = an_overview(
        opening="Q: 1?",
        said=["**Lead.** x_y"],
        figures={"one": Caption("F", ["S."])},
        tables={"two": ["A `row`.", "B."]},
    )
    picture, report = tmp_path / "figures/one.svg", tmp_path / "report"
    picture.parent.mkdir()
    picture.write_text(SVG)
    write_overview(overview, tmp_path, report / "page.html")
    found = {
        str(path.relative_to(report)): path.read_text()
        for path in report.rglob("*") if path.is_file()
    }  # fmt: skip
    assert found == {
        "page.html": overview_page(overview, {"one": SVG}),
        "page.rst": "Q\\: 1?\n\n- **Lead.** x\\_y\n",
        "captions/figures/one.rst": "**F.**\n\nS.\n",
        "captions/tables/two.rst": "- A \\`row\\`.\n- B.\n",
    }
    write_overview(an_overview(said=["No question."]), tmp_path, report / "other.html")
    assert (report / "other.rst").read_text() == "- No question.\n"


def test_the_opening_picture_is_on_lines_that_docutils_reads(tmp_path):
    svg = SVG.replace("<svg", f"<!-- {'long ' * 5000}--><svg", 1)
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/one.svg").write_text(svg)
    figures = {"one": Caption('F "1"', ["S."])}
    overview = an_overview(said=["Said."], more=["More."], figures=figures, picture="one")
    write_overview(overview, tmp_path, tmp_path / "report/page.html")
    opening = (tmp_path / "report/page.rst").read_text()
    assert max(map(len, opening.splitlines())) < 10_000
    source = re.search(r'src="data:image/svg\+xml;base64,(.*?)">', opening, re.S)[1]
    assert b64decode(source).decode() == svg
    assert 'alt="F &quot;1&quot;"' in opening
    page = (tmp_path / "report/page.html").read_text()
    assert page.index("Said.") < page.index("And in numbers") < page.index("More.")
