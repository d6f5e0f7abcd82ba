"""The best possible detector, and the bound on linear attention: against integrals and limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi2, ncx2, norm

from attention_separation.needle.bayes import best_accuracy, log1p
from attention_separation.needle.kernel_limits import linear_accuracy


@given(mu=st.sampled_from([0.2, 1.0, 3.0, 5.0, 7.0]))
def test_two_tokens_by_an_integral(mu):
    """E(1 - (X1 + X2) / 2)^+, the inner integral in closed form."""

    def shortfall(z):
        left = 1 - np.exp(mu * z - mu * mu / 2) / 2
        edge = (np.log(2 * left) + mu * mu / 2) / mu
        return norm.pdf(z) * (left * norm.cdf(edge) - norm.cdf(edge - mu) / 2)

    end = (np.log(2) + mu * mu / 2) / mu
    whole = quad(shortfall, max(-12, end - 30), end, limit=500, epsabs=1e-12)[0]
    assert best_accuracy(mu, 2).value == pytest.approx(0.5 + whole / 2, abs=1e-9)


@pytest.mark.parametrize(("mu", "n"), [(0.5, 10**6), (1.0, 10**9), (0.1, 10**4)])
def test_where_the_mean_is_normal(mu, n):
    """L is 1 + N(0, (e^(mu^2) - 1) / n), so E(1 - L)^+ its standard deviation over sqrt(2 pi)."""
    wanted = np.sqrt(np.expm1(mu * mu) / n / (2 * np.pi)) / 2
    assert best_accuracy(mu, n).value - 0.5 == pytest.approx(wanted, rel=1e-3)


@settings(max_examples=10)
@given(mu=st.floats(0.1, 10), exponent=st.floats(0.3, 15))
def test_a_finer_grid_moves_it_by_little(mu, exponent):
    found = best_accuracy(mu, round(10**exponent))
    assert 0.5 <= found.value <= 1 + 1e-9
    assert found.error < 1e-8


def test_log1p_of_complex_numbers():
    z = np.array([1e-12 + 1e-13j, 1e-6j, 0.5 - 2j, -1.5 + 0.1j, -0.999 + 1e-9j])
    np.testing.assert_allclose(np.exp(log1p(z)), 1 + z, rtol=1e-7)
    assert log1p(z[:1])[0] == pytest.approx(z[0], rel=1e-11)
    # Of 0 it is that of a number that is next to nothing beside 1.
    assert -np.inf < log1p(np.array([-1.0 + 0j]))[0].real < np.log(1e-7)


# Linear attention.


@given(mu=st.sampled_from([0.3, 1.0, 3.0, 5.0, 8.0]))
def test_of_two_tokens_it_is_the_likelihood_ratio(mu):
    """Their sum and sum of squares are the unordered pair."""
    assert linear_accuracy(mu, 2).value == pytest.approx(best_accuracy(mu, 2).value, abs=1e-10)


@given(case=st.sampled_from([(2.0, 3), (4.0, 40), (5.0, 300), (1.0, 7)]))
def test_by_an_integral_of_scipys_laws(case):
    """E of (ratio - 1)^+ under D0, for each sum of squares the best threshold of the sum."""
    mu, n = case
    shift, k, lam = mu / np.sqrt(n), n - 1, mu * mu * (1 - 1 / n)

    def gain(v):
        of_d0, of_d1 = chi2.pdf(v, k), ncx2.pdf(v, k, lam)
        t = shift / 2 - np.log(of_d1 / of_d0) / shift
        return of_d1 * norm.sf(t - shift) - of_d0 * norm.sf(t)

    start = max(k - 12 * np.sqrt(2 * k), 0)
    end = k + lam + 12 * np.sqrt(2 * (k + 2 * lam)) + 60
    wanted = 0.5 + 0.5 * quad(gain, start, end, points=[k, k + lam], limit=400, epsabs=1e-10)[0]
    assert linear_accuracy(mu, n).value == pytest.approx(wanted, abs=1e-8)


def test_where_n_is_large_both_sums_are_normal():
    for mu, n in ((5.0, 10**7), (8.0, 10**9), (5.0, 10**15)):
        squared = mu**2 / n + mu**4 / (2 * n)
        wanted = norm.cdf(np.sqrt(squared) / 2) - 0.5
        found = linear_accuracy(mu, n)
        assert found.value - 0.5 == pytest.approx(wanted, rel=0.01)
        assert found.error < 1e-9
