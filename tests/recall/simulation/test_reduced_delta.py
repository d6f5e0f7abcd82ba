"""The reduced law of the delta rule: key by key equal to the literal recursion, and its draws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_recall import count_right, draw, of_delta, unit
from scipy.stats import binomtest, kstest

from attention_separation import recall
from attention_separation.recall.simulation import reduced_delta
from attention_separation.recall.simulation.reduced_delta import (
    DeltaTrials,
    FewWeightsError,
    coordinates,
    mean_sign_given_weights,
)

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons of trials here fails though all is right."""

LAYERS = [(1.0, 1.0), (0.5, 1.0), (0.7, 0.9), (1.6, 1.0), (2.0, 0.8)]
"""beta and decay."""


def outputs_of_keys(beta, decay, trial, age, cosine):
    """v_J o by the reduced law, with the coordinates of a literal trial's keys in place of draws.

    Signs of values are those of keys: each key is turned by v_j v_J.
    """
    query = trial.query
    literal = query.copy()
    state = reduced_delta.TwoNumbers(np.ones(1), np.zeros(1))
    length = np.zeros(1)
    total = np.zeros(1)
    for step in range(len(trial.keys)):
        place = len(trial.keys) - 1 - step
        key = trial.keys[place] * trial.values[place] * trial.wanted
        factor = beta * decay**step
        across = literal - (literal @ query) * query
        if step < age:
            second = unit(across) @ key if across @ across > 1e-20 else 0.0
            c = state.after_write(beta, np.array([query @ key]), np.array([second]))
        elif step == age:
            sideways = 0.0
            if cosine < 1 and across @ across > 1e-20:
                sideways = (unit(across) @ key) / math.sqrt(1 - cosine**2)
            c, length = reduced_delta.after_own_write(beta, cosine, state, np.array([sideways]))
        else:
            cosine_of_key = unit(literal) @ key if literal @ literal > 1e-20 else 0.0
            c = length * cosine_of_key
            length = length * math.sqrt(max(1 - beta * (2 - beta) * cosine_of_key**2, 0.0))
        total += factor * c
        literal = literal - beta * (literal @ key) * key
    return float(total[0])


def distance() -> float:
    """The largest difference between the reduced and the literal recursion on some random keys."""
    rng = np.random.default_rng(3)
    largest = 0.0
    for beta, decay in LAYERS:
        literal = of_delta(beta, decay)
        for n, d, age, cosine in ((1, 3, 0, 1.0), (7, 4, 3, 1.0), (9, 5, 8, 0.7), (12, 3, 2, -0.4)):
            trial = draw(rng, n, d, age, cosine)
            reduced = outputs_of_keys(beta, decay, trial, age, cosine)
            difference = abs(reduced - literal(trial) * trial.wanted)
            largest = max(largest, difference if math.isfinite(difference) else math.inf)
    return largest


def test_key_by_key_it_is_the_literal_recursion():
    assert distance() < 1e-12


@given(case=st.sampled_from([(2, 1), (2, 2), (3, 1), (3, 2), (9, 2), (64, 1)]))
def test_coordinates_are_those_of_uniform_unit_vectors(case):
    d, count = case
    rng = np.random.default_rng([d, count])
    found = coordinates(rng, d, count, 4000)
    vectors = rng.standard_normal((4000, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    share = FALSE_ALARM / 40
    assert kstest(found[0], vectors[:, 0]).pvalue > share
    if count == 2:
        assert kstest(found[0] + found[1], vectors[:, 0] + vectors[:, 1]).pvalue > share
        assert kstest(found[0] * found[1], vectors[:, 0] * vectors[:, 1]).pvalue > share
        assert (found[0] ** 2 + found[1] ** 2 <= 1 + 1e-12).all()


CASES = [
    (1.0, 1.0, {"n": 6, "d": 4}),
    (0.5, 0.9, {"n": 10, "d": 3}),
    (1.0, 1.0, {"n": 8, "d": 4, "age": 7}),
    (0.7, 1.0, {"n": 8, "d": 5, "age": 2, "cosine": 0.8}),
    (2.0, 1.0, {"n": 5, "d": 2}),
]


@given(case=st.sampled_from(CASES))
def test_trials_against_the_literal_layer(case):
    beta, decay, sizes = case
    found = recall.accuracy(recall.delta(beta, decay), trials=50_000, **sizes)
    trials = 1500
    right = math.floor(count_right(of_delta(beta, decay), trials, 2, **sizes))
    probability = min(found.value, 1 - 1e-9)
    # The reduced law's own noise is a sixth of the literal trials'.
    assert binomtest(right, trials, probability).pvalue > FALSE_ALARM / len(CASES) / 2


def test_known_numbers():
    """Of another program with a million trials; here 60,000, at five standard deviations."""
    for beta, n, age, wanted in ((1.0, 40, 39, 0.7854), (0.5, 160, 40, 0.8036)):
        found = recall.accuracy(recall.delta(beta), n=n, d=64, age=age, trials=60_000)
        assert found.value == pytest.approx(wanted, abs=0.0008 + 5 * 0.0017)
        assert 0.003 < found.error < 0.004


def test_the_noise_has_a_budget():
    """With beta = 1 and no decay the squares of all c sum to at most 1, and fall short by the
    square of what is left of the query."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        keys = draw(rng, 20, 6).keys
        left = unit(rng.standard_normal(6))
        total = 0.0
        for key in keys:
            c = left @ key
            left = left - c * key
            total += c * c
        assert total == pytest.approx(1 - left @ left, abs=1e-12)


def test_a_small_beta_is_linear_attention():
    found = recall.accuracy(recall.delta(1e-4), n=40, d=16, trials=100_000)
    linear = recall.accuracy("linear", n=40, d=16)
    assert found.value == pytest.approx(linear.value, abs=5 * found.error / 1.96)


def test_an_orthogonal_query_is_chance():
    found = recall.accuracy(recall.delta(0.7), n=9, d=5, cosine=0, trials=50_000)
    assert found.value == pytest.approx(0.5, abs=5 * found.error / 1.96)


GIVEN_KEYS = [(1.0, 1.0, 39), (0.5, 1.0, 20), (0.5, 0.97, 0)]
"""beta, decay and age."""


@pytest.mark.parametrize(("beta", "decay", "age"), GIVEN_KEYS)
def test_given_keys_it_is_the_literal_layer_with_less_noise(beta, decay, age):
    found = DeltaTrials(beta, decay, 16, 40, age).given_keys(5000, 1)
    trials = 1000
    right = math.floor(count_right(of_delta(beta, decay), trials, 2, n=40, d=16, age=age))
    # Its own noise is less than a tenth of the literal trials'.
    assert found.std() / math.sqrt(5000) < 0.1 * math.sqrt(found.mean() / trials / 2)
    assert binomtest(right, trials, found.mean()).pvalue > FALSE_ALARM / len(GIVEN_KEYS) / 2


def test_a_sign_given_weights_is_that_of_all_signs(monkeypatch):
    # So few that all signs can be gone through; what the series leaves out is then 10^-3.
    monkeypatch.setattr(reduced_delta, "SMOOTH", 1.0)
    weights = np.random.default_rng(3).standard_normal((16, 5))
    own = np.linspace(0.0, 6.0, 5)
    signs = 1 - 2 * (np.arange(2**16)[:, None] >> np.arange(16) & 1)
    every = np.sign(own + signs @ weights).mean(axis=0)
    np.testing.assert_allclose(mean_sign_given_weights(own, weights), every, atol=1e-3)


def test_given_keys_few_weights_and_mixed_ages_are_refused():
    with pytest.raises(FewWeightsError, match="3 weights; allowed: so many"):
        DeltaTrials(0.5, 1.0, 16, 4, 2).given_keys(100, 1)
    with pytest.raises(ValueError, match="age=None; allowed: an age"):
        DeltaTrials(0.5, 1.0, 16, 4, None).given_keys(100, 1)


def test_one_pair_is_recalled_each_time():
    assert DeltaTrials(0.5, 1.0, d=8, n=1, age=0).right(10_000, seed=1) == 10_000


def test_a_shorter_run_is_the_prefix_of_a_longer_one():
    trials = DeltaTrials(1.0, 1.0, 8, 9, None)
    assert trials.right(10_000, 1) - trials.right(5_000, 1) <= 5_000
    assert trials.right(5_000, 1) == trials.right(5_000, 1) != trials.right(5_000, 2)
