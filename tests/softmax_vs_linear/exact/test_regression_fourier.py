"""Sums of uniform entries: against an inversion integral, a known law, and other grids."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention_separation.softmax_vs_linear.exact.regression_columns import weights
from attention_separation.softmax_vs_linear.exact.regression_fourier import UniformSums
from attention_separation.softmax_vs_linear.exact.regression_moments import moments
from attention_separation.softmax_vs_linear.models.regression import LOWER, UPPER


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
