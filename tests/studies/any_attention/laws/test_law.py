"""Verdicts on claims."""

import math
from dataclasses import replace

import pytest

from attention_separation.any_attention.layers import LAYERS
from attention_separation.studies.any_attention.laws import law
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
CLAIM = law.Prediction("linear", LAYERS[0], "P", 0.5, 0.5, 0.01)


def test_a_claim(subtests):
    for predicted, measured, difference, verdict in [
        (0.5, 0.5, 0.0, "agrees"),
        (101.0, 100.0, 0.01, "agrees"),
        (98.0, 100.0, 0.02, "differs"),
        (0.0, 0.0, 0.0, "agrees"),
        (0.0, 1.0, 1.0, "differs"),
        (1.0, 0.0, 1.0, "differs"),
        (0.0, 1e-9, 1.0, "differs"),
        (math.inf, math.inf, 0.0, "agrees"),
        (math.inf, 7.0, math.inf, "differs"),
        (7.0, math.inf, math.inf, "differs"),
        (0.5, math.nan, math.nan, "undecided"),
    ]:
        with subtests.test(predicted=predicted):
            claim = replace(CLAIM, predicted=predicted, measured=measured)
            assert claim.difference == pytest.approx(difference, nan_ok=True)
            assert claim.verdict == verdict
            assert replace(claim, holds=False).verdict == "not applicable"


def test_a_number_between_the_ends_of_its_error_term(subtests):
    for ends, step, tolerance, verdict in [
        ((490.0, 520.0), 0.0, 0.04, "agrees"),
        ((490.0, 505.0), 0.0, 0.02, "differs"),
        ((490.0, 505.0), 10.0, 0.04, "agrees"),
        ((490.0, 520.0), 31.0, 0.102, "not applicable"),
        ((490.0, math.inf), 0.0, math.inf, "not applicable"),
    ]:
        with subtests.test(ends=ends, step=step, tolerance=tolerance, verdict=verdict):
            claim = law.bracket_claim(
                "linear", LAYERS[0], "n", law.Bracket(500.0, ends), 515.0, step=step
            )
            assert claim.tolerance == pytest.approx(tolerance, rel=1e-5)
            assert claim.verdict == verdict


@pytest.mark.parametrize(("off", "verdict"), [(0.8e-7, "agrees"), (1.2e-7, "differs")])
def test_what_is_searched_for_is_known_to_the_precision_of_the_search(off, verdict):
    bracket = law.Bracket(500.0, (500.0, 500.0))
    claim = law.bracket_claim("linear", LAYERS[0], "n", bracket, 500.0 * (1 + off))
    assert claim.tolerance > 0
    assert claim.verdict == verdict


def test_where_data_do_not_meet_what_all_laws_need_a_claim_is_not_applicable():
    few = DATA.model_copy(update={"classes": 3})
    one = law.Law("a law", "It holds.", lambda data: iter([CLAIM]))
    other = replace(one, is_of_mixture=False)
    assert [claim.verdict for claim in one.claims(few)] == ["not applicable"]
    assert [claim.verdict for claim in other.claims(few)] == ["agrees"]
    unmet = replace(one, predictions=lambda data: iter([replace(CLAIM, holds=False)]))
    assert [claim.verdict for claim in unmet.claims(DATA)] == ["not applicable"]


def test_the_rows_of_a_law():
    one = law.Law("a law", "It holds.", lambda data: iter([CLAIM]), "Always.", "None.")
    assert one.rows(DATA) == [
        {
            "law": "a law", "kind": "number", "kernel": "linear", "model": "self_attention",
            "attention_x": "identity", "at": None, "quantity": "P", "predicted": 0.5,
            "measured": 0.5, "relative_difference": 0.0, "tolerance": 0.01,
            "tolerance_kind": "relative", "verdict": "agrees", "statement": "It holds.",
            "condition": "Always.", "error_term": "None.",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(("measured", "verdict"), [(0.509, "agrees"), (0.511, "differs")])
def test_an_absolute_tolerance(measured, verdict):
    claim = replace(CLAIM, measured=measured, kind=law.ClaimKind.STATEMENT)
    assert (claim.verdict, claim.tolerance_kind) == (verdict, "absolute")


@pytest.mark.parametrize(
    ("predicted", "measured", "verdict"),
    [(True, 1.0, "agrees"), (False, 1.0, "differs"), (True, math.nan, "undecided")],
)
def test_a_statement(predicted, measured, verdict):
    found = law.statement_claim("exp", LAYERS[0], "separates", predicted, measured)
    assert (found.kind, found.verdict) == ("statement", verdict)
