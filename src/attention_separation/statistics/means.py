"""The mean of a sample, and its interval."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit


class Mean(NamedTuple):
    """A mean and a two-sided interval of it; without an interval (NaN) where a sample has one."""

    value: float
    low: float
    high: float


def mean_of(sample: np.ndarray, level: float = 0.95) -> Mean:
    """The mean of a sample (n,) with Student's interval: for many values, or nearly normal ones."""
    count, value = len(sample), float(np.mean(sample))
    if count < 2:
        return Mean(value, np.nan, np.nan)
    reach = stdtrit(count - 1, (1 + level) / 2) * float(np.std(sample, ddof=1)) / np.sqrt(count)
    return Mean(value, value - float(reach), value + float(reach))
