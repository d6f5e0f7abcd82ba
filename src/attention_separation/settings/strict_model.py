"""Building blocks of typed, closed settings: one text for equal ones, whole numbers, grids of
values, unions; how work is cut into jobs, and what a job is given."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, TypeVar, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    WrapValidator,
    model_validator,
)

from ..messages.words import short_repr, suggestion
from .faults import Fault, below, fault, faults_of

DIGEST_LENGTH = 16

MOST_SLICES = 1000

NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")
FOLDERS = (
    "panels", "exact", "figures", "tables", "slices", "logs", "benchmarks", "report", "head_rank",
    "needle", "cells", "checkpoints", "checks",
)  # fmt: skip
"""Folders of results: a scale of such a name would have its own among another's."""

MAX_VALUES = 100_000
"""Most values of one grid: beyond it, a step is most likely mistyped."""


def canonical_json(value: Any) -> str:
    """The JSON text of a value, the same for equal values: keys sorted, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """A short sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


class StrictModel(BaseModel):
    """Settings that know their keys: others are faults, as are NaN and values of another type."""

    # A job builds the validators of those settings alone that it reads.
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,
    )

    @model_validator(mode="wrap")
    @classmethod
    def _with_faults_in_words(cls, values: Any, handler: ModelWrapValidatorHandler) -> Any:
        """The validated model; its faults are put into words."""
        try:
            return handler(values)
        except ValidationError as error:
            raise below(faults_of(error, cls.model_fields)) from None

    def canonical(self) -> str:
        """The one text of these settings: what a job is given, and what its digest is of."""
        return canonical_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))

    def digest(self) -> str:
        """Digest of these settings: what the files that a job makes of them carry."""
        return digest(self.canonical())


class Scaled(StrictModel):
    """A section with sizes of its run, `scales`, one of which is its `scale`."""

    @model_validator(mode="wrap")
    @classmethod
    def _check_scale(cls, values: Any, handler: ModelWrapValidatorHandler) -> Any:
        """The validated section, whose `scale` has to be one of its `scales`. That fault is
        reported beside the section's others."""
        settings = values if isinstance(values, dict) else {}
        scale = settings.get("scale")
        scales = settings.get("scales")
        faults_of_scale: list[Fault] = []
        if isinstance(scale, str) and isinstance(scales, dict) and scale not in scales:
            hint = suggestion(scale[:50], list(scales))
            text = f"{short_repr(scale)} is not among the scales; {hint}"
            faults_of_scale.append((("scale",), text))
        try:
            section = handler(values)
        except ValidationError as error:
            raise below(faults_of(error) + faults_of_scale) from None
        if faults_of_scale:
            raise below(faults_of_scale)
        return section


def _whole_float_to_int(value: Any) -> Any:
    """A whole number as an int: 1e6 is one to a person, and a float to YAML."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def unique(values: Sequence) -> Sequence:
    """The values, checked: a fault where one stands twice."""
    for value, count in Counter(values).items():
        if count > 1:
            raise fault(f"has {short_repr(value)} twice; allowed: each value once")
    return values


def name_but(is_taken: Callable[[str], Any], by: str) -> AfterValidator:
    """The validator of a name that a user chooses. A name that is taken is a fault, which says by
    what (`by`)."""

    def checked(name: str) -> str:
        if not NAME_PATTERN.fullmatch(name):
            raise fault("is no name; allowed: at most 50 letters, digits and _, a letter first")
        if is_taken(name):
            raise fault(f"is the name of {by}; choose another")
        return name

    return AfterValidator(checked)


T = TypeVar("T")

Integer = Annotated[int, BeforeValidator(_whole_float_to_int)]
Count = Annotated[Integer, Field(ge=1)]
Several = Annotated[Integer, Field(ge=2)]
Seed = Annotated[Integer, Field(ge=0)]
"""The root of all random streams."""
Level = Annotated[float, Field(ge=1e-9, le=0.5)]
"""A chance of false verdicts."""

Name = Annotated[str, name_but(lambda name: False, "")]
ScaleName = Annotated[str, name_but(lambda name: name.lower() in FOLDERS, "a folder of results")]

Some = Annotated[list[T], Field(min_length=1)]
Distinct = Annotated[list[T], Field(min_length=1, max_length=100), AfterValidator(unique)]


End = Annotated[float, Field(ge=-1e15, le=1e15)]


class Range(StrictModel, title="range"):
    """from, from + step, ... up to and including `to` when hit; computed in decimals."""

    start: End = Field(alias="from", description="first value")
    to: End = Field(description="last value, included when the steps hit it")
    step: Annotated[float, Field(gt=0, le=1e15)] = Field(description="distance of neighbours")

    def numbers(self) -> list[Decimal]:
        """The values of the range, exact as decimals: 0.1 + 2 * 0.036 is 0.172."""
        start = Decimal(str(self.start))
        to = Decimal(str(self.to))
        step = Decimal(str(self.step))
        if to < start:
            raise fault(f"goes from {start} down to {to}; allowed: to >= from")
        count = int((to - start) / step) + 1
        if count > MAX_VALUES:
            shown = count if count < 10**12 else f"{Decimal(count):.0e}"
            raise fault(f"has {shown} values; allowed: at most {MAX_VALUES}")
        return [start + step * k for k in range(count)]


def grid_values(grid: Any) -> list[float]:
    """The values of a grid, in its order: a list as it stands, a Range spelled out."""
    return [float(x) for x in grid.numbers()] if isinstance(grid, Range) else list(grid)


def _each_is_valid(grid: Any, handler: Callable[[Any], Any]) -> Any:
    """The grid, checked: it has a value, none twice, and values of a range are such as could stand
    in a list."""
    grid = handler(grid)
    values = grid_values(grid)
    if isinstance(grid, Range):
        try:
            handler(values)
        except ValidationError as error:
            (index, *_), text = faults_of(error)[0]
            why = text.partition("; ")[2]
            raise fault(f"makes the value {values[index]:g}, which {why}") from None
    if not values:
        raise fault("has no values; allowed: at least one")
    unique(values)
    return grid


def _without_tag(value: Any, handler: Callable[[Any], Any]) -> Any:
    """The validated value of a union; faults in it have paths without the union's tag."""
    try:
        return handler(value)
    except ValidationError as error:
        raise below(faults_of(error, tagged=True)) from None


UNTAGGED = WrapValidator(_without_tag)
"""Of a union that is told by a tag: no path of a fault has the tag."""


def one_of(kinds: Mapping[str, Any], kind_of: Callable[[Any], str]) -> Any:
    """The union of some types. Faults of a value are those of the one type that is its kind."""
    tagged = tuple(Annotated[kind, Tag(name)] for name, kind in kinds.items())
    return Annotated[Union[tagged], Discriminator(kind_of), UNTAGGED]  # noqa: UP007


def grid_of(number: Any) -> Any:
    """The type of a grid whose values are of the type `number`: a list of them, or a Range."""
    kinds = {"range": Range, "list": Annotated[list[number], Field(max_length=MAX_VALUES)]}
    union = one_of(kinds, lambda value: "range" if isinstance(value, dict | Range) else "list")
    return Annotated[union, WrapValidator(_each_is_valid)]


def subsample(values: list[T], most: int | None) -> list[T]:
    """At most `most` of the values, evenly spread, the first and the last among them."""
    if most is None or len(values) <= most:
        return values
    if most == 1:
        return values[:1]
    last = len(values) - 1
    return [values[math.floor(k * last / (most - 1) + 0.5)] for k in range(most)]


class Jobs(StrictModel):
    """How work is cut into jobs; no result depends on it."""

    slice_seconds: Annotated[float, Field(ge=1, le=10**6)] = Field(
        description="trials estimated to take longer on one core are cut into slices, each a job"
    )
    slices: Annotated[Count, Field(le=MOST_SLICES)] | None = Field(
        default=None, description="slices of every panel, instead of by time"
    )
    local_below: Annotated[float, Field(ge=0, le=10**6)] = Field(
        description="on a cluster, jobs estimated to take fewer seconds run where snakemake does"
    )


class Job(StrictModel):
    """What a job depends on beside code and the contents of the files that it reads."""

    inputs: dict[str, list[str]] | None = None
    """By option, the digests of settings that the tables it reads must carry: looked up from the
    declarations of the jobs that make them."""


class TrainedCell(StrictModel):
    """What the table of a cell of trained networks depends on, whatever they are: one run per seed,
    trained as one ensemble."""

    name: str
    """As in its file's name."""
    seeds: Some[Seed]
    checkpoint_every: Count = 100
    """Steps between checkpoints; no result depends on it."""
    seed: Seed

    def result_settings(self) -> str:
        """The one text of the settings that numbers depend on."""
        return canonical_json(self.model_dump(mode="json", exclude={"checkpoint_every"}))
