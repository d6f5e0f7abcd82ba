"""What the exact part and the claims depend on: where lines are computed, and the data. Without the
mathematics."""

from typing import Annotated

from pydantic import Field

from ....settings.strict_model import Distinct, Integer, Job, Several, StrictModel

Mu = Annotated[float, Field(ge=0.1, le=10)]
TokenCount = Annotated[Integer, Field(ge=1, le=10**15)]
Size = Annotated[float, Field(gt=0, le=1000)]


class LinesSettings(StrictModel):
    """Signal-to-noise ratios mu and numbers of tokens n of the lines."""

    mus: Distinct[Mu] = Field(description="μ of the lines of accuracy against n")
    sizes: Distinct[TokenCount] = Field(description="n of these lines")
    critical: Distinct[Mu] = Field(
        description="μ at which the n with an accuracy of 0.75 is sought"
    )
    sinks: Distinct[TokenCount] = Field(
        default=[128, 512, 2048],
        description="n that the sinks are right for whose accuracy is computed at `sizes`",
    )


class Entries(StrictModel):
    """Sizes of the entries of the first paper's tokens."""

    a0: Annotated[float, Field(ge=0, le=1000)] = Field(description="size of D0's special entry")
    a1: Size = Field(description="size of D1's special entry")
    b: Size = Field(description="size of the class entries")
    c: Size = Field(description="size of the last column")
    classes: Annotated[Integer, Field(ge=1, le=200)] = Field(description="K; d is K + 2")


class AnotherX(StrictModel):
    """Where linear attention without noise keeps its margin: X = e_d e_dᵀ + g e₁ e_kᵀ."""

    weight: Size = Field(description="g")
    sizes: Distinct[Annotated[Several, Field(le=10**9)]] = Field(
        description="numbers of tokens n, multiples of `data.classes`"
    )


class ClaimsJob(Job):
    """What the table of claims depends on beside the tables that it reads."""

    data: Entries
    another_x: AnotherX
    level: float
