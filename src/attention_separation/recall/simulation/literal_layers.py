"""Layers as they are defined: functions of queries, keys and values, nothing reduced.

Each takes q (m, d), k (N, d) and v (N, e), writes the N pairs in their order, and gives (m, e).
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ...attention.kernel import Kernel, KernelInputs
from ..layers import Delta, Layer, LeastSquares, Scores

BlackBox = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""q (m, d), k (N, d), v (N, e) -> (m, e)."""


def literal_layer(layer: Layer) -> BlackBox:
    """The layer as a function of queries, keys and values."""
    if isinstance(layer, Scores):
        return partial(_scores, layer)
    if isinstance(layer, Delta):
        return partial(_delta, layer)
    return _least_squares


def has_unit_keys(layer: Layer) -> bool:
    """Whether keys and queries have norm 1; else sqrt d."""
    return isinstance(layer, Delta | LeastSquares)


def _scores(layer: Scores, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The outputs (m, e) of a layer of scores: each value weighed by its key's score, decay and
    window."""
    # A kernel that knows n knows that of the writes it may see.
    tokens = int(min(layer.window, len(k)))
    weights = row_weights(layer.kernel, q, k, tokens)
    ages = np.arange(len(k))[::-1]
    factors = np.where(ages < layer.window, layer.decay ** ages.astype(float), 0.0)
    return (weights * factors) @ v


def row_weights(kernel: Kernel, q: np.ndarray, k: np.ndarray, tokens: int) -> np.ndarray:
    """The weights (m, N) of queries over keys, each row up to a positive factor; `tokens` is the n
    that the kernel is given. ValueError where a weight is no finite number."""
    seen = KernelInputs(
        scores=q @ k.T,
        queries=q,
        keys=k,
        multiplicities=np.ones((len(q), len(k))),
        n=tokens,
        d=q.shape[-1],
    )
    with np.errstate(all="ignore"):
        if kernel.of_rows is not None:
            weights = kernel.attention_weights(seen)
        elif kernel.signed is not None:
            weights = kernel.signed(seen)
        elif kernel.logarithmic:
            logs = kernel.weigh(seen)
            weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
        else:
            weights = kernel.weigh(seen)
    if not np.isfinite(weights).all():
        raise ValueError(
            f"kernel={kernel.name!r} has no finite weight of some random keys; allowed: kernels "
            "with weights of all"
        )
    return weights


KEYS_TRIED = 64


def has_weights_of_either_sign(layer: Layer, d: int) -> bool:
    """Whether a kernel whose rows are to be divided by their sums has negative weights of some
    random keys: what is divided by may be negative then, and rows are left as they are."""
    if not isinstance(layer, Scores) or not layer.kernel.normalised:
        return False
    keys = np.random.default_rng(0).standard_normal((KEYS_TRIED, d))
    keys *= np.sqrt(d) / np.linalg.norm(keys, axis=1, keepdims=True)
    weights = row_weights(layer.kernel, keys[:8], keys, KEYS_TRIED)
    return bool((weights < 0).any())


def _delta(layer: Delta, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The outputs (m, e) of a delta rule, whose state is corrected by each write."""
    state = np.zeros((v.shape[1], k.shape[1]))
    for key, value in zip(k, v, strict=True):
        answer = state @ key
        state = layer.decay * (state - layer.beta * np.outer(answer, key))
        state += layer.beta * np.outer(value, key)
    return q @ state.T


def _least_squares(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The outputs (m, e) of the matrix that maps keys to values with the least squared error."""
    state = np.linalg.lstsq(k, v)[0]
    return q @ state
