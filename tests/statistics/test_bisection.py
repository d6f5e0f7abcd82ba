"""Bisection, against a look at every number."""

import numpy as np
import pytest

from attention_separation.statistics.bisection import (
    bracket,
    halvings,
    last_multiple_between,
    least_on_log_scale,
    whole_between,
)


@pytest.mark.parametrize("last", [0, 1, 49, 99])
@pytest.mark.parametrize("low", [0, -7])
def test_the_last_whole_number_at_which_a_condition_holds(low, last):
    asked = []

    def holds(n):
        asked.append(n)
        return n <= last

    assert bracket(low, 100, holds, whole_between) == (last, last + 1)
    assert set(asked) <= set(range(low + 1, 100))
    assert len(asked) <= 7


def test_between_neighbours_nothing_is_asked():
    assert bracket(3, 4, lambda _: pytest.fail("asked"), whole_between) == (3, 4)


def test_where_a_condition_changes_more_than_once_one_change_is_found():
    for period in range(2, 40):
        low, high = bracket(0, 1000, lambda n, p=period: n // p % 2 == 0, whole_between)
        assert high == low + 1
        assert low // period % 2 == 0
        assert high // period % 2 == 1 or high == 1000


def test_halvings_enclose_each_of_many_roots():
    roots = np.linspace(0.01, 0.99, 31)
    low, high = halvings(np.zeros(31), np.ones(31), lambda x: x <= roots, 40)
    assert (low <= roots).all()
    assert (roots < high).all()
    np.testing.assert_array_equal(high - low, 2.0**-40)


@pytest.mark.parametrize("step", [1, 20])
def test_the_last_multiple_at_which_a_condition_holds(step):
    low = 2 * step
    high = low + 5000 * step
    for share in (0.0, 0.01, 0.37, 0.999):
        last = low + int(share * 5000) * step
        assert last_multiple_between(lambda n, last=last: n <= last, low, high, step) == last


def test_the_least_numbers_on_a_log_scale():
    grid = np.geomspace(1e-3, 1e3, 7)
    least = np.array([1e-3, 1.0, np.pi, 999.0, 1001.0])
    computed = least_on_log_scale(lambda k, x: x >= least[k], len(least), grid, 1e-9)
    np.testing.assert_allclose(computed, [*least[:4], np.inf], rtol=1e-9)
    assert (computed[:4] >= least[:4]).all()
