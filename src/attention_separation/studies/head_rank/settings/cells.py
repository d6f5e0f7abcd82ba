"""One cell of a training figure: a transformer, its task, how it is trained, and what that takes.
Without torch."""

import math
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ....settings.faults import fault
from ....settings.strict_model import Count, Several, StrictModel, TrainedCell

EPOCH = 100
"""Steps per epoch: training losses are averaged over each, and `repeated` has this many batches in
all."""

MOST_CURVE_POINTS = 25
"""Of a curve: the error on held-out sets is measured after so many epochs of a run at most, evenly
spread, for at small batches it would cost a fifth of training after each."""

STEPS_PER_BLOCK = 10
"""Steps whose batches one stream holds. Fixed: a shorter run is the prefix of a longer one."""

SHARES_EVERY = {1: 20, 10: 1000, EPOCH: None}
"""Steps between records of `shares`, and up to which step they are so far apart."""


class StreamKind(StrEnum):
    """What a random stream of a run is of."""

    INITIAL = "initial"
    """Initial values."""
    DATA = "data"
    """Training sets."""
    HELD_OUT = "held_out"
    """Sets never trained on."""


# Bounds far beyond any use: what a job takes can be said of whatever stands in the settings.
Dimension = Annotated[Several, Field(le=10_000)]
Points = Annotated[Several, Field(le=100_000)]
Layers = Annotated[Count, Field(le=1000)]
Width = Annotated[Count, Field(le=100_000)]
Rank = Annotated[Count, Field(le=20_000)]
Millions = Annotated[Count, Field(le=10**6)]
Steps = Annotated[Count, Field(le=10**9)]
HeldOut = Annotated[Several, Field(le=10**9)]

Encoding = Literal["none", "additive", "concatenated"]
Regime = Literal["fresh", "repeated"]
Schedule = Literal["per_step", "per_epoch"]

DEFAULT_WARM_UP = 0.1
"""Part of the steps in which the rate rises, where none is given: a choice of ours."""

TEXT_RATE = 0.01
"""Learning rate of the paper's text; the name of a cell tells any other."""

PUBLISHED_MEAN = -1.0
PUBLISHED_SD = 1.0
"""Of the initial values of additive encodings in the authors' code."""

START_MINUTES = 5
"""Asked for beside the steps: torch, the first batch, the final score."""

START_MB = 1200
"""Of a job without data: torch, and on a cluster the two snakemakes that start it."""

MOST_ACTIVATIONS = 2**30
"""Numbers that one backward pass may keep: 4 GiB."""

MOST_HIDDEN = 2**20
"""Numbers of the hidden layer of one run's MLP, 4 MiB, about a core's cache: a batch of more goes
through in parts. Batches of 256 take 0.7 to 0.9 of the time in parts at the paper's d and N."""

ARRAYS_PER_ACTIVATION = 3
"""Arrays that forward and backward hold of each activation, about."""


def divisors(dimension: int) -> str:
    """The numbers that divide a dimension, in words."""
    return ", ".join(str(k) for k in range(1, dimension + 1) if dimension % k == 0)


class Variant(StrictModel):
    """How a network differs from the paper's; of one seed it starts from the same weights."""

    biases: Literal[False] | None = Field(
        default=None, description="false: no layer has biases; if not given, all have"
    )
    layer_norm: Literal[True] | None = Field(
        default=None,
        description="columns are centred before they are made unit; if not given, they are not, "
        "which is RMSNorm",
    )


class Recipe(Variant):
    """How the runs of a figure are trained."""

    d: Dimension = Field(description="dimension of the points")
    feed_forward: Millions = Field(description="hidden neurons of each layer's MLP")
    batch: Millions = Field(description="sets per batch")
    steps: Steps = Field(
        description=f"steps that the schedule of the learning rate is of, a multiple of {EPOCH}: "
        "so many batches are trained on"
    )
    stop_after: Steps | None = Field(
        default=None,
        description="steps after which a run ends, where it is to see the beginning of its "
        f"schedule alone: a multiple of {EPOCH} below steps; if not given, all are run",
    )
    lr: Annotated[float, Field(gt=0, le=10)] = Field(description="highest learning rate")
    warm_up: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=DEFAULT_WARM_UP,
        description="part of the steps in which the rate rises to lr, where the schedule is "
        "per_step; per_epoch has its own",
    )
    shares: Literal[True] | None = Field(
        default=None,
        description="record, before the first steps and along the way, the share of each layer's "
        "output that depends on the points of a set, and its norm",
    )
    batches: Annotated[Count, Field(le=EPOCH)] | None = Field(
        default=None,
        description=f"of the regime repeated: how many batches come back; if not given, {EPOCH}",
    )
    one_start: Literal[True] | None = Field(
        default=None,
        description="every run starts from the initial values of the first, as the published runs "
        "do; if not given, each has its own",
    )
    warm_start: Steps | None = Field(
        default=None,
        description="of concatenated encodings: steps that a network without one is trained for "
        "first; its weights are where this one's begin, and the encoding begins a fifth as large",
    )

    @model_validator(mode="after")
    def _has_whole_epochs(self) -> Self:
        """The recipe itself; a fault if its steps are no whole epochs."""
        epochs = f"a multiple of {EPOCH}, the steps of an epoch"
        if self.steps % EPOCH:
            raise fault(f"steps is {self.steps}; allowed: {epochs}")
        stop = self.stop_after
        if stop is not None and (stop % EPOCH or stop >= self.steps):
            raise fault(f"stop_after is {stop}; allowed: {epochs}, below the {self.steps} steps")
        return self

    @property
    def run_steps(self) -> int:
        """Steps that are run: all, or those before the end that is given."""
        return self.stop_after or self.steps


class Architecture(Variant):
    """A transformer encoder of post-norm layers, and the sets of n points on the unit sphere of d
    dimensions that it reads. Each of `width` attention modules of a layer, which are averaged, has
    `heads` heads; a concatenated encoding adds d_e rows to the points."""

    d: Several
    n: Several
    layers: Count
    heads: Count
    width: Count = 1
    encoding: Encoding = "none"
    d_e: Count | None = None
    feed_forward: Count

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        """The architecture itself; a fault if its encoding and sizes do not go together."""
        if (self.encoding == "concatenated") != (self.d_e is not None):
            raise fault(
                f"d_e is {self.d_e} with encoding: {self.encoding}; allowed: d_e of 1 or more with "
                "concatenated, none with the other encodings"
            )
        dimension = self.model_dimension
        if dimension % self.heads:
            raise fault(
                f"heads is {self.heads}, which does not divide the model's dimension {dimension}; "
                f"allowed: {divisors(dimension)}"
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
        bias = 1 if self.biases is None else 0
        return self.layers * (3 * inner * (dimension + bias) + dimension * (inner + bias))

    def parameters(self) -> int:
        """Trained numbers in all."""
        dimension = self.model_dimension
        hidden = self.feed_forward
        bias = 1 if self.biases is None else 0
        rest_of_layer = hidden * (dimension + bias) + dimension * (hidden + bias) + 2
        rows = {"none": 0, "additive": self.d, "concatenated": self.d_e or 0}[self.encoding]
        return self.attention_parameters() + self.layers * rest_of_layer + rows * self.n

    def flops(self) -> int:
        """Floating-point operations of the output for one set, multiply and add counted apart."""
        dimension = self.model_dimension
        inner = self.width * dimension
        per_point = 8 * inner * dimension + 4 * inner * self.n + 4 * dimension * self.feed_forward
        return self.layers * self.n * per_point

    def activations(self) -> int:
        """Numbers that the backward pass of one set of one run needs."""
        dimension = self.model_dimension
        inner = self.width * dimension
        per_point = 4 * inner + self.total_heads * self.n + 6 * dimension + 2 * self.feed_forward
        return ARRAYS_PER_ACTIVATION * self.layers * self.n * per_point


class CellJob(Recipe, Architecture, TrainedCell):
    """All that the table of one cell depends on: one run per seed, trained as one ensemble."""

    regime: Regime = "fresh"
    schedule: Schedule = "per_step"
    additive_mean: float | None = None
    additive_sd: Annotated[float, Field(ge=0)] | None = None
    """Of the normal initial values of an additive encoding."""
    held_out: Several
    """Sets that the final error is measured on, never seen."""

    @model_validator(mode="after")
    def _is_trainable(self) -> Self:
        """The cell itself; a fault if its seeds, batches and encoding do not go together."""
        if len(set(self.seeds)) < len(self.seeds):
            raise fault("seeds has a value twice; allowed: each seed once")
        if self.batches and (self.regime == "fresh" or EPOCH % self.batches):
            raise fault(
                f"batches is {self.batches} with regime: {self.regime}; allowed: a divisor of "
                f"{EPOCH} with repeated, none with fresh"
            )
        if self.warm_start and self.encoding != "concatenated":
            raise fault(
                f"warm_start is {self.warm_start} with encoding: {self.encoding}; allowed: steps "
                "with concatenated, none with the other encodings"
            )
        mean = self.additive_mean
        sd = self.additive_sd
        is_additive = self.encoding == "additive"
        if (mean is not None) != is_additive or (sd is not None) != is_additive:
            raise fault(
                f"additive_mean and additive_sd are {mean} and {sd} with encoding: {self.encoding};"
                " allowed: numbers with additive, none with the other encodings"
            )
        return self

    def stream_names(self, kind: StreamKind, run: int) -> tuple[str, ...]:
        """The names of a run's stream of a kind; of data without the block: cells that differ in
        the model alone train on the same data, and variants start alike."""
        if kind is StreamKind.INITIAL:
            if self.one_start:
                run = 0
            return ("head_rank", "initial", self._architecture_in_words(), f"run={run}")
        if kind is StreamKind.DATA:
            sets = f"d={self.d},n={self.n},batch={self.batch}"
            return ("head_rank", "data", self.regime, sets, f"run={run}")
        return ("head_rank", "held-out", f"d={self.d},n={self.n}", f"run={run}")

    def _architecture_in_words(self) -> str:
        """The architecture's settings as a text, without variants and without those that are
        null."""
        names = [name for name in Architecture.model_fields if name not in Variant.model_fields]
        values = {name: getattr(self, name) for name in names}
        return ",".join(f"{name}={value}" for name, value in values.items() if value is not None)

    def has_shares(self, step: int) -> bool:
        """Whether the shares are recorded before a step, counted from 0."""
        if not self.shares:
            return False
        return any(
            step % every == 0 and (last is None or step <= last)
            for every, last in SHARES_EVERY.items()
        )

    def before_warm_start(self) -> "CellJob":
        """The network without an encoding whose weights this one begins with."""
        changes = {
            "encoding": "none",
            "d_e": None,
            "heads": self.d // self.rank,
            "steps": self.warm_start,
            "warm_start": None,
            "stop_after": None,
            "shares": None,
        }
        return self.model_copy(update=changes)

    def is_scored(self, epoch: int) -> bool:
        """Whether a curve has a point after an epoch, counted from 1: after the last, and back from
        there at equal distances."""
        epochs = self.run_steps // EPOCH
        return (epochs - epoch) % math.ceil(epochs / MOST_CURVE_POINTS) == 0

    def training_flops(self) -> int:
        """Floating-point operations of all steps of all runs; backward counts twice forward."""
        return 3 * self.flops() * self.batch * self.run_steps * len(self.seeds)

    def sets_at_once(self, device: str = "cpu") -> int:
        """Sets of a batch that go through the network together: gradients of the parts are added.

        The number depends on the cell and the kind of device alone, so that results do not depend
        on the machine.
        """
        in_memory = MOST_ACTIVATIONS // (self.activations() * len(self.seeds))
        in_cache = MOST_HIDDEN // (self.n * self.feed_forward)
        # A GPU computes many sets in the time of few, and waits for each part to be launched.
        most = min(in_memory, in_cache) if device == "cpu" else in_memory
        return max(1, min(self.batch, most))

    def memory_mb(self) -> int:
        """Megabytes that training asks for."""
        numbers = self.activations() * self.sets_at_once()
        # A block of batches, what it is made of, and one drawn ahead.
        numbers += 3 * STEPS_PER_BLOCK * self.d * self.n * self.batch
        # The parameters, their gradients and the optimizer's two moments.
        numbers += 5 * self.parameters()
        return START_MB + 4 * numbers * len(self.seeds) // 10**6

    def minutes(self, gigaflops: float) -> int:
        """Minutes that training asks for: three times its operations at a rate."""
        seconds = self.training_flops() / (1e9 * gigaflops)
        return START_MINUTES + int(3 * seconds / 60) + 1
