"""What the jobs of this study depend on: the data that kernels are put to, and how often."""

from typing import Annotated

from pydantic import Field

from ..datasets.dataset import sign_columns
from ..own_kernels.section import OwnKernels
from ..settings.strict_model import Count, Integer, Several, StrictModel

Size = Annotated[float, Field(gt=0, le=1000)]


class Data(StrictModel):
    """Sizes of the entries of the tokens, and how many sign columns there are."""

    a0: Annotated[float, Field(ge=0, le=1000)] = Field(description="size of D0's special entry")
    a1: Size = Field(description="size of D1's special entry")
    b: Size = Field(description="size of the class entries, self-attention")
    c: Size = Field(description="size of the last column, self-attention")
    classes: Annotated[Integer, Field(ge=1, le=200)] = Field(
        description="K: d is K + 2 in self-attention and K + 1 in cross-attention"
    )
    delta: Annotated[float, Field(gt=0, lt=1)] = Field(description="of m = floor(log(n/delta))")
    at_least: Count = Field(description="smallest m")

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""
        return sign_columns(n, self.delta, self.at_least)


class Simulated(StrictModel):
    """Trials of the kernels that no exact value is known of: random features, order of tokens."""

    n: Annotated[Several, Field(le=20_000)] = Field(
        description="number of tokens, a multiple of `classes`"
    )
    trials: Annotated[Count, Field(le=10**6)] = Field(description="of each kernel in each layer")


class KernelsJob(StrictModel):
    """What a table or figure of kernels depends on; None where it does not depend on it.

    `kernels` are a user's own, `modules` the digests of the modules of those that are Python
    functions, by the kernel's name; `only` are the built-in kernels, if not all; `sizes` numbers of
    tokens.
    """

    data: Data
    sizes: list[int] | None = None
    only: list[str] | None = None
    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None


class SimulatedJob(StrictModel):
    """All that the table of simulated kernels depends on."""

    data: Data
    simulated: Simulated
    seed: int
