"""Sums of two-point entries against sums over all data and all signs."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from attention_separation.attention.sign_columns import likely_heads
from attention_separation.softmax_vs_linear.exact.regression_columns import TwoPointSums, weights
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.models.regression import LOWER, SPECIAL, UPPER


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
