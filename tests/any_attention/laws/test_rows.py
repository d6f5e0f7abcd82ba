"""Laws of what is done to a row."""

import math

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import rows
from attention_separation.any_attention.laws.rows import ENTMAXES, ROW_LAWS, last_n_of_others
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS


def test_from_which_n_on_one_token_has_all_in_closed_form():
    # Scores are a1^2, a1 (a1 + b + c) and a1 apart, times log n.
    for layer, gap in ((SELF, 1.44), (ONES, 2.64), (CROSS, 1.2)):
        assert last_n_of_others(1.05, layer, DATA) == 20 * (math.exp(20 / gap) // 20)
    assert last_n_of_others(1.25, SELF, DATA) == 0.0


def claims(name):
    (law,) = (law for law in ROW_LAWS if law.name == name)
    return list(law.claims(DATA))


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_alpha_would_be_found_out(monkeypatch, factor):
    monkeypatch.setattr(
        rows, "ENTMAXES", {1 + (alpha - 1) * factor: one for alpha, one in ENTMAXES.items()}
    )
    verdicts = {(c.kernel, c.layer): c.verdict for c in claims("all to one token")}
    assert all(verdicts["entmax_1.05", layer] == "differs" for layer in LAYERS)


def test_an_exact_law_has_no_tolerance():
    assert {c.tolerance for c in claims("all to one token") if c.kind == "number"} == {0.0}


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
    assert rows.of_hardmax(m, CROSS, DATA) == pytest.approx(expected, rel=1e-14)
    assert rows.of_hardmax(m, SELF, DATA) == pytest.approx(1 - 0.75**m)


def test_statements_are_those_of_the_layers():
    said = {c.layer: c.predicted for c in claims("hardmax") if c.quantity == "separates"}
    assert said == {SELF: 1.0, ONES: 1.0, CROSS: 0.0}
    above = [c for c in claims("not divided") if c.quantity == "P is above that of exp"]
    assert {c.layer for c in above} == {ONES}
    assert len(above) == len(rows.UNDIVIDED) * len(rows.SIZES)


@pytest.mark.parametrize("k", range(len(rows.UNDIVIDED)))
def test_a_kernel_that_is_divided_would_differ(monkeypatch, k):
    log_weight = rows.UNDIVIDED[k][1]
    monkeypatch.setattr(rows, "UNDIVIDED", ((KERNELS["linear"], log_weight),))
    found = {c.verdict for c in claims("not divided") if c.layer is ONES}
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
    (law,) = (law for law in ROW_LAWS if law.name == "not divided")
    found = [
        claim.verdict
        for claim in law.claims(DATA.model_copy(update=changes))
        if (claim.kernel, claim.layer) == (kernel, layer)
    ]
    assert "not applicable" in found
    assert "differs" not in found


def test_what_is_not_resolved_is_neither():
    assert math.isnan(rows._above(math.nan, 0.5))
    assert (rows._above(0.6, 0.5), rows._above(0.5, 0.5)) == (1.0, 0.0)


def test_what_lies_beyond_the_largest_n_is_a_statement():
    faint = DATA.model_copy(update={"a1": 1e-200})
    assert last_n_of_others(1.25, SELF, faint) == math.inf
    (law,) = (law for law in ROW_LAWS if law.name == "all to one token")
    assert {(c.kind, c.predicted, c.verdict) for c in law.claims(faint) if c.layer is SELF} == {
        ("statement", 1.0, "agrees")
    }


def test_hardmax_is_not_judged_where_all_tie():
    (law,) = (law for law in ROW_LAWS if law.name == "hardmax")
    verdicts = {(c.layer, c.verdict) for c in law.claims(DATA.model_copy(update={"a0": 0.0}))}
    assert verdicts == {(SELF, "agrees"), (ONES, "agrees"), (CROSS, "not applicable")}
