"""The page on the papers: what it says of rows of tables is of rows that exist."""

import re

from making import ROOT

from attention_separation.pages.rendering import Tables

DOCS = ROOT / "docs"
PAGE = (DOCS / "papers.md").read_text(encoding="utf-8")
IDS = [row["id"] for row in Tables(DOCS)("gallery/claims")]
NAMES = [
    *(row["claim"] for row in Tables(DOCS)("head_rank/rank_claims")),
    *(row["choice"] for row in Tables(DOCS)("gallery/choices")),
]
SECTIONS = {
    "Softmax against linear attention": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCDEF"),
    "The rank of heads": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCD"),
}
"""Sections of both papers."""


def test_rows_that_the_page_names_exist():
    ids = re.findall(r"`([A-F0-9][\w.*-]*)`", PAGE)
    rows = re.findall(r'"([^"|]+)"', re.sub(r"\[[^]]*\]\([^)]*\)", "", PAGE))
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
    for paper, sections in SECTIONS.items():
        (part,) = re.findall(rf"^## {paper}.*?(?=^## |\Z)", PAGE, re.M | re.S)
        first = re.findall(r"^\| ([^|]+) \|", part, re.M)
        named = {name for cell in first for name in re.findall(r"\b([1-8A-F])\b", cell)}
        assert named >= {*sections}
