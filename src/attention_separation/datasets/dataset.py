"""Datasets of attention: n tokens that stack identities, one of them special, in K classes.

The class of a token is the row of its identity. An *orbit* is a group of coordinates in which the
tokens of each type have equal entries.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from ..attention.distinct_rows import (
    FIRST,
    LAST,
    OF_MARKED,
    OF_OTHERS,
    OF_OWN,
    OF_REST,
    ORBITS,
    OWN,
    REST,
    SAME,
    SPECIAL,
    TokenTypes,
)


class Entries(Protocol):
    """Sizes of the entries of the tokens.

    Attributes
    ----------
    a0, a1 : of D0's and of D1's special entry
    b, c : of the class entries and of the last column, in self-attention
    classes : K
    """

    @property
    def a0(self) -> float: ...

    @property
    def a1(self) -> float: ...

    @property
    def b(self) -> float: ...

    @property
    def c(self) -> float: ...

    @property
    def classes(self) -> int: ...


class Data(Entries, Hashable, Protocol):
    """These, and how many sign columns there are."""

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""


def sign_columns(n: int, delta: float, at_least: int) -> int:
    """The number of sign columns m = max(floor(log(n / delta)), at_least)."""
    return max(math.floor(math.log(n / delta)), at_least)


@dataclass(frozen=True)
class FixedData:
    """A `Data` of given numbers; the paper's where nothing else is said.

    `columns` is m at every n; None for m = max(floor(log(n / delta)), at_least).
    """

    a0: float = 0.01
    a1: float = 1.2
    b: float = 0.2
    c: float = 0.8
    classes: int = 20
    delta: float = 0.01
    at_least: int = 15
    columns: int | None = None

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""
        return self.columns or sign_columns(n, self.delta, self.at_least)


class Sizes(Protocol):
    """What tokens depend on; a point of a panel has it. Of cross-attention b, c and X are not
    read."""

    @property
    def n(self) -> int: ...

    @property
    def d(self) -> int: ...

    @property
    def b(self) -> float: ...

    @property
    def c(self) -> float: ...

    @property
    def s(self) -> float: ...

    @property
    def attention_x(self) -> str: ...

    def a(self, dataset: int) -> float: ...


@dataclass(frozen=True)
class Tokens:
    """Sizes of n tokens, where nothing else of a point is needed."""

    n: int
    d: int
    a0: float
    a1: float
    b: float
    c: float
    attention_x: str

    @property
    def s(self) -> float:
        return math.sqrt(math.log(self.n))

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


Number = TypeVar("Number", int, np.ndarray)
"""A whole number, or an array of such."""

Types = Callable[[Sequence[Sizes], int], TokenTypes]
"""The token types of D0 or D1 at points, all with the same X."""

Literal = Callable[[Sizes, int, np.ndarray], tuple[np.ndarray, ...]]
"""A1, A2, A3, Q and K of D0 or D1, each (n, d) or (d, d), given the special tokens' indices."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """The datasets D0 and D1 of a model, whatever attention is put to them."""

    name: str  # in configurations and tables
    definition: str  # in the paper
    other_columns: int  # columns of A2 beside those of the K classes: d - K
    special_tokens: int  # how many indices a dataset draws: of the special query and key, or both
    types: Types
    literal: Literal

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

    def classes(self, d: Number) -> Number:
        """K, the number of classes of tokens."""
        return d - self.other_columns

    def special_class(self, j3: Number, d: int) -> Number:
        """The class, 0..K-1, of the special token of index j3."""
        return j3 % self.classes(d)

    def token_types(self, points: Sequence[Sizes], dataset: int) -> TokenTypes:
        """The token types of a dataset at some points, all with the same X; ValueError if n tokens
        do not stack at a point."""
        for point in points:
            self.check(point.n, point.d)
        return self.types(points, dataset)


def count_coordinates(classes: np.ndarray, last: int) -> np.ndarray:
    """The number of coordinates in each of the 6 orbits, (P, 6), at P points.

    classes : (P,), the numbers K of classes
    last : 1 if tokens have a last coordinate, beside those of the classes, else 0
    """
    counts = np.empty((len(classes), ORBITS), dtype=int)
    counts[:, FIRST] = 1
    counts[:, OF_MARKED] = 1
    counts[:, OF_OWN] = classes > 1
    counts[:, OF_REST] = classes > 2
    counts[:, OF_OTHERS] = np.maximum(classes - 3, 0)
    counts[:, LAST] = last
    return counts


def key_vectors(
    first: np.ndarray, block: np.ndarray, last: np.ndarray | float, classes: np.ndarray
) -> np.ndarray:
    """The entries of a key of each of the 4 types in each of the 6 orbits of coordinates,
    (P, 4, 6); a type of which there is no token repeats another.

    first : (P,), the special token's entry in the first coordinate
    block : (P,), every token's entry in the coordinate of its class
    last : (P,), every token's entry in the last coordinate
    """
    keys = np.zeros((len(classes), 4, ORBITS))
    keys[:, SPECIAL, FIRST] = first
    keys[:, SPECIAL, OF_MARKED] = block
    keys[:, SAME, OF_MARKED] = block
    keys[:, OWN, OF_OWN] = block
    keys[:, REST, OF_REST] = block
    keys[:, :, LAST] = np.broadcast_to(last, len(classes))[:, None]
    has_no_own = classes < 2
    keys[has_no_own, OWN] = keys[has_no_own, SAME]
    has_no_rest = classes < 3
    keys[has_no_rest, REST] = keys[has_no_rest, OWN]
    return keys


def stacking_fault(n: int, classes: int) -> str:
    """Why n tokens cannot be in so many classes of equal size, in words; "" if they can."""
    if n % classes == 0:
        return ""
    allowed = f"multiples of {classes}; nearest: {nearest_multiples(n, classes)}"
    return f"n={n} does not stack in {classes} classes; allowed: {allowed}"


def nearest_multiples(n: int, factor: int) -> str:
    """The multiples of `factor` next below and above n, none less than 2, in words such as
    "20 or 40"."""
    below = n // factor * factor
    smallest = factor * math.ceil(2 / factor)
    nearest = {max(below, smallest), max(below + factor, smallest)}
    return " or ".join(str(multiple) for multiple in sorted(nearest))
