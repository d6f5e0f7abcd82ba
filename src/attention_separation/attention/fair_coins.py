"""The law of the number of heads of fair coins: what sums over Rademacher signs come down to."""

import math
from functools import lru_cache

import numpy as np


def heads(coins: int) -> np.ndarray:
    """Probabilities of 0..coins heads, each to a relative error of about 1e-16 coins."""
    return _around_middle(coins, coins)[1]


def likely_heads(coins: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of heads and their probabilities, all but a share of 1e-20."""
    return _around_middle(coins, math.isqrt(25 * coins) + 5)


@lru_cache(maxsize=8192)
def _around_middle(coins: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratios of neighbours multiplied up from the middle, where the probability is largest."""
    middle = coins // 2
    up = np.arange(middle, min(middle + reach, coins))
    down = np.arange(middle, max(middle - reach, 0), -1)
    rising = np.cumprod((coins - up) / (up + 1.0))
    falling = np.cumprod(down / (coins - down + 1.0))
    unscaled = np.concatenate([falling[::-1], [1.0], rising])
    numbers = np.arange(middle - len(down), middle + len(up) + 1)
    probabilities = unscaled / unscaled.sum()
    for shared in (numbers, probabilities):
        shared.flags.writeable = False
    return numbers, probabilities
