"""Clopper-Pearson intervals."""

import pytest
from scipy.stats import binomtest

from attention_separation.statistics.counts import clopper_pearson


@pytest.mark.parametrize("trials", [1, 7, 100, 10**6])
def test_against_scipy(trials):
    for k in {0, 1, trials // 3, trials - 1, trials}:
        low, high = clopper_pearson(k, trials)
        expected = binomtest(k, trials).proportion_ci(0.95, "exact")
        assert low == pytest.approx(expected.low, abs=1e-9)
        assert high == pytest.approx(expected.high, abs=1e-9)


def test_no_and_all_successes_reach_the_edge():
    low, high = clopper_pearson([0, 10], 10)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 10))


@pytest.mark.parametrize(
    ("k", "n", "level"), [(-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (1, 5, 1.0)]
)
def test_impossible_counts_are_errors(k, n, level):
    with pytest.raises(ValueError, match="must"):
        clopper_pearson(k, n, level)
