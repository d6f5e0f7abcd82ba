"""What calls take, by the clock."""

import time
from collections.abc import Callable

import numpy as np


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a call, after one that does not count."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
