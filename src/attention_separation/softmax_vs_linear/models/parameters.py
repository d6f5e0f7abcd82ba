"""Parameters of models: types of values, what all models have, and what a panel may sweep."""

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from attention_separation.settings.closed import Closed, Whole

OVER_C = re.compile(r"c ?\+ ?(\d+(?:\.\d+)?)")

# Bounds far beyond any use keep every score finite and every array within memory.
Size = Annotated[Whole, Field(ge=1, le=10**12)]
Dimension = Annotated[Whole, Field(ge=1, le=10**6)]
MOST_COLUMNS = 10**6
Width = Annotated[Whole, Field(ge=1, le=MOST_COLUMNS)]
Trials = Annotated[Whole, Field(ge=1, le=10**12)]
Amplitude = Annotated[float, Field(ge=0, le=1000)]
Positive = Annotated[float, Field(ge=1e-6, le=1000)]
Probability = Annotated[float, Field(ge=1e-100, lt=1)]


class MRule(Closed, title="rule for m"):
    """m computed from n: times log(n) or log(n/delta), made whole, and at least `at_least`."""

    log_of: Literal["n", "n/delta"] = Field(description="what the logarithm is taken of")
    base: Literal["e", 2, 10] = Field(default="e", description="base of the logarithm")
    times: Annotated[float, Field(gt=0, le=10**6)] = Field(default=1.0, description="factor C")
    round: Literal["floor", "nearest", "ceil"] = Field(description="how m is made whole")
    at_least: Width = Field(default=1, description="smallest m")

    def m(self, n: int, delta: float | None) -> int:
        """The number of sign columns for n tokens."""
        argument = n if self.log_of == "n" else n / delta
        log = {"e": math.log, 2: math.log2, 10: math.log10}[self.base](argument)
        rounding = {"floor": math.floor, "nearest": round, "ceil": math.ceil}[self.round]
        return max(rounding(self.times * log), self.at_least)


def _known_theta(text: str) -> str:
    if not OVER_C.fullmatch(text):
        raise ValueError("allowed: a number, or 'c + NUMBER' such as 'c + 0.1'")
    return text


def _m_kind(value: Any) -> str:
    return "<rule>" if isinstance(value, dict | MRule) else "<number>"


def _theta_kind(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<number>"


Columns = Annotated[
    Annotated[Width, Tag("<number>")] | Annotated[MRule, Tag("<rule>")], Discriminator(_m_kind)
]
Theta = Annotated[
    Annotated[Positive, Tag("<number>")]
    | Annotated[str, AfterValidator(_known_theta), Tag("<text>")],
    Discriminator(_theta_kind),
]


class Parameters(Closed):
    """Parameters that every model has; None where neither panel nor defaults give one."""

    n: Size | None = Field(default=None, description="number of tokens (or of entries of Ax)")
    m: Columns | None = Field(default=None, description="sign columns: a number or a rule")
    delta: Probability | None = Field(default=None, description="delta in log(n/delta), for m")
    data: Literal["independent", "same"] | None = Field(
        default=None, description="whether D0 and D1 share their random draws"
    )
    signs: Literal["shared", "fresh"] | None = Field(
        default=None, description="whether all networks of a trial share y"
    )


class AttentionParameters(Parameters):
    """Parameters that every model of attention has."""

    d: Dimension | None = Field(default=None, description="embedding dimension")
    a0: Amplitude | None = Field(default=None, description="size of the special entry in D0")
    a1: Amplitude | None = Field(default=None, description="size of the special entry in D1")


SWEEPABLE: dict[str, Any] = {
    "n": Size,
    "d": Dimension,
    "m": Width,
    "a0": Amplitude,
    "a1": Amplitude,
    "b": Positive,
    "c": Positive,
    "delta": Probability,
    "tau": Positive,
    "theta": Positive,
}
"""Parameters that a panel can sweep, with the type of their values."""

SYMBOLS = {
    "n": "𝑛",
    "d": "𝑑",
    "m": "𝑚",
    "delta": "δ",
    "a0": "𝑎₀",
    "a1": "𝑎₁",
    "b": "𝑏",
    "c": "𝑐",
    "tau": "τ",
    "theta": "τ/√log 𝑛",
}
"""Numeric parameters as text, in the order in which titles list them."""

X_LABELS = {
    "n": "input length 𝑛",
    "d": "embedding dimension 𝑑",
    "m": "network width 𝑚",
    "a0": "size of the special entry in 𝐷₀, 𝑎₀",
    "a1": "size of the special entry in 𝐷₁, 𝑎₁",
    "b": "size of the class entries 𝑏",
    "c": "size of the last column 𝑐",
    "delta": "δ",
    "tau": "threshold τ",
    "theta": "threshold τ/√log 𝑛",
}
