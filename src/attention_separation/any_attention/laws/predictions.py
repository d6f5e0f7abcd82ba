"""What the mixture law predicts for a family of kernels.

A kernel separates, its best P above half of exp's, where its special token's share is at least f_c:
where n <= C R. In cross-attention D0's special row, of R_0, lifts the threshold: f1 has to reach
f0 + (1 - f0) f_c, so what counts is (f1 - f0) / (1 - f0), and n <= C R - (C + 1) R_0 with rho = 1.
f_c depends on rho and on m, which depend on n, so each prediction is a solution.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.any_attention.exact.limits import (
    COLDEST,
    HOTTEST,
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    last_multiple,
    least_numbers,
)
from attention_separation.any_attention.laws.loudness import (
    CROSS,
    Family,
    LogWeight,
    Loudness,
    exponential,
    of_scores,
    power,
    sigmoid,
)
from attention_separation.any_attention.laws.mixture import (
    is_enough,
    leaves_floor,
    level_of_margin,
    probability,
    reach,
)
from attention_separation.datasets.data import Data

DEGREES = (1e-2, 1e3)
BIASES = (1e-2, 1e2)
"""Where least degrees and biases are searched for."""


def log_share(found: Loudness, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """log f = log(R / (R + n (K - 1 + rho) / K)), in cross-attention of (R - R_0) / (R + n); -inf
    where R is not above R_0."""
    others = np.log(n) + np.log((data.classes - 1 + found.own) / data.classes)
    whole = found.on_d1 - np.logaddexp(found.on_d1, others)
    if layer.model != CROSS:
        return whole
    with np.errstate(divide="ignore"):
        return whole + np.log(-np.expm1(np.minimum(found.on_d0 - found.on_d1, 0.0)))


def best_probability(family: Family, layer: Layer, data: Data, n: int) -> float:
    """P at the kernel's own best threshold."""
    found = family(layer, data, np.array([n]), 0.0)
    share = math.exp(log_share(found, layer, data, np.array([n]))[0])
    return probability(share, float(found.own[0]), data.m(n), layer, data)


def holds_at(
    family: Family, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> np.ndarray:
    """Whether a family separates at numbers of tokens n with weights g: (P,)."""
    found = family(layer, data, n, weight)
    m = np.array([data.m(size) for size in n.tolist()])
    share = np.exp(log_share(found, layer, data, n))
    return is_enough(share, found.own, m, layer, data)


def largest_n(family: Family, layer: Layer, data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a family separates, the last crossing where
    jumps of m make several; 0 if there is none, inf if it still does at 10^12."""
    found = last_multiple(lambda n: holds_at(family, layer, data, n), data)
    return 0.0 if math.isnan(found) else found


def as_none_from(family: Family, layer: Layer, data: Data) -> float:
    """The multiple of K from which on a family has exactly the P of no attention in self-attention,
    and no more; inf where it has more at 10^12 still."""

    def holds(n: np.ndarray) -> np.ndarray:
        found = family(layer, data, n, 0.0)
        others = n * (data.classes - 1 + found.own) / data.classes
        heards = found.on_d1, found.on_d0
        shares = (np.exp(-np.logaddexp(0.0, np.log(others) - heard)) for heard in heards)
        m = np.array([data.m(size) for size in n.tolist()])
        return leaves_floor(*shares, found.own, m, layer, data)

    last = last_multiple(holds, data)
    return data.classes + (0.0 if math.isnan(last) else last)


def critical_temperatures(layer: Layer, data: Data, sizes: Sequence[float]) -> np.ndarray:
    """T* at each n, the highest at which e^(x/T) separates: with R = n^(gamma_1 / T) it is
    gamma_1 log n / (log n - log C), above its limit gamma_1, `loudness.special_gain`."""
    ends = 1 / HOTTEST, 1 / COLDEST
    return 1 / _least(lambda cold: exponential(1 / cold), ends, layer, data, sizes)


def least_degrees(layer: Layer, data: Data, sizes: Sequence[float]) -> np.ndarray:
    """The least real p at which x^p separates: log(n / C) / log r, r = sigma* / sigma_0."""
    return _least(power, DEGREES, layer, data, sizes)


def critical_biases(layer: Layer, data: Data, sizes: Sequence[float]) -> np.ndarray:
    """The least beta at which sigmoid(x - beta log n), divided by the row's sum, separates: about
    1 + sigma_0 - log C / log n; inf where none does."""
    return _least(sigmoid, BIASES, layer, data, sizes)


def critical_temperature(layer: Layer, data: Data, n: int) -> float:
    """T* at one n."""
    return float(critical_temperatures(layer, data, [n])[0])


def least_degree(layer: Layer, data: Data, n: int) -> float:
    """The least p at one n."""
    return float(least_degrees(layer, data, [n])[0])


def margin(family: Family, layer: Layer, data: Data, n: int) -> float:
    """n times the largest 2 eps at half of the kernel's own P, while f is small, in units of s.

    The threshold is at a level J of the floor. D1's special row is above it by its share times
    a1 + b - J's score, D0's by its own: K / (K - 1 + rho) of R (a1 + ...) - R_0 (a0 + ...).
    """
    found = family(layer, data, np.array([n]), 0.0)
    on_d1, on_d0, rho = (float(part[0]) for part in (found.on_d1, found.on_d0, found.own))
    of_d1, of_d0 = math.exp(on_d1), math.exp(on_d0)
    level = level_of_margin(rho, data.m(n), layer, data)
    if layer.model == CROSS:
        return (of_d1 - of_d0) * (2 - level)
    lifted = data.a1 * of_d1 - data.a0 * of_d0 + (of_d1 - of_d0) * (data.b - level)
    return data.classes / (data.classes - 1 + rho) * lifted


def margin_of_all(family: Family, layer: Layer, data: Data, n: int) -> float:
    """The largest 2 eps at half of the kernel's own P where the special token has all of its row:
    a1 + b less J's score, in cross-attention 2 less it."""
    rho = float(family(layer, data, np.array([n]), 0.0).own[0])
    value = 2.0 if layer.model == CROSS else data.a1 + data.b
    return value - level_of_margin(rho, data.m(n), layer, data, share=1.0)


def weight_of_exp_features(layer: Layer, data: Data, n: int) -> float:
    """sqrt(1 + g) from which on element-wise exp of features separates, from n = C R: R is
    e^(a1 s sqrt(1 + g)), and e^(s sqrt(1 + g)) in cross-attention, where keys have the size 1."""
    size = 1.0 if layer.model == CROSS else data.a1
    log_n = math.log(n)
    return (log_n - math.log(reach(1.0, data.m(n), layer, data))) / (size * math.sqrt(log_n))


def least_weights(family: Family, layer: Layer, data: Data, sizes: Sequence[int]) -> np.ndarray:
    """The least g at each n at which a family separates with X = I + g e_1 e_1^T; 0 if it does with
    X = I, and inf if at no g up to 1e13."""
    n = np.array(sizes)

    def holds(which: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return holds_at(family, layer, data, n[which], weights)

    found = least_numbers(holds, len(n), LEAST_WEIGHT, LARGEST_WEIGHT)
    return np.where(holds_at(family, layer, data, n), 0.0, found)


def _least(
    of: Callable[[np.ndarray], LogWeight], ends: tuple[float, float], layer: Layer, data: Data,
    sizes: Sequence[float],
) -> np.ndarray:  # fmt: skip
    """The least parameter of a family of score kernels at which it separates, at each n."""

    def holds(which: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        return holds_at(of_scores(of(parameters)), layer, data, np.array(sizes)[which])

    return least_numbers(holds, len(sizes), *ends)
