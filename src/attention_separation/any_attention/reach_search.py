"""How far a kernel separates: of the multiples of K, up to which n it does, and from which on it
equals uniform attention.

n stands for numbers of tokens, which are multiples of the number K of classes, up to 10^12. A
*span* is a run of neighbouring multiples at which something is so. The *reach* of a kernel is its
spans of each verdict (as of `verdicts`): where it separates, where it does not, and where float64
does not tell. Some multiples are *asked* first, and where two neighbours of these differ, the end
of a span is sought between them.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..attention.kernel import Kernel
from ..attention.kernel_names import is_built_in
from ..attention.kernels import KERNELS
from ..attention.steps import beside_steps, weights_by_n
from ..attention.threshold_curves import LARGEST_N
from ..datasets.dataset import Data
from ..statistics.bisection import last_multiple_between
from .bends import sizes_at_bends
from .layers import Layer
from .verdicts import known_probability, remembered_bounds, separation

SAME_PROBABILITY = 1e-12
"""Probabilities closer than this, relative, are the same."""

EVERY_MULTIPLE_ASKED_UP_TO = 3_000
"""Up to here every multiple of K is asked."""

UNDECIDED = -1.0
"""Stands for NaN, which is not equal to itself."""


@dataclass(frozen=True)
class Span:
    """Neighbours of the multiples of K at which something is so."""

    first: int
    last: float  # inf where it is so at the largest of them, 10^12 or the last below


@dataclass(frozen=True)
class Reach:
    """Where a kernel separates, of the multiples of K up to 10^12: those that `sizes_asked_of` has
    were asked, and where two neighbours of these differ the ends were sought between them."""

    separates: tuple[Span, ...]
    fails: tuple[Span, ...]
    undecided: tuple[Span, ...]  # where float64 does not tell whether it separates
    # The same between two neighbours that were asked: where their ends are is not told.
    undecided_ends: tuple[Span, ...] = ()
    # Those n that were asked because a kernel of one's own has weights that bend there.
    bends: tuple[int, ...] = ()

    @property
    def last(self) -> float:
        """The largest n at which the kernel separates; inf if it does at 10^12 still, NaN if at
        none."""
        return self.separates[-1].last if self.separates else math.nan

    @property
    def holes(self) -> list[Span]:
        """The spans of n below `last` at which the kernel does not separate."""
        return [span for span in self.fails if span.last < self.last]

    @property
    def undecided_beyond(self) -> Span | None:
        """The first span of n above `last` at which float64 does not tell."""
        last = self.last if self.separates else 0
        return next((span for span in self.undecided if span.first > last), None)


def reach(
    kernel: Kernel, layer: Layer, data: Data, level: float | None = None, *, by_bounds: bool = True
) -> Reach:
    """Where a kernel separates, searched over n up to 10^12; `level` and `by_bounds` are those of
    `separation`."""

    def verdict_at(n: np.ndarray) -> np.ndarray:
        verdict = separation(kernel, layer, data, n, level=level, by_bounds=by_bounds)
        return np.nan_to_num(verdict, nan=UNDECIDED)

    bends = np.array([], dtype=int)
    spans: dict[float, list[Span]] = {1.0: [], 0.0: [], UNDECIDED: []}
    tried_sizes = sizes_asked_of(kernel, layer, data)
    if not is_built_in(kernel):
        bends = sizes_at_bends(kernel, layer, data, tried_sizes)
        tried_sizes = np.union1d(tried_sizes, bends)
    for verdict, span in _spans(verdict_at, data, tried_sizes):
        spans[verdict].append(span)
    undecided = []
    undecided_ends = []
    for span in spans[UNDECIDED]:
        if ((tried_sizes >= span.first) & (tried_sizes <= span.last)).any():
            undecided.append(span)
        else:
            undecided_ends.append(span)
    return Reach(
        separates=tuple(spans[1.0]),
        fails=tuple(spans[0.0]),
        undecided=tuple(undecided),
        undecided_ends=tuple(undecided_ends),
        bends=tuple(bends.tolist()),
    )


def _spans(
    value_at: Callable[[np.ndarray], np.ndarray], data: Data, grid: np.ndarray
) -> Iterator[tuple[float, Span]]:
    """The spans of the multiples of K up to 10^12, in order, each with the value of the function in
    it, as far as the values on a grid tell."""
    step = data.classes
    values = value_at(grid)
    first = int(grid[0])
    for k in np.flatnonzero(values[1:] != values[:-1]):
        low = int(grid[k])
        high = int(grid[k + 1])
        value = values[k]
        # Between two neighbours there may be a third value.
        while value != values[k + 1]:
            last = _last_with_value(value, value_at, low, high, step)
            yield value, Span(first, float(last))
            first = last + step
            low = first
            if first == high:
                value = values[k + 1]
            else:
                value = value_at(np.array([first]))[0]
    yield values[-1], Span(first, math.inf)


def _last_with_value(
    value: float, value_at: Callable[[np.ndarray], np.ndarray], low: int, high: int, step: int
) -> int:
    """The last multiple of a step at which a function has a value, between `low`, where it has, and
    `high`, where it has another."""
    return last_multiple_between(lambda n: value_at(n) == value, low, high, step)


def probability_unknown_from(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The least n at which float64 does not tell the best P; NaN where it tells it at all n."""

    def is_unknown(n: np.ndarray) -> np.ndarray:
        bounds = remembered_bounds(kernel, layer, data, tuple(n.tolist()))
        return np.isnan(known_probability(bounds))

    for unknown, span in _spans(is_unknown, data, asked_sizes(data)):
        if unknown:
            return span.first
    return math.nan


def n_equal_to_uniform(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The multiple of K from which on, at all n up to 10^12 that are asked, a kernel's best P is
    that of uniform weights; inf where it is not at 10^12 still, NaN where float64 does not tell."""

    def differs(n: np.ndarray) -> np.ndarray:
        """1 where the two differ, 0 where they are equal, or UNDECIDED."""
        sizes = tuple(n.tolist())
        least, most = remembered_bounds(kernel, layer, data, sizes)
        least_of_uniform, most_of_uniform = remembered_bounds(
            KERNELS["uniform"], layer, data, sizes
        )
        distance = np.maximum(least - most_of_uniform, least_of_uniform - most)
        is_known = (least == most) & (least_of_uniform == most_of_uniform)
        is_apart = ~(distance <= SAME_PROBABILITY * least_of_uniform)
        return np.where(is_apart, 1.0, np.where(is_known, 0.0, UNDECIDED))

    *_, (last_value, last_span) = _spans(differs, data, asked_sizes(data))
    if last_value == UNDECIDED:
        return math.nan
    if last_value == 1.0:
        return math.inf
    return last_span.first


def number_or_null(n: float) -> float | None:
    """A number of tokens as tables hold it, where inf has a meaning: null where there is none."""
    return None if math.isnan(n) else n


def last_multiple(holds: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a condition holds; inf if it holds at the
    largest one still, NaN if at none that is tried. A run between two that are tried can be
    missed."""
    grid = asked_sizes(data)
    where_it_holds = np.flatnonzero(holds(grid))
    if len(where_it_holds) == 0:
        return math.nan
    last = where_it_holds[-1]
    if last == len(grid) - 1:
        return math.inf
    return float(last_multiple_between(holds, int(grid[last]), int(grid[last + 1]), data.classes))


@lru_cache(maxsize=64)
def asked_sizes(data: Data) -> np.ndarray:
    """The multiples of K up to 10^12 that are tried first: all up to 3,000; beyond, 20 a decade,
    and both sides of every change of m, where P jumps."""
    classes = data.classes
    # Of tokens in a class: n is K times as many.
    least = math.ceil(2 / classes)
    last_in_full = max(EVERY_MULTIPLE_ASKED_UP_TO // classes, 1)
    largest = LARGEST_N // classes
    decades = math.log10(largest / last_in_full)
    every_size = range(least, last_in_full + 1)
    spread_sizes = np.geomspace(last_in_full, largest, round(20 * decades) + 1).astype(np.int64)
    sizes = np.unique([*every_size, *spread_sizes]) * classes
    sizes_and_steps = np.unique([*sizes.tolist(), *_beside_changes_of_m(data, sizes)])
    sizes_and_steps.flags.writeable = False
    return sizes_and_steps


def sizes_asked_of(kernel: Kernel, layer: Layer, data: Data) -> np.ndarray:
    """The n that are tried for a kernel: `asked_sizes`, and for a user's kernel also both sides of
    each n at which its weights jump."""
    sizes_of_data = asked_sizes(data)
    if is_built_in(kernel):
        return sizes_of_data
    weights_at = weights_by_n(kernel, layer.d(data.classes))
    sizes_beside_jumps = beside_steps(weights_at, sizes_of_data, data.classes)
    return np.union1d(sizes_of_data, np.array(sizes_beside_jumps, dtype=int))


def _beside_changes_of_m(data: Data, sizes: np.ndarray) -> list[int]:
    """The n on both sides of each change of m between neighbours of sizes (S,): the last with the
    smaller one's m, and the next."""

    def m_at(n: np.ndarray) -> np.ndarray:
        return np.array([data.m(size) for size in n.tolist()])

    m = m_at(sizes)
    sizes_beside = []
    for k in np.flatnonzero(np.diff(m)):
        last = _last_with_value(m[k], m_at, int(sizes[k]), int(sizes[k + 1]), data.classes)
        sizes_beside += [last, last + data.classes]
    return sizes_beside
