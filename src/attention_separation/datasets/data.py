"""What datasets depend on beside n: sizes of entries, the number of classes, and the rule for m."""

import math
from dataclasses import dataclass
from typing import Protocol


class Entries(Protocol):
    """Sizes of the entries of the tokens.

    Attributes
    ----------
    a0, a1 : size of the special entry of D0 and of D1
    b, c : of the class entries and of the last column, in self-attention
    classes : K
    """

    a0: float
    a1: float
    b: float
    c: float
    classes: int


class Data(Entries, Protocol):
    """These, and how many sign columns there are."""

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""


def sign_columns(n: int, delta: float, at_least: int) -> int:
    """m = floor(log(n / delta)), and no less than `at_least`."""
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
