"""The tokens of a dataset in several trials at once, its special tokens where they were drawn."""

from dataclasses import dataclass

import numpy as np

from attention_separation.datasets.dataset import Tokens

from ..exact.layers import Layer


@dataclass(frozen=True)
class Batch:
    """Tokens of T trials.

    Attributes
    ----------
    queries : (T, R, d), every one that there is
    keys, values : (T, S, d)
    keys_stand_for : (T, S), how many tokens each key is; 0 for none
    special_query, special_key : (T,) positions of the special tokens among them
    """

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    keys_stand_for: np.ndarray
    special_query: np.ndarray
    special_key: np.ndarray


@dataclass(frozen=True)
class DistinctTokens:
    """The tokens of a dataset, equal ones once: the special token, then one of each class.

    Attributes
    ----------
    queries, keys, values : (K, K + 1, d), by the class of the special token
    n : number of tokens
    """

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    n: int

    @property
    def classes(self) -> int:
        return len(self.keys)

    def once(self, places: np.ndarray) -> Batch:
        """Equal tokens once; `places` (T, q) are the special query's and the special key's."""
        query, key = (places[:, k] % self.classes for k in (0, -1))
        first = np.zeros(len(places), dtype=int)
        return Batch(
            self.queries[query], self.keys[key], self.values[key],
            self._stand_for(key), first, first,
        )  # fmt: skip

    def in_order(self, places: np.ndarray) -> Batch:
        """All n tokens as they stand."""
        query, key = places[:, 0], places[:, -1]
        ones = np.ones((len(places), self.n), dtype=int)
        keys = self._laid_out(key)
        return Batch(
            self.queries[self._laid_out(query)], self.keys[keys], self.values[keys],
            ones, query, key,
        )  # fmt: skip

    def _stand_for(self, marked: np.ndarray) -> np.ndarray:
        """How many tokens are special and of each class, (T, K + 1)."""
        found = np.full((len(marked), self.classes + 1), self.n // self.classes)
        found[:, 0] = 1
        found[np.arange(len(marked)), 1 + marked] -= 1
        return found

    def _laid_out(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        order = np.arange(self.n)
        special = order == places[:, None]
        return places[:, None] % self.classes, np.where(special, 0, 1 + order % self.classes)


def distinct_tokens(layer: Layer, tokens: Tokens, dataset: int) -> DistinctTokens:
    """Those of D0 or D1, taken from its definition with the special token in each class."""
    classes = layer.of.classes(tokens.d)
    found = []
    for marked in range(classes):
        places = np.full(layer.of.special_tokens, marked)
        a1, a2, a3, q, k = layer.of.literal(tokens, dataset, places)
        rows = np.arange(-1, classes)
        # Another one of the special token's class; if there is none, the special one again, which
        # as a key stands for none.
        rows[1 + marked] = (marked + classes) % tokens.n
        rows[0] = marked
        found.append((a1[rows] @ q, a2[rows] @ k, a3[rows]))
    return DistinctTokens(*(np.stack(parts) for parts in zip(*found, strict=True)), tokens.n)
