"""Laws of the largest n."""

import math
from dataclasses import replace

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import Reach
from attention_separation.any_attention.laws import sizes
from attention_separation.any_attention.laws.test_cases import EXPONENTIALS, LINEAR, POWERS
from attention_separation.any_attention.settings.jobs import Data, KernelsJob
from attention_separation.own_kernels.values import own_kernels

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_that_it_separates_at_no_n_or_at_all_is_a_statement():
    never = sizes._claim(LINEAR, LAYERS[2], DATA)
    assert (never.kind, never.quantity) == ("statement", "separates at some n")
    assert (never.predicted, never.measured) == (0.0, 0.0)
    always = sizes._claim(EXPONENTIALS[2.0], LAYERS[1], DATA)
    assert (always.kind, always.quantity, always.at) == ("statement", "separates still", 10**12)
    assert (always.predicted, always.measured, always.verdict) == (1.0, 1.0, "agrees")


@pytest.mark.parametrize(("found", "verdict"), [(10.0**11, "differs"), (math.nan, "undecided")])
def test_a_statement_differs_where_the_measured_n_does(monkeypatch, found, verdict):
    monkeypatch.setattr(sizes, "measured_n", lambda *_: found)
    assert sizes._claim(EXPONENTIALS[2.0], LAYERS[1], DATA).verdict == verdict


def test_the_tolerance_is_what_the_law_leaves_out_and_a_step():
    # Of x^p with X all ones R is 2.2^p and R_0 is 1.01^p, below n = 88,000, where m is 15.
    for p in (6, 8):
        claim = sizes._claim(POWERS[p], LAYERS[1], DATA)
        left_out = 2 * 23 * 1.01**p
        assert claim.tolerance * claim.predicted == pytest.approx(left_out + 20, abs=20)
        assert claim.tolerance_kind == "relative"
        off = (1 + 1.5 * claim.tolerance) * claim.predicted
        assert replace(claim, measured=off).verdict == "differs"


def test_an_n_of_a_few_steps_is_no_test_of_the_law():
    for pair, layer in ((POWERS[2], LAYERS[0]), (EXPONENTIALS[4.0], LAYERS[0])):
        claim = sizes._claim(pair, layer, DATA)
        assert claim.tolerance > 0.1
        assert claim.verdict == "not applicable"
    # Nor is none at all, where the error term reaches as far as to some.
    assert sizes._claim(EXPONENTIALS[4.0], LAYERS[2], DATA).verdict == "not applicable"


def test_what_is_not_resolved_is_not_measured(monkeypatch):
    monkeypatch.setattr(sizes, "reach", lambda *_: Reach(240.0, None, 10**9, False))
    claim = sizes._claim(POWERS[8], LAYERS[0], DATA)
    assert math.isnan(claim.measured)
    assert claim.verdict == "undecided"


def own(**kernels):
    """The claims of own kernels, by name: on the last n and on the margin, in each layer."""
    settings = KernelsJob.model_validate({"data": DATA.model_dump(), "kernels": kernels}).kernels
    found = {}
    for claim in sizes.own_law(own_kernels(settings).values()).claims(DATA):
        found.setdefault(claim.kernel, []).append(claim)
    return {name: (claims[::2], claims[1::2]) for name, claims in found.items()}


def test_own_functions_of_scores_are_judged_like_the_same_built_in_ones():
    found = own(mine={"score": "x**8"}, cold={"score": "exp(x/4)"})
    for name, pair in (("mine", POWERS[8]), ("cold", EXPONENTIALS[4.0])):
        for claim, layer in zip(found[name][0], LAYERS, strict=True):
            built_in = sizes._claim(pair, layer, DATA)
            assert replace(claim, kernel="") == replace(built_in, kernel="")
    for claim in (*found["mine"][1], *found["cold"][1]):
        assert (claim.quantity, claim.at, claim.verdict) == ("2 eps", 10**6, "agrees")


def test_an_own_kernel_can_differ(monkeypatch):
    kernel = {"score": "x**8"}
    monkeypatch.setattr(sizes, "of_kernel", lambda _: POWERS[6][1])
    monkeypatch.setattr(sizes, "margins_of", lambda *_: [1.0])
    for claims in own(mine=kernel)["mine"]:
        assert {claim.verdict for claim in claims} == {"differs"}


@pytest.mark.parametrize(
    "kernel",
    [
        {"score": "x", "normalised": False},
        {"score": "exp(-x)"},
        {"score": "2 + sin(x)"},
        {"score": "1 - 0.008*x"},
        {"feature_map": "exp(x)"},
    ],
)
def test_where_no_law_is_known_it_is_measured_alone(kernel):
    for claims in own(mine=kernel)["mine"]:
        assert len(claims) == len(LAYERS)
        for claim in claims:
            assert claim.kind == "measured"
            assert (claim.verdict, claim.tolerance_kind) == ("undecided", None)
            assert math.isnan(claim.predicted)


def test_a_token_that_is_not_heard_has_no_predicted_margin():
    *_, cross = own(steps={"score": "where(x > 100, 1000, 1)"})["steps"][1]
    assert cross.kind == "measured"
