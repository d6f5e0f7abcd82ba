"""Moments over the data against enumeration of all data and all sign columns."""

import itertools

import numpy as np
import pytest
from enumerated_columns import DATA, on_d1, quantities
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_separation.softmax_vs_linear.exact.regression_columns import TwoPointSums
from attention_separation.softmax_vs_linear.exact.regression_moments import moments
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.models.regression import LOWER, UPPER

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
    for k, (kernel, dataset) in enumerate(PAPERS.networks[1:], start=2):
        given_data, share = TwoPointSums(n, tau).zero_given_data(kernel, dataset)
        assert share @ given_data == pytest.approx(mean[k], abs=1e-13)
        assert share @ given_data**2 == pytest.approx((found[k] ** 2).mean(), abs=1e-13)
