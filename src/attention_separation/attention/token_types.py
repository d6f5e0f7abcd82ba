"""Token types: what is left of n tokens once those that the data does not tell apart are counted.

A dataset has K classes of t tokens; one token is special and belongs to the marked class. A query
is special, another of the marked class, or of another class; it sees four types of keys: the
special token, the others of the marked class, those of its own class (of any unmarked one where its
class is the marked one, or none) and those of every further class.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .seen import Seen

SPECIAL, SAME, OWN, REST = range(4)
"""Types of keys, the last axis of scores. Types of queries are the first three, or, where no query
but the special one knows of a class, the special one and OTHER."""


@dataclass(frozen=True)
class TokenTypes:
    """The token types of P points.

    Attributes
    ----------
    n, d, classes : (P,) tokens, dimension, and classes K; t = n / K
    scores : (P, R, 4) of R types of queries on the types of keys, equal where they are equal
    exists : (P, R) whether there are queries of a type
    first, block : (P,) value of the special token in the first coordinate, and of every token in
        its class's
    last : (P,) value of every token in the last coordinate; None for data without one
    vectors : point's index -> queries (R, d), and keys (K + 1, d): the special token, another of
        the marked class, and one of each further class
    """

    n: np.ndarray
    d: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    exists: np.ndarray
    first: np.ndarray
    block: np.ndarray
    last: np.ndarray | None
    vectors: Callable[[int], tuple[np.ndarray, np.ndarray]]

    @cached_property
    def multiplicities(self) -> np.ndarray:
        """How many tokens each key stands for, (P, 4): 1, t - 1, t and (K - 2) t."""
        t = self.n // self.classes
        counts = np.ones((len(t), 4), dtype=t.dtype)
        counts[:, SAME] = t - 1
        counts[:, OWN] = t * (self.classes > 1)
        counts[:, REST] = t * np.maximum(self.classes - 2, 0)
        return counts

    def seen(self) -> Seen:
        """What kernels of scores may know, of all points at once."""
        counts = np.broadcast_to(self.multiplicities[:, None, :], self.scores.shape)
        n, d = self.n[:, None, None], self.d[:, None, None]
        return Seen(self.scores, None, None, counts, n, d)

    def seen_in_full(self, points: Sequence[int]) -> Seen:
        """What kernels of vectors may know, of points with the same d: a key for each class."""
        queries, keys = (np.stack(each) for each in zip(*map(self.vectors, points), strict=True))
        n, d = self.n[points], self.d[points]
        classes = int(self.classes[points[0]])
        t, further = n // classes, max(classes - 2, 0)
        columns = [SPECIAL, SAME, *[OWN] * (classes > 1), *[REST] * further]
        counts = np.repeat(t[:, None], len(columns), axis=1)
        counts[:, SPECIAL], counts[:, SAME] = 1, t - 1
        scores = self.scores[points][:, :, columns]
        return Seen(
            scores, queries, keys, np.broadcast_to(counts[:, None, :], scores.shape),
            n[:, None, None], d[:, None, None],
        )  # fmt: skip
