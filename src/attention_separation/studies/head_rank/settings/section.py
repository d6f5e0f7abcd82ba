"""The section `head_rank` of the configuration: sizes of the constructions, grids of the training
figures, and the cells that these grids ask for."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, create_model, model_validator

from ....settings.faults import fault
from ....settings.strict_model import Count, Level, Scaled, ScaleName, Some, StrictModel
from . import cells as cell
from .jobs import FeaturesSettings, TemperatureSettings, TheorySettings, VoteSettings

MOST_CELLS = 1000
"""Of a grid: each has a rule of its own."""

MOST_PARTS = 100
"""Further products of a grid."""

MATCHED = 4
"""A concatenated encoding of d rows doubles the dimension, which makes 4 times the attention
parameters: what the control without an encoding has instead is 4 times the width."""


class Normal(StrictModel):
    """A normal distribution of initial values."""

    mean: Annotated[float, Field(ge=-1000, le=1000)] = Field(description="its mean")
    sd: Annotated[float, Field(ge=0, le=1000)] = Field(description="its standard deviation")


@dataclass(frozen=True)
class EncodingCase:
    """An encoding, its initial values where they are a setting, and how many times the product's
    width goes with it."""

    encoding: cell.Encoding
    initial: Normal | None = None
    widening: int = 1


class Product(cell.Recipe):
    """Cells of a figure: every combination of the lists."""

    runs: Annotated[Count, Field(le=100)] = Field(
        description="runs per cell, each with initial values and data of its own; of a single one "
        "no interval can be had, and no claim on it be judged"
    )
    held_out: cell.HeldOut = Field(
        description="sets that the final error is measured on, never seen in training"
    )
    layers: Some[cell.Layers] = Field(description="L")
    widths: Some[cell.Width] = Field(description="w: attention modules per layer; H = w D/r heads")
    ranks: Some[cell.Rank] = Field(description="r")
    n: Some[cell.Points] = Field(description="N: points per set")
    encodings: Some[cell.Encoding] = Field(
        default=["none"], description="positional encodings; concatenated ones have d rows"
    )
    regimes: Some[cell.Regime] = Field(
        default=["fresh"],
        description="fresh: every batch is new; repeated: the same 100 batches in every epoch",
    )
    schedules: Some[cell.Schedule] = Field(
        default=["per_step"],
        description="of the learning rate: per_step, a choice of ours; per_epoch, as published",
    )
    additive: Some[Normal] = Field(
        default=[Normal(mean=cell.PUBLISHED_MEAN, sd=cell.PUBLISHED_SD)],
        description="initial values of additive encodings; by default the published ones",
    )
    matched: bool = Field(
        default=False,
        description="also without an encoding at 4 times the width: about the attention parameters "
        "of a concatenated encoding",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        """The product itself; a fault if it has too many cells, or a rank that divides no
        dimension."""
        count = len(self._encoding_cases()) * math.prod(map(len, self._lists()))
        if count > MOST_CELLS:
            raise fault(f"has {count} cells; allowed: at most {MOST_CELLS}")
        for encoding, rank in itertools.product(self.encodings, self.ranks):
            dimension = self.dimension(encoding)
            if dimension % rank:
                why = " (d, and d rows of the encoding)" if dimension > self.d else ""
                raise fault(
                    f"ranks has {rank}, which does not divide the dimension {dimension}{why}; "
                    f"allowed: {cell.divisors(dimension)}"
                )
        return self

    def dimension(self, encoding: str) -> int:
        """The dimension D of the model with an encoding: twice d where it is concatenated."""
        return 2 * self.d if encoding == "concatenated" else self.d

    def cells(self, seed: int) -> Iterator[cell.CellJob]:
        """The cells of the product; two grids may give different cells one name."""
        shared = self.model_dump(include={*cell.Recipe.model_fields, "held_out"})
        shared |= {"seeds": list(range(self.runs)), "seed": seed}
        combinations = itertools.product(self._encoding_cases(), *self._lists())
        for case, layers, width, rank, n, regime, schedule in combinations:
            settings = {
                "n": n,
                "layers": layers,
                "heads": self.dimension(case.encoding) // rank,
                "width": case.widening * width,
                "encoding": case.encoding,
                "d_e": self.d if case.encoding == "concatenated" else None,
                "additive_mean": None if case.initial is None else case.initial.mean,
                "additive_sd": None if case.initial is None else case.initial.sd,
                "regime": regime,
                "schedule": schedule,
                # A schedule that does not read it must not tell two equal jobs apart.
                "warm_up": self.warm_up if schedule == "per_step" else cell.DEFAULT_WARM_UP,
                "batches": self.batches if regime == "repeated" else None,
            }
            job = cell.CellJob(name="", **shared | settings)
            yield job.model_copy(update={"name": _name(job)})

    def _lists(self) -> tuple[list[Any], ...]:
        """The lists whose combinations, with the encodings, are the cells."""
        return self.layers, self.widths, self.ranks, self.n, self.regimes, self.schedules

    def _encoding_cases(self) -> list[EncodingCase]:
        """The encodings of the cells: additive ones with each law of initial values, and where it
        is asked for, none at MATCHED times the width."""
        cases = []
        for encoding in self.encodings:
            if encoding == "additive":
                cases += [EncodingCase(encoding, initial) for initial in self.additive]
            else:
                cases.append(EncodingCase(encoding))
        if self.matched:
            cases.append(EncodingCase("none", widening=MATCHED))
        return cases


_OPTIONAL_FIELDS: dict[str, Any] = {
    name: (field.rebuild_annotation() | None, Field(None, description=field.description))
    for name, field in Product.model_fields.items()
}

Part = create_model(
    "Part",
    __base__=StrictModel,
    __doc__="Settings of a product that are not as another's; those left out are.",
    **_OPTIONAL_FIELDS,
)


class Grid(Product):
    """Cells of a figure: a product, and further ones where not every combination is wanted."""

    also: Annotated[list[Part], Field(max_length=MOST_PARTS)] = Field(
        default=[],
        description="further products: each is as this one but for the settings that it gives",
    )

    def products(self) -> list[Product]:
        """The products of the grid: its own, and the further ones."""
        return [self._product(part) for part in (Part(), *self.also)]

    def _product(self, part: Part) -> Product:
        """The grid as a product, with the settings of a part in place of its own."""
        settings = self.model_dump(exclude={"also"})
        return Product.model_validate(settings | part.model_dump(exclude_none=True))

    @model_validator(mode="after")
    def _has_possible_parts(self) -> Self:
        """The grid itself; a fault if one of its further products is not possible."""
        for number, part in enumerate(self.also):
            try:
                self._product(part)
            except ValidationError as error:
                raise fault(f"also[{number}]: {error.errors()[0]['msg']}") from None
        return self


class Training(StrictModel):
    """Grids of the training figures; Figure 2 looks at the trained heads of Figure 1."""

    fig1: Grid | None = Field(description="Figures 1 and 2: layers, heads and their rank")
    fig3: Grid | None = Field(description="Figure 3: positional encodings")
    fig4: Grid | None = Field(description="Figure 4: number of points")
    fresh: Grid | None = Field(description="training loss beside the error on new data")
    collapse: Grid | None = Field(
        default=None, description="what of each layer's output depends on the points, step by step"
    )
    memory: Grid | None = Field(
        default=None, description="few batches that come back beside new ones, step by step"
    )
    crossing: Grid | None = Field(
        default=None,
        description="new and repeated batches, each under a fast warm-up and under the published "
        "one: at which of them networks learn",
    )
    dimension: Grid | None = Field(
        default=None, description="several d, at ranks that are a part of each"
    )
    variants: Grid | None = Field(
        default=None, description="without biases, and with LayerNorm, beside the paper's networks"
    )

    def grids(self) -> dict[str, Grid]:
        """The grids that are to be trained, by name; null leaves a figure out."""
        return {name: grid for name, grid in self if grid}

    @model_validator(mode="after")
    def _is_some(self) -> Self:
        """The section itself; a fault if it has no grid."""
        if not self.grids():
            raise fault("has no grids; allowed: at least one")
        return self


class RankScale(StrictModel):
    """A size of the second paper's reproduction."""

    temperature: TemperatureSettings = Field(description="Facts 1 and 3: error against temperature")
    vote: VoteSettings = Field(description="Theorem 7: error of the majority vote")
    features: FeaturesSettings = Field(description="random heads of rank 1")
    theory: TheorySettings = Field(description="one layer of heads of low rank, as numbers")
    training: Training = Field(description="grids of the training figures")


class HeadRankSection(Scaled):
    """The rank of attention heads: the second paper."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/head_rank/SCALE"
    )
    margin: Annotated[float, Field(gt=0, le=1)] = Field(
        description="a difference of held-out errors that counts; predicting zero has error 1"
    )
    level: Level = Field(
        description="of each claim: nominal chance of a false verdict, over its comparisons "
        "together; runs are taken as normal, and over the few of a cell it need not be kept"
    )
    gigaflops: Annotated[float, Field(ge=1e-3, le=1e9)] = Field(
        description="10^9 operations per second that training is assumed to reach: what a cluster "
        "is asked for follows from it, no result does"
    )
    scales: dict[ScaleName, RankScale] = Field(description="sizes of its reproduction")


def _name(job: cell.CellJob) -> str:
    """The name of a cell, of a rule and of a file: its sizes, and what is not as usual."""
    parts = [f"d{job.d}", f"n{job.n}", f"L{job.layers}", f"w{job.width}", f"r{job.rank}"]
    if job.encoding != "none":
        parts.append(job.encoding)
    initial = [x for x in (job.additive_mean, job.additive_sd) if x is not None]
    if initial and initial != [cell.PUBLISHED_MEAN, cell.PUBLISHED_SD]:
        parts += map(_number_in_name, initial)
    if job.lr != cell.TEXT_RATE:
        parts.append(f"lr{_number_in_name(job.lr)}")
    if job.regime == "repeated":
        parts.append(f"repeated{job.batches or ''}")
    if job.stop_after is not None:
        parts.append(f"first{job.stop_after}")
    if job.one_start:
        parts.append("one_start")
    if job.warm_start is not None:
        parts.append("warm")
    if job.biases is False:
        parts.append("no_biases")
    if job.layer_norm:
        parts.append("layer_norm")
    if job.shares:
        parts.append("shares")
    if job.schedule == "per_epoch":
        parts.append("per_epoch")
    return "_".join(parts)


def _number_in_name(number: float) -> str:
    """A number as a part of a name, which takes letters, digits and underscores: 0.02 is 0p02."""
    return f"{number:g}".replace(".", "p").replace("-", "m")
