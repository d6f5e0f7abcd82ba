"""Building blocks of typed, closed settings: one text for equal ones, whole numbers, grids of
values."""

import hashlib
import json
import math
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

DIGEST_LENGTH = 16

MAX_VALUES = 100_000
"""Most values of one grid: beyond it, a step is most likely mistyped."""


def canonical_json(value) -> str:
    """One text for equal values: keys sorted, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """A short sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


class Closed(BaseModel):
    """Settings that know their keys: others are faults, as are NaN and values of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def canonical(self) -> str:
        """The one text of these settings: what a job is given, and what its digest is of."""
        return canonical_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))

    def digest(self) -> str:
        """Digest of these settings: what the files that a job makes of them carry."""
        return digest(self.canonical())


def _whole_float_to_int(value: Any) -> Any:
    """1e6 is a whole number to a person, a float to YAML."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


Whole = Annotated[int, BeforeValidator(_whole_float_to_int)]
Count = Annotated[Whole, Field(ge=1)]


class Range(Closed, title="range"):
    """from, from + step, ... up to and including `to` when hit; computed in decimals."""

    start: float = Field(alias="from", description="first value")
    to: float = Field(description="last value, included when the steps hit it")
    step: Annotated[float, Field(gt=0)] = Field(description="distance of neighbours")

    def numbers(self) -> list[Decimal]:
        """The values, exact as decimals: 0.1 + 2 * 0.036 is 0.172."""
        start, to, step = (Decimal(str(x)) for x in (self.start, self.to, self.step))
        if to < start:
            raise PydanticCustomError(
                "grid", "goes from {a} down to {b}; allowed: to >= from", {"a": start, "b": to}
            )
        count = int((to - start) / step) + 1
        if count > MAX_VALUES:
            raise PydanticCustomError(
                "grid",
                "has {n} values; allowed: at most {most}",
                {"n": count if count < 10**12 else f"{Decimal(count):.0e}", "most": MAX_VALUES},
            )
        return [start + step * k for k in range(count)]


def grid_values(grid: Any) -> list[float]:
    """The values of a grid, in its order: a list as it stands, a Range spelled out."""
    return [float(x) for x in grid.numbers()] if isinstance(grid, Range) else list(grid)


def _checked_grid(grid: Any) -> Any:
    """Every value is there once, and there is one."""
    values = grid_values(grid)
    if not values:
        raise PydanticCustomError("grid", "has no values; allowed: at least one")
    once(values)
    return grid


def once(values: list) -> list:
    """The values of a list; a fault where one stands twice."""
    if len(set(values)) < len(values):
        raise PydanticCustomError("grid", "has a value twice; allowed: each value once")
    return values


def _check_each(values: list[float], handler: Any) -> None:
    """The values of a range must be such as could stand in a list."""
    try:
        handler(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise PydanticCustomError(
            "grid",
            "makes the value {value}, which {why}",
            {"value": f"{first['input']:g}", "why": first["msg"].removeprefix("Input ")},
        ) from error


def _grid_kind(value: Any) -> str:
    return "<range>" if isinstance(value, dict | Range) else "<list>"


def grid_of(number: Any) -> Any:
    """Type of a grid whose values are of the type `number`: a list of them, or a Range."""

    def each_is_valid(grid: Any, handler: Any) -> Any:
        grid = handler(grid)
        if isinstance(grid, Range):
            _check_each(grid_values(grid), handler)
        return _checked_grid(grid)

    return Annotated[
        Annotated[Range, Tag("<range>")]
        | Annotated[list[number], Field(max_length=MAX_VALUES), Tag("<list>")],
        Discriminator(_grid_kind),
        WrapValidator(each_is_valid),
    ]


def thinned(values: list, most: int | None) -> list:
    """At most `most` of the values, evenly spread, first and last among them."""
    if most is None or len(values) <= most:
        return values
    if most == 1:
        return values[:1]
    last = len(values) - 1
    return [values[math.floor(k * last / (most - 1) + 0.5)] for k in range(most)]
