"""Any layer's accuracy, by literal random pairs: a function (q, k, v) -> o is all that is known."""

import math
from dataclasses import dataclass

import numpy as np

from ...settings.words import short_repr
from ...statistics.means import Mean
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

    def accuracies(self, layer: BlackBox, generator: np.random.Generator) -> np.ndarray:
        """The share of coordinates of each query's value that are recalled, (m,), of one draw of
        keys; a tie counts half. ValueError where the layer gives anything but numbers (m, e)."""
        keys = self._directions(generator, self.n)
        values = generator.choice([-1.0, 1.0], ((self.rewrites + 1) * self.n, COORDINATES))
        places = self._places(generator)
        queries = keys[places]
        if self.cosine != 1:
            queries = self._noisy(generator, queries)
        keys *= self.norm
        passes = np.tile(keys, (self.rewrites + 1, 1)) if self.rewrites else keys
        outputs = _checked(layer(self.norm * queries, passes, values), len(places))
        wanted = values[self.rewrites * self.n + places]
        agreement = np.sign(outputs) * wanted
        return np.asarray((1 + agreement.mean(axis=1)) / 2)

    def _places(self, generator: np.random.Generator) -> np.ndarray:
        """Of the queries' own keys, (m,)."""
        if self.ages is not None:
            return self.n - 1 - np.array(self.ages)
        if self.n <= FEWEST_QUERIES:
            return np.arange(self.n)
        count = min(max(self.n // KEYS_A_QUERY, FEWEST_QUERIES), MOST_QUERIES)
        spread = (np.arange(count) + generator.random(count)) / count
        return np.minimum((spread * self.n).astype(int), self.n - 1)

    def _directions(self, generator: np.random.Generator, count: int) -> np.ndarray:
        """Uniform unit vectors, (count, d)."""
        normals = generator.standard_normal((count, self.d))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return normals

    def _noisy(self, generator: np.random.Generator, queries: np.ndarray) -> np.ndarray:
        """Unit vectors (m, d) at the cosine to those given."""
        normals = generator.standard_normal(queries.shape)
        normals -= (normals * queries).sum(axis=1, keepdims=True) * queries
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return self.cosine * queries + math.sqrt(1 - self.cosine**2) * normals


def simulated(
    layer: BlackBox, pairs: Pairs, trials: int, seed: int, of_name: str = "literal"
) -> Recall:
    """The accuracy of a layer over so many draws of keys, each with its queries and coordinates;
    the interval is over draws, for what shares keys is not independent."""
    by_draw = _accuracies(layer, pairs, trials, seed)
    return _recall(by_draw.mean(axis=1), by_draw.shape[1], of_name)


def simulated_by_age(layer: BlackBox, pairs: Pairs, trials: int, seed: int) -> list[Recall]:
    """The same at each of the ages of the pairs."""
    by_draw = _accuracies(layer, pairs, trials, seed)
    return [_recall(column, 1, "literal") for column in by_draw.T]


def _accuracies(layer: BlackBox, pairs: Pairs, trials: int, seed: int) -> np.ndarray:
    """Of each draw and query, (T, m)."""
    point = f"n={pairs.n} d={pairs.d} ages={pairs.ages} cosine={pairs.cosine!r}"
    point += f" rewrites={pairs.rewrites}"
    generator = stream(seed, "recall", "pairs", point)
    return np.stack([pairs.accuracies(layer, generator) for _ in range(trials)])


def _recall(by_draw: np.ndarray, queries: int, of_name: str) -> Recall:
    """The mean of the accuracies of draws (T,), each of so many queries."""
    trials = len(by_draw)
    method = f"simulated: the {of_name} layer, {trials:,} draws of keys; the error is half of 95 %"
    if np.ptp(by_draw) == 0:
        value = float(by_draw[0])
        return Recall(value, _error_of_equal_draws(value, trials), method)
    answers = trials * queries * COORDINATES
    # Where few are wrong, the spread is at least what two more wrong ones would make it.
    share = (by_draw.mean() * answers + 2) / (answers + 4)
    least_spread = math.sqrt(share * (1 - share) / (queries * COORDINATES))
    estimate = Mean.of(by_draw, least_spread).interval(LEVEL)
    return Recall(estimate.value, estimate.high - estimate.value, method)


def _error_of_equal_draws(value: float, trials: int) -> float:
    """How far the accuracy may be from that of all draws, as when none of them failed: a layer may
    fail in whole draws, for what shares keys is not independent, and so rarely that none was
    met."""
    # Draws of this share are all missed with the probability LEVEL: about 3 / trials.
    share_not_met = 1 - LEVEL ** (1 / trials)
    return float(share_not_met * max(value, 1 - value))


def _checked(outputs: object, queries: int) -> np.ndarray:
    """Numbers (m, e); else ValueError."""
    shape = (queries, COORDINATES)
    array = np.asarray(outputs)
    if array.shape != shape:
        raise ValueError(f"layer gave an output of shape {array.shape}; allowed: {shape}")
    if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        value = short_repr(array.ravel()[0])
        raise ValueError(f"layer gave outputs such as {value}; allowed: finite real numbers")
    return array.astype(float)
