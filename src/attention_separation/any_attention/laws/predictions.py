"""What the mixture law predicts for a family of kernels.

A kernel separates, its best P above half of exp's, where its special token's share is at least f_c:
where n <= C R. In cross-attention D0's special row, of R_0, lifts the threshold: f1 has to reach
f0 + (1 - f0) f_c, so what counts is (f1 - f0) / (1 - f0), and n <= C R - (C + 1) R_0 with rho = 1.
f_c depends on rho and on m, which depend on n, so each prediction is a solution.

Left out are two shifts of order 1 / n, each worth at most R_0 beside R, which is at least rho and
1: D0's special row lifts the threshold, and the special token's class has a token less. Where the
special row makes its own class sigma times as loud as the rest, and not rho times, a level S moves
by (sigma - rho) (K - S) / (K - 1 + rho) signs, and J is at least 2 above: at most sigma - rho.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_separation.datasets.dataset import Data

from ..exact.layers import Layer
from ..exact.limits import (
    COLDEST,
    HOTTEST,
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    last_multiple,
    least_numbers,
)
from .loudness import (
    CROSS,
    LOUDEST,
    Family,
    LogWeight,
    Loudness,
    exponential,
    of_scores,
    power,
    sigmoid,
)
from .mixture import CONDITION, leaves_floor, probabilities, widest_gap
from .verdicts import LARGEST_ERROR

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


WORDS = (
    "D1's special token is R times as loud to itself as a token of another class is, that of D0 "
    "R_0 times, and rho is that of an ordinary row's own class. A level is b (Sigma + rho - 1) / "
    "(K - 1 + rho), Sigma the sum of K class signs, in cross-attention without b. C is n / R where "
    "P is half of exp's.",
    f"All laws of P and of n need: {CONDITION}",
    "What these laws leave out is worth e R + 2 R_0 beside R: shifts of order 1/n, and e by how "
    "much D1's special row makes its own class louder or fainter than rho, 0 for functions of "
    "scores. The error term of R is what they predict with so much less and with so much more. "
    "With X = I states of one level are in order if a1 h - 2 b |h - 1| > (a0 + b) R_0 - b rho. h "
    "is how many times as loud ordinary rows hear D1's special token as others, 1 for functions of "
    "scores. In the other two layers they are in order always.",
)
"""What the laws speak of, what all need, and what they leave out."""

ERROR = "That of R."
OF_SEARCH = "That of R, and 1e-7, to which it is searched for."
OF_LAST = "That of R, and a step of K."
IS_TEST = (
    f"The error term is at most {100 * LARGEST_ERROR:g} %. States of one level are in order, or it "
    "makes no difference."
)
SAME_AT_ENDS = "Neither the error term of R nor the order of one level's states makes a difference."


def shifted(family: Family, sign: int) -> Family:
    """A family with R less (-1), or more (1), by all that the law leaves out, and states of one
    level in order only where they are known to be."""

    def loud(layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0) -> Loudness:
        found = family(layer, data, n, weight)
        if sign == 0:
            return found
        parts = np.abs(found.same - found.own)
        parts += 2 * np.exp(np.minimum(found.on_d0 - found.on_d1, 0.0))
        with np.errstate(divide="ignore"):
            on_d1 = found.on_d1 + np.log(np.maximum(1 + sign * parts, 0.0))
        return replace(found, on_d1=on_d1, ordered=keeps_order(found, layer, data))

    return loud


def keeps_order(found: Loudness, layer: Layer, data: Data, value: float = 0.0) -> np.ndarray:
    """Whether D1's ordinary rows, which a1 lifts above a level, are above D0's special one, (P,).
    With X all ones they are lifted R times as high, and in cross-attention there is no such order.
    Where rows are not divided, each token is worth a `value` more."""
    if layer.model == CROSS or layer.attention_x != "identity":
        return np.ones(len(found.own), dtype=bool)
    own, on_d0 = data.b + value, np.exp(np.minimum(found.on_d0, LOUDEST))
    lifted = data.a1 * found.plain - 2 * data.b * np.abs(found.plain - 1)
    return on_d0 * (data.a0 + own) - found.own * own < lifted


def best_probability(family: Family, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """P at the kernel's own best threshold, (P,)."""
    return _best(family(layer, data, n, 0.0), layer, data, n)


def _best(found: Loudness, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    m = np.array([data.m(size) for size in n.tolist()])
    share, ordered = (
        np.exp(log_share(found, layer, data, n)),
        np.broadcast_to(found.ordered, n.shape),
    )
    return probabilities(share, found.own, m, layer, data, ordered)


def holds_at(
    family: Family, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> np.ndarray:
    """Whether a family separates at numbers of tokens n with weights g: (P,)."""
    of_exp = _of_exp(layer, data, tuple(n.tolist()))
    return _best(family(layer, data, n, weight), layer, data, n) >= of_exp / 2


@lru_cache(maxsize=1024)
def _of_exp(layer: Layer, data: Data, n: tuple[float, ...]) -> np.ndarray:
    sizes = np.unique(n)
    found = best_probability(of_scores(exponential(1.0)), layer, data, sizes)
    return found[np.searchsorted(sizes, n)]


def largest_n(family: Family, layer: Layer, data: Data) -> float:
    """The largest multiple of K up to 10^12 at which a family separates, the last crossing where
    jumps of m make several; 0 if there is none, inf if it still does at 10^12."""
    found = last_multiple(lambda n: holds_at(family, layer, data, n), data)
    return 0.0 if math.isnan(found) else found


def as_none_from(family: Family, layer: Layer, data: Data) -> float:
    """The multiple of K from which on a family has exactly the P of uniform attention in
    self-attention, and no more; inf where it has more at 10^12 still."""
    last = last_multiple(lambda n: above_none(family, layer, data, n), data)
    return data.classes + (0.0 if math.isnan(last) else last)


def above_none(family: Family, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """Whether a family has more than the P of uniform attention in self-attention, or may have
    less, (P,)."""
    found = family(layer, data, n, 0.0)
    others = np.log(n * (data.classes - 1 + found.own) / data.classes)
    shares = (np.exp(-np.logaddexp(0.0, others - on)) for on in (found.on_d1, found.on_d0))
    m = np.array([data.m(size) for size in n.tolist()])
    return leaves_floor(*shares, found.own, m, layer, data) | ~np.broadcast_to(
        found.ordered, n.shape
    )


def critical_temperatures(
    layer: Layer, data: Data, sizes: Sequence[float], sign: int = 0
) -> np.ndarray:
    """T* at each n, the highest at which e^(x/T) separates: with R = n^(gamma_1 / T) it is
    gamma_1 log n / (log n - log C), above its limit gamma_1; shifted by a sign, as all of these."""
    ends = 1 / HOTTEST, 1 / COLDEST
    return 1 / _least(lambda cold: exponential(1 / cold), ends, layer, data, sizes, sign)


def least_degrees(layer: Layer, data: Data, sizes: Sequence[float], sign: int = 0) -> np.ndarray:
    """The least real p at which x^p separates: log(n / C) / log r, r = sigma* / sigma_0."""
    return _least(power, DEGREES, layer, data, sizes, sign)


def critical_biases(layer: Layer, data: Data, sizes: Sequence[float], sign: int = 0) -> np.ndarray:
    """The least beta at which sigmoid(x - beta log n), divided by the row's sum, separates: about
    1 + sigma_0 - log C / log n; inf where none does."""
    return _least(sigmoid, BIASES, layer, data, sizes, sign)


def critical_temperature(layer: Layer, data: Data, n: int) -> float:
    """T* at one n."""
    return float(critical_temperatures(layer, data, [n])[0])


def least_degree(layer: Layer, data: Data, n: int) -> float:
    """The least p at one n."""
    return float(least_degrees(layer, data, [n])[0])


def margins(family: Family, layer: Layer, data: Data, n: int) -> tuple[float, float]:
    """`widest_gap` of a family."""
    found = family(layer, data, np.array([n]), 0.0)
    on_d1, on_d0, rho = (float(part[0]) for part in (found.on_d1, found.on_d0, found.own))
    return widest_gap(math.exp(on_d1), math.exp(on_d0), rho, n, layer, data)


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
    sizes: Sequence[float], sign: int,
) -> np.ndarray:  # fmt: skip
    """The least parameter of a family of score kernels at which it separates, at each n."""

    def holds(which: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        family = shifted(of_scores(of(parameters)), sign)
        return holds_at(family, layer, data, np.array(sizes)[which])

    return least_numbers(holds, len(sizes), *ends)
