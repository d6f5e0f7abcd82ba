"""Curves over the threshold of softmax regression, by enumeration."""

import itertools
import math

import numpy as np
import pytest

from attention_separation.softmax_vs_linear.exact.regression_curves import equal_entries_curve
from attention_separation.softmax_vs_linear.models.regression import LEVELS, U, normalise


@pytest.mark.parametrize("kernel", ["exp", "linear"])
def test_regression_with_equal_entries_by_enumeration(kernel):
    n, m, level = 8, 2, LEVELS["middle"]
    found = equal_entries_curve(n, m, level, kernel)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    z = math.log(n) * np.where(np.arange(n) == 3, [[level], [4.0]], level)
    zero, one = (y @ normalise(U[kernel](row)) for row in z)
    for tau in np.linspace(0.011, 0.99, 40):
        none = (zero <= tau).mean() ** m - ((zero <= tau) & (one <= tau)).mean() ** m
        assert found.at(tau) == pytest.approx(none, abs=1e-12), tau
