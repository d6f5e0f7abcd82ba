"""Intervals of means, of their differences and of their ratios."""

import numpy as np
import pytest
from scipy import stats

from attention_separation.statistics.means import (
    difference_of_means,
    mean_gap,
    mean_of,
    paired_difference_of_means,
    ratio_of_means,
)

LEVEL = 0.05
FALSE_ALARM = 1e-7
"""Of a test that counts how often intervals miss."""


def acceptable(draws, level):
    """The fewest and the most misses that intervals of this level may have in so many draws."""
    return stats.binom(draws, level).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])


def test_a_mean_has_students_interval():
    sample = [0.1, 0.2, 0.15, 0.3]
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.99)
    found = mean_of(sample, 0.01)
    assert found == pytest.approx((np.mean(sample), expected.low, expected.high))
    assert np.isnan(mean_of([0.1])[1:]).all()


def test_the_interval_of_one_pair_is_that_of_welchs_test():
    larger, smaller = [0.5, 0.6, 0.55, 0.7], [0.2, 0.25, 0.4]
    expected = stats.ttest_ind(larger, smaller, equal_var=False).confidence_interval(1 - LEVEL)
    found = difference_of_means([(larger, smaller)], LEVEL)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_intervals_over_pairs_hold_as_often_as_they_say():
    """False alarms: with 2,000 draws at a level of 0.05, fewer than 50 misses or more than 155 have
    probability below 1e-7."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(2000):
        # Spreads that differ, and means that differ by 0.1 on average.
        pairs = [(rng.normal(0.3 + k / 10, 0.05, 5), rng.normal(0.2 + k / 10, 0.1, 5))
                 for k in range(3)]  # fmt: skip
        found = difference_of_means(pairs, 0.05)
        missed += not found.low < 0.1 < found.high
    assert 50 <= missed <= 155


def test_gaps_within_runs_have_students_interval():
    gaps = [0.1, 0.2, 0.15, 0.3]
    expected = stats.ttest_1samp(gaps, 0).confidence_interval(1 - LEVEL)
    found = mean_gap(gaps, LEVEL)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    for wrong, words in (([0.1], "at least two runs"), ([0.1, np.nan], "no finite number")):
        with pytest.raises(ValueError, match=words):
            mean_gap(wrong, LEVEL)


def test_the_interval_of_one_pair_of_runs_seed_by_seed_is_that_of_the_paired_test():
    larger, smaller = [0.5, 0.6, 0.55, 0.7], [0.2, 0.25, 0.22, 0.4]
    expected = stats.ttest_rel(larger, smaller).confidence_interval(1 - LEVEL)
    found = paired_difference_of_means([(larger, smaller)], LEVEL)
    assert found == pytest.approx((0.32, expected.low, expected.high))
    # Runs that differ alike leave nothing but the least spread that is believed.
    alike = paired_difference_of_means([(larger, np.subtract(larger, 0.1))], LEVEL)
    reach = stats.t(3).ppf(1 - LEVEL / 2) * 1e-3 / 2
    assert alike == pytest.approx((0.1, 0.1 - reach, 0.1 + reach))
    with pytest.raises(ValueError, match="groups of different lengths"):
        paired_difference_of_means([(larger, smaller[:3])], LEVEL)


@pytest.mark.parametrize("shared", [0.0, 0.1])
def test_paired_intervals_hold_as_often_as_they_say(shared):
    """With what runs of one seed share, and without it, over three pairs together."""
    rng, draws, missed = np.random.default_rng(1), 4000, 0
    for _ in range(draws):
        of_seed = rng.normal(0, shared, 5)
        pairs = [(rng.normal(0.3 + k / 10, 0.05, 5) + of_seed,
                  rng.normal(0.2 + k / 10, 0.1, 5) + of_seed * k) for k in range(3)]  # fmt: skip
        found = paired_difference_of_means(pairs, LEVEL)
        missed += not found.low < 0.1 < found.high
    low, high = acceptable(draws, LEVEL)
    assert low <= missed <= high


def test_paired_intervals_see_through_what_runs_of_one_seed_share():
    """A gap of 0.1 under a spread of 0.5 between seeds: Welch's interval does not find it."""
    rng = np.random.default_rng(1)
    of_seed = rng.normal(0, 0.5, 5)
    pairs = [(of_seed + 0.1 + rng.normal(0, 0.005, 5), of_seed + rng.normal(0, 0.005, 5))]
    assert paired_difference_of_means(pairs, LEVEL).exceeds(0.03) == "agrees"
    assert difference_of_means(pairs, LEVEL).exceeds(0.03) == "undecided"


@pytest.mark.parametrize("shared", [0.0, 0.05])
def test_paired_intervals_of_ratios_hold_as_often_as_they_say(shared):
    rng, draws, missed = np.random.default_rng(1), 1500, 0
    for _ in range(draws):
        of_seed = rng.normal(0, shared, 5)
        pairs = [(rng.normal(0.6, 0.05, 5) + 3 * of_seed, rng.normal(0.2, 0.02, 5) + of_seed)]
        found = ratio_of_means(pairs, LEVEL, paired_difference_of_means)
        missed += not found.low < 3 < found.high
    low, high = acceptable(draws, LEVEL)
    assert low <= missed <= high


def test_a_ratio_exceeds_a_factor_where_the_difference_to_that_multiple_exceeds_0():
    pairs = [([0.5, 0.6, 0.55, 0.7], [0.2, 0.25, 0.22])]
    found = ratio_of_means(pairs, LEVEL)
    assert found.value == pytest.approx(np.mean(pairs[0][0]) / np.mean(pairs[0][1]))
    for factor, end in ((found.low, "low"), (found.high, "high")):
        scaled = difference_of_means([(pairs[0][0], factor * np.array(pairs[0][1]))], LEVEL)
        assert getattr(scaled, end) == pytest.approx(0, abs=1e-9)


def test_a_ratio_to_what_may_be_0_has_no_upper_end():
    found = ratio_of_means([([0.5, 0.51, 0.52], [0.001, 0.3, 0.001])], LEVEL)
    assert found.high == np.inf
    assert found.exceeds(2.0) == "undecided"
    # Nothing is known to exceed 0 times the other.
    assert ratio_of_means([([0.0, 1.0], [0.2, 0.21])], LEVEL).low == 0
    with pytest.raises(ValueError, match="not positive"):
        ratio_of_means([([0.5, 0.6], [0.0, 0.0])], LEVEL)


def test_intervals_of_ratios_hold_as_often_as_they_say():
    """False alarms: with 1,000 draws at a level of 0.05, fewer than 18 misses or more than 95 have
    probability below 2e-7."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(1000):
        found = ratio_of_means([(rng.normal(0.6, 0.05, 5), rng.normal(0.2, 0.02, 5))], 0.05)
        missed += not found.low < 3 < found.high
    assert 18 <= missed <= 95
