"""Tokens of several rows in an order, and the mean of their weights with its error, by runs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

RUNS = 8
"""Of neighbours: the spread of their means is the error of the mean of all."""


@dataclass(frozen=True)
class TokensInOrder:
    """Tokens of R rows. Weights are over the largest one of a row, so that no row is lost to
    rounding, however far its tokens are below all others.

    Attributes
    ----------
    scores : row after row, each in its order, (M,)
    counts : how many of them each row has, (R,)
    """

    scores: np.ndarray
    counts: np.ndarray

    @cached_property
    def first(self) -> np.ndarray:
        """Where each row begins, (R,)."""
        return np.cumsum(self.counts) - self.counts

    @property
    def rank(self) -> np.ndarray:
        """How many tokens of its row are before each, (M,)."""
        return np.arange(len(self.scores)) - np.repeat(self.first, self.counts)

    def part(self, start: np.ndarray, stop: np.ndarray) -> "TokensInOrder":
        """Of each row the tokens from `start` up to `stop`, (R,) each."""
        rank = self.rank
        is_after_start = rank >= np.repeat(start, self.counts)
        is_before_stop = rank < np.repeat(stop, self.counts)
        return TokensInOrder(self.scores[is_after_start & is_before_stop], stop - start)

    def at_inverse_temperature(self, beta: np.ndarray) -> "TokensInOrder":
        """The same tokens with the scores of each row times its beta, (R,)."""
        beta_of_token = np.repeat(beta, self.counts)
        has_weight = self.scores > -np.inf
        with np.errstate(invalid="ignore"):
            scores = beta_of_token * self.scores
        # A token without weight has none at beta = 0 either, where 0 times -inf is NaN.
        return TokensInOrder(np.where(has_weight, scores, -np.inf), self.counts)

    @cached_property
    def loudest(self) -> np.ndarray:
        """The highest score of each row, (R,), -inf where nothing has weight."""
        loudest = np.maximum.reduceat(np.append(self.scores, -np.inf), self.first)
        return np.where(self.counts > 0, loudest, -np.inf)

    @cached_property
    def weights(self) -> np.ndarray:
        """Over the largest one of the row, (M,)."""
        loudest = np.where(self.loudest > -np.inf, self.loudest, 0.0)
        return np.exp(self.scores - np.repeat(loudest, self.counts))

    @cached_property
    def mean(self) -> np.ndarray:
        """Of `weights`, (R,); NaN of no token."""
        with np.errstate(invalid="ignore"):
            return self._sums(self.weights) / self.counts

    @cached_property
    def log_mean(self) -> np.ndarray:
        """The logarithm of the mean of e^score, (R,)."""
        with np.errstate(divide="ignore"):
            return np.log(self.mean) + self.loudest

    @cached_property
    def relative_error(self) -> np.ndarray:
        """The standard error of the mean over the mean, by the means of eight runs as equal as can
        be, (R,). NaN where the mean is 0, or there are fewer than eight tokens."""
        run = np.arange(RUNS + 1)
        size = (self.counts // RUNS)[:, None]
        longer_runs = (self.counts % RUNS)[:, None]
        edges = run * size + np.minimum(run, longer_runs)
        places = (self.first[:, None] + edges).ravel()
        sums = np.add.reduceat(np.append(self.weights, 0.0), places)
        # The last edge of a row begins no run.
        sums_of_runs = sums.reshape(-1, RUNS + 1)[:, :RUNS]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums_of_runs / np.diff(edges)
            error = means.std(axis=1, ddof=1) / (np.sqrt(RUNS) * self.mean)
        return np.where(self.counts >= RUNS, error, np.nan)

    @cached_property
    def effective_number(self) -> np.ndarray:
        """How many of the weights count, (R,): (sum w)^2 / sum w^2; NaN of no weight."""
        with np.errstate(invalid="ignore"):
            return self._sums(self.weights) ** 2 / self._sums(self.weights**2)

    @cached_property
    def mean_score(self) -> np.ndarray:
        """(R,); NaN of no token."""
        with np.errstate(invalid="ignore"):
            return self._sums(self.scores) / self.counts

    @cached_property
    def deviation(self) -> np.ndarray:
        """The standard deviation of the scores, (R,), of all of them, so their number divides."""
        with np.errstate(invalid="ignore"):
            away = self.scores - np.repeat(self.mean_score, self.counts)
            return np.sqrt(self._sums(away**2) / self.counts)

    def _sums(self, values: np.ndarray) -> np.ndarray:
        """Of each row of values (M,), (R,)."""
        sums = np.add.reduceat(np.append(values, 0.0), self.first)
        return np.where(self.counts > 0, sums, 0.0)
