"""Claims become rows of a table: their words and judgements, in order."""

from dataclasses import dataclass

import pytest

from attention_separation.results.claims import (
    SCHEMA,
    JudgedClaim,
    claim_by_rule,
    claim_rows,
    verdict_lines,
)
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.claims import (
    Comparison,
    Estimate,
    Judgement,
    Verdict,
    at_most,
    judge,
)

NEAR = Estimate(0.1, 0.0, 0.2)


def judged(estimate):
    return judge([at_most("a", estimate, 0.3)])


def test_the_row_of_a_claim():
    claim = JudgedClaim("C1", "It holds.", judged, {"origin": "ours"})
    assert claim.row(NEAR) == {
        "claim": "C1", "statement": "It holds.", "origin": "ours", "verdict": Verdict.AGREES,
        "comparisons": 1, "deciding_case": "a", "value": 0.1, "low": 0.0, "high": 0.2,
        "least": None, "most": 0.3,
    }  # fmt: skip


@dataclass(frozen=True)
class AtTwoSizes:
    """A claim with a row for each of two settings."""

    def rows(self, evidence):
        return [{"claim": "many", "n": n, "value": evidence.value} for n in (4, 8)]


def test_claims_have_their_rows_in_order_however_many():
    claims = [AtTwoSizes(), JudgedClaim("C1", "It holds.", judged), AtTwoSizes()]
    rows = claim_rows(claims, NEAR)
    assert [(row["claim"], row.get("n")) for row in rows] == [
        ("many", 4), ("many", 8), ("C1", None), ("many", 4), ("many", 8),
    ]  # fmt: skip
    assert claim_rows([], NEAR) == []


@pytest.mark.parametrize("verdict", Verdict)
def test_a_substitute_stands_where_a_claim_is_not_judged(verdict):
    def said(estimate):
        return Judgement(verdict, 1)

    substitute = JudgedClaim("C1", "It is published.", judged, {"origin": "published"})
    claim = JudgedClaim("C1", "It holds.", said, {"origin": "ours"}, substitute)
    (row,) = claim.rows(NEAR)
    is_replaced = verdict in ("not run", "not judged")
    assert row["origin"] == ("published" if is_replaced else "ours")
    # Its own row says what it is, whatever stands in its place.
    assert claim.row(NEAR)["verdict"] == verdict
    alone = JudgedClaim("C1", "It holds.", said)
    assert alone.rows(NEAR) == [alone.row(NEAR)]


def test_a_claim_by_a_rule_is_decided_by_the_least_slack():
    def comparisons(evidence):
        yield Comparison("loose", Estimate.within(evidence, 0.4), 0.0, 1.0)
        yield Comparison("off", Estimate.within(evidence - 0.2, 0.01), 0.0, 1.0)

    def words(**slack):
        return claim_by_rule("C1", "exact", "It holds.", "inside", comparisons, **slack).row(0.5)

    assert words()["deciding_case"] == "loose"
    assert words(slack=lambda each: each.slack_of_value)["deciding_case"] == "off"
    row = words()
    assert (row["kind"], row["rule"], row["verdict"]) == ("exact", "inside", "agrees")
    assert table_from_rows([row], SCHEMA)["verdict"].to_pylist() == ["agrees"]


def test_lines_of_verdicts_have_their_counts_first():
    rows = [
        {"verdict": "agrees", "claim": "R1", "value": 0.25, "deciding_case": "n = 2", "rule": "x"},
        {"verdict": "undecided", "claim": "R2", "value": None, "deciding_case": "", "rule": "y"},
    ]
    title, first, second = verdict_lines("claims", rows)
    assert title == "claims: 1 agree, 1 undecided"
    assert first == "agrees     R1   n = 2: 0.25 (x)"
    assert second == "undecided  R2    (y)"
