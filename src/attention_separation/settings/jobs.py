"""How work is cut into jobs, and what a job is given."""

from typing import Annotated

from pydantic import Field

from .closed import Closed, Count, Whole, canonical_json

MOST_SLICES = 1000


class Jobs(Closed):
    """How work is cut into jobs; no result depends on it."""

    slice_seconds: Annotated[float, Field(ge=1, le=10**6)] = Field(
        description="trials estimated to take longer on one core are cut into slices, each a job"
    )
    slices: Annotated[Whole, Field(ge=1, le=MOST_SLICES)] | None = Field(
        default=None, description="slices of every panel, instead of by time"
    )
    local_below: Annotated[float, Field(ge=0, le=10**6)] = Field(
        description="on a cluster, jobs estimated to take fewer seconds run where snakemake does"
    )


class Job(Closed):
    """What a job depends on beside code and the contents of the files that it reads."""

    inputs: dict[str, list[str]] | None = None
    """By option, the digests of settings that the tables it reads must carry: looked up from the
    declarations of the jobs that make them."""


class TrainedCell(Closed):
    """What the table of a cell of trained networks depends on, whatever they are: one run per seed,
    trained as one ensemble."""

    name: str = Field(description="the cell's name, as in its file's name")
    seeds: Annotated[list[Annotated[Whole, Field(ge=0)]], Field(min_length=1)] = Field(
        description="one run per seed"
    )
    checkpoint_every: Count = Field(
        default=100, description="steps between checkpoints; no result depends on it"
    )
    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of all random streams")

    def result_settings(self) -> str:
        """The one text of the settings that numbers depend on."""
        return canonical_json(self.model_dump(mode="json", exclude={"checkpoint_every"}))
