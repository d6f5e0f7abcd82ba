"""How work is cut into jobs, and what a job is given."""

from typing import Annotated

from pydantic import Field

from .closed import Closed, Whole

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
