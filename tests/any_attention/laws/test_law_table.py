"""The table of laws: its columns, what its page has above it, and own kernels in it."""

import math
from html import escape

import pytest

from attention_separation.__main__ import run_job
from attention_separation.any_attention.laws import law_table
from attention_separation.any_attention.laws.law_table import ABOVE, SCHEMA, about
from attention_separation.any_attention.laws.reach import REACH_LAWS
from attention_separation.any_attention.laws.words import CONDITION
from attention_separation.any_attention.settings.jobs import Data, KernelsJob
from attention_separation.results.tables import read_parquet

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
(POLYNOMIALS,) = (law for law in REACH_LAWS if law.name == "polynomials")


@pytest.fixture
def table(monkeypatch, tmp_path):
    """That of one law and two own kernels."""
    monkeypatch.setattr(law_table, "LAWS", (POLYNOMIALS,))
    kernels = {"mine": {"score": "x**8"}, "other": {"feature_map": "x + 1"}}
    job = KernelsJob.model_validate({"data": DATA.model_dump(), "kernels": kernels})
    output = tmp_path / "kernel_laws.parquet"
    run_job("any_attention.laws.law_table", "--settings", job.canonical(), "--output", str(output))
    return read_parquet(output, SCHEMA), output


def test_own_kernels_stand_in_it(table):
    rows = table[0].to_pylist()
    found = {name: [row for row in rows if row["kernel"] == name] for name in ("mine", "other")}
    assert [row["kind"] for row in found["mine"]] == ["number"] * 6
    assert {row["verdict"] for row in found["mine"]} == {"agrees"}
    assert [row["kind"] for row in found["other"]] == ["measured"] * 6
    for row in found["other"]:
        assert row["predicted"] is row["tolerance"] is row["tolerance_kind"] is None
        assert row["verdict"] == "undecided"
    assert {row["law"] for rows in found.values() for row in rows} == {"own kernels"}


def test_each_row_has_what_the_law_says_and_the_page_has_it_once(table):
    found, output = table
    (found_statement,) = {
        row["statement"] for row in found.to_pylist() if row["law"] == POLYNOMIALS.name
    }
    assert found_statement == POLYNOMIALS.statement
    page = output.with_suffix(".html").read_text()
    assert page.count("separates up to n = C r^p.") == 1
    assert escape(POLYNOMIALS.error_term) in page
    assert all(f"<th>{name}</th>" not in page for name in ABOVE)
    assert POLYNOMIALS.condition in output.with_suffix(".csv").read_text()


def test_a_line_for_each_law(table):
    scope, law, own = about(table[0]).splitlines()
    assert CONDITION in scope
    assert law == (
        f"polynomials (13 agree, 8 not applicable): {POLYNOMIALS.statement} Needs: "
        f"{POLYNOMIALS.condition} Error term: {POLYNOMIALS.error_term}"
    )
    assert own.startswith("own kernels (6 agree, 6 undecided): A function of scores")


def test_no_number_is_none_against_none():
    for law in law_table.LAWS:
        for row in law.rows(DATA):
            if row["kind"] == "number" and row["verdict"] != "not applicable":
                where = {name: row[name] for name in ("law", "kernel", "model", "at")}
                assert row["predicted"], where
                assert math.isfinite(row["predicted"]), where
                assert row["measured"], where
