"""How much louder the special token is than an ordinary one, for kernels of vectors with X = I.

Three queries and keys are enough: the special token, an ordinary token of another class, and for
rho an ordinary token of a third. In cross-attention ordinary queries know of no class.
"""

from collections.abc import Callable

import numpy as np

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.any_attention.laws.loudness import CROSS, Family, Loudness
from attention_separation.attention.features import FEATURE_MAPS
from attention_separation.datasets.data import Data

LogSimilarity = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Queries and keys (P, d) -> logarithms of their weights, (P,)."""


def of_features(name: str) -> LogSimilarity:
    """log phi(q) . phi(k) of a feature map."""
    log_phi = FEATURE_MAPS[name]
    return lambda q, k: np.logaddexp.reduce(log_phi(q) + log_phi(k), axis=-1)


def cosine(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """cos(q, k)."""
    return (q * k).sum(axis=-1) / np.sqrt((q * q).sum(axis=-1) * (k * k).sum(axis=-1))


def of_vectors(log_similarity: LogSimilarity) -> Family:
    """The family of a kernel of vectors; the special row's own class is taken to be as loud as an
    ordinary row's."""

    def loud(layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray) -> Loudness:
        root = np.sqrt(1 + np.broadcast_to(weight, np.shape(n)))
        s = np.sqrt(np.log(n))
        heard = []
        for a in (data.a1, data.a0):
            query, key = _special(layer, data, a, s, root)
            rest = _ordinary(layer, data, 2, s)
            heard.append(log_similarity(query, key) - log_similarity(query, rest))
        if layer.model == CROSS:
            own = np.ones_like(s)
        else:
            first, second = (_ordinary(layer, data, k, s) for k in (2, 3))
            own = np.exp(log_similarity(first, first) - log_similarity(first, second))
        return Loudness(*heard, own)

    return loud


def _special(
    layer: Layer, data: Data, a: float, s: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The special token's query and key, its class the first."""
    key = _ordinary(layer, data, 1, s)
    key[:, 0] = (1.0 if layer.model == CROSS else a) * s * root
    query = key.copy()
    if layer.model == CROSS:
        query[:, 1:] = s[:, None]
        query[:, 0] = a * s * root
    return query, key


def _ordinary(layer: Layer, data: Data, k: int, s: np.ndarray) -> np.ndarray:
    """The key of an ordinary token of class k, of the last one where there are fewer, (P, d)."""
    found = np.zeros((len(s), layer.d(data.classes)))
    found[:, min(k, data.classes)] = s * (1.0 if layer.model == CROSS else data.b)
    if layer.model != CROSS:
        found[:, -1] = s * data.c
    return found
