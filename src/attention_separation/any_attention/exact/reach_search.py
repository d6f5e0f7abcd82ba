"""How far a kernel goes: the largest n that it separates at, that from which on it equals
uniform attention, and what separates at an n: a temperature, a degree, the least weight in X.

A kernel *separates* at n if the probability P that its network alone separates D1 from D0, at the
best threshold, is above half of exp's and exp's is above 1/2; or, with a level, if P is at least
that. A *verdict* is 1 where a kernel separates, 0 where it does not, and NaN, undecided, where
float64 does not tell P well enough.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, exponential
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from ...statistics.bisection import last_multiple_between, least_on_log_scale
from .layers import Layer
from .values import probability_bounds, score_columns

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


Bounds = tuple[np.ndarray, np.ndarray]
"""What a best P is at least and at most, (P,) each."""


def separates(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: np.ndarray | float = 0.0,
    level: float | None = None,
) -> np.ndarray:
    """Whether a kernel separates at each n, (P,); not where float64 does not tell its best P."""
    return separation(kernel, layer, data, n, weight, level, by_bounds=False) == 1


def separation(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: np.ndarray | float = 0.0,
    level: float | None = None,
    *,
    by_bounds: bool = True,
) -> np.ndarray:
    """The verdict on a kernel at each n, (P,).

    by_bounds : whether there is one too where float64 does not tell the best P, and all that it may
        be has one answer
    """
    sizes = tuple(n.tolist())
    # What a function of somebody's gives may change: nothing of it is remembered.
    if np.any(weight) or KERNELS.get(kernel.name) is not kernel:
        bounds = probability_bounds(kernel, layer, data, sizes, weight)
    else:
        bounds = _bounds(kernel, layer, data, sizes)
    if not by_bounds:
        probability = _known_probability(bounds)
        bounds = (probability, probability)
    return verdicts(bounds, layer, data, sizes, level)


def verdicts(
    bounds: Bounds, layer: Layer, data: Data, n: tuple[int, ...], level: float | None = None
) -> np.ndarray:
    """The verdict at each n, (P,), from the bounds of the best P there."""
    least, most = bounds
    if level is not None:
        separates = least >= level
        fails = most < level
    else:
        least_of_exp, most_of_exp = _bounds(KERNELS["exp"], layer, data, n)
        separates = (least > most_of_exp / 2) & (least_of_exp > LEAST_OF_EXP)
        fails = (most <= least_of_exp / 2) | (most_of_exp <= LEAST_OF_EXP)
    return np.where(separates, 1.0, np.where(fails, 0.0, np.nan))


def exp_probabilities(layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """What exp can do at numbers of tokens n: all kernels are measured against it."""
    return _known_probability(_bounds(KERNELS["exp"], layer, data, n))


def _known_probability(bounds: Bounds) -> np.ndarray:
    """The best P, (P,), where its bounds are equal; NaN where they differ."""
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
    undecided = []
    undecided_ends = []
    for span in spans[UNDECIDED]:
        if ((asked >= span.first) & (asked <= span.last)).any():
            undecided.append(span)
        else:
            undecided_ends.append(span)
    return Reach(
        separates=tuple(spans[1.0]),
        fails=tuple(spans[0.0]),
        undecided=tuple(undecided),
        undecided_ends=tuple(undecided_ends),
    )


UNDECIDED = -1.0
"""Stands for NaN, which is not equal to itself."""


def _spans(
    value_at: Callable[[np.ndarray], np.ndarray], data: Data
) -> Iterator[tuple[float, Span]]:
    """All multiples of K up to 10^12 in spans of one value each, as far as `asked_sizes` tells."""
    step = data.classes
    grid = asked_sizes(data)
    values = value_at(grid)
    first = int(grid[0])
    for k in np.flatnonzero(values[1:] != values[:-1]):
        low = int(grid[k])
        high = int(grid[k + 1])
        value = values[k]
        # Between two neighbours there may be a third value.
        while value != values[k + 1]:
            last = _last_with(value, value_at, low, high, step)
            yield value, Span(first, float(last))
            first = last + step
            low = first
            if first == high:
                value = values[k + 1]
            else:
                value = value_at(np.array([first]))[0]
    yield values[-1], Span(first, math.inf)


def _last_with(
    value: float, value_at: Callable[[np.ndarray], np.ndarray], low: int, high: int, step: int
) -> int:
    """The last of the multiples of a step from `low` on, where a function has a value, before
    `high`, where it has another."""
    return last_multiple_between(lambda n: value_at(n) == value, low, high, step)


def probability_unknown_from(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The least n at which float64 does not tell the best P; NaN where it tells it at all n."""

    def is_unknown(n: np.ndarray) -> np.ndarray:
        bounds = _bounds(kernel, layer, data, tuple(n.tolist()))
        return np.isnan(_known_probability(bounds))

    for unknown, span in _spans(is_unknown, data):
        if unknown:
            return span.first
    return math.nan


def n_equal_to_uniform(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The multiple of K from which on, at all n up to 10^12 that are asked, a kernel's best P is
    that of uniform weights; inf where it is not at 10^12 still, NaN where float64 does not tell."""

    def differs(n: np.ndarray) -> np.ndarray:
        """1 where the two differ, 0 where they are equal, or UNDECIDED."""
        sizes = tuple(n.tolist())
        least, most = _bounds(kernel, layer, data, sizes)
        least_of_uniform, most_of_uniform = _bounds(KERNELS["uniform"], layer, data, sizes)
        distance = np.maximum(least - most_of_uniform, least_of_uniform - most)
        is_known = (least == most) & (least_of_uniform == most_of_uniform)
        is_apart = ~(distance <= SAME * least_of_uniform)
        return np.where(is_apart, 1.0, np.where(is_known, 0.0, UNDECIDED))

    *_, (last_value, last_span) = _spans(differs, data)
    if last_value == UNDECIDED:
        return math.nan
    if last_value == 1.0:
        return math.inf
    return last_span.first


def number_or_null(n: float) -> float | None:
    """A number of tokens as tables hold it, where inf has a meaning: null where there is none."""
    return None if math.isnan(n) else n


@lru_cache(maxsize=1024)
def _bounds(kernel: Kernel, layer: Layer, data: Data, n: tuple[int, ...]) -> Bounds:
    """`probability_bounds`, which several questions ask at the same n, at each of them once."""
    sizes, places = np.unique(n, return_inverse=True)
    least, most = probability_bounds(kernel, layer, data, sizes.tolist())
    return least[places], most[places]


def last_multiple(holds: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a condition holds; inf if it does at the
    largest one still, NaN if at none of those asked first: a gap between them can be missed."""
    grid = asked_sizes(data)
    where_it_holds = np.flatnonzero(holds(grid))
    if len(where_it_holds) == 0:
        return math.nan
    last = where_it_holds[-1]
    if last == len(grid) - 1:
        return math.inf
    return float(last_multiple_between(holds, int(grid[last]), int(grid[last + 1]), data.classes))


class Parameter(NamedTuple):
    """A parameter of kernels that separate from some value of it on: its values, (P, 1, 1) -> the
    kernel; and ends between which the least is sought."""

    kernel: Callable[[np.ndarray], Kernel]
    low: float
    high: float


def of_degrees(p: np.ndarray) -> Kernel:
    """x^p with a degree for each point."""
    return Kernel("x^p", "", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)


def _of_coldness(coldness: np.ndarray) -> Kernel:
    """e^(x/T) with 1 / T for each point."""
    return exponential("e^(x/T)", "", lambda _: 1 / coldness, "")


COLDNESS = Parameter(_of_coldness, low=1 / HOTTEST, high=1 / COLDEST)
"""1 / T of e^(x / T): R = n^((sigma* - sigma_0) / T)."""

DEGREE = Parameter(of_degrees, low=1e-2, high=1e3)
"""p of x^p: R = (sigma* / sigma_0)^p."""


def critical_temperatures(layer: Layer, data: Data, n: Sequence[int]) -> np.ndarray:
    """The highest T at which e^(x/T) separates at each n; 0 where it does at none from 1e-3 on, and
    NaN where float64 does not tell the best P of exp, or of the next higher T."""
    sizes = np.array(n)

    def verdict_at(problems: np.ndarray, coldness: np.ndarray) -> np.ndarray:
        kernel = COLDNESS.kernel(coldness[:, None, None])
        return separation(kernel, layer, data, sizes[problems], by_bounds=False)

    def separates_at(problems: np.ndarray, coldness: np.ndarray) -> np.ndarray:
        return verdict_at(problems, coldness) == 1

    least_coldness = least_numbers(separates_at, len(n), COLDNESS.low, COLDNESS.high)
    hotter = _just_below(least_coldness, COLDNESS.low, COLDNESS.high)
    is_undecided = np.isnan(verdict_at(np.arange(len(n)), hotter))
    is_undecided |= np.isnan(exp_probabilities(layer, data, tuple(n)))
    return np.where(is_undecided, np.nan, 1 / least_coldness)


def _just_below(least: np.ndarray, low: float, high: float) -> np.ndarray:
    """Values a little smaller than the least at which a kernel separates."""
    return np.clip(least / (1 + 10 * PRECISION), low, high)


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


def least_value(verdict_at: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> Least:
    """The least value in [low, high] at which a kernel separates, from what `separation` gives for
    each of several values."""
    tried = tried_numbers(low, high)
    value = least_numbers(lambda _, values: verdict_at(values) == 1, 1, low, high)
    possible = value
    if np.isnan(verdict_at(_just_below(value, low, high))[0]):
        possible = least_numbers(lambda _, values: verdict_at(values) != 0, 1, low, high)
    return Least(
        value=float(value[0]),
        possible=float(possible[0]),
        tried=tried,
        verdicts=verdict_at(tried),
    )


def least_parameter(
    parameter: Parameter, layer: Layer, data: Data, n: int, level: float | None
) -> Least:
    """The least value of a parameter at which a kernel separates at n."""

    def verdict_at(values: np.ndarray) -> np.ndarray:
        sizes = np.full(len(values), n)
        return separation(parameter.kernel(values[:, None, None]), layer, data, sizes, level=level)

    return least_value(verdict_at, parameter.low, parameter.high)


def least_weight(kernel: Kernel, layer: Layer, data: Data, n: int, level: float | None) -> Least:
    """The least g at which a kernel separates at n with X = I + g e_1 e_1^T; 0 if it does with
    X = I. ArithmeticError where it has no weights at a g that would have to be tried."""

    def verdict_at(weights: np.ndarray) -> np.ndarray:
        return separation(kernel, layer, data, np.full(len(weights), n), weights, level)

    most = _largest_weight(kernel, layer, data, [n])
    with_identity = verdict_at(np.zeros(1))[0]
    least = least_value(verdict_at, LEAST_WEIGHT, most)
    if math.isinf(least.value) and most < LARGEST_WEIGHT:
        raise ArithmeticError(f"no weights at g = {10 * most:g}")
    if math.isnan(with_identity):
        return replace(least, possible=0.0)
    if with_identity == 1:
        return replace(least, value=0.0, possible=0.0)
    return least


def least_weights(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: Sequence[int],
    most: float = LARGEST_WEIGHT,
    separates: Callable[..., np.ndarray] = separates,
) -> np.ndarray:
    """The least g at each n at which a kernel separates with X = I + g e_1 e_1^T; 0 if it does with
    X = I, and inf if it does at no g up to `most`. `separates` is called as the function here."""
    sizes = np.array(n)

    def separates_with(problems: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return separates(kernel, layer, data, sizes[problems], weights)

    least = least_numbers(separates_with, len(n), LEAST_WEIGHT, most)
    return np.where(separates(kernel, layer, data, sizes), 0.0, least)


def known_least_weights(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int]
) -> list[float | None]:
    """`least_weights`; None where the kernel has no weights at a g that would have to be tried, as
    those of functions that overflow."""
    most = _largest_weight(kernel, layer, data, n)
    try:
        least = least_weights(kernel, layer, data, n, most)
    except ArithmeticError:
        return [None] * len(n)
    if most == LARGEST_WEIGHT:
        return least.tolist()
    return [None if math.isinf(weight) else weight for weight in least.tolist()]


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
    classes = data.classes
    # Of tokens in a class: n is K times as many.
    least = math.ceil(2 / classes)
    last_of_all = max(EVERY // classes, 1)
    largest = LARGEST_N // classes
    decades = math.log10(largest / last_of_all)
    every_size = range(least, last_of_all + 1)
    beyond = np.geomspace(last_of_all, largest, round(20 * decades) + 1).astype(np.int64)
    sizes = np.unique([*every_size, *beyond]) * classes
    asked = np.unique([*sizes.tolist(), *_beside_changes_of_m(data, sizes)])
    asked.flags.writeable = False
    return asked


def _beside_changes_of_m(data: Data, sizes: np.ndarray) -> list[int]:
    """Between neighbours of sizes (S,) with different m, the last n with the m of the smaller one,
    and the next n."""

    def m_at(n: np.ndarray) -> np.ndarray:
        return np.array([data.m(size) for size in n.tolist()])

    m = m_at(sizes)
    beside = []
    for k in np.flatnonzero(np.diff(m)):
        last = _last_with(m[k], m_at, int(sizes[k]), int(sizes[k + 1]), data.classes)
        beside += [last, last + data.classes]
    return beside


def tried_numbers(low: float, high: float) -> np.ndarray:
    """The numbers of weights, temperatures and degrees that are tried first."""
    count = round(GRID_PER_DECADE * math.log10(high / low)) + 1
    return np.geomspace(low, high, count)


def least_numbers(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray], problems: int, low: float, high: float
) -> np.ndarray:
    """For each problem the least number in [low, high] from which on a condition holds, to
    PRECISION, as of `least_on_log_scale`."""
    return least_on_log_scale(holds, problems, tried_numbers(low, high), PRECISION)
