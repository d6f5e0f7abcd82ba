"""Where a kernel's weights go in steps of the number of tokens n, as log(floor(n / 8192) + 1) does.

Between two numbers of tokens that are asked, a step can begin or end a run of n at which something
is so. Weights of a few scores that stay the same are seen to jump: they change more from one n to
the next than from these to their neighbours.
"""

from collections.abc import Callable

import numpy as np

from .kernel import Kernel, KernelInputs

WeightsAt = Callable[[np.ndarray], np.ndarray]
"""Numbers of tokens (P,) -> weights of some scores, (P, F)."""

SCORES = np.array([0.25, 1.0, 3.0])
"""Of which weights are compared; the vectors of such a query and such keys have one coordinate."""

STEEPER = 5.0
"""Times the changes beside it that a jump is."""

LEAST_JUMP = 1e-9
"""Relative."""

ROUNDS = 3
"""Of looking for jumps: between two neighbours so many as 2^ROUNDS - 1 are found."""


def weights_by_n(kernel: Kernel, d: int) -> WeightsAt:
    """A function of n (N,) that returns a kernel's weights of one query over a few keys, NaN where
    it has none, and beside them the parts of its formula that go in steps."""
    keys = SCORES[:, None]
    counts = np.ones((1, len(SCORES)))

    def weights_at(n: np.ndarray) -> np.ndarray:
        shape = (len(n), 1, len(SCORES))
        inputs = KernelInputs(
            scores=np.broadcast_to(SCORES, shape),
            queries=np.ones((len(n), 1, 1)),
            keys=np.broadcast_to(keys, (len(n), *keys.shape)),
            multiplicities=np.broadcast_to(counts, shape),
            n=n[:, None, None],
            d=np.full((len(n), 1, 1), d),
        )
        try:
            with np.errstate(all="ignore"):
                weights = np.asarray(kernel.weigh(inputs))[:, 0]
        except ArithmeticError:
            weights = np.full((len(n), len(SCORES)), np.nan)
        if kernel.steps_of is None:
            return weights
        # Weights before and after several steps may be the same.
        return np.concatenate([weights, kernel.steps_of(n, d)], axis=1)

    return weights_at


def beside_steps(weights_at: WeightsAt, sizes: np.ndarray, step: int) -> list[int]:
    """The n on both sides of each jump of the weights between neighbours of `sizes` (S,), which are
    multiples of a step in order. Of several jumps between two neighbours the steepest are found."""
    low = sizes[:-1]
    high = sizes[1:]
    sizes_beside: set[int] = set()
    for _ in range(ROUNDS):
        is_wide = high - low > step
        low = low[is_wide]
        high = high[is_wide]
        is_changed = _change(weights_at, low, high) > LEAST_JUMP
        low = low[is_changed]
        high = high[is_changed]
        if len(low) == 0:
            break
        last_before = _last_before_the_steepest(weights_at, low, high, step)
        first_after = last_before + step
        is_jump = _is_jump(weights_at, last_before, step)
        sizes_beside |= {*last_before[is_jump].tolist(), *first_after[is_jump].tolist()}
        low, high = (
            np.concatenate([low[is_jump], first_after[is_jump]]),
            np.concatenate([last_before[is_jump], high[is_jump]]),
        )
    return sorted(sizes_beside)


def _last_before_the_steepest(
    weights_at: WeightsAt, low: np.ndarray, high: np.ndarray, step: int
) -> np.ndarray:
    """The last n, (G,), before the steepest change between `low` and `high`, (G,): the interval is
    halved, and that half kept in which the weights change more."""
    while (high - low > step).any():
        middle = low + (high - low) // (2 * step) * step
        is_low_half = _change(weights_at, low, middle) >= _change(weights_at, middle, high)
        is_open = high - low > step
        high = np.where(is_open & is_low_half, middle, high)
        low = np.where(is_open & ~is_low_half, middle, low)
    return low


def _is_jump(weights_at: WeightsAt, last_before: np.ndarray, step: int) -> np.ndarray:
    """Whether a kernel's weights jump from each of these n, (G,), to the next multiple of a step:
    by more than LEAST_JUMP, and more steeply than around it."""
    jump = _change(weights_at, last_before, last_before + step)
    change_before = _change(weights_at, np.maximum(last_before - step, step), last_before)
    change_after = _change(weights_at, last_before + step, last_before + 2 * step)
    return (jump > LEAST_JUMP) & (jump > STEEPER * np.maximum(change_before, change_after))


def _change(weights_at: WeightsAt, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The largest relative change of a weight from `low` to `high`, (G,). A weight that is no
    number does not count."""
    if len(low) == 0:
        return np.zeros(0)
    weights_at_low, weights_at_high = np.split(weights_at(np.concatenate([low, high])), 2)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(weights_at_low), np.abs(weights_at_high))
        relative = np.abs(weights_at_high - weights_at_low) / np.where(size > 0, size, 1.0)
    return np.nan_to_num(relative, nan=0.0, posinf=0.0).max(axis=1)
