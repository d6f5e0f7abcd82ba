"""Limits for large d and n: numbers of the derivation, and how near the laws come."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, t

from attention_separation import recall
from attention_separation.recall.exact.large_d_limits import (
    delta_accuracy,
    delta_limit,
    least_squares_limit,
    linear_limit,
    of_equal_values,
)
from attention_separation.recall.layers import Delta
from attention_separation.recall.simulation.reduced_delta import DeltaTrials

D = 10**6


def critical_y(mean_accuracy, level=0.9):
    return brentq(lambda y: mean_accuracy(y) - level, 0.05, 20)


def delta_mean(share):
    return lambda y: delta_limit(Delta(share), round(y * D), D, None)


def test_critical_n_over_d():
    assert critical_y(linear_limit) == pytest.approx(0.609, abs=6e-4)
    assert critical_y(linear_limit, 0.75) == pytest.approx(2.2, abs=0.01)
    assert critical_y(delta_mean(1.0)) == pytest.approx(0.635, abs=6e-4)
    assert critical_y(delta_mean(0.5)) == pytest.approx(0.788, abs=6e-4)
    assert critical_y(delta_mean(0.463)) == pytest.approx(0.789, abs=6e-4)
    others = [critical_y(delta_mean(share)) for share in (0.3, 0.4, 0.44, 0.48, 0.6, 0.8)]
    assert max(others) <= critical_y(delta_mean(0.463))
    assert critical_y(least_squares_limit) == pytest.approx(1.61, abs=2e-3)


@pytest.mark.parametrize(("share", "wanted"), [(1.0, 0.238), (0.75, 0.274), (0.5, 0.188)])
def test_how_old_a_key_may_be_however_long_the_sequence(share, wanted):
    found = brentq(lambda x: delta_accuracy(share, 0.0, np.array([x]), 1e6)[0] - 0.9, 1e-6, 3)
    assert found == pytest.approx(wanted, abs=6e-4)


def test_with_a_small_beta_not_even_the_latest():
    assert delta_accuracy(0.25, 0.0, np.array([0.0]), 1e6)[0] < 0.9


def test_without_forgetting_it_is_linear_attention():
    for y in (0.3, 1.0, 4.0):
        found = delta_accuracy(1e-9, 0.0, np.array([0.1 * y, 0.9 * y]), y)
        assert found == pytest.approx(linear_limit(y), abs=1e-6)


def test_a_layer_that_keeps_lengths_has_a_limit_too():
    """beta = 2 reflects: nothing is forgotten, and the rate is 0. An old key has met more of others
    than the latest."""
    found = delta_accuracy(2.0, 0.0, np.array([0.0, 1.0]), 3.0)
    assert 0.5 < found[1] < found[0]
    assert found[0] == pytest.approx(1 - t.sf(1 / math.sqrt(3), 10**9), abs=1e-6)


@given(case=st.sampled_from([(1.0, 0.0, 16, 0.026), (0.5, 1.0, 64, 0.005)]))
def test_the_reduced_law_comes_near(case):
    share, gate, d, near = case
    layer = Delta(share, math.exp(-gate / d))
    for n, age in ((d // 2, None), (2 * d, None), (2 * d, d // 4)):
        found = recall.accuracy(layer, n=n, d=d, age=age, trials=20_000)
        room = near + 5 * found.error / 1.96
        assert delta_limit(layer, n, d, age) == pytest.approx(found.value, abs=room)


def test_linear_attention_comes_near():
    for d in (64, 256):
        for y in (0.5, 2):
            found = recall.accuracy("linear", n=int(y * d), d=d).value
            assert linear_limit(y) == pytest.approx(found, abs=0.6 / d)


def test_beyond_what_is_simulated_it_is_the_limit():
    found = recall.accuracy(recall.delta(1), n=10**9, d=64, age=15)
    assert found.kind == "limit"
    assert found.value == pytest.approx(0.902, abs=1e-3)
    assert found.error == pytest.approx(0.6 / 64)
    forgotten = recall.accuracy(recall.delta(1), n=10**9, d=64)
    assert forgotten.value == pytest.approx(0.5, abs=1e-5)


@given(
    cosine=st.sampled_from([0.5, -1.0]),
    case=st.sampled_from([(0.5, 0.0), (1.5, 0.01)]),
)
def test_the_limit_of_noisy_queries_is_within_its_error(cosine, case):
    """The oldest of 200 keys are forgotten at d = 16: more of them change nothing."""
    share, gate = case
    layer = Delta(share, math.exp(-gate / 16))
    for age in (0, 3):
        limit = recall.accuracy(layer, n=10**9, d=16, age=age, cosine=cosine)
        assert limit.kind == "limit"
        law = recall.accuracy(layer, n=200, d=16, age=age, cosine=cosine, trials=5000)
        assert limit.value == pytest.approx(law.value, abs=limit.error + 5 * law.error / 1.96)


@pytest.mark.parametrize("n", [20_001, 10**9, 10**12])
def test_without_noise_the_sign_is_that_of_the_cosine(n):
    """beta = 1 erases what the latest key meets, so of the query only its part across is noise."""
    for cosine, wanted in ((1, 1), (-1, 0), (0, 0.5)):
        assert recall.accuracy(recall.delta(1), n=n, d=64, age=0, cosine=cosine).value == wanted


STRONG_DECAYS = [
    (1.0, 0.1, 64, 1),
    (1.0, 0.5, 64, 2),
    (0.01, 0.1, 64, 2),
    (1.0, 0.01, 16, 1),
    (0.1, 0.7, 16, 3),
    (2.0, 0.8, 8, 4),
    (1.0, 0.001, 3, 0),
]


@given(case=st.sampled_from(STRONG_DECAYS))
def test_where_a_decay_leaves_few_keys_any_n_is_simulated(case):
    """The law of 150 keys, whose factors come to far below any rounding."""
    share, decay, d, age = case
    layer = Delta(share, decay)
    trials = 5000
    whole = DeltaTrials(share, decay, d, n=150, age=age).right(trials, seed=1) / trials
    for n in (20_000, 20_001, 10**9):
        found = recall.accuracy(layer, n=n, d=d, age=age, trials=trials)
        assert found.kind == "simulated"
        # Both have an error of trials.
        assert found.value == pytest.approx(whole, abs=5 * math.sqrt(2) * found.error / 1.96)


@pytest.mark.parametrize(("share", "decay"), [(1.0, 0.5), (0.3, 0.9), (2.0, 0.1)])
def test_unseen_keys_are_guessed(share, decay):
    layer = Delta(share, decay)
    assert recall.accuracy(layer, n=10**6, d=8, age=500).value == 0.5
    seen = math.ceil(math.log(1e-10) / math.log(decay))
    of_seen = recall.accuracy(layer, n=seen, d=8, trials=5000)
    for n in (2 * seen, 10**5, 10**12):
        found = recall.accuracy(layer, n=n, d=8, trials=5000)
        assert (found.value - 0.5) * n == pytest.approx((of_seen.value - 0.5) * seen, rel=1e-3)
        assert found.error * n == pytest.approx(of_seen.error * seen)


def test_least_squares_of_normal_keys():
    """P_JJ has a Beta law; keys on the sphere are 0.001 to 0.004 better."""
    d, n = 16, 48
    shares = beta(d / 2, (n - d) / 2).ppf((np.arange(2000) + 0.5) / 2000)
    scale = np.sqrt(shares / (1 - shares))
    # A coordinate of a uniform unit vector of R^(n-1), s: s sqrt(n - 2) / sqrt(1 - s^2) is t.
    cosine = np.minimum(scale / math.sqrt(n - 1), 1 - 1e-12)
    wanted = t(n - 2).cdf(cosine * math.sqrt(n - 2) / np.sqrt(1 - cosine**2)).mean()
    assert wanted == pytest.approx(0.7565, abs=2e-4)
    found = recall.accuracy(recall.least_squares(), n=n, d=d, trials=4000)
    assert -0.0015 < found.value - wanted < 0.006


def test_the_mean_of_equal_values():
    assert [of_equal_values(r) for r in range(5)] == [1, 0.75, 0.75, 0.6875, 0.6875]
