"""Attention kernels as values: what turns queries and keys into weights.

A kernel gives weights or, where these could overflow, their logarithms, up to a factor per row if
its rows are normalised. Every formula has its source beside it; x = q . k is a score.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attention_separation.attention.features import FEATURE_MAPS, efficient
from attention_separation.attention.row_functions import entmax, hardmax, sparsemax
from attention_separation.attention.seen import Seen

Kind = Literal["score", "row", "features"]
"""What of its tokens a kernel needs: one score at a time (with n and d); a whole row of scores with
multiplicities; or vectors of queries and keys."""


@dataclass(frozen=True)
class Kernel:
    """One attention kernel.

    Attributes
    ----------
    name : as in configurations, tables, the API and on the command line
    symbol : its formula in text
    kind : see `Kind`
    weigh : Seen -> (..., R, T) weights, or their logarithms if `logarithmic`
    normalised : whether a row is divided by its sum over all tokens
    source : where the formula is from
    """

    name: str
    symbol: str
    kind: Kind
    weigh: Callable[[Seen], np.ndarray]
    logarithmic: bool = False
    normalised: bool = True
    source: str = ""

    def attention_weights(self, seen: Seen) -> np.ndarray:
        """f, (..., R, T): the weight of one token of each key; 0 for keys that do not exist.

        Raises
        ------
        ArithmeticError
            If a weight is no finite number, or a row that is to be divided has no positive sum.
        """
        weights = self.weigh(seen)
        if self.logarithmic:
            if self.normalised:
                weights = weights - seen.largest(weights)
            weights = np.exp(weights)
        weights = np.where(seen.multiplicities > 0, weights, 0.0)
        if not np.isfinite(weights).all():
            raise ArithmeticError(f"{self.name}: a weight is no finite number")
        if not self.normalised:
            return weights
        total = (weights * seen.multiplicities).sum(axis=-1, keepdims=True)
        if not (total > 0).all():
            raise ArithmeticError(
                f"{self.name}: a row of weights sums to {float(total.min()):g}; allowed: sums > 0"
            )
        return weights / total


def _score(name: str, symbol: str, weigh, source: str, **rest) -> Kernel:
    return Kernel(name, symbol, "score", weigh, source=source, **rest)


def _log_score(name: str, symbol: str, weigh, source: str, **rest) -> Kernel:
    return Kernel(name, symbol, "score", weigh, logarithmic=True, source=source, **rest)


def power(p: float) -> Kernel:
    """x^p, of scores that are not negative."""

    def log_weights(seen: Seen) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return p * np.log(seen.scores)

    return _log_score(f"power_{p:g}", f"x^{p:g}", log_weights, SOURCES_OF_POWERS.get(p, ""))


SOURCES_OF_POWERS = {2: "arXiv 2402.10644 (ReBased, without its norm)", 4: "arXiv 2310.01655"}


def taylor(p: int) -> Kernel:
    """1 + x + ... + x^p / p!, of scores that are not negative."""
    log_factorials = np.array([math.lgamma(k + 1) for k in range(1, p + 1)])

    def log_weights(seen: Seen) -> np.ndarray:
        with np.errstate(divide="ignore"):
            log_x = np.log(seen.scores)[..., None]
        terms = np.arange(1, p + 1) * log_x - log_factorials
        zero = np.zeros((*seen.scores.shape, 1))
        return np.logaddexp.reduce(np.concatenate([zero, terms], axis=-1), axis=-1)

    source = "arXiv 2402.18668 (Based, without 1/sqrt d)" if p == 2 else "Taylor's sum"
    return _log_score(f"taylor_{p}", f"1 + x + … + x^{p}/{p}!", log_weights, source)


def exponential(name: str, symbol: str, divided_by: Callable[[Seen], object], source: str):
    """e^(x / T)."""
    return _log_score(name, symbol, lambda seen: seen.scores / divided_by(seen), source)


def _log_sigmoid(x: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0.0, -x)


def _features(name: str, symbol: str, source: str) -> Kernel:
    log_phi = FEATURE_MAPS[name]

    def log_weights(seen: Seen) -> np.ndarray:
        log_q, log_k = log_phi(seen.queries), log_phi(seen.keys)
        return np.logaddexp.reduce(log_q[..., :, None, :] + log_k[..., None, :, :], axis=-1)

    return Kernel(name, symbol, "features", log_weights, logarithmic=True, source=source)


def _distances(seen: Seen) -> np.ndarray:
    """||q - k||^2."""
    squares = [(v**2).sum(axis=-1) for v in (seen.queries, seen.keys)]
    return squares[0][..., :, None] + squares[1][..., None, :] - 2 * seen.scores


def _cosines(seen: Seen) -> np.ndarray:
    norms = [np.sqrt((v**2).sum(axis=-1)) for v in (seen.queries, seen.keys)]
    return seen.scores / (norms[0][..., :, None] * norms[1][..., None, :])


_ALL = (
    _log_score("exp", "eˣ", lambda seen: seen.scores, "arXiv 2310.11685"),
    exponential("exp_half", "e^(x/2)", lambda seen: 2.0, "temperature 2"),
    exponential("exp_quarter", "e^(x/4)", lambda seen: 4.0, "temperature 4"),
    exponential("exp_sqrt_d", "e^(x/√d)", lambda seen: np.sqrt(seen.d), "arXiv 1706.03762"),
    _score("linear", "x", lambda seen: seen.scores, "arXiv 2310.11685"),
    _score("none", "1", lambda seen: np.ones_like(seen.scores), "uniform weights: no attention"),
    *(power(p) for p in (2, 3, 4, 6, 8)),
    *(taylor(p) for p in (1, 2, 3, 4, 6, 8)),
    _features("elu_plus_one", "φ = elu(z) + 1", "arXiv 2006.16236"),
    _features("relu_features", "φ = max(z, 0)", "ReLU features"),
    _features("relu2_features", "φ = max(z, 0)²", "squared ReLU features"),
    _features("exp_features", "φ = [e^z, e^−z]", "element-wise exp"),
    _features("hedgehog", "φ = [softmax z, softmax −z]", "arXiv 2402.04347, as in LoLCATs"),
    _features("hedgehog_fla", "φ = softmax [2z, −2z]", "flash-linear-attention"),
    _features("focused_3", "φ = ‖z₊‖ z₊³ / ‖z₊³‖", "arXiv 2308.00442"),
    Kernel(
        "efficient", "softmax_d(q) · softmax over positions of k", "features", efficient,
        source="arXiv 1812.01243",
    ),
    _log_score(
        "sigmoid_log_n", "σ(x − log n)", lambda seen: _log_sigmoid(seen.scores - seen.log_n),
        "arXiv 2409.04431, divided by the row's sum",
    ),
    _log_score(
        "softplus", "log(1 + eˣ)", lambda seen: np.log(np.logaddexp(0.0, seen.scores)), "softplus"
    ),
    _log_score("cosh", "cosh x", lambda seen: np.logaddexp(seen.scores, -seen.scores), "cosh"),
    Kernel("sparsemax", "sparsemax", "row", sparsemax, source="arXiv 1602.02068"),
    Kernel("entmax_15", "1.5-entmax", "row", entmax, source="arXiv 1905.05702"),
    Kernel("hardmax", "1 at the largest x", "row", hardmax, source="the limit of e^(cx)"),
    Kernel(
        "rbf", "e^(−‖q − k‖²/2)", "features", lambda seen: -_distances(seen) / 2,
        logarithmic=True, source="arXiv 2110.11945",
    ),
    Kernel(
        "cosine_softmax_10", "e^(10 cos(q, k))", "features", lambda seen: 10 * _cosines(seen),
        logarithmic=True, source="arXiv 2010.04245",
    ),
    Kernel(
        "one_plus_cosine", "1 + cos(q, k)", "features", lambda seen: 1 + _cosines(seen),
        source="arXiv 2007.14902",
    ),
    _score(
        "linear_unnormalised", "x, not divided", lambda seen: seen.scores, "arXiv 2310.11685",
        normalised=False,
    ),
    _log_score(
        "sigmoid_unnormalised", "σ(x − log n), not divided",
        lambda seen: _log_sigmoid(seen.scores - seen.log_n), "arXiv 2409.04431", normalised=False,
    ),
)  # fmt: skip

KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _ALL}
"""The kernels by name: one list for configurations, tables, the API and the command line."""
