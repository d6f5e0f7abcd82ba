"""Laws of P itself, and of rows with a P in closed form."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import best_probabilities
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.laws import probability
from attention_separation.studies.any_attention.laws.mixture import Mixture
from attention_separation.studies.any_attention.laws.probability import (
    PROBABILITY_LAWS,
    ROW_LAWS,
    last_n_of_others,
    n_equal_to_uniform,
    of_hardmax,
)
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS
OUT = "not applicable"


def law_of(name):
    (law,) = (law for law in (*PROBABILITY_LAWS, *ROW_LAWS) if law.name == name)
    return law


@given(
    layer=st.sampled_from([*LAYERS[:2]]),
    name=st.sampled_from(["linear", "power_3"]),
    classes=st.sampled_from([10, 31]),
)
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


def test_where_a_law_of_p_is_applicable(subtests):
    for law, changes, kernel, layer, verdicts in [
        ("equal to uniform", {}, "power_2", SELF, ["agrees"] * 3),
        # With 62 classes x^2 still lifts a level at n = 2,000 with X = I.
        ("equal to uniform", {"classes": 62}, "power_2", SELF, [OUT, "agrees", "agrees"]),
        # D0's special token, nearly as large as D1's, is then above D1's ordinary rows.
        ("equal to uniform", {"a0": 1.1}, "power_2", SELF, [OUT] * 3),
        # A special token of small weight in ordinary rows.
        (
            "equal to uniform",
            {"a1": 1.06, "b": 0.3, "c": 0.54, "classes": 7},
            "focused_3",
            SELF,
            [OUT] * 3,
        ),
        # f is 1/2 at a1 = 1, and the states of level -4 are at the threshold's 18: a step.
        ("mixture", {"a1": 1.0}, "exp", CROSS, [OUT, "agrees"]),
        # (a1 + b + c) / (b + c) is 2.1 against (c + b) / (c - b) = 2.2.
        ("rows not divided", {"b": 0.3}, "linear_unnormalised", ONES, [OUT] * 6),
        # D0's special row sums to nearly as much.
        ("rows not divided", {"a0": 0.1}, "sigmoid_unnormalised", ONES, [OUT] * 6),
        # A level is still lifted at n = 2,000.
        ("rows not divided", {"classes": 40}, "relu2_over_n", SELF, [OUT, "agrees", "agrees"]),
        # Where y_1 is minus the special row's sum outweighs its a1.
        ("rows not divided", {"a1": 1.01, "b": 0.3}, "sigmoid_unnormalised", SELF, [OUT] * 3),
        # D0's special row is above D1's ordinary ones.
        ("rows not divided", {"a0": 0.1}, "sigmoid_unnormalised", SELF, ["agrees", "agrees", OUT]),
        # Without a0 all tokens tie.
        ("hardmax", {"a0": 0.0}, "hardmax", SELF, ["agrees"] * 6),
        ("hardmax", {"a0": 0.0}, "hardmax", CROSS, [OUT] * 6),
    ]:
        with subtests.test(law=law):
            claims = law_of(law).claims(DATA.model_copy(update=changes))
            assert [c.verdict for c in claims if (c.kernel, c.layer) == (kernel, layer)] == verdicts


def test_from_which_n_on_one_token_has_all_in_closed_form():
    # Scores are a1^2, a1 (a1 + b + c) and a1 apart, times log n.
    for layer, gap in ((SELF, 1.44), (ONES, 2.64), (CROSS, 1.2)):
        assert last_n_of_others(1.05, layer, DATA) == 20 * (math.exp(20 / gap) // 20)
    assert last_n_of_others(1.25, SELF, DATA) == 0.0


def claims(name):
    return list(law_of(name).claims(DATA))


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
