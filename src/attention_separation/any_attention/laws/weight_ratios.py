"""Weight ratios: what a token weighs against a token of another class in the same row.

R is the weight ratio of the special token on D1 and R_0 on D0, rho that of an ordinary token's own
class. A score is sigma log n: sigma is sigma* of the special token on itself, and sigma_0 of a
token on one of another class. A function of scores w has R = w(sigma* log n) / w(sigma_0 log n).
Any other kernel has its ratios from the weights in its exact rows.
"""

from dataclasses import dataclass

import numpy as np

from attention_separation.attention.distinct_rows import OWN, REST, SAME, SPECIAL, distinct_rows
from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer, token_types

SELF, SELF_ONES, CROSS = LAYERS

SMALLEST_WEIGHT = 1e-300
"""A weight that float64 has as 0 is no more than this."""

LARGEST_LOG = 700.0
"""log of a ratio beyond which nothing changes, and float64 ends."""


@dataclass(frozen=True)
class Sigmas:
    """Scores over log n in one type of row: on the special token, the own class, another class."""

    special: float | np.ndarray
    own: float
    rest: float


def sigmas(layer: Layer, data: Data, a: float, weight: float | np.ndarray = 0.0) -> list[Sigmas]:
    """Those of the special row, its token of size a, and of other rows that weigh this token
    otherwise than the rest: with X all ones ordinary rows do. The weight g in X = I + g e_1 e_1^T
    counts in sigma* alone."""
    b, c = data.b, data.c
    if layer == CROSS:
        return [Sigmas(1 + a * (1 + weight), 1.0, 1.0)]
    if layer == SELF:
        return [Sigmas(a * a * (1 + weight) + b * b + c * c, b * b + c * c, c * c)]
    plain, special = b + c, a + b + c
    return [
        Sigmas(special * special, special * plain, special * plain),
        Sigmas(plain * special, plain * plain, plain * plain),
    ]


@dataclass(frozen=True)
class WeightRatios:
    """Weight ratios at P numbers of tokens, each (P,).

    Attributes
    ----------
    log_d1, log_d0 : log R and log R_0, in the special token's own row; with X all ones, in the row
        where it is largest
    own : rho
    same : of its own class in D1's special row; rho for functions of scores
    ordinary : h, of D1's special token in an ordinary row with X = I; 1 for functions of scores
    ordered : whether the states of one level are known to be in order
    """

    log_d1: np.ndarray
    log_d0: np.ndarray
    own: np.ndarray
    same: np.ndarray
    ordinary: np.ndarray | float = 1.0
    ordered: np.ndarray | bool = True


def weight_ratios(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """A kernel's weight ratios at numbers of tokens n with weights g, (P,)."""
    of = ratios_of_scores if kernel.kind == "score" else ratios_of_rows
    return of(kernel, layer, data, n, weight)


def log_weight(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, sigma: float | np.ndarray
) -> np.ndarray:
    """log w of a function of scores at sigma log n, (P,); NaN or -inf where w is not above 0."""
    sizes = np.asarray(n, dtype=float)[:, None, None]
    scores = (sigma * np.log(n))[:, None, None]
    seen = Seen(scores, None, None, np.ones_like(scores), sizes, layer.d(data.classes))
    with np.errstate(all="ignore"):
        found = kernel.weigh(seen)[:, 0, 0]
        return found if kernel.logarithmic else np.log(found)


def ratios_of_scores(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """Those of a function of scores, in closed form."""

    def of(sigma: float | np.ndarray) -> np.ndarray:
        return log_weight(kernel, layer, data, n, sigma)

    with np.errstate(all="ignore"):
        log_d1, log_d0 = (
            np.max([of(row.special) - of(row.rest) for row in sigmas(layer, data, a, weight)], 0)
            for a in (data.a1, data.a0)
        )
        row = sigmas(layer, data, data.a1)[-1]
        own = np.exp(np.minimum(of(row.own) - of(row.rest), LARGEST_LOG))
    return WeightRatios(log_d1, log_d0, own, own)


def ratios_of_rows(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """Those of any kernel, by its weights in exact rows."""
    of_d0, of_d1 = (
        np.maximum(distinct_rows(types, kernel).weights, SMALLEST_WEIGHT)
        for types in token_types(layer, data, np.asarray(n).tolist(), weight)
    )
    rows = slice(None) if layer == SELF_ONES else slice(1)
    log_d1, log_d0 = (
        np.log(of[:, rows, SPECIAL] / of[:, rows, REST]).max(axis=1) for of in (of_d1, of_d0)
    )
    plain = of_d1[:, -1]
    own = np.ones(len(plain)) if layer == CROSS else plain[:, OWN] / plain[:, REST]
    same = of_d1[:, 0, SAME] / of_d1[:, 0, REST]
    return WeightRatios(log_d1, log_d0, own, same, plain[:, SPECIAL] / plain[:, REST])
