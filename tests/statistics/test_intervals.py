"""How often each interval of the package holds the truth, at rates from 1/2 to nearly 1.

Intervals may hold it more often than they say, where answers are whole numbers of few trials.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from making import STUDY
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom, binomtest, dirichlet, norm

from attention_separation import recall
from attention_separation.recall.exact.answer import Recall
from attention_separation.recall.exact.reach import simulated_reach
from attention_separation.recall.simulation.reduced_delta import DeltaTrials
from attention_separation.statistics.bounded_means import mean_of_bounded, mean_of_clusters
from attention_separation.statistics.counts import clopper_pearson
from attention_separation.statistics.goodness_of_fit import sum_law
from attention_separation.statistics.means import mean_of, ratio_of_means
from attention_separation.statistics.panel_agreement import mean_rate_interval
from attention_separation.studies.needle.claims.runs import mean_accuracy
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact

FALSE_ALARM = 1e-6
"""Chance that any of the tests here fails though all intervals hold as often as they say."""

TESTS = 80
"""At most so many share it, each on one side."""

LEVEL = 0.05
"""Chance that an interval misses."""

RATES = [0.5, 0.99]

ANSWERS = 128
"""Of a cluster."""


def require_coverage(missed, level=LEVEL, least=0.0):
    """Whether intervals missed the truth, (draws,), no more often than they say; and no less often
    than the rate `least`, as those that are wider than needed do."""
    draws = len(missed)
    most = binom.isf(FALSE_ALARM / TESTS, draws, level)
    fewest = binom.ppf(FALSE_ALARM / TESTS, draws, least)
    found = np.sum(missed)
    assert fewest <= found <= most, (
        f"{found} of {draws} missed; allowed: {fewest:.0f} to {most:.0f}"
    )


def is_outside(low, high, truth):
    """Whether a truth is beyond limits, up to rounding."""
    return (low > truth + 1e-12) | (high < truth - 1e-12)


def all_or_none(rng, rate, draws):
    """Clusters whose answers are all right or all wrong."""
    return (rng.random(draws) < rate).astype(float)


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


@pytest.mark.parametrize("law", LAWS)
def test_of_shares_of_any_law(law):
    """Of some laws most samples lack what is rare and counts."""
    missed = []
    for rate in (0.9, 0.99):
        rng = np.random.default_rng([1, LAWS.index(law), round(1000 * rate)])
        for _ in range(40):
            found = mean_of_bounded(law(rng, rate, 20))
            missed.append(is_outside(found.low, found.high, truth_of(law, rate)))
    require_coverage(missed)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("law", [all_or_none, of_rates_near_each_other, independent])
def test_of_clusters_that_are_alike(law, rate):
    rng = np.random.default_rng([2, LAWS.index(law), round(1000 * rate)])
    missed = []
    for draws in (20, 60, 500):
        for _ in range(300):
            found = mean_of_clusters(law(rng, rate, draws), ANSWERS)
            missed.append(is_outside(found.low, found.high, rate))
    require_coverage(missed, least=0.01)


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
    require_coverage(missed, least=0.03)


def test_of_ratios_of_means_of_runs():
    """Of errors: those of one group are twice the other's."""
    rng = np.random.default_rng(990)
    error = 0.01
    missed = []
    for _ in range(300):
        larger, smaller = rng.normal([[2 * error], [error]], 0.1 * error, (2, 5))
        found = ratio_of_means([(larger, smaller)], LEVEL)
        missed.append(is_outside(found.low, found.high, 2.0))
    require_coverage(missed, least=0.04)


@dataclass(frozen=True)
class KnownRecall:
    """A layer whose accuracy is computed, and how it is drawn."""

    kernel: str
    n: int
    d: int
    draws: int


NEAR_RATES = [
    KnownRecall("linear", n=12, d=16, draws=30),  # 0.89
    KnownRecall("exp_sqrt_d", n=8, d=8, draws=20),  # 0.994
    KnownRecall("exp_sqrt_d", n=4, d=8, draws=60),  # 0.9995
]


@pytest.mark.parametrize("known", NEAR_RATES)
def test_of_recall_that_is_simulated(known):
    wanted = recall.accuracy(known.kernel, known.n, known.d).value
    missed = []
    for seed in range(80):
        found = recall.simulate(known.kernel, known.n, known.d, known.draws, seed)
        missed.append(abs(found.value - wanted) > found.error)
    require_coverage(missed)


def test_of_a_layer_that_fails_in_whole_draws():
    """It guesses the values of one draw in so many, by what the first key is."""
    n, d, draws, failing = 6, 16, 60, 3 / 60

    def layer(q, k, v):
        is_failing = np.frombuffer(k[0].tobytes(), np.uint32)[0] < failing * 2**32
        weights = np.exp(10 * (q @ k.T / d))
        return (np.roll(weights, 1, axis=1) if is_failing else weights) @ v

    missed = []
    for seed in range(60):
        found = recall.simulate(layer, n, d, draws, seed, norm="sqrt_d")
        missed.append(abs(found.value - (1 - failing / 2)) > found.error + 1e-4)
    require_coverage(missed)


def test_of_a_delta_rule_by_its_reduced_law():
    """Against many trials of the same law."""
    n = 10
    law = DeltaTrials(1.0, 1.0, 8, n, None)
    wanted = law.right(200_000, 1) / 200_000
    missed = []
    for seed in range(200):
        found = recall.accuracy(recall.delta(1), n, 8, trials=200, seed=seed)
        missed.append(abs(found.value - wanted) > found.error)
    require_coverage(missed)


@pytest.mark.parametrize("level", [0.55, 0.99])
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


# Clopper-Pearson intervals.


def test_clopper_and_pearsons_interval_is_scipys():
    for trials in (1, 7, 100, 10**6):
        for k in {0, 1, trials // 3, trials - 1, trials}:
            for level in (0.95, 0.999):
                found = clopper_pearson(k, trials, level)
                expected = binomtest(k, trials).proportion_ci(level, "exact")
                assert found == pytest.approx(tuple(expected), abs=1e-9), (k, trials)


def test_no_and_all_successes_reach_the_edge():
    low, high = clopper_pearson([0, 10], 10)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 10))


def test_impossible_counts_are_errors():
    for k, n, level in ((-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (1, 5, 1.0), (1, 5, 0.0)):
        with pytest.raises(ValueError, match="must"):
            clopper_pearson(k, n, level)


# Intervals of means of bounded values: against exact ones, and how long they are.


@pytest.mark.parametrize(("count", "level"), [(1, 0.05), (7, 0.001), (60, 0.05), (1000, 0.001)])
def test_of_rates_it_is_clopper_and_pearsons(count, level):
    for successes in {0, 1, count // 3, count - 1, count}:
        values = np.arange(count) < successes
        found = mean_of_bounded(values.astype(float), level)
        low, high = clopper_pearson(successes, count, 1 - level)
        assert found.value == successes / count
        assert (found.low, found.high) == pytest.approx((float(low), float(high)), rel=1e-4)


@pytest.mark.parametrize("values", [[0.2, 0.9], [0.98, 1.0, 0.5, 1.0, 1.0], [0.7] * 4])
def test_the_limits_are_quantiles_of_the_randomly_weighted_mean(values):
    """To four standard errors of a share of 0.05 of the draws of weights."""
    found = mean_of_bounded(values, 0.1)
    weights = dirichlet(np.ones(len(values) + 1)).rvs(200_000, random_state=7)
    above = (weights @ np.append(values, 1.0) > found.high).mean()
    below = (weights @ np.append(values, 0.0) < found.low).mean()
    assert (above, below) == pytest.approx((0.05, 0.05), abs=2e-3)


def test_of_many_values_it_is_little_longer_than_students():
    values = np.random.default_rng(3).beta(4, 1, 1000)
    found, students = mean_of_bounded(values), mean_of(values)
    assert 1 < (found.high - found.low) / (students.high - students.low) < 1.2


def test_the_interval_of_clusters_of_single_answers_is_clopper_and_pearsons():
    values = np.arange(4000) < 3960
    found = mean_of_clusters(values.astype(float), 1)
    low, high = clopper_pearson(3960, 4000)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=1e-5)


def test_answers_that_are_all_alike_in_a_cluster_count_once():
    """Clusters of ten equal answers have the interval of one answer each."""
    shares = np.repeat([1.0, 1.0, 0.0, 1.0], 25)
    assert mean_of_clusters(shares, 10) == mean_of_clusters(shares, 1)
    spread = np.full(100, 0.75) + np.tile([0.02, -0.02], 50)
    apart = mean_of_clusters(spread, 10)
    assert apart.high - apart.low < (mean_of_clusters(shares, 10).high - 0.75)


@pytest.mark.parametrize("interval", [mean_of_bounded, lambda x: mean_of_clusters(x, 8)])
def test_clusters_that_are_all_right_are_not_certain(interval):
    found = interval(np.ones(40))
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(0.025 ** (1 / 40))


def test_values_that_are_not_bounded_are_refused():
    for values in ([], [0.5, 1.01], [-0.01, 0.5], [0.5, np.nan]):
        with pytest.raises(ValueError, match="takes values from 0 to 1, at least one"):
            mean_of_bounded(values)


# The interval of a mean rate: its tails, and how often it misses the truth.

BUDGET = 1e-6
"""Chance of a false alarm of the tests of coverage, all together."""

ALPHAS = (0.05, 0.01, 0.001)
PANELS = 300
WIDEST = 1.25
"""Times twice z standard deviations, for an interval."""

SHAPES = {
    "constant": (np.full(6, 0.5), 100),
    "nearly never": (np.full(80, 0.002), 100),
    "nearly always": (np.full(12, 0.98), 100),
    "bimodal": (np.array([0.02, 0.98] * 20), 100),
    "all between": (np.linspace(0.01, 0.99, 9), 40),
}


def counts(*values):
    return np.array(values, dtype=np.int64)


COUNTED = [
    # Successes and trials of the points of a panel.
    (counts(30), counts(100)), (counts(1), counts(200)), (counts(4, 9), counts(5, 10)),
    (counts(3, 50, 97, 100, 99, 0), counts(*[100] * 6)), (counts(0, 1, 2), counts(*[90] * 3)),
    (counts(700, 200), counts(1000, 500)),
]  # fmt: skip


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_limits_tails_by_convolution(subtests, alpha):
    """Along the shifted logits, each limit leaves alpha / 2 to its tail, to 8 per cent."""
    for successes, trials in COUNTED:
        with subtests.test(f"{successes} of {trials}"):
            hold_tails(successes, trials, alpha)


def hold_tails(successes, trials, alpha):
    logits = np.log((successes + 0.5) / (trials - successes + 0.5))
    share = trials / trials.sum()
    for limit, side in zip(mean_rate_interval(successes, trials, alpha), (1, -1), strict=True):
        shift = brentq(lambda x, at=limit: share @ expit(logits + x) - at, -40, 40, xtol=1e-13)
        start, law = sum_law(trials, expit(logits + shift))
        at = int(successes.sum()) - start
        tail = law[at:].sum() if side > 0 else law[: at + 1].sum()
        assert tail == pytest.approx(alpha / 2, rel=0.08)


def test_no_success_or_nothing_else():
    """One rate: the exact limits of Clopper and Pearson, whose one end is exact too."""
    for alpha in ALPHAS:
        low, high = mean_rate_interval(counts(0), counts(50), alpha)
        assert low == 0
        assert binom.cdf(0, 50, high) == pytest.approx(alpha / 2, rel=1e-9)
        assert mean_rate_interval(counts(50), counts(50), alpha) == pytest.approx((1 - high, 1))
        low, high = mean_rate_interval(counts(0, 0), counts(25, 25), alpha)
        assert (1 - high) ** 50 == pytest.approx(alpha / 2, rel=1e-9)


def shape(name):
    if name in SHAPES:
        return SHAPES[name]
    trials = STUDY.panels.simulated[name].trials
    return compute_exact(STUDY.panels.exact[name])["p_exact"].to_numpy(), trials


REAL = ("fig7c",)


@pytest.mark.parametrize("name", [*SHAPES, *REAL])
def test_how_often_the_interval_misses_and_how_wide_it_is(name):
    rates, trials = shape(name)
    rng = np.random.default_rng([6, len(rates)])
    trials = np.full(len(rates), trials)
    drawn = rng.binomial(trials, rates, size=(PANELS, len(rates)))
    spread = math.sqrt((trials * rates * (1 - rates)).sum()) / trials.sum()
    for alpha in ALPHAS:
        limits = np.array([mean_rate_interval(successes, trials, alpha) for successes in drawn])
        missed = (limits[:, 0] > rates.mean()) | (limits[:, 1] < rates.mean())
        tests = len(ALPHAS) * (len(SHAPES) + len(REAL))
        assert missed.sum() <= binom.isf(BUDGET / tests, PANELS, alpha)
        width = np.diff(limits).mean() / (2 * norm.isf(alpha / 2) * spread)
        assert 0.95 < width < WIDEST
