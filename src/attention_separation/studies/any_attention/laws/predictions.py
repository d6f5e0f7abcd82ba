"""What the mixture law predicts: up to which n a kernel separates, and from which parameter on.

A kernel separates where its best P is at least half of exp's: where the share f of its special
token is at least some f_c. With C = (1 / f_c - 1) K / (K - 1 + rho) that is n <= C R. In
cross-attention D0's special row, of R_0, lifts the threshold: f_1 has to reach f_0 + (1 - f_0) f_c.
What counts there is (f_1 - f_0) / (1 - f_0), and rho is 1, so that it is n <= C R - (C + 1) R_0.
f_c depends on rho and on m, which depend on n, so each prediction is a solution.

Left out are two shifts of order 1 / n, each worth at most R_0 beside R, which is at least rho and
1: D0's special row lifts the threshold, and the special token's class has a token less. Where the
special row has another weight ratio of its own class than rho, sigma, a level S moves by
(sigma - rho) (K - S) / (K - 1 + rho) signs, and J is at least 2 above: at most sigma - rho. All
functions take a `shift` of R: none for the law, or less or more by all that it leaves out. A
`Bracket` has all three.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, partial

import numpy as np

from ....any_attention import least_values, reach_search
from ....any_attention.layers import Layer
from ....any_attention.least_values import COLDNESS, DEGREE, Parameter
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS, entmax, minus_mean, sigmoid
from ....datasets.dataset import Data
from .law import Bracket
from .mixture import CROSS, LARGEST_LOG_RATIO, SELF, Mixture, WeightRatios, gamma, weight_ratios


class Shift(IntEnum):
    """By what R is shifted: by the law's error term down or up, or not."""

    DOWN = -1
    NONE = 0
    UP = 1


def bracket(value_at: Callable[[Shift], float]) -> Bracket:
    """The bracket of a number, from the function that predicts it with R shifted."""
    low = value_at(Shift.DOWN)
    high = value_at(Shift.UP)
    return Bracket(value_at(Shift.NONE), ends=(low, high))


def brackets(values_at: Callable[[Shift], np.ndarray]) -> list[Bracket]:
    """The brackets of several numbers, (P,), from the function that predicts them with R
    shifted."""
    low = values_at(Shift.DOWN).tolist()
    predicted = values_at(Shift.NONE).tolist()
    high = values_at(Shift.UP).tolist()
    numbers = zip(predicted, low, high, strict=True)
    return [Bracket(number, ends=(lower, higher)) for number, lower, higher in numbers]


Separates = Callable[..., np.ndarray]
"""Whether kernels separate: a kernel, a layer, data, numbers of tokens (P,), and if X is not I
weights g (P,) -> (P,) bool. By the law it is `separates_at`, by exact values
`verdicts.separates`."""

BIAS = Parameter(lambda beta: sigmoid("", "", beta, ""), 1e-2, 1e2)
"""beta of sigmoid(x - beta log n), divided by the row's sum: R ~ n^(min(sigma*, beta) - sigma_0)
for beta above sigma_0."""


def shifted_ratios(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: float | np.ndarray = 0.0,
    shift: Shift = Shift.NONE,
) -> WeightRatios:
    """A kernel's weight ratios, shifted to an end of the error term. There the states of one level
    count as in order only where that is known."""
    ratios = weight_ratios(kernel, layer, data, n, weight)
    if shift == Shift.NONE:
        return ratios
    left_out = np.abs(ratios.same - ratios.own)
    left_out += 2 * np.exp(np.minimum(ratios.log_d0 - ratios.log_d1, 0.0))
    with np.errstate(divide="ignore"):
        log_d1 = ratios.log_d1 + np.log(np.maximum(1 + shift * left_out, 0.0))
    return replace(ratios, log_d1=log_d1, ordered=keeps_order(ratios, layer, data))


def keeps_order(ratios: WeightRatios, layer: Layer, data: Data, value: float = 0.0) -> np.ndarray:
    """Whether D1's ordinary rows, which a1 lifts above a level, are above D0's special one, (P,).
    With X all ones they are lifted R times as high, and in cross-attention there is no such order.
    Where rows are not divided, each token is worth a `value` more."""
    if layer != SELF:
        return np.ones(len(ratios.own), dtype=bool)
    worth = data.b + value
    ratio_d0 = np.exp(np.minimum(ratios.log_d0, LARGEST_LOG_RATIO))
    above_on_d0 = ratio_d0 * (data.a0 + worth) - ratios.own * worth
    above_on_d1 = data.a1 * ratios.ordinary - 2 * data.b * np.abs(ratios.ordinary - 1)
    return above_on_d0 < above_on_d1


def log_share(ratios: WeightRatios, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """The logarithm of the special token's share, f = R / (R + n (K - 1 + rho) / K), in
    cross-attention (R - R_0) / (R + n); -inf where R is not above R_0."""
    log_others = np.log(n) + np.log((data.classes - 1 + ratios.own) / data.classes)
    share = ratios.log_d1 - np.logaddexp(ratios.log_d1, log_others)
    if layer != CROSS:
        return share
    with np.errstate(divide="ignore"):
        return share + np.log(-np.expm1(np.minimum(ratios.log_d0 - ratios.log_d1, 0.0)))


def sign_columns(data: Data, n: np.ndarray) -> np.ndarray:
    """The number m of sign columns at each n, (P,)."""
    return np.array([data.m(size) for size in n.tolist()])


def best_probability(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: float | np.ndarray = 0.0,
    shift: Shift = Shift.NONE,
) -> np.ndarray:
    """P at the kernel's best threshold, by the law, at each n, (P,)."""
    ratios = shifted_ratios(kernel, layer, data, n, weight, shift)
    share = np.exp(log_share(ratios, layer, data, n))
    law = Mixture(layer, data)
    return law.probabilities(share, ratios.own, sign_columns(data, n), ratios.ordered)


def separates_at(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: float | np.ndarray = 0.0,
    shift: Shift = Shift.NONE,
) -> np.ndarray:
    """Whether a kernel separates, by the law, at each n with a weight g of X, (P,)."""
    probability = best_probability(kernel, layer, data, n, weight, shift)
    return probability >= _probability_of_exp(layer, data, tuple(n.tolist())) / 2


@lru_cache(maxsize=1024)
def _probability_of_exp(layer: Layer, data: Data, n: tuple[float, ...]) -> np.ndarray:
    """P of exp at its best threshold, by the law, at each n; remembered."""
    sizes = np.unique(n)
    probabilities = best_probability(KERNELS["exp"], layer, data, sizes)
    return probabilities[np.searchsorted(sizes, n)]


def largest_n(kernel: Kernel, layer: Layer, data: Data, shift: Shift = Shift.NONE) -> float:
    """The largest multiple of K up to 10^12 at which a kernel separates, the last crossing where
    jumps of m make several; 0 if there is none, inf if it separates at 10^12 too."""
    separates = partial(separates_at, kernel, layer, data, shift=shift)
    last = reach_search.last_multiple(separates, data)
    return 0.0 if math.isnan(last) else last


def least_parameters(
    parameter: Parameter,
    layer: Layer,
    data: Data,
    sizes: Sequence[float],
    shift: Shift = Shift.NONE,
    separates: Separates | None = None,
) -> np.ndarray:
    """The least value of a parameter at each n at which kernels separate, by the law, or by exact
    values, `verdicts.separates`; inf where they do at none."""
    separates = separates or partial(separates_at, shift=shift)
    n = np.array(sizes)

    def holds(indices: np.ndarray, values: np.ndarray) -> np.ndarray:
        kernel = parameter.kernel(values[:, None, None])
        return separates(kernel, layer, data, n[indices])

    return least_values.least_numbers(holds, len(sizes), parameter.low, parameter.high)


def critical_temperatures(
    layer: Layer, data: Data, sizes: Sequence[float], shift: Shift = Shift.NONE
) -> np.ndarray:
    """T* at each n, the highest at which e^(x/T) separates: with R = n^(gamma_1 / T) it is
    gamma_1 log n / (log n - log C), above its limit gamma_1."""
    return 1 / least_parameters(COLDNESS, layer, data, sizes, shift)


least_degrees = partial(least_parameters, DEGREE)
"""The least real p at each n at which x^p separates: log(n / C) / log(sigma* / sigma_0)."""


def needed_gaps(
    alpha: float,
    layer: Layer,
    data: Data,
    sizes: Sequence[float],
    shift: Shift = Shift.NONE,
    separates: Separates | None = None,
) -> np.ndarray:
    """The gap at each n above which alpha-entmax of x / T separates, where the gap is the special
    token's score over T less that of the rest."""

    def kernel(coldness: np.ndarray) -> Kernel:
        weigh = entmax(alpha, lambda _: 1 / coldness)
        return Kernel("", "", "row", weigh, normaliser="none")

    parameter = COLDNESS._replace(kernel=kernel)
    coldness = least_parameters(parameter, layer, data, sizes, shift, separates)
    return gamma(layer, data) * np.log(sizes) * coldness


def least_subtractions(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    sizes: Sequence[float],
    shift: Shift = Shift.NONE,
    separates: Separates | None = None,
) -> np.ndarray:
    """The least 1 / (1 - lambda) at each n at which a kernel separates once a part of its rows'
    mean is taken off: f - lambda / n for rows f."""

    def rows_less_the_mean(inverse: np.ndarray) -> Kernel:
        return replace(minus_mean(1 - 1 / inverse, kernel), row_sum=None)

    parameter = Parameter(rows_less_the_mean, low=1.0, high=1e12)
    return least_parameters(parameter, layer, data, sizes, shift, separates)


critical_biases = partial(least_parameters, BIAS)
"""The least beta at each n at which sigmoid(x - beta log n), divided by the row's sum, separates:
about 1 + sigma_0 - log C / log n."""


def least_weights(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    sizes: Sequence[int],
    shift: Shift = Shift.NONE,
    separates: Separates | None = None,
) -> np.ndarray:
    """The least weight g in X at each n at which a kernel separates, by the law, or with
    `separates` by exact values, `verdicts.separates`."""
    separates = separates or partial(separates_at, shift=shift)
    return least_values.least_weights(kernel, layer, data, sizes, separates=separates)


def stacked(data: Data, *sizes: int) -> list[int]:
    """The largest multiple of K up to each of these numbers of tokens, of those that are large
    enough for one."""
    return [size - size % data.classes for size in sizes if size >= 2 * data.classes]
