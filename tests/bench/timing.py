"""What calls take, by the clock."""

import importlib.util
import time
from collections.abc import Callable

import numpy as np

STEPS_IN_TURN, TURNS = 10, 4


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a call, after one that does not count."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def best_in_turn(*ways: list[Callable[[], object]]) -> np.ndarray:
    """Least seconds of calling all of each way, measured in turn so that all meet the same load."""
    times = []
    for _ in range(1 + TURNS):
        taken = []
        for calls in ways:
            start = time.perf_counter()
            for call in calls:
                for _ in range(STEPS_IN_TURN):
                    call()
            taken.append((time.perf_counter() - start) / STEPS_IN_TURN)
        times.append(taken)
    return np.min(times[1:], axis=0)


def has_torch(part: str) -> bool:
    """Whether PyTorch is there; says that a part needs it where it is not."""
    found = importlib.util.find_spec("torch") is not None
    if not found:
        print(f"{part}: this needs PyTorch, which `make setup-rank` installs")
    return found
