"""What a model of the paper is: its parameters, points that give each a value, and what it can be
asked; models of attention among them.

Tokens of one type have equal rows of attention: a network's *distinct rows* stand for all n. D0 and
D1 are a model's two datasets, X = Q K^T, and m is the number of columns of random signs. A contest
says which networks must be positive, and which zero, for success.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, Field

from ....attention.distinct_rows import Rows, distinct_rows
from ....attention.threshold_curves import DatasetDraws, SignDraws
from ....datasets.dataset import Dataset
from ....settings.strict_model import Integer, StrictModel, one_of
from .contest import CONTEST_OF_PAPER, Contest

OVER_C = re.compile(r"c ?\+ ?(\d+(?:\.\d+)?)")

# Bounds far beyond any use keep every score finite and every array within memory.
Size = Annotated[Integer, Field(ge=1, le=10**12)]
Dimension = Annotated[Integer, Field(ge=1, le=10**6)]
MOST_COLUMNS = 10**6
Width = Annotated[Integer, Field(ge=1, le=MOST_COLUMNS)]
Trials = Annotated[Integer, Field(ge=1, le=10**12)]
Amplitude = Annotated[float, Field(ge=0, le=1000)]
Positive = Annotated[float, Field(ge=1e-6, le=1000)]
Probability = Annotated[float, Field(ge=1e-100, lt=1)]


LOGARITHMS: dict[str | int, Callable[[float], float]] = {
    "e": math.log,
    2: math.log2,
    10: math.log10,
}
ROUNDINGS: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "nearest": round,
    "ceil": math.ceil,
}


class MRule(StrictModel, title="rule for m"):
    """m computed from n: times log(n) or log(n/delta), made whole, and at least `at_least`."""

    log_of: Literal["n", "n/delta"] = Field(description="what the logarithm is taken of")
    base: Literal["e", 2, 10] = Field(default="e", description="base of the logarithm")
    times: Annotated[float, Field(gt=0, le=10**6)] = Field(default=1.0, description="factor C")
    round: Literal["floor", "nearest", "ceil"] = Field(description="how m is made whole")
    at_least: Width = Field(default=1, description="smallest m")

    def m(self, n: int, delta: float) -> int:
        """The number of sign columns for n tokens; delta is not read where log(n) is taken."""
        argument = n if self.log_of == "n" else n / delta
        exact = self.times * LOGARITHMS[self.base](argument)
        return max(ROUNDINGS[self.round](exact), self.at_least)


def _known_theta(text: str) -> str:
    """The text of a theta; ValueError unless it is such as "c + 0.1"."""
    if not OVER_C.fullmatch(text):
        raise ValueError("allowed: a number, or 'c + NUMBER' such as 'c + 0.1'")
    return text


if TYPE_CHECKING:
    Columns = int | MRule
    Theta = float | str
else:
    Columns = one_of(
        {"number": Width, "rule": MRule},
        lambda value: "rule" if isinstance(value, dict | MRule) else "number",
    )
    Theta = one_of(
        {"number": Positive, "text": Annotated[str, AfterValidator(_known_theta)]},
        lambda value: "text" if isinstance(value, str) else "number",
    )


Engine = Literal["reduced", "dense"]
"""How trials are computed: from distinct rows, or by the definitions."""
AttentionX = Literal["identity", "ones"]
"""X = Q K^T: the identity, or the all-ones matrix."""
Law = Literal["uniform", "two-point", "low", "middle", "high"]
"""Of Ax within [log n, 1.4 log n]."""


class Parameters(StrictModel):
    """Parameters that every model has; None where neither panel nor defaults give one."""

    n: Size | None = Field(default=None, description="number of tokens (or of entries of Ax)")
    m: Columns | None = Field(default=None, description="sign columns: a number or a rule")
    delta: Probability | None = Field(default=None, description="delta in log(n/delta), for m")
    data: DatasetDraws | None = Field(
        default=None, description="whether D0 and D1 share their random draws"
    )
    signs: SignDraws | None = Field(
        default=None, description="whether all networks of a trial share y"
    )


class AttentionParameters(Parameters):
    """Parameters that every model of attention has."""

    d: Dimension | None = Field(default=None, description="embedding dimension")
    a0: Amplitude | None = Field(default=None, description="size of the special entry in D0")
    a1: Amplitude | None = Field(default=None, description="size of the special entry in D1")


class Sweepable(NamedTuple):
    """A parameter that a panel can sweep: the type of its values, and what axes say of it."""

    type: Any
    symbol: str
    words: str = ""


SWEEPABLE = {
    "n": Sweepable(Size, "𝑛", "input length "),
    "d": Sweepable(Dimension, "𝑑", "embedding dimension "),
    "m": Sweepable(Width, "𝑚", "network width "),
    "a0": Sweepable(Amplitude, "𝑎₀", "size of the special entry in 𝐷₀, "),
    "a1": Sweepable(Amplitude, "𝑎₁", "size of the special entry in 𝐷₁, "),
    "b": Sweepable(Positive, "𝑏", "size of the class entries "),
    "c": Sweepable(Positive, "𝑐", "size of the last column "),
    "delta": Sweepable(Probability, "δ"),
    "tau": Sweepable(Positive, "τ", "threshold "),
    "theta": Sweepable(Positive, "τ/√log 𝑛", "threshold "),
}


ABSENT: Any = None
"""A parameter that a point's model does not have. Only code of a model reads its parameters, so
types do not mention it."""


@dataclass(frozen=True)
class Point:
    """One point of a panel: every parameter with its value; ABSENT where the model has none.

    `theta` is the threshold in units of s, which is 1 in softmax regression.
    """

    name: str
    swept: tuple[float, ...]
    n: int
    m: int
    theta: float
    s: float
    data: DatasetDraws
    signs: SignDraws
    d: int = ABSENT
    a0: float = ABSENT
    a1: float = ABSENT
    b: float = ABSENT
    c: float = ABSENT
    delta: float = ABSENT
    attention_x: AttentionX = ABSENT
    law: Law = ABSENT
    contest: Contest = CONTEST_OF_PAPER

    @property
    def tau(self) -> float:
        """The threshold, theta s."""
        return self.theta * self.s

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


def batch_key(point: Point) -> tuple:
    """What points must have in common for arrays to hold them together: d, X, the contest, and what
    trials share."""
    return point.d, point.attention_x, point.contest, point.data, point.signs


def batches(points: list[Point], key: Callable[[Point], tuple] = batch_key) -> list[list[Point]]:
    """The points in groups of those with the same key, by default those that arrays can hold
    together."""
    groups: dict[tuple, list[Point]] = {}
    for point in points:
        groups.setdefault(key(point), []).append(point)
    return list(groups.values())


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """One of the paper's models.

    Attributes
    ----------
    name : in configurations and tables
    title : above plots
    parameters : the type of its parameters in configurations
    has_maps : whether exact values come fast enough for maps over two parameters, and over the
        threshold that all networks share
    most_alternatives : points of a panel at which alternatives are evaluated, None for all
    titled_by : the parameter that titles state instead of listing it with the others
    """

    has_maps: ClassVar[bool]
    most_alternatives: ClassVar[int | None]
    titled_by: ClassVar[str]

    name: str
    title: str
    parameters: type[StrictModel]

    @property
    def words(self) -> str:
        """The model's name in text."""
        return self.name.replace("_", "-")

    @abstractmethod
    def check(self, n: int, d: int) -> None:
        """Raise ValueError unless there is a dataset of this size."""

    @abstractmethod
    def check_contest(self, contest: Contest) -> None:
        """Raise ValueError unless the model takes the contest's kernels."""

    def scale(self, n: int) -> float:
        """s, the unit of thresholds that are given as theta = tau / s."""
        return 1.0


LARGEST_A0 = 0.1
"""a0 lies below (Definition D.1)."""

SUM_TOLERANCE = 1e-9

NUMBERS_AT_ONCE = 1_000_000
"""States times rows worked on at once."""

MOST_ROWS = 3
"""Of a network."""


@dataclass(frozen=True, eq=False)
class AttentionModel(Dataset, Model):
    """A model whose networks stand on attention with any kernel: a dataset, and what is said of it.

    Attributes
    ----------
    least_a1 : a1 is at least so large by the datasets' definition
    range_words : what the definition asks of the parameters
    """

    has_maps = True
    most_alternatives = None
    titled_by = "attention_x"

    least_a1: float
    range_words: str

    @classmethod
    def on(cls, dataset: Dataset, **more: Any) -> "AttentionModel":
        """The model on a dataset; `more` are the model's attributes that the dataset has not."""
        return cls(**vars(dataset), **more)

    def check_contest(self, contest: Contest) -> None:
        """Attention takes every kernel."""

    def network_rows(self, points: Sequence[Point]) -> list[Rows]:
        """The distinct rows of attention of each network of a contest, at points of that contest
        that arrays can hold together."""
        types = [self.token_types(points, dataset) for dataset in (0, 1)]
        contest = points[0].contest
        return [
            distinct_rows(types[dataset], contest.kernel_of(kernel_name))
            for kernel_name, dataset in contest.networks
        ]

    def rows_of_kernels(self, point: Point, kernels: Sequence[str]) -> list[Rows]:
        """The distinct rows of attention at a point of some kernels of its contest, on D0 and then
        on D1; ArithmeticError where one has no weights."""
        rows = []
        for dataset in (0, 1):
            types = self.token_types([point], dataset)
            rows += [distinct_rows(types, point.contest.kernel_of(kernel)) for kernel in kernels]
        return rows

    def scale(self, n: int) -> float:
        """s = sqrt(log n)."""
        return math.sqrt(math.log(n))

    def allows(self, a0: float, a1: float, b: float, c: float) -> bool:
        """Whether the definition of the datasets allows the parameters; b and c may be ABSENT."""
        sum_is_one = b is None or abs(b + c - 1) < SUM_TOLERANCE
        return a0 < LARGEST_A0 and a1 >= self.least_a1 and sum_is_one


def batch_size(d: int) -> int:
    """The number of points of this d whose columns' states are worked on at once."""
    return max(NUMBERS_AT_ONCE // (8 * d * MOST_ROWS), 1)
