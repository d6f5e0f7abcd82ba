"""The test of a panel's shape: its p-values against enumeration, and its power."""

import itertools

import numpy as np
import pytest
from making import STUDY
from scipy.stats import binom

from attention_separation.statistics.goodness_of_fit import (
    LEAST_VARIANCE,
    PanelPoints,
    shape_p_value,
)
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact

BUDGET = 1e-6
"""Chance of a false alarm, of each random test."""

LOWERED = 0.01
"""Twice the share, at most, by which T is lowered for rounding to the grid."""


def measured(successes, trials, reference, error=0.0):
    reference = np.asarray(reference, dtype=float)
    shape = reference.shape
    return PanelPoints(
        np.broadcast_to(successes, shape).astype(np.int64), np.broadcast_to(trials, shape),
        reference, np.full(shape, error),
    )  # fmt: skip


def statistic(counts, trials, reference, error=0.0):
    """T, literally, of counts (..., P)."""
    variance = np.maximum(trials * reference * (1 - reference), LEAST_VARIANCE)
    low, high = np.clip(reference - error, 0, 1), np.clip(reference + error, 0, 1)
    deviation = np.maximum(np.maximum(counts - trials * high, trials * low - counts), 0)
    return (deviation**2 / variance).sum(axis=-1)


def all_counts(trials, points):
    return np.array(list(itertools.product(range(trials + 1), repeat=points)))


@pytest.mark.parametrize(
    ("trials", "reference"),
    [
        (5, [0.3, 0.5, 0.9]), (5, [0.01, 0.5, 0.999]), (40, [0.2, 0.6]), (4, [0.5] * 5),
        (300, [0.3]), (6, [0.0, 0.4, 1.0]),
    ],
)  # fmt: skip
def test_p_values_are_those_of_all_outcomes_and_never_less(trials, reference):
    reference = np.array(reference)
    counts = all_counts(trials, len(reference))
    share = binom.pmf(counts, trials, reference).prod(axis=1)
    t = statistic(counts, trials, reference)
    rng = np.random.default_rng(1)
    for k in rng.choice(np.flatnonzero(share > 0), size=60):
        p = shape_p_value(measured(counts[k], trials, reference))
        assert p >= share[t >= t[k] * (1 + 1e-12)].sum() - 1e-15
        assert p <= share[t >= t[k] * (1 - LOWERED)].sum() + 1e-11


@pytest.mark.exhaustive
@pytest.mark.parametrize("error", [0.02, 0.2, 0.6])
def test_no_rate_within_the_error_is_rejected_more_often_than_the_p_value_says(error):
    trials, reference = 5, np.array([0.1, 0.5, 0.97])
    counts = all_counts(trials, 3)
    t = statistic(counts, trials, reference, error)
    ends = np.clip(reference - error, 0, 1), reference, np.clip(reference + error, 0, 1)
    for rates in itertools.product(*np.transpose(ends)):
        share = binom.pmf(counts, trials, rates).prod(axis=1)
        for bound in np.unique(t)[::7]:
            worst = counts[np.flatnonzero(t == bound)[0]]
            p = shape_p_value(measured(worst, trials, reference, error))
            assert share[t >= bound].sum() <= p + 1e-12


def test_p_values_are_right_far_out():
    """Two points of 300 trials: all pairs of counts, down to 1e-10."""
    trials, reference = 300, np.array([0.3, 0.8])
    counts = all_counts(trials, 2)
    share = binom.pmf(counts, trials, reference).prod(axis=1)
    t = statistic(counts, trials, reference)
    for k in ([90, 282], [132, 264], [45, 240], [140, 239]):
        seen = statistic(np.array(k), trials, reference)
        wanted = share[t >= seen * (1 - 1e-12)].sum()
        assert 1e-10 < wanted < 1e-5
        p = shape_p_value(measured(k, trials, reference))
        assert wanted <= p <= 1.15 * wanted + 2e-12


def test_many_points_of_which_each_is_as_far_off_as_it_can_only_be():
    """One trial at 1/2: T is the same whatever happens, however it is rounded to the grid."""
    coins = np.random.default_rng(7).integers(0, 2, size=150)
    assert shape_p_value(measured(coins, 1, np.full(150, 0.5))) > 1 - 1e-6


def test_what_the_references_rule_out_leaves_no_doubt():
    assert shape_p_value(measured([5, 3], 5, [1.0, 0.5])) > 0.5
    assert shape_p_value(measured([4, 3], 5, [1.0, 0.5])) == 0.0
    assert shape_p_value(measured([1, 3], 5, [0.0, 0.5])) == 0.0
    assert shape_p_value(measured([1, 3], 5, [0.0, 0.5], error=0.1)) > 0.3
    assert shape_p_value(measured([5, 0], 5, [0.5, 0.5], error=1.0)) == 1.0


LEVEL = 7e-7
"""About what Holm's method leaves to one of the tests of the panels at a level of 0.001."""


def found(panel, rates, draws, rng):
    """How many of so many draws under other rates the test finds."""
    counts = rng.binomial(panel.trials, np.clip(rates, 0, 1), size=(draws, len(rates)))
    # A larger T has a smaller p-value: a search finds from where on they are small enough.
    order = np.argsort(statistic(counts, panel.trials, panel.reference))
    first, beyond = 0, draws
    while first < beyond:
        middle = (first + beyond) // 2
        p = shape_p_value(measured(counts[order[middle]], panel.trials, panel.reference))
        first, beyond = (first, middle) if p <= LEVEL else (middle + 1, beyond)
    return draws - first


def real(name):
    panel = STUDY.panels.simulated[name]
    reference = compute_exact(STUDY.panels.exact[name])["p_exact"].to_numpy()
    return measured(0, panel.trials, reference)


def turns(panel):
    return np.where(np.arange(len(panel.trials)) % 2, -1, 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["fig4a", "fig4d", "fig5c", "fig5e", "fig7c", "fig7e"])
def test_ten_points_too_high_and_too_low_are_found(name):
    """At the paper's trials: more often than 99 times in 100, where the sum tells nothing."""
    panel, rng = real(name), np.random.default_rng(3)
    assert found(panel, panel.reference + 0.1 * turns(panel), 2000, rng) > 1980


@pytest.mark.exhaustive
@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_p_values_under_the_null_hypothesis(error):
    """1,000 panels of 6 points: rejected as often as the level says, not much less where the
    references are exact, and no more often where they are as far off as their errors allow."""
    rng = np.random.default_rng(2)
    reference = rng.uniform(0.05, 0.95, size=6)
    p = np.array(
        [
            shape_p_value(
                measured(rng.binomial(300, reference + error), 300, reference, error=error)
            )
            for _ in range(1000)
        ]
    )
    for level in (0.3, 0.05, 0.01):
        rejected = int((p <= level).sum())
        assert rejected <= binom.isf(BUDGET / 6, 1000, level)
        assert error or rejected >= binom.ppf(BUDGET / 6, 1000, 0.8 * level)
