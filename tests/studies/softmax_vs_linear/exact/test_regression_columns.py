"""Sums of two-point and of uniform entries, and their moments over the data: against sums over all
data and all signs, an inversion integral, a known law, and other grids."""

import itertools
from functools import partial

import numpy as np
import pytest
from enumerated_columns import DATA, on_d1, quantities
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from attention_separation.studies.softmax_vs_linear.exact.regression_columns import (
    TwoPointSums,
    UniformSums,
    weights,
)
from attention_separation.studies.softmax_vs_linear.exact.regression_probabilities import moments
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.models.regression import LOWER, UPPER


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


@given(
    data=st.sampled_from(["independent", "same"]),
    case=st.sampled_from([(12, 0.25), (60, 0.05)]),
)
def test_a_finer_grid_changes_nothing_beyond_the_stated_error(case, data):
    n, tau = case
    default = moments(UniformSums(n, tau), data)
    finer = moments(UniformSums(n, tau, reach=10.0, cut=10.0, nodes=10), data)
    coarse = moments(UniformSums(n, tau, reach=4.0, cut=4.0), data)
    assert np.abs(default.mean - finer.mean).max() <= default.error < 1e-5
    # Where there is something to see, the statement holds too.
    assert 1e-9 < np.abs(coarse.mean - finer.mean).max() <= coarse.error < 0.01


@given(
    coarse=st.sampled_from([{"reach": 3.0}, {"cut": 2.5}, {"cut": 4.0}]),
    case=st.sampled_from([(30, 0.05), (100, 0.25), (400, 0.1)]),
)
def test_each_stated_error_of_an_inversion_covers_what_its_grid_misses(case, coarse):
    """One grid that is too short, or too coarse: every law is off by something, and no more."""
    n, tau = case
    pluses = np.arange(n)
    minuses = n - 1 - pluses
    linear, exponential = np.array([-0.5, 0.4, 1.2]), np.array([-0.7, 0.2, -1.5])
    fine = {"reach": 10.0, "cut": 10.0, "nodes": 10}
    finer, rough = UniformSums(n, tau, **fine), UniformSums(n, tau, **fine | coarse)
    errors = []
    for kernel, offsets in (("linear", linear), ("exp", exponential)):
        wanted = finer.below(kernel, pluses, minuses, offsets)
        found = rough.below(kernel, pluses, minuses, offsets)
        assert 1e-8 < np.abs(found.probability - wanted.probability).max() <= found.error
        errors.append(found.error)
    wanted = finer.both(pluses, minuses, linear, exponential)
    found = rough.both(pluses, minuses, linear, exponential)
    assert 1e-8 < np.abs(found.both - wanted.both).max() <= found.error
    # Those of both sums, and what its own grid cuts off.
    assert found.error > sum(errors) if "cut" in coarse else found.error >= sum(errors)


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


TAUS = st.sampled_from([1e-6, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6])


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
    for k, (kernel, dataset) in enumerate(CONTEST_OF_PAPER.networks[1:], start=2):
        given_data, share = TwoPointSums(n, tau).zero_given_data(kernel, dataset)
        assert share @ given_data == pytest.approx(mean[k], abs=1e-13)
        assert share @ given_data**2 == pytest.approx((found[k] ** 2).mean(), abs=1e-13)
