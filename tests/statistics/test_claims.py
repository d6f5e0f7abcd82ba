"""The judge of claims: what agrees, differs or is undecided, how often falsely, and how surely."""

import math

import numpy as np
import pytest
from scipy import stats

from attention_separation.statistics.claims import (
    Comparison,
    Estimate,
    Verdict,
    at_least,
    at_most,
    combine_verdicts,
    count_verdicts,
    judge,
    within,
)
from attention_separation.statistics.means import (
    ClaimedMean,
    Mean,
    compare_means,
    difference_of_means,
)
from attention_separation.statistics.seeding import stream

LEVEL, COMPARISONS, RUNS, SPREAD = 0.05, 4, 5, 0.01
DRAWS = 1500
DRAWS_OF_POWER = 500
FALSE_ALARM = 1e-7
"""Of a test that counts how often claims are judged."""


@pytest.mark.parametrize("by", [lambda x: -x, lambda x: 3 - 2 * x, lambda x: 1 / x, np.sqrt])
def test_a_moved_interval_begins_at_its_lower_end(by):
    moved = Estimate(2.0, 1.0, 4.0).moved(by)
    assert moved.value == by(2.0)
    assert (moved.low, moved.high) == (min(by(1.0), by(4.0)), max(by(1.0), by(4.0)))


def test_arithmetic_with_what_is_known_and_what_is_not():
    estimate = Estimate(2.0, 1.0, 4.0)
    assert estimate.less(1.5) == (0.5, -0.5, 2.5)
    assert estimate.times(-2.0) == (-4.0, -8.0, -2.0)
    assert estimate.over(2.0) == (1.0, 0.5, 2.0)
    # Both ends of the other count.
    assert estimate.less(Estimate(1.0, 0.5, 3.0)) == (1.0, -2.0, 3.5)


AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED
INF, NAN, JUST = math.inf, math.nan, 1e-9
AGAINST_RANGES = [
    # A number and its interval, the range, and the verdict.
    ((1.5, 1.4, 1.6), (1, 2), AGREES),
    ((1.5, 1.0, 2.0), (1, 2), AGREES),
    ((1.5, 1.0 - JUST, 2.0), (1, 2), UNDECIDED),
    ((1.5, 1.0, 2.0 + JUST), (1, 2), UNDECIDED),
    ((1.1, 0.9, 1.3), (1, 2), UNDECIDED),
    ((1.5, 0.9, 2.3), (1, 2), UNDECIDED),
    ((0.5, 0.4, 1.0), (1, 2), UNDECIDED),
    ((0.5, 0.4, 1.0 - JUST), (1, 2), DIFFERS),
    ((2.5, 2.0, 2.6), (1, 2), UNDECIDED),
    ((2.5, 2.0 + JUST, 2.6), (1, 2), DIFFERS),
    ((5.0, 4.0, INF), (1, INF), AGREES),
    ((5.0, 0.5, INF), (1, INF), UNDECIDED),
    ((0.1, 0.0, 0.2), (-INF, 0.15), UNDECIDED),
    ((INF, INF, INF), (-INF, 0.1), DIFFERS),
    # What is not known decides nothing, and what is known may.
    ((NAN, NAN, NAN), (1, 2), UNDECIDED),
    ((1.5, NAN, NAN), (1, INF), UNDECIDED),
    ((1.5, 1.4, NAN), (1, 2), UNDECIDED),
    ((1.5, NAN, 1.6), (1, 2), UNDECIDED),
    ((0.5, NAN, 0.6), (1, 2), DIFFERS),
    ((0.1, 0.1, 0.1), (-INF, NAN), UNDECIDED),
]


def test_a_number_against_its_range():
    for measured, ends, verdict in AGAINST_RANGES:
        assert Comparison("", Estimate(*measured), *ends).verdict == verdict, (measured, ends)


@pytest.mark.parametrize(
    ("claimed", "verdicts"),
    [
        (at_least, [Verdict.DIFFERS, Verdict.UNDECIDED, Verdict.AGREES]),
        (at_most, [Verdict.AGREES, Verdict.UNDECIDED, Verdict.DIFFERS]),
        (within, [Verdict.AGREES, Verdict.UNDECIDED, Verdict.DIFFERS]),
    ],
)
def test_what_is_claimed_of_a_number(claimed, verdicts):
    numbers = [Estimate.within(value, 0.1) for value in (0.8, 0.95, 1.2)]
    assert [claimed("", number, 1.0).verdict for number in numbers] == verdicts
    assert within("", Estimate.within(-1.2, 0.1), 1.0).verdict == Verdict.DIFFERS


def test_rounding_is_forgiven_to_what_is_known():
    def known(value, end, rounding=1e-10):
        return Comparison("", Estimate.exactly(value), end, end, rounding=rounding)

    assert known(1e30, 1e30 * (1 + 1e-15)).verdict == Verdict.AGREES
    assert known(1e30, 1e30 * (1 + 1e-15), rounding=0.0).verdict == Verdict.DIFFERS
    assert known(1 + 0.9e-10, 1.0).verdict == known(1 - 0.9e-10, 1.0).verdict == AGREES
    assert known(1 + 1.1e-10, 1.0).verdict == known(1 - 1.1e-10, 1.0).verdict == DIFFERS
    assert known(0.0, 0.0).verdict == Verdict.AGREES
    assert known(1e-300, 0.0).verdict == Verdict.DIFFERS
    # Relative to the larger of the two.
    assert known(1.0, 4.0).slack == pytest.approx(-0.75)


def test_all_must_agree_and_one_that_differs_decides():
    assert combine_verdicts([Verdict.AGREES, Verdict.AGREES]) == Verdict.AGREES
    assert combine_verdicts([Verdict.AGREES, Verdict.UNDECIDED]) == Verdict.UNDECIDED
    assert combine_verdicts([Verdict.UNDECIDED, Verdict.DIFFERS, Verdict.AGREES]) == Verdict.DIFFERS
    assert judge([]).verdict == Verdict.NOT_RUN
    assert judge([]).columns() == {"verdict": Verdict.NOT_RUN, "comparisons": 0}


def test_verdicts_are_counted_in_one_order():
    found = ["not judged", "undecided", "differs", "agrees", "agrees"]
    assert count_verdicts(found) == "2 agree, 1 differ, 1 undecided, 1 not judged"


def test_scattered_runs_decide_nothing():
    scattered = difference_of_means([([0.1, 0.9, 0.5], [0.0, 0.3, 0.6])], LEVEL)
    assert judge([at_least("", scattered, 0.03)]).verdict == Verdict.UNDECIDED
    assert judge([at_most("", scattered, 0.03)]).verdict == Verdict.UNDECIDED


def test_the_comparison_that_decides_is_the_furthest_from_agreeing():
    ranges = {"least": 1.0, "most": 2.0}
    near, far = (Comparison(name, Estimate.within(value, 0.1), **ranges)
                 for name, value in (("near", 1.5), ("far", 1.15)))  # fmt: skip
    row = judge([near, far]).columns()
    assert (row["verdict"], row["comparisons"], row["deciding_case"]) == (Verdict.AGREES, 2, "far")
    assert (row["value"], row["least"], row["most"]) == (1.15, 1.0, 2.0)
    # In units of the range: 0.3 of 10 is less than 0.4 of 1.
    wide = Comparison("wide", Estimate.within(1.4, 0.1), 1.0, 11.0)
    assert judge([near, wide]).deciding == wide
    # By its interval, or by its value alone.
    loose = Comparison("loose", Estimate.within(1.5, 0.49), **ranges)
    assert judge([far, loose]).deciding == loose
    assert judge([far, loose], lambda each: each.slack_of_value).deciding == far
    # Of those that differ the surest, whatever else there is.
    outside = [at_least(f"{value}", Estimate.within(value, 0.1), 1.0) for value in (0.5, 0.2, 0.8)]
    row = judge([near, *outside]).columns()
    assert (row["verdict"], row["deciding_case"], row["most"]) == (Verdict.DIFFERS, "0.2", None)


def test_all_must_agree_at_the_level_and_one_differs_at_its_share():
    mean = Mean(0.5, 1e-3, 4)
    near, far = mean.interval(0.001), mean.interval(0.001 / 10)
    claimed = [ClaimedMean("a", mean, most=0.6)] * 10
    (one, *_) = compare_means(claimed, 0.001)
    assert (one.measured, one.far) == (near, far)
    between = (near.low + far.low) / 2
    assert at_most("a", near, between).verdict == Verdict.DIFFERS
    assert Comparison("a", near, most=between, far=far).verdict == Verdict.UNDECIDED


# How often a claim is judged falsely, and how surely what is so is found. Intervals of a claim's
# comparisons are all at their share of the level, or as `compare_means` has them.


def shares(claimed, level):
    return [
        Comparison(each.name, each.mean.interval(level / len(claimed)), each.least, each.most)
        for each in claimed
    ]


RULES = {"shares of the level": shares, "as of means": compare_means}


def rates(rule, means, draws=DRAWS):
    """How often a claim that COMPARISONS means of runs are at most 0 has each verdict, with runs
    that scatter about these means."""
    generator = stream(1, "judge", *map(str, means))
    counts = dict.fromkeys((Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED), 0)
    for _ in range(draws):
        runs = generator.normal(np.array(means)[:, None], SPREAD, (COMPARISONS, RUNS))
        claimed = [ClaimedMean("", Mean.of(own), most=0.0) for own in runs]
        counts[judge(RULES[rule](claimed, LEVEL)).verdict] += 1
    return counts


def acceptable(rate, draws=DRAWS):
    """The fewest and the most of so many draws at a rate."""
    return stats.binom(draws, rate).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])


@pytest.mark.parametrize("rule", RULES)
def test_a_claim_that_just_holds_differs_no_more_often_than_the_level_says(rule):
    """All means at the end of the range: each differs on one side of its share of the level."""
    low, high = acceptable(1 - (1 - LEVEL / 2 / COMPARISONS) ** COMPARISONS)
    assert low <= rates(rule, [0.0] * COMPARISONS)[Verdict.DIFFERS] <= high
    assert high < DRAWS * LEVEL


@pytest.mark.parametrize("rule", RULES)
def test_a_claim_that_just_fails_agrees_no_more_often_than_the_level_says(rule):
    """One mean at the end of the range, all others deep inside."""
    level = LEVEL / COMPARISONS if rule == "shares of the level" else LEVEL
    low, high = acceptable(level / 2)
    found = rates(rule, [0.0] + [-100 * SPREAD] * (COMPARISONS - 1))
    assert low <= found[Verdict.AGREES] <= high
    assert high < DRAWS * LEVEL


def power(rule, shift, level):
    """Chance that one interval of runs whose mean is off by so many spreads lies on one side."""
    count = COMPARISONS if rule == "shares of the level" or level == "far" else 1
    quantile = stats.t(RUNS - 1).ppf(1 - LEVEL / count / 2)
    return stats.nct(RUNS - 1, shift * math.sqrt(RUNS)).sf(quantile)


@pytest.mark.parametrize("rule", RULES)
def test_one_mean_that_is_outside_is_found(rule):
    shift = 2.0
    means = [shift * SPREAD] + [-100 * SPREAD] * (COMPARISONS - 1)
    low, high = acceptable(power(rule, shift, "far"), DRAWS_OF_POWER)
    assert low <= rates(rule, means, DRAWS_OF_POWER)[Verdict.DIFFERS] <= high
    assert power(rule, 4.0, "far") > 0.9


@pytest.mark.parametrize("rule", RULES)
def test_means_that_are_all_inside_are_found(rule):
    shift = 4.0
    low, high = acceptable(power(rule, shift, "near") ** COMPARISONS, DRAWS_OF_POWER)
    found = rates(rule, [-shift * SPREAD] * COMPARISONS, DRAWS_OF_POWER)
    assert low <= found[Verdict.AGREES] <= high
