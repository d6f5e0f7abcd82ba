"""Laws as values, and the verdict on what one predicts, against what is measured."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from attention_separation.datasets.dataset import Data
from attention_separation.statistics.claims import Estimate, at_most
from attention_separation.statistics.verdict_words import NOT_APPLICABLE

from ..exact.layers import Layer

NUMBER, STATEMENT, IDENTITY, MEASURED = KINDS = ("number", "statement", "identity", "measured")
"""A number that a law predicts; whether something is so; that a kernel has exactly the P of none;
and what exact values say where no law is known."""

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
    """What a law predicts of one kernel in one layer.

    Attributes
    ----------
    kernel, layer : what it is of
    quantity : what is predicted
    predicted : by the law
    measured : by exact values; NaN where float64 does not resolve it
    tolerance : of the relative difference, or of the difference itself if `absolute`
    at : number of tokens, or None
    holds : whether the law's conditions are met
    kind : one of KINDS
    """

    kernel: str
    layer: Layer
    quantity: str
    predicted: float
    measured: float
    tolerance: float
    at: float | None = None
    holds: bool = True
    kind: str = NUMBER
    absolute: bool = False

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
        return "absolute" if self.absolute else "relative"

    @property
    def verdict(self) -> str:
        """Undecided where exact values do not resolve it, or no law is known."""
        if not self.holds:
            return NOT_APPLICABLE
        found = Estimate.exactly(self._distance if self.absolute else self.difference)
        return at_most(self.quantity, found, self.tolerance).verdict


def statement(
    kernel: str, layer: Layer, what: str, predicted: bool, measured: float,
    at: float | None = None, holds: bool = True,
) -> Prediction:  # fmt: skip
    """That something is so, or is not: measured is 1, 0, or NaN where it is not resolved."""
    return Prediction(
        kernel, layer, what, float(predicted), float(measured), EITHER, at, holds, STATEMENT,
        absolute=True,
    )  # fmt: skip


def between(
    kernel: str, layer: Layer, quantity: str, predicted: float, ends: Collection[float],
    measured: float, at: float | None, holds: bool, step: float = 0.0,
) -> Prediction:  # fmt: skip
    """A number, that the law knows as well as the ends of its error term are near, and to a step of
    what is measured. Of an error term that is too large it is no test."""
    error = (max(abs(end - predicted) for end in ends) + step) / predicted + PRECISION
    fits = holds and error <= LARGEST_ERROR
    return Prediction(kernel, layer, quantity, predicted, measured, error, at, fits)


def extreme(
    kernel: str, layer: Layer, what: str, so: bool, predicted: float, ends: Collection[float],
    measured: float, at: float | None, holds: bool,
) -> Prediction:  # fmt: skip
    """That something is so, or is not, where 0 or inf is predicted, and at both ends as well."""
    found = math.nan if math.isnan(measured) else (measured == predicted) == so
    return statement(kernel, layer, what, so, found, at, holds and {*ends} == {predicted})


def measured(
    kernel: str, layer: Layer, quantity: str, found: float, at: float | None = None
) -> Prediction:
    """What exact values say where no law is known."""
    return Prediction(kernel, layer, quantity, math.nan, found, math.nan, at, kind=MEASURED)


@dataclass(frozen=True)
class Law:
    """A law of which kernels separate.

    Attributes
    ----------
    name : in tables
    statement : one sentence
    condition : when it is derived, beside `mixture.CONDITION`
    error_term : the tolerance of a number, in words
    claims : what it claims of kernels and layers at given data
    """

    name: str
    statement: str
    condition: str
    error_term: str
    claims: Callable[[Data], Iterator[Prediction]]

    def rows(self, data: Data) -> list[dict[str, str | float | None]]:
        """Its claims, each with its verdict."""
        return [
            {
                "law": self.name,
                "kind": claim.kind,
                "kernel": claim.kernel,
                "model": claim.layer.model,
                "attention_x": claim.layer.attention_x,
                "at": claim.at,
                "quantity": claim.quantity,
                "predicted": claim.predicted,
                "measured": claim.measured,
                "relative_difference": claim.difference,
                "tolerance": claim.tolerance,
                "tolerance_kind": claim.tolerance_kind,
                "verdict": claim.verdict,
                "statement": self.statement,
                "condition": self.condition,
                "error_term": self.error_term,
            }
            for claim in self.claims(data)
        ]
