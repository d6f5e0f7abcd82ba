"""Reference values of the regression model against enumeration, simulation and limits."""

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import config_points, point, run_trials
from scipy.stats import binom, binomtest

from attention_separation.attention.fair_coins import likely_heads
from attention_separation.softmax_vs_linear.exact.regression_columns import TwoPointSums, weights
from attention_separation.softmax_vs_linear.exact.regression_fourier import UniformSums
from attention_separation.softmax_vs_linear.exact.regression_moments import Moments, moments
from attention_separation.softmax_vs_linear.exact.regression_probabilities import (
    FEWEST,
    _mean_power,
    reference,
)
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.models.regression import (
    LOWER,
    SPECIAL,
    UPPER,
    U,
    entries,
    normalise,
)
from attention_separation.softmax_vs_linear.models.success import exceeds
from attention_separation.statistics.panel_points import PanelPoints
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.statistics.verdict import point_p_values

TAUS = st.sampled_from([1e-6, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6])
DATA = st.sampled_from(["independent", "same"])
SIGMAS = 6.0
"""A normal variable is further off with probability 2e-9."""


def columns(n):
    """All 2^n sign columns, (2^n, n)."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def zero(u, kernel, tau):
    """Which columns leave a network zero, (data, 2^n), for entries u of A x over log n; j = 0."""
    n = u.shape[1]
    f = normalise(U[kernel](math.log(n) * u))
    return ~exceeds(f @ columns(n).T, tau, 1.0)


def on_d1(u):
    u = u.copy()
    u[:, 0] = SPECIAL
    return u


def quantities(d0, d1, tau, pairs):
    """QUANTITIES given the data, (5, data); or for all pairs of data sets, (5, of D0, of D1)."""
    lin_d1, exp_d0, lin_d0 = (
        zero(u, kernel, tau).astype(float)
        for kernel, u in (("linear", d1), ("exp", d0), ("linear", d0))
    )
    plus = columns(d0.shape[1])[:, 0] > 0
    if pairs:
        good = [2 * (lin_d0 * exp_d0 * of) @ lin_d1.T / len(plus) for of in (plus, ~plus)]
        each = [lin_d1.mean(axis=1)[None], exp_d0.mean(axis=1)[:, None]]
        each.append(lin_d0.mean(axis=1)[:, None])
    else:
        good = [(lin_d0 * exp_d0 * lin_d1)[:, of].mean(axis=1) for of in (plus, ~plus)]
        each = [part.mean(axis=1) for part in (lin_d1, exp_d0, lin_d0)]
    return np.stack(np.broadcast_arrays(*good, *each))


def means(found, m, shares):
    """P(E_success) with shared and with fresh signs, and P(no column makes a network positive)."""
    plus, minus, lin_d1, exp_d0, lin_d0 = found
    shared = ((plus + minus) / 2) ** m - (minus / 2) ** m
    fresh = (1 - 0.5**m) * (lin_d1 * exp_d0 * lin_d0) ** m
    return [float((x * shares).sum()) for x in (shared, fresh, lin_d1**m, exp_d0**m, lin_d0**m)]


@settings(max_examples=30)
@given(n=st.integers(2, 6), tau=TAUS, data=DATA)
def test_two_point_moments_against_enumeration_of_all_data(n, tau, data):
    """Means, and the covariances of the projection on single coordinates, from its definition."""
    d0 = np.array(list(itertools.product([LOWER, UPPER], repeat=n)))
    independent = data == "independent"
    d1 = on_d1(d0)[: 2 ** (n - 1)] if independent else on_d1(d0)
    entries_drawn = 2 * n - 1 if independent else n
    found = quantities(d0, d1, tau, independent).reshape(5, *[2] * entries_drawn)
    axes = range(1, entries_drawn + 1)
    mean = found.mean(axis=tuple(axes))
    covariance = np.zeros((5, 5))
    for own in range(1, n + 1):
        kept = {own, own + n - 1} if independent and own > 1 else {own}
        given_own = found.mean(axis=tuple(set(axes) - kept)).reshape(5, -1) - mean[:, None]
        covariance += given_own @ given_own.T / given_own.shape[1]
    got = moments(TwoPointSums(n, tau), data)
    np.testing.assert_allclose(got.mean, mean, atol=1e-13)
    np.testing.assert_allclose(got.covariance, covariance, atol=1e-14)
    for k, (kernel, dataset) in enumerate(PAPERS.networks[1:], start=2):
        given_data, share = TwoPointSums(n, tau).zero_given_data(kernel, dataset)
        assert share @ given_data == pytest.approx(mean[k], abs=1e-13)
        assert share @ given_data**2 == pytest.approx((found[k] ** 2).mean(), abs=1e-13)


def weight(kernel, n, upper, lower):
    """Of so many entries UPPER and so many LOWER."""
    return weights(kernel, n, UPPER) * upper + weights(kernel, n, LOWER) * lower


def zero_shares(first, second, is_zero):
    """P(is_zero) of the numbers of heads of two sets of fair coins."""
    heads, others = np.arange(first + 1)[:, None], np.arange(second + 1)
    share = binom.pmf(heads, first, 0.5) * binom.pmf(others, second, 0.5)
    return float((share * is_zero(heads, others)).sum())


TWO_POINT_CASES = [(40, 0.1), (300, 0.05), (300, 0.25)]


@pytest.mark.parametrize(("n", "tau"), TWO_POINT_CASES)
def test_two_point_sums_given_pluses_against_sums_over_all_data(n, tau):
    pluses = np.arange(0, n, 5)
    offsets = {"linear": np.array([-2.4, 0.0, 5.2]), "exp": np.array([-0.6, 0.0, 1.3])}
    got = TwoPointSums(n, tau).both(pluses, n - 1 - pluses, *offsets.values())

    def is_zero(kernels, p, s, high, others):
        """Given how many pluses and how many minuses are UPPER."""
        sums = [
            (1 - tau) * weight(kernel, n, high, p - high)
            - (1 + tau) * weight(kernel, n, others, n - 1 - p - others)
            + offsets[kernel][s]
            for kernel in kernels
        ]
        return np.all(np.array(sums) <= 1e-12 * n, axis=0)

    for (k, p), s in itertools.product(enumerate(pluses.tolist()), range(3)):
        wanted = [
            zero_shares(p, n - 1 - p, partial(is_zero, kernels, p, s))
            for kernels in (["linear"], ["exp"], ["linear", "exp"])
        ]
        found = [got.linear[k, s], got.exponential[k, s], got.both[k, s]]
        assert found == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize(("n", "tau"), TWO_POINT_CASES)
@pytest.mark.parametrize(("kernel", "dataset"), PAPERS.networks[1:])
def test_two_point_zeros_given_data_against_sums_over_all_signs(n, tau, kernel, dataset):
    zero, _ = TwoPointSums(n, tau).zero_given_data(kernel, dataset)
    numbers, _ = likely_heads(n - dataset)

    def is_zero(upper, lower, special, high, low):
        """Given how many of the UPPER and how many of the LOWER have a plus."""
        plus, minus = weight(kernel, n, high, low), weight(kernel, n, upper - high, lower - low)
        return (1 - tau) * plus - (1 + tau) * minus + special <= 1e-12 * n

    for upper, found in list(zip(numbers.tolist(), zero, strict=True))[::7]:
        lower = n - dataset - upper
        specials = SPECIAL * (np.array([-1, 1]) - tau) if dataset else [0]
        wanted = [zero_shares(upper, lower, partial(is_zero, upper, lower, x)) for x in specials]
        assert found == pytest.approx(np.mean(wanted), abs=1e-13)


@pytest.mark.parametrize("data", ["independent", "same"])
@pytest.mark.parametrize("tau", [1e-6, 0.25, 0.45])
def test_two_point_success_within_the_stated_error(tau, data):
    """All data and all signs at the smallest n for which an error is stated."""
    n = FEWEST
    d0 = np.array(list(itertools.product([LOWER, UPPER], repeat=n)))
    if data == "independent":
        # Of D1 one data set for each number of UPPER entries; of D0 all.
        upper = np.arange(n)
        d1 = on_d1(np.where(upper <= upper[:, None], UPPER, LOWER))
        shares = np.broadcast_to(binom.pmf(upper, n - 1, 0.5) / 2**n, (2**n, n))
    else:
        # One for each entry at j and number of UPPER entries among the others.
        upper = np.arange(n)
        d0 = np.tile(np.where(upper <= upper[:, None], UPPER, LOWER), (2, 1))
        d0[:n, 0], d0[n:, 0] = LOWER, UPPER
        d1, shares = on_d1(d0), np.tile(binom.pmf(upper, n - 1, 0.5) / 2, 2)
    found = quantities(d0, d1, tau, data == "independent")
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
    """All signs of 12 coordinates for 5000 data sets. False-alarm budget 1e-6 for the 12 means."""
    n, draws = FEWEST, 5000
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
    assert se.max() < 1e-3
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
        [zero(on_d1(u) if dataset else u, kernel, tau)[0] for kernel, dataset in PAPERS.networks]
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


def test_equal_entries_at_a_tie():
    """At n = 200 a score equals tau at 125 pluses, which does not exceed it."""
    got = reference(point("regression", n=200, m=7, tau=0.25, law="high"))
    assert got.events[3] == pytest.approx(binom.cdf(125, 200, 0.5) ** 7, rel=1e-11)


ERROR_OF_THE_EXPANSION = 1e-3


def test_an_expansion_that_is_off_by_a_thousandth():
    """Few entries, many columns, all of lattice sums: single networks need the sum over all data.

    To second order alone P(F_lin(D0) = 0) is so far off, which a simulation shows.
    """
    n, m, tau = 20, 30, 0.3
    of = moments(TwoPointSums(n, tau), "independent")
    got = reference(point("regression", n=n, m=m, tau=tau, law="two-point"))
    for network, exact in enumerate(got.events[1:]):
        expanded, estimate = _mean_power(of, np.eye(5)[2 + network][None], m)
        assert abs(expanded - exact) < estimate
    assert got.events[3] - expanded > ERROR_OF_THE_EXPANSION


def zero_given_entries(u, kernel, tau, dataset):
    """P(a column leaves a network zero) given entries u (data, n) of A x over log n: by the
    inversion integral of its characteristic function, a product of cosines."""
    n = u.shape[1]
    w = weights(kernel, n, u)
    if dataset:
        w[:, 0] = weights(kernel, n, np.array(SPECIAL))
    w /= np.sqrt((w**2).mean())
    limit = tau * w.sum(axis=1)
    step = np.pi / (10 * math.sqrt(n))
    zero = np.full(len(w), 0.5)
    # Cosines of equal steps from the two before: cos(x + h) = 2 cos(h) cos(x) - cos(x - h).
    twice, cosines = 2 * np.cos(w * step), np.cos(w * step / 2)
    before = cosines.copy()
    for k in range(int(7.5 / step)):
        zero += cosines.prod(axis=1) * np.sin((k + 0.5) * step * limit) / ((k + 0.5) * np.pi)
        before, cosines = cosines, twice * cosines - before
    return zero


def test_the_inversion_that_judges_by_enumeration():
    u = entries(np.random.default_rng(8).random((6, 14)), "uniform")
    for kernel, dataset in PAPERS.networks[1:]:
        wanted = zero(on_d1(u) if dataset else u, kernel, 0.3).mean(axis=1)
        assert zero_given_entries(u.copy(), kernel, 0.3, dataset) == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize(
    ("n", "m", "tau"),
    [(50, 10, 0.2), (50, 30, 0.3), (50, 100, 0.3), (70, 100, 0.3), (100, 9, 0.25)],
)
def test_errors_of_events_over_sampled_uniform_data(n, m, tau):
    """E x^m over 4,000 data sets, x exact given the data. What x differs by from its mean enters
    to first order with a known mean of 0 and is taken off: what is left has the expansion's own
    size. False-alarm budget 2e-9 for each comparison."""
    u = entries(np.random.default_rng([9, n, m]).random((4000, n)), "uniform")
    of = moments(UniformSums(n, tau), "independent")
    got = reference(point("regression", n=n, m=m, tau=tau))
    for network, (kernel, dataset) in enumerate(PAPERS.networks[1:], start=1):
        x, mean = zero_given_entries(u.copy(), kernel, tau, dataset), of.mean[1 + network]
        power = x**m - m * mean ** (m - 1) * (x - mean)
        se = power.std() / math.sqrt(len(power))
        error = got.event_errors[network]
        assert abs(power.mean() - got.events[network]) <= error + SIGMAS * se
        # Neither the estimate nor the sampling error is so large as to say nothing.
        assert error + SIGMAS * se < 2e-3


CASES = [
    ("uniform", "independent", "shared", 100, 4, 0.25),
    ("uniform", "same", "fresh", 100, 4, 0.15),
    ("two-point", "independent", "shared", 110, 3, 0.25),
    ("two-point", "same", "shared", 64, 2, 0.25),
    ("low", "independent", "shared", 104, 4, 0.25),
]
HARD_CASES = [
    ("two-point", "independent", "shared", 20, 30, 0.3),
    ("two-point", "same", "shared", 20, 30, 0.3),
    ("two-point", "independent", "fresh", 13, 10, 0.25),
    ("uniform", "independent", "shared", 50, 30, 0.2),
    ("uniform", "same", "fresh", 50, 10, 0.15),
]
"""Few entries and many columns: the expansion is at its worst. One test each of a reference value
and its four events."""


@pytest.mark.parametrize(("law", "data", "signs", "n", "m", "tau"), CASES)
def test_against_simulation(law, data, signs, n, m, tau):
    """False-alarm budget 1e-6 for the five cases of five binomial tests each."""
    p = point("regression", n=n, m=m, tau=tau, law=law, data=data, signs=signs)
    positive = np.concatenate(
        [
            run_trials("reduced", p, BlockStreams(6, "exact", p.name, block), 5000)
            for block in range(20)
        ]
    )
    got = reference(p)
    assert got.error < 2e-4
    counts = [PAPERS.success(positive).sum(), *PAPERS.happened(positive).sum(axis=0)]
    for count, probability in zip(counts, [got.success, *got.events], strict=True):
        assert binomtest(int(count), len(positive), probability).pvalue > 1e-6 / 25


@pytest.mark.parametrize(("law", "data", "signs", "n", "m", "tau"), HARD_CASES)
def test_hard_cases_against_simulation(law, data, signs, n, m, tau):
    """Off by no more than the estimated errors. False-alarm budget 1e-6 for the five cases."""
    p = point("regression", n=n, m=m, tau=tau, law=law, data=data, signs=signs)
    positive = np.concatenate(
        [
            run_trials("reduced", p, BlockStreams(7, "hard", p.name, block), 5000)
            for block in range(40)
        ]
    )
    got = reference(p)
    assert max(got.error, *got.event_errors) < 5e-3
    counts = np.array([PAPERS.success(positive).sum(), *PAPERS.happened(positive).sum(axis=0)])
    values, errors = (got.success, *got.events), (got.error, *got.event_errors)
    found = PanelPoints(
        counts, np.full(5, len(positive)), np.clip(values, 0.0, 1.0), np.array(errors)
    )
    assert (point_p_values(found) > 1e-6 / 25).all()


def test_the_stated_error_over_figure_3():
    of = config_points("fig3a") + config_points("fig3b")
    assert len(of) == 291
    found = [reference(p) for p in of]
    assert max(max(got.error, *got.event_errors) for got in found) < 1e-5
    assert all(got.event_errors[0] == 0 for got in found)
    for p, got in zip(of, found, strict=True):
        # No network alone is likelier to be right than all of them, and a union bound.
        assert got.success <= min(got.events) + got.error
        assert got.success >= sum(got.events) - 3 - got.error
        assert got.events[0] == pytest.approx(1 - 0.5**p.m, abs=1e-15)


@pytest.mark.parametrize("data", ["independent", "same"])
@pytest.mark.parametrize(("n", "tau"), [(12, 0.25), (30, 0.05), (100, 0.25)])
def test_a_finer_grid_changes_nothing_beyond_the_stated_error(n, tau, data):
    default = moments(UniformSums(n, tau), data)
    finer = moments(UniformSums(n, tau, reach=10.0, cut=10.0, nodes=10), data)
    coarse = moments(UniformSums(n, tau, reach=4.0, cut=4.0), data)
    assert np.abs(default.mean - finer.mean).max() <= default.error < 1e-5
    # Where there is something to see, the statement holds too.
    assert 1e-9 < np.abs(coarse.mean - finer.mean).max() <= coarse.error < 0.01


@pytest.mark.parametrize("coarse", [{"cut": 3.0}, {"reach": 3.0}])
def test_errors_of_a_coarse_grid_are_stated(coarse):
    pluses = np.arange(50, 74)
    x, y = np.array([-0.5, 0.4]), np.array([-0.7, 0.2])

    def found(**grid):
        of = UniformSums(100, 0.25, **grid)
        both = of.both(pluses, 99 - pluses, x, y)
        return (
            (both.both, both.error),
            of.below("linear", pluses, 99 - pluses, x),
            of.below("exp", pluses, 99 - pluses, y),
        )

    for (value, error), (finer, fine_error) in zip(
        found(**coarse), found(reach=9.0, cut=9.0), strict=True
    ):
        assert fine_error < 1e-12
        assert 1e-6 < np.abs(value - finer).max() <= error < 0.05
    if "cut" in coarse:
        (_, joint), *single = found(**coarse)
        assert joint > sum(of.error for of in single) + 1e-6


def test_the_joint_law_of_uniform_sums_by_the_inversion_integral():
    """All pairs of frequencies of a wider and denser grid, each transform from its definition."""
    n, tau = 100, 0.25
    pluses = np.array([59, 61, 62, 64])
    minuses = n - 1 - pluses
    x, y = np.array([-0.5, 0.4, 1.2]), np.array([-0.7, 0.2, -1.5])
    got = UniformSums(n, tau).both(pluses, minuses, x, y)
    nodes, share = np.polynomial.legendre.leggauss(80)
    u = (LOWER + UPPER) / 2 + (UPPER - LOWER) / 2 * nodes
    w = weights("exp", n, u)

    def transforms(phases):
        return [np.exp(1j * size * phases) @ share / 2 for size in (1 - tau, -1 - tau)]

    def wave(of, k, phase):
        return of[0] ** pluses[k] * of[1] ** minuses[k] * np.exp(1j * phase)

    i, j = np.arange(120) + 0.5, np.arange(-120, 120) + 0.5
    a, b = 0.27 * i, 0.05 * j
    of_both = transforms(a[:, None, None] * u + np.multiply.outer(b, w))
    of_each = transforms(np.outer(a, u)), transforms(np.outer(b, w))
    for k, s in np.ndindex(len(pluses), len(x)):
        linear = (wave(of_each[0], k, a * x[s]) / i).imag.sum() * 2 / np.pi
        exponential = (wave(of_each[1], k, b * y[s]) / j).imag.sum() / np.pi
        terms = wave(of_both, k, a[:, None] * x[s] + b * y[s]) / np.outer(i, j)
        signs = -terms.real.sum() * 2 / np.pi**2
        assert got.linear[k, s] == pytest.approx((1 - linear) / 2, abs=1e-11)
        assert got.exponential[k, s] == pytest.approx((1 - exponential) / 2, abs=1e-11)
        assert got.both[k, s] == pytest.approx((1 - linear - exponential + signs) / 4, abs=1e-11)
    assert got.both.min() < 0.3
    assert got.both.max() > 0.7


def irwin_hall(x, terms):
    """P(U_1 + ... + U_terms <= x), U uniform on [0, 1]."""
    x = Fraction(x)
    parts = ((-1) ** k * math.comb(terms, k) * (x - k) ** terms for k in range(math.floor(x) + 1))
    return float(sum(parts) / math.factorial(terms))


@pytest.mark.parametrize(("pluses", "minuses"), [(20, 0), (12, 8), (13, 12)])
def test_linear_sums_of_uniform_entries(pluses, minuses):
    """At tau = 0 a sum is one of uniform variables, with a known law."""
    offsets = LOWER * (minuses - pluses) + np.array([-0.4, 0.0, 0.3, 0.7]) * (UPPER - LOWER)
    got = UniformSums(30, 0.0).below("linear", np.array([pluses]), np.array([minuses]), offsets)
    wanted = [
        irwin_hall(-(x + LOWER * (pluses - minuses)) / (UPPER - LOWER) + minuses, pluses + minuses)
        if -(x + LOWER * (pluses - minuses)) / (UPPER - LOWER) + minuses > 0
        else 0.0
        for x in offsets
    ]
    assert got.probability[0] == pytest.approx(wanted, abs=1e-9)
    if minuses:
        assert min(wanted) > 0.01


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
    nothing = Moments(np.zeros(5), np.zeros((5, 5)), 0.0, 0.0)
    assert _mean_power(nothing, np.eye(5)[2:], m)[0] == 0


@pytest.mark.parametrize("law", ["uniform", "two-point", "middle"])
@pytest.mark.parametrize("signs", ["shared", "fresh"])
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


@settings(max_examples=20)
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
