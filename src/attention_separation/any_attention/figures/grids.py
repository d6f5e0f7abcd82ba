"""Numbers of tokens that figures show."""

import numpy as np

from attention_separation.attention.threshold_curves import LARGEST_N


def multiples(classes: int, count: int, least: float = 100, most: float = LARGEST_N) -> list[int]:
    """About so many multiples of K from `least` to `most`, nearly geometric."""
    whole = np.geomspace(least, most, count) / classes
    return (np.unique(np.maximum(np.floor(whole + 1e-9), 1)).astype(np.int64) * classes).tolist()
