"""From which value of a parameter on a kernel separates at a number of tokens n.

A *parameter* is one of a family of kernels that separate from some value of it on: the *coldness*
1/T of e^(x/T), the *degree* p of x^p; or it is the *weight* g in X = I + g e_1 e_1^T. Its *least
value* at n is the smallest at which the kernel separates, as of `verdicts`. Some values, so many a
decade, are tried first, and between two that differ the least is sought by bisection.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..attention.kernel import Kernel
from ..attention.kernels import exponential
from ..datasets.dataset import Data
from ..statistics.bisection import least_on_log_scale
from .layers import Layer
from .values import score_columns
from .verdicts import exp_probabilities, separates, separation

LEAST_WEIGHT, LARGEST_WEIGHT = 1e-8, 1e13
"""Between these the least weight is sought."""

COLDEST, HOTTEST = 1e-3, 1e4
"""Between these temperatures T are sought."""

PRECISION = 1e-8
"""Relative, of weights, temperatures and degrees."""

GRID_PER_DECADE = 3
"""Of weights, temperatures and degrees that are tried first."""


class Parameter(NamedTuple):
    """A parameter of kernels that separate from some value of it on: its values, (P, 1, 1) -> the
    kernel; and ends between which the least is sought."""

    kernel: Callable[[np.ndarray], Kernel]
    low: float
    high: float


def of_degrees(p: np.ndarray) -> Kernel:
    """The kernel x^p, with a degree p for each point."""
    return Kernel("x^p", "", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)


def _of_coldness(coldness: np.ndarray) -> Kernel:
    """The kernel e^(x/T), with a coldness 1/T for each point."""
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
    """Values a little smaller than the least ones, (P,), kept within the ends of the search."""
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
        """The values tried above the least one at which the kernel does not separate."""
        return self.tried[(self.tried > self.value) & (self.verdicts == 0)]

    @property
    def undecided_below(self) -> np.ndarray:
        """The values tried below the least one, or all if there is none, at which float64 does not
        tell."""
        return self.tried[(self.tried < self.value) & np.isnan(self.verdicts)]


def least_value(verdict_at: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> Least:
    """The least value in [low, high] at which a kernel separates, found from its verdicts at
    several values at once."""
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
    """The least weights g of X at which a kernel separates, as of `least_weights`; None where the
    kernel has no weights at a g that would have to be tried, as functions that overflow."""
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


def tried_numbers(low: float, high: float) -> np.ndarray:
    """The values of a parameter that are tried first, GRID_PER_DECADE a decade between the ends."""
    count = round(GRID_PER_DECADE * math.log10(high / low)) + 1
    return np.geomspace(low, high, count)


def least_numbers(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray], problems: int, low: float, high: float
) -> np.ndarray:
    """For each problem the least number in [low, high] from which on a condition holds, to
    PRECISION. The condition is called with indices of problems and a number for each."""
    return least_on_log_scale(holds, problems, tried_numbers(low, high), PRECISION)
