"""How loud the special token is, in closed form: against weights of exact rows."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS, token_types
from attention_separation.any_attention.laws import loudness
from attention_separation.any_attention.laws.judged import (
    ELU,
    EXPONENTIALS,
    IDENTITY,
    LINEAR,
    POWERS,
    SIGMOID,
    TAYLORS,
    usual_softmax,
)
from attention_separation.any_attention.settings.data import Data
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.token_types import OWN, REST, SPECIAL

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SIZES = [200, 20_000, 10**9]
SCORES = [*POWERS.values(), *TAYLORS.values(), *EXPONENTIALS.values(), LINEAR, SIGMOID]


def of_rows(kernel, layer, weight=0.0):
    """log R, log R_0 and rho from the exact rows' weights."""
    types = token_types(layer, DATA, SIZES, weight)
    heard = []
    for on in (1, 0):
        weights = distinct_rows(types[on], kernel).weights
        rows = weights if layer.attention_x == "ones" else weights[:, :1]
        heard.append(np.log(rows[..., SPECIAL] / rows[..., REST]).max(axis=1))
    if layer.model == "cross_attention":
        return *heard, np.ones(len(SIZES))
    ordinary = distinct_rows(types[1], kernel).weights[:, 2]
    return *heard, ordinary[:, OWN] / ordinary[:, REST]


def compare(kernel, family, layer, weight=0.0):
    on_d1, on_d0, own = of_rows(kernel, layer, weight)
    found = family(layer, DATA, np.array(SIZES), weight)
    np.testing.assert_allclose(found.on_d1, on_d1, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.on_d0, on_d0, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.own, own, rtol=1e-9)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
@pytest.mark.parametrize(("kernel", "family"), SCORES, ids=lambda part: getattr(part, "name", ""))
def test_kernels_of_scores(kernel, family, layer):
    compare(kernel, family, layer)


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
def test_a_weight_on_the_special_coordinate(layer):
    for kernel, family in (LINEAR, POWERS[4], usual_softmax(layer, DATA), ELU):
        compare(kernel, family, layer, weight=7.5)


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
def test_elu_plus_one(layer):
    compare(*ELU, layer)


def test_the_exponent_of_exp():
    expected = [1.2**2 + 0.2**2, 1.2 * 2.2, 1.2]
    for layer, gain in zip(LAYERS, expected, strict=True):
        # With X = I the rest counts, not the own class.
        assert loudness.special_gain(layer, DATA) == pytest.approx(gain)
        found = EXPONENTIALS[1.0][1](layer, DATA, np.array([10**6]), 0.0)
        assert found.on_d1[0] == pytest.approx(gain * math.log(10**6))


def test_a_very_cold_kernel_stays_finite():
    family = loudness.of_scores(loudness.exponential(1e-3))
    found = family(LAYERS[0], DATA, np.array([10**12]), 0.0)
    assert np.isfinite([found.on_d1, found.on_d0, found.own]).all()
