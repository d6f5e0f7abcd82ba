"""Rows of scores of one head, and what follows from their softmax weights.

Of a row: s_t is the target's score, weights w_j = e^(s_j - s_t) are over the target's. A is their
sum over *fixed* tokens, those that are there once however long the context is. Of the *rest*, the
m other tokens, there will be more; wbar is their mean.
"""

from functools import cached_property

import numpy as np
from scipy.special import softmax

RUNS = 8
"""Of neighbours among the rest: the spread of their means is the error of the rest's mean."""

LEAST_REST = 8
"""Rest tokens below which a row has no columns."""


class Rows:
    """R queries, each with its scores of K keys and the key that it should find.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    scores : (R, K + 1) in float64, as softmax gets them, -inf where masked, or of weight 0; the
        last column is of a sink that is no token, fixed too, -inf where there is none
    is_seen, is_target, is_rest : (R, K + 1) whether a token is seen, the target, of the rest
    n, m, k : numbers of tokens that are seen, of the rest, and of those that are not, (R,) each
    weights : that softmax gives, (R, K + 1)
    target_score : s_t, (R,)
    """

    def __init__(
        self,
        labels: dict[str, np.ndarray],
        scores: np.ndarray,
        is_seen: np.ndarray,
        is_fixed: np.ndarray,
    ) -> None:
        self.labels = labels
        self.scores = scores
        self.is_seen = is_seen
        self.is_target = np.arange(scores.shape[1]) == labels["target"][:, None]
        self.is_rest = is_seen & ~is_fixed & ~self.is_target
        self.n = is_seen.sum(axis=1)
        self.m = self.is_rest.sum(axis=1)
        self.k = self.n - self.m
        self.weights = softmax(scores, axis=1)
        self.target_score = scores[self.is_target]

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def share(self) -> np.ndarray:
        """The target's weight, (R,)."""
        return self.weights[self.is_target]

    @cached_property
    def sink_share(self) -> np.ndarray:
        """The weight of fixed tokens and of a sink that is no token, (R,)."""
        return np.where(self.is_rest | self.is_target, 0.0, self.weights).sum(axis=1)

    @cached_property
    def fixed_weight(self) -> np.ndarray:
        """A, (R,): inf where the target has weight 0 and a fixed token has not."""
        is_fixed = (self.scores > -np.inf) & ~self.is_rest & ~self.is_target
        with np.errstate(over="ignore"):
            weights = np.exp(np.where(is_fixed, self.above_target, -np.inf))
        return weights.sum(axis=1)

    @cached_property
    def rest_mean(self) -> np.ndarray:
        """wbar, (R,): inf where the target has weight 0 and the rest has not; NaN where there is no
        rest."""
        loudest = self._loudest_rest - self.target_score
        has_weight = self._loudest_rest > -np.inf
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            mean = self.rest_weights.sum(axis=1) / self.m
            return np.where(has_weight, mean * np.exp(loudest), mean)

    @cached_property
    def above_target(self) -> np.ndarray:
        """s_j - s_t, (R, K + 1), -inf for a weight of 0, inf for others where the target has 0."""
        with np.errstate(invalid="ignore", over="ignore"):
            above = self.scores - self.target_score[:, None]
        return np.where(self.scores > -np.inf, above, -np.inf)

    @cached_property
    def _loudest_rest(self) -> np.ndarray:
        """The rest's highest score, (R,), -inf where it has no weight."""
        return np.max(self.scores, axis=1, initial=-np.inf, where=self.is_rest)

    @cached_property
    def rest_weights(self) -> np.ndarray:
        """The rest's weights over its largest one, (R, K + 1), 0 for all other tokens. So no row is
        lost to rounding, however far the target is above it."""
        loudest = np.where(self._loudest_rest > -np.inf, self._loudest_rest, 0.0)
        return np.exp(np.where(self.is_rest, self.scores - loudest[:, None], -np.inf))

    def mean_and_error(self, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of `rest_weights` over the first m tokens of the rest, and its relative standard
        error by the means of eight runs as equal as can be, (R,) each for (R,). NaN where that mean
        is 0, or there are fewer than eight."""
        run = np.arange(RUNS + 1)
        size = (m // RUNS)[:, None]
        longer_runs = (m % RUNS)[:, None]
        edges = run * size + np.minimum(run, longer_runs)
        sums = self._sums_of_first(edges)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.diff(sums) / np.diff(edges)
            mean = sums[:, -1] / m
            error = means.std(axis=1, ddof=1) / (np.sqrt(RUNS) * mean)
        return mean, error

    def _sums_of_first(self, counts: np.ndarray) -> np.ndarray:
        """The sums of `rest_weights` over the first tokens of the rest, (R, P) for (R, P) counts of
        them."""
        sums = self.rest_weights.cumsum(axis=1).ravel()
        # Where tokens of the rest stand in `sums`, row after row; one more for rows without any.
        places = np.append(np.flatnonzero(self.is_rest), 0)
        first_of_row = np.cumsum(self.m) - self.m
        last = first_of_row[:, None] + counts - 1
        return np.where(counts > 0, sums[places[last]], 0.0)
