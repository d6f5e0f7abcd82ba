"""The laws at other data: no claim differs there, and all of them are counted."""

import csv

import pytest
from making import CONFIG, ROOT

from attention_separation.studies.any_attention.laws import law_table
from attention_separation.studies.any_attention.laws.law_table import (
    CHANGES,
    COUNTS,
    LAWS,
    elsewhere_table,
)

pytestmark = pytest.mark.exhaustive

DATA = CONFIG.any_attention.data
TRACKED = ROOT / "docs/kernels/laws_elsewhere.csv"


@pytest.fixture(scope="module")
def tracked():
    with TRACKED.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_tracked_table_is_that_of_the_laws(monkeypatch, tracked, change):
    """Which a whole run does not make."""
    monkeypatch.setattr(law_table, "CHANGES", (change,))
    found = [
        {name: str(value) for name, value in row.items()}
        for row in elsewhere_table(DATA).to_pylist()
    ]
    assert found == [row for row in tracked if row["data"] == found[0]["data"]]


def test_all_data_and_laws_are_in_the_tracked_table(tracked):
    assert len(CHANGES) == len({row["data"] for row in tracked}) >= 8
    assert {row["law"] for row in tracked} == {law.name for law in LAWS}
    for data in {row["data"] for row in tracked}:
        rows = [row for row in tracked if row["data"] == data]
        total = {verdict: sum(int(row[verdict]) for row in rows) for verdict in COUNTS}
        assert total["differs"] == 0
        assert total["agrees"] > 10 * total["undecided"] + 5 * total["not applicable"]
        assert len({(row["law"], row["kind"]) for row in rows}) == len(rows)
