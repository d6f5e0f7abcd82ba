"""At which n, and in how many trials, kernels without distinct rows are simulated."""

from typing import Annotated

from pydantic import Field

from attention_separation.settings.closed import Closed, Whole

MOST_SIGNS = 10**7
"""Scores of a trial at one time, tokens times sign columns."""


class Simulated(Closed):
    """Trials of the kernels that no exact value is known of: random features, order of tokens."""

    n: Annotated[Whole, Field(ge=2, le=20_000)] = Field(
        description="number of tokens, a multiple of `classes`"
    )
    trials: Annotated[Whole, Field(ge=1, le=10**6)] = Field(
        description="of each kernel in each layer"
    )
