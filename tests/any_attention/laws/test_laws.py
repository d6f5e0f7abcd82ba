"""All laws at the default data: each agrees, and each would differ if its prediction were wrong."""

from dataclasses import replace

import pytest

from attention_separation.any_attention.laws.law_table import LAWS, judge_laws
from attention_separation.any_attention.laws.mixture import Mixture
from attention_separation.any_attention.laws.verdicts import EITHER
from attention_separation.any_attention.settings.jobs import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


@pytest.fixture(scope="module")
def claims():
    return {law.name: list(law.claims(DATA)) for law in LAWS}


def wrong(claim):
    """Its prediction ten times its tolerance off, or what it says is so or not flipped."""
    if claim.tolerance == EITHER:
        return replace(claim, predicted=1 - claim.predicted)
    off = 10 * (claim.tolerance or 1e-9) * (abs(claim.measured) or 1.0)
    return replace(claim, predicted=claim.predicted + off)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_law_agrees_and_can_fail(law, claims):
    applicable = [claim for claim in claims[law.name] if claim.verdict != "not applicable"]
    assert applicable
    for claim in applicable:
        assert claim.verdict == "agrees", claim
        assert wrong(claim).verdict == "differs", claim


def test_of_most_claims_the_conditions_are_met(claims):
    verdicts = [claim.verdict for each in claims.values() for claim in each]
    assert verdicts.count("not applicable") < 0.1 * len(verdicts)


def test_tolerances_are_no_measurements(claims):
    """No two error terms of largest n, temperatures, degrees, biases or weights are alike: each is
    computed at its own data."""
    of_laws = (
        "polynomials",
        "Taylor sums",
        "critical temperature",
        "least degree",
        "weight budget",
    )
    found = [c.tolerance for name in of_laws for c in claims[name] if c.kind == "number"]
    assert len(set(found)) > 0.9 * len(found)


def test_laws_have_different_names_and_say_what_they_need():
    assert len({law.name for law in LAWS}) == len(LAWS)
    for law in LAWS:
        for text in (law.statement, law.condition, law.error_term):
            assert text.endswith(".")
            assert "|" not in text


def test_every_law_is_judged_in_every_row(claims, monkeypatch):
    monkeypatch.setattr(
        "attention_separation.any_attention.laws.law_table.LAWS",
        tuple(replace(law, claims=lambda _, law=law: iter(claims[law.name])) for law in LAWS),
    )
    rows = judge_laws(DATA)
    assert len(rows) == sum(map(len, claims.values()))
    assert {row["law"] for row in rows} == set(claims)
    keys = [
        tuple(row[name] for name in ("law", "kernel", "model", "attention_x", "at", "quantity"))
        for row in rows
    ]
    assert len(set(keys)) == len(keys)


def test_other_data_are_judged_only_where_the_laws_were_derived():
    few = DATA.model_copy(update={"classes": 3})
    for law in LAWS:
        if law.name not in ("all weight on one token", "another X"):
            assert {row["verdict"] for row in law.rows(few)} == {"not applicable"}, law.name


def test_another_law_would_be_found_out(monkeypatch):
    """Shares a tenth smaller: every law that takes them differs somewhere."""
    found = Mixture.probabilities
    monkeypatch.setattr(
        Mixture, "probabilities", lambda self, share, *of: found(self, share / 1.1, *of)
    )
    taking = {"polynomials", "Taylor sums", "exponentials", "critical temperature", "least degree",
              "critical bias", "weight budget"}  # fmt: skip
    for law in LAWS:
        if law.name in taking:
            assert any(row["verdict"] == "differs" for row in law.rows(DATA)), law.name
