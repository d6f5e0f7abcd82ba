"""How often each interval of the package holds the truth, at rates from 1/2 to nearly 1.

Intervals may hold it more often than they say, where answers are whole numbers of few trials.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from attention_separation import recall
from attention_separation.recall.exact.answer import Recall
from attention_separation.recall.exact.reach import simulated_reach
from attention_separation.recall.simulation.reduced_delta import DeltaTrials
from attention_separation.statistics.bounded_means import mean_of_bounded, mean_of_clusters
from attention_separation.statistics.counts import clopper_pearson
from attention_separation.statistics.means import (
    difference_of_means,
    mean_of,
    paired_difference_of_means,
    ratio_of_means,
)
from attention_separation.statistics.panel_agreement import mean_rate_interval
from attention_separation.studies.needle.claims.runs import mean_accuracy

FALSE_ALARM = 1e-6
"""Chance that any of the tests here fails though all intervals hold as often as they say."""

TESTS = 80
"""At most so many share it."""

LEVEL = 0.05
"""Chance that an interval misses."""

RATES = [0.5, 0.9, 0.99, 0.999]

ANSWERS = 128
"""Of a cluster."""


def require_coverage(missed, level=LEVEL):
    """Whether intervals missed the truth, (draws,), no more often than they say."""
    most = binom.isf(FALSE_ALARM / TESTS, len(missed), level)
    assert np.sum(missed) <= most, f"{np.sum(missed)} of {len(missed)} missed, {most:.0f} at most"


def is_outside(low, high, truth):
    """Whether a truth is beyond limits, up to rounding."""
    return (low > truth + 1e-12) | (high < truth - 1e-12)


def all_or_none(rng, rate, draws):
    """Clusters whose answers are all right or all wrong."""
    return (rng.random(draws) < rate).astype(float)


def guessing_in_some(rng, rate, draws):
    """Clusters that are all right, but for those of which half the answers are."""
    return np.where(rng.random(draws) < 2 * (1 - rate), 0.5, 1.0)


def of_another_rate_each(rng, rate, draws):
    """Clusters with rates of their own, of which many are all right."""
    return rng.binomial(ANSWERS, rng.beta(2 * rate, 2 * (1 - rate), draws)) / ANSWERS


def of_rates_near_each_other(rng, rate, draws):
    """Clusters with rates of their own, as keys give: their spread doubles the errors'."""
    return rng.binomial(ANSWERS, rng.beta(60 * rate, 60 * (1 - rate), draws)) / ANSWERS


def independent(rng, rate, draws):
    """Clusters whose answers do not depend on each other."""
    return rng.binomial(ANSWERS, rate, draws) / ANSWERS


def mostly_right_and_failing_in_some(rng, rate, draws):
    """Clusters with independent errors, and few that guess: each has half of all errors."""
    wrong = (1 - rate) / 2
    is_failing = rng.random(draws) < 2 * wrong
    return np.where(is_failing, 0.5, 1 - rng.binomial(ANSWERS, wrong, draws) / ANSWERS)


LAWS = [
    all_or_none,
    guessing_in_some,
    of_another_rate_each,
    of_rates_near_each_other,
    independent,
    mostly_right_and_failing_in_some,
]


def truth_of(law, rate):
    """The mean of a law, which is its rate but for the one that mixes two kinds of errors."""
    if law is mostly_right_and_failing_in_some:
        wrong = (1 - rate) / 2
        return 1 - wrong - 2 * wrong * (0.5 - wrong)
    return rate


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("law", LAWS)
def test_of_shares_of_any_law(law, rate):
    """Of some laws most samples lack what is rare and counts."""
    rng = np.random.default_rng([1, LAWS.index(law), round(1000 * rate)])
    missed = []
    for draws in (20, 60):
        for _ in range(50):
            found = mean_of_bounded(law(rng, rate, draws))
            missed.append(is_outside(found.low, found.high, truth_of(law, rate)))
    require_coverage(missed)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("law", [all_or_none, of_rates_near_each_other, independent])
def test_of_clusters_that_are_alike(law, rate):
    rng = np.random.default_rng([2, LAWS.index(law), round(1000 * rate)])
    missed = []
    for draws in (20, 60, 500):
        for _ in range(500):
            found = mean_of_clusters(law(rng, rate, draws), ANSWERS)
            missed.append(is_outside(found.low, found.high, rate))
    require_coverage(missed)


@pytest.mark.parametrize("rate", RATES)
def test_of_counts(rate):
    rng = np.random.default_rng(round(1000 * rate))
    trials = rng.choice([5, 60, 1000], 20_000)
    low, high = clopper_pearson(rng.binomial(trials, rate), trials)
    require_coverage(is_outside(low, high, rate))


@pytest.mark.parametrize("rate", RATES)
def test_of_a_mean_rate_of_panels(rate):
    """Rates of points are about one rate, as far as 1 allows."""
    rng = np.random.default_rng(round(1000 * rate))
    rates = np.linspace(2 * rate - 1, 1, 9) if rate > 0.5 else np.linspace(0, 1, 9)
    trials = np.full(9, 50)
    missed = []
    for _ in range(300):
        low, high = mean_rate_interval(rng.binomial(trials, rates), trials, LEVEL)
        missed.append(is_outside(low, high, rates.mean()))
    require_coverage(missed)


@pytest.mark.parametrize("rate", RATES)
def test_of_means_of_runs(rate):
    """Of networks that are trained: a rate of its own and held-out sequences each."""
    rng = np.random.default_rng(round(1000 * rate))
    held_out = 20_000
    missed = []
    for _ in range(2000):
        of_runs = rate + rng.normal(0, 0.2 * (1 - rate), 5).clip(rate - 1, 1 - rate)
        accuracies = rng.binomial(held_out, of_runs) / held_out
        rows = [{"accuracy": accuracy, "held_out": held_out} for accuracy in accuracies]
        found = mean_accuracy(rows).interval(LEVEL)
        missed.append(is_outside(found.low, found.high, rate))
    require_coverage(missed)


def test_of_means_of_many_values():
    """Errors of draws, which are not rates: squares of normal ones."""
    rng = np.random.default_rng(4)
    missed = []
    for _ in range(2000):
        found = mean_of(rng.chisquare(4, 500))
        missed.append(is_outside(found.low, found.high, 4.0))
    # Skew makes Student's miss a little more often than it says: a tenth more, of 500 values.
    require_coverage(missed, 1.1 * LEVEL)


@pytest.mark.parametrize("difference", [difference_of_means, paired_difference_of_means])
@pytest.mark.parametrize("rate", RATES)
def test_of_differences_of_means_of_runs(difference, rate):
    rng = np.random.default_rng(round(1000 * rate))
    missed = []
    for _ in range(1000):
        larger, smaller = rng.normal([[rate], [rate - 0.1]], 0.1 * (1 - rate), (2, 5))
        found = difference([(larger, smaller)], LEVEL)
        missed.append(is_outside(found.low, found.high, 0.1))
    require_coverage(missed)


@pytest.mark.parametrize("rate", RATES)
def test_of_ratios_of_means_of_runs(rate):
    """Of errors: those of one group are twice the other's."""
    rng = np.random.default_rng(round(1000 * rate))
    error = 1 - rate
    missed = []
    for _ in range(120):
        larger, smaller = rng.normal([[2 * error], [error]], 0.1 * error, (2, 5))
        found = ratio_of_means([(larger, smaller)], LEVEL)
        missed.append(is_outside(found.low, found.high, 2.0))
    require_coverage(missed)


@dataclass(frozen=True)
class KnownRecall:
    """A layer whose accuracy is computed, and how it is drawn."""

    kernel: str
    n: int
    d: int
    draws: int


NEAR_RATES = [
    KnownRecall("linear", n=400, d=8, draws=20),  # 0.55
    KnownRecall("linear", n=12, d=16, draws=30),  # 0.89
    KnownRecall("exp_sqrt_d", n=8, d=8, draws=20),  # 0.994
    KnownRecall("exp_sqrt_d", n=8, d=8, draws=60),
    KnownRecall("exp_sqrt_d", n=4, d=8, draws=60),  # 0.9995
]


@pytest.mark.parametrize("known", NEAR_RATES)
def test_of_recall_that_is_simulated(known):
    wanted = recall.accuracy(known.kernel, known.n, known.d).value
    missed = []
    for seed in range(150):
        found = recall.simulate(known.kernel, known.n, known.d, known.draws, seed)
        missed.append(abs(found.value - wanted) > found.error)
    require_coverage(missed)


@pytest.mark.parametrize("draws", [20, 60])
def test_of_draws_of_keys_that_few_queries_read_wrongly(draws):
    """Softmax of scores over √d, n = d = 8: of many samples, for what misses is a few in 100."""
    n, samples = 8, 4000
    rng = np.random.default_rng(draws)
    keys = rng.standard_normal((draws * samples, n, n))
    keys *= np.sqrt(n) / np.linalg.norm(keys, axis=2, keepdims=True)
    values = rng.choice([-1.0, 1.0], (draws * samples, n, 8))
    outputs = np.exp(keys @ keys.transpose(0, 2, 1) / np.sqrt(n)) @ values
    shares = (outputs * values > 0).mean(axis=(1, 2)).reshape(samples, draws)
    wanted = recall.accuracy("exp_sqrt_d", n, n).value
    missed = []
    for sample in shares:
        found = mean_of_clusters(sample, n * 8)
        missed.append(is_outside(found.low, found.high, wanted))
    require_coverage(missed)


@pytest.mark.parametrize("failing", [3 / 200, 1 / 60])
def test_of_a_layer_that_fails_in_whole_draws(failing):
    """It guesses the values of one draw in so many, by what the first key is."""
    n, d, draws = 6, 16, 200

    def layer(q, k, v):
        is_failing = np.frombuffer(k[0].tobytes(), np.uint32)[0] < failing * 2**32
        weights = np.exp(10 * (q @ k.T / d))
        return (np.roll(weights, 1, axis=1) if is_failing else weights) @ v

    missed = []
    for seed in range(150):
        found = recall.simulate(layer, n, d, draws, seed, norm="sqrt_d")
        missed.append(abs(found.value - (1 - failing / 2)) > found.error + 1e-4)
    require_coverage(missed)


@pytest.mark.parametrize("n", [2, 4, 10])
def test_of_a_delta_rule_by_its_reduced_law(n):
    """Against many trials of the same law."""
    law = DeltaTrials(1.0, 1.0, 8, n, None)
    wanted = law.right(400_000, 1) / 400_000
    missed = []
    for seed in range(400):
        found = recall.accuracy(recall.delta(1), n, 8, trials=200, seed=seed)
        missed.append(abs(found.value - wanted) > found.error)
    require_coverage(missed)


@pytest.mark.parametrize("level", [0.55, 0.9, 0.99, 0.999])
def test_of_the_largest_n_that_is_left_open(level):
    critical = 60
    rng = np.random.default_rng(round(1000 * level))
    missed = []
    for _ in range(150):

        def accuracy(n):
            wrong = (1 - level) * min(n / critical, 1 / (2 * (1 - level)))
            right = rng.binomial(2000, 1 - wrong)
            low, high = clopper_pearson(right, 2000)
            value = right / 2000
            return Recall(value, float(max(high - value, value - low)), "simulated")

        found = simulated_reach(accuracy, level, 1, 10**5)
        missed.append((found.low or 1) > critical or (found.high or 10**5) < critical)
    require_coverage(missed)
