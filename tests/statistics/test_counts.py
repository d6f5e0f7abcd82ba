"""Counts merge exactly; Clopper-Pearson intervals."""

import numpy as np
import pytest
from scipy.stats import binomtest

from attention_separation.statistics.counts import Counts, clopper_pearson


def test_merging_parts_is_counting_the_whole():
    outcomes = np.random.default_rng(1).random((1000, 5)) < 0.3
    whole = Counts.of(outcomes)
    for parts in ([outcomes[:1], outcomes[1:]], np.array_split(outcomes, 7)[::-1]):
        merged = sum((Counts.of(part) for part in parts), Counts.none(5))
        assert merged.trials == whole.trials == 1000
        assert (merged.happened == whole.happened).all()
    assert whole.happened.dtype == np.int64


@pytest.mark.parametrize("trials", [1, 7, 100, 10**6])
def test_against_scipy(trials):
    for k in {0, 1, trials // 3, trials - 1, trials}:
        low, high = clopper_pearson(k, trials)
        expected = binomtest(k, trials).proportion_ci(0.95, "exact")
        assert low == pytest.approx(expected.low, abs=1e-9)
        assert high == pytest.approx(expected.high, abs=1e-9)


def test_no_and_all_successes_reach_the_edge():
    low, high = clopper_pearson([0, 10], 10)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 10))


def test_coverage_is_at_least_the_level():
    trials = 50
    low, high = clopper_pearson(np.arange(trials + 1), trials)
    for p in np.linspace(0.01, 0.99, 99):
        k = np.arange(trials + 1)
        probability = np.array([binomial(trials, j, p) for j in k])
        assert probability[(low <= p) & (p <= high)].sum() >= 0.95


def binomial(n, k, p):
    from math import comb

    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(
    ("k", "n", "level"), [(-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (1, 5, 1.0)]
)
def test_impossible_counts_are_errors(k, n, level):
    with pytest.raises(ValueError, match="must"):
        clopper_pearson(k, n, level)
