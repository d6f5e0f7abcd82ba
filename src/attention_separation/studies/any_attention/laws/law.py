"""Laws as values, the verdict on what one predicts, and the words that several laws share."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from ....any_attention.layers import Layer
from ....datasets.dataset import Data
from ....statistics.claims import NOT_APPLICABLE, Estimate, at_most

NUMBER, STATEMENT, IDENTITY = KINDS = ("number", "statement", "identity")
"""A number that a law predicts; whether something is so; and that a kernel has exactly the P of
uniform weights."""

LARGEST_ERROR = 0.1
"""A number whose error term is larger, relative, tests no law."""

ROUNDING = 1e-13
"""A relative difference of up to this may be of the order of summation on one processor."""

PRECISION = 1e-7
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
    at: float | None = None  # number of tokens
    holds: bool = True  # whether the law's conditions are met
    kind: str = NUMBER  # one of KINDS

    @property
    def difference(self) -> float:
        """Relative to what is measured; absolute where that is 0, none between two infinities, nor
        where rounding alone, `ROUNDING`, could make it."""
        distance = self._distance
        if not math.isfinite(distance):
            return distance
        size = abs(self.measured) if self.measured != 0 else 1.0
        return distance / size

    @property
    def _distance(self) -> float:
        if math.isclose(self.predicted, self.measured, rel_tol=ROUNDING):
            return 0.0
        if math.isnan(self.predicted) or math.isnan(self.measured):
            return math.nan
        if math.isinf(self.predicted) or math.isinf(self.measured):
            return math.inf
        return abs(self.predicted - self.measured)

    @property
    def tolerance_kind(self) -> str:
        """What the tolerance is of: the relative difference, or the difference itself."""
        return "absolute" if self.kind == STATEMENT else "relative"

    @property
    def verdict(self) -> str:
        """Undecided where exact values do not resolve it."""
        if not self.holds:
            return NOT_APPLICABLE
        compared = self._distance if self.kind == STATEMENT else self.difference
        claim = at_most(self.quantity, Estimate.exactly(compared), self.tolerance)
        return claim.verdict


def statement(
    kernel: str,
    layer: Layer,
    what: str,
    predicted: bool,
    measured: float,
    at: float | None = None,
    holds: bool = True,
) -> Prediction:
    """That something is so, or is not: measured is 1, 0, or NaN where it is not resolved."""
    return Prediction(
        kernel=kernel,
        layer=layer,
        quantity=what,
        predicted=float(predicted),
        measured=float(measured),
        tolerance=EITHER,
        at=at,
        holds=holds,
        kind=STATEMENT,
    )


EXTREMES = {
    ("last n", 0.0): ("separates at some n", False),
    ("last n", math.inf): ("separates at the largest n", True),
    ("g", 0.0): ("separates at g = 0", True),
    ("g", math.inf): ("separates at some g", False),
}
"""Of quantities that 0 or inf may be predicted of: what is then so, or is not."""


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


def between(
    kernel: str,
    layer: Layer,
    quantity: str,
    bracket: Bracket,
    measured: float,
    at: float | None,
    holds: bool,
    step: float = 0.0,
) -> Prediction:
    """A number, that the law knows as well as the ends of its error term are near, and to a step of
    what is measured. Of an error term that is too large it is no test. Where it is one of EXTREMES,
    and at both ends as well, a statement."""
    predicted = bracket.predicted
    if (quantity, predicted) in EXTREMES:
        what, is_so = EXTREMES[quantity, predicted]
        is_extreme = measured == predicted
        truth = math.nan if math.isnan(measured) else float(is_extreme == is_so)
        return statement(kernel, layer, what, is_so, truth, at, holds and bracket.is_sharp)
    error = (bracket.reach + step) / predicted + PRECISION
    return Prediction(
        kernel=kernel,
        layer=layer,
        quantity=quantity,
        predicted=predicted,
        measured=measured,
        tolerance=error,
        at=at,
        holds=holds and error <= LARGEST_ERROR,
    )


OF_CLAIMS = (
    "kind", "kernel", "at", "quantity", "predicted", "measured", "tolerance", "tolerance_kind",
    "verdict",
)  # fmt: skip
OF_LAWS = ("statement", "condition", "error_term")
"""What a row of the table of laws has of a `Prediction`, and of its `Law`."""


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


@dataclass(frozen=True)
class Law:
    """A law of which kernels separate."""

    name: str
    statement: str
    claims: Callable[[Data], Iterator[Prediction]]  # of kernels and layers
    condition: str = SMALL_ERROR  # when it is derived, beside what all laws need
    error_term: str = ERROR_OF_SEARCH  # the tolerance of a number, in words

    def rows(self, data: Data, most: int | None = None) -> list[Row]:
        """Its claims, each with its verdict; the first `most` if not None."""
        return [self._row(claim) for claim in islice(self.claims(data), most)]

    def _row(self, claim: Prediction) -> Row:
        row: Row = {name: getattr(claim, name) for name in OF_CLAIMS}
        row |= {name: getattr(self, name) for name in OF_LAWS}
        row |= claim.layer.columns
        row |= {"law": self.name, "relative_difference": claim.difference}
        return row


LEAST_CLASSES = 6
"""With fewer the floor itself may be half of exp's P."""
