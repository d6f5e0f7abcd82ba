"""What the laws predict: against closed forms of the same laws."""

import math

import numpy as np
import pytest
from mixture_share import critical_share, reach

from attention_separation.any_attention.layers import LAYERS
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.laws import predictions
from attention_separation.studies.any_attention.laws.margins import predicted_margin
from attention_separation.studies.any_attention.laws.mixture import weight_ratios
from attention_separation.studies.any_attention.laws.predictions import (
    Shift,
    shifted_ratios,
    stacked,
)
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS
GAMMA = {SELF: 1.48, ONES: 2.64, CROSS: 1.2}
"""The exponents of R for e^x."""

LOG_R = math.log(2.2)
"""Of x with X all ones."""


def test_the_largest_n_in_closed_form(subtests):
    for kernel, layer, n in [
        # m is 15 up to n = 88,000 and C = 23, 8 in cross-attention then.
        ("power_6", ONES, 23 * 2.2**6),
        ("power_6", CROSS, 8 * 2.2**6 - 9 * 1.01**6),
        # C is 33 from m = 23 on, n = 10^8, and 23 below; m is 17 there.
        ("power_12", ONES, 23 * 2.2**12),
        ("linear", CROSS, 0.0),
        ("exp_sqrt_d", ONES, 23 ** (1 / (1 - 2.64 / math.sqrt(22)))),
        *(("exp", layer, math.inf) for layer in LAYERS),
    ]:
        with subtests.test(kernel=kernel, layer=layer, n=n):
            wanted = n if math.isinf(n) else 20 * (n // 20)
            assert predictions.largest_n(KERNELS[kernel], layer, DATA) == wanted


def temperature(log_n, log_c):
    return 2.64 * log_n / (log_n - log_c)


def test_a_parameter_in_closed_form(subtests):
    for several, layer, n, expected, error in [
        ("critical_temperatures", ONES, 2000, temperature, 1e-6),
        ("critical_temperatures", ONES, 10**9, temperature, 1e-6),
        ("critical_temperatures", SELF, 1e300, lambda *_: GAMMA[SELF], 0.015),
        ("least_degrees", ONES, 20_000, lambda log_n, log_c: (log_n - log_c) / LOG_R, 1e-6),
        ("critical_biases", SELF, 10**11, lambda log_n, log_c: 1.64 - log_c / log_n, 0.005),
        ("critical_biases", ONES, 10**11, lambda log_n, log_c: 2 - log_c / log_n, 0.005),
        ("critical_biases", CROSS, 10**11, lambda log_n, log_c: 2 - log_c / log_n, 0.005),
    ]:
        with subtests.test(several=several, layer=layer, n=n, expected=expected, error=error):
            wanted = expected(math.log(n), math.log(reach(1.0, DATA.m(n), layer, DATA)))
            (found,) = getattr(predictions, several)(layer, DATA, [n])
            assert found == pytest.approx(wanted, abs=error)


def test_the_weight_budget_in_closed_form():
    n = 200_000
    c = reach(0.68 / 0.64, DATA.m(n), SELF, DATA)
    of_linear = ((n / c) * 0.64 - 0.04 - 0.64) / 1.44 - 1
    for kernel, layer, wanted in (
        ("linear", SELF, of_linear), ("power_8", SELF, 0.0), ("sigmoid_log_n", SELF, math.inf),
        ("elu_plus_one", CROSS, math.inf),
    ):  # fmt: skip
        (found,) = predictions.least_weights(KERNELS[kernel], layer, DATA, [n])
        assert found == pytest.approx(wanted, rel=1e-7)
    n = 10**10
    for layer, size in ((SELF, DATA.a1), (CROSS, 1.0)):
        c = reach(1.0, DATA.m(n), layer, DATA)
        expected = math.log(n / c) / (size * math.sqrt(math.log(n)))
        (found,) = predictions.least_weights(KERNELS["exp_features"], layer, DATA, [n])
        assert math.sqrt(1 + found) == pytest.approx(expected, rel=1e-4)


def test_the_margin_of_a_special_token_alone():
    # b is 0.2: level 6 of 20 at m = 18, 8 at m = 25.
    for n, ones in ((10**6, 1.34), (10**9, 1.32)):
        found, wide = predicted_margin(KERNELS["exp"], ONES, DATA, n)
        assert found == pytest.approx(ones, rel=1e-5)
        assert wide >= found


def test_margins_of_bounded_kernels_are_constants_over_n():
    # Linear: R = 2.2, R_0 = 1.01; the level is 6 / 20 of b, and of 1 in cross-attention.
    ones = 1.2 * 2.2 - 0.01 * 1.01 + (2.2 - 1.01) * (0.2 - 0.06)
    n = 10**8
    for layer, expected in ((ONES, ones), (CROSS, 1.19 * 1.7)):
        assert n * predicted_margin(KERNELS["linear"], layer, DATA, n)[0] == pytest.approx(expected)


def test_ratios_are_shifted_by_what_the_law_leaves_out():
    n = np.array([20_000])
    found = weight_ratios(KERNELS["power_4"], SELF, DATA, n)
    for shift in (Shift.DOWN, Shift.UP):
        shifted = shifted_ratios(KERNELS["power_4"], SELF, DATA, n, shift=shift)
        of_d1, of_d0 = (math.exp(log[0]) for log in (found.log_d1, found.log_d0))
        assert math.exp(shifted.log_d1[0]) == pytest.approx(of_d1 + 2 * shift * of_d0)
        assert shifted.ordered.all()
    far = DATA.model_copy(update={"a0": 1.1})
    shifted = shifted_ratios(KERNELS["power_4"], SELF, far, n, shift=Shift.DOWN)
    assert shifted.log_d1[0] == -math.inf
    assert not shifted.ordered.any()
    # That D1's special row weighs its own class less counts too.
    kernel = KERNELS["hedgehog_fla"]
    found = weight_ratios(kernel, SELF, DATA, n)
    shifted = shifted_ratios(kernel, SELF, DATA, n, shift=Shift.UP)
    parts = abs(found.same - found.own) + 2 * np.exp(found.log_d0 - found.log_d1)
    assert parts[0] > 0.1
    np.testing.assert_allclose(np.exp(shifted.log_d1 - found.log_d1), 1 + parts)


def test_half_is_that_of_exp_by_the_law_itself():
    # At a1 = 1 exp's special token has half of its row at every n, and P is not its largest.
    data = DATA.model_copy(update={"a1": 1.0})
    n = np.array([20_000])
    of_exp = predictions.best_probability(KERNELS["exp"], CROSS, data, n)[0]
    assert of_exp < 0.998 * (1 - 0.75**15)
    assert predictions._probability_of_exp(CROSS, data, (20_000,))[0] == of_exp


def test_the_threshold_that_d0_lifts():
    # f1 at f0 + (1 - f0) f_c is critical.
    n, kernel = np.array([100_000]), KERNELS["power_12"]
    found = weight_ratios(kernel, CROSS, DATA, n)
    f1, f0 = (math.exp(r) / (math.exp(r) + n[0]) for r in (found.log_d1[0], found.log_d0[0]))
    share = math.exp(predictions.log_share(found, CROSS, DATA, n)[0])
    assert share == pytest.approx((f1 - f0) / (1 - f0))
    reached = share >= critical_share(1.0, DATA.m(100_000), CROSS, DATA)
    assert predictions.separates_at(kernel, CROSS, DATA, n)[0] == reached


def test_numbers_of_tokens_stack():
    for classes, sizes, wanted in ((7, (200, 10**6), [196, 999_999]), (150, (200, 2000), [1950])):
        assert stacked(DATA.model_copy(update={"classes": classes}), *sizes) == wanted
