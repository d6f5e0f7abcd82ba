"""CITATION.cff has what the Citation File Format 1.2.0 requires, and no unknown key; codemeta.json
and pyproject.toml say the same."""

import json
import tomllib

import pytest
import yaml
from making import ROOT
from packaging.requirements import Requirement

from attention_separation import __version__

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
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
        ("2407.16153", "src/attention_separation/studies/head_rank/README.md"),
    ],
)
def test_both_titles_of_each_paper_lead_here(number, page):
    titles = [p["title"] for p in CITATION["references"] if number in p["url"]]
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert len(titles) == 2
    assert all(title in text for title in titles)


def test_codemeta_says_the_same():
    meta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert [meta["name"], meta["version"]] == [CITATION["title"], __version__]
    assert meta["license"] == f"https://spdx.org/licenses/{CITATION['license']}"
    assert [each["name"] for each in meta["author"]] == [CITATION["authors"][0]["name"]]
    assert meta["description"] == PROJECT["description"]
    assert meta["keywords"] == CITATION["keywords"] == PROJECT["keywords"]
    assert meta["softwareRequirements"] == [Requirement(x).name for x in PROJECT["dependencies"]]
    papers = [
        (x["name"], x["datePublished"], x["url"], [a["familyName"] for a in x["author"]])
        for x in meta["referencePublication"]
    ]
    assert papers == [
        (x["title"], str(x["year"]), x["url"], [a["family-names"] for a in x["authors"]])
        for x in CITATION["references"]
    ]


def test_it_says_what_the_package_says():
    assert CITATION["title"] == PROJECT["name"]
    assert CITATION["version"] == __version__
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"]
    # Addresses of this project are added at its release: none leads nowhere before.
    assert {*PROJECT["urls"].values()} == {each["url"] for each in CITATION["references"]}
    (author,) = CITATION["authors"]
    assert author["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    numbers = {
        entry["identifiers"][0]["value"].replace(":", " ") for entry in CITATION["references"]
    }
    assert any(number in readme for number in numbers)
