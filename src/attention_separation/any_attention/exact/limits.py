"""How far a kernel goes: the largest n that it separates at, that from which on it is as good as no
attention, the temperature that separates at an n, and the least weight in X that does."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.any_attention.exact.values import best_probabilities, score_columns
from attention_separation.attention.kernels import KERNELS, Kernel, exponential
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.data import Data

PER_DECADE = 16
"""Numbers of tokens of the grid that is searched first."""

PARTS = 16
"""Parts that an interval is cut into at each step of a search."""

LEAST_WEIGHT, LARGEST_WEIGHT = 1e-8, 1e13
COLDEST, HOTTEST = 1e-3, 1e4
PRECISION = 1e-8
"""Relative, of weights and temperatures."""

SAME = 1e-12
"""Probabilities closer than this, relative, are the same."""

GRID_PER_DECADE = 3
"""Of weights and temperatures that are tried first."""


def separates(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: np.ndarray | float = 0.0
) -> np.ndarray:
    """Whether a kernel's best P is above half of exp's at the same n, (P,)."""
    found = best_probabilities(kernel, layer, data, n.tolist(), weight)
    return found > exp_probabilities(layer, data, tuple(n.tolist())) / 2


@lru_cache(maxsize=1024)
def exp_probabilities(layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """What exp can do at numbers of tokens n: all kernels are measured against it."""
    sizes = list(dict.fromkeys(n))
    of_each = dict(zip(sizes, best_probabilities(KERNELS["exp"], layer, data, sizes), strict=True))
    return np.array([of_each[size] for size in n])


def last_n(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a kernel separates; inf if it does at 10^12
    still (the largest multiple of K below), NaN if at none of those that were asked.

    What is asked first is a geometric grid, so a gap between two of its numbers can be missed.
    """

    def holds(n: np.ndarray) -> np.ndarray:
        sizes = tuple(n.tolist())
        return _best(kernel, layer, data, sizes) > exp_probabilities(layer, data, sizes) / 2

    return last_multiple(holds, data.classes)


def as_none_from(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The multiple of K from which on, at all n up to 10^12 that are asked, a kernel's best P is
    that of uniform weights; inf where it is not at 10^12 still, NaN where float64 does not tell."""

    def differs(n: np.ndarray) -> np.ndarray:
        sizes = tuple(n.tolist())
        found, of_none = (_best(each, layer, data, sizes) for each in (kernel, KERNELS["none"]))
        return ~(np.abs(found - of_none) <= SAME * of_none)

    last = last_multiple(differs, data.classes)
    if math.isinf(last) and not told(kernel, layer, data):
        return math.nan
    return data.classes if math.isnan(last) else last + data.classes


def told(kernel: Kernel, layer: Layer, data: Data) -> bool:
    """Whether float64 tells a kernel's best P at all n of the grid that `last_n` asks first."""
    grid = tuple(_multiples(data.classes).tolist())
    return not np.isnan(_best(kernel, layer, data, grid)).any()


@lru_cache(maxsize=256)
def _best(kernel: Kernel, layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """`best_probabilities`, which several questions ask at the same n."""
    return best_probabilities(kernel, layer, data, n)


def last_multiple(holds: Callable[[np.ndarray], np.ndarray], classes: int) -> float:
    """The largest multiple of K up to 10^12 at which a condition holds, as `last_n` says it."""
    grid = _multiples(classes)
    found = np.flatnonzero(holds(grid))
    if not len(found):
        return math.nan
    last = int(found[-1])
    if last == len(grid) - 1:
        return math.inf
    low, high = int(grid[last]), int(grid[last + 1])
    while high - low > classes:
        steps = np.unique(np.linspace(low, high, PARTS + 1).astype(np.int64) // classes)
        inner = steps[(steps * classes > low) & (steps * classes < high)] * classes
        found = np.flatnonzero(holds(inner))
        if len(found):
            low = int(inner[found[-1]])
            high = int(inner[found[-1] + 1]) if found[-1] + 1 < len(inner) else high
        else:
            high = int(inner[0])
    return float(low)


def critical_temperatures(layer: Layer, data: Data, n: Sequence[int]) -> np.ndarray:
    """The highest T at which e^(x/T) separates at each n; 0 where it does at none from 1e-3 on."""

    def holds(which: np.ndarray, cold: np.ndarray) -> np.ndarray:
        kernel = exponential("e^(x/T)", "", lambda _: 1 / cold[:, None, None], "")
        return separates(kernel, layer, data, np.array(n)[which])

    return 1 / least_numbers(holds, len(n), 1 / HOTTEST, 1 / COLDEST)


def least_weights(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], most: float = LARGEST_WEIGHT
) -> np.ndarray:
    """The least g at each n at which a kernel separates with X = I + g e_1 e_1^T; 0 if it does with
    X = I, and inf if it does at no g up to `most`."""

    def holds(which: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return separates(kernel, layer, data, np.array(n)[which], weights)

    found = least_numbers(holds, len(n), LEAST_WEIGHT, most)
    return np.where(separates(kernel, layer, data, np.array(n)), 0.0, found)


def known_least_weights(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int]
) -> list[float | None]:
    """`least_weights`; None where the kernel has no weights at a g that would have to be tried, as
    those of formulas that overflow."""
    most = _largest_weight(kernel, layer, data, n)
    try:
        found = least_weights(kernel, layer, data, n, most).tolist()
    except ArithmeticError:
        return [None for _ in n]
    return [None if g == math.inf and most < LARGEST_WEIGHT else g for g in found]


def _largest_weight(kernel: Kernel, layer: Layer, data: Data, n: Sequence[int]) -> float:
    """The largest g, by decades, at which a kernel has weights: built-in ones always have."""
    most = LARGEST_WEIGHT
    while most > 100 * LEAST_WEIGHT:
        try:
            score_columns(kernel, layer, data, n, most)
        except ArithmeticError:
            most /= 10
        else:
            break
    return most


def _multiples(classes: int) -> np.ndarray:
    """Multiples of K up to 10^12, nearly geometric; log n > 0."""
    decades = math.log10(LARGEST_N / classes)
    whole = np.geomspace(1, LARGEST_N // classes, round(PER_DECADE * decades)).astype(np.int64)
    return np.unique(whole[whole * classes >= 2]) * classes


def least_numbers(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray], problems: int, low: float, high: float
) -> np.ndarray:
    """For each problem the least number in [low, high] from which on a condition holds, as far as a
    geometric grid tells; inf if it holds at none of its numbers.

    holds : numbers of problems, and a value for each of them -> whether it holds, all in one shape
    """

    def first(edges: np.ndarray) -> np.ndarray:
        """Where the condition first holds on each problem's edges (N, E); E if nowhere."""
        which = np.repeat(np.arange(len(edges)), edges.shape[1])
        found = holds(which, edges.ravel()).reshape(edges.shape)
        return np.where(found.any(axis=1), found.argmax(axis=1), edges.shape[1])

    grid = np.geomspace(low, high, round(GRID_PER_DECADE * math.log10(high / low)) + 1)
    at = first(np.tile(grid, (problems, 1)))
    lows, highs = grid[np.clip(at - 1, 0, None) % len(grid)], grid[at % len(grid)]
    while (highs / lows > 1 + PRECISION).any():
        edges = np.geomspace(lows, highs, PARTS + 1, axis=1)
        edges[:, 0], edges[:, -1] = lows, highs
        inner = np.minimum(first(edges[:, 1:-1]) + 1, PARTS)[:, None]
        lows, highs = (np.take_along_axis(edges, k, axis=1)[:, 0] for k in (inner - 1, inner))
    return np.where(at < len(grid), highs, np.inf)


def least_number(holds: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    """The same for one problem, whose condition takes values alone."""
    return float(least_numbers(lambda _, values: holds(values), 1, low, high)[0])
