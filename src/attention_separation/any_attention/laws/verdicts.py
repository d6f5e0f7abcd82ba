"""Laws as values, and the verdict on what one claims: predicted against measured."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.datasets.data import Data
from attention_separation.statistics.verdict_words import AGREES, DIFFERS, UNDECIDED


@dataclass(frozen=True)
class Claim:
    """What a law claims of one kernel in one layer.

    Attributes
    ----------
    kernel, layer : what it is of
    quantity : what is predicted
    predicted : by the law
    measured : by exact values; NaN where float64 does not resolve it
    tolerance : of the relative difference
    at : number of tokens, or None
    holds : whether the law's own conditions hold
    """

    kernel: str
    layer: Layer
    quantity: str
    predicted: float
    measured: float
    tolerance: float
    at: float | None = None
    holds: bool = True

    @property
    def difference(self) -> float:
        """Relative to what is measured; absolute where that is 0, none between two infinities."""
        if self.predicted == self.measured:
            return 0.0
        if math.isinf(self.predicted) or math.isinf(self.measured):
            return math.inf
        return abs(self.predicted - self.measured) / (abs(self.measured) or 1.0)

    @property
    def verdict(self) -> str:
        """Undecided where the law's conditions do not hold, or exact values do not resolve."""
        if not self.holds or math.isnan(self.difference):
            return UNDECIDED
        return AGREES if self.difference <= self.tolerance else DIFFERS


@dataclass(frozen=True)
class Law:
    """A law of which kernels separate.

    Attributes
    ----------
    name : in tables
    statement : one sentence, with the data that it holds at
    tolerance : of the relative difference, at the largest n that it is judged at
    ends : where it stops being true
    claims : what it claims of kernels and layers at given data
    """

    name: str
    statement: str
    tolerance: float
    ends: str
    claims: Callable[[Data], Iterator[Claim]]

    def rows(self, data: Data) -> list[dict[str, str | float | None]]:
        """Its claims, each with its verdict."""
        return [
            {
                "law": self.name,
                "kernel": claim.kernel,
                "model": claim.layer.model,
                "attention_x": claim.layer.attention_x,
                "at": claim.at,
                "quantity": claim.quantity,
                "predicted": claim.predicted,
                "measured": claim.measured,
                "relative_difference": claim.difference,
                "tolerance": claim.tolerance,
                "verdict": claim.verdict,
            }
            for claim in self.claims(data)
        ]
