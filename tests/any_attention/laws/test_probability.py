"""Laws of P itself, and of rows with a P in closed form."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.laws import probability
from attention_separation.any_attention.laws.mixture import Mixture
from attention_separation.any_attention.laws.probability import (
    ENTMAXES,
    FAR_SIZES,
    NOT_DIVIDED,
    PROBABILITY_LAWS,
    ROW_LAWS,
    last_n_of_others,
    n_equal_to_uniform,
    of_hardmax,
)
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS


def law_of(name):
    (law,) = (law for law in (*PROBABILITY_LAWS, *ROW_LAWS) if law.name == name)
    return law


def test_the_floor_of_twenty_classes():
    assert Mixture(SELF, DATA).floor(15) == pytest.approx(0.161460, abs=1e-6)
    assert Mixture(CROSS, DATA).floor(15) == pytest.approx(0.132155, abs=1e-6)


def test_a_kernel_of_large_weight_ratio_is_not_equal_to_uniform():
    floor = Mixture(SELF, DATA).floor(15)
    for name in ("exp", "power_4", "cosine_softmax_10", "hedgehog_fla"):
        (found,) = best_probabilities(KERNELS[name], SELF, DATA, [2000])
        assert found > floor + 0.01


def test_the_staircase_is_judged_off_its_floor_too():
    steps = {round(claim.measured, 6) for claim in law_of("mixture").claims(DATA)}
    assert len(steps) >= 10


@pytest.mark.parametrize("layer", LAYERS[:2], ids=lambda layer: layer.words)
@pytest.mark.parametrize("name", ["linear", "power_2", "power_3"])
@pytest.mark.parametrize("classes", [10, 20, 31])
def test_from_when_on_a_kernel_is_equal_to_uniform_by_every_n(layer, name, classes):
    data, kernel = DATA.model_copy(update={"classes": classes}), KERNELS[name]
    every = np.arange(1, 6000 // classes) * classes
    found = best_probabilities(kernel, layer, data, every.tolist())
    law = Mixture(layer, data)
    of_uniform = np.array([law.of_uniform(data.m(n)) for n in every.tolist()])
    last = every[np.abs(found - of_uniform) > 1e-12][-1]
    # Of few classes there are few tokens, and shifts of order 1 / n^2.
    assert abs(n_equal_to_uniform(kernel, layer, data) - last - classes) <= classes


def test_from_when_on_it_is_equal_to_uniform_in_closed_form():
    # K = 20, m = 15: the best level is 4 of 20, and from 2 a1's is lifted over it; rho is 1.
    level, ratio, ratio_d0 = 0.04, 2.2**8, 1.01**8
    n = 20 / 0.4 * (ratio * (1.4 - level) - ratio_d0 * (0.21 - level))
    assert n_equal_to_uniform(KERNELS["power_8"], ONES, DATA) == pytest.approx(n, rel=0.005)
    assert n_equal_to_uniform(KERNELS["exp"], ONES, DATA) == math.inf


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_another_step_between_levels_would_be_found_out(monkeypatch, factor):
    levels = Mixture.levels
    monkeypatch.setattr(Mixture, "levels", lambda *of: levels(*of) * factor)
    verdicts = [claim.verdict for claim in law_of("equal to uniform from n on").claims(DATA)]
    applicable = len(verdicts) - verdicts.count("not applicable")
    assert verdicts.count("differs") >= applicable / 2


def verdicts_of(law, changes, **of):
    claims = law_of(law).claims(DATA.model_copy(update=changes))
    return [c.verdict for c in claims if all(getattr(c, name) == x for name, x in of.items())]


def test_what_is_not_yet_equal_to_uniform_or_not_in_order_is_not_applicable():
    # With 62 classes x^2 still lifts a level at n = 2,000 with X = I.
    at = {"kernel": "power_2", "layer": LAYERS[0]}
    assert verdicts_of("equal to uniform", {"classes": 62}, **at)[0] == "not applicable"
    assert verdicts_of("equal to uniform", {}, **at) == ["agrees"] * 3
    # D0's special token, nearly as large as D1's, is then above D1's ordinary rows.
    assert verdicts_of("equal to uniform", {"a0": 1.1}, **at) == ["not applicable"] * 3


def test_a_special_token_of_small_weight_in_ordinary_rows_is_not_applicable():
    changes = {"a1": 1.06, "b": 0.3, "c": 0.54, "classes": 7}
    found = verdicts_of("equal to uniform", changes, kernel="focused_3", layer=LAYERS[0])
    assert found == ["not applicable"] * 3


def test_a_step_of_the_staircase_is_not_applicable():
    # f is 1/2 at a1 = 1, and the states of level -4 are at the threshold's 18.
    found = verdicts_of("mixture", {"a1": 1.0}, kernel="exp", layer=LAYERS[2])
    assert found[0] == "not applicable"


def test_from_which_n_on_one_token_has_all_in_closed_form():
    # Scores are a1^2, a1 (a1 + b + c) and a1 apart, times log n.
    for layer, gap in ((SELF, 1.44), (ONES, 2.64), (CROSS, 1.2)):
        assert last_n_of_others(1.05, layer, DATA) == 20 * (math.exp(20 / gap) // 20)
    assert last_n_of_others(1.25, SELF, DATA) == 0.0


def claims(name):
    return list(law_of(name).claims(DATA))


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_alpha_would_be_found_out(monkeypatch, factor):
    monkeypatch.setattr(
        probability, "ENTMAXES", {1 + (alpha - 1) * factor: one for alpha, one in ENTMAXES.items()}
    )
    verdicts = {(c.kernel, c.layer): c.verdict for c in claims("all weight on one token")}
    assert all(verdicts["entmax_1.05", layer] == "differs" for layer in LAYERS)


def test_an_exact_law_has_no_tolerance():
    assert {c.tolerance for c in claims("all weight on one token") if c.kind == "number"} == {0.0}


def test_hardmax_where_d0_has_it_too_by_all_signs_of_three_coordinates():
    # y_1 and one of two marked classes plus; y_1 and D0's class not.
    m = 15
    fires = none = 0
    for first in (0, 1):
        for of_d0 in (0, 1):
            for of_d1 in (0, 1):
                none += not (first and of_d0)
                fires += not (first and (of_d0 or of_d1))
    expected = (1 - 1 / 20) * ((none / 8) ** m - (fires / 8) ** m)
    assert of_hardmax(m, CROSS, DATA) == pytest.approx(expected, rel=1e-14)
    assert of_hardmax(m, SELF, DATA) == pytest.approx(1 - 0.75**m)


def test_statements_are_those_of_the_layers():
    said = {c.layer: c.predicted for c in claims("hardmax") if c.quantity == "separates"}
    assert said == {SELF: 1.0, ONES: 1.0, CROSS: 0.0}
    above = [c for c in claims("rows not divided") if c.quantity == "P is above that of exp"]
    assert {c.layer for c in above} == {ONES}
    assert len(above) == len(NOT_DIVIDED) * len(FAR_SIZES)


@pytest.mark.parametrize("name", NOT_DIVIDED)
def test_a_kernel_that_is_divided_would_differ(monkeypatch, name):
    met = probability.sums_decide
    monkeypatch.setattr(probability, "sums_decide", lambda _, *of: met(KERNELS[name], *of))
    monkeypatch.setattr(probability, "NOT_DIVIDED", ("linear",))
    found = {c.verdict for c in claims("rows not divided") if c.layer is ONES}
    assert found == {"differs"}


@pytest.mark.parametrize(
    ("changes", "layer", "kernel"),
    [
        # (a1 + b + c) / (b + c) is 2.1 against (c + b) / (c - b) = 2.2.
        ({"b": 0.3}, ONES, "linear_unnormalised"),
        # D0's special row sums to nearly as much.
        ({"a0": 0.1}, ONES, "sigmoid_unnormalised"),
        # A level is still lifted at n = 2,000.
        ({"classes": 40}, SELF, "relu2_over_n"),
        # Where y_1 is minus the special row's sum outweighs its a1.
        ({"a1": 1.01, "b": 0.3}, SELF, "sigmoid_unnormalised"),
        # D0's special row is above D1's ordinary ones.
        ({"a0": 0.1}, SELF, "sigmoid_unnormalised"),
    ],
)
def test_where_sums_do_not_decide_it_is_not_applicable(changes, layer, kernel):
    law = law_of("rows not divided")
    found = [
        claim.verdict
        for claim in law.claims(DATA.model_copy(update=changes))
        if (claim.kernel, claim.layer) == (kernel, layer)
    ]
    assert "not applicable" in found
    assert "differs" not in found


def test_a_p_that_is_not_resolved_is_neither_above_another_nor_not():
    (claim, *_) = claims("hardmax")
    for measured, wanted in ((0.6, 1.0), (0.5, 0.0), (math.nan, math.nan)):
        one = replace(claim, measured=measured)
        _, found = probability._with_statements([one], "separates", True, np.array([0.5]))
        assert found.measured == pytest.approx(wanted, nan_ok=True)


def test_what_lies_beyond_the_largest_n_is_a_statement():
    small = DATA.model_copy(update={"a1": 1e-200})
    assert last_n_of_others(1.25, SELF, small) == math.inf
    law = law_of("all weight on one token")
    assert {(c.kind, c.predicted, c.verdict) for c in law.claims(small) if c.layer is SELF} == {
        ("statement", 1.0, "agrees")
    }


def test_hardmax_is_not_judged_where_all_tie():
    law = law_of("hardmax")
    verdicts = {(c.layer, c.verdict) for c in law.claims(DATA.model_copy(update={"a0": 0.0}))}
    assert verdicts == {(SELF, "agrees"), (ONES, "agrees"), (CROSS, "not applicable")}
