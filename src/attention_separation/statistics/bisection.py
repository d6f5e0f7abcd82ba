"""Bisection: where a condition that holds at a low end ceases to hold before a high end."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

T = TypeVar("T")


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
