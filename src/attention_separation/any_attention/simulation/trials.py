"""Trials of a kernel in a layer: tokens, special ones and signs drawn, and the network is asked."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_separation.attention.sign_columns import exceeds
from attention_separation.datasets.dataset import Data, Tokens
from attention_separation.statistics.seeding import BlockStreams, blocks

from ..exact.layers import Layer
from .attending import SimulatedKernel, draw_projections, numbers_of_projections


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


STREAMS = "kernels_simulated"
"""What the names of all streams begin with."""

MOST_NUMBERS = 2**20
"""Of one array: trials that need more are worked on one after another."""


@dataclass(frozen=True)
class Draw:
    """What some trials draw.

    Attributes
    ----------
    places : (T, 2, q) the special tokens' indices of D0 and D1
    y : (T, d, m) signs, the same for D0 and D1
    projections : (T, features, d) W; None where the kernel has none
    """

    places: np.ndarray
    y: np.ndarray
    projections: np.ndarray | None


@dataclass(frozen=True)
class Outcome:
    """What came of T trials.

    Attributes
    ----------
    after_y : (T,) whether some threshold above 0, chosen after the signs, separates D1 from D0
    paper : (T,) whether the paper's does
    share : (T,) the special token's in its own row on D1
    """

    after_y: np.ndarray
    paper: np.ndarray
    share: np.ndarray


def layer_tokens(layer: Layer, data: Data, n: int) -> Tokens:
    """n tokens of a layer."""
    return Tokens(n, layer.d(data.classes), data.a0, data.a1, data.b, data.c, layer.attention_x)


def draws(
    kernel: SimulatedKernel, layer: Layer, data: Data, n: int, seed: int, trials: int
) -> Iterator[Draw]:
    """The draws of some trials, as many at once as memory allows; fewer trials are the first of
    more."""
    d, m = layer.d(data.classes), data.m(n)
    features = max(kernel.features, default=0)
    together = _together(kernel, layer, data, n)
    point = f"{kernel.name} {layer.model} {layer.attention_x} n={n}"
    for block, in_block in blocks(trials):
        streams = BlockStreams(seed, STREAMS, point, block)
        places, signs, gaussian = map(streams.generator, ("places", "signs", "projections"))
        for start in range(0, in_block, together):
            count = min(together, in_block - start)
            yield Draw(
                places.integers(0, n, size=(count, 2, layer.of.special_tokens)),
                2.0 * signs.integers(0, 2, size=(count, d, m)) - 1.0,
                draw_projections(gaussian, count, features, d) if features else None,
            )


def _together(kernel: SimulatedKernel, layer: Layer, data: Data, n: int) -> int:
    d, m, features = layer.d(data.classes), data.m(n), max(kernel.features, default=0)
    tokens = n if kernel.in_order else data.classes + 1
    needed = max(tokens * max(2 * d, m + 2, features), d * m, numbers_of_projections(features, d))
    return max(MOST_NUMBERS // needed, 1)


def simulate(
    kernel: SimulatedKernel, layer: Layer, data: Data, n: int, seed: int, trials: int
) -> dict[int | None, Outcome]:
    """What comes of the trials, by the number of random features; None for a kernel without."""
    tokens = layer_tokens(layer, data, n)
    of_data = [distinct_tokens(layer, tokens, dataset) for dataset in (0, 1)]
    found = {features: [] for features in kernel.features or (None,)}
    for draw in draws(kernel, layer, data, n, seed, trials):
        batches = [
            (tokens.in_order if kernel.in_order else tokens.once)(draw.places[:, dataset])
            for dataset, tokens in enumerate(of_data)
        ]
        for features, outcomes in found.items():
            w = None if features is None else draw.projections[:, :features]
            asked = [_ask(kernel, batch, draw.y, w) for batch in batches]
            outcomes.append(_judge(asked, layer.theta(data) * tokens.s, tokens.s))
    return {
        features: Outcome(*(np.concatenate(parts) for parts in zip(*outcomes, strict=True)))
        for features, outcomes in found.items()
    }


def _ask(
    kernel: SimulatedKernel, batch: Batch, y: np.ndarray, projections: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The largest score over all tokens and columns, and the special token's share of its own row,
    each (T,)."""
    trials = np.arange(len(y))
    special = np.zeros(batch.keys.shape[:2])
    special[trials, batch.special_key] = 1.0
    ones = np.ones_like(special)
    mass = np.concatenate([batch.values @ y, ones[..., None], special[..., None]], axis=-1)
    mass *= batch.keys_stand_for[..., None]
    sums = kernel.attend(batch.queries, batch.keys, mass, projections)
    scores = sums[..., :-2] / sums[..., -2:-1]
    own = sums[trials, batch.special_query]
    return scores.max(axis=(1, 2)), own[:, -1] / own[:, -2]


def _judge(asked: list[tuple[np.ndarray, np.ndarray]], tau: float, s: float) -> tuple:
    """The fields of an `Outcome`."""
    (of_d0, _), (of_d1, share) = asked
    paper = exceeds(of_d1, tau, s) & ~exceeds(of_d0, tau, s)
    return exceeds(of_d1, np.maximum(of_d0, 0.0), s), paper, share
