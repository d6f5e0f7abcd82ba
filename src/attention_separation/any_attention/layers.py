"""The layers that a kernel is put into: a model of the first paper with an X, and sizes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from ..attention.distinct_rows import FIRST, ORBITS, SAME, SPECIAL, TokenTypes
from ..datasets import DATASETS
from ..datasets.dataset import Data, Dataset, Tokens

THETA_OVER_C = 0.1
"""The threshold of self-attention at the paper's points is c + 0.1 (reconstructed)."""

THETA_OF_CROSS = 0.9
"""That of cross-attention (reconstructed)."""

ONE_COORDINATE: Literal["one_coordinate"] = "one_coordinate"
"""The split of X all ones as Q = K = (1 ... 1)^T, (d, 1)."""


@dataclass(frozen=True)
class Layer:
    """A model of the first paper with its X = Q K^T.

    Kernels of vectors see the split of X: Q is `split` times, and K one `split`-th of, Q = K, which
    is the identity for X = I, and for X all ones the matrix of 1 / sqrt d; or ONE_COORDINATE.
    """

    model: Literal["self_attention", "cross_attention"]
    attention_x: Literal["identity", "another", "ones"]
    words: str  # in titles
    split: float | Literal["one_coordinate"] = 1.0

    @property
    def columns(self) -> dict[str, str]:
        """The model and X, as columns of a table."""
        return {"model": self.model, "attention_x": self.attention_x}

    @property
    def dataset(self) -> Dataset:
        """Its datasets D0 and D1."""
        return DATASETS[self.model]

    def d(self, classes: int) -> int:
        """The dimension of tokens in so many classes."""
        return classes + self.dataset.other_columns

    def sizes(self, data: Data, n: int) -> dict[str, int]:
        """The numbers n, d and m, as columns of a table."""
        return {"n": n, "d": self.d(data.classes), "m": data.m(n)}

    def tokens(self, data: Data, n: int) -> Tokens:
        """The sizes of n tokens, from which the dataset builds them."""
        d = self.d(data.classes)
        return Tokens(n, d, data.a0, data.a1, data.b, data.c, self.attention_x)

    def literal(self, tokens: Tokens, dataset: int, places: np.ndarray) -> tuple[np.ndarray, ...]:
        """A1, A2, A3, Q and K, as `Dataset` has them, with this split."""
        *tokens_of_a, q, k = self.dataset.literal(tokens, dataset, places)
        return *tokens_of_a, *self.split_of(q, k, tokens.d)

    def split_of(
        self, q: np.ndarray, k: np.ndarray, d: int | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Q and K, or queries and keys, split as the layer has it, from those with Q = K."""
        if isinstance(self.split, str):
            # All columns are equal: one of them stands for all d.
            return q[..., :1] * np.sqrt(d), k[..., :1] * np.sqrt(d)
        return q * self.split, k / self.split

    def theta(self, data: Data) -> float:
        """The threshold of the paper's points, in units of s."""
        if self.model == "cross_attention":
            return THETA_OF_CROSS
        return data.c + THETA_OVER_C


LAYERS = (
    Layer("self_attention", "identity", "Self-attention, X = I"),
    Layer("self_attention", "ones", "Self-attention, X all ones"),
    Layer("cross_attention", "identity", "Cross-attention, X = I"),
)


def token_types(
    layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float = 0.0
) -> tuple[TokenTypes, TokenTypes]:
    """The token types of D0 and D1 at numbers of tokens n, with X = I + weight e_1 e_1^T where
    `weight`, a number for each n, is not 0; ValueError if n tokens do not stack in the data's
    classes, or X all ones is to have a weight."""
    weights = np.broadcast_to(np.asarray(weight, dtype=float), len(n))
    if weights.any() and layer.attention_x != "identity":
        raise ValueError(f"a weight with X = {layer.attention_x!r}; allowed: with 'identity'")
    d0, d1 = _remembered_types(layer, data, tuple(n))
    return _split(_weighted(d0, weights), layer), _split(_weighted(d1, weights), layer)


@lru_cache(maxsize=64)
def _remembered_types(
    layer: Layer, data: Data, n: tuple[int, ...]
) -> tuple[TokenTypes, TokenTypes]:
    """The token types of D0 and D1 with X = I or all ones, remembered: all kernels are asked at the
    same numbers of tokens."""
    tokens = [layer.tokens(data, size) for size in n]
    return layer.dataset.token_types(tokens, 0), layer.dataset.token_types(tokens, 1)


def _split(types: TokenTypes, layer: Layer) -> TokenTypes:
    """The token types, with their vectors of queries and keys split as the layer splits X."""
    if layer.split == 1:
        return types
    queries, keys = layer.split_of(types.queries, types.keys, types.d[:, None, None])
    if layer.split != ONE_COORDINATE:
        return replace(types, queries=queries, keys=keys)
    counts = np.zeros_like(types.coordinate_counts)
    counts[:, FIRST] = 1
    return replace(
        types,
        queries=np.repeat(queries, ORBITS, axis=-1),
        keys=np.repeat(keys, ORBITS, axis=-1),
        coordinate_counts=counts,
    )


def _weighted(types: TokenTypes, weights: np.ndarray) -> TokenTypes:
    """The token types with X = I + weight e_1 e_1^T, a weight for each point (P,): Q = K =
    diag(sqrt(1 + weight), 1, ..., 1). Only the special token has a first coordinate to be weighted.
    """
    if not weights.any():
        return types
    scores = types.scores.copy()
    scores[:, 0, SPECIAL] += weights * (scores[:, 0, SPECIAL] - scores[:, 0, SAME])
    factors = np.sqrt(1 + weights)[:, None]
    queries = types.queries.copy()
    queries[:, :, FIRST] *= factors
    keys = types.keys.copy()
    keys[:, :, FIRST] *= factors
    return replace(types, scores=scores, queries=queries, keys=keys)
