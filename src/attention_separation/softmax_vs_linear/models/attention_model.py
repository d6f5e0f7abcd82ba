"""Models of attention: tokens that stack identities, one of them special, in K classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.datasets.dataset import Dataset

from .contest import Contest
from .model import Model
from .point import Point

LARGEST_A0 = 0.1
"""a0 lies below (Definition D.1)."""

SUM_TOLERANCE = 1e-9

MOST_NUMBERS = 1_000_000
"""States times rows worked on at once."""

MOST_ROWS = 3
"""Of a network."""


@dataclass(frozen=True, eq=False)
class AttentionModel(Dataset, Model):
    """A model whose networks stand on attention with any kernel: a dataset, and what is said of it.

    Attributes
    ----------
    least_a1 : a1 is at least so large by the datasets' definition
    range_words : what the definition asks of the parameters
    """

    has_maps = True
    most_alternatives = None
    titled_by = "attention_x"

    least_a1: float
    range_words: str

    @classmethod
    def on(cls, dataset: Dataset, **more) -> "AttentionModel":
        """The model on a dataset; `more` are the other attributes."""
        return cls(**vars(dataset), **more)

    def check_contest(self, contest: Contest) -> None:
        """Attention takes every kernel."""

    def network_scores(self, points: Sequence[Point]) -> list[np.ndarray]:
        """The largest scores of each network of the contest in every state of a column,
        (P, 2, E, 2, K), of points that arrays can hold together."""
        types = [self.token_types(points, dataset) for dataset in (0, 1)]
        return [
            largest_scores(distinct_rows(types[dataset], kernel_named(kernel)))
            for kernel, dataset in points[0].contest.networks
        ]

    def scale(self, n: int) -> float:
        """s = sqrt(log n)."""
        return math.sqrt(math.log(n))

    def allows(self, a0: float, a1: float, b: float | None, c: float | None) -> bool:
        """Whether the definition of the datasets allows the parameters."""
        sums = b is None or abs(b + c - 1) < SUM_TOLERANCE
        return a0 < LARGEST_A0 and a1 >= self.least_a1 and sums


def most_together(d: int) -> int:
    """Points of this d whose states are worked on at once."""
    return max(MOST_NUMBERS // (8 * d * MOST_ROWS), 1)
