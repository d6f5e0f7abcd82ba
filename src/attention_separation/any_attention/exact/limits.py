"""How far a kernel goes: the largest n that it separates at, that from which on it equals
uniform attention, and what separates at an n: a temperature, a degree, the least weight in X."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, exponential
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from .layers import Layer
from .values import best_probabilities, score_columns

PARTS = 16
"""Parts that an interval is cut into at each step of a search."""

LEAST_WEIGHT, LARGEST_WEIGHT = 1e-8, 1e13
COLDEST, HOTTEST = 1e-3, 1e4
PRECISION = 1e-8
"""Relative, of weights, temperatures and degrees."""

SAME = 1e-12
"""Probabilities closer than this, relative, are the same."""

EVERY = 3_000
"""Up to here every multiple of K is asked."""

LEAST_OF_EXP = 0.5
"""Where exp's own P is no larger, nothing is measured against it."""

GRID_PER_DECADE = 3
"""Of weights, temperatures and degrees that are tried first."""


def separates(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: np.ndarray | float = 0.0,
    level: float | None = None,
) -> np.ndarray:  # fmt: skip
    """Whether a kernel separates at each n, (P,); not where float64 does not tell."""
    return separation(kernel, layer, data, n, weight, level) == 1


def separation(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: np.ndarray | float = 0.0,
    level: float | None = None,
) -> np.ndarray:  # fmt: skip
    """1 where a kernel separates, 0 where not, NaN where float64 does not tell, (P,): its best P is
    above half of exp's at the same n, and exp's above 1/2; or, with a level, is at least that."""
    sizes = tuple(n.tolist())
    # What a function of somebody's gives may change: nothing of it is remembered.
    if np.any(weight) or KERNELS.get(kernel.name) is not kernel:
        found = best_probabilities(kernel, layer, data, sizes, weight)
    else:
        found = _best(kernel, layer, data, sizes)
    if level is not None:
        return np.where(np.isnan(found), np.nan, found >= level)
    of_exp = exp_probabilities(layer, data, sizes)
    holds = np.where(np.isnan(found - of_exp), np.nan, found > of_exp / 2)
    return np.where(of_exp <= LEAST_OF_EXP, 0.0, holds)


def exp_probabilities(layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """What exp can do at numbers of tokens n: all kernels are measured against it."""
    return _best(KERNELS["exp"], layer, data, n)


@dataclass(frozen=True)
class Reach:
    """How far a kernel separates, over the multiples of K up to 10^12 that `asked_sizes` has, ends
    then sought between two of them."""

    last: float  # the largest n at which it does; inf if at 10^12 still, NaN if at none
    holes: tuple[float, float] | None  # the least and the largest n below it at which it does not
    undecided_from: float  # the least n at which float64 does not tell; NaN where it tells at all
    decided: bool  # whether it tells at all n above `last`


def reach(kernel: Kernel, layer: Layer, data: Data, level: float | None = None) -> Reach:
    """How far a kernel separates, by half of exp's P or by a level."""

    def found_at(n: np.ndarray) -> np.ndarray:
        return separation(kernel, layer, data, n, level=level)

    grid, step = asked_sizes(data), data.classes
    found = found_at(grid)

    def last_where(condition: Callable[[np.ndarray], np.ndarray], k: int) -> float:
        """The last n from the k-th of the grid on of which it is so; before the first for -1."""
        if k < 0:
            return float(grid[0] - step)
        return _last_from(lambda n: condition(found_at(n)), grid, k, step)

    holds, unknown = np.flatnonzero(found == 1), np.flatnonzero(np.isnan(found))
    last, holes, undecided_from, most = math.nan, None, math.nan, -1
    if len(holds):
        most = holds[-1]
        last = last_where(lambda found: found == 1, most)
        gaps = np.flatnonzero(found[:most] == 0)
        if len(gaps):
            first = last_where(lambda found: found != 0, gaps[0] - 1) + step
            holes = first, last_where(lambda found: found == 0, gaps[-1])
    if len(unknown):
        undecided_from = last_where(lambda found: ~np.isnan(found), unknown[0] - 1) + step
    return Reach(last, holes, undecided_from, not (unknown > most).any())


def n_equal_to_uniform(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The multiple of K from which on, at all n up to 10^12 that are asked, a kernel's best P is
    that of uniform weights; inf where it is not at 10^12 still, NaN where float64 does not tell."""

    def differs(n: np.ndarray) -> np.ndarray:
        sizes = tuple(n.tolist())
        found, of_none = (_best(each, layer, data, sizes) for each in (kernel, KERNELS["uniform"]))
        return ~(np.abs(found - of_none) <= SAME * of_none)

    last = last_multiple(differs, data)
    if math.isinf(last) and np.isnan(_best(kernel, layer, data, tuple(asked_sizes(data)))).any():
        return math.nan
    return data.classes if math.isnan(last) else last + data.classes


@lru_cache(maxsize=1024)
def _best(kernel: Kernel, layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """`best_probabilities`, which several questions ask at the same n, at each of them once."""
    sizes, places = np.unique(n, return_inverse=True)
    return best_probabilities(kernel, layer, data, sizes.tolist())[places]


def last_multiple(holds: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a condition holds; inf if it does at the
    largest one still, NaN if at none of those asked first: a gap between them can be missed."""
    grid = asked_sizes(data)
    found = np.flatnonzero(holds(grid))
    return _last_from(holds, grid, found[-1], data.classes) if len(found) else math.nan


def _last_from(
    holds: Callable[[np.ndarray], np.ndarray], grid: np.ndarray, k: int, classes: int
) -> float:
    if k == len(grid) - 1:
        return math.inf
    return float(last_between(holds, int(grid[k]), int(grid[k + 1]), classes))


def last_between(
    holds: Callable[[np.ndarray], np.ndarray], low: int, high: int, classes: int
) -> int:
    """The largest multiple of K from `low`, where a condition holds, to `high`, where it does
    not."""
    while high - low > classes:
        steps = np.unique(np.linspace(low, high, PARTS + 1).astype(np.int64) // classes)
        inner = steps[(steps * classes > low) & (steps * classes < high)] * classes
        found = np.flatnonzero(holds(inner))
        if len(found):
            low = int(inner[found[-1]])
            high = int(inner[found[-1] + 1]) if found[-1] + 1 < len(inner) else high
        else:
            high = int(inner[0])
    return low


class Parameter(NamedTuple):
    """A parameter of kernels that separate from some value of it on: its values, (P, 1, 1) -> the
    kernel; and ends between which the least is sought."""

    kernel: Callable[[np.ndarray], Kernel]
    low: float
    high: float


def of_degrees(p: np.ndarray) -> Kernel:
    """x^p with a degree for each point."""
    return Kernel("x^p", "", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)


COLDNESS = Parameter(
    lambda cold: exponential("e^(x/T)", "", lambda _: 1 / cold, ""), 1 / HOTTEST, 1 / COLDEST
)
"""1 / T of e^(x / T): R = n^((sigma* - sigma_0) / T)."""

DEGREE = Parameter(of_degrees, 1e-2, 1e3)
"""p of x^p: R = (sigma* / sigma_0)^p."""


def critical_temperatures(
    layer: Layer, data: Data, n: Sequence[int], level: float | None = None
) -> np.ndarray:
    """The highest T at which e^(x/T) separates at each n; 0 where it does at none from 1e-3 on, and
    NaN where float64 does not tell of exp, or of the next higher T."""
    return 1 / _least_told(COLDNESS, layer, data, n, level)


def least_degrees(
    layer: Layer, data: Data, n: Sequence[int], level: float | None = None
) -> np.ndarray:
    """The least real p at which x^p separates at each n, from 0.01 on; inf where it does at none up
    to 1000, and NaN where float64 does not tell of exp, or of the next lower p."""
    return _least_told(DEGREE, layer, data, n, level)


def _least_told(
    parameter: Parameter, layer: Layer, data: Data, n: Sequence[int], level: float | None
) -> np.ndarray:
    """The least value of a parameter at each n."""
    sizes, (kernel, low, high) = np.array(n), parameter

    def found_at(which: np.ndarray, values: np.ndarray) -> np.ndarray:
        at = layer, data, sizes[which]
        return separation(kernel(values[:, None, None]), *at, level=level)

    least = least_numbers(lambda *at: found_at(*at) == 1, len(n), low, high)
    below = np.clip(least / (1 + 10 * PRECISION), low, high)
    told = ~np.isnan(found_at(np.arange(len(n)), below))
    return np.where(told & ~np.isnan(exp_probabilities(layer, data, tuple(n))), least, np.nan)


def least_weights(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], most: float = LARGEST_WEIGHT,
    separates: Callable[..., np.ndarray] = separates,
) -> np.ndarray:  # fmt: skip
    """The least g at each n at which a kernel separates with X = I + g e_1 e_1^T; 0 if it does with
    X = I, and inf if it does at no g up to `most`."""

    def holds(which: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return separates(kernel, layer, data, np.array(n)[which], weights)

    found = least_numbers(holds, len(n), LEAST_WEIGHT, most)
    return np.where(separates(kernel, layer, data, np.array(n)), 0.0, found)


def known_least_weights(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], level: float | None = None
) -> list[float | None]:
    """`least_weights`; None where the kernel has no weights at a g that would have to be tried, as
    those of formulas that overflow."""
    most, holds = _largest_weight(kernel, layer, data, n), partial(separates, level=level)
    try:
        found = least_weights(kernel, layer, data, n, most, holds).tolist()
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


@lru_cache(maxsize=64)
def asked_sizes(data: Data) -> np.ndarray:
    """The multiples of K up to 10^12 that are asked first: all up to 3,000; beyond, 20 a decade,
    and both sides of every change of m, where P jumps."""
    step, most = data.classes, LARGEST_N // data.classes
    some = max(EVERY // step, 1)
    beyond = np.geomspace(some, most, round(20 * math.log10(most / some)) + 1).astype(np.int64)
    sizes = np.unique([*range(math.ceil(2 / step), some + 1), *beyond]) * step
    columns = np.array([data.m(n) for n in sizes.tolist()])
    jumps = [
        last_between(
            lambda n, k=k: np.array([data.m(each) == columns[k] for each in n.tolist()]),
            int(sizes[k]), int(sizes[k + 1]), step,
        )
        for k in np.flatnonzero(np.diff(columns))
    ]  # fmt: skip
    asked = np.unique([*sizes, *jumps, *(n + step for n in jumps)])
    asked.flags.writeable = False
    return asked


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
