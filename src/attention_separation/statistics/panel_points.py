"""Counts of successes beside the probabilities that they are held against."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PanelPoints:
    """The P points of a panel: counts (P,) int64, references and their errors (P,) float64."""

    successes: np.ndarray
    trials: np.ndarray
    reference: np.ndarray
    error: np.ndarray

    def __post_init__(self) -> None:
        counts, probabilities = (self.successes, self.trials), (self.reference, self.error)
        if len({len(column) for column in (*counts, *probabilities)}) != 1:
            raise ValueError("counts and references of different lengths")
        if not len(self.trials):
            raise ValueError("no points to judge")
        for column in probabilities:
            if not np.all(np.isfinite(column) & (column >= 0) & (column <= 1)):
                raise ValueError("a reference or its error is no number between 0 and 1")
        if np.any(self.trials < 1) or np.any(self.successes < 0):
            raise ValueError("a point has no trials, or fewer than no successes")
        if np.any(self.successes > self.trials):
            raise ValueError("a point has more successes than trials")

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest probability of each point under the null hypothesis."""
        low, high = self.reference - self.error, self.reference + self.error
        return np.clip(low, 0, 1), np.clip(high, 0, 1)
