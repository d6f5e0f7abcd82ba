"""Laws of reach: of the largest n, of the least parameter and of the least weight."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_separation.any_attention import least_values, reach_search
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import Reach, Span
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import KERNELS, minus_mean, power
from attention_separation.studies.any_attention.laws.law import Bracket, bracket_claim
from attention_separation.studies.any_attention.laws.predictions import (
    critical_biases,
    least_degrees,
    least_subtractions,
    needed_gaps,
)
from attention_separation.studies.any_attention.laws.reach import (
    BOUNDED_LAWS,
    REACH_LAWS,
    largest_n_claim,
)
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS


def law_of(name):
    (law,) = (law for law in (*REACH_LAWS, *BOUNDED_LAWS) if law.name == name)
    return law


def test_that_it_separates_at_no_n_or_at_all_is_a_statement():
    never, always = (
        largest_n_claim(KERNELS["linear"], CROSS, DATA),
        largest_n_claim(KERNELS["exp_half"], ONES, DATA),
    )
    assert (never.kind, never.quantity) == ("statement", "separates at some n")
    assert (never.predicted, never.measured) == (0.0, 0.0)
    wanted = "statement", "separates at the largest n", 10**12
    assert (always.kind, always.quantity, always.n) == wanted
    assert (always.predicted, always.measured, always.verdict) == (1.0, 1.0, "agrees")


def test_the_tolerance_is_what_the_law_leaves_out_and_a_step():
    # Of x^p with X all ones R is 2.2^p and R_0 is 1.01^p, below n = 88,000, where m is 15.
    for p in (6, 8):
        claim = largest_n_claim(power(p), ONES, DATA)
        left_out = 2 * 23 * 1.01**p
        assert claim.tolerance * claim.predicted == pytest.approx(left_out + 20, abs=20)
        assert claim.tolerance_kind == "relative"
        off = (1 + 1.5 * claim.tolerance) * claim.predicted
        assert replace(claim, measured=off).verdict == "differs"


def test_an_n_of_a_few_steps_is_no_test_of_the_law():
    for name in ("power_2", "exp_quarter"):
        claim = largest_n_claim(KERNELS[name], SELF, DATA)
        assert claim.tolerance > 0.1
        assert claim.verdict == "not applicable"
    # Nor is none at all, where the error term reaches as far as to some.
    assert largest_n_claim(KERNELS["exp_quarter"], CROSS, DATA).verdict == "not applicable"


def test_what_is_not_resolved_is_not_measured(monkeypatch):
    unresolved = Reach((Span(20, 240.0),), (), (Span(10**9, math.inf),))
    monkeypatch.setattr(reach_search, "reach", lambda *_, **__: unresolved)
    claim = largest_n_claim(KERNELS["power_8"], SELF, DATA)
    assert math.isnan(claim.measured)
    assert claim.verdict == "undecided"


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_power_separates_from_the_measured_degree_on(layer):
    n = 20_000
    (found,) = least_degrees(layer, DATA, [n], separates=separates)
    for p, expected in ((found * (1 - 1e-6), False), (found * (1 + 1e-6), True)):
        assert separates(power(p), layer, DATA, np.array([n]))[0] == expected


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_bias_of_log_n_separates_where_the_measured_one_is_at_most_1(layer):
    sizes = [40, 100, 200]
    found = separates(KERNELS["sigmoid_log_n"], layer, DATA, np.array(sizes))
    least = critical_biases(layer, DATA, sizes, separates=separates)
    assert (found == (least <= 1)).all()


def test_the_error_term_falls_with_n_and_is_none_of_what_is_measured():
    claims = law_of("critical temperature").claims(DATA)
    of_layer = [claim for claim in claims if claim.layer is CROSS]
    tolerances = [claim.tolerance for claim in of_layer]
    assert tolerances == sorted(tolerances, reverse=True)
    # 2 R_0 / R beside log R, R = n / C: at n = 200 R is 25, and 2,500 at 20,000.
    for tolerance, share in zip(tolerances[::2], (2 / 25, 2 / 2500), strict=False):
        assert tolerance == pytest.approx(share / np.log(2 / share), rel=0.25)


def test_the_gap_that_entmax_needs_in_closed_form():
    """f_c is softmax's share at its critical temperature: with it the form errs by at most 0.1 %,
    and by 1 % with f_c of the law, 1/24 for all n here."""
    n = np.array([2000])
    cold = 1 / least_values.critical_temperatures(ONES, DATA, [2000])
    of_softmax = 1 / (1 + (n - 1) * n ** (-2.64 * cold))
    for alpha in (1.25, 1.5, 2.0):
        found = needed_gaps(alpha, ONES, DATA, [2000], separates=separates)
        predicted = needed_gaps(alpha, ONES, DATA, [2000])
        for gap, share, error in ((found, of_softmax, 1e-3), (predicted, 1 / 24, 1e-2)):
            other = (1 - share) / (n - 1)
            closed = (share ** (alpha - 1) - other ** (alpha - 1)) / (alpha - 1)
            np.testing.assert_allclose(gap, closed, rtol=error)
    # What it comes to as n grows.
    (gap,) = needed_gaps(1.5, ONES, DATA, [10**7])
    assert gap == pytest.approx(2 * math.sqrt(1 / 24), rel=2e-3)


def test_the_least_part_of_the_mean_in_closed_form():
    """1 - lambda is (f - 1/n) / (f_c - 1/n), f_c = 1/24 here."""
    n = 10**6
    for name, ratio, error in (
        ("exp_sqrt_d", n ** (2.64 / math.sqrt(22)), 1e-4), ("linear", 2.2, 2e-3)
    ):  # fmt: skip
        share = ratio / (ratio + n - 1)
        found, predicted = (
            least_subtractions(KERNELS[name], ONES, DATA, [n], **of)[0]
            for of in ({"separates": separates}, {})
        )
        assert (1 / 24 - 1 / n) / (share - 1 / n) == pytest.approx(found, rel=error)
        assert predicted == pytest.approx(found, rel=error)
        parts = (1 - 1 / (found * (1 + 1e-6)), 1 - 1 / (found * (1 - 1e-6)))
        kernels = (minus_mean(part, KERNELS[name]) for part in parts)
        assert [separates(each, ONES, DATA, np.array([n]))[0] for each in kernels] == [True, False]


def test_of_few_classes_levels_that_move_by_order_1_may_separate():
    law = law_of("bounded feature maps")
    few = DATA.model_copy(update={"a1": 1.76, "b": 0.39, "c": 1.2, "classes": 6})
    claims = list(law.claims(few))
    of_hedgehog = [claim for claim in claims if claim.kernel == "hedgehog" and claim.measured == 1]
    assert {claim.verdict for claim in of_hedgehog} == {"not applicable"}
    # Of a function of scores they do not move.
    relu = [claim for claim in claims if claim.kernel == "relu_features"]
    assert {claim.verdict for claim in relu} == {"agrees"}


def test_that_no_weight_is_needed_or_none_is_enough_is_a_statement(subtests):
    for predicted, measured, kind, verdict in [
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
    ]:
        with subtests.test(predicted=predicted, measured=measured, kind=kind, verdict=verdict):
            low, number, high = predicted
            claim = bracket_claim("linear", SELF, "g", Bracket(number, (low, high)), measured, 2000)
            assert (claim.kind, claim.verdict) == (kind, verdict)
