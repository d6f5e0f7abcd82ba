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
    """Two neighbours between `low` and `high`, by bisection: a condition holds at the first and not
    at the second.

    Parameters
    ----------
    low, high : where the condition is known to hold, and known not to; neither is tried
    is_low : whether the condition holds at a value
    between : a value between two others, which is tried next; None if they are neighbours
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
    """The whole number midway between two, rounded down; None if they are neighbours."""
    return (low + high) // 2 if high - low > 1 else None


def halved(
    low: np.ndarray, high: np.ndarray, middle: np.ndarray, is_low: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The halves of many intervals, (low, high), in which a condition ceases to hold: the upper
    half where it holds at the middle, else the lower. All arrays have one shape."""
    return np.where(is_low, middle, low), np.where(is_low, high, middle)


def halvings(
    low: np.ndarray, high: np.ndarray, is_low: Callable[[np.ndarray], np.ndarray], steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Many intervals, (low, high), after each was halved `steps` times around where a condition
    ceases to hold.

    Parameters
    ----------
    low, high : arrays of one shape: where the condition holds, and where it does not
    is_low : for numbers of that shape, whether the condition holds at each
    """
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = halved(low, high, middle, is_low(middle))
    return low, high


def last_multiple_between(
    holds: Callable[[np.ndarray], np.ndarray], low: int, high: int, step: int
) -> int:
    """The largest multiple of `step` between `low` and `high` at which a condition holds; it holds
    at `low`, not at `high`, and ceases once between."""
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
    """For each of N problems the least number at which its condition holds, (N,): searched on a
    grid, then between its numbers; inf where it holds at none of the grid.

    Parameters
    ----------
    holds : which problems (K,), and a value for each (K,) -> whether each one's condition holds
        (K,)
    problems : N
    grid : positive numbers in order, which are tried first
    precision : of the result, relative
    """

    problem = np.arange(problems)

    def first_held(values: np.ndarray) -> np.ndarray:
        """The place (N,), in each problem's V values (N, V), of the first at which its condition
        holds; V if there is none."""
        count = values.shape[1]
        is_held = holds(np.repeat(problem, count), values.ravel()).reshape(values.shape)
        return np.where(is_held.any(axis=1), is_held.argmax(axis=1), count)

    first_on_grid = first_held(np.tile(grid, (problems, 1)))
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
        upper = first_held(edges[:, 1:-1]) + 1
        lows = edges[problem, upper - 1]
        highs = edges[problem, upper]
    return np.where(is_found, highs, np.inf)
