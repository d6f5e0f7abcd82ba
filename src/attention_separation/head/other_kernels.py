"""What other kernels would give on the same scores: each far token stands for (N - k)/m_far."""

from collections.abc import Callable, Sequence

import numpy as np

from ..api.build import Given, kernel_of
from ..attention.kernel import Kernel, KernelInputs
from ..attention.threshold_curves import LARGEST_N
from ..settings.warn_once import warn
from ..statistics.bisection import halvings
from .rows import LEAST_REST, Rows

POINTS = 97
"""Numbers of tokens at which a reach is looked for."""

BISECTIONS = 60

BLOCK = 2**20
"""Weights that are looked at together."""


def kernel_columns(
    rows: Rows, n: float | None, level: float, given: Given
) -> dict[str, np.ndarray]:
    """share, reach, reach_low of rows, (R,), and share_at_n where a number is given; the largest N
    of the reach is 10^12, and it is inf where the share still has the level there."""
    kernel = scores_kernel(given)
    columns = {name: np.full(len(rows), np.nan) for name in ("share", "reach", "reach_low")}
    holes_of_rows = []
    for row in _long_rows(rows):

        def share(numbers: np.ndarray, row: int = row) -> np.ndarray:
            return shares(kernel, rows, row, numbers)

        columns["share"][row] = share(rows.n[[row]])[0]
        if rows.m_far[row] < LEAST_REST:
            continue
        if rows.order.is_whole[row]:
            columns["reach"][row] = np.inf if columns["share"][row] >= level else 0.0
            columns["reach_low"][row] = columns["reach"][row]
            continue
        reach, holes = _reach(share, int(rows.k[row]) + 1, level)
        columns["reach"][row] = reach
        holes_of_rows.append(holes)
        if reach == np.inf:
            columns["reach_low"][row] = _least_without_rival(rows, row)
    if n is not None:
        columns |= _shares_at(kernel, rows, n)
    _say_holes(kernel.name, level, holes_of_rows)
    return columns


def _least_without_rival(rows: Rows, row: int) -> float:
    """Up to which N a row without a rival at any N would not have met one: of m tokens that have
    none, 3/m may be one, and those that are there stay where some are near."""
    chance_met = float(rows.m_far[row]) / 3
    if rows.order.near == 0:
        return chance_met
    return float(rows.n[row]) + chance_met


def _say_holes(name: str, level: float, holes_of_rows: Sequence[np.ndarray]) -> None:
    """Warn of rows whose share falls below the level before their reach."""
    numbers = np.concatenate([*holes_of_rows, []])
    if len(numbers):
        warn(
            f"{name}: in some rows the share is below {level:g} at some N below the reach, of "
            f"those tried from {numbers.min():,.0f} to {numbers.max():,.0f}"
        )


def kernel_shares_at(rows: Rows, n: float, given: Given) -> dict[str, np.ndarray]:
    """share_at_n of rows among n tokens, (R,), NaN where there are too few far ones, or n has no
    room for what is there once."""
    return _shares_at(scores_kernel(given), rows, n)


def _shares_at(kernel: Kernel, rows: Rows, n: float) -> dict[str, np.ndarray]:
    share_at_n = np.full(len(rows), np.nan)
    numbers = np.where(rows.order.is_whole, rows.n, n)
    is_known = (rows.m_far >= LEAST_REST) & (numbers >= rows.k)
    for row in np.flatnonzero(is_known).tolist():
        share_at_n[row] = shares(kernel, rows, row, numbers[[row]])[0]
    return {"share_at_n": share_at_n}


def _long_rows(rows: Rows) -> list[int]:
    """The rows that have enough of the rest."""
    return [int(row) for row in np.flatnonzero(rows.m >= LEAST_REST)]


def scores_kernel(given: Given) -> Kernel:
    """Returns a kernel of scores alone; ValueError if it needs more."""
    kernel = kernel_of(given)
    is_of_features = kernel.kind == "features"
    if is_of_features or "d" in kernel.also:
        needed = "vectors" if is_of_features else "d"
        raise ValueError(f"kernel {kernel.name} needs {needed}; allowed: kernels of scores alone")
    return kernel


def shares(kernel: Kernel, rows: Rows, row: int, n: np.ndarray) -> np.ndarray:
    """The target's share of the summed weight of a row among n tokens, (P,) for (P,)."""
    size = max(1, BLOCK // rows.scores.shape[1])
    parts = [n[first : first + size] for first in range(0, len(n), size)]
    return np.concatenate([_shares(kernel, rows, row, part) for part in parts])


def _shares(kernel: Kernel, rows: Rows, row: int, n: np.ndarray) -> np.ndarray:
    """As `shares`, at once: arrays are (P, 1 query, keys that the row sees)."""
    is_seen = rows.is_seen[row]
    is_far = rows.is_far[row, is_seen]
    is_target = rows.is_target[row, is_seen]
    copies_of_far = (n - rows.k[row]) / max(rows.m_far[row], 1)
    counts = np.where(is_far, copies_of_far[:, None, None], 1.0)
    scores = np.broadcast_to(rows.scores[row, is_seen], counts.shape)
    inputs = KernelInputs(scores, None, None, counts, n=n[:, None, None], d=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = _divided_weights(kernel, inputs)
    if not (weights >= 0).all():
        raise ArithmeticError(
            f"{kernel.name}: weights of scores from {scores.min():.3g} to {scores.max():.3g} are "
            "negative or no numbers; allowed: kernels that are not, of these"
        )
    return weights[:, 0, is_target][:, 0]


def _divided_weights(kernel: Kernel, inputs: KernelInputs) -> np.ndarray:
    """Weights whose sum over keys, each as often as it counts, is 1, also of kernels that are not
    divided by it, or whose weights may have both signs."""
    if kernel.signed is not None and (inputs.scores < 0).any():
        weights = kernel.signed(inputs)
        is_divided = False
    else:
        weights = kernel.attention_weights(inputs)
        is_divided = kernel.normaliser != "none" and kernel.of_rows is None
    if is_divided:
        return weights
    return weights / (weights * inputs.multiplicities).sum(axis=-1, keepdims=True)


def _reach(
    share: Callable[[np.ndarray], np.ndarray], least: int, level: float
) -> tuple[float, np.ndarray]:
    """The largest N from `least` to 10^12 at which the share has the level, of 97 numbers and
    between two of them, 0 if there is none; and those of the 97 below it at which it has not."""
    points = np.geomspace(least, LARGEST_N, POINTS)
    has_level = share(points) >= level
    if not has_level.any():
        return 0.0, points[:0]
    last = int(np.flatnonzero(has_level)[-1])
    holes = points[:last][~has_level[:last]]
    if last == len(points) - 1:
        return np.inf, holes
    low, _ = halvings(
        low=points[[last]],
        high=points[[last + 1]],
        is_low=lambda numbers: share(numbers) >= level,
        steps=BISECTIONS,
    )
    return float(low[0]), holes
