"""Rows of scores of one head, and what follows from their softmax weights."""

import numpy as np
from scipy.special import softmax

RUNS = 8
"""Of neighbours among the rest: the spread of their means is the error of the rest's mean."""

LEAST_REST = 8
"""Rest tokens below which a row has no columns."""


class Rows:
    """R queries, each with its scores of K keys and the key that it should find. The others are
    fixed, there once however long the context is, or the rest, of which there will be more.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    scores : (R, K + 1) in float64, as softmax gets them, -inf where masked; the last column is of a
        sink that is no token, fixed too, -inf where there is none
    visible, is_target, rest : (R, K + 1) whether a token is there, the target, of the rest
    n, m, k : numbers of tokens, of the rest, and of those that are not, (R,) each
    weights : that softmax gives, (R, K + 1)
    share, fixed, mean, error : the target's weight; the sum of what is fixed and the mean of the
        rest, over that; the mean's relative standard error, (R,) each
    """

    def __init__(
        self, labels: dict[str, np.ndarray], scores: np.ndarray, visible: np.ndarray,
        is_fixed: np.ndarray,
    ):  # fmt: skip
        self.labels, self.scores, self.visible = labels, scores, visible
        self.is_target = np.arange(scores.shape[1]) == labels["target"][:, None]
        self.rest = visible & ~is_fixed & ~self.is_target
        self.n, self.m = visible.sum(1), self.rest.sum(1)
        self.k = self.n - self.m
        self.weights = softmax(scores, axis=1)
        self.share = self.weights[self.is_target]
        self._sums = np.where(self.rest, self.weights, 0.0).cumsum(1).ravel()
        self._places = np.append(np.flatnonzero(self.rest), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            fixed = np.where(self.rest | self.is_target, 0.0, self.weights).sum(1)
            self.fixed = np.where(fixed > 0, fixed / self.share, 0.0)
            mean, self.error = self.mean_and_error(self.m)
            self.mean = mean / self.share

    def mean_and_error(self, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean weight of the first m tokens of the rest, and its relative standard error by
        the means of eight runs as equal as can be, (R,) each for (R,)."""
        size, more = (each[:, None] for each in np.divmod(m, RUNS))
        k = np.arange(RUNS + 1)
        ends = k * size + np.minimum(k, more)
        before = (np.cumsum(self.m) - self.m)[:, None]
        sums = np.where(ends > 0, self._sums[self._places[before + ends - 1]], 0.0)
        means, mean = np.diff(sums) / np.diff(ends), sums[:, -1] / m
        return mean, means.std(1, ddof=1) / (np.sqrt(RUNS) * mean)
