"""The laws at other data: no claim differs there, and all of them are counted."""

import csv
from collections import Counter

import pytest
from making import CONFIG, ROOT

from attention_separation.any_attention.laws import elsewhere
from attention_separation.any_attention.laws.elsewhere import CHANGES, COUNTS, elsewhere_table
from attention_separation.any_attention.laws.law_table import LAWS, judge_laws

pytestmark = pytest.mark.exhaustive

DATA = CONFIG.any_attention.data
TRACKED = ROOT / "docs/kernels/laws_elsewhere.csv"

QUICK = ({"a0": 0.1}, {"classes": 7})
"""Those that are judged here; `snakemake kernels_elsewhere` does all."""


@pytest.fixture(scope="module")
def tracked():
    with TRACKED.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("change", QUICK, ids=str)
def test_no_law_differs_and_what_is_undecided_is_not_resolved(change):
    rows = judge_laws(DATA.model_copy(update=change))
    assert Counter(row["verdict"] for row in rows)["agrees"] > 480
    for row in rows:
        assert row["verdict"] != "differs", row
        assert row["verdict"] != "undecided" or row["measured"] != row["measured"], row


def test_the_tracked_table_is_that_of_the_laws(monkeypatch, tracked):
    monkeypatch.setattr(elsewhere, "CHANGES", QUICK[1:])
    found = [
        {name: str(value) for name, value in row.items()}
        for row in elsewhere_table(DATA).to_pylist()
    ]
    assert found == [row for row in tracked if row["data"] == "classes = 7"]


def test_all_data_and_laws_are_in_the_tracked_table(tracked):
    assert len(CHANGES) == len({row["data"] for row in tracked}) >= 8
    assert {row["law"] for row in tracked} == {law.name for law in LAWS}
    for data in {row["data"] for row in tracked}:
        rows = [row for row in tracked if row["data"] == data]
        total = {verdict: sum(int(row[verdict]) for row in rows) for verdict in COUNTS}
        assert total["differs"] == 0
        assert total["agrees"] > 10 * total["undecided"] + 5 * total["not applicable"]
        assert len({(row["law"], row["kind"]) for row in rows}) == len(rows)


def test_the_data_are_far_from_the_tables():
    classes = {change["classes"] for change in CHANGES if "classes" in change}
    assert {min(classes), max(classes)} == {7, 62}
    assert {name for change in CHANGES for name in change} == {
        "a0", "a1", "b", "c", "classes", "at_least", "delta"
    }  # fmt: skip
