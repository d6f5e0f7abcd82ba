"""Weight ratios in closed form, of functions of scores: against weights of exact rows."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws.predictions import COLDNESS
from attention_separation.any_attention.laws.reach import POWERS, TAYLORS
from attention_separation.any_attention.laws.weight_ratios import (
    CROSS,
    SELF,
    ratios_of_rows,
    ratios_of_scores,
    weight_ratios,
)
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SIZES = [200, 20_000, 10**9]
NAMES = ("exp", "exp_half", "exp_quarter", "linear", "sigmoid_log_n")
SCORES = [*POWERS, *TAYLORS, *(KERNELS[name] for name in NAMES)]


def compare(kernel, layer, weight=0.0):
    found = ratios_of_scores(kernel, layer, DATA, np.array(SIZES), weight)
    exact = ratios_of_rows(kernel, layer, DATA, np.array(SIZES), weight)
    np.testing.assert_allclose(found.log_d1, exact.log_d1, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.log_d0, exact.log_d0, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.own, exact.own, rtol=1e-9)
    np.testing.assert_allclose(found.same, exact.same, rtol=1e-9)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
@pytest.mark.parametrize("kernel", SCORES, ids=lambda kernel: kernel.name)
def test_kernels_of_scores(kernel, layer):
    compare(kernel, layer)


@pytest.mark.parametrize("layer", [SELF, CROSS], ids=lambda layer: layer.words)
def test_a_weight_on_the_special_coordinate(layer):
    for name in ("linear", "power_4", "exp_sqrt_d"):
        compare(KERNELS[name], layer, weight=7.5)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_powers_taylors_sums_and_the_sigmoid_in_closed_form(layer):
    n = 20_000
    log_n = math.log(n)
    special, rest = {"identity": (2.12, 0.64), "ones": (4.84, 2.2)}[layer.attention_x]
    special, rest = (2.2, 1.0) if layer == CROSS else (special, rest)

    def ratio(name):
        return math.exp(weight_ratios(KERNELS[name], layer, DATA, np.array([n])).log_d1[0])

    assert ratio("power_3") == pytest.approx((special / rest) ** 3)
    if layer.attention_x == "identity":  # With X all ones ordinary rows have the larger ratio.
        taylor = [1 + x + x * x / 2 for x in (special * log_n, rest * log_n)]
        assert ratio("taylor_2") == pytest.approx(taylor[0] / taylor[1])
        sigmoid = [1 / (1 + math.exp((1 - sigma) * log_n)) for sigma in (special, rest)]
        assert ratio("sigmoid_log_n") == pytest.approx(sigmoid[0] / sigmoid[1])


@pytest.mark.parametrize("layer", [SELF, CROSS], ids=lambda layer: layer.words)
@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_elu_plus_one_in_closed_form(layer, weight):
    """With X = I no coordinate is negative, so that phi(z) = 1 + z, and a weight is d + the sums of
    both vectors' coordinates + their product."""
    log_n = np.log(SIZES)
    s, root, a, b, c = np.sqrt(log_n), math.sqrt(1 + weight), DATA.a1, DATA.b, DATA.c
    found = weight_ratios(KERNELS["elu_plus_one"], layer, DATA, np.array(SIZES), weight)
    if layer == CROSS:
        d, query = 21, s * (a * root + 20)
        special = d + query + s * (root + 1) + log_n * (1 + a * (1 + weight))
        expected, own = special / (d + query + s + log_n), np.ones(3)
    else:
        d, query, rest = 22, s * (a * root + b + c), c * c * log_n
        special = d + 2 * query + rest + log_n * (a * a * (1 + weight) + b * b)
        expected = special / (d + query + s * (b + c) + rest)
        own = 1 + b * b * log_n / (d + 2 * s * (b + c) + rest)
    np.testing.assert_allclose(np.exp(found.log_d1), expected, rtol=1e-9)
    np.testing.assert_allclose(found.own, own, rtol=1e-9)


def test_the_exponent_of_exp():
    # With X = I the rest counts, not the own class.
    for layer, gain in zip(LAYERS, [1.2**2 + 0.2**2, 1.2 * 2.2, 1.2], strict=True):
        found = weight_ratios(KERNELS["exp"], layer, DATA, np.array([10**6]))
        assert found.log_d1[0] == pytest.approx(gain * math.log(10**6))


def test_a_weight_that_is_0_in_float64_is_but_small():
    found = weight_ratios(KERNELS["exp_features"], SELF, DATA, np.array([200]), 1e13)
    assert np.isfinite([found.log_d1, found.log_d0, found.own, found.same]).all()


def test_a_very_cold_kernel_stays_finite():
    found = weight_ratios(COLDNESS.kernel(np.array([1e3])), SELF, DATA, np.array([10**12]))
    assert np.isfinite([found.log_d1, found.log_d0, found.own]).all()
