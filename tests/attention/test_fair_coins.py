"""The law of heads of fair coins, against SciPy's."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from attention_separation.attention.fair_coins import heads, likely_heads


@pytest.mark.parametrize("coins", [0, 1, 2, 7, 64, 1001, 10**5])
def test_all_numbers_of_heads(coins):
    law = heads(coins)
    numbers = np.arange(coins + 1)
    np.testing.assert_allclose(law, binom.pmf(numbers, coins, 0.5), rtol=1e-9, atol=1e-15)
    assert math.isclose(law.sum(), 1, rel_tol=1e-14)


def test_the_likely_numbers_of_heads():
    numbers, law = likely_heads(10**6)
    assert len(numbers) < 15_000
    np.testing.assert_allclose(law, binom.pmf(numbers, 10**6, 0.5), rtol=1e-8)
    assert 2 * binom.cdf(numbers[0] - 1, 10**6, 0.5) < 1e-20
    np.testing.assert_array_equal(likely_heads(3)[1], [1 / 8, 3 / 8, 3 / 8, 1 / 8])
    np.testing.assert_array_equal(likely_heads(0), [[0], [1]])


def test_nobody_can_change_a_law_that_others_read():
    with pytest.raises(ValueError, match="read-only"):
        heads(5)[0] = 1.0
