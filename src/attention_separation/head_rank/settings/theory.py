"""What the numbers of one layer of low-rank heads depend on. Without the mathematics."""

from typing import Annotated, Literal

from pydantic import Field

from attention_separation.settings.closed import Closed, Count, Whole

from .jobs import Dimension, Temperature

Dimensions = Annotated[list[Annotated[Dimension, Field(le=1024)]], Field(min_length=1)]


class BoundSettings(Closed):
    """Lower bounds for one layer, and the heads that they leave possible."""

    dimensions: Dimensions = Field(description="d; ranks are the powers of 2 below d, and d")
    doublings: Annotated[Whole, Field(ge=0, le=62)] = Field(
        description="heads: the powers of 2 up to this one, and the paper's three budgets"
    )
    errors: Annotated[list[Annotated[float, Field(ge=0.005, lt=0.5)]], Field(min_length=1)] = Field(
        description="errors for which the number of heads is sought"
    )


class FoundSettings(Closed):
    """Heads of low rank with the best weights: what is possible at the paper's budgets."""

    dimensions: Dimensions = Field(description="d, with the same ranks")
    draws: Annotated[Whole, Field(ge=10)] = Field(
        description="draws of y that weights of heads of rank 2 or more are fitted to; as many "
        "others score them"
    )
    most_heads: Annotated[Count, Field(le=4096)] = Field(
        description="heads of rank 2 or more that are used at most: more can do no worse"
    )
    most_optimised: Annotated[Count, Field(le=4096)] = Field(
        description="heads of rank 1 that are optimised at most"
    )
    steps: Count = Field(description="steps of L-BFGS over the directions of rank-1 heads, at most")
    temperatures: Annotated[list[Temperature], Field(min_length=1)] = Field(
        description="c of the one head of full rank"
    )


class PluralitySettings(Closed):
    """The vote of rank-1 heads among more than two points."""

    draws: Annotated[Whole, Field(ge=2)] = Field(
        description="draws of heads and data per distribution and dimension"
    )
    distributions: Annotated[list[Literal["uniform", "orthogonal"]], Field(min_length=1)] = Field(
        description="uniform: independent points of the sphere; orthogonal: D_N, for N up to d"
    )
    dimensions: Annotated[list[Annotated[Whole, Field(ge=2, le=1024)]], Field(min_length=1)] = (
        Field(description="d of the points")
    )
    points: Annotated[list[Annotated[Whole, Field(ge=2, le=1024)]], Field(min_length=1)] = Field(
        description="N"
    )
    heads: Annotated[list[Count], Field(min_length=1)] = Field(description="H, rising")


class TheorySettings(Closed):
    """One layer of heads of low rank, without training."""

    bound: BoundSettings = Field(description="what no such heads can do")
    found: FoundSettings = Field(description="what some such heads do")
    plurality: PluralitySettings = Field(description="a vote of rank-1 heads against N")


class FoundJob(FoundSettings):
    """All that the table of heads found depends on."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")


class PluralityJob(PluralitySettings):
    """All that the table of the vote against N depends on."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")
