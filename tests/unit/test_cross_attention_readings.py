"""Readings of Definition F.1: distinct rows against n x n attention over literal tokens."""

import itertools
import math

import numpy as np
import pytest
from attention_separation.softmax_vs_linear.attention import KERNELS, attention
from attention_separation.softmax_vs_linear.cross_attention_readings import (
    IN_A1_ALONE,
    IN_BOTH,
    TAKEN,
    common_score,
)
from making import config_points, point

from attention_separation.softmax_vs_linear import attention_exact, cross_attention
from attention_separation.softmax_vs_linear.success import NETWORKS

READINGS = {
    "taken": TAKEN, "in A1 alone": IN_A1_ALONE, "in both": IN_BOTH, "v = 0.1": common_score(0.1),
    "v = 2": common_score(2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_largest_scores_are_those_of_dense_attention(name, kernel, dataset):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=1.2)
    j2, j3 = 7, 6
    a1, a2 = READINGS[name].tokens(p.n, p.d, p.a(dataset), j2, j3)
    c = attention(a1, a2, a2, np.eye(p.d), np.eye(p.d), KERNELS[kernel])
    found = READINGS[name].rows(p, dataset, KERNELS[kernel]).largest_scores()
    marked = cross_attention.special_class(j3, p.d)
    for y in itertools.product([-1.0, 1.0], repeat=p.d):
        pluses = sum(sign > 0 for k, sign in enumerate(y[1:]) if k != marked)
        state = int(y[0] > 0), 0, int(y[1 + marked] > 0), pluses
        assert found[state] == pytest.approx((c @ y).max(), abs=1e-12)


def test_the_reading_taken_is_that_of_cross_attention():
    p = point("cross_attention", n=20, d=6, m=1, a0=0.3, a1=1.2)
    own = TAKEN.tokens(p.n, p.d, 1.2, 3, 4)
    for one, other in zip(own, cross_attention.tokens(p.n, p.d, 1.2, 3, 4), strict=True):
        np.testing.assert_array_equal(one, other)
    for kernel in KERNELS.values():
        np.testing.assert_allclose(
            TAKEN.rows(p, 1, kernel).largest_scores(),
            cross_attention.rows(p, 1, kernel).largest_scores(),
            atol=1e-13,
        )


def test_with_log_n_in_a1_alone_no_score_exceeds_2():
    """Why this reading is not measured with tau as it is: P(E_success) is 0 from n = 140 on."""
    assert 0.9 * math.sqrt(math.log(139)) < 2 < 0.9 * math.sqrt(math.log(140))
    for letter in "abcde":
        points = config_points(f"fig7{letter}")
        for p in points[::8]:
            rows = [IN_A1_ALONE.rows(p, dataset, KERNELS[kernel]) for kernel, dataset in NETWORKS]
            assert max(row.largest_scores().max() for row in rows) <= 2 + 1e-12
        found = attention_exact.references(points, attention_exact.from_rows(IN_A1_ALONE.rows))
        assert [each.success for each in found] == [0.0] * len(points)
