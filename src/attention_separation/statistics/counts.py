"""Counts of trials and of what happened in them; they merge exactly, in any order."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Counts:
    """How many of some trials had each of K outcomes; `happened` is (K,) int64."""

    trials: int
    happened: np.ndarray

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.trials + other.trials, self.happened + other.happened)

    @classmethod
    def of(cls, outcomes: np.ndarray) -> "Counts":
        """Counts of outcomes (trials, K) bool."""
        return cls(len(outcomes), outcomes.sum(axis=0, dtype=np.int64))

    @classmethod
    def none(cls, outcomes: int) -> "Counts":
        """No trials yet."""
        return cls(0, np.zeros(outcomes, dtype=np.int64))
