"""One cell of trained networks: data, an attention map, and how it is trained. Without torch."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.attention.kernel_names import without_alias
from attention_separation.own_kernels.section import OwnKernel
from attention_separation.settings.closed import Closed, Count, Whole
from attention_separation.settings.jobs import TrainedCell

from .exact import Entries, Mu

Arm = Literal["query_given", "query_learned", "self_attention"]
"""query_given: the needle's direction is drawn for each sequence and is its query. query_learned:
the first paper's tokens with noise, and a learned query. self_attention: the same tokens, every one
of them a query, as in the first paper's network."""

IN_STREAMS: dict[Arm, str] = {
    "query_given": "asked", "query_learned": "fixed", "self_attention": "paper"
}  # fmt: skip
"""What names of streams call the arms: draws stay as they are."""

Divided = Literal["sum", "n", "rms"]
"""By what the weighted sum of tokens is divided: the sum of the weights; n; or its own root mean
square (RMSNorm)."""

DIMENSION = 8
"""Of the tokens of `query_given`."""

MOST_RUNS = 8
"""Runs of a cell share noise in `query_given`, each with a direction of its own orthogonal to those
of the others: there are no more than dimensions."""

Runs = Annotated[Whole, Field(ge=1, le=MOST_RUNS)]
Rate = Annotated[float, Field(gt=0, le=10)]
Tokens = Annotated[Whole, Field(ge=2, le=100_000)]


class Map(Closed):
    """What turns scores, or features of queries and keys, into weights."""

    kernel: Annotated[str, AfterValidator(without_alias)] | None = Field(
        default=None,
        description="a kernel of the score, or a feature map, built-in or your own; null for no "
        "attention, where every token is a query",
    )
    divided_by: Divided = Field(
        default="sum",
        description="sum: each row by the sum of its weights; n; rms: the output by its root mean "
        "square",
    )
    features: Annotated[Whole, Field(ge=1, le=10_000)] | None = Field(
        default=None, description="features of a feature map, on learned projections"
    )


class Recipe(Closed):
    """How a network is trained."""

    batch: Annotated[Whole, Field(ge=2)] = Field(description="sequences per batch, half of them D1")
    steps: Count = Field(description="batches trained on, each of them new")
    lr: Rate = Field(description="highest learning rate")
    held_out: Annotated[Whole, Field(ge=2)] = Field(
        description="sequences that the accuracy of a run is measured on, never seen in training"
    )
    standardise: bool = Field(
        default=True, description="whether a batch's outputs are given mean 0 and variance 1"
    )


class NeedleCell(Recipe, TrainedCell):
    """All that the table of one cell depends on: one run per seed, trained as one ensemble."""

    arm: Arm
    map: Map
    mu: Mu = Field(description="signal-to-noise ratio μ of the needle")
    n: Tokens = Field(description="tokens")
    data: Entries = Field(
        description="sizes of the first paper's tokens, where the query is not given"
    )
    own: OwnKernel | None = Field(default=None, description="the kernel, where it is a user's own")
    module: str | None = Field(
        default=None, description="digest of the own kernel's module, if it is a Python function"
    )
    control: bool = Field(default=False, description="whether no claim is judged on it")

    @model_validator(mode="after")
    def _is_trainable(self) -> "NeedleCell":
        if len(set(self.seeds)) < len(self.seeds) or max(self.seeds) >= MOST_RUNS:
            raise PydanticCustomError(
                "cell",
                "seeds is {seeds}; allowed: each seed once, 0 to {last}",
                {"seeds": str(self.seeds), "last": MOST_RUNS - 1},
            )
        if (self.map.kernel is None) > (self.arm == "self_attention"):
            raise PydanticCustomError("cell", "no kernel; allowed: in the arm self_attention alone")
        if self.map.divided_by == "rms" and self.arm == "query_given":
            raise PydanticCustomError(
                "cell",
                "divided_by: rms; allowed: in query_learned and self_attention, for query_given "
                "reads one number",
            )
        if self.map.features and self.arm == "self_attention":
            raise PydanticCustomError("cell", "features; allowed: where there is one query")
        return self

    @property
    def dimension(self) -> int:
        """d of the tokens."""
        return DIMENSION if self.arm == "query_given" else self.data.classes + 2

    def data_names(self) -> tuple[str, ...]:
        """What names its data: cells of other maps are trained on the same, and the first paper's
        network on that of `query_learned`, where sizes are equal."""
        kind = "asked" if self.arm == "query_given" else "tokens"
        return ("needle", kind, f"mu={self.mu:g}", f"n={self.n}")

    def numbers_per_step(self) -> int:
        """About how many numbers a step computes with, of all runs."""
        rows = self.batch * self.n * len(self.seeds)
        is_linear = (self.map.kernel or "linear").startswith("linear")
        quadratic = self.arm == "self_attention" and not is_linear
        return rows * (self.n if quadratic else 8 * self.dimension + 8 * (self.map.features or 1))
