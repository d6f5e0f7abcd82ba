"""Laws as values, the verdict on what one predicts, and the words that several laws share.

A *claim* is a `Prediction`, with the exact value beside it. Its *error term* says how far the law
may be off.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from ....any_attention.layers import Layer
from ....datasets.dataset import Data
from ....statistics.claims import NOT_APPLICABLE, Estimate, at_most
from .mixture import Mixture


class ClaimKind(StrEnum):
    """A number that a law predicts; whether something is so; and that a kernel has exactly the P of
    uniform weights."""

    NUMBER = "number"
    STATEMENT = "statement"
    IDENTITY = "identity"


LARGEST_ERROR = 0.1
"""A number whose error term is larger, relative, tests no law."""

SUMMATION_ROUNDING = 1e-13
"""A relative difference of up to this may be of the order of summation on one processor."""

SEARCH_PRECISION = 1e-7
"""Of what is searched for, relative; each is to 1e-8."""

EITHER = 0.5
"""Of what is 0 or 1."""


@dataclass(frozen=True)
class Prediction:
    """What a law predicts of one kernel in one layer."""

    kernel: str
    layer: Layer
    quantity: str
    predicted: float
    measured: float  # by exact values; NaN where float64 does not resolve it
    tolerance: float  # of the relative difference, or of the difference itself if it is a statement
    n: float | None = None  # number of tokens; None where it is of no one n
    holds: bool = True  # whether the law's conditions are met
    kind: ClaimKind = ClaimKind.NUMBER

    @property
    def difference(self) -> float:
        """The difference of what is predicted and measured, relative to what is measured; absolute
        where that is 0. It is 0 between equal infinities, and where rounding alone,
        `SUMMATION_ROUNDING`, could make it."""
        distance = self._distance
        if not math.isfinite(distance):
            return distance
        size = abs(self.measured) if self.measured != 0 else 1.0
        return distance / size

    @property
    def _distance(self) -> float:
        """The absolute difference of what is predicted and measured; 0 where only rounding parts
        them, NaN where one is unknown."""
        if math.isclose(self.predicted, self.measured, rel_tol=SUMMATION_ROUNDING):
            return 0.0
        if math.isnan(self.predicted) or math.isnan(self.measured):
            return math.nan
        if math.isinf(self.predicted) or math.isinf(self.measured):
            return math.inf
        return abs(self.predicted - self.measured)

    @property
    def tolerance_kind(self) -> str:
        """What the tolerance is of: the relative difference, or the difference itself."""
        return "absolute" if self.kind == ClaimKind.STATEMENT else "relative"

    @property
    def verdict(self) -> str:
        """The verdict on the claim by its tolerance: undecided where exact values do not resolve
        it, not applicable where the law's conditions are not met."""
        if not self.holds:
            return NOT_APPLICABLE
        if self.kind == ClaimKind.STATEMENT:
            compared = self._distance
        else:
            compared = self.difference
        claim = at_most(self.quantity, Estimate.exactly(compared), self.tolerance)
        return claim.verdict


def statement_claim(
    kernel: str,
    layer: Layer,
    what: str,
    predicted: bool,
    measured: float,
    n: float | None = None,
    holds: bool = True,
) -> Prediction:
    """The claim that a statement is true, or that it is not. `measured` is 1 where it is true, 0
    where it is not, and NaN where exact values do not resolve it."""
    return Prediction(
        kernel=kernel,
        layer=layer,
        quantity=what,
        predicted=float(predicted),
        measured=float(measured),
        tolerance=EITHER,
        n=n,
        holds=holds,
        kind=ClaimKind.STATEMENT,
    )


QUANTITY_LAST_N = "last n"
QUANTITY_WEIGHT = "g"
"""Quantities that 0 or inf may be predicted of."""


class Statement(NamedTuple):
    """What a prediction of 0 or inf says instead of a number."""

    what: str
    is_so: bool


STATEMENT_BY_EXTREME = {
    (QUANTITY_LAST_N, 0.0): Statement("separates at some n", is_so=False),
    (QUANTITY_LAST_N, math.inf): Statement("separates at the largest n", is_so=True),
    (QUANTITY_WEIGHT, 0.0): Statement("separates at g = 0", is_so=True),
    (QUANTITY_WEIGHT, math.inf): Statement("separates at some g", is_so=False),
}
"""By the quantity, and what is predicted of it."""


@dataclass(frozen=True)
class Bracket:
    """A number that a law predicts, and what it predicts at either end of its error term."""

    predicted: float
    ends: tuple[float, float]

    @property
    def reach(self) -> float:
        """How far the farther end is from what is predicted."""
        return max(abs(end - self.predicted) for end in self.ends)

    @property
    def is_sharp(self) -> bool:
        """Whether both ends are what is predicted."""
        return {*self.ends} == {self.predicted}


def bracket_claim(
    kernel: str,
    layer: Layer,
    quantity: str,
    bracket: Bracket,
    measured: float,
    n: float | None = None,
    step: float = 0.0,
) -> Prediction:
    """The claim that a number is what the law predicts, to within the ends of its error term and a
    step of what is measured. With an error term that is too large its conditions are not met. Where
    0 or inf is predicted, as in STATEMENT_BY_EXTREME, the claim is a statement."""
    predicted = bracket.predicted
    statement = STATEMENT_BY_EXTREME.get((quantity, predicted))
    if statement is not None:
        is_extreme = measured == predicted
        truth = math.nan if math.isnan(measured) else float(is_extreme == statement.is_so)
        return statement_claim(
            kernel, layer, statement.what, statement.is_so, truth, n, bracket.is_sharp
        )
    error = (bracket.reach + step) / predicted + SEARCH_PRECISION
    return Prediction(
        kernel=kernel,
        layer=layer,
        quantity=quantity,
        predicted=predicted,
        measured=measured,
        tolerance=error,
        n=n,
        holds=error <= LARGEST_ERROR,
    )


SMALL_ERROR = (
    f"The error term is at most {100 * LARGEST_ERROR:g} %. Where the order of one level's states "
    "is not known, it includes that too."
)
NO_CHANGE = (
    "Neither the error term of R nor the order of one level's states changes the prediction."
)

ERROR_OF_R = "That of R."
ERROR_OF_SEARCH = "That of R, and 1e-7 for the search."
ERROR_OF_N = "That of R, and one step of K tokens."


Row = dict[str, str | float | None]
"""A row of the table of laws, by column."""

LAW_COLUMNS = ("statement", "condition", "error_term")
"""What a row of the table has of its `Law`."""


@dataclass(frozen=True)
class Law:
    """A law of which kernels separate."""

    name: str
    statement: str
    predictions: Callable[[Data], Iterator[Prediction]]  # of kernels and layers
    condition: str = SMALL_ERROR  # when it is derived, beside what all laws of P and of n need
    error_term: str = ERROR_OF_SEARCH  # the tolerance of a number, in words
    is_of_mixture: bool = True  # whether it needs what all laws of P and of n need

    def claims(self, data: Data) -> Iterator[Prediction]:
        """The law's claims at some data, each with whether all its conditions are met."""
        for prediction in self.predictions(data):
            if self.is_of_mixture and not Mixture(prediction.layer, data).applies():
                yield replace(prediction, holds=False)
            else:
                yield prediction

    def rows(self, data: Data, most: int | None = None) -> list[Row]:
        """The rows of the law's claims, each with its verdict; the first `most` alone if not
        None."""
        return [self._row(claim) for claim in islice(self.claims(data), most)]

    def _row(self, claim: Prediction) -> Row:
        """The row of a claim in the table of laws."""
        return {
            "law": self.name,
            "statement": self.statement,
            "condition": self.condition,
            "error_term": self.error_term,
            "kernel": claim.kernel,
            **claim.layer.columns,
            "at": claim.n,
            "kind": claim.kind,
            "quantity": claim.quantity,
            "predicted": claim.predicted,
            "measured": claim.measured,
            "relative_difference": claim.difference,
            "tolerance": claim.tolerance,
            "tolerance_kind": claim.tolerance_kind,
            "verdict": claim.verdict,
        }
