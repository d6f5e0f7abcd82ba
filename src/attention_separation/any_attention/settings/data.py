"""The data that kernels are put to: sizes of the first paper's tokens, and the rule for m."""

from typing import Annotated

from pydantic import Field

from attention_separation.datasets.dataset import sign_columns
from attention_separation.settings.closed import Closed, Count, Whole

Size = Annotated[float, Field(gt=0, le=1000)]


class Data(Closed):
    """Sizes of the entries of the tokens, and how many sign columns there are."""

    a0: Annotated[float, Field(ge=0, le=1000)] = Field(description="size of D0's special entry")
    a1: Size = Field(description="size of D1's special entry")
    b: Size = Field(description="size of the class entries, self-attention")
    c: Size = Field(description="size of the last column, self-attention")
    classes: Annotated[Whole, Field(ge=1, le=200)] = Field(
        description="K: d is K + 2 in self-attention and K + 1 in cross-attention"
    )
    delta: Annotated[float, Field(gt=0, lt=1)] = Field(description="of m = floor(log(n/delta))")
    at_least: Count = Field(description="smallest m")

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""
        return sign_columns(n, self.delta, self.at_least)
