"""What the exact part depends on: where lines are computed. Without the mathematics."""

from typing import Annotated

from pydantic import AfterValidator, Field

from attention_separation.settings.closed import Closed, Whole, once

Mu = Annotated[float, Field(ge=0.1, le=10)]
Tokens = Annotated[Whole, Field(ge=1, le=10**15)]
Ratios = Annotated[list[Mu], Field(min_length=1, max_length=100), AfterValidator(once)]
Sizes = Annotated[list[Tokens], Field(min_length=1, max_length=100), AfterValidator(once)]


class LinesSettings(Closed):
    """Signal-to-noise ratios mu and numbers of tokens n of the lines."""

    mus: Ratios = Field(description="μ of the lines of accuracy against n")
    sizes: Sizes = Field(description="n of these lines")
    critical: Ratios = Field(description="μ at which the n with an accuracy of 0.75 is sought")


class Entries(Closed):
    """Sizes of the entries of the first paper's tokens."""

    a0: Annotated[float, Field(ge=0, le=1000)] = Field(description="size of D0's special entry")
    a1: Annotated[float, Field(gt=0, le=1000)] = Field(description="size of D1's special entry")
    b: Annotated[float, Field(gt=0, le=1000)] = Field(description="size of the class entries")
    c: Annotated[float, Field(gt=0, le=1000)] = Field(description="size of the last column")
    classes: Annotated[Whole, Field(ge=1, le=200)] = Field(description="K; d is K + 2")


class AnotherX(Closed):
    """Where linear attention without noise keeps its margin: X = e_d e_dᵀ + g e₁ e_kᵀ."""

    weight: Annotated[float, Field(gt=0, le=1000)] = Field(description="g")
    sizes: Annotated[
        list[Annotated[Whole, Field(ge=2, le=10**9)]],
        Field(min_length=1, max_length=100),
        AfterValidator(once),
    ] = Field(description="numbers of tokens n, multiples of `data.classes`")
