"""Verdicts on claims."""

import math
from dataclasses import replace

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws.verdicts import (
    Law,
    Prediction,
    between,
    measured,
    statement,
)
from attention_separation.any_attention.settings.jobs import Data

CLAIM = Prediction("linear", LAYERS[0], "P", 0.5, 0.5, 0.01)
DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


@pytest.mark.parametrize(
    ("predicted", "measured", "difference", "verdict"),
    [
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
    ],
)
def test_a_claim(predicted, measured, difference, verdict):
    claim = replace(CLAIM, predicted=predicted, measured=measured)
    assert claim.difference == pytest.approx(difference)
    assert claim.verdict == verdict


def test_what_is_not_resolved_and_what_is_not_applicable():
    assert replace(CLAIM, measured=math.nan).verdict == "undecided"
    for changes in ({}, {"measured": math.nan}, {"measured": 7.0}):
        assert replace(CLAIM, holds=False, **changes).verdict == "not applicable"


@pytest.mark.parametrize(
    ("ends", "step", "holds", "tolerance", "verdict"),
    [
        ((490.0, 520.0), 0.0, True, 0.04, "agrees"),
        ((490.0, 505.0), 0.0, True, 0.02, "differs"),
        ((490.0, 505.0), 10.0, True, 0.04, "agrees"),
        ((490.0, 520.0), 0.0, False, 0.04, "not applicable"),
        ((490.0, 520.0), 31.0, True, 0.102, "not applicable"),
        ((490.0, math.inf), 0.0, True, math.inf, "not applicable"),
    ],
)
def test_a_number_between_the_ends_of_its_error_term(ends, step, holds, tolerance, verdict):
    claim = between("linear", LAYERS[0], "n", 500.0, ends, 515.0, None, holds, step)
    assert claim.tolerance == pytest.approx(tolerance, rel=1e-5)
    assert claim.verdict == verdict


def test_the_rows_of_a_law():
    law = Law("a law", "It holds.", "Always.", "None.", lambda data: iter([CLAIM]))
    assert law.rows(DATA) == [
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
    claim = replace(CLAIM, measured=measured, absolute=True)
    assert claim.verdict == verdict
    assert claim.tolerance_kind == "absolute"


@pytest.mark.parametrize("predicted", [True, False])
def test_a_statement(predicted):
    found = statement("exp", LAYERS[0], "separates", predicted, 1.0)
    assert found.kind == "statement"
    assert found.verdict == ("agrees" if predicted else "differs")
    assert statement("exp", LAYERS[0], "separates", predicted, math.nan).verdict == "undecided"


def test_what_is_only_measured():
    found = measured("exp", LAYERS[0], "last n", 100.0)
    assert (found.kind, found.verdict, found.tolerance_kind) == ("measured", "undecided", None)
    assert measured("exp", LAYERS[0], "last n", math.inf).verdict == "undecided"
