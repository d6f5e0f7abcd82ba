"""What a kernel may know of the tokens that it weighs."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Seen:
    """Queries and the keys that they attend to, equal keys once with their multiplicity.

    Attributes
    ----------
    scores : (..., R, T) q . k of R queries and T keys, in closed form: equal where they are equal
    queries, keys : (..., R, d) and (..., T, d) vectors, or None where none have been built
    multiplicities : (..., R, T) how many tokens a key stands for, 0 for a key that does not exist
    n, d : number of tokens and dimension, broadcast against (..., 1, 1)
    """

    scores: np.ndarray
    queries: np.ndarray | None
    keys: np.ndarray | None
    multiplicities: np.ndarray
    n: int | np.ndarray
    d: int | np.ndarray

    @property
    def log_n(self) -> np.ndarray:
        return np.log(self.n)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """The largest of values (..., R, T) in each row, over keys that exist: (..., R, 1)."""
        return np.where(self.multiplicities > 0, values, -np.inf).max(axis=-1, keepdims=True)
