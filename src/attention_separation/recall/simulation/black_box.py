"""Any layer's accuracy, by literal random pairs: a function (q, k, v) -> o is all that is known."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...messages.words import short_repr
from ...statistics.bounded_means import mean_of_bounded, mean_of_clusters
from ...statistics.seeding import stream
from ..exact.answer import Recall
from .literal_layers import BlackBox

FEWEST_QUERIES, MOST_QUERIES = 16, 64
KEYS_A_QUERY = 256
COORDINATES = 8
"""Queries of each draw of keys, one of so many keys, within these bounds; and coordinates of their
values."""

LEVEL = 0.05
"""Chance that an interval misses."""

ROUNDING_STEPS = 1024
MOST_ROUNDING = 1e-3
"""An output is 0 up to rounding if it is at most so many rounding steps of its numbers, and at most
this share, of the largest output that its query gives with any values. What a sum of random weights
leaves is so small with a chance of about 1e-13, while weights that cancel, as of a key that was
written with both signs, leave some tens of steps."""


@dataclass(frozen=True)
class Draw:
    """Pairs that are written, and what is read.

    queries : (m, d)
    keys, values : (N, d) and (N, e) of all writes in their order
    own : (m,) the write of each query's own key whose value is wanted
    """

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    own: np.ndarray


@dataclass(frozen=True)
class Pairs:
    """n random pairs, and queries.

    ages : of the queries' own keys; None for ages that take all n values equally often
    cosine : of a query and its own key
    rewrites : passes over the same keys, with fresh values, before the last one
    norm : of keys and queries
    """

    n: int
    d: int
    ages: tuple[int, ...] | None
    cosine: float
    rewrites: int
    norm: float

    def accuracies(
        self, layer: BlackBox, generator: np.random.Generator, sizes: "OutputSizes"
    ) -> np.ndarray:
        """The share of coordinates of each query's value that are recalled, (m,), of one draw of
        keys; a tie counts half. ValueError where the layer gives anything but numbers (m, e)."""
        draw = self.draw(generator)
        outputs = checked_outputs(layer, draw, self)

        def outputs_of_others() -> np.ndarray:
            # A stream of its own: draws do not depend on how often this is asked.
            (other_generator,) = generator.spawn(1)
            other_values = other_generator.choice([-1.0, 1.0], draw.values.shape)
            return checked_outputs(layer, replace(draw, values=other_values), self)

        is_tie = sizes.ties(outputs, outputs_of_others)
        wanted = draw.values[draw.own]
        agreement = np.where(is_tie, 0.0, np.sign(outputs.astype(float))) * wanted
        return np.asarray((1 + agreement.mean(axis=1)) / 2)

    def accuracies_of_draws(
        self, layer: BlackBox, draws: int, generator: np.random.Generator
    ) -> np.ndarray:
        """The share of coordinates of each query's value that are recalled, (T, m), in each of so
        many draws."""
        sizes = OutputSizes()
        return np.stack([self.accuracies(layer, generator, sizes) for _ in range(draws)])

    def draw(self, generator: np.random.Generator) -> Draw:
        """A draw of random pairs and queries."""
        keys = self._directions(generator, self.n)
        values = generator.choice([-1.0, 1.0], ((self.rewrites + 1) * self.n, COORDINATES))
        places = self._places(generator)
        queries = keys[places]
        if self.cosine != 1:
            queries = self._noisy(generator, queries)
        keys *= self.norm
        passes = np.tile(keys, (self.rewrites + 1, 1)) if self.rewrites else keys
        return Draw(
            queries=self.norm * queries,
            keys=passes,
            values=values,
            own=self.rewrites * self.n + places,
        )

    def _places(self, generator: np.random.Generator) -> np.ndarray:
        """The places of the queries' own keys among the pairs, (m,)."""
        if self.ages is not None:
            return self.n - 1 - np.array(self.ages)
        if self.n <= FEWEST_QUERIES:
            return np.arange(self.n)
        count = min(max(self.n // KEYS_A_QUERY, FEWEST_QUERIES), MOST_QUERIES)
        spread = (np.arange(count) + generator.random(count)) / count
        return np.minimum((spread * self.n).astype(int), self.n - 1)

    def _directions(self, generator: np.random.Generator, count: int) -> np.ndarray:
        """Random unit vectors, (count, d), uniform on the sphere."""
        normals = generator.standard_normal((count, self.d))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return normals

    def _noisy(self, generator: np.random.Generator, queries: np.ndarray) -> np.ndarray:
        """Random unit vectors (m, d) at the pairs' cosine to the given ones."""
        normals = generator.standard_normal(queries.shape)
        normals -= (normals * queries).sum(axis=1, keepdims=True) * queries
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return self.cosine * queries + math.sqrt(1 - self.cosine**2) * normals


@dataclass
class OutputSizes:
    """How large outputs are, which tells those that are 0 up to rounding from small ones.

    A query's outputs have one size whatever the values: that of its weights. It is the largest of
    its outputs, unless they all are ties; then other values show it. Queries are not compared with
    each other: all that one gives may be small, as where a decay leaves nothing but an old key.

    largest : of all outputs so far
    """

    largest: float = 0.0

    def ties(self, outputs: np.ndarray, outputs_of_others: Callable[[], np.ndarray]) -> np.ndarray:
        """Whether each output, (m, e), is 0 up to rounding; `outputs_of_others` returns the outputs
        of the same queries and keys with other values."""
        share = _rounding_of(outputs)
        sizes = np.abs(outputs.astype(float))
        of_queries = sizes.max(axis=1, keepdims=True)
        self.largest = max(self.largest, float(of_queries.max()))
        if (of_queries <= share * self.largest).any():
            of_others = np.abs(outputs_of_others().astype(float))
            of_queries = np.maximum(of_queries, of_others.max(axis=1, keepdims=True))
        return np.asarray(sizes <= share * of_queries)


def _rounding_of(outputs: np.ndarray) -> float:
    """The share of an output's size that may be rounding; 0 for whole numbers."""
    if outputs.dtype.kind != "f":
        return 0.0
    return min(ROUNDING_STEPS * float(np.finfo(outputs.dtype).eps), MOST_ROUNDING)


DrawLaw = Literal["any", "alike"]
"""Of the accuracies of draws: `any` of a layer of which nothing is known, which may fail in whole
draws; `alike` of a layer whose definition treats all draws alike."""


def simulated(
    layer: BlackBox,
    pairs: Pairs,
    trials: int,
    seed: int,
    what: str = "the literal layer",
    law: DrawLaw = "alike",
) -> Recall:
    """The accuracy of a layer over so many draws of keys, each with its queries and coordinates.
    `what` is drawn, in words.

    The interval is over draws, for what shares keys is not independent: that of `mean_of_bounded`
    of any law, of `mean_of_clusters` where draws are alike.
    """
    by_draw = _accuracies(layer, pairs, trials, seed)
    return _recall(by_draw.mean(axis=1), by_draw.shape[1], what, law)


def simulated_by_age(layer: BlackBox, pairs: Pairs, trials: int, seed: int) -> list[Recall]:
    """The accuracy of a layer at each of the ages of the pairs, over so many draws, which are
    alike."""
    by_draw = _accuracies(layer, pairs, trials, seed)
    return [_recall(column, 1, "the literal layer", "alike") for column in by_draw.T]


def _accuracies(layer: BlackBox, pairs: Pairs, trials: int, seed: int) -> np.ndarray:
    """The share of coordinates recalled in each draw and for each query, (T, m)."""
    point = f"n={pairs.n} d={pairs.d} ages={pairs.ages} cosine={pairs.cosine!r}"
    point += f" rewrites={pairs.rewrites}"
    generator = stream(seed, "recall", "pairs", point)
    return pairs.accuracies_of_draws(layer, trials, generator)


def _recall(by_draw: np.ndarray, queries: int, what: str, law: DrawLaw) -> Recall:
    """The mean of the accuracies of draws (T,), each of so many queries, and the longer half of its
    interval."""
    method = f"simulated: {what}, {len(by_draw):,} draws of keys; the error is half of 95 %"
    if law == "any":
        mean = mean_of_bounded(by_draw, LEVEL)
    else:
        mean = mean_of_clusters(by_draw, queries * COORDINATES, LEVEL)
    return Recall(mean.value, max(mean.high - mean.value, mean.value - mean.low), method)


def checked_outputs(layer: BlackBox, draw: Draw, pairs: Pairs) -> np.ndarray:
    """The outputs (m, e) of a layer for a draw, in the layer's own type; ValueError if they are no
    finite numbers of that shape."""
    outputs: object = layer(draw.queries, draw.keys, draw.values)
    shape = (len(draw.queries), COORDINATES)
    if isinstance(outputs, tuple | list):
        kind = type(outputs).__name__
        raise ValueError(
            f"layer gave a {kind} of {len(outputs)}; allowed: an array {shape} alone, as its first "
            "item may be"
        )
    array = np.asarray(outputs)
    if array.shape != shape:
        hint = _hint_on_shape(array.shape, shape, len(draw.keys))
        raise ValueError(f"layer gave an output of shape {array.shape}; allowed: {shape}{hint}")
    if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        value = short_repr(array.ravel()[0])
        hint = ""
        if array.dtype.kind == "f" and pairs.norm != 1:
            hint = "; with keys of norm √d a delta rule grows without end: norm=1"
        raise ValueError(f"layer gave outputs such as {value}; allowed: finite real numbers{hint}")
    return array


def _hint_on_shape(shape: tuple[int, ...], wanted: tuple[int, int], writes: int) -> str:
    """The likely cause of an output's wrong shape, in words; "" if none is known."""
    if shape[-2:] == wanted:
        return ", without axes of batches or heads"
    if shape == (writes, COORDINATES):
        return ", an output for each query that reads after all pairs, and none for each pair"
    if shape == wanted[::-1]:
        return ", queries along the first axis"
    return ""
