"""Which cases of a grid are quick."""

import pytest
from few import evenly, few


def quick_of(mark: pytest.MarkDecorator) -> list:
    """The values of the cases that are not exhaustive."""
    return [values for values, marks, _ in mark.args[1] if not marks]


def test_the_ends_and_some_between_are_quick():
    assert evenly(1, 7) == {0}
    assert evenly(2, 7) == {0, 6}
    assert evenly(5, 9) == {0, 2, 4, 6, 8}
    assert quick_of(few(3, "x", "abcde")) == [("a",), ("c",), ("e",)]
    assert quick_of(few({1}, "x", [(0, 1), (2, 3)])) == [((2, 3),)]


def test_cases_keep_their_order_and_ids_and_marks():
    slow = pytest.mark.filterwarnings("error")
    cases = [(1, 2), pytest.param(3, 4, id="b", marks=slow), (5, 6)]
    found = few(1, ("x", "y"), cases).args[1]
    assert [(values, name) for values, _, name in found] == [
        ((1, 2), None), ((3, 4), "b"), ((5, 6), None),
    ]  # fmt: skip
    assert [mark.name for mark in found[1].marks] == ["filterwarnings", "exhaustive"]


@pytest.mark.parametrize("quick", [2, 3, {2}])
def test_a_grid_that_is_all_quick_is_not_marked_by_it(quick):
    with pytest.raises(ValueError, match="of 2 cases; allowed: some, and not all"):
        few(quick, "x", [1, 2])
