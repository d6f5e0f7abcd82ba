"""Attention kernels as values: what turns queries and keys into weights.

A kernel gives weights or, where these could overflow, their logarithms, before a row is divided by
its normaliser. Every formula has its source beside it; x = q . k is a score. Functions of a whole
row count keys by their multiplicities. Feature maps phi, of a kernel phi(q) . phi(k), commute with
permuting coordinates, so that tokens of one type have equal weights, and equal coordinates have
equal features: each is computed once, with the logarithm of its count beside it.

In the functions of a kernel `seen` is its `KernelInputs`: scores, vectors, multiplicities, n and d.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypedDict, Unpack

import numpy as np

from ..statistics.bisection import halvings
from .kernel import Kernel, KernelInputs, Normaliser, over_features

Weigh = Callable[[KernelInputs], np.ndarray]
"""Inputs -> weights or their logarithms, (..., R, T), as `Kernel.weigh`."""

Divisor = Callable[[KernelInputs], float | np.ndarray]
"""Inputs -> what scores are divided by, a number or an array that broadcasts against them."""

LogCounts = np.ndarray | float
"""The logarithms of how many equal coordinates each one stands for; 0 where it is itself."""


def log_counts_of_features(log_counts: LogCounts, parts: int) -> LogCounts:
    """The logarithms of the counts of features, where each coordinate has one feature in each of
    several parts, from those of the coordinates."""
    if isinstance(log_counts, float):
        return log_counts
    return np.tile(log_counts, parts)


def log_sum_exp(z: np.ndarray, log_counts: LogCounts) -> np.ndarray:
    """log sum e^z over all coordinates, (..., 1), each coordinate counted with its multiplicity."""
    return np.logaddexp.reduce(z + log_counts, axis=-1, keepdims=True)


def log_softmax(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of a softmax over the last axis."""
    return z - log_sum_exp(z, log_counts)


def log_elu_plus_one(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of z + 1 where z > 0, and of e^z elsewhere."""
    return np.where(z > 0, np.log1p(np.maximum(z, 0.0)), np.minimum(z, 0.0))


def log_relu(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of max(z, 0)."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(z, 0.0))


def log_squared_relu(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    return 2 * log_relu(z)


def log_exp(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of the features [e^z, e^-z]."""
    return np.concatenate([z, -z], axis=-1)


def log_hedgehog(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of two softmaxes, [softmax z, softmax -z]."""
    return np.concatenate([log_softmax(z, log_counts), log_softmax(-z, log_counts)], axis=-1)


def log_hedgehog_fla(z: np.ndarray, log_counts: LogCounts = 0.0) -> np.ndarray:
    """The logarithms of one softmax over the 2 d numbers [2 z, -2 z]."""
    both_signs = np.concatenate([2 * z, -2 * z], axis=-1)
    return log_softmax(both_signs, log_counts_of_features(log_counts, parts=2))


def log_focused(z: np.ndarray, log_counts: LogCounts = 0.0, p: float = 3) -> np.ndarray:
    """The logarithms of z_+^p, scaled to the length of z_+ = max(z, 0)."""
    log_z = log_relu(z)
    log_length = log_sum_exp(2 * log_z, log_counts) / 2
    log_length_of_powers = log_sum_exp(2 * p * log_z, log_counts) / 2
    return p * log_z + (log_length - log_length_of_powers)


FEATURE_MAPS: dict[str, Callable[..., np.ndarray]] = {
    "elu_plus_one": log_elu_plus_one,
    "relu_features": log_relu,
    "relu2_features": log_squared_relu,
    "exp_features": log_exp,
    "hedgehog": log_hedgehog,
    "hedgehog_fla": log_hedgehog_fla,
    "focused_3": log_focused,
    "softmax_features": log_softmax,
}
"""log phi by the kernel's name, (..., C) -> (..., features): a feature of every coordinate, and
then perhaps another one of every coordinate."""


def log_inner_products(log_q: np.ndarray, log_k: np.ndarray, log_counts: LogCounts) -> np.ndarray:
    """log phi(q) . phi(k), (..., R, T), of features (..., R, F) and (..., T, F), over all d
    coordinates."""
    if isinstance(log_counts, np.ndarray):
        parts = log_q.shape[-1] // log_counts.shape[-1]
        log_q = log_q + log_counts_of_features(log_counts, parts)
    return over_features(_log_product_sum, log_q, log_k)


def _log_product_sum(log_q: np.ndarray, log_k: np.ndarray) -> np.ndarray:
    """log phi(q) . phi(k), (..., R, T), of logarithms of features (..., R, F) and (..., T, F)."""
    return np.logaddexp.reduce(log_q[..., :, None, :] + log_k[..., None, :, :], axis=-1)


def efficient(seen: KernelInputs) -> np.ndarray:
    """Efficient Attention: softmax of q over coordinates, times softmax of k over positions, all n
    of them. Rows sum to 1."""
    queries, keys = seen.vectors
    log_counts = seen.log_coordinate_counts
    log_q = log_softmax(queries, log_counts)
    log_k = keys - seen.log_key_sums()
    return np.exp(log_inner_products(log_q, log_k, log_counts))


TIE = 1e-12
"""Scores closer than this times log n are the same score, summed in another order."""

BISECTIONS = 80


def hardmax(seen: KernelInputs) -> np.ndarray:
    """The weights of hardmax: 1 for every key of the row's largest score, else 0."""
    least_of_largest = seen.largest(seen.scores) - TIE * seen.log_n
    return (seen.scores >= least_of_largest).astype(float)


def sparsemax(seen: KernelInputs) -> np.ndarray:
    """The weights of sparsemax, the projection of a row on the simplex: max(x - tau, 0), with sum 1
    over all tokens.

    With the scores in order, the largest first, the k-th is kept if 1 + k x > the sum of the first
    k. If k are kept, tau = (their sum - 1) / k.
    """
    shifted = seen.scores - seen.largest(seen.scores)
    counts = seen.multiplicities
    order = np.argsort(-np.where(counts > 0, shifted, -np.inf), axis=-1)
    ordered = np.take_along_axis(shifted, order, axis=-1)
    ordered_counts = np.take_along_axis(counts, order, axis=-1).astype(float)
    tokens = np.cumsum(ordered_counts, axis=-1)
    sums = np.cumsum(ordered_counts * ordered, axis=-1)
    is_kept = (1 + tokens * ordered > sums) & (ordered_counts > 0)
    last_kept = is_kept.shape[-1] - 1 - np.argmax(is_kept[..., ::-1], axis=-1)[..., None]
    kept_tokens = np.take_along_axis(tokens, last_kept, axis=-1)
    kept_sum = np.take_along_axis(sums, last_kept, axis=-1)
    tau = (kept_sum - 1) / kept_tokens
    weights = np.maximum(shifted - tau, 0.0)
    # Of many small weights tau's last digit is much: what their sum misses is shared by them.
    missing = (1 - (weights * counts).sum(axis=-1, keepdims=True)) / kept_tokens
    return np.where(weights > 0, weights + missing, 0.0)


def entmax(alpha: float, divided_by: Divisor = lambda _: 1.0) -> Weigh:
    """alpha-entmax of x / T: max((alpha - 1) x / T - tau, 0)^(1 / (alpha - 1)), with sum 1 over all
    tokens; tau by bisection."""
    power = 1 / (alpha - 1)

    def weigh(seen: KernelInputs) -> np.ndarray:
        scores = seen.scores / divided_by(seen)
        shifted = (scores - seen.largest(scores)) * (alpha - 1)

        def is_enough(tau: np.ndarray) -> np.ndarray:
            """Whether the weights' sum is at least 1."""
            weights = np.maximum(shifted - tau, 0.0) ** power
            return (weights * seen.multiplicities).sum(axis=-1, keepdims=True) >= 1

        # With the largest score at 0 its weight alone is 1 at tau = -1, and nothing is left at 0.
        low = -np.ones((*shifted.shape[:-1], 1))
        tau, _ = halvings(low, np.zeros_like(low), is_enough, BISECTIONS)
        return np.maximum(shifted - tau, 0.0) ** power

    return weigh


def entmax_of(alpha: float, name: str, over_sqrt_d: bool = False) -> Kernel:
    """alpha-entmax as a kernel, of x or of x / sqrt d; at alpha = 2 it is sparsemax."""
    symbol = f"{alpha:g}-entmax"
    if over_sqrt_d:
        return Kernel(
            name,
            f"{symbol} of x/√d",
            "row",
            entmax(alpha, lambda seen: np.sqrt(seen.d)),
            also=("d",),
            source="arXiv 1905.05702",
        )
    weigh = sparsemax if alpha == 2 else entmax(alpha)
    return Kernel(name, symbol, "row", weigh, source="arXiv 1905.05702")


ENTROPY_POLYNOMIAL = (-0.037, 0.481, -2.3, 4.917, -1.791)
"""Of adaptive temperature, the highest power first. It is above 1 for entropies from 0.85 to 5.94,
that of 382 equal weights: so the published condition, an entropy above 1/2, is met."""


def adaptive(seen: KernelInputs) -> np.ndarray:
    """The logarithms of the weights of adaptive temperature: b x / sqrt d, where b, at least 1, is
    a polynomial of the entropy of softmax's row."""
    weights = KERNELS["exp_sqrt_d"].attention_weights(seen)
    terms = seen.multiplicities * weights * np.log(weights + 1e-9)
    entropy = -terms.sum(axis=-1, keepdims=True)
    b = np.polyval(ENTROPY_POLYNOMIAL, entropy)
    return np.maximum(b, 1.0) * seen.scores / np.sqrt(seen.d)


ROUNDING_OF_VECTORS = 1e-14
"""Weights of vectors closer than this, relative, are the same, summed in another order."""


def minus_mean(part: float | np.ndarray, kernel: Kernel) -> Kernel:
    """The kernel with weights f - part / n, where f are the rows of a kernel that is divided by its
    row's sum."""

    def less_mean(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
        # Where all of the mean is subtracted, differences from the commonest weight are left.
        commonest = np.argmax(counts, axis=-1)[..., None]
        common_weight = np.take_along_axis(weights, commonest, axis=-1)
        above = weights - common_weight
        if kernel.kind == "features":
            is_same = np.abs(above) <= ROUNDING_OF_VECTORS * np.abs(common_weight)
            above = np.where(is_same, 0.0, above)
        n = counts.sum(axis=-1, keepdims=True)
        mean = (counts * above).sum(axis=-1, keepdims=True) / n
        return (1 - part) * weights + part * (above - mean)

    return replace(
        kernel,
        name=f"minus_mean_{part}_{kernel.name}",
        symbol=f"f − {part}/n, f of {kernel.symbol}",
        kind="features" if kernel.kind == "features" else "row",
        source="less a part of the row's mean",
        signed=None,
        row_sum=1 - part,
        of_rows=less_mean,
    )


class KernelOptions(TypedDict, total=False):
    """Attributes of `Kernel` that most kernels leave as they are."""

    normaliser: Normaliser
    also: tuple[str, ...]
    signed: Weigh | None


def _score_kernel(
    name: str, symbol: str, weigh: Weigh, source: str, **options: Unpack[KernelOptions]
) -> Kernel:
    """The kernel whose weights are a function of the score."""
    return Kernel(name, symbol, "score", weigh, source=source, **options)


def _log_kernel(
    name: str, symbol: str, log_weigh: Weigh, source: str, **options: Unpack[KernelOptions]
) -> Kernel:
    """The kernel whose weights are a function of the score, from the logarithms of the weights."""
    return Kernel(name, symbol, "score", log_weigh, logarithmic=True, source=source, **options)


def power(p: float) -> Kernel:
    """The kernel x^p; of scores that are not negative."""

    def log_weights(seen: KernelInputs) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return p * np.log(seen.scores)

    def signed(seen: KernelInputs) -> np.ndarray:
        return seen.scores ** int(p)

    return _log_kernel(
        f"power_{p:g}",
        f"x^{p:g}",
        log_weights,
        SOURCES_OF_POWERS.get(p, "a power of x"),
        signed=signed if p == int(p) else None,
    )


SOURCES_OF_POWERS: dict[float, str] = {
    2: "arXiv 2402.10644 (ReBased, without its norm)",
    4: "arXiv 2310.01655",
}


def _log_taylor(p: int, x: np.ndarray) -> np.ndarray:
    """log(1 + x + ... + x^p / p!), of x that are not negative."""
    log_factorials = np.array([math.lgamma(k + 1) for k in range(1, p + 1)])
    with np.errstate(divide="ignore"):
        log_x = np.log(x)[..., None]
    terms = np.arange(1, p + 1) * log_x - log_factorials
    zero = np.zeros((*x.shape, 1))
    return np.logaddexp.reduce(np.concatenate([zero, terms], axis=-1), axis=-1)


def _taylor(p: int, x: np.ndarray) -> np.ndarray:
    """1 + x + ... + x^p / p!, of x of either sign, by Horner's rule."""
    total = 1 + x / p
    for k in range(p - 1, 0, -1):
        total = 1 + total * x / k
    return total


def taylor(p: int) -> Kernel:
    """The kernel 1 + x + ... + x^p / p!; of scores that are not negative."""
    source = "arXiv 2402.18668 (Based, without 1/sqrt d)" if p == 2 else "Taylor's sum"
    return _log_kernel(
        f"taylor_{p}",
        f"1 + x + … + x^{p}/{p}!",
        lambda seen: _log_taylor(p, seen.scores),
        source,
        signed=lambda seen: _taylor(p, seen.scores),
    )


def exponential(
    name: str,
    symbol: str,
    temperature: Divisor,
    source: str,
    **options: Unpack[KernelOptions],
) -> Kernel:
    """The kernel e^(x / T), where `temperature` gives T from the inputs."""
    return _log_kernel(
        name, symbol, lambda seen: seen.scores / temperature(seen), source, **options
    )


def _log_power_log_n(seen: KernelInputs) -> np.ndarray:
    """log x^(log n), the logarithms of the weights of power_log_n."""
    with np.errstate(divide="ignore"):
        return seen.log_n * np.log(seen.scores)


def relu_over_n(name: str, power: int) -> Kernel:
    """The kernel max(x, 0)^power / n, with power 1 or 2; the factor 1/n stands in place of a
    division of rows."""
    exponent = "²" if power == 2 else ""
    return _score_kernel(
        name,
        f"max(x, 0){exponent}/n, not divided",
        lambda seen: np.maximum(seen.scores, 0.0) ** power / seen.n,
        "arXiv 2309.08586, without 1/sqrt d",
        normaliser="none",
        also=("n",),
    )


def sigmoid(
    name: str,
    symbol: str,
    bias: float | np.ndarray,
    source: str,
    normaliser: Normaliser = "row sum",
) -> Kernel:
    """The kernel 1 / (1 + e^-(x - bias log n))."""

    def log_weights(seen: KernelInputs) -> np.ndarray:
        return -np.logaddexp(0.0, -(seen.scores - bias * seen.log_n))

    also = ("n",) if np.any(bias) else ()
    return _log_kernel(name, symbol, log_weights, source, also=also, normaliser=normaliser)


def _feature_kernel(
    name: str, symbol: str, source: str, log_phi: Callable[..., np.ndarray] | None = None
) -> Kernel:
    """The kernel phi(q) . phi(k), from the logarithms of phi; without `log_phi` that of
    FEATURE_MAPS with the kernel's name."""
    log_phi = log_phi or FEATURE_MAPS[name]

    def log_weights(seen: KernelInputs) -> np.ndarray:
        queries, keys = seen.vectors
        log_counts = seen.log_coordinate_counts
        log_q = log_phi(queries, log_counts)
        log_k = log_phi(keys, log_counts)
        return log_inner_products(log_q, log_k, log_counts)

    return _vector_kernel(name, symbol, log_weights, source, logarithmic=True)


def _vector_kernel(
    name: str,
    symbol: str,
    weigh: Weigh,
    source: str,
    logarithmic: bool = False,
    also: tuple[str, ...] = (),
) -> Kernel:
    """The kernel whose weights are a function of vectors, equal coordinates once."""
    return Kernel(
        name,
        symbol,
        "features",
        weigh,
        logarithmic=logarithmic,
        also=also,
        source=source,
        vectors_seen="orbits",
    )


def _squared_lengths(seen: KernelInputs) -> tuple[np.ndarray, np.ndarray]:
    """The squared lengths of queries, (..., R, 1), and of keys, (..., 1, T)."""
    queries, keys = seen.vectors
    lengths_of_queries = seen.squared_lengths(queries)
    lengths_of_keys = seen.squared_lengths(keys)
    return lengths_of_queries[..., :, None], lengths_of_keys[..., None, :]


def _squared_distances(seen: KernelInputs) -> np.ndarray:
    """||q - k||^2 of each query and key, (..., R, T)."""
    squared_q, squared_k = _squared_lengths(seen)
    return squared_q + squared_k - 2 * seen.scores


def _cosines(seen: KernelInputs) -> np.ndarray:
    """The cosine of each query and key, (..., R, T)."""
    squared_q, squared_k = _squared_lengths(seen)
    return seen.scores / (np.sqrt(squared_q) * np.sqrt(squared_k))


def cosine_softmax(scale: float) -> Kernel:
    """The kernel e^(scale cos(q, k))."""
    return _vector_kernel(
        f"cosine_softmax_{scale:g}",
        f"e^({scale:g} cos(q, k))",
        lambda seen: scale * _cosines(seen),
        logarithmic=True,
        source="arXiv 2010.04245",
    )


def ssmax(s: float, name: str) -> Kernel:
    """The kernel e^(s log n x / sqrt d), Scalable-Softmax."""
    return _log_kernel(
        name,
        f"e^({s:g} log n · x/√d)",
        lambda seen: s * seen.log_n * seen.scores / np.sqrt(seen.d),
        "arXiv 2501.19399 (Scalable-Softmax)",
        also=("n", "d"),
    )


def focused(p: float, symbol: str) -> Kernel:
    """The kernel with the feature map phi = |z_+| z_+^p / |z_+^p|, where z_+ = max(z, 0)."""
    return _feature_kernel(
        f"focused_{p:g}", symbol, "arXiv 2308.00442", log_phi=partial(log_focused, p=p)
    )


_ALL = (
    _log_kernel("exp", "eˣ", lambda seen: seen.scores, "arXiv 2310.11685"),
    exponential("exp_half", "e^(x/2)", lambda seen: 2.0, "temperature 2"),
    exponential("exp_quarter", "e^(x/4)", lambda seen: 4.0, "temperature 4"),
    exponential(
        "exp_sqrt_d", "e^(x/√d)", lambda seen: np.sqrt(seen.d), "arXiv 1706.03762", also=("d",)
    ),
    ssmax(0.43, "ssmax"),
    _log_kernel(
        "softmax_one", "eˣ / (1 + Σ eˣ)", lambda seen: seen.scores,
        "E. Miller, Attention Is Off By One (2023), without 1/sqrt d", normaliser="1 + row sum",
    ),
    _log_kernel("exp_root", "e^√x", lambda seen: np.sqrt(seen.scores), "between powers and eˣ"),
    _score_kernel("linear", "x", lambda seen: seen.scores, "arXiv 2310.11685"),
    _score_kernel("uniform", "1", lambda seen: np.ones_like(seen.scores), "equal weights"),
    *(power(p) for p in (2, 3, 4, 6, 8, 10, 12)),
    _log_kernel(
        "power_log_n", "x^(log n)", _log_power_log_n, "a power that grows with n", also=("n",)
    ),
    *(taylor(p) for p in (1, 2, 3, 4, 6, 8)),
    _log_kernel(
        "taylor_2_sqrt_d", "1 + x/√d + x²/2d",
        lambda seen: _log_taylor(2, seen.scores / np.sqrt(seen.d)), "arXiv 2402.18668 (Based)",
        also=("d",), signed=lambda seen: _taylor(2, seen.scores / np.sqrt(seen.d)),
    ),
    _feature_kernel("elu_plus_one", "φ = elu(z) + 1", "arXiv 2006.16236"),
    _feature_kernel("relu_features", "φ = max(z, 0)", "ReLU features"),
    _feature_kernel("relu2_features", "φ = max(z, 0)²", "squared ReLU features"),
    _feature_kernel("exp_features", "φ = [e^z, e^−z]", "element-wise exp"),
    _feature_kernel("hedgehog", "φ = [softmax z, softmax −z]", "arXiv 2402.04347, as in LoLCATs"),
    _feature_kernel("hedgehog_fla", "φ = softmax [2z, −2z]", "flash-linear-attention"),
    _feature_kernel(
        "softmax_features", "φ = softmax z", "arXiv 1812.01243, its queries' map on both",
    ),
    focused(3, "φ = ‖z₊‖ z₊³ / ‖z₊³‖"),
    _vector_kernel(
        "efficient", "softmax_d(q) · softmax over positions of k", efficient, "arXiv 1812.01243",
        also=("all keys",),
    ),
    sigmoid("sigmoid", "σ(x)", 0.0, "arXiv 2409.04431, no bias, divided by the row's sum"),
    sigmoid("sigmoid_log_n", "σ(x − log n)", 1.0, "arXiv 2409.04431, divided by the row's sum"),
    sigmoid(
        "sigmoid_2_log_n", "σ(x − 2 log n)", 2.0,
        "arXiv 2409.04431, twice its bias, divided by the row's sum",
    ),
    _log_kernel(
        "softplus", "log(1 + eˣ)", lambda seen: np.log(np.logaddexp(0.0, seen.scores)), "softplus"
    ),
    _log_kernel("cosh", "cosh x", lambda seen: np.logaddexp(seen.scores, -seen.scores), "cosh"),
    Kernel("sparsemax", "sparsemax", "row", sparsemax, source="arXiv 1602.02068"),
    entmax_of(1.5, "entmax_15"),
    entmax_of(1.25, "entmax_125"),
    entmax_of(1.5, "entmax_15_sqrt_d", over_sqrt_d=True),
    Kernel(
        "adaptive_sqrt_d", "e^(bx/√d), b of the row's entropy", "row", adaptive, logarithmic=True,
        also=("d",), source="arXiv 2410.01104",
    ),
    Kernel("hardmax", "1 at the largest x", "row", hardmax, source="the limit of e^(cx)"),
    _vector_kernel(
        "rbf", "e^(−‖q − k‖²/2)", lambda seen: -_squared_distances(seen) / 2,
        logarithmic=True, source="arXiv 2110.11945",
    ),
    cosine_softmax(10),
    _vector_kernel(
        "one_plus_cosine", "1 + cos(q, k)", lambda seen: 1 + _cosines(seen),
        source="arXiv 2007.14902",
    ),
    _score_kernel(
        "linear_unnormalised", "x, not divided", lambda seen: seen.scores, "arXiv 2310.11685",
        normaliser="none",
    ),
    sigmoid(
        "sigmoid_unnormalised", "σ(x − log n), not divided", 1.0, "arXiv 2409.04431",
        normaliser="none",
    ),
    relu_over_n("relu_over_n", 1),
    relu_over_n("relu2_over_n", 2),
)  # fmt: skip

KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _ALL}
"""The kernels by name: one list for configurations, tables, the API and the command line."""
