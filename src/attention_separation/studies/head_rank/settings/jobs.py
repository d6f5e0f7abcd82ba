"""What is computed without training, and what its jobs depend on. Without the mathematics, so that
a workflow loads it quickly."""

import itertools
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ....settings.faults import fault
from ....settings.strict_model import (
    Count,
    Distinct,
    Integer,
    Job,
    Seed,
    Several,
    Some,
    StrictModel,
)

Dimension = Annotated[Several, Field(le=10_000)]
Few = Annotated[Several, Field(le=1024)]
Heads = Annotated[Integer, Field(ge=1, le=10**7)]
Draws = Annotated[Several, Field(le=10**8)]
Bias = Annotated[float, Field(ge=-1000, le=1000)]
Temperatures = Some[Annotated[float, Field(gt=0, le=1e6)]]
Distribution = Literal["uniform", "orthogonal"]
HeadLaw = Literal["compromise", "independent", "published"]


class Case(StrictModel):
    """Data of Fact 1: N points in d dimensions."""

    distribution: Distribution = Field(
        description="uniform: independent points of the sphere; orthogonal: D_N"
    )
    d: Dimension = Field(description="dimension of the points")
    n: Dimension = Field(description="number of points N")

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        """The case itself; a fault if more points are to be orthogonal than there are
        dimensions."""
        if self.distribution == "orthogonal" and self.n > self.d:
            allowed = f"at most d = {self.d}, for the points are orthogonal"
            raise fault(f"n is {self.n}; allowed: {allowed}")
        return self


class BiasedCase(StrictModel):
    """Data of Fact 3: two orthogonal points, and the biases of Equation 8."""

    d: Dimension = Field(description="dimension of the points")
    biases: Annotated[list[Bias], Field(min_length=2, max_length=2)] = Field(
        description="b_1 and b_2"
    )


class TemperatureSettings(StrictModel):
    """Facts 1 and 3: error of a full-rank head against its temperature."""

    draws: Draws = Field(description="draws of the data per case")
    temperatures: Temperatures = Field(description="c in K Q^T = cI")
    cases: Some[Case] = Field(description="data of Fact 1")
    biased: Some[BiasedCase] = Field(description="data of Fact 3")


def _odd(value: int) -> int:
    """The number of heads, if it is odd; else a fault."""
    if value < 1 or value % 2 == 0:
        raise fault(f"{value} heads; allowed: odd numbers, a vote of an even number can tie")
    return value


class VoteSettings(StrictModel):
    """Theorem 7: error of the majority vote of rank-1 heads."""

    draws: Annotated[Count, Field(le=10**8)] = Field(
        description="draws of heads and data per dimension"
    )
    dimensions: Some[Dimension] = Field(description="d of the points")
    heads: Some[Annotated[Heads, AfterValidator(_odd)]] = Field(
        description="H, odd: a vote of an even number can tie"
    )
    epsilons: Some[Annotated[float, Field(ge=1e-3, lt=1)]] = Field(
        description="errors for which the number of heads that reaches them is sought"
    )


class FeaturesRun(StrictModel):
    """Draws of heads of one law in some dimensions."""

    law: HeadLaw = Field(
        description="compromise: the cosine of q and k uniform; independent: q and k independent; "
        "published: compromise with k not renormalised, and the published computation"
    )
    dimensions: Some[Annotated[Several, Field(le=512)]] = Field(description="d of the points")
    draws: Annotated[Count, Field(le=10_000)] = Field(description="draws of heads per dimension")
    heads: Annotated[Count, Field(le=2**15)] = Field(
        description="most heads; the table has every power of 2 up to it"
    )


class FeaturesSettings(StrictModel):
    """Error of random heads of rank 1."""

    runs: Some[FeaturesRun] = Field(description="what is drawn")

    def most_heads(self) -> dict[tuple[str, int, int], int]:
        """The most heads of each (law, d, draw)."""
        most: dict[tuple[str, int, int], int] = {}
        for run in self.runs:
            for d, draw in itertools.product(run.dimensions, range(run.draws)):
                key = (run.law, d, draw)
                most[key] = max(run.heads, most.get(key, 0))
        return most


class BoundSettings(StrictModel):
    """Lower bounds for one layer, and the heads that they leave possible."""

    dimensions: Some[Few] = Field(description="d; ranks are the powers of 2 below d, and d")
    doublings: Annotated[Integer, Field(ge=0, le=62)] = Field(
        description="heads: the powers of 2 up to this one, and the paper's three budgets"
    )
    errors: Some[Annotated[float, Field(ge=0.005, lt=0.5)]] = Field(
        description="errors for which the number of heads is sought"
    )
    points: Some[Few] = Field(
        description="N of orthogonal points, from 2: the table of bounds at the paper's budgets"
    )


class FoundSettings(StrictModel):
    """Heads of low rank with the best weights: what is possible at the paper's budgets."""

    dimensions: Some[Few] = Field(description="d, with the same ranks")
    draws: Annotated[Integer, Field(ge=10, le=10**7)] = Field(
        description="draws of y that weights of heads of rank 2 or more are fitted to; as many "
        "others score them"
    )
    most_heads: Annotated[Count, Field(le=4096)] = Field(
        description="heads of rank 2 or more that are used at most: more can do no worse"
    )
    most_optimised: Annotated[Count, Field(le=4096)] = Field(
        description="heads of rank 1 that are optimised at most"
    )
    steps: Annotated[Count, Field(le=10**6)] = Field(
        description="steps of L-BFGS over the directions of rank-1 heads, at most"
    )
    temperatures: Temperatures = Field(description="c of the one head of full rank")


class PluralitySettings(StrictModel):
    """The vote of rank-1 heads among more than two points."""

    draws: Draws = Field(description="draws of heads and data per distribution and dimension")
    distributions: Some[Distribution] = Field(
        description="uniform: independent points of the sphere; orthogonal: D_N, for N up to d"
    )
    dimensions: Some[Few] = Field(description="d of the points")
    points: Some[Few] = Field(description="N")
    heads: Some[Heads] = Field(description="H, rising")


class LayersSettings(StrictModel):
    """One layer of softmax heads with any value maps, trained on two orthogonal points."""

    dimensions: Some[Annotated[Several, Field(le=128)]] = Field(
        description="d; ranks are the powers of 2 below d, and d, each at the paper's budgets"
    )
    rates: Distinct[Annotated[float, Field(gt=0, le=10)]] = Field(
        description="highest learning rates that each layer is trained at"
    )
    runs: Annotated[Count, Field(le=100)] = Field(description="initial values of each layer")
    steps: Annotated[Count, Field(le=10**6)] = Field(description="batches, each of them new")
    batch: Annotated[Count, Field(le=10**5)] = Field(description="sets per batch")
    held_out: Annotated[Several, Field(le=10**7)] = Field(
        description="sets that the error is measured on"
    )


class TheorySettings(StrictModel):
    """One layer of heads of low rank, without the paper's networks."""

    bound: BoundSettings = Field(description="what no such heads can do")
    found: FoundSettings = Field(description="what some such heads do")
    plurality: PluralitySettings = Field(description="a vote of rank-1 heads against N")
    layers: LayersSettings = Field(description="what such heads learn, with any value maps")


class Seeded(StrictModel):
    """What draws at random."""

    seed: Seed


class TemperatureJob(TemperatureSettings, Seeded):
    """All that the table of errors against the temperature depends on."""


class VoteJob(VoteSettings, Seeded):
    """All that the table of the majority vote depends on."""


class FeaturesJob(FeaturesSettings, Seeded):
    """All that the table of random features depends on; of equal draws the one with most heads."""


class FoundJob(FoundSettings, Seeded):
    """All that the table of heads found depends on."""


class LayersJob(LayersSettings, Seeded):
    """All that the table of trained layers depends on."""


class PluralityJob(PluralitySettings, Seeded):
    """All that the table of the vote against N depends on."""


class ClaimsJob(Job, Seeded):
    """What the table of claims depends on beside the tables that it reads."""

    scale: str
    margin: float
    level: float
