"""Bisection: between two ends, where a condition begins or ceases to hold."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

T = TypeVar("T")

PARTS_OF_BRACKET = 16
"""Parts that an interval is cut into where a condition is asked of many numbers at once."""


def bracket(
    low: T, high: T, is_low: Callable[[T], bool], between: Callable[[T, T], T | None]
) -> tuple[T, T]:
    """Two ends with nothing between them: the condition holds at the first, not at the second.

    Parameters
    ----------
    low, high : ends where the condition holds and where it does not; it is not asked there
    is_low : whether the condition holds
    between : what is tried next between two ends; None where nothing is
    """
    middle = between(low, high)
    while middle is not None:
        if is_low(middle):
            low = middle
        else:
            high = middle
        middle = between(low, high)
    return low, high


def whole_between(low: int, high: int) -> int | None:
    """The whole number in the middle, rounded down; None between neighbours."""
    return (low + high) // 2 if high - low > 1 else None


def halved(
    low: np.ndarray, high: np.ndarray, middle: np.ndarray, is_low: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of an interval each, with one of them moved to the middle by whether the condition holds
    there; all of one shape."""
    return np.where(is_low, middle, low), np.where(is_low, high, middle)


def halvings(
    low: np.ndarray, high: np.ndarray, is_low: Callable[[np.ndarray], np.ndarray], steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of an interval each, after so many halvings.

    Parameters
    ----------
    low, high : arrays of one shape, the ends as of `bracket`
    is_low : whether the condition holds at numbers of that shape
    """
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = halved(low, high, middle, is_low(middle))
    return low, high


def last_multiple_between(
    holds: Callable[[np.ndarray], np.ndarray], low: int, high: int, step: int
) -> int:
    """The largest multiple of a step from `low`, where a condition holds, to `high`, where it does
    not."""
    while high - low > step:
        multiples = np.linspace(low, high, PARTS_OF_BRACKET + 1).astype(np.int64) // step
        sizes = np.unique(multiples) * step
        inner = sizes[(sizes > low) & (sizes < high)]
        edges = [low, *inner.tolist(), high]
        last = int(np.flatnonzero([True, *holds(inner)])[-1])
        low = edges[last]
        high = edges[last + 1]
    return low


def least_on_log_scale(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray],
    problems: int,
    grid: np.ndarray,
    precision: float,
) -> np.ndarray:
    """For each problem the least number from which on a condition holds, as far as a geometric grid
    tells; inf if it holds at none of its numbers.

    Parameters
    ----------
    holds : numbers of problems, and a value for each of them -> whether it holds, all in one shape
    problems : how many there are
    grid : positive numbers in order, which are tried first
    precision : of the result, relative
    """

    problem = np.arange(problems)

    def first(values: np.ndarray) -> np.ndarray:
        """Which of each problem's values (N, V) is the first at which the condition holds; V if
        none is."""
        count = values.shape[1]
        is_held = holds(np.repeat(problem, count), values.ravel()).reshape(values.shape)
        return np.where(is_held.any(axis=1), is_held.argmax(axis=1), count)

    first_on_grid = first(np.tile(grid, (problems, 1)))
    is_found = first_on_grid < len(grid)
    upper = np.where(is_found, first_on_grid, 0)
    lower = np.maximum(upper - 1, 0)
    lows = grid[lower]
    highs = grid[upper]
    while (highs / lows > 1 + precision).any():
        edges = np.geomspace(lows, highs, PARTS_OF_BRACKET + 1, axis=1)
        edges[:, 0] = lows
        edges[:, -1] = highs
        # It holds at the last edge.
        upper = first(edges[:, 1:-1]) + 1
        lows = edges[problem, upper - 1]
        highs = edges[problem, upper]
    return np.where(is_found, highs, np.inf)
