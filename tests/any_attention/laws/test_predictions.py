"""What the laws predict: against closed forms of the same laws."""

import math

import numpy as np
import pytest
from mixture_share import critical_share, reach

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import predictions
from attention_separation.any_attention.laws.margins import predicted_margin
from attention_separation.any_attention.laws.mixture import Mixture
from attention_separation.any_attention.laws.predictions import shifted_ratios, stacked
from attention_separation.any_attention.laws.weight_ratios import weight_ratios
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS
GAMMA = {SELF: 1.48, ONES: 2.64, CROSS: 1.2}
"""The exponents of R for e^x."""


def test_polynomials_reach_c_r_to_the_p():
    # m is 15 up to n = 88,000 and C = 23, 8 then.
    assert predictions.largest_n(KERNELS["power_6"], ONES, DATA) == 20 * (23 * 2.2**6 // 20)
    r, r0 = 2.2**6, 1.01**6
    assert predictions.largest_n(KERNELS["power_6"], CROSS, DATA) == 20 * ((8 * r - 9 * r0) // 20)
    assert predictions.largest_n(KERNELS["linear"], CROSS, DATA) == 0.0


def test_m_jumps_inside_the_solution():
    # C is 33 from m = 23 on, n = 10^8, and 23 below.
    found = predictions.largest_n(KERNELS["power_12"], ONES, DATA)
    n = 20 * (23 * 2.2**12 // 20)
    assert DATA.m(int(n)) == 17
    assert found == n


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_exp_separates_for_all_n_below_its_exponent(layer):
    assert predictions.largest_n(KERNELS["exp"], layer, DATA) == math.inf
    assert predictions.largest_n(KERNELS["exp_sqrt_d"], layer, DATA) < 2000


def test_the_largest_n_of_the_usual_softmax_in_closed_form():
    gamma = GAMMA[ONES] / math.sqrt(22)
    found = predictions.largest_n(KERNELS["exp_sqrt_d"], ONES, DATA)
    assert found == 20 * (23 ** (1 / (1 - gamma)) // 20)


def test_the_critical_temperature_in_closed_form():
    for n in (2000, 10**9):
        c = reach(1.0, DATA.m(n), ONES, DATA)
        expected = GAMMA[ONES] * math.log(n) / (math.log(n) - math.log(c))
        (found,) = predictions.critical_temperatures(ONES, DATA, [n])
        assert found == pytest.approx(expected, rel=1e-7)
    (far,) = predictions.critical_temperatures(SELF, DATA, [1e300])
    assert far == pytest.approx(GAMMA[SELF], rel=0.01)


def test_the_least_degree_in_closed_form():
    (found,) = predictions.least_degrees(ONES, DATA, [20_000])
    assert found == pytest.approx(math.log(20_000 / 23) / math.log(2.2), rel=1e-7)


@pytest.mark.parametrize(("layer", "sigma"), [(SELF, 0.64), (ONES, 1.0), (CROSS, 1.0)])
def test_the_critical_bias_nears_its_closed_form(layer, sigma):
    n = 10**11
    c = reach(1.0, DATA.m(n), layer, DATA)
    found = predictions.critical_biases(layer, DATA, [n])[0]
    assert found == pytest.approx(1 + sigma - math.log(c) / math.log(n), abs=0.005)


def test_the_weight_budget_of_linear_in_closed_form():
    n = 200_000
    c = reach(0.68 / 0.64, DATA.m(n), SELF, DATA)
    expected = ((n / c) * 0.64 - 0.04 - 0.64) / 1.44 - 1
    (found,) = predictions.least_weights(KERNELS["linear"], SELF, DATA, [n])
    assert found == pytest.approx(expected, rel=1e-7)
    assert predictions.least_weights(KERNELS["power_8"], SELF, DATA, [n])[0] == 0.0
    assert predictions.least_weights(KERNELS["sigmoid_log_n"], SELF, DATA, [n])[0] == math.inf
    assert predictions.least_weights(KERNELS["elu_plus_one"], CROSS, DATA, [n])[0] == math.inf


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_several_n_at_once_are_each_alone(layer):
    sizes = [2000, 10**6, 10**11]
    for several in (
        predictions.critical_temperatures, predictions.least_degrees, predictions.critical_biases,
    ):  # fmt: skip
        alone = [several(layer, DATA, [n])[0] for n in sizes]
        np.testing.assert_array_equal(several(layer, DATA, sizes), alone)


def test_the_weight_of_exp_features_in_closed_form():
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
    for sign in (-1, 1):
        shifted = shifted_ratios(KERNELS["power_4"], SELF, DATA, n, sign=sign)
        of_d1, of_d0 = (math.exp(log[0]) for log in (found.log_d1, found.log_d0))
        assert math.exp(shifted.log_d1[0]) == pytest.approx(of_d1 + 2 * sign * of_d0)
        assert shifted.ordered.all()
    far = DATA.model_copy(update={"a0": 1.1})
    shifted = shifted_ratios(KERNELS["power_4"], SELF, far, n, sign=-1)
    assert shifted.log_d1[0] == -math.inf
    assert not shifted.ordered.any()
    # That D1's special row weighs its own class less counts too.
    kernel = KERNELS["hedgehog_fla"]
    found = weight_ratios(kernel, SELF, DATA, n)
    shifted = shifted_ratios(kernel, SELF, DATA, n, sign=1)
    parts = abs(found.same - found.own) + 2 * np.exp(found.log_d0 - found.log_d1)
    assert parts[0] > 0.1
    np.testing.assert_allclose(np.exp(shifted.log_d1 - found.log_d1), 1 + parts)


def test_half_is_that_of_exp_by_the_law_itself():
    # At a1 = 1 exp's special token has half of its row at every n, and P is not its largest.
    data = DATA.model_copy(update={"a1": 1.0})
    n = np.array([20_000])
    of_exp = predictions.best_probability(KERNELS["exp"], CROSS, data, n)[0]
    assert of_exp < 0.998 * (1 - 0.75**15)
    assert predictions._of_exp(CROSS, data, (20_000,))[0] == of_exp


def test_the_threshold_that_d0_lifts():
    # f1 at f0 + (1 - f0) f_c is critical.
    n, kernel = np.array([100_000]), KERNELS["power_12"]
    found = weight_ratios(kernel, CROSS, DATA, n)
    f1, f0 = (math.exp(r) / (math.exp(r) + n[0]) for r in (found.log_d1[0], found.log_d0[0]))
    share = math.exp(predictions.log_share(found, CROSS, DATA, n)[0])
    assert share == pytest.approx((f1 - f0) / (1 - f0))
    reached = share >= critical_share(1.0, DATA.m(100_000), CROSS, DATA)
    assert predictions.separates_at(kernel, CROSS, DATA, n)[0] == reached


def test_a_small_share_leaves_the_floor():
    for layer in LAYERS:
        (found,) = predictions.best_probability(KERNELS["linear"], layer, DATA, np.array([10**9]))
        floor = Mixture(layer, DATA).floor(DATA.m(10**9))
        assert found == pytest.approx(floor, abs=1e-15)


def test_numbers_of_tokens_stack():
    data = DATA.model_copy(update={"classes": 7})
    assert stacked(data, 200, 10**6) == [196, 999_999]
    assert stacked(DATA.model_copy(update={"classes": 150}), 200, 2000) == [1950]
