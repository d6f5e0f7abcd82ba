"""The section `head_rank` of the configuration: sizes of the constructions, grids of the training
figures, and the cells that these grids ask for."""

import itertools
import math
from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.settings.closed import Closed, Count, Whole

from .cells import (
    EPOCH,
    PUBLISHED_MEAN,
    PUBLISHED_SD,
    WARM_UP,
    CellJob,
    Encoding,
    Regime,
    Schedule,
    WarmUp,
)
from .jobs import FeaturesSettings, TemperatureSettings, VoteSettings
from .theory import TheorySettings

Counts = Annotated[list[Count], Field(min_length=1)]
MOST_CELLS = 1000
"""Of a grid: each has a rule of its own."""

MATCHED = 4
"""A concatenated encoding of d rows doubles the dimension, which makes 4 times the attention
parameters: what the control without an encoding has instead is 4 times the width."""


class Recipe(Closed):
    """How the runs of a figure are trained."""

    d: Annotated[Whole, Field(ge=2)] = Field(description="dimension of the points")
    feed_forward: Count = Field(description="hidden neurons of each layer's MLP")
    batch: Count = Field(description="sets per batch")
    steps: Count = Field(description=f"batches trained on, a multiple of {EPOCH}")
    lr: Annotated[float, Field(gt=0)] = Field(description="highest learning rate")
    warm_up: WarmUp = Field(
        default=WARM_UP,
        description="part of the steps in which the rate rises to lr, where the schedule is "
        "per_step; per_epoch has its own",
    )
    runs: Annotated[Whole, Field(ge=1, le=100)] = Field(
        description="runs per cell, each with initial values and data of its own; of a single one "
        "no interval can be had, and no claim on it be judged"
    )
    held_out: Annotated[Whole, Field(ge=2)] = Field(
        description="sets that the final error is measured on, never seen in training"
    )


class Normal(Closed):
    """A normal distribution of initial values."""

    mean: float = Field(description="its mean")
    sd: Annotated[float, Field(ge=0)] = Field(description="its standard deviation")


class Product(Recipe):
    """Cells of a figure: every combination of the lists."""

    layers: Counts = Field(description="L")
    widths: Counts = Field(description="w: attention modules per layer; H = w D/r heads")
    ranks: Counts = Field(description="r")
    n: Annotated[list[Annotated[Whole, Field(ge=2)]], Field(min_length=1)] = Field(
        description="N: points per set"
    )
    encodings: Annotated[list[Encoding], Field(min_length=1)] = Field(
        default=["none"], description="positional encodings; concatenated ones have d rows"
    )
    regimes: Annotated[list[Regime], Field(min_length=1)] = Field(
        default=["fresh"],
        description="fresh: every batch is new; repeated: the same 100 batches in every epoch",
    )
    schedules: Annotated[list[Schedule], Field(min_length=1)] = Field(
        default=["per_step"],
        description="of the learning rate: per_step, a choice of ours; per_epoch, as published",
    )
    additive: Annotated[list[Normal], Field(min_length=1)] = Field(
        default=[Normal(mean=PUBLISHED_MEAN, sd=PUBLISHED_SD)],
        description="initial values of additive encodings; by default the published ones",
    )
    matched: bool = Field(
        default=False,
        description="also without an encoding at 4 times the width: about the attention parameters "
        "of a concatenated encoding",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.steps % EPOCH:
            raise PydanticCustomError(
                "grid",
                "steps is {steps}; allowed: a multiple of {epoch}, the steps of an epoch",
                {"steps": self.steps, "epoch": EPOCH},
            )
        lists = (self.layers, self.widths, self.ranks, self.n, self.regimes, self.schedules)
        count = math.prod(map(len, lists)) * len(self._variants())
        if count > MOST_CELLS:
            raise PydanticCustomError(
                "grid",
                "has {count} cells; allowed: at most {most}",
                {"count": count, "most": MOST_CELLS},
            )
        for encoding, rank in itertools.product(self.encodings, self.ranks):
            dimension = self.dimension(encoding)
            if dimension % rank:
                raise PydanticCustomError(
                    "grid",
                    "ranks has {rank}, which does not divide the dimension {dimension}{why}",
                    {
                        "rank": rank,
                        "dimension": dimension,
                        "why": " (d, and d rows of the encoding)" if dimension > self.d else "",
                    },
                )
        return self

    def dimension(self, encoding: str) -> int:
        """D of the model."""
        return 2 * self.d if encoding == "concatenated" else self.d

    def cells(self, seed: int) -> Iterator[CellJob]:
        """The cells, not yet named apart from those of other grids."""
        for (encoding, additive, times), layers, width, rank, n, regime, schedule in (
            itertools.product(
                self._variants(), self.layers, self.widths, self.ranks, self.n, self.regimes,
                self.schedules,
            )
        ):  # fmt: skip
            yield CellJob(
                name=_name(self.d, n, layers, times * width, rank, encoding, additive)
                + "_repeated" * (regime == "repeated")
                + "_per_epoch" * (schedule == "per_epoch"),
                d=self.d,
                n=n,
                layers=layers,
                heads=self.dimension(encoding) // rank,
                width=times * width,
                encoding=encoding,
                d_e=self.d if encoding == "concatenated" else None,
                additive_mean=additive.mean if additive else None,
                additive_sd=additive.sd if additive else None,
                feed_forward=self.feed_forward,
                batch=self.batch,
                steps=self.steps,
                lr=self.lr,
                regime=regime,
                schedule=schedule,
                # A schedule that does not read it must not tell two equal jobs apart.
                warm_up=self.warm_up if schedule == "per_step" else WARM_UP,
                seeds=list(range(self.runs)),
                held_out=self.held_out,
                seed=seed,
            )

    def _variants(self) -> list[tuple[Encoding, Normal | None, int]]:
        """Encodings, their initial values where they are a setting, and how many times the width
        goes with them."""
        found: list[tuple[Encoding, Normal | None, int]] = []
        for encoding in self.encodings:
            initials = self.additive if encoding == "additive" else [None]
            found += [(encoding, initial, 1) for initial in initials]
        return found + [("none", None, MATCHED)] * self.matched


Part = create_model(
    "Part",
    __base__=Closed,
    __doc__="Settings of a product that are not as another's; those left out are.",
    **{
        name: (field.rebuild_annotation() | None, Field(None, description=field.description))
        for name, field in Product.model_fields.items()
    },
)


class Grid(Product):
    """Cells of a figure: a product, and further ones where not every combination is wanted."""

    also: list[Part] = Field(
        default=[],
        description="further products: each is as this one but for the settings that it gives",
    )

    def products(self) -> list[Product]:
        """All of its products."""
        return [Product.model_validate(self._as_product() | part) for part in self._parts()]

    def _as_product(self) -> dict[str, Any]:
        return self.model_dump(exclude={"also"})

    def _parts(self) -> list[dict[str, Any]]:
        return [{}, *(part.model_dump(exclude_none=True) for part in self.also)]

    @model_validator(mode="after")
    def _has_possible_parts(self) -> Self:
        for number, part in enumerate(self._parts()[1:]):
            try:
                Product.model_validate(self._as_product() | part)
            except ValidationError as error:
                raise PydanticCustomError(
                    "grid", "also[{number}]: {why}",
                    {"number": number, "why": error.errors()[0]["msg"]},
                ) from None  # fmt: skip
        return self


class Training(Closed):
    """Grids of the training figures; Figure 2 looks at the trained heads of Figure 1."""

    fig1: Grid | None = Field(description="Figures 1 and 2: layers, heads and their rank")
    fig3: Grid | None = Field(description="Figure 3: positional encodings")
    fig4: Grid | None = Field(description="Figure 4: number of points")
    fresh: Grid | None = Field(description="training loss beside the error on new data")

    def grids(self) -> dict[str, Grid]:
        """Those that are to be trained; null leaves a figure out."""
        every = {name: getattr(self, name) for name in Training.model_fields}
        return {name: grid for name, grid in every.items() if grid}

    @model_validator(mode="after")
    def _is_some(self) -> "Training":
        if not self.grids():
            raise PydanticCustomError("grid", "has no grids; allowed: at least one")
        return self


class RankScale(Closed):
    """A size of the second paper's reproduction."""

    temperature: TemperatureSettings = Field(description="Facts 1 and 3: error against temperature")
    vote: VoteSettings = Field(description="Theorem 7: error of the majority vote")
    features: FeaturesSettings = Field(description="random heads of rank 1")
    theory: TheorySettings = Field(description="one layer of heads of low rank, as numbers")
    training: Training = Field(description="grids of the training figures")


class HeadRankSection(Closed):
    """The rank of attention heads: the second paper."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/head_rank/SCALE"
    )
    margin: Annotated[float, Field(gt=0, le=1)] = Field(
        description="a difference of held-out errors that counts; predicting zero has error 1"
    )
    level: Annotated[float, Field(ge=1e-9, le=0.5)] = Field(
        description="of each claim: nominal chance of a false verdict, over its comparisons "
        "together; runs are taken as normal, and over the few of a cell it need not be kept"
    )
    gigaflops: Annotated[float, Field(gt=0, le=1e9)] = Field(
        description="10^9 operations per second that training is assumed to reach: what a cluster "
        "is asked for follows from it, no result does"
    )
    scales: dict[str, RankScale] = Field(description="sizes of its reproduction")


def _name(
    d: int, n: int, layers: int, width: int, rank: int, encoding: str, additive: Normal | None
) -> str:  # fmt: skip
    parts = [f"d{d}", f"n{n}", f"L{layers}", f"w{width}", f"r{rank}"]
    parts += [encoding] * (encoding != "none")
    if additive and additive != Normal(mean=PUBLISHED_MEAN, sd=PUBLISHED_SD):
        # A rule's name and a file's takes letters, digits and underscores.
        parts += [
            f"{x:g}".replace(".", "p").replace("-", "m") for x in (additive.mean, additive.sd)
        ]
    return "_".join(parts)
