"""Laws of the margin, and of the weight in X."""

import math

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import margins
from attention_separation.any_attention.laws.margins import MARGIN_LAWS, margin_claim, margins_of
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.test_cases import EXPONENTIALS, LINEAR
from attention_separation.any_attention.settings.jobs import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_the_level_follows_m():
    for layer in LAYERS:
        for n in (10**6, 10**7, 10**9):
            (found,) = margins_of(LINEAR[0], layer, DATA, [n])
            claim = margin_claim(LINEAR, layer, DATA, n, found)
            assert math.isclose(claim.predicted, found, rel_tol=1e-5)


def test_no_margin_where_float64_resolves_none():
    (found,) = margins_of(LINEAR[0], LAYERS[0], DATA, [10**13])
    assert math.isnan(found)


@pytest.mark.parametrize("a1", [1.0, 1.2])
def test_shares_between_small_and_1_have_margins_too(a1):
    """Of e^(x/2) the share is 3 % at 10^6; of e^x in cross-attention 1/2 at a1 = 1."""
    data, n = DATA.model_copy(update={"a1": a1}), 10**6
    for temperature, layer in ((2.0, LAYERS[0]), (1.0, LAYERS[2])):
        pair = EXPONENTIALS[temperature]
        (found,) = margins_of(pair[0], layer, data, [n])
        claim = margin_claim(pair, layer, data, n, found)
        assert claim.verdict == "agrees", claim
        assert claim.tolerance < 1e-3


def test_a_threshold_below_what_d0s_special_token_makes_of_a_level():
    """Columns with that are lost, and half is left: a large a0 makes the difference."""
    changes = {"a0": 0.2, "a1": 1.12, "b": 0.31, "c": 1.14, "classes": 8, "at_least": 40}
    data, n = DATA.model_copy(update=changes), 10**6
    (found,) = margins_of(EXPONENTIALS[1.0][0], LAYERS[1], data, [n])
    claim = margin_claim(EXPONENTIALS[1.0], LAYERS[1], data, n, found)
    assert claim.difference > 1e-5
    assert claim.verdict == "agrees"
    assert claim.tolerance < 1e-3


def test_a_margin_of_states_that_are_not_in_order_is_not_applicable():
    changes = {"a0": 0.2, "a1": 1.17, "b": 0.43, "c": 1.0, "classes": 16, "delta": 0.1}
    data, n = DATA.model_copy(update=changes), 10**10
    (found,) = margins_of(EXPONENTIALS[2.0][0], LAYERS[0], data, [n])
    claim = margin_claim(EXPONENTIALS[2.0], LAYERS[0], data, n, found)
    assert claim.difference > 0.01
    assert claim.verdict == "not applicable"


def claims(name):
    (law,) = (law for law in MARGIN_LAWS if law.name == name)
    return [claim for claim in law.claims(DATA) if claim.verdict != "not applicable"]


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_other_margins_would_be_found_out(monkeypatch, factor):
    found = margins_of
    monkeypatch.setattr(
        margins, "margins_of", lambda *of: [margin * factor for margin in found(*of)]
    )
    assert {claim.verdict for claim in claims("margin")} == {"differs"}


def test_other_weights_would_be_found_out(monkeypatch):
    found = margins.least_weights
    monkeypatch.setattr(margins, "least_weights", lambda *of: (1 + found(*of)) * 1.1 - 1)
    told = [claim.verdict for claim in claims("weight budget") if claim.kind == "number"]
    assert set(told) == {"differs"}


@pytest.mark.parametrize(
    ("predicted", "measured", "kind", "verdict"),
    [
        ((0.0, 0.0, 0.0), 0.0, "statement", "agrees"),
        ((0.0, 0.0, 0.0), 1e-6, "statement", "differs"),
        ((1.0, 0.0, 0.0), 0.0, "statement", "not applicable"),
        ((math.inf,) * 3, math.inf, "statement", "agrees"),
        ((math.inf,) * 3, 1e12, "statement", "differs"),
        ((math.inf, math.inf, 1e12), math.inf, "statement", "not applicable"),
        ((3.02, 3.0, 2.98), 3.01, "number", "agrees"),
        ((3.02, 3.0, 2.98), 3.03, "number", "differs"),
        ((3.02, 3.0, 2.98), 0.0, "number", "differs"),
        ((3.02, 3.0, 2.98), math.inf, "number", "differs"),
        ((4.0, 3.0, 2.98), 3.0, "number", "not applicable"),
        ((math.inf, 3.0, 2.98), 3.0, "number", "not applicable"),
    ],
)
def test_that_no_weight_is_needed_or_none_is_enough_is_a_statement(
    predicted, measured, kind, verdict
):
    holds = law_holds(LAYERS[0], DATA)
    claim = margins._weight(LINEAR[0], LAYERS[0], 2000, *predicted, measured, holds)
    assert (claim.kind, claim.verdict) == (kind, verdict)
