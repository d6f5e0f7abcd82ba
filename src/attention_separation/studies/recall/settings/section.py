"""The section `recall` of the configuration: layers, dimensions, and how much is simulated."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from ....settings.faults import fault
from ....settings.kernel_name import KernelName
from ....settings.strict_model import (
    Count,
    Distinct,
    Integer,
    Job,
    Level,
    Name,
    Scaled,
    ScaleName,
    Several,
    StrictModel,
)

Decay = Annotated[float, Field(ge=1e-3, le=1)]
Dimension = Annotated[Integer, Field(ge=2, le=1024)]
Cosine = Annotated[float, Field(gt=0, lt=1)]
Rewrites = Annotated[Integer, Field(ge=1, le=16)]


class LayerSetting(StrictModel):
    """A layer: a kernel, a delta rule, or least squares."""

    kernel: KernelName | None = Field(default=None, description="a kernel by name")
    beta: Annotated[float, Field(gt=0, le=2)] | None = Field(
        default=None, description="of a delta rule: the share of an error that a write corrects"
    )
    least_squares: bool = Field(default=False, description="whether it is least squares")
    decay: Decay = Field(default=1.0, description="factor for each step of age")
    window: Annotated[Count, Field(le=10**6)] | None = Field(
        default=None, description="writes that are seen; null for all"
    )

    @model_validator(mode="after")
    def _is_one_layer(self) -> Self:
        """The setting itself; a fault if it is not of exactly one kind of layer."""
        kinds = [self.kernel is not None, self.beta is not None, self.least_squares]
        if sum(kinds) != 1:
            raise fault("is no layer; allowed: one of kernel, beta and least_squares")
        if self.window is not None and self.kernel is None:
            raise fault("has a window without a kernel; allowed: window with kernel")
        if self.decay < 1 and self.least_squares:
            raise fault("has a decay with least_squares; allowed: decay with kernel or beta")
        return self


class Measured(StrictModel):
    """What is computed and simulated of every layer."""

    dimensions: Distinct[Dimension] = Field(description="dimensions d of a head")
    per_octave: Annotated[Count, Field(le=16)] = Field(
        description="n of a line in each factor of 2"
    )
    ends_at: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        description="accuracy at which a line ends"
    )
    level: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        description="accuracy of which the largest n is sought"
    )
    ages_at: Annotated[float, Field(gt=0, le=64)] = Field(
        description="n / d at which accuracies are computed by age"
    )
    ages: Annotated[Several, Field(le=100)] = Field(description="ages of such a line")
    varied_at: Annotated[float, Field(gt=0, le=64)] = Field(
        description="n / d at which queries are noisy, and keys rewritten"
    )
    cosines: Distinct[Cosine] = Field(description="cosines of noisy queries and their keys")
    rewrites: Distinct[Rewrites] = Field(
        description="how many times all keys were written before, with other values"
    )
    trials: Annotated[Several, Field(le=10**7)] = Field(
        description="trials of each point of a delta rule's line"
    )
    dots: Annotated[Integer, Field(ge=0, le=50)] = Field(
        description="simulated points of each line, by the literal layer"
    )
    numbers: Annotated[Several, Field(le=10**9)] = Field(
        description="numbers of keys that each of these draws, n d times draws, if draws are not "
        "too few"
    )
    most_numbers: Annotated[Several, Field(le=10**9)] = Field(
        description="numbers of keys beyond which there is no such point"
    )


class LayerJob(Job, Measured):
    """What a layer's cell depends on."""

    name: Name
    layer: LayerSetting
    seed: int


class ClaimsJob(Job):
    """What the table of claims depends on beside the tables that it reads."""

    level: float
    seed: int


class RecallScale(StrictModel):
    """A size of this study."""

    measured: Measured = Field(description="what is computed and simulated of every layer")
    layers: dict[Name, LayerSetting] = Field(description="layers by name")

    def cells(self, seed: int) -> Iterator[LayerJob]:
        """A job for each layer."""
        for name, layer in self.layers.items():
            yield LayerJob(name=name, layer=layer, seed=seed, **self.measured.model_dump())


class RecallSection(Scaled):
    """Recall: n pairs of a key and a value, and one of the keys again."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/recall/SCALE"
    )
    level: Level = Field(
        description="nominal chance of a false verdict, over all claims on simulated accuracies"
    )
    scales: dict[ScaleName, RecallScale] = Field(description="sizes of this study")
