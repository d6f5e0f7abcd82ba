"""Intervals of means of bounded values: against exact ones, and how long they are."""

import numpy as np
import pytest
from scipy.stats import dirichlet

from attention_separation.statistics.bounded_means import mean_of_bounded, mean_of_clusters
from attention_separation.statistics.counts import clopper_pearson
from attention_separation.statistics.means import mean_of


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("count", [1, 2, 7, 60, 1000])
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
    values = np.random.default_rng(3).beta(4, 1, 4000)
    found, students = mean_of_bounded(values), mean_of(values)
    assert 1 < (found.high - found.low) / (students.high - students.low) < 1.1


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


@pytest.mark.parametrize("values", [[], [0.5, 1.01], [-0.01, 0.5], [0.5, np.nan]])
def test_values_that_are_not_bounded_are_refused(values):
    with pytest.raises(ValueError, match="takes values from 0 to 1, at least one"):
        mean_of_bounded(values)
