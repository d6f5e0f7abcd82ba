"""Laws as values, the verdict on what one predicts, and the words that several laws share."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ...datasets.dataset import Data
from ...statistics.claims import NOT_APPLICABLE, Estimate, at_most
from ..exact.layers import Layer

NUMBER, STATEMENT, IDENTITY, MEASURED = KINDS = ("number", "statement", "identity", "measured")
"""A number that a law predicts; whether something is so; that a kernel has exactly the P of uniform
weights; and what exact values say where no law is known."""

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
        found = self._distance
        return found / (abs(self.measured) or 1.0) if math.isfinite(found) else found

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
    def tolerance_kind(self) -> str | None:
        """What the tolerance is of: the relative difference, or the difference itself."""
        if self.kind == MEASURED:
            return None
        return "absolute" if self.kind == STATEMENT else "relative"

    @property
    def verdict(self) -> str:
        """Undecided where exact values do not resolve it, or no law is known."""
        if not self.holds:
            return NOT_APPLICABLE
        found = self._distance if self.kind == STATEMENT else self.difference
        return at_most(self.quantity, Estimate.exactly(found), self.tolerance).verdict


def statement(
    kernel: str, layer: Layer, what: str, predicted: bool, measured: float,
    at: float | None = None, holds: bool = True,
) -> Prediction:  # fmt: skip
    """That something is so, or is not: measured is 1, 0, or NaN where it is not resolved."""
    of = what, float(predicted), float(measured), EITHER
    return Prediction(kernel, layer, *of, at, holds, STATEMENT)


EXTREMES = {
    ("last n", 0.0): ("separates at some n", False),
    ("last n", math.inf): ("separates at the largest n", True),
    ("g", 0.0): ("separates at g = 0", True),
    ("g", math.inf): ("separates at some g", False),
}
"""Of quantities that 0 or inf may be predicted of: what is then so, or is not."""


def between(
    kernel: str, layer: Layer, quantity: str, predicted: float, ends: Collection[float],
    measured: float, at: float | None, holds: bool, step: float = 0.0,
) -> Prediction:  # fmt: skip
    """A number, that the law knows as well as the ends of its error term are near, and to a step of
    what is measured. Of an error term that is too large it is no test. Where it is one of EXTREMES,
    and at both ends as well, a statement."""
    if (quantity, predicted) in EXTREMES:
        what, so = EXTREMES[quantity, predicted]
        found = math.nan if math.isnan(measured) else (measured == predicted) == so
        return statement(kernel, layer, what, so, found, at, holds and {*ends} == {predicted})
    error = (max(abs(end - predicted) for end in ends) + step) / predicted + PRECISION
    fits = holds and error <= LARGEST_ERROR
    return Prediction(kernel, layer, quantity, predicted, measured, error, at, fits)


def measured(
    kernel: str, layer: Layer, quantity: str, found: float, at: float | None = None
) -> Prediction:
    """What exact values say where no law is known."""
    return Prediction(kernel, layer, quantity, math.nan, found, math.nan, at, kind=MEASURED)


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


@dataclass(frozen=True)
class Law:
    """A law of which kernels separate."""

    name: str
    statement: str
    claims: Callable[[Data], Iterator[Prediction]]  # of kernels and layers
    condition: str = SMALL_ERROR  # when it is derived, beside CONDITION
    error_term: str = ERROR_OF_SEARCH  # the tolerance of a number, in words

    def rows(self, data: Data) -> list[dict[str, str | float | None]]:
        """Its claims, each with its verdict."""
        return [
            {name: getattr(claim, name) for name in OF_CLAIMS}
            | {name: getattr(self, name) for name in OF_LAWS}
            | {"law": self.name, "relative_difference": claim.difference, **claim.layer.columns}
            for claim in self.claims(data)
        ]


LEAST_CLASSES = 6
"""With fewer the floor itself may be half of exp's P."""

DEFINITIONS = (
    "R, the weight ratio, is the weight of D1's special token over that of a token of another "
    "class, in the special token's own row; with X all ones, in the row where it is largest. R_0 "
    "is the same on D0. rho is the weight ratio of an ordinary token's own class. f = R / (R + n "
    "(K - 1 + rho) / K) is the special token's share of its row. P is the probability at the "
    "best threshold, and the floor is P as f goes to 0. A level is b (Sigma + rho - "
    "1) / (K - 1 + rho), Sigma the sum of the K class signs; in cross-attention b is 1. f_c is "
    "the least f at which P is half of exp's, and C = (1 / f_c - 1) K / (K - 1 + rho). The "
    "criterion: a kernel separates where n <= C R, in cross-attention n <= C R - (C + 1) R_0. "
    "gamma_1 is log R / log n of e^x: a1^2 + b^2 with X = I, a1 (a1 + b + c) with X all ones, a1 "
    "in cross-attention."
)

CONDITION = (
    f"K is at least {LEAST_CLASSES}. exp itself separates at every n: a1 >= 1, with X all ones "
    "a1 (a1 + b + c) >= 1. In self-attention b < c, so that the levels of y_d = + and - lie apart. "
    "There 2 b <= a1 as well, so that the special token alone lifts a column over every level. "
    "What it lifts with y_d = - is below the threshold, a1 + b - c < c + level, or columns of D0 "
    "are above that level too often, with p each: (1 - p)^m < 1 - (3/4)^m."
)
"""When the mixture law is derived."""

LEFT_OUT = (
    "The laws leave out shifts of order 1/n, and e: how far the weight ratio of the own class in "
    "D1's special row is from rho. It is 0 for functions of scores. Together they are worth at "
    "most e R + 2 R_0 beside R. The error term of R is the change of a prediction with R so much "
    "less, and so much more. With X = I states of one level are in order if a1 h - 2 b |h - 1| > "
    "(a0 + b) R_0 - b rho. h is the weight ratio of D1's special token in ordinary rows, 1 for "
    "functions of scores. In the other two layers they are always in order."
)
