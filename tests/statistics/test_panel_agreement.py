"""The judge, judged: its p-values, its level under the null hypothesis, its power."""

import itertools

import numpy as np
import pytest
from making import STUDY
from scipy.stats import binom, binomtest

from attention_separation.statistics import panel_agreement
from attention_separation.statistics.goodness_of_fit import (
    LEAST_VARIANCE,
    PanelPoints,
    shape_p_value,
)
from attention_separation.statistics.panel_agreement import (
    holm,
    judge,
    point_p_values,
    pooled_p_value,
)
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact

LEVEL = 1e-3


def measured(successes, trials, reference, error=0.0):
    reference = np.atleast_1d(np.asarray(reference, dtype=float))
    shape = reference.shape
    return PanelPoints(
        np.broadcast_to(successes, shape).astype(np.int64),
        np.broadcast_to(trials, shape),
        reference,
        np.full(shape, error),
    )


def drawn(rng, trials, reference, bias=0.0, error=0.0):
    rates = np.clip(reference + bias, 0, 1)
    return measured(rng.binomial(trials, rates), trials, reference, error)


def test_a_points_p_value_is_twice_its_smaller_tail():
    for reference in (0.0, 1e-4, 0.3, 0.5, 0.97, 1.0):
        for k in (0, 1, 7, 19, 20):
            tails = binom.cdf(k, 20, reference), binom.sf(k - 1, 20, reference)
            wanted = [min(1, 2 * min(tails))]
            assert point_p_values(measured(k, 20, reference)) == pytest.approx(wanted, rel=1e-9)


def test_an_error_of_the_reference_widens_the_null_hypothesis():
    point = measured(40, 100, 0.3, error=0.05)
    worst = binomtest(40, 100, 0.35, alternative="greater").pvalue
    assert point_p_values(point) == pytest.approx([2 * worst])
    assert pooled_p_value(point) == pytest.approx(2 * worst)
    assert point_p_values(measured(40, 100, 0.3, error=1.0)) == [1.0]


def test_the_pooled_law_is_the_convolution():
    reference = np.array([0.1, 0.5, 0.9])
    for counts in itertools.product(range(3), repeat=3):
        panel = measured(np.array(counts), 2, reference)
        law = np.ones(1)
        for p in reference:
            law = np.convolve(law, binom.pmf([0, 1, 2], 2, p))
        total = sum(counts)
        expected = min(1, 2 * min(law[: total + 1].sum(), law[total:].sum()))
        assert pooled_p_value(panel) == pytest.approx(expected, abs=1e-12)


def test_certain_points_leave_no_doubt():
    assert pooled_p_value(measured(5, 5, [1.0, 1.0])) == 1.0
    assert pooled_p_value(measured([5, 4], 5, [1.0, 1.0])) < 1e-12
    assert point_p_values(measured(1, 10**6, 0.0)) == [0.0]


def test_holm():
    assert holm(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1.0, 1.0])


def rates(rng, panels, points):
    """Probabilities as the panels have them: many near 0 and 1, and all between."""
    return [rng.beta(0.5, 0.5, size=points) for _ in range(panels)]


@pytest.fixture
def verdicts_alone(monkeypatch):
    """Without the search for what would decide: most of the time."""
    monkeypatch.setattr(panel_agreement, "_trials_to_decide", lambda *_: None)


@pytest.mark.usefixtures("verdicts_alone")
def test_the_level_under_the_null_hypothesis():
    """100 families of three panels at level 0.2: rejected about as often as the level says.

    Discrete tests reject less often than their level. False-alarm budget 1e-6 a side.
    """
    rng = np.random.default_rng(1)
    references = rates(rng, panels=3, points=5)
    rejected = 0
    for _ in range(100):
        family = [drawn(rng, 300, reference) for reference in references]
        found = judge(family, [0.1] * len(family), 0.2)
        rejected += any(panel.verdict == "differs" for panel in found)
    assert rejected <= binom.ppf(1 - 1e-6, 100, 0.2)
    assert rejected >= binom.ppf(1e-5, 100, 0.1)


def chance_to_reject(trials, reference, rates, level):
    """Of the test of the sum, exactly, if the points have other rates than their references."""
    null, law = np.ones(1), np.ones(1)
    for p, rate in zip(reference, rates, strict=True):
        null = np.convolve(null, binom.pmf(np.arange(trials + 1), trials, p))
        law = np.convolve(law, binom.pmf(np.arange(trials + 1), trials, rate))
    at_most = np.cumsum(null)
    at_least = np.cumsum(null[::-1])[::-1]
    return law[2 * np.minimum(at_most, at_least) <= level].sum()


RATES = {f"all {p:g}": np.full(9, p) for p in
         (0.0, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.5, 0.7, 0.98, 0.999, 1 - 1e-5, 1.0)} | {
    "0 and 1": np.repeat([0.0, 1.0], [5, 4]),
    "a few between": np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.99, 0.5, 0.001]),
    "evenly spread": np.linspace(0.0, 1.0, 9),
}  # fmt: skip


@pytest.mark.usefixtures("verdicts_alone")
@pytest.mark.parametrize("trials", [100, 900])
def test_the_detectable_bias_is_detected_nine_times_in_ten_whatever_the_rates(subtests, trials):
    """By the exact law of the sum, for a bias away from the nearer end of the rates. Nor much more
    often, but where so few counts are expected that one more is much."""
    for name, reference in RATES.items():
        with subtests.test(name):
            hold_detection(reference, trials)


def hold_detection(reference, trials):
    (verdict,) = judge([measured(np.rint(trials * reference), trials, reference)], [0.5], LEVEL)
    bias = verdict.detectable_bias
    away = 1 if reference.mean() < 0.5 else -1
    rates = np.clip(reference + away * bias, 0, 1)
    # Where some points have no room, the others are moved as much more.
    room = (rates > 0) & (rates < 1)
    rates[room] += away * (bias - abs((rates - reference).mean())) * len(rates) / room.sum()
    found = chance_to_reject(trials, reference, rates, LEVEL / (len(reference) + 2))
    assert found > 0.86
    if (trials * reference * (1 - reference)).sum() > 10:
        assert found < 0.94


@pytest.mark.usefixtures("verdicts_alone")
@pytest.mark.parametrize("reference", [0.0, 0.02, 0.5, 1.0])
def test_what_is_not_known_of_a_panel_hides_as_much_more_bias(reference):
    panels = [
        measured(round(100 * reference), 100, np.full(8, reference)),
        measured(round(100 * reference), 100, np.full(8, reference), error=0.02),
    ]
    known, rough = (each.detectable_bias for each in judge(panels, [0.5] * 2, LEVEL))
    assert rough == pytest.approx(known + 0.02)


AGREEING = [
    # References, the margin, and their error in units of it.
    (np.full(6, 0.5), 0.1, 0.2),
    (np.full(6, 0.02), 0.02, 0.0),
    (np.linspace(0.9, 1.0, 6), 0.05, 0.2),
]


@pytest.mark.parametrize(("reference", "margin", "error"), AGREEING)
def test_of_the_trials_that_would_decide_a_panel_nine_in_ten_agree(reference, margin, error):
    """And of a quarter less fewer. False-alarm budget 1e-6."""
    error *= margin
    (verdict,) = judge([measured(np.rint(20 * reference), 20, reference, error)], [margin], LEVEL)
    assert verdict.verdict == "undecided"
    rng = np.random.default_rng(7)

    def agreeing(trials):
        found = [
            judge([drawn(rng, trials, reference, error=error)], [margin], LEVEL)[0].verdict
            for _ in range(60)
        ]
        return found.count("agrees")

    enough = verdict.trials_to_decide
    assert binom.cdf(agreeing(enough), 60, 0.88) > 1e-6 / 3
    assert agreeing(int(0.7 * enough)) < 54


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_panel_agrees_only_if_both_ends_of_its_interval_lie_within_the_margin(end):
    """Nothing is rejected, and the other end is near; at the margin itself it agrees."""
    successes = 44 if end == "low" else 56
    panel = measured(successes, 100, np.full(4, 0.5))
    (wide,) = judge([panel], [0.2], LEVEL)
    assert wide.verdict == "agrees"
    margin = 0.11
    (narrow,) = judge([panel], [margin], LEVEL)
    inside = [-margin <= narrow.difference_low, narrow.difference_high <= margin]
    assert inside == ([False, True] if end == "low" else [True, False])
    assert narrow.verdict == "undecided"
    farthest = max(abs(narrow.difference_low), abs(narrow.difference_high))
    for at, verdict in ((farthest, "agrees"), (np.nextafter(farthest, 0), "undecided")):
        assert judge([panel], [at], LEVEL)[0].verdict == verdict


def test_a_p_value_that_is_the_level_rejects():
    panel = measured([40, 50, 60, 55], 100, np.full(4, 0.45))
    (found,) = judge([panel], [0.5], 1e-6)
    least = min(found.point_p.min(), found.pooled_p, found.shape_p)
    assert judge([panel], [0.5], least)[0].verdict == "differs"
    assert judge([panel], [0.5], np.nextafter(least, 0))[0].verdict != "differs"


def test_errors_that_cancel_in_the_sum_are_found_in_the_shape():
    """Half of a panel ten points too high, half too low: no single point can be called wrong."""
    trials, reference = 100, np.full(80, 0.5)
    halves = np.where(np.arange(80) < 40, 60, 40)
    verdict, other = judge(
        [measured(halves, trials, reference), measured(50, trials, reference)], [0.1] * 2, LEVEL
    )
    assert (verdict.verdict, other.verdict) == ("differs", "agrees")
    assert verdict.shape_p < 1e-9
    assert verdict.pooled_p == 1.0
    assert (verdict.point_p > LEVEL).all()
    assert other.shape_p == 1.0


def test_the_interval_of_the_difference_allows_for_the_error_of_the_reference():
    exact, rough = (measured(40, 100, np.full(4, 0.4), error=error) for error in (0.0, 0.01))
    first, second = judge([exact, rough], [0.1] * 2, LEVEL)
    assert (second.difference_low, second.difference_high) == pytest.approx(
        (first.difference_low - 0.01, first.difference_high + 0.01)
    )
    assert first.difference_low < 0 < first.difference_high


def test_not_rejected_is_not_enough_to_agree():
    few = measured(10, 20, np.full(6, 0.5))
    many = measured(1000, 2000, np.full(6, 0.5))
    verdicts = judge([few, many], [0.1, 0.1], LEVEL)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "agrees"]
    trials = verdicts[0].trials_to_decide
    assert 20 < trials < 1000
    assert verdicts[1].trials_to_decide is None


def test_a_reference_without_guarantee_stays_undecided():
    (verdict,) = judge([measured(500, 1000, np.full(9, 0.5), error=1.0)], [0.1], LEVEL)
    assert verdict.verdict == "undecided"
    assert verdict.trials_to_decide is None


NOT_JUDGED = [
    (([3], [10], [np.nan], [0.0]), "no number between 0 and 1"),
    (([3], [10], [0.5], [np.nan]), "no number between 0 and 1"),
    (([3], [10], [1.5], [0.0]), "no number between 0 and 1"),
    (([11], [10], [0.5], [0.0]), "more successes than trials"),
    (([0], [0], [0.5], [0.0]), "no trials"),
    (([], [], [], []), "no points"),
    (([1, 2], [10], [0.5], [0.0]), "different lengths"),
]


def test_what_cannot_be_judged():
    for values, words in NOT_JUDGED:
        with pytest.raises(ValueError, match=words):
            PanelPoints(*(np.array(column) for column in values))


def test_points_of_one_panel_have_equal_trials():
    panel = PanelPoints(np.array([1, 1]), np.array([10, 20]), np.full(2, 0.1), np.zeros(2))
    with pytest.raises(ValueError, match="different numbers of trials"):
        judge([panel], [0.1], LEVEL)


@pytest.mark.usefixtures("verdicts_alone")
@pytest.mark.parametrize(("bias", "power"), [(0.05, 0.95), (0.03, 0.5)])
def test_power_at_the_papers_trials(bias, power):
    """A bias of a few per cent of one panel of 81 points, 100 trials each, among 19 panels."""
    rng = np.random.default_rng(2)
    references = [np.full(81, 0.6), *rates(rng, panels=18, points=1)]
    found = 0
    for _ in range(10):
        family = [drawn(rng, 100, references[0], bias=bias)]
        family += [drawn(rng, 100, reference) for reference in references[1:]]
        found += judge(family, [0.1] * 19, LEVEL)[0].verdict == "differs"
    assert found / 10 > power


# The test of a panel's shape: its p-values against enumeration, and its power.

BUDGET = 1e-6
"""Chance of a false alarm, of each random test."""

LOWERED = 0.01
"""Twice the share, at most, by which T is lowered for rounding to the grid."""


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


@pytest.mark.parametrize("error", [0.02, 0.6])
def test_no_rate_within_the_error_is_rejected_more_often_than_the_p_value_says(error):
    trials, reference = 5, np.array([0.1, 0.5, 0.97])
    counts = all_counts(trials, 3)
    t = statistic(counts, trials, reference, error)
    ends = np.clip(reference - error, 0, 1), reference, np.clip(reference + error, 0, 1)
    for rates in itertools.product(*np.transpose(ends)):
        share = binom.pmf(counts, trials, rates).prod(axis=1)
        for bound in np.unique(t)[::14]:
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


LEVEL_OF_ONE_TEST = 7e-7
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
        first, beyond = (first, middle) if p <= LEVEL_OF_ONE_TEST else (middle + 1, beyond)
    return draws - first


def real(name):
    panel = STUDY.panels.simulated[name]
    reference = compute_exact(STUDY.panels.exact[name])["p_exact"].to_numpy()
    return measured(0, panel.trials, reference)


def turns(panel):
    return np.where(np.arange(len(panel.trials)) % 2, -1, 1)


def test_ten_points_too_high_and_too_low_are_found():
    """At the paper's trials: more often than 99 times in 100, where the sum tells nothing."""
    panel, rng = real("fig5e"), np.random.default_rng(3)
    assert found(panel, panel.reference + 0.1 * turns(panel), 2000, rng) > 1980


@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_p_values_under_the_null_hypothesis(error):
    """Panels of 6 points: rejected as often as the level says, not much less where the
    references are exact, and no more often where they are as far off as their errors allow."""
    rng = np.random.default_rng(2)
    draws = 250
    reference = rng.uniform(0.05, 0.95, size=6)
    p = np.array(
        [
            shape_p_value(
                measured(rng.binomial(300, reference + error), 300, reference, error=error)
            )
            for _ in range(draws)
        ]
    )
    for level in (0.3, 0.05):
        rejected = int((p <= level).sum())
        assert rejected <= binom.isf(BUDGET / 6, draws, level)
        assert error or rejected >= binom.ppf(BUDGET / 6, draws, 0.8 * level)
