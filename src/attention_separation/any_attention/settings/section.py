"""The section `any_attention` of the configuration."""

from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.simulated import MOST_SIGNS, Simulated
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
