"""The section `any_attention` of the configuration."""

from typing import Annotated, Literal

from pydantic import Field

from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.dataset import stacking_fault
from attention_separation.own_kernels.formula import FUNCTIONS, NAMES
from attention_separation.own_kernels.section import OwnKernels
from attention_separation.settings.closed import Closed, Several, Some
from attention_separation.settings.faults import Fault
from attention_separation.settings.kernel_name import KernelName

from .jobs import Data, Simulated
from .titles import FIGURES

MOST_SIGNS = 10**7
"""Scores of a trial at one time, tokens times sign columns."""

Tokens = Annotated[Several, Field(le=LARGEST_N)]


class AnyAttentionSection(Closed):
    """The data that kernels are put to, and at which sizes."""

    data: Data = Field(description="sizes of the first paper's tokens")
    sizes: Annotated[list[Tokens], Field(min_length=1, max_length=100)] = Field(
        description="numbers of tokens n in the table of values, multiples of `classes`"
    )
    simulated: Simulated = Field(description="kernels without distinct rows, in trials")
    only: Some[KernelName] | None = Field(
        default=None, description="built-in kernels of the tables, if not all"
    )
    figures: list[Literal[tuple(FIGURES)]] = Field(
        default=list(FIGURES), description="figures that are drawn"
    )
    kernels: OwnKernels = Field(
        default={},
        description="your own kernels by name, in tables and figures after the built-in ones, each "
        "with one of `score`, `feature_map` and `python`. Formulas may have "
        f"`{'`, `'.join(NAMES)}`, numbers, `+ - * / **`, comparisons and "
        f"`{'`, `'.join(FUNCTIONS)}`; `where(condition, a, b)`",
    )


def section_faults(section: AnyAttentionSection) -> list[Fault]:
    """Faults between the settings of a section each of which is valid."""
    simulated, m = section.simulated, section.data.m(section.simulated.n)
    sizes = [(("sizes", k), n) for k, n in enumerate(section.sizes)]
    found = [
        (path, stacking_fault(n, section.data.classes))
        for path, n in [*sizes, (("simulated", "n"), simulated.n)]
    ]
    for path, n in sizes:
        again = n in section.sizes[: path[1]]
        found.append((path, f"{n} stands there already; allowed: each size once" if again else ""))
    if simulated.n * m > MOST_SIGNS:
        text = f"n={simulated.n} with m={m}: {simulated.n * m} scores"
        found.append((("simulated", "n"), f"{text}; allowed: at most {MOST_SIGNS}"))
    return [(path, text) for path, text in found if text]
