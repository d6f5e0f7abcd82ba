"""The bound on linear attention: against other ways to it, and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi2, ncx2, norm

from attention_separation.needle.bayes import best_accuracy as bayes
from attention_separation.needle.kernel_limits import linear_accuracy


@given(mu=st.sampled_from([0.3, 1.0, 3.0, 5.0, 8.0]))
def test_of_two_tokens_it_is_the_likelihood_ratio(mu):
    """Their sum and sum of squares are the unordered pair."""
    assert linear_accuracy(mu, 2).value == pytest.approx(bayes(mu, 2).value, abs=1e-10)


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
