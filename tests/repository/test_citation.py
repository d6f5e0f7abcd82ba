"""CITATION.cff has what the Citation File Format 1.2.0 requires, and no unknown key."""

import tomllib

import pytest
import yaml
from making import ROOT

from attention_separation import __version__

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
REQUIRED = {"cff-version", "message", "title", "authors"}
KNOWN = REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license",
    "license-url", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "type", "url", "version",
}  # fmt: skip
PERSON = {"family-names", "given-names"}


def test_it_has_what_the_format_requires():
    assert REQUIRED <= set(CITATION) <= KNOWN
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert [set(author) for author in CITATION["authors"]] == [{"name"}]
    assert len({*CITATION["keywords"]}) == len(CITATION["keywords"])


def test_each_paper_has_authors_title_and_number():
    for paper in CITATION["references"]:
        keys = {"type", "title", "authors", "year", "identifiers", "url"}
        assert keys <= set(paper) <= keys | {"version"}
        assert all(set(author) == PERSON for author in paper["authors"])
        ((number,),) = ({entry["value"] for entry in paper["identifiers"]},)
        assert paper["url"] == f"https://arxiv.org/abs/{number.removeprefix('arXiv:')}"
        # The number has the year of the first version.
        if paper.get("version", "v1") == "v1":
            assert str(paper["year"])[2:] == number.removeprefix("arXiv:")[:2]


@pytest.mark.parametrize(
    ("number", "page"),
    [
        ("2310.11685", "README.md"),
        ("2407.16153", "README.md"),
        ("2407.16153", "src/attention_separation/head_rank/README.md"),
        ("2407.16153", "docs/reproducibility.md"),
    ],
)
def test_both_titles_of_each_paper_lead_here(number, page):
    titles = [p["title"] for p in CITATION["references"] if number in p["url"]]
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert len(titles) == 2
    assert all(title in text for title in titles)


def test_the_second_paper_is_cited_as_it_was_published():
    title = "Quality over Quantity in Attention Layers: When Adding More Heads Hurts"
    (published,) = (p for p in CITATION["references"] if p["title"] == title)
    assert (published["type"], published["version"]) == ("conference-paper", "ICLR 2025")


def test_it_says_what_the_package_says():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITATION["title"] == project["name"]
    assert CITATION["version"] == __version__
    assert CITATION["license"] == project["license"]
    (author,) = CITATION["authors"]
    assert author["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    numbers = {
        entry["identifiers"][0]["value"].replace(":", " ") for entry in CITATION["references"]
    }
    assert any(number in readme for number in numbers)
