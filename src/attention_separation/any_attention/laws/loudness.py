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

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.seen import Seen
from attention_separation.datasets.data import Data

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


def special_gain(layer: Layer, data: Data) -> float:
    """gamma_1 = sigma* - sigma_0, the exponent of R for e^x: the larger one's of the two rows."""
    return max(float(row.special - row.rest) for row in sigmas(layer, data, data.a1))


@dataclass(frozen=True)
class Loudness:
    """log R and log R_0, of the row type that hears the special token best, and rho, each (P,)."""

    on_d1: np.ndarray
    on_d0: np.ndarray
    own: np.ndarray


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
    return Loudness(on_d1, on_d0, np.exp(np.minimum(of(row.own) - of(row.rest), LOUDEST)))


def elu_loudness(
    layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> Loudness:
    """The same for phi(z) = elu(z) + 1 with X = I, of vectors: no coordinate is negative, so
    phi(z) = 1 + z and a weight is d + the sums of both vectors' coordinates + their product."""
    log_n = np.log(np.asarray(n, dtype=float))
    s, root, d = np.sqrt(log_n), np.sqrt(1 + weight), layer.d(data.classes)
    if layer.model == CROSS:
        key, plain = s * (root + 1), s

        def special(a):
            query = s * (a * root + data.classes)
            heard = d + query + key + log_n * (1 + a * (1 + weight))
            return np.log(heard / (d + query + plain + log_n))

        return Loudness(special(data.a1), special(data.a0), np.ones_like(log_n))
    plain, rest = s * (data.b + data.c), data.c**2 * log_n

    def special(a):
        query, square = s * (a * root + data.b + data.c), log_n * (a * a * (1 + weight) + data.b**2)
        return np.log((d + 2 * query + rest + square) / (d + query + plain + rest))

    own = 1 + data.b**2 * log_n / (d + 2 * plain + rest)
    return Loudness(special(data.a1), special(data.a0), own)
