"""How far a kernel goes: the largest n that it separates at, that from which on it equals
uniform attention, and what separates at an n: a temperature, a degree, the least weight in X."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, exponential
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from .layers import Layer
from .values import probability_bounds, score_columns

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
    """Whether a kernel separates at each n, (P,); not where float64 does not tell its best P."""
    return separation(kernel, layer, data, n, weight, level, by_bounds=False) == 1


def separation(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: np.ndarray | float = 0.0,
    level: float | None = None, *, by_bounds: bool = True,
) -> np.ndarray:  # fmt: skip
    """1 where a kernel separates, 0 where not, NaN where float64 does not tell, (P,): its best P is
    above half of exp's at the same n, and exp's above 1/2; or, with a level, is at least that.

    by_bounds : whether that is told too where float64 does not tell the best P, and all that it may
        be has one answer
    """
    sizes = tuple(n.tolist())
    # What a function of somebody's gives may change: nothing of it is remembered.
    if np.any(weight) or KERNELS.get(kernel.name) is not kernel:
        bounds = probability_bounds(kernel, layer, data, sizes, weight)
    else:
        bounds = _bounds(kernel, layer, data, sizes)
    if not by_bounds:
        told = _told(bounds)
        bounds = told, told
    return verdicts(bounds, layer, data, sizes, level)


def verdicts(
    bounds: tuple[np.ndarray, np.ndarray], layer: Layer, data: Data, n: tuple[int, ...],
    level: float | None = None,
) -> np.ndarray:  # fmt: skip
    """`separation`, (P,), of what a best P at each n is at least and at most."""
    least, most = bounds
    if level is not None:
        separates, fails = least >= level, most < level
    else:
        least_of_exp, most_of_exp = _bounds(KERNELS["exp"], layer, data, n)
        separates = (least > most_of_exp / 2) & (least_of_exp > LEAST_OF_EXP)
        fails = (most <= least_of_exp / 2) | (most_of_exp <= LEAST_OF_EXP)
    return np.where(separates, 1.0, np.where(fails, 0.0, np.nan))


def exp_probabilities(layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """What exp can do at numbers of tokens n: all kernels are measured against it."""
    return _told(_bounds(KERNELS["exp"], layer, data, n))


def _told(bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """What lies between bounds, NaN where they differ."""
    least, most = bounds
    return np.where(least == most, least, np.nan)


@dataclass(frozen=True)
class Span:
    """Neighbours of the multiples of K at which something is so."""

    first: int
    last: float  # inf where it is so at the largest of them, 10^12 or the last below


@dataclass(frozen=True)
class Reach:
    """Where a kernel separates, of the multiples of K up to 10^12: those that `asked_sizes` has
    were asked, and where two neighbours of these differ the ends were sought between them."""

    separates: tuple[Span, ...]
    fails: tuple[Span, ...]
    undecided: tuple[Span, ...]  # where float64 does not tell whether it separates
    # The same between two neighbours that were asked: where their ends are is not told.
    undecided_ends: tuple[Span, ...] = ()

    @property
    def last(self) -> float:
        """The largest n at which it separates; inf if at 10^12 still, NaN if at none."""
        return self.separates[-1].last if self.separates else math.nan

    @property
    def holes(self) -> list[Span]:
        """Where it does not separate below `last`."""
        return [span for span in self.fails if span.last < self.last]

    @property
    def undecided_beyond(self) -> Span | None:
        """The first span of n above `last` at which float64 does not tell."""
        last = self.last if self.separates else 0
        return next((span for span in self.undecided if span.first > last), None)


def reach(
    kernel: Kernel, layer: Layer, data: Data, level: float | None = None, *, by_bounds: bool = True
) -> Reach:
    """Where a kernel separates, by half of exp's P or by a level; all as of `separation`."""

    def verdict_at(n: np.ndarray) -> np.ndarray:
        verdict = separation(kernel, layer, data, n, level=level, by_bounds=by_bounds)
        return np.nan_to_num(verdict, nan=UNDECIDED)

    spans: dict[float, list[Span]] = {1.0: [], 0.0: [], UNDECIDED: []}
    for verdict, span in _spans(verdict_at, data):
        spans[verdict].append(span)
    asked = asked_sizes(data)
    undecided, undecided_ends = [], []
    for span in spans[UNDECIDED]:
        was_asked = ((asked >= span.first) & (asked <= span.last)).any()
        (undecided if was_asked else undecided_ends).append(span)
    return Reach(tuple(spans[1.0]), tuple(spans[0.0]), tuple(undecided), tuple(undecided_ends))


UNDECIDED = -1.0
"""Stands for NaN, which is not equal to itself."""


def _spans(
    value_at: Callable[[np.ndarray], np.ndarray], data: Data
) -> Iterator[tuple[float, Span]]:  # fmt: skip
    """All multiples of K up to 10^12 in spans of one value each, as far as `asked_sizes` tells."""
    grid, step = asked_sizes(data), data.classes
    values, first = value_at(grid), int(grid[0])
    for k in np.flatnonzero(values[1:] != values[:-1]):
        value, low, high = values[k], int(grid[k]), int(grid[k + 1])
        # Between two neighbours there may be a third value.
        while value != values[k + 1]:
            last = last_between(lambda n, value=value: value_at(n) == value, low, high, step)
            yield value, Span(first, float(last))
            first = low = last + step
            value = values[k + 1] if first == high else value_at(np.array([first]))[0]
    yield values[-1], Span(first, math.inf)


def probability_unknown_from(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The least n at which float64 does not tell the best P; NaN where it tells it at all n."""

    def is_unknown(n: np.ndarray) -> np.ndarray:
        return np.isnan(_told(_bounds(kernel, layer, data, tuple(n.tolist()))))

    return next((span.first for unknown, span in _spans(is_unknown, data) if unknown), math.nan)


def n_equal_to_uniform(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The multiple of K from which on, at all n up to 10^12 that are asked, a kernel's best P is
    that of uniform weights; inf where it is not at 10^12 still, NaN where float64 does not tell."""

    def differs(n: np.ndarray) -> np.ndarray:
        sizes = tuple(n.tolist())
        least, most = _bounds(kernel, layer, data, sizes)
        least_of_none, most_of_none = _bounds(KERNELS["uniform"], layer, data, sizes)
        apart = np.maximum(least - most_of_none, least_of_none - most)
        told = (least == most) & (least_of_none == most_of_none)
        differs = ~(apart <= SAME * least_of_none)
        return np.where(differs, 1.0, np.where(told, 0.0, UNDECIDED))

    value, span = [*_spans(differs, data)][-1]
    if value == UNDECIDED:
        return math.nan
    return math.inf if value else span.first


@lru_cache(maxsize=1024)
def _bounds(
    kernel: Kernel, layer: Layer, data: Data, n: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """`probability_bounds`, which several questions ask at the same n, at each of them once."""
    sizes, places = np.unique(n, return_inverse=True)
    least, most = probability_bounds(kernel, layer, data, sizes.tolist())
    return least[places], most[places]


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
    NaN where float64 does not tell the best P of exp, or of the next higher T."""
    sizes, (kernel, low, high) = np.array(n), COLDNESS

    def verdict_at(which: np.ndarray, values: np.ndarray) -> np.ndarray:
        of_values = kernel(values[:, None, None])
        return separation(of_values, layer, data, sizes[which], level=level, by_bounds=False)

    coldest = least_numbers(lambda *at: verdict_at(*at) == 1, len(n), low, high)
    of_hotter = verdict_at(np.arange(len(n)), _just_below(coldest, low, high))
    of_exp = exp_probabilities(layer, data, tuple(n))
    return np.where(np.isnan(of_hotter + of_exp), np.nan, 1 / coldest)


def _just_below(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Values a little smaller than those found, so that a kernel does not separate there."""
    return np.clip(values / (1 + 10 * PRECISION), low, high)


@dataclass(frozen=True)
class Least:
    """The least value of a parameter at which a kernel separates at one n, as far as those values
    tell that were tried: GRID_PER_DECADE a decade, and more between the two that it lies between.
    """

    value: float  # inf where it separates at none
    possible: float  # from here to the value float64 does not tell; the value where it tells it
    tried: np.ndarray  # (P,) values of the parameter
    verdicts: np.ndarray  # (P,) what `separation` says of them

    @property
    def fails_above(self) -> np.ndarray:
        """Values tried, larger than the least, at which it does not separate."""
        return self.tried[(self.tried > self.value) & (self.verdicts == 0)]

    @property
    def undecided_below(self) -> np.ndarray:
        """Values tried, smaller than the least if there is one, at which float64 does not tell."""
        return self.tried[(self.tried < self.value) & np.isnan(self.verdicts)]


def least_value(
    verdict_at: Callable[[np.ndarray], np.ndarray], low: float, high: float
) -> Least:  # fmt: skip
    """The least value in [low, high] at which a kernel separates, from what `separation` gives for
    each of several values."""
    tried = tried_numbers(low, high)
    (value,) = least_numbers(lambda _, values: verdict_at(values) == 1, 1, low, high)
    possible = value
    if np.isnan(verdict_at(_just_below(np.array([value]), low, high))[0]):
        (possible,) = least_numbers(lambda _, values: verdict_at(values) != 0, 1, low, high)
    return Least(float(value), float(possible), tried, verdict_at(tried))


def least_parameter(
    parameter: Parameter, layer: Layer, data: Data, n: int, level: float | None = None
) -> Least:
    """The least value of a parameter at which a kernel separates at n."""

    def verdict_at(values: np.ndarray) -> np.ndarray:
        sizes = np.full(len(values), n)
        return separation(parameter.kernel(values[:, None, None]), layer, data, sizes, level=level)

    return least_value(verdict_at, parameter.low, parameter.high)


def least_weight(
    kernel: Kernel, layer: Layer, data: Data, n: int, level: float | None = None
) -> Least:
    """The least g at which a kernel separates at n with X = I + g e_1 e_1^T; 0 if it does with
    X = I. ArithmeticError where it has no weights at a g that would have to be tried."""

    def verdict_at(weights: np.ndarray) -> np.ndarray:
        return separation(kernel, layer, data, np.full(len(weights), n), weights, level)

    most = _largest_weight(kernel, layer, data, [n])
    with_identity = verdict_at(np.zeros(1))[0]
    found = least_value(verdict_at, LEAST_WEIGHT, most)
    if math.isinf(found.value) and most < LARGEST_WEIGHT:
        raise ArithmeticError(f"no weights at g = {10 * most:g}")
    if math.isnan(with_identity):
        return replace(found, possible=0.0)
    return replace(found, value=0.0, possible=0.0) if with_identity else found


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
    those of functions that overflow."""
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


def tried_numbers(low: float, high: float) -> np.ndarray:
    """The numbers of weights, temperatures and degrees that are tried first."""
    return np.geomspace(low, high, round(GRID_PER_DECADE * math.log10(high / low)) + 1)


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

    grid = tried_numbers(low, high)
    at = first(np.tile(grid, (problems, 1)))
    lows, highs = grid[np.clip(at - 1, 0, None) % len(grid)], grid[at % len(grid)]
    while (highs / lows > 1 + PRECISION).any():
        edges = np.geomspace(lows, highs, PARTS + 1, axis=1)
        edges[:, 0], edges[:, -1] = lows, highs
        inner = np.minimum(first(edges[:, 1:-1]) + 1, PARTS)[:, None]
        lows, highs = (np.take_along_axis(edges, k, axis=1)[:, 0] for k in (inner - 1, inner))
    return np.where(at < len(grid), highs, np.inf)
