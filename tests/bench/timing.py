"""What calls take, by the clock, and whether a goal stands."""

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


def at_most(value: float, goal: float) -> str:
    """The goal, and whether a value that is to be no larger meets it."""
    return f"(goal at most {goal:g}: {'stands' if value <= goal else 'missed'})"


def at_least(value: float, goal: float) -> str:
    """The same of a value that is to be no smaller."""
    return f"(goal at least {goal:g}: {'stands' if value >= goal else 'missed'})"
