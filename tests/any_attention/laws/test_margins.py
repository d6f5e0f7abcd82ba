"""Laws of the margin, and of the weight in X."""

import math
from collections import Counter

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import margins
from attention_separation.any_attention.laws.judged import LINEAR
from attention_separation.any_attention.laws.margins import MARGIN_LAWS, margins_of, slope
from attention_separation.any_attention.laws.predictions import margin
from attention_separation.any_attention.settings.data import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_the_level_follows_m():
    for layer in LAYERS:
        for n in (10**6, 10**7, 10**9):
            (found,) = margins_of(LINEAR[0], layer, DATA, [n])
            assert math.isclose(margin(LINEAR[1], layer, DATA, n), n * found, rel_tol=1e-5)


def test_no_margin_where_float64_resolves_none():
    (found,) = margins_of(LINEAR[0], LAYERS[0], DATA, [10**13])
    assert math.isnan(found)


def claims(name):
    (law,) = (law for law in MARGIN_LAWS if law.name == name)
    return list(law.claims(DATA))


def differing(name):
    return {(c.kernel, c.layer.words) for c in claims(name) if c.verdict == "differs"}


def test_the_slope_of_a_power_of_n():
    sizes = [10**6, 10**9]
    assert slope([3 * n**-0.25 for n in sizes], sizes) == pytest.approx(-0.25)


def test_slopes_are_those_of_the_exponents():
    predicted = {(c.kernel, c.layer.attention_x, c.layer.model): c.predicted
                 for c in claims("margin slopes")}  # fmt: skip
    # gamma_1 is 1.48, 2.64 and 1.2; there is one of 4 at T = 4.
    assert predicted["exp_quarter", "identity", "self_attention"] == pytest.approx(1.48 / 4 - 1)
    assert predicted["exp_quarter", "ones", "self_attention"] == pytest.approx(2.64 / 4 - 1)
    assert predicted["exp_half", "identity", "cross_attention"] == pytest.approx(1.2 / 2 - 1)
    assert predicted["exp_half", "ones", "self_attention"] == 0.0
    assert {predicted["power_4", x.attention_x, x.model] for x in LAYERS} == {-1.0}


def test_slopes_that_bend_are_left_out():
    at = Counter((c.kernel, c.layer) for c in claims("margin slopes"))
    # R is 0.027 n at 10^6.
    assert at["exp_half", LAYERS[0]] == 1
    assert at["exp_quarter", LAYERS[0]] == at["exp", LAYERS[2]] == 2


def test_another_exponent_would_be_found_out(monkeypatch):
    monkeypatch.setattr(margins, "special_gain", lambda *_: 1.55)
    assert {("exp_half", LAYERS[0].words), ("exp_half", LAYERS[2].words)} <= differing(
        "margin slopes"
    )


def test_other_margins_would_be_found_out(monkeypatch):
    found = margins_of
    monkeypatch.setattr(
        margins, "margins_of",
        lambda kernel, layer, data, sizes: [
            float(margin * n**0.02)
            for margin, n in zip(found(kernel, layer, data, sizes), sizes, strict=True)
        ],
    )  # fmt: skip
    for name in ("margin", "margin of exp", "margin slopes"):
        assert len(differing(name)) == len({(c.kernel, c.layer.words) for c in claims(name)})


def test_other_weights_would_be_found_out(monkeypatch):
    found, of_features = margins._measured_weights, margins.least_weights
    monkeypatch.setattr(
        margins, "_measured_weights",
        lambda *of: {n: (1 + g) * n**0.02 - 1 for n, g in found(*of).items()},
    )  # fmt: skip
    monkeypatch.setattr(
        margins, "least_weights", lambda *of: (1 + of_features(*of)) * 1.01 - 1
    )  # fmt: skip
    for name in ("weight budget", "growth of the weight"):
        # But where none is needed, or none is enough.
        told = {(c.kernel, c.layer.words) for c in claims(name) if c.kind == "number"}
        assert told <= differing(name)


@pytest.mark.parametrize(
    ("predicted", "measured", "kind", "verdict"),
    [
        (0.0, 0.0, "statement", "agrees"),
        (0.0, 1e-6, "statement", "differs"),
        (math.inf, math.inf, "statement", "agrees"),
        (math.inf, 1e12, "statement", "differs"),
        (3.0, 3.01, "number", "agrees"),
        (3.0, 0.0, "number", "differs"),
        (3.0, math.inf, "number", "differs"),
    ],
)
def test_that_no_weight_is_needed_or_none_is_enough_is_a_statement(
    predicted, measured, kind, verdict
):
    claim = margins._weight(LINEAR[0], LAYERS[0], DATA, 2000, predicted, measured, 0.005)
    assert (claim.kind, claim.verdict) == (kind, verdict)
