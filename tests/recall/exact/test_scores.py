"""Kernels of the score: known numbers, what must not matter, and the literal layer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_recall import count_right, of_scores, signed_sums
from scipy.integrate import quad
from scipy.stats import binomtest

from attention_separation import recall
from attention_separation.attention.kernel import KernelInputs
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.recall.exact.sphere import cosines

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons with trials here fails though all is right."""

TRIALS = 2000
"""Of each comparison: an accuracy that is off by 0.06 is seen."""

KNOWN = [
    ("linear", 16, 8, 0.934438),
    ("linear", 64, 128, 0.761096),
    ("power_2", 64, 4096, 0.721227),
    ("power_3", 16, 128, 0.958902),
    ("taylor_2_sqrt_d", 64, 512, 0.826327),
    ("exp_sqrt_d", 16, 1024, 0.753962),
]
"""Found by another program, too."""


@given(case=st.sampled_from(KNOWN))
def test_known_numbers(case):
    kernel, d, n, wanted = case
    found = recall.accuracy(kernel, n=n, d=d)
    assert found.value == pytest.approx(wanted, abs=6e-7)
    assert found.error < 1e-9
    assert found.kind == "exact"


def test_known_numbers_of_decays_and_rewrites():
    decayed = recall.accuracy(recall.decay("linear", 0.95), n=64, d=16, age=10)
    assert decayed.value == pytest.approx(0.776494, abs=1e-6)
    for rewrites, wanted in ((1, 0.7408), (3, 0.6713)):
        found = recall.accuracy("linear", n=8, d=16, rewrites=rewrites)
        assert found.value == pytest.approx(wanted, abs=5e-5)


H = {
    "linear": lambda x: x,
    "power_2": lambda x: x * x,
    "exp": np.exp,
    "uniform": np.ones_like,
    "relu_over_n": lambda x: np.maximum(x, 0),
    "1/(1 + exp(-x))": lambda x: 1 / (1 + np.exp(-x)),
}
"""Kernels once more, plainly."""

CASES = [
    ("linear", {"n": 6, "d": 4}),
    ("linear", {"n": 6, "d": 4, "age": 5, "cosine": 0.6}),
    ("linear", {"n": 5, "d": 3, "age": 2, "rewrites": 2}),
    ("power_2", {"n": 9, "d": 4}),
    ("exp", {"n": 20, "d": 2}),
    ("uniform", {"n": 4, "d": 3}),
    ("uniform", {"n": 3, "d": 3, "rewrites": 1}),
    ("relu_over_n", {"n": 12, "d": 3}),
    ("1/(1 + exp(-x))", {"n": 12, "d": 5}),
]
WITH_ORDER = [
    ("linear", 0.6, math.inf, {"n": 8, "d": 8, "age": 3}),
    ("linear", 0.9, math.inf, {"n": 8, "d": 8, "rewrites": 2, "age": 3}),
    ("linear", 0.8, math.inf, {"n": 8, "d": 8}),
    ("exp", 0.7, math.inf, {"n": 10, "d": 3, "age": 2}),
    ("linear", 1.0, 5, {"n": 8, "d": 4}),
    ("linear", 0.9, 11, {"n": 8, "d": 4, "rewrites": 1}),
    ("linear", 1.0, 11, {"n": 4, "d": 4, "rewrites": 3, "age": 3}),
    ("relu_over_n", 0.6, 6, {"n": 9, "d": 3, "age": 1}),
]
COMPARISONS = len(CASES) + len(WITH_ORDER)


def is_likely(right, probability):
    low = binomtest(math.floor(right), TRIALS, probability)
    high = binomtest(math.ceil(right), TRIALS, probability)
    return max(low.pvalue, high.pvalue) > FALSE_ALARM / COMPARISONS


@given(case=st.sampled_from(CASES))
def test_against_the_literal_layer(case):
    kernel, sizes = case
    found = recall.accuracy(kernel, **sizes)
    assert is_likely(count_right(of_scores(H[kernel]), TRIALS, 0, **sizes), found.value)


@given(case=st.sampled_from(WITH_ORDER))
def test_decays_and_windows_against_the_literal_layer(case):
    kernel, decay, window, sizes = case
    layer = recall.decay(kernel, decay)
    if window < math.inf:
        layer = recall.window(layer, window)
    found = recall.accuracy(layer, **sizes)
    literal = of_scores(H[kernel], decay, window)
    assert is_likely(count_right(literal, TRIALS, 1, **sizes), found.value)


@given(rewrites=st.sampled_from(range(6)))
def test_rewrites_of_one_key_are_enumerated(rewrites):
    found = recall.accuracy("linear", n=1, d=8, rewrites=rewrites)
    assert found.value == pytest.approx(signed_sums(rewrites), abs=1e-6)


def test_the_law_of_cosines():
    for d in (2, 3, 4, 16, 65, 1000):
        rule = cosines(d, 64)
        moments = [rule.shares @ rule.values**power for power in (1, 2, 4)]
        wanted = [0, 1 / d, 3 / (d * (d + 2))]
        assert moments == pytest.approx(wanted, rel=1e-12, abs=1e-15)


KERNELS = st.sampled_from(["linear", "power_2", "exp_sqrt_d", "taylor_2_sqrt_d", "relu_over_n"])


@settings(max_examples=4)
@given(KERNELS, st.integers(1, 40), st.integers(2, 70), st.floats(0.3, 1.0))
def test_no_decay_and_a_wide_window_change_nothing(kernel, n, d, cosine):
    plain = recall.accuracy(kernel, n=n, d=d, cosine=cosine)
    for layer in (recall.decay(kernel, 1), recall.window(kernel, n), recall.window(kernel, 10**6)):
        found = recall.accuracy(layer, n=n, d=d, cosine=cosine)
        assert found.value == pytest.approx(plain.value, abs=1e-12)
    nearly = recall.accuracy(recall.decay(kernel, 1 - 1e-9), n=n, d=d, cosine=cosine)
    room = 1e-6 + plain.error + nearly.error
    assert nearly.value == pytest.approx(plain.value, abs=room)


@settings(max_examples=6)
@given(KERNELS, st.integers(2, 40), st.integers(3, 40), st.integers(0, 39))
def test_without_an_order_every_age_is_the_mean(kernel, n, d, age):
    age = min(age, n - 1)
    mean = recall.accuracy(kernel, n=n, d=d).value
    assert recall.accuracy(kernel, n=n, d=d, age=age).value == pytest.approx(mean, abs=1e-12)


@settings(max_examples=4)
@given(st.sampled_from(["linear", "power_3", "x**5"]), st.integers(1, 50), st.integers(2, 60))
def test_an_odd_kernel_of_an_orthogonal_query_is_chance(kernel, n, d):
    assert recall.accuracy(kernel, n=n, d=d, cosine=0).value == pytest.approx(0.5, abs=1e-12)
    near = recall.accuracy(kernel, n=n, d=d, cosine=0.5)
    opposite = recall.accuracy(kernel, n=n, d=d, cosine=-0.5)
    room = 1e-12 + near.error + opposite.error
    assert near.value + opposite.value == pytest.approx(1, abs=room)


@pytest.mark.parametrize(("factor", "n", "d"), [(0.6, 9, 16), (0.99, 8, 20)])
def test_the_mean_over_ages_is_the_mean(factor, n, d):
    layer = recall.decay("linear", factor)
    at_ages = [recall.accuracy(layer, n=n, d=d, age=age) for age in range(n)]
    mean = recall.accuracy(layer, n=n, d=d)
    room = 1e-9 + mean.error + np.mean([each.error for each in at_ages])
    assert mean.value == pytest.approx(np.mean([each.value for each in at_ages]), abs=room)


@settings(max_examples=6)
@given(KERNELS, st.integers(2, 200), st.integers(3, 64))
def test_a_positive_factor_of_weights_changes_nothing(kernel, n, d):
    def times(x):
        seen = KernelInputs(x, None, None, np.ones_like(x), n, d)
        built_in = kernel_named(kernel)
        if built_in.signed is not None:
            return 1000 * built_in.signed(seen)
        weights = built_in.weigh(seen)
        return 1000 * (np.exp(weights) if built_in.logarithmic else weights)

    found = recall.accuracy(times, n=n, d=d).value
    assert found == pytest.approx(recall.accuracy(kernel, n=n, d=d).value, abs=1e-9)


COSINES_BEYOND = quad(lambda angle: math.acos(1 - math.cos(angle)), 0, math.pi / 2)[0] / math.pi**2
"""Probability that two cosines of random keys of R^2 sum to more than 1."""

ROUGH_LAWS = [
    # Where the law of the other keys is rough at 0: the layer, what is asked, the accuracy.
    ("relu_over_n", {"n": 3, "d": 2}, 1 - COSINES_BEYOND / 4),
    ("linear", {"n": 2, "d": 2, "rewrites": 1}, 0.75),
    ("linear", {"n": 2, "d": 3, "rewrites": 1}, 0.75),
    (recall.decay("uniform", 0.5), {"n": 30, "d": 3, "age": 0}, 1.0),
]


@given(case=st.sampled_from(ROUGH_LAWS))
def test_a_stated_error_covers_the_true_one_and_is_no_wider_than_needed(case):
    layer, sizes, accuracy = case
    found = recall.accuracy(layer, **sizes)
    distance = abs(found.value - accuracy)
    assert 1e-4 < distance <= found.error <= 3.5 * distance


def test_of_a_smooth_law_the_error_is_near_rounding():
    found = recall.accuracy("linear", n=3, d=2)
    assert abs(found.value - (1 - COSINES_BEYOND)) <= found.error < 1e-6


@given(name=st.sampled_from(["power_0.5", "exp_root", "power_log_n", "log(x)"]))
def test_a_kernel_without_weights_of_negative_scores_is_refused(name):
    with pytest.raises(ValueError, match="has no finite weights of negative scores"):
        recall.accuracy(name, n=8, d=4)


def test_what_either_sign_means_is_said():
    assert "either sign" in recall.accuracy("linear", n=8, d=4).method
    assert "either sign" not in recall.accuracy("exp", n=8, d=4).method


def test_ends():
    assert recall.accuracy("linear", n=1, d=2).value == 1
    assert recall.accuracy("linear", n=1, d=2, cosine=-1).value == 0
    assert recall.accuracy("linear", n=10**12, d=64).value == pytest.approx(0.5, abs=1e-5)
    assert recall.accuracy(recall.window("linear", 3), n=9, d=4, age=3).value == 0.5
    assert recall.accuracy(recall.decay("linear", 0.5), n=999, d=4, age=998).value == 0.5
