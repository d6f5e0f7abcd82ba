"""A sink: the theorem literally, its accuracy against trials, and another inversion."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from needle_trials import count_right
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from attention_separation import needle
from attention_separation.needle import bayes
from attention_separation.needle.attention_sink import right_sink, sink_accuracy
from attention_separation.needle.bayes import best_accuracy

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons with trials fails though all is right."""

TRIALS = 10_000
"""Of D0 and of D1 each: an accuracy that is off by 0.03 is seen."""


def posterior(z, mu, prior):
    """By Bayes' rule: of the needle at each place, and of none, given the tokens z."""
    density = norm.pdf(z)
    at = [
        np.prod(np.where(np.arange(len(z)) == j, norm.pdf(z, mu), density)) for j in range(len(z))
    ]
    joint = np.append(prior / len(z) * np.array(at), (1 - prior) * np.prod(density))
    return joint / joint.sum()


def softmax_with(sink, scores):
    weights = np.exp(np.append(scores, sink))
    return weights / weights.sum()


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 20), mu=st.floats(0.1, 5),
    prior=st.floats(0.01, 0.99),
)  # fmt: skip
def test_a_sinks_weight_is_the_probability_that_no_token_matters(seed, n, mu, prior):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n)
    z[0] += mu * rng.integers(2)
    wanted = posterior(z, mu, prior)
    found = softmax_with(needle.sink(mu, n, prior), mu * z)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)
    # The query's score is q . x, for noise in all directions.
    x = rng.standard_normal((n, 3))
    query = rng.standard_normal(3)
    along = x @ query / np.linalg.norm(query)
    raw = softmax_with(math.log(n) + query @ query / 2, x @ query)
    wanted = posterior(along, np.linalg.norm(query), 0.5)
    np.testing.assert_allclose(raw, wanted, rtol=0, atol=1e-14)


def test_other_densities():
    """Exponential tokens, and a needle of half their rate: scores are log-likelihood ratios."""
    z, prior = np.random.default_rng(1).exponential(size=9), 0.3
    ratio = np.exp(-z / 2) / 2 / np.exp(-z)
    joint = np.append(prior / 9 * ratio, 1 - prior)
    found = softmax_with(math.log(9) + math.log((1 - prior) / prior), np.log(ratio))
    np.testing.assert_allclose(found, joint / joint.sum(), rtol=0, atol=1e-14)


@given(case=st.sampled_from([(2.0, 64), (3.0, 2), (4.0, 1), (5.0, 512), (8.0, 10**9)]))
def test_the_right_sink_is_the_best_detector_and_no_other(case):
    mu, n = case
    best = best_accuracy(mu, n).value
    assert needle.sink_limit(mu, n, n) == pytest.approx(best, abs=1e-10)
    off = (sink_accuracy(mu, n, needle.sink(mu, n) + shift).value for shift in (-0.1, 0.1))
    assert all(best - 0.01 < each < best - 1e-8 for each in off)
    # The first derivative is 0: a tenth of the shift costs about a hundredth.
    near, far = (best - sink_accuracy(mu, n, needle.sink(mu, n) + x).value for x in (0.02, 0.2))
    assert near < far / 50


NUMBERS = [
    (512, 51.2, 0.83930), (512, 512, 0.92772), (512, 5120, 0.89098), (2048, 512, 0.8514),
    (8192, 512, 0.5338), (32, 512, 0.9462), (512, math.exp(-12.5), 0.5),
]  # fmt: skip
"""n, what the sink is right for, and its accuracy at mu = 5, found by another program, too."""


@given(case=st.sampled_from(NUMBERS))
def test_known_numbers(case):
    n, right_at, accuracy = case
    found = sink_accuracy(5.0, n, right_sink(5.0, right_at))
    assert found.value == pytest.approx(accuracy, abs=5e-5)
    assert found.error < 1e-10


@pytest.mark.parametrize(("n", "right_at"), [(512, 5120), (2048, 512), (8192, 512)])
def test_the_error_covers_what_a_coarse_grid_misses(monkeypatch, n, right_at):
    wanted = sink_accuracy(5.0, n, right_sink(5.0, right_at)).value
    monkeypatch.setattr(bayes, "STEP_OF_Z", 2 * bayes.STEP_OF_Z)
    found = sink_accuracy(5.0, n, right_sink(5.0, right_at))
    assert 0 < abs(found.value - wanted) <= 1.01 * found.error


def test_where_a_sink_that_is_right_at_512_fails():
    assert needle.sink_limit(5, 3675, 512) >= 0.75 > needle.sink_limit(5, 3676, 512)


@given(
    c=st.sampled_from([0.1, 3.0]),
    case=st.sampled_from([(0.7, 0.7), (3.0, 3.0), (5.0, 4.2)]),
)
def test_two_tokens_by_an_integral(case, c):
    """P(X1 + X2 <= 2c) on D0 less that on D1, over the other token's z = end - exp(u)."""
    mu, scale = case
    end = (math.log(2 * c) + scale * scale / 2) / scale

    def other(u):
        z = end - math.exp(u)
        left = -2 * c * math.expm1(-scale * math.exp(u))
        edge = (math.log(left) + scale * scale / 2) / scale
        return norm.pdf(z) * (norm.cdf(edge) - norm.cdf(edge - mu)) * math.exp(u)

    whole = quad(other, -30, 3.5, limit=500, epsabs=1e-13)[0]
    found = sink_accuracy(mu, 2, math.log(c) + right_sink(scale, 2), scale)
    assert found.value == pytest.approx(0.5 + whole / 2, abs=1e-9)
    assert found.error < 1e-9


CASES = [(3.0, 8, 32, 3.0), (4.0, 200, 50, 4.0), (5.0, 128, 128, 4.5)]
"""mu, n, what the sink is right for, and the scale of the scores."""


@given(case=st.sampled_from(CASES))
def test_softmax_with_a_sink_is_right_as_often_as_computed(case):
    mu, n, right_at, scale = case
    logit = needle.sink(mu, right_at)

    def says(z):
        weights = np.exp(scale * z)
        return math.exp(logit) / (math.exp(logit) + weights.sum(axis=1)) < 0.5

    right = count_right(says, mu, n, TRIALS, np.random.default_rng([6, n, right_at]))
    accuracy = sink_accuracy(mu, n, logit, scale).value
    assert binomtest(right, 2 * TRIALS, accuracy).pvalue > FALSE_ALARM / len(CASES)


@settings(max_examples=12)
@given(mu=st.floats(0.1, 10), n=st.floats(0, 15), right_at=st.floats(0, 15))
@example(mu=5.0, n=12.0, right_at=12.301)
def test_everywhere_it_lies_between_a_guess_and_the_best(mu, n, right_at):
    n, right_at = round(10**n), round(10**right_at)
    found = sink_accuracy(mu, n, right_sink(mu, right_at))
    assert found.error < 5e-9
    assert 0.5 - 5e-9 <= found.value <= best_accuracy(mu, n).value + 5e-9


def test_what_is_asked_wrongly_is_named(subtests):
    for ask, error, said in [
        (lambda: needle.sink(11, 8), ValueError, "mu=11; allowed: numbers from 0.1 to 10"),
        (lambda: needle.sink(5, 2.5), ValueError, "n=2.5; allowed: whole numbers from 1"),
        (lambda: needle.sink(5, 8, 1), ValueError, "prior=1; allowed: numbers above 0 and"),
        (lambda: needle.sink(5, 8, math.nan), ValueError, "prior=nan; allowed: numbers"),
        (lambda: needle.sink_limit(5, 0, 8), ValueError, "n=0; allowed: whole"),
        (lambda: needle.sink_limit(5, 8, 0), ValueError, "right_at=0; allowed: whole"),
    ]:
        with subtests.test(ask=ask, error=error, said=said):
            with pytest.raises(error) as raised:
                ask()
            assert str(raised.value).startswith(said)
