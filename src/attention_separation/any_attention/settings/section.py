"""The section `any_attention` of the configuration."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.formula import FUNCTIONS, NAMES
from attention_separation.any_attention.settings.own_kernels import OwnKernels
from attention_separation.any_attention.settings.simulated import MOST_SIGNS, Simulated
from attention_separation.any_attention.settings.titles import FIGURES
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.settings.closed import Closed, Whole

Tokens = Annotated[Whole, Field(ge=2, le=LARGEST_N)]


class AnyAttentionSection(Closed):
    """The data that kernels are put to, and at which sizes."""

    data: Data = Field(description="sizes of the first paper's tokens")
    sizes: Annotated[list[Tokens], Field(min_length=1, max_length=100)] = Field(
        description="numbers of tokens n in the table of values, multiples of `classes`"
    )
    simulated: Simulated = Field(description="kernels without distinct rows, in trials")
    only: Annotated[list[Literal[tuple(KERNELS)]], Field(min_length=1)] | None = Field(
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

    @model_validator(mode="after")
    def _tokens_stack(self) -> "AnyAttentionSection":
        for n in [*self.sizes, self.simulated.n]:
            if n % self.data.classes:
                raise PydanticCustomError(
                    "stack",
                    "n={n} does not stack in {classes} classes; allowed: multiples of {classes}",
                    {"n": n, "classes": self.data.classes},
                )
        if len({*self.sizes}) < len(self.sizes):
            raise PydanticCustomError("twice", "a size stands twice; allowed: each size once")
        m = self.data.m(self.simulated.n)
        if self.simulated.n * m > MOST_SIGNS:
            raise PydanticCustomError(
                "signs",
                "n={n} simulated with m={m}: {n} times {m} scores; allowed: at most {most}",
                {"n": self.simulated.n, "m": m, "most": MOST_SIGNS},
            )
        return self
