"""What is said of the needle: made of the tables, and tracked as they are."""

import math
import re

import pyarrow as pa
import pytest
from attention_separation.needle.pages.findings import (
    claim_counts,
    first_findings,
    last_n,
    more_findings,
)
from attention_separation.needle.pages.gallery import GALLERY, critical_text, page_text
from making import CONFIG, ROOT
from needle_tables import SCHEMAS, folder_of_tables, tracked

from attention_separation.needle.claims.runs import cell_words
from attention_separation.needle.exact import line_table
from attention_separation.needle.figures import accuracy
from attention_separation.needle.pages import findings, overview
from attention_separation.needle.settings.titles import FIGURES, TABLES
from attention_separation.results.tables import select_rows
from attention_separation.settings.jobs import PageJob

STUDY = ROOT / "src/attention_separation/needle"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/needle.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables():
    return {name: tracked(name) for name in SCHEMAS}


def changed(table: pa.Table, change, **of) -> pa.Table:
    """A table with `change` made to the rows that have these values."""
    rows = [
        row | change(row) if all(row[key] == value for key, value in of.items()) else row
        for row in table.to_pylist()
    ]
    return pa.Table.from_pylist(rows, table.schema)


def test_readme_and_the_page_say_what_the_tables_say(tables):
    begin, end = GALLERY.marks
    block = README.partition(begin)[2].partition(end)[0]
    first, more = first_findings(tables), more_findings(tables)
    assert re.findall(r"^- (.*)$", block, re.M) == first
    assert [line[2:] for line in PAGE.splitlines() if line.startswith("- ")] == [*first, *more]
    assert page_text(tables) in PAGE
    for name in FIGURES:
        assert f"![{FIGURES[name]}](needle/{name}.svg)" in PAGE


def test_the_answer_has_the_tables_numbers(tables):
    cannot, found, not_so = first_findings(tables)
    reach = findings.reaches(tables["needle_critical"])
    for kernel in ("none", "linear", "exp", "bayes"):
        assert f"n = {math.floor(reach[kernel, 5.0]):,}" in cannot
    moved = changed(
        tables["needle_critical"], lambda row: {"n_critical": 99.5}, kernel="linear", mu=5.0
    )
    assert (
        "linear attention up to n = 99," in first_findings(tables | {"needle_critical": moved})[0]
    )
    cells = tables["needle_cells"]
    at = {"mu": 5.0, "n": 512, "control": False}
    for kernel, divided in (("exp", "sum"), ("linear", "n")):
        wanted = {"arm": "asked", "kernel": kernel, "divided_by": divided} | at
        assert f"of {findings.mean_accuracy(cells, **wanted):.3f}" in found
    for kernel, divided in ((None, "sum"), ("linear", "n"), ("linear", "sum")):
        wanted = {"arm": "paper", "kernel": kernel, "divided_by": divided} | at
        assert f" {findings.mean_accuracy(cells, **wanted):.3f}" in not_so
    for change in (
        "divided by n, not by their sums",
        "standardised",
        "a bias for each",
        "pooled by the largest",
        "learned weights of the outputs",
    ):
        assert change in not_so
    assert "two changes" not in README + PAGE


def test_a_training_that_failed_is_called_so(tables):
    assert "divided by its row sums its training failed, at 0.500: weights set by hand" in README

    def said(accuracy):
        of = {"arm": "paper", "kernel": "linear", "divided_by": "sum"}
        cells = changed(tables["needle_cells"], lambda row: {"accuracy": accuracy}, **of)
        return first_findings(tables | {"needle_cells": cells})[2]

    assert said(0.63).endswith("divided by its row sums, 0.630.")
    assert "its training failed, at 0.510: weights set by hand have 0.60." in said(0.51)


def test_the_margin_that_does_not_shrink_has_its_g_and_k(tables):
    not_so = first_findings(tables)[2]
    assert "0.00645 √log n at g = 1, K = 10" in not_so
    beside = "At g = 100 it is 0.137; softmax with X = I, read by e₁, has 1.17 at n = 2,000."
    assert beside in not_so
    assert "with this X half of the sign vectors keep a margin too" in not_so
    # What stands beside it is known of this margin alone.
    moved = changed(tables["needle_claims"], lambda row: {"value": 0.0071}, claim="N10")
    other = first_findings(tables | {"needle_claims": moved})[2]
    assert "0.00710 √log n" in other
    assert "g = 100" not in other


def test_what_cannot_be_names_the_class_that_its_theorem_is_of(tables):
    kinds = {row["kernel"]: row["kind"] for row in tables["needle_lines"].to_pylist()}
    assert [name for name, kind in kinds.items() if kind == "bound"] == ["none", "linear"]
    texts = (README, PAGE, (STUDY / "README.md").read_text(encoding="utf-8"))
    for text in texts:
        assert "not proved" not in text
        assert "with one query cannot do" not in text
        assert "any number of heads whose queries do not see the tokens" in text
        assert "theorem" in text
    (sentence,) = [each for each in first_findings(tables) if "cannot do" in each]
    assert "scores and values linear in them" in sentence
    assert "power" not in sentence
    for module in (overview.HONESTY, accuracy.NOTE, line_table.ABOUT["needle_lines"]):
        words = " ".join(module.split())
        assert "queries do not see the tokens" in words
        assert "read along the needle" not in words


def test_the_page_says_where_the_bound_ends(tables):
    ends = tables["needle_bound_ends"].to_pylist()
    text = page_text(tables).partition("## Where the bound ends")[2].partition("\n## ")[0]
    assert len(ends) == 6
    for row in ends:
        assert f"| {row['layer']} | `{row['kernel']}` | {row['n']} |" in text
        assert f"| {row['limit']:.4f} | {row['accuracy']:.4f} |" in text
    assert "5 layers just outside it pass this at n = 512, up to 0.928" in first_findings(tables)[0]
    without = {name: table for name, table in tables.items() if name != "needle_bound_ends"}
    assert "just outside" not in first_findings(without)[0]


def test_what_was_trained_outside_the_class_and_what_was_not_learned(tables):
    found = first_findings(tables)[1]
    assert "linear attention comes to 0.657, elu + 1 with 12 features to 0.869" in found
    assert "At n = 2,048 linear attention was not learned: 0.502, with a limit of 0.580" in found
    learned = changed(
        tables["needle_cells"], lambda row: {"accuracy": 0.57}, n=2048, kernel="linear"
    )
    assert "not learned" not in first_findings(tables | {"needle_cells": learned})[1]


def test_the_studys_page_has_the_tables_numbers(tables):
    text = " ".join((STUDY / "README.md").read_text(encoding="utf-8").split())
    found = " ".join(first_findings(tables))
    for number in (
        "0.657",
        "0.654",
        "0.869",
        "0.502",
        "0.580",
        "0.00645",
        "0.137",
        "1.17",
        "0.500",
    ):
        assert number in found, number
        assert number in text, number
    for name in ("0.0038", "0.0085"):
        assert name in " ".join(more_findings(tables))
        assert name in text
    assert "½(1 − 2^(1−K)) of the sign vectors" in text
    assert "(OA)'1 = A'1 and (OA)'(OA) = A'A" in text


def test_near_the_best_possible_only_at_the_mu_of_the_table(tables):
    (near,) = [each for each in more_findings(tables) if "best possible:**" in each]
    assert "0.0038" in near
    assert "of μ = 4 and 5" in near
    assert "over all μ" not in near
    assert "where μ is smaller, more: 0.0085 at μ = 2 and n = 64" in near


def test_what_does_not_hold_is_not_said(tables):
    differs = changed(tables["needle_claims"], lambda row: {"verdict": "differs"}, claim="N10")
    assert "shrink" not in " ".join(first_findings(tables | {"needle_claims": differs}))
    said = more_findings(tables | {"needle_claims": differs})
    assert any(s.startswith("**Claims,**") and "2 agree, 1 differ" in s for s in said)
    assert any(s.startswith("**Differs, N10:** ") for s in said)


def test_why_a_claim_does_not_agree(tables):
    cell = {"arm": "asked", "kernel": "exp", "mu": 5.0, "n": 512, "control": False}
    accuracies = select_rows(tables["needle_cells"], **cell)["accuracy"].to_pylist()
    name = "mean accuracy − line, exp, query given, μ = 5, n = 512"
    open_ = {"verdict": "undecided", "decided_at": name, "comparisons": 3}
    numbers = {"value": -0.025, "low": -0.0712, "high": 0.0212, "least": -0.03, "most": None}

    def said(**changes):
        row = open_ | numbers | changes
        claims = changed(tables["needle_claims"], lambda _: row, claim="N2")
        (found,) = [each for each in claim_counts(claims, tables["needle_cells"]) if "N2:" in each]
        return found

    text = said()
    assert text.startswith("**Undecided, N2:** Training reaches the lines")
    assert (
        f"Of 3 comparisons the furthest from agreeing is {name}: -0.025. Its interval, -0.0712 to "
        "0.0212, reaches below the -0.03 that is allowed, so that it is not decided; the 5 runs "
        f"have accuracies from {min(accuracies):.3f} to {max(accuracies):.3f}."
    ) in text
    assert "reaches above the 0.02 that is allowed" in said(least=None, most=0.02)
    differs = said(verdict="differs", value=-0.05, high=-0.04, decided_at="of no cell")
    assert differs.endswith("interval, -0.0712 to -0.04, lies below the -0.03 that is allowed.")
    assert said(low=None, high=None).endswith("-0.025. It has no interval.")
    assert said(value=None).endswith("is 0.64 or more.")


def test_each_trained_cell_has_words_of_its_own(tables):
    cells = {(row["cell"], cell_words(row)) for row in tables["needle_cells"].to_pylist()}
    assert len({words for _, words in cells}) == len({cell for cell, _ in cells}) == len(cells)


@pytest.mark.parametrize(
    ("claim", "words"),
    [("N1", "passed what is exact"), ("N2", "training came within"), ("N3", "softmax finds it"),
     ("N9", "every token is a query")],
)  # fmt: skip
def test_of_trained_networks_only_what_agrees_is_said(tables, claim, words):
    def said(verdict):
        rows = changed(tables["needle_claims"], lambda row: {"verdict": verdict}, claim=claim)
        return " ".join(first_findings(tables | {"needle_claims": rows}))

    assert words in said("agrees")
    assert words not in said("undecided")
    assert words not in said("differs")


def test_without_training_that_is_said(tables):
    rows = [row for row in tables["needle_claims"].to_pylist() if row["kind"] == "exact"]
    claims = pa.Table.from_pylist(rows, tables["needle_claims"].schema)
    untrained = {name: table for name, table in tables.items() if name != "needle_cells"}
    untrained["needle_claims"] = claims
    assert len(first_findings(untrained)) == 2
    assert more_findings(untrained)[-1].endswith("is not shown here.")
    assert more_findings(tables)[-1].endswith("wired by hand.")


def test_of_what_a_table_has_not_nothing_is_said(tables):
    few = select_rows(tables["needle_critical"], mu=3.0)
    assert first_findings({"needle_critical": few}) == []
    assert more_findings({}) == [findings.NOT_SHOWN + findings.UNTRAINED]
    assert first_findings({}) == []


def test_numbers_in_words():
    assert [last_n(n) for n in (13.7, 1e9 - 0.5, 3.068e10, math.inf)] == [
        "13", "999,999,999", "3.07·10¹⁰", "beyond 10¹⁵",
    ]  # fmt: skip


def test_the_table_of_critical_n_in_markdown(tables):
    text = critical_text(tables["needle_critical"])
    lines = text.splitlines()
    assert len(lines) == 2 + 7
    assert all(line.count("|") == lines[0].count("|") for line in lines)
    assert "| `linear` | x | bound | 20.1 |" in text
    endless = changed(tables["needle_critical"], lambda row: {"n_critical": math.inf}, kernel="exp")
    assert "| above 10¹⁵ |" in critical_text(endless)


def test_the_page_of_the_report(tables, tmp_path):
    folder = folder_of_tables(tmp_path)
    study = CONFIG.studies()["needle"]
    job = study.overview_job(study.shown_outputs())
    assert {*job.tables} == {*TABLES}
    assert {*job.figures} == {*FIGURES}
    # A figure and a table of one name have settings of their own.
    assert job.tables["needle_critical"] != job.figures["needle_critical"]
    found = overview.read_overview(PageJob.model_validate_json(job.canonical()), folder)
    assert [*found.said] == first_findings(tables)
    assert {*found.figures} == {*FIGURES}
    assert {*found.tables} == {*TABLES}
    assert found.scale == "**desk**"


def test_the_objects_have_the_names_that_the_studys_page_says():
    import importlib

    text = (STUDY / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:exact|claims)/\w+)\.(\w+)`", text)
    assert len(named) > 8
    for place, name in named:
        module = f"attention_separation.needle.{place.replace('/', '.')}"
        assert hasattr(importlib.import_module(module), name), name
