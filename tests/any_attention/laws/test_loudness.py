"""How loud the special token is, in closed form: against weights of exact rows."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import loudness
from attention_separation.any_attention.laws.test_cases import (
    EXPONENTIALS,
    IDENTITY,
    LINEAR,
    POWERS,
    SIGMOID,
    TAYLORS,
    usual_softmax,
)
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SIZES = [200, 20_000, 10**9]
SCORES = [*POWERS.values(), *TAYLORS.values(), *EXPONENTIALS.values(), LINEAR, SIGMOID]


def compare(kernel, family, layer, weight=0.0):
    found = family(layer, DATA, np.array(SIZES), weight)
    exact = loudness.of_rows(kernel)(layer, DATA, np.array(SIZES), weight)
    np.testing.assert_allclose(found.on_d1, exact.on_d1, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.on_d0, exact.on_d0, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.own, exact.own, rtol=1e-9)
    np.testing.assert_allclose(found.same, exact.same, rtol=1e-9)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
@pytest.mark.parametrize(("kernel", "family"), SCORES, ids=lambda part: getattr(part, "name", ""))
def test_kernels_of_scores(kernel, family, layer):
    compare(kernel, family, layer)


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
def test_a_weight_on_the_special_coordinate(layer):
    for kernel, family in (LINEAR, POWERS[4], usual_softmax(layer, DATA)):
        compare(kernel, family, layer, weight=7.5)


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_elu_plus_one_in_closed_form(layer, weight):
    """With X = I no coordinate is negative, so that phi(z) = 1 + z, and a weight is d + the sums of
    both vectors' coordinates + their product."""
    log_n = np.log(SIZES)
    s, root, a, b, c = np.sqrt(log_n), math.sqrt(1 + weight), DATA.a1, DATA.b, DATA.c
    found = loudness.of_rows(KERNELS["elu_plus_one"])(layer, DATA, np.array(SIZES), weight)
    if layer.model == "cross_attention":
        d, query = 21, s * (a * root + 20)
        special = d + query + s * (root + 1) + log_n * (1 + a * (1 + weight))
        expected, own = special / (d + query + s + log_n), np.ones(3)
    else:
        d, query, rest = 22, s * (a * root + b + c), c * c * log_n
        special = d + 2 * query + rest + log_n * (a * a * (1 + weight) + b * b)
        expected = special / (d + query + s * (b + c) + rest)
        own = 1 + b * b * log_n / (d + 2 * s * (b + c) + rest)
    np.testing.assert_allclose(np.exp(found.on_d1), expected, rtol=1e-9)
    np.testing.assert_allclose(found.own, own, rtol=1e-9)


def test_the_exponent_of_exp():
    # With X = I the rest counts, not the own class.
    for layer, gain in zip(LAYERS, [1.2**2 + 0.2**2, 1.2 * 2.2, 1.2], strict=True):
        found = EXPONENTIALS[1.0][1](layer, DATA, np.array([10**6]), 0.0)
        assert found.on_d1[0] == pytest.approx(gain * math.log(10**6))


def test_a_weight_that_is_0_in_float64_is_but_small():
    found = loudness.of_rows(KERNELS["exp_features"])(LAYERS[0], DATA, np.array([200]), 1e13)
    assert np.isfinite([found.on_d1, found.on_d0, found.own, found.same]).all()


def test_a_very_cold_kernel_stays_finite():
    family = loudness.of_scores(loudness.exponential(1e-3))
    found = family(LAYERS[0], DATA, np.array([10**12]), 0.0)
    assert np.isfinite([found.on_d1, found.on_d0, found.own]).all()
