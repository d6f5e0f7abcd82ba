"""The judge, judged: its p-values, its level under the null hypothesis, its power."""

import itertools

import numpy as np
import pytest
from few import few
from scipy.stats import binom, binomtest

from attention_separation.statistics import panel_agreement
from attention_separation.statistics.goodness_of_fit import PanelPoints
from attention_separation.statistics.panel_agreement import (
    holm,
    judge,
    point_p_values,
    pooled_p_value,
)

LEVEL = 1e-3


def measured(successes, trials, reference, error=0.0):
    reference = np.atleast_1d(np.asarray(reference, dtype=float))
    return PanelPoints(
        np.broadcast_to(np.asarray(successes), reference.shape).astype(np.int64),
        np.full(reference.shape, trials),
        reference,
        np.full(reference.shape, error),
    )


def drawn(rng, trials, reference, bias=0.0, error=0.0):
    rates = np.clip(reference + bias, 0, 1)
    return measured(rng.binomial(trials, rates), trials, reference, error)


@pytest.mark.parametrize("reference", [0.0, 1e-4, 0.3, 0.5, 0.97, 1.0])
def test_a_points_p_value_is_twice_its_smaller_tail(reference):
    for k in (0, 1, 7, 19, 20):
        tails = binom.cdf(k, 20, reference), binom.sf(k - 1, 20, reference)
        assert point_p_values(measured(k, 20, reference)) == pytest.approx(
            [min(1, 2 * min(tails))], rel=1e-9
        )


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


@pytest.mark.exhaustive
@pytest.mark.usefixtures("verdicts_alone")
def test_the_level_under_the_null_hypothesis():
    """150 families of three panels at level 0.2: rejected about as often as the level says.

    Discrete tests reject less often than their level. False-alarm budget 1e-6 a side.
    """
    rng = np.random.default_rng(1)
    references = rates(rng, panels=3, points=5)
    rejected = 0
    for _ in range(150):
        family = [drawn(rng, 300, reference) for reference in references]
        found = judge(family, [0.1] * len(family), 0.2)
        rejected += any(panel.verdict == "differs" for panel in found)
    assert rejected <= binom.ppf(1 - 1e-6, 150, 0.2)
    assert rejected >= binom.ppf(1e-6, 150, 0.1)


@pytest.mark.exhaustive
def test_the_detectable_bias_is_detected_nine_times_in_ten():
    """False-alarm budget 1e-6."""
    rng = np.random.default_rng(3)
    reference = np.full(81, 0.6)
    (verdict,) = judge([measured(60, 100, reference)], [0.1], LEVEL)
    bias = verdict.detectable_bias
    assert 0.01 < bias < 0.04
    pooled = [
        pooled_p_value(drawn(rng, 100, reference, bias=bias)) <= LEVEL / 83 for _ in range(300)
    ]
    assert binom.cdf(sum(pooled), 300, 0.9) > 1e-6
    assert binom.sf(sum(pooled) - 1, 300, 0.9) > 1e-6


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
@few(5, "name", RATES)
@pytest.mark.parametrize("trials", [100, 900])
def test_the_detectable_bias_is_detected_nine_times_in_ten_whatever_the_rates(name, trials):
    """By the exact law of the sum, for a bias away from the nearer end of the rates. Nor much more
    often, but where so few counts are expected that one more is much."""
    reference = RATES[name]
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
    (np.full(6, 0.5), 0.1), (np.full(6, 0.02), 0.02), (np.full(6, 0.98), 0.02),
    (np.linspace(0.9, 1.0, 6), 0.05),
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("error", [0.0, 0.2])
@few(1, ("reference", "margin"), AGREEING)
def test_of_the_trials_that_would_decide_a_panel_nine_in_ten_agree(reference, margin, error):
    """And of a quarter less fewer. False-alarm budget 1e-6; `error` is in units of the margin."""
    error *= margin
    (verdict,) = judge([measured(np.rint(20 * reference), 20, reference, error)], [margin], LEVEL)
    assert verdict.verdict == "undecided"
    rng = np.random.default_rng(7)

    def agreeing(trials):
        found = [
            judge([drawn(rng, trials, reference, error=error)], [margin], LEVEL)[0].verdict
            for _ in range(100)
        ]
        return found.count("agrees")

    enough = verdict.trials_to_decide
    assert binom.cdf(agreeing(enough), 100, 0.88) > 1e-6 / 8
    assert agreeing(int(0.7 * enough)) < 90


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_panel_agrees_only_if_both_ends_of_its_interval_lie_within_the_margin(end):
    """Nothing is rejected, and the other end is near."""
    successes = 44 if end == "low" else 56
    panel = measured(successes, 100, np.full(4, 0.5))
    (wide,) = judge([panel], [0.2], LEVEL)
    assert wide.verdict == "agrees"
    margin = 0.11
    (narrow,) = judge([panel], [margin], LEVEL)
    inside = [-margin <= narrow.difference_low, narrow.difference_high <= margin]
    assert inside == ([False, True] if end == "low" else [True, False])
    assert narrow.verdict == "undecided"


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
    rng = np.random.default_rng(4)
    enough = [
        judge([drawn(rng, trials, np.full(6, 0.5)), many], [0.1, 0.1], LEVEL)[0].verdict
        for _ in range(50)
    ]
    assert enough.count("agrees") > 35


def test_a_reference_without_guarantee_stays_undecided():
    (verdict,) = judge([measured(500, 1000, np.full(9, 0.5), error=1.0)], [0.1], LEVEL)
    assert verdict.verdict == "undecided"
    assert verdict.trials_to_decide is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (([3], [10], [np.nan], [0.0]), "no number between 0 and 1"),
        (([3], [10], [0.5], [np.nan]), "no number between 0 and 1"),
        (([3], [10], [1.5], [0.0]), "no number between 0 and 1"),
        (([11], [10], [0.5], [0.0]), "more successes than trials"),
        (([0], [0], [0.5], [0.0]), "no trials"),
        (([], [], [], []), "no points"),
        (([1, 2], [10], [0.5], [0.0]), "different lengths"),
    ],
)
def test_what_cannot_be_judged(values, words):
    with pytest.raises(ValueError, match=words):
        PanelPoints(*(np.array(column) for column in values))


def test_points_of_one_panel_have_equal_trials():
    panel = PanelPoints(np.array([1, 1]), np.array([10, 20]), np.full(2, 0.1), np.zeros(2))
    with pytest.raises(ValueError, match="different numbers of trials"):
        judge([panel], [0.1], LEVEL)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("verdicts_alone")
@few(1, ("bias", "power"), [(0.05, 0.95), (0.03, 0.5)])
def test_power_at_the_papers_trials(bias, power):
    """A bias of a few per cent of one panel of 81 points, 100 trials each, among 19 panels."""
    rng = np.random.default_rng(2)
    references = [np.full(81, 0.6), *rates(rng, panels=18, points=1)]
    found = 0
    for _ in range(40):
        family = [drawn(rng, 100, references[0], bias=bias)]
        family += [drawn(rng, 100, reference) for reference in references[1:]]
        found += judge(family, [0.1] * 19, LEVEL)[0].verdict == "differs"
    assert found / 40 > power
