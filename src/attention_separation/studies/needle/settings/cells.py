"""One cell of trained networks: data, an attention map, how it is trained, and what that takes.
Without torch."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ....attention.kernel_names import without_alias
from ....settings.faults import fault
from ....settings.kernel_section import OwnKernel
from ....settings.strict_model import Count, Several, StrictModel, TrainedCell
from .exact import Entries, Mu

Arm = Literal[
    "query_given", "query_learned", "self_attention", "sink_learned", "sink_and_scale_learned"
]
"""As `NeedleGrid.arm` describes them."""

OF_PAPER = ("query_learned", "self_attention")
"""Arms that have the first paper's tokens, with noise."""

SINKS = ("sink_learned", "sink_and_scale_learned")
"""Arms of sinks, which have the data of query_given."""

IN_STREAMS: dict[Arm, str] = {
    "query_given": "asked", "query_learned": "fixed", "self_attention": "paper",
    "sink_learned": "sink", "sink_and_scale_learned": "sink",
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

START_MINUTES = 5
START_MB = 1200
"""Of a job without data: torch, and on a cluster the two snakemakes that start it."""

NUMBERS_PER_SECOND = 2e9
"""That a core computes with in training, forward and backward together, about."""

PASSES = 4
"""Numbers kept for each that a step computes with, about."""

Tokens = Annotated[Several, Field(le=100_000)]


class Map(StrictModel):
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
    features: Annotated[Count, Field(le=10_000)] | None = Field(
        default=None, description="features of a feature map, on learned projections"
    )


class Recipe(StrictModel):
    """How a network is trained."""

    batch: Annotated[Several, Field(le=10**6)] = Field(
        description="sequences per batch, half of them D1"
    )
    steps: Annotated[Count, Field(le=10**9)] = Field(
        description="batches trained on, each of them new"
    )
    lr: Annotated[float, Field(gt=0, le=10)] = Field(description="highest learning rate")
    held_out: Annotated[Several, Field(le=10**9)] = Field(
        description="sequences that the accuracy of a run is measured on, never seen in training"
    )
    standardise: bool = Field(
        default=True, description="whether a batch's outputs are given mean 0 and variance 1"
    )


class NeedleCell(Recipe, TrainedCell):
    """All that the table of one cell depends on: one run per seed, trained as one ensemble."""

    arm: Arm
    map: Map
    mu: Mu
    n: Tokens
    data: Entries
    own: OwnKernel | None = None
    """The kernel, where it is a user's own."""
    module: str | None = None
    """Digest of the own kernel's module, if it is a Python function."""
    control: bool = False

    @model_validator(mode="after")
    def _is_trainable(self) -> Self:
        """The cell itself; a fault if its seeds, map and arm do not go together."""
        if len(set(self.seeds)) < len(self.seeds) or max(self.seeds) >= MOST_RUNS:
            raise fault(f"seeds is {self.seeds}; allowed: each seed once, 0 to {MOST_RUNS - 1}")
        if (self.map.kernel is None) > (self.arm == "self_attention"):
            raise fault("no kernel; allowed: in the arm self_attention alone")
        if self.map.divided_by == "rms" and self.arm == "query_given":
            arms = "query_learned and self_attention, for query_given reads one number"
            raise fault(f"divided_by: rms; allowed: in {arms}")
        if self.map.features and self.arm == "self_attention":
            raise fault("features; allowed: where there is one query")
        if self.arm in SINKS and (self.map != Map(kernel="softmax_one") or self.standardise):
            raise fault(
                f"arm: {self.arm}; allowed: with kernel: softmax_one and standardise: false"
            )
        return self

    @property
    def dimension(self) -> int:
        """d of the tokens."""
        return self.data.classes + 2 if self.arm in OF_PAPER else DIMENSION

    def data_names(self) -> tuple[str, ...]:
        """The names of the stream of its data: cells of other maps are trained on the same, and the
        first paper's network on that of `query_learned`, where sizes are equal."""
        kind = "tokens" if self.arm in OF_PAPER else "asked"
        return ("needle", kind, f"mu={self.mu:g}", f"n={self.n}")

    def numbers_per_step(self) -> int:
        """About how many numbers a step computes with, of all runs."""
        rows = self.batch * self.n * len(self.seeds)
        is_linear = (self.map.kernel or "linear").startswith("linear")
        quadratic = self.arm == "self_attention" and not is_linear
        return rows * (self.n if quadratic else 8 * self.dimension + 8 * (self.map.features or 1))

    def seconds(self) -> float:
        """Seconds of one core that the steps and the held-out sequences take."""
        own = self.numbers_per_step() * (self.steps + self.held_out / self.batch / 3)
        return own / NUMBERS_PER_SECOND

    def memory_mb(self) -> int:
        """Megabytes that training asks for."""
        return START_MB + 4 * PASSES * self.numbers_per_step() // 10**6

    def minutes(self) -> int:
        """Minutes that training asks for: three times what it is estimated to take."""
        return START_MINUTES + int(3 * self.seconds() / 60) + 1
