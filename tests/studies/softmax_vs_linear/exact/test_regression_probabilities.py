"""Reference values of the regression model against enumeration, simulation and limits."""

import itertools
import math

import numpy as np
import pytest
from enumerated_columns import DATA, on_d1, quantities, zero
from hypothesis import given, settings
from hypothesis import strategies as st
from making import config_points, point, run_trials
from scipy.stats import binom

from attention_separation.statistics.goodness_of_fit import PanelPoints
from attention_separation.statistics.panel_agreement import point_p_values
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.exact.regression_columns import UniformSums
from attention_separation.studies.softmax_vs_linear.exact.regression_probabilities import (
    FEWEST_TOKENS,
    Moments,
    _mean_power,
    _success,
    moments,
    reference,
)
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.models.regression import LOWER, UPPER, entries

SIGMAS = 6.0
"""A normal variable is further off with probability 2e-9."""


def means(found, m, shares):
    """P(E_success) with shared and with fresh signs, and P(no column makes a network positive)."""
    plus, minus, lin_d1, exp_d0, lin_d0 = found
    shared = ((plus + minus) / 2) ** m - (minus / 2) ** m
    fresh = (1 - 0.5**m) * (lin_d1 * exp_d0 * lin_d0) ** m
    return [float((x * shares).sum()) for x in (shared, fresh, lin_d1**m, exp_d0**m, lin_d0**m)]


def two_point_data(n, data):
    """D0 and D1, (data, n) each, and the probability of each pair: of all pairs that differ by the
    order of coordinates, but for the special one, which is the first, there is one."""
    d0, d1, shares = [], [], []
    # How many entries are UPPER in D1, and of D0 among those and among the others.
    for upper in range(n):
        of_d1 = [UPPER] * upper + [LOWER] * (n - 1 - upper)
        for both, alone in itertools.product(range(upper + 1), range(n - upper)):
            of_d0 = [UPPER] * both + [LOWER] * (upper - both)
            of_d0 += [UPPER] * alone + [LOWER] * (n - 1 - upper - alone)
            share = binom.pmf(upper, n - 1, 0.5)
            if data == "same":
                share *= of_d0 == of_d1
            else:
                share *= binom.pmf(both, upper, 0.5) * binom.pmf(alone, n - 1 - upper, 0.5)
            for first in (LOWER, UPPER):
                d0.append([first, *of_d0])
                d1.append([first, *of_d1])
                shares.append(share / 2)
    is_possible = np.array(shares) > 0
    return np.array(d0)[is_possible], np.array(d1)[is_possible], np.array(shares)[is_possible]


@pytest.mark.parametrize(("data", "tau"), [("independent", 0.25), ("same", 0.45), ("same", 1e-6)])
def test_two_point_success_within_the_stated_error(tau, data):
    """All data and all signs at the smallest n for which an error is stated."""
    n = FEWEST_TOKENS
    d0, d1, shares = two_point_data(n, data)
    assert shares.sum() == pytest.approx(1)
    found = quantities(d0, on_d1(d1), tau, pairs=False)
    for m in (1, 2, 3, 5, 10, 30):
        truth = means(found, m, shares)
        for signs, wanted in zip(("shared", "fresh"), truth, strict=False):
            p = point("regression", n=n, m=m, tau=tau, law="two-point", data=data, signs=signs)
            got = reference(p)
            assert abs(got.success - wanted) <= got.error < 0.02
            # Single networks' probabilities are sums over all data.
            assert got.events == pytest.approx((1 - 0.5**m, *truth[2:]), abs=1e-12)
            assert got.event_errors == (0, 1e-12, 1e-12, 1e-12)


@pytest.mark.parametrize(("tau", "data"), [(0.1, "independent"), (0.25, "same")])
def test_uniform_against_sampled_data(tau, data):
    """All signs of 12 coordinates for 2000 data sets. False-alarm budget 1e-6 for the 12 means."""
    n, draws = FEWEST_TOKENS, 2000
    rng = np.random.default_rng(20)
    found = []
    for _ in range(draws // 1000):
        d0 = entries(rng.random((1000, n)), "uniform")
        d1 = d0 if data == "same" else entries(rng.random((1000, n)), "uniform")
        found.append(quantities(d0, on_d1(d1), tau, pairs=False))
    found = np.concatenate(found, axis=1)
    se = found.std(axis=1) / math.sqrt(draws)
    got = moments(UniformSums(n, tau), data)
    assert (np.abs(found.mean(axis=1) - got.mean) <= got.error + SIGMAS * se).all()
    assert se.max() < 1.6e-3
    success = (found[0] / 2).mean()
    at = reference(point("regression", n=n, m=1, tau=tau, data=data))
    assert abs(success - at.success) <= at.error + SIGMAS * se[0] / 2
    assert at.error < 1e-5
    assert np.allclose(at.event_errors[1:], got.error, rtol=0.1, atol=0)
    unstated = reference(point("regression", n=n, m=2, tau=tau, data=data))
    assert (unstated.error, *unstated.event_errors) == (1, 0, 1, 1, 1)
    # The projection on single coordinates never has more than all of the variance.
    assert (got.covariance.diagonal() < 1.3 * found.var(axis=1)).all()


@settings(max_examples=60)
@given(
    law=st.sampled_from(["low", "middle", "high"]), n=st.integers(2, 9), m=st.integers(1, 4),
    tau=st.sampled_from([1e-6, 0.2, 0.25, 0.5, 0.9, 0.999, 1.5]), data=DATA,
    signs=st.sampled_from(["shared", "fresh"]),
)  # fmt: skip
def test_equal_entries_against_enumeration(law, n, m, tau, data, signs):
    u = entries(np.zeros((1, n)), law)
    flags = ~np.stack(
        [
            zero(on_d1(u) if dataset else u, kernel, tau)[0]
            for kernel, dataset in CONTEST_OF_PAPER.networks
        ]
    )
    none = (1 - flags.mean(axis=1)) ** m
    each = np.array([1 - none[0], *none[1:]])
    good = ~flags[1:].any(axis=0)
    together = good.mean() ** m - (good & ~flags[0]).mean() ** m
    p = point("regression", n=n, m=m, tau=tau, law=law, data=data, signs=signs)
    got = reference(p)
    assert got.success == pytest.approx(together if signs == "shared" else each.prod(), abs=1e-13)
    assert got.events == pytest.approx(each, abs=1e-13)
    assert (got.error, *got.event_errors) == (0,) * 5


def test_hard_cases_against_simulation(subtests):
    """Few entries and many columns: the expansion is at its worst, and off by no more than the
    estimated errors. False-alarm budget 1e-6 for the five cases of five tests each."""
    for law, data, signs, n, m, tau in [
        ("two-point", "independent", "shared", 20, 30, 0.3),
        ("two-point", "same", "shared", 20, 30, 0.3),
        ("two-point", "independent", "fresh", 13, 10, 0.25),
        ("uniform", "independent", "shared", 50, 30, 0.2),
        ("uniform", "same", "fresh", 50, 10, 0.15),
    ]:
        with subtests.test(law=law, data=data, signs=signs, n=n, m=m, tau=tau):
            p = point("regression", n=n, m=m, tau=tau, law=law, data=data, signs=signs)
            streams = [BlockStreams(7, "hard", p.name, block) for block in range(4)]
            positive = np.concatenate([run_trials("reduced", p, each, 5000) for each in streams])
            flags = CONTEST_OF_PAPER.event_flags(positive)
            counts = np.array([flags.all(axis=1).sum(), *flags.sum(axis=0)])
            got = reference(p)
            assert max(got.error, *got.event_errors) < 5e-3
            values, errors = (got.success, *got.events), (got.error, *got.event_errors)
            trials = np.full(5, len(positive))
            found = PanelPoints(counts, trials, np.clip(values, 0.0, 1.0), np.array(errors))
            assert (point_p_values(found) > 1e-6 / 25).all()


@pytest.mark.parametrize("m", [1, 2, 9])
def test_second_order_in_the_data(m):
    """Against the mean itself over data that fluctuate a little."""
    fluctuations = (
        np.random.default_rng(3).normal(size=(5, 5))
        @ np.array(list(itertools.product([-1.0, 1.0], repeat=5))).T
    )
    mean = np.array([0.9, 0.8, 0.95, 0.85, 0.9])
    x = mean[:, None] + 1e-3 * fluctuations
    of = Moments(mean, np.cov(x, bias=True), 0.0, 0.0)
    for which in (np.eye(5)[2:], np.array([[0.5, 0.5, 0, 0, 0]])):
        truth = ((which @ x) ** m).prod(axis=0).mean()
        value, error = _mean_power(of, which, m)
        assert abs(value - truth) <= error / 20 + 1e-9
        assert (error > 1e-8) == (m > 1 or len(which) > 1)


@given(mean=st.sampled_from([0.0, 1e-30, 5e-10, 9.95e-10]))
def test_what_is_taken_for_0_is_as_far_from_it_as_is_said(mean):
    of = Moments(np.full(5, mean), np.zeros((5, 5)), 1e-11, 0.0)
    value, error = _mean_power(of, np.eye(5)[2][None], 1)
    assert value == 0
    # The mean is known to the error of its numerics.
    assert error >= mean + 1e-11
    assert error < 2e-9


@pytest.mark.parametrize("m", [2, 5])
def test_the_error_of_a_difference_of_two_means_has_both(m):
    """Of P(E_success) with shared signs. Here one of the two fluctuates over the data alone."""
    fluctuation = 0.05 * np.array([-1.0, 1.0, 1.0, -1.0])
    for signs_of in ((-1, 1), (1, 1), (1, 0)):
        x = np.full((5, 4), 0.9)
        x[0] = 0.8 + signs_of[0] * fluctuation
        x[1] = 0.7 + signs_of[1] * fluctuation
        of = Moments(x.mean(axis=1), np.cov(x, bias=True), 0.0, 0.0)
        truth = (((x[0] + x[1]) / 2) ** m - (x[1] / 2) ** m).mean()
        value, error = _success(of, point("regression", n=60, m=m))
        assert abs(value - truth) <= error / 2
        assert error > 1e-6
        if signs_of == (-1, 1):
            # Of the first nothing moves, so that all of the error is of the second.
            _, of_second = _mean_power(of, np.array([[0, 0.5, 0, 0, 0]]), m)
            assert error == pytest.approx(of_second, rel=1e-3)


@given(
    law=st.sampled_from(["uniform", "two-point", "middle"]),
    signs=st.sampled_from(["shared", "fresh"]),
)
def test_limits(law, signs):
    values = {"law": law, "signs": signs}
    above_all = reference(point("regression", n=50, m=3, tau=1.0, **values))
    assert (above_all.success, *above_all.events, above_all.error) == (0, 0, 1, 1, 1, 0)
    many = reference(point("regression", n=100, m=10**6, tau=0.25, **values))
    assert many.success + many.error < 0.01
    assert many.events == pytest.approx((1, 0, 0, 0), abs=0.01)
    # Just above 0 a sign column's mirror image or itself exceeds tau.
    low = reference(point("regression", n=1001, m=1, tau=1e-6, **values))
    assert low.events == pytest.approx((0.5, 0.5, 0.5, 0.5), abs=5e-3)
    wide = reference(point("regression", n=2000, m=9, tau=0.25, **values))
    assert wide.success == pytest.approx(1 - 2**-9, abs=1e-12)
    assert wide.error < 1e-12


@settings(max_examples=8)
@given(
    n=st.sampled_from([2, 3, 4, 7, 12, 40, 10**4]), m=st.sampled_from([1, 3, 10**6]),
    law=st.sampled_from(["uniform", "two-point", "low"]), data=DATA,
    tau=st.sampled_from([0.01, 0.3, 0.99, 1 - 1e-9, 1000.0]),
    signs=st.sampled_from(["shared", "fresh"]),
)  # fmt: skip
def test_any_point_has_a_value(n, **values):
    got = reference(point("regression", n=n, **values))
    assert all(0 <= p <= 1 for p in (got.success, *got.events, got.error))
    unknown = values["law"] != "low" and values["tau"] in (0.99, 1 - 1e-9) and n < 13
    assert all(0 <= error <= 1 for error in got.event_errors)
    if unknown:  # F_exp on D1 is not decided by the sign of y_j alone
        assert got.error == got.event_errors[0] == 1


def test_the_stated_error_over_figure_3():
    of = config_points("fig3a") + config_points("fig3b")
    found = [reference(p) for p in of]
    assert max(max(got.error, *got.event_errors) for got in found) < 1e-5
    assert all(got.event_errors[0] == 0 for got in found)
    for p, got in zip(of, found, strict=True):
        # No network alone is likelier to be right than all of them, and a union bound.
        assert got.success <= min(got.events) + got.error
        assert got.success >= sum(got.events) - 3 - got.error
        assert got.events[0] == pytest.approx(1 - 0.5**p.m, abs=1e-15)
