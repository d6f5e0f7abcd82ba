"""Pages on the papers: what they say of rows of tables is of rows that exist."""

import re

import pytest
from making import ROOT

from attention_separation.pages.rendering import Tables

DOCS = ROOT / "docs"
PAGES = ("errata.md", "coverage.md")
IDS = [row["id"] for row in Tables(DOCS)("gallery/claims")]
NAMES = [row["claim"] for row in Tables(DOCS)("head_rank/rank_claims")]
SECTIONS = {
    "Softmax against linear attention": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCDEF"),
    "The rank of heads": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCD"),
}
"""Sections of both papers."""


@pytest.mark.parametrize("name", PAGES)
def test_rows_that_a_page_names_exist(name):
    text = (DOCS / name).read_text(encoding="utf-8")
    ids = re.findall(r"`([A-F0-9][\w.*-]*)`", text)
    rows = re.findall(r'"([^"|]+)"', re.sub(r"\[[^]]*\]\([^)]*\)", "", text))
    assert len(ids) > 5
    for one in ids:
        if one.endswith(".*"):
            assert any(each.startswith(one[:-1]) for each in IDS), one
        else:
            assert any(each == one or each.startswith(f"{one}.") for each in IDS), one
    quoted = [one for one in rows if one in NAMES]
    assert len(quoted) >= 2
    # What is quoted and no row's name is a word of a paper.
    assert {*rows} - {*NAMES} <= {"the second step", "and", "or", "the paper's", "Let"}


def test_every_section_of_both_papers_is_covered():
    text = (DOCS / "coverage.md").read_text(encoding="utf-8")
    for paper, sections in SECTIONS.items():
        (part,) = re.findall(rf"^## {paper}.*?(?=^## |\Z)", text, re.M | re.S)
        first = re.findall(r"^\| ([^|]+) \|", part, re.M)
        named = {name for cell in first for name in re.findall(r"\b([1-8A-F])\b", cell)}
        assert named >= {*sections}
