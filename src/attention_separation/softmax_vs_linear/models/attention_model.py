"""Models of attention: tokens that stack identities, one of them special, in K classes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from attention_separation.attention.columns import largest_scores
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.token_types import TokenTypes
from attention_separation.softmax_vs_linear.models.contest import Contest
from attention_separation.softmax_vs_linear.models.model import Model
from attention_separation.softmax_vs_linear.models.point import Point

LARGEST_A0 = 0.1
"""a0 lies below (Definition D.1)."""

SUM_TOLERANCE = 1e-9

MOST_NUMBERS = 1_000_000
"""States times rows worked on at once."""

MOST_ROWS = 3
"""Of a network."""


class Sizes(Protocol):
    """What tokens depend on; a point of a panel has it."""

    n: int
    d: int
    b: float | None
    c: float | None
    s: float
    attention_x: str

    def a(self, dataset: int) -> float: ...


@dataclass(frozen=True)
class Tokens:
    """Sizes of n tokens, where nothing else of a point is needed."""

    n: int
    d: int
    a0: float
    a1: float
    b: float | None
    c: float | None
    attention_x: str

    @property
    def s(self) -> float:
        return math.sqrt(math.log(self.n))

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


Types = Callable[[Sequence[Sizes], int], TokenTypes]
"""The token types of D0 or D1 at points, all with the same X."""

Literal = Callable[[Sizes, int, np.ndarray], tuple[np.ndarray, ...]]
"""A1, A2, A3, Q and K of D0 or D1, each (n, d) or (d, d), given the special tokens' indices."""


@dataclass(frozen=True, eq=False)
class AttentionModel(Model):
    """A model whose networks stand on attention with any kernel.

    Attributes
    ----------
    definition : of its datasets, in the paper
    other_columns : columns of A2 beside those of the K classes: d - K
    special_tokens : how many indices a dataset draws: of the special query and key, or of both
    types : the datasets' token types
    literal : the datasets themselves
    least_a1 : a1 is at least so large by the datasets' definition
    range_words : what the definition asks of the parameters
    """

    has_maps = True
    most_alternatives = None
    titled_by = "attention_x"

    definition: str
    other_columns: int
    special_tokens: int
    types: Types
    literal: Literal
    least_a1: float
    range_words: str

    def check(self, n: int, d: int) -> None:
        """Raise ValueError unless n tokens stack identities of K rows, and log n > 0."""
        size = d - self.other_columns
        if size < 1:
            raise ValueError(
                f"d={d}: {self.definition} has {self.other_columns} columns beside its identities; "
                f"allowed: d >= {self.other_columns + 1}"
            )
        if n < 2:
            raise ValueError(
                f"n={n}: {self.definition} has the factor sqrt(log n); allowed: n >= 2"
            )
        if n % size:
            raise ValueError(
                f"n={n} with d={d}: {self.definition} stacks identities, "
                f"n = (d-{self.other_columns}) t with d-{self.other_columns} = {size}; "
                f"nearest valid n: {nearest_multiples(n, size)}"
            )

    def check_contest(self, contest: Contest) -> None:
        """Attention takes every kernel."""

    def classes(self, d: int) -> int:
        """K, the number of classes of tokens."""
        return d - self.other_columns

    def special_class(self, j3, d: int):
        """Class of the special token, 0..K-1."""
        return j3 % self.classes(d)

    def token_types(self, points: Sequence[Sizes], dataset: int) -> TokenTypes:
        """The token types of a dataset at some points, all with the same X.

        Raises
        ------
        ValueError
            If n tokens do not stack at a point.
        """
        for point in points:
            self.check(point.n, point.d)
        return self.types(points, dataset)

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


def nearest_multiples(n: int, of: int) -> str:
    """The multiples of `of` next to n, smaller and larger, that leave log n > 0."""
    below = n // of * of
    smallest = of * math.ceil(2 / of)
    return " or ".join(str(k) for k in sorted({max(below, smallest), max(below + of, smallest)}))
