"""The section `needle` of the configuration: its data and scales, a part of each for every room
that computes or trains."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from attention_separation.datasets.dataset import nearest_multiples
from attention_separation.own_kernels.section import OwnKernel
from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Job

from .exact import AnotherX, Entries, LinesSettings
from .training import NeedleTraining, training_faults


class NeedleScale(Closed):
    """A size of this study."""

    exact: LinesSettings = Field(description="lines computed without training")
    training: NeedleTraining | None = Field(
        default=None, description="networks that are trained, with PyTorch; null for none"
    )


class NeedleSection(Closed):
    """The needle: one token among n with noise on all of them."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/needle/SCALE"
    )
    data: Entries = Field(description="sizes of the first paper's tokens")
    another_x: AnotherX = Field(description="another X, without noise")
    level: Annotated[float, Field(ge=1e-9, le=0.5)] = Field(
        description="nominal chance of a false verdict, over all claims on trained networks; runs "
        "are taken as normal"
    )
    scales: dict[str, NeedleScale] = Field(description="sizes of this study")


class ClaimsJob(Job):
    """What the table of claims depends on beside the tables that it reads."""

    data: Entries
    another_x: AnotherX
    level: float


def section_faults(
    section: NeedleSection, own: Mapping[str, OwnKernel]
) -> list[tuple[tuple[Any, ...], str]]:
    """Faults between settings each of which is valid: a path and a sentence. `own` are a user's
    kernels by name."""
    classes = section.data.classes
    found = [
        (("scales", name, "training", *path), text)
        for name, scale in section.scales.items()
        if scale.training
        for path, text in training_faults(scale.training, section.data, own)
    ]
    return found + [
        (
            ("another_x", "sizes", k),
            f"n={n} does not stack in {classes} classes; allowed: multiples of {classes}; "
            f"nearest: {nearest_multiples(n, classes)}",
        )
        for k, n in enumerate(section.another_x.sizes)
        if n % classes
    ]
