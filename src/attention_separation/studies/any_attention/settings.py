"""The section `any_attention` of the configuration, titles of figures, and what jobs depend on: the
data that kernels are put to, and how often."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import sign_columns, stacking_fault
from ...own_kernels.formula import FUNCTIONS, NAMES
from ...settings.faults import Fault
from ...settings.kernel_name import KernelName
from ...settings.kernel_section import OwnKernels
from ...settings.strict_model import (
    MAX_VALUES,
    Count,
    Integer,
    ScaleName,
    Several,
    Some,
    StrictModel,
)

FIGURES = {
    "kernels_accuracy": "Any attention: what each kernel can do, against n",
    "kernels_degrees": "Any attention: polynomials, the degree against n",
    "kernels_temperature": "Any attention: softmax, the temperature against n",
    "kernels_margins": "Any attention: the gap between the scores, against n",
    "kernels_budget": "Any attention: the weight in X that is needed, against n",
}
if TYPE_CHECKING:
    FigureName = str
else:
    FigureName = Literal[tuple(FIGURES)]

WITH_OWN_KERNELS = ("kernels_accuracy", "kernels_margins", "kernels_budget")
"""Figures that show a user's own kernels too."""

MOST_SIGNS = 10**7
"""Scores of a trial at one time, tokens times sign columns."""

Tokens = Annotated[Several, Field(le=LARGEST_N)]
Size = Annotated[float, Field(gt=0, le=1000)]
Trials = Annotated[Count, Field(le=10**6)]


class Data(StrictModel):
    """Sizes of the entries of the tokens, and how many sign columns there are."""

    a0: Annotated[float, Field(ge=0, le=1000)] = Field(description="size of D0's special entry")
    a1: Size = Field(description="size of D1's special entry")
    b: Size = Field(description="size of the class entries, self-attention")
    c: Size = Field(description="size of the last column, self-attention")
    classes: Annotated[Integer, Field(ge=1, le=200)] = Field(
        description="K: d is K + 2 in self-attention and K + 1 in cross-attention"
    )
    delta: Annotated[float, Field(ge=1e-100, lt=1)] = Field(
        description="of m = floor(log(n/delta))"
    )
    at_least: Annotated[Count, Field(le=10**6)] = Field(description="smallest m")

    def m(self, n: int) -> int:
        """The number of sign columns for n tokens."""
        return sign_columns(n, self.delta, self.at_least)


class Simulated(StrictModel):
    """Trials of the kernels that no exact value is known of: random features, order of tokens."""

    n: Annotated[Several, Field(le=20_000)] = Field(
        description="number of tokens, a multiple of `classes`"
    )
    trials: Trials = Field(description="of each kernel in each layer")


class KernelScale(StrictModel):
    """What is smaller at a scale of the first paper, in whose folder the results lie."""

    only: Some[KernelName] | None = Field(
        default=None, description="built-in kernels of the tables, if `only` above does not say it"
    )
    points: Annotated[Integer, Field(ge=3, le=MAX_VALUES)] | None = Field(
        default=None,
        description="at most so many values of each grid of a figure, sizes of the table of "
        "values, and claims of each law",
    )
    trials: Trials | None = Field(
        default=None, description="at most so many trials of each kernel that is simulated"
    )


class AnyAttentionSection(StrictModel):
    """The data that kernels are put to, and at which sizes."""

    data: Data = Field(description="sizes of the first paper's tokens")
    sizes: Annotated[list[Tokens], Field(min_length=1, max_length=100)] = Field(
        description="numbers of tokens n in the table of values, multiples of `classes`"
    )
    simulated: Simulated = Field(description="kernels without distinct rows, in trials")
    only: Some[KernelName] | None = Field(
        default=None, description="built-in kernels of the tables, if not all"
    )
    figures: list[FigureName] = Field(default=list(FIGURES), description="figures that are drawn")
    scales: dict[ScaleName, KernelScale] = Field(
        default={}, description="what is smaller at which of the first paper's scales"
    )
    kernels: OwnKernels = Field(
        default={},
        description="your own kernels by name, in tables and figures after the built-in ones, each "
        "with one of `score`, `feature_map` and `python`. Formulas may have "
        f"`{'`, `'.join(NAMES)}`, numbers, `+ - * / **`, comparisons and "
        f"`{'`, `'.join(FUNCTIONS)}`; `where(condition, a, b)`",
    )


class KernelsJob(StrictModel):
    """What a table or figure of kernels depends on; None where it does not depend on it.

    `kernels` are a user's own, `modules` the digests of the modules of those that are Python
    functions, by the kernel's name; `only` are the built-in kernels, if not all; `sizes` numbers of
    tokens; `points` the most values of a grid, and claims of a law.
    """

    data: Data
    sizes: list[int] | None = None
    points: int | None = None
    only: list[str] | None = None
    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None


class SimulatedJob(StrictModel):
    """All that the table of simulated kernels depends on."""

    data: Data
    simulated: Simulated
    seed: int


def section_faults(section: AnyAttentionSection) -> list[Fault]:
    """Faults between the settings of a section each of which is valid."""
    classes = section.data.classes
    simulated_n = section.simulated.n
    path_of_simulated_n = ("simulated", "n")
    faults: list[Fault] = []
    for k, n in enumerate(section.sizes):
        faults.append((("sizes", k), stacking_fault(n, classes)))
    faults.append((path_of_simulated_n, stacking_fault(simulated_n, classes)))
    for k, n in enumerate(section.sizes):
        if n in section.sizes[:k]:
            faults.append((("sizes", k), f"{n} stands there already; allowed: each size once"))
    m = section.data.m(simulated_n)
    if simulated_n * m > MOST_SIGNS:
        text = f"n={simulated_n} with m={m}: {simulated_n * m} scores"
        faults.append((path_of_simulated_n, f"{text}; allowed: at most {MOST_SIGNS}"))
    # A size that stacks has no text.
    return [(path, text) for path, text in faults if text]
