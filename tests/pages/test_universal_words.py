"""A finding that says all, any or never has a row of a table as its scope, and is listed here."""

import re

import pytest
from prose import ADDRESS, END_OF_SENTENCE, NO_PROSE
from tracked_pages import DOCS, ROOT

from attention_separation.pages.rendering import Tables

UNIVERSAL = re.compile(
    r"\b(all|any|every|never|nobody|(?<!at )(?<!at the )most|however|at no|at none|always)\b", re.I
)
NOT_UNIVERSAL = re.compile(r"X all ones|not at all")
"""A name, and an idiom."""

PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "gallery", "kernels", "laws", "needle", "recall", "head_rank", "rank-figures",
            "reproducibility",
        )
    ),
)  # fmt: skip
TABLES = Tables(DOCS)

SCOPES = {
    ("docs/gallery.md", "All claims: [claims.csv]"): ("gallery/claims", {}),
    ("docs/kernels.md", "One threshold for all neurons"): (
        "kernels/kernel_values", {"kernel": "uniform", "model": "self_attention", "n": 2000}
    ),
    ("docs/kernels.md", "can keep a distance] however large n is"): (
        "kernels/kernel_laws", {"law": "another X", "verdict": "agrees"}
    ),
    ("docs/kernels.md", "we try all multiples of 20"): ("kernels/kernels", {"kernel": "exp"}),
    ("docs/laws.md", "Softmax itself separates, however large n is"): (
        "kernels/kernels", {"kernel": "exp", "last_n": float("inf")}
    ),
    ("docs/head_rank.md", "transformers of every kind"): (
        "head_rank/rank_claims", {"claim": "a vote needs few points"}
    ),
    ("docs/reproducibility.md", "all their titles"): (None, {}),
    ("docs/reproducibility.md", "attention between all n tokens"): ("gallery/verdicts", {}),
}  # fmt: skip
"""By page and words of a sentence: a table and what its rows have; None for what is no finding."""


def universal(text: str) -> list[str]:
    """The sentences of a page's prose that say something of all cases."""
    for pattern in NO_PROSE:
        text = re.sub(pattern, "", text)
    text = re.sub(ADDRESS, "]", text)
    paragraphs = re.split(r"\n\s*\n", text)
    sentences = [s for p in paragraphs for s in re.split(END_OF_SENTENCE, " ".join(p.split()))]
    return [s for s in sentences if UNIVERSAL.search(NOT_UNIVERSAL.sub("", s))]


def test_every_universal_finding_is_listed():
    found = [(page, s) for page in PAGES for s in universal((ROOT / page).read_text("utf-8"))]
    listed = [key for key in SCOPES if any(page == key[0] and key[1] in s for page, s in found)]
    assert listed == [*SCOPES]
    unlisted = [
        (page, s) for page, s in found if not any(page == at and words in s for at, words in SCOPES)
    ]
    assert unlisted == []


@pytest.mark.parametrize(("table", "wanted"), SCOPES.values(), ids=str)
def test_its_scope_is_a_row_of_a_table(table, wanted):
    assert table is None or TABLES(table, **wanted)


def test_universal_words_are_found():
    text = "It never fails. X all ones is one.\n\nAt most 3. Nobody ran it.\n\n| all |\n"
    assert universal(text) == ["It never fails.", "Nobody ran it."]
