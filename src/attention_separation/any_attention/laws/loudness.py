"""How much louder the special token is than an ordinary one, in closed form, for scores.

Scores are sigma log n with sigmas of the layer and the data: that of the special token on itself,
sigma*, of a class on itself, and of one class on another, sigma_0. A family of kernels is a
function (sigma, log n) -> log weight. The special token is R times as loud as the rest on D1, R_0
times on D0, and an ordinary row's own class rho times. The weight g in X = I + g e_1 e_1^T counts
in sigma* alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from attention_separation.attention.distinct_rows import OWN, REST, SAME, SPECIAL, distinct_rows
from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.datasets.dataset import Data

from ..exact.layers import Layer, token_types

CROSS = "cross_attention"

LogWeight = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(sigma, log n), which broadcast -> the logarithm of the weight at the score sigma log n."""


def power(p: float | np.ndarray) -> LogWeight:
    """x^p: R = (sigma* / sigma_0)^p, whatever n."""
    return lambda sigma, log_n: p * np.log(sigma * log_n)


def taylor(p: int) -> LogWeight:
    """1 + x + ... + x^p / p!, term by term in logarithms."""
    terms = np.arange(p + 1)
    # SciPy has this of arrays, and takes longer to load than all of these laws to predict.
    log_factorials = np.array([math.lgamma(k + 1) for k in range(p + 1)])

    def log_weight(sigma, log_n):
        log_x = np.log(sigma * log_n)[..., None]
        return np.logaddexp.reduce(terms * log_x - log_factorials, axis=-1)

    return log_weight


def exponential(temperature: float | np.ndarray) -> LogWeight:
    """e^(x / T): R = n^((sigma* - sigma_0) / T)."""
    return lambda sigma, log_n: sigma * log_n / temperature


def sigmoid(beta: float | np.ndarray) -> LogWeight:
    """sigma(x - beta log n), to be divided by the row's sum: R ~ n^(min(sigma*, beta) - sigma_0)
    for beta above sigma_0."""
    return lambda sigma, log_n: -np.logaddexp(0.0, (beta - sigma) * log_n)


LEAST = 1e-300
"""A weight that float64 has as 0 is no more than this."""

LOUDEST = 700.0
"""log rho beyond which nothing changes, and float64 ends."""


@dataclass(frozen=True)
class Sigmas:
    """Scores over log n of one type of row."""

    special: float | np.ndarray
    own: float
    rest: float


def sigmas(layer: Layer, data: Data, a: float, weight: float | np.ndarray = 0.0) -> list[Sigmas]:
    """Of each type of row that hears the special token, of size a, apart from the rest: with X all
    ones ordinary rows, which all classes are alike to, hear it too."""
    b, c = data.b, data.c
    if layer.model == CROSS:
        return [Sigmas(1 + a * (1 + weight), 1.0, 1.0)]
    if layer.attention_x == "identity":
        return [Sigmas(a * a * (1 + weight) + b * b + c * c, b * b + c * c, c * c)]
    plain, special = b + c, a + b + c
    return [
        Sigmas(special * special, special * plain, special * plain),
        Sigmas(plain * special, plain * plain, plain * plain),
    ]


@dataclass(frozen=True)
class Loudness:
    """log R and log R_0, of the row type that hears the special token best, rho, how many times as
    loud as the rest D1's special row makes its own class, and an ordinary row the special token of
    another one; and whether states of one level are in order, each (P,)."""

    on_d1: np.ndarray
    on_d0: np.ndarray
    own: np.ndarray
    same: np.ndarray
    plain: np.ndarray | float = 1.0
    ordered: np.ndarray | bool = True


Family = Callable[[Layer, Data, np.ndarray, float | np.ndarray], Loudness]
"""(layer, data, n, weight g) -> how loud a family of kernels makes the special token."""


def of_scores(log_weight: LogWeight) -> Family:
    """The family of a function of scores."""
    return partial(loudness, log_weight)


def of_kernel(kernel: Kernel) -> Family:
    """The family of a kernel of scores, by its own weights; NaN where one is not above 0."""

    def loud(layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0) -> Loudness:
        sizes = np.asarray(n, dtype=float)[:, None, None]

        def log_weight(sigma, log_n):
            scores = (sigma * log_n)[:, None, None]
            counts = np.ones_like(scores)
            seen = Seen(scores, None, None, counts, sizes, layer.d(data.classes))
            found = kernel.weigh(seen)[:, 0, 0]
            with np.errstate(all="ignore"):
                return found if kernel.logarithmic else np.log(found)

        with np.errstate(all="ignore"):
            return loudness(log_weight, layer, data, n, weight)

    return loud


def loudness(
    log_weight: LogWeight, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> Loudness:
    """R, R_0 and rho of a family of kernels at numbers of tokens n, (P,)."""
    log_n = np.log(np.asarray(n, dtype=float))

    def of(part) -> np.ndarray:
        return log_weight(np.broadcast_to(part, log_n.shape), log_n)

    on_d1, on_d0 = (
        np.max([of(row.special) - of(row.rest) for row in sigmas(layer, data, a, weight)], axis=0)
        for a in (data.a1, data.a0)
    )
    row = sigmas(layer, data, data.a1)[-1]
    own = np.exp(np.minimum(of(row.own) - of(row.rest), LOUDEST))
    return Loudness(on_d1, on_d0, own, own)


def of_rows(kernel: Kernel) -> Family:
    """The family of any kernel, by its weights in exact rows."""

    def loud(layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0) -> Loudness:
        of_d0, of_d1 = (
            np.maximum(distinct_rows(types, kernel).weights, LEAST)
            for types in token_types(layer, data, np.asarray(n).tolist(), weight)
        )
        rows = slice(None) if layer.attention_x == "ones" else slice(1)
        on_d1, on_d0 = (
            np.log(of[:, rows, SPECIAL] / of[:, rows, REST]).max(axis=1) for of in (of_d1, of_d0)
        )
        plain = of_d1[:, -1]
        own = np.ones(len(plain)) if layer.model == CROSS else plain[:, OWN] / plain[:, REST]
        same = of_d1[:, 0, SAME] / of_d1[:, 0, REST]
        return Loudness(on_d1, on_d0, own, same, plain[:, SPECIAL] / plain[:, REST])

    return loud
