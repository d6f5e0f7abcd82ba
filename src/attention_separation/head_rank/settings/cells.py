"""One cell of a training figure: a transformer, its task and how it is trained. Without torch."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.settings.closed import Closed, Count, Whole
from attention_separation.settings.jobs import TrainedCell

EPOCH = 100
"""Steps per epoch: curves have one value per epoch, and `repeated` has this many batches in all."""

STEPS_PER_BLOCK = 10
"""Steps whose batches one stream holds. Fixed: a shorter run is the prefix of a longer one."""

STREAMS = ("initial", "data", "held_out")
"""Kinds of random streams of a run: initial values, training data, held-out data."""

Encoding = Literal["none", "additive", "concatenated"]
Regime = Literal["fresh", "repeated"]
Schedule = Literal["per_step", "per_epoch"]

WARM_UP = 0.1
"""Part of the steps in which the rate rises, where none is given: a choice of ours."""

PUBLISHED_MEAN, PUBLISHED_SD = -1.0, 1.0
"""Of the initial values of additive encodings in the authors' code."""

Several = Annotated[Whole, Field(ge=2)]
WarmUp = Annotated[float, Field(gt=0, lt=1)]


class Architecture(Closed):
    """A transformer encoder of post-norm layers, and the sets of points that it reads."""

    d: Several = Field(description="dimension of the points, which lie on the unit sphere")
    n: Several = Field(description="points per set")
    layers: Count = Field(description="layers")
    heads: Count = Field(description="heads per unit of width; a head's rank is D/heads")
    width: Count = Field(default=1, description="attention modules per layer, averaged")
    encoding: Encoding = Field(default="none", description="positional encoding")
    d_e: Count | None = Field(
        default=None, description="rows that a concatenated encoding adds to the points"
    )
    feed_forward: Count = Field(description="hidden neurons of each layer's MLP")

    @model_validator(mode="after")
    def _is_possible(self) -> "Architecture":
        if (self.encoding == "concatenated") != (self.d_e is not None):
            raise PydanticCustomError(
                "cell",
                "d_e is {d_e} with encoding: {encoding}; allowed: d_e of 1 or more with "
                "concatenated, none with the other encodings",
                {"d_e": str(self.d_e), "encoding": self.encoding},
            )
        if self.model_dimension % self.heads:
            raise PydanticCustomError(
                "cell",
                "heads is {heads}, which does not divide the model's dimension {dimension}; "
                "allowed: {allowed}",
                {
                    "heads": self.heads,
                    "dimension": self.model_dimension,
                    "allowed": ", ".join(
                        str(k)
                        for k in range(1, self.model_dimension + 1)
                        if self.model_dimension % k == 0
                    ),
                },
            )
        return self

    @property
    def model_dimension(self) -> int:
        """D: d, and the rows of a concatenated encoding."""
        return self.d + (self.d_e or 0)

    @property
    def rank(self) -> int:
        """Rank r = D/heads of every head."""
        return self.model_dimension // self.heads

    @property
    def total_heads(self) -> int:
        """H = width * heads of every layer."""
        return self.width * self.heads

    def attention_parameters(self) -> int:
        """Trained numbers of the attention of all layers."""
        dimension = self.model_dimension
        inner = self.width * dimension
        return self.layers * (3 * inner * (dimension + 1) + dimension * (inner + 1))

    def parameters(self) -> int:
        """Trained numbers in all."""
        dimension, hidden = self.model_dimension, self.feed_forward
        rest = hidden * (dimension + 1) + dimension * (hidden + 1) + 2
        rows = {"none": 0, "additive": self.d, "concatenated": self.d_e or 0}[self.encoding]
        return self.attention_parameters() + self.layers * rest + rows * self.n

    def flops(self) -> int:
        """Floating-point operations of the output for one set, multiply and add counted apart."""
        dimension, inner = self.model_dimension, self.width * self.model_dimension
        per_point = 8 * inner * dimension + 4 * inner * self.n + 4 * dimension * self.feed_forward
        return self.layers * self.n * per_point


class CellJob(Architecture, TrainedCell):
    """All that the table of one cell depends on: one run per seed, trained as one ensemble."""

    batch: Count = Field(description="sets per batch")
    steps: Count = Field(description=f"batches trained on, a multiple of {EPOCH}")
    lr: Annotated[float, Field(gt=0)] = Field(description="highest learning rate")
    regime: Regime = Field(
        default="fresh",
        description=f"fresh: every batch is new; repeated: the same {EPOCH} batches in every "
        "epoch, as published",
    )
    schedule: Schedule = Field(
        default="per_step",
        description="of the learning rate: per_step, a choice of ours; per_epoch, as published",
    )
    warm_up: WarmUp = Field(
        default=WARM_UP,
        description="part of the steps in which the rate rises, of the schedule per step alone",
    )
    additive_mean: float | None = Field(
        default=None, description="mean of the normal initial values of an additive encoding"
    )
    additive_sd: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="standard deviation of the initial values of such an encoding"
    )
    held_out: Several = Field(description="sets that the final error is measured on, never seen")

    @model_validator(mode="after")
    def _is_trainable(self) -> "CellJob":
        if self.steps % EPOCH:
            raise PydanticCustomError(
                "cell",
                "steps is {steps}; allowed: a multiple of {epoch}, the steps of an epoch",
                {"steps": self.steps, "epoch": EPOCH},
            )
        if len(set(self.seeds)) < len(self.seeds):
            raise PydanticCustomError("cell", "seeds has a value twice; allowed: each seed once")
        initial = (self.additive_mean, self.additive_sd)
        if any((value is not None) != (self.encoding == "additive") for value in initial):
            raise PydanticCustomError(
                "cell",
                "additive_mean and additive_sd are {mean} and {sd} with encoding: {encoding}; "
                "allowed: numbers with additive, none with the other encodings",
                {
                    "mean": str(self.additive_mean),
                    "sd": str(self.additive_sd),
                    "encoding": self.encoding,
                },
            )
        return self

    def stream_names(self, kind: str, run: int) -> tuple[str, ...]:
        """What names a stream of a run, its kind one of STREAMS; of data without the block: cells
        that differ in the model alone train on the same data."""
        if kind == "initial":
            parts = self.model_dump(include=set(Architecture.model_fields), exclude_none=True)
            words = ("initial", ",".join(f"{key}={value}" for key, value in parts.items()))
        elif kind == "data":
            words = ("data", self.regime, f"d={self.d},n={self.n},batch={self.batch}")
        else:
            words = ("held-out", f"d={self.d},n={self.n}")
        return ("head_rank", *words, f"run={run}")

    def training_flops(self) -> int:
        """Floating-point operations of all steps of all runs; backward counts twice forward."""
        return 3 * self.flops() * self.batch * self.steps * len(self.seeds)
