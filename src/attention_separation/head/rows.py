"""Rows of scores of one head, and sums of their softmax weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

RUNS = 8
"""Of neighbours among the rest: the spread of their means is the error of the rest's mean."""


@dataclass(frozen=True)
class Rows:
    """R queries, each with its scores of K keys and the key that it should find. The keys beside
    the target are fixed, there once however long the context is, or the rest, of which there will
    be more.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    scores : (R, K + 1) in float64, as softmax gets them, -inf where masked; the last column is of a
        sink that is no token, fixed too, -inf where there is none
    visible, rest : (R, K + 1) whether a token is there, and whether it is of the rest
    """

    labels: dict[str, np.ndarray]
    scores: np.ndarray
    visible: np.ndarray
    rest: np.ndarray

    @cached_property
    def n(self) -> np.ndarray:
        """Visible tokens, (R,)."""
        return self.visible.sum(1)

    @cached_property
    def m(self) -> np.ndarray:
        """Tokens of the rest, (R,)."""
        return self.rest.sum(1)

    @cached_property
    def k(self) -> np.ndarray:
        """The target and the fixed tokens, (R,)."""
        return self.n - self.m

    @cached_property
    def is_target(self) -> np.ndarray:
        """(R, K + 1)."""
        return np.arange(self.scores.shape[1]) == self.labels["target"][:, None]

    def of_target(self, values: np.ndarray) -> np.ndarray:
        """The target's of values (R, K + 1), (R, 1)."""
        return np.take_along_axis(values, self.labels["target"][:, None], 1)

    @cached_property
    def log_weights(self) -> np.ndarray:
        """Logarithms of the weights that softmax gives, (R, K + 1)."""
        below = self.scores - self.scores.max(1, keepdims=True)
        return below - np.log(np.exp(below).sum(1, keepdims=True))

    @cached_property
    def weights(self) -> np.ndarray:
        return np.exp(self.log_weights)

    @cached_property
    def share(self) -> np.ndarray:
        """The target's weight, (R,)."""
        return self.of_target(self.weights)[:, 0]

    @cached_property
    def sink(self) -> np.ndarray:
        """The weight of what is fixed, (R,)."""
        return np.where(self.rest | self.is_target, 0.0, self.weights).sum(1)

    @cached_property
    def rest_sums(self) -> np.ndarray:
        """Weights of the rest, summed up to each key, (R, K + 1)."""
        return np.where(self.rest, self.weights, 0.0).cumsum(1)

    @cached_property
    def rest_places(self) -> np.ndarray:
        """Where the rest of one row after another is in (R, K + 1) laid flat, and a 0."""
        return np.append(np.flatnonzero(self.rest), 0)

    def mean_and_error(self, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean weight of the first m tokens of the rest, and its relative standard error, by
        the means of eight runs as equal as can be, (R,) each for (R,)."""
        size, more = np.divmod(m, RUNS)
        k = np.arange(RUNS + 1)
        ends = k * size[:, None] + np.minimum(k, more[:, None])
        before = (np.cumsum(self.m) - self.m)[:, None]
        sums = self.rest_sums.ravel()[self.rest_places[before + ends - 1]]
        sums[ends == 0] = 0.0
        means, mean = np.diff(sums) / np.diff(ends), sums[:, -1] / m
        return mean, means.std(1, ddof=1) / (np.sqrt(RUNS) * mean)
