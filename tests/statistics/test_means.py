"""Intervals of means, of their differences and of their ratios."""

import numpy as np
import pytest
from scipy import stats

from attention_separation.statistics.claims import Estimate, at_least
from attention_separation.statistics.contrasts import PAIRED, WELCH, WITHIN_RUNS, Contrast
from attention_separation.statistics.means import (
    Mean,
    difference_of_means,
    mean_of,
    paired_difference_of_means,
    ratio_of_means,
    simultaneous_quantile,
    sum_of_means,
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


def test_a_difference_of_means_has_both_variances():
    one, other = Mean.of([0.7, 0.74, 0.78]), Mean.of([0.5, 0.5], least_spread=0.05)
    assert (one.value, one.freedom) == (pytest.approx(0.74), 2)
    # 4.302653 is Student's quantile of 0.975 with 2 degrees of freedom.
    reach = 4.302653 * 0.04 / np.sqrt(3)
    assert one.interval(0.05) == pytest.approx((0.74, 0.74 - reach, 0.74 + reach), rel=1e-6)
    gap = one - other
    assert gap.value == pytest.approx(0.24)
    assert gap.se**2 == pytest.approx(one.se**2 + 0.05**2 / 2)
    assert 1 <= gap.freedom <= 3
    assert (one - 0.7).value == pytest.approx(0.04)
    assert (one - 0.7).se == one.se


def test_a_simultaneous_quantile_shares_its_level():
    assert simultaneous_quantile(0.05, 1) == pytest.approx(1.959964, abs=1e-6)
    tail = stats.norm.sf(simultaneous_quantile(0.05, 7))
    assert 2 * 7 * tail == pytest.approx(0.05, rel=1e-9)


def test_a_sum_of_means_that_are_known_has_the_fewest_degrees_of_freedom():
    assert sum_of_means([(1.0, Mean(0.5, 0.0, 4)), (2.0, Mean(0.1, 0.0, 2))]) == Mean(0.7, 0.0, 2)


@pytest.mark.parametrize("difference", [difference_of_means, paired_difference_of_means])
@pytest.mark.parametrize(
    ("wrong", "words"), [([0.1], "at least two runs"), ([0.1, np.nan], "no finite number")]
)
def test_runs_that_have_no_interval_are_refused(difference, wrong, words):
    with pytest.raises(ValueError, match=words):
        difference([(wrong, [0.0] * len(wrong))], LEVEL)


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


INTERVALS = [
    (difference_of_means, 0.0), (paired_difference_of_means, 0.0), (paired_difference_of_means, 0.1)
]  # fmt: skip
"""What compares groups of runs, and the spread that runs of one seed share."""


@pytest.mark.parametrize(("difference", "shared"), INTERVALS)
def test_intervals_over_pairs_hold_as_often_as_they_say(difference, shared):
    rng, draws, missed = np.random.default_rng(1), 2000, 0
    for _ in range(draws):
        # Spreads that differ, and means that differ by 0.1 on average.
        of_seed = rng.normal(0, shared, 5)
        pairs = [(rng.normal(0.3 + k / 10, 0.05, 5) + of_seed,
                  rng.normal(0.2 + k / 10, 0.1, 5) + of_seed * k) for k in range(3)]  # fmt: skip
        found = difference(pairs, LEVEL)
        missed += not found.low < 0.1 < found.high
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
    assert at_least("", found, 2.0).verdict == "undecided"
    # Nothing is known to exceed 0 times the other.
    assert ratio_of_means([([0.0, 1.0], [0.2, 0.21])], LEVEL).low == 0
    with pytest.raises(ValueError, match="not positive"):
        ratio_of_means([([0.5, 0.6], [0.0, 0.0])], LEVEL)


# Which interval a contrast of groups of runs has, and of what.

ERRORS = ([0.5, 0.62, 0.55], [0.3, 0.33, 0.32])


def runs(errors, data, first=0):
    """Runs of the seeds from `first` on; `data` names what they are drawn from."""
    return [
        {"run": seed, "error": error, "data_stream": f"{data} {seed}", "other_stream": f"{errors}"}
        for seed, error in enumerate(errors, first)
    ]


def error(run):
    return run["error"]


def test_runs_of_one_seed_are_compared_with_each_other_where_they_share_a_stream():
    first, second = (runs(errors, "shared") for errors in ERRORS)
    # Whatever the order of the rows.
    contrast = Contrast("", [(first[::-1], second)])
    assert contrast.interval == PAIRED
    found = contrast.estimate((error, error), False, 0.05)
    assert found == paired_difference_of_means([ERRORS], 0.05)
    ratio = contrast.estimate((error, error), True, 0.05)
    assert ratio == ratio_of_means([ERRORS], 0.05, paired_difference_of_means)


@pytest.mark.parametrize(
    "second",
    [
        runs(ERRORS[1], "its own"),
        runs(ERRORS[1], "shared", first=1),
        runs(ERRORS[1][:2], "shared"),
        [run | {"run": 0} for run in runs(ERRORS[1], "shared")],
    ],
    ids=["no stream shared", "other seeds", "fewer seeds", "a seed twice"],
)
def test_else_they_are_compared_by_welch(second):
    contrast = Contrast("", [(runs(ERRORS[0], "shared"), second)])
    assert contrast.interval == WELCH
    pairs = contrast.measured((error, error))
    assert contrast.estimate((error, error), False, 0.05) == difference_of_means(pairs, 0.05)


def test_two_measures_of_the_same_runs_are_compared_within_runs():
    own = runs(ERRORS[0], "shared")
    contrast = Contrast("", [(own, own)])
    assert contrast.interval == WITHIN_RUNS
    found = contrast.estimate((error, lambda run: run["error"] / 2), False, 0.05)
    halves = [value / 2 for value in ERRORS[0]]
    assert found == paired_difference_of_means([(ERRORS[0], halves)], 0.05)


def test_a_single_run_has_a_number_and_no_interval():
    contrast = Contrast("", [(runs([0.5], "a"), runs([0.2], "b"))])
    assert contrast.without_interval((error, error), True) == Estimate.exactly(2.5)
    with pytest.raises(ValueError, match="at least two runs"):
        contrast.estimate((error, error), False, 0.05)
