"""What the jobs of this paper depend on beside trained cells. Without the mathematics, so that a
workflow loads it quickly."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.settings.closed import Closed, Count, Whole
from attention_separation.settings.jobs import Job

Dimension = Annotated[Whole, Field(ge=2, le=10_000)]
Temperature = Annotated[float, Field(gt=0, le=1e6)]


class Case(Closed):
    """Data of Fact 1: N points in d dimensions."""

    distribution: Literal["uniform", "orthogonal"] = Field(
        description="uniform: independent points of the sphere; orthogonal: D_N"
    )
    d: Dimension = Field(description="dimension of the points")
    n: Annotated[Whole, Field(ge=2, le=10_000)] = Field(description="number of points N")

    @model_validator(mode="after")
    def _check(self) -> "Case":
        if self.distribution == "orthogonal" and self.n > self.d:
            raise PydanticCustomError(
                "grid", "n is {n}; allowed: at most d = {d}, for the points are orthogonal",
                {"n": self.n, "d": self.d},
            )  # fmt: skip
        return self


class BiasedCase(Closed):
    """Data of Fact 3: two orthogonal points, and the biases of Equation 8."""

    d: Dimension = Field(description="dimension of the points")
    biases: Annotated[list[float], Field(min_length=2, max_length=2)] = Field(
        description="b_1 and b_2"
    )


class TemperatureSettings(Closed):
    """Facts 1 and 3: error of a full-rank head against its temperature."""

    draws: Annotated[Count, Field(ge=2)] = Field(description="draws of the data per case")
    temperatures: Annotated[list[Temperature], Field(min_length=1)] = Field(
        description="c in K Q^T = cI"
    )
    cases: Annotated[list[Case], Field(min_length=1)] = Field(description="data of Fact 1")
    biased: Annotated[list[BiasedCase], Field(min_length=1)] = Field(description="data of Fact 3")


class TemperatureJob(TemperatureSettings):
    """All that the table of errors against the temperature depends on."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")


def _odd(value: int) -> int:
    if value < 1 or value % 2 == 0:
        raise PydanticCustomError(
            "grid",
            "{heads} heads; allowed: odd numbers, a vote of an even number can tie",
            {"heads": value},
        )
    return value


class VoteSettings(Closed):
    """Theorem 7: error of the majority vote of rank-1 heads."""

    draws: Count = Field(description="draws of heads and data per dimension")
    dimensions: Annotated[list[Annotated[Whole, Field(ge=2)]], Field(min_length=1)] = Field(
        description="d of the points"
    )
    heads: Annotated[list[Annotated[Whole, AfterValidator(_odd)]], Field(min_length=1)] = Field(
        description="H, odd: a vote of an even number can tie"
    )
    epsilons: Annotated[list[Annotated[float, Field(ge=1e-3, lt=1)]], Field(min_length=1)] = Field(
        description="errors for which the number of heads that reaches them is sought"
    )


class VoteJob(VoteSettings):
    """All that the table of the majority vote depends on."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")


class FeaturesRun(Closed):
    """Draws of heads of one law in some dimensions."""

    law: Literal["compromise", "independent", "published"] = Field(
        description="compromise: the cosine of q and k uniform; independent: q and k independent; "
        "published: compromise with k not renormalised, and the published computation"
    )
    dimensions: Annotated[list[Annotated[Whole, Field(ge=2, le=512)]], Field(min_length=1)] = Field(
        description="d of the points"
    )
    draws: Count = Field(description="draws of heads per dimension")
    heads: Annotated[Count, Field(le=2**15)] = Field(
        description="most heads; the table has every power of 2 up to it"
    )


class FeaturesSettings(Closed):
    """Error of random heads of rank 1."""

    runs: Annotated[list[FeaturesRun], Field(min_length=1)] = Field(description="what is drawn")

    def most_heads(self) -> dict[tuple[str, int, int], int]:
        """The most heads of each (law, d, draw)."""
        found: dict[tuple[str, int, int], int] = {}
        for each in self.runs:
            for d in each.dimensions:
                for draw in range(each.draws):
                    key = (each.law, d, draw)
                    found[key] = max(each.heads, found.get(key, 0))
        return found


class FeaturesJob(FeaturesSettings):
    """All that the table of random features depends on; of equal draws the one with most heads."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")


class ClaimsJob(Job):
    """What the table of claims depends on beside the tables that it reads."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of every random stream")
    scale: str
    margin: float
    level: float
