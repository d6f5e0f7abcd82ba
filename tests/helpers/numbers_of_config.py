"""The numbers of config.yaml, one for each setting, with the bounds that its schema has for it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attention_separation.config import Config

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Bounds:
    """Of a number: the least and the largest that is allowed; None where the schema has none."""

    least: float | None
    largest: float | None
    is_whole: bool

    @property
    def are_finite(self) -> bool:
        ends = (self.least, self.largest)
        return all(end is not None and math.isfinite(end) for end in ends)


def bounds_of(node: dict[str, Any]) -> Bounds:
    """What a node of a schema, of type integer or number, says; a bound that is excluded is moved
    by a little."""
    is_whole = node["type"] == "integer"
    least, largest = (node.get(f"{end}imum", node.get(key)) for end, key in ENDS)
    if "exclusiveMinimum" in node:
        least = math.nextafter(node["exclusiveMinimum"], math.inf)
    if "exclusiveMaximum" in node:
        largest = math.nextafter(node["exclusiveMaximum"], -math.inf)
    return Bounds(least, largest, is_whole)


ENDS = (("min", "ge"), ("max", "le"))


def schema_numbers(node: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every node of a schema that is a free number, with where it stands."""
    if isinstance(node, dict):
        if node.get("type") in ("integer", "number") and not {"enum", "const"} & node.keys():
            yield path, node
        for key, inner in node.items():
            yield from schema_numbers(inner, (*path, key))
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            yield from schema_numbers(inner, (*path, index))


def config_numbers(values: Any, path: Path = ()) -> Iterator[tuple[Path, float]]:
    """Every number that stands in settings, with its path."""
    if isinstance(values, dict):
        for key, inner in values.items():
            yield from config_numbers(inner, (*path, key))
    elif isinstance(values, list):
        for index, inner in enumerate(values):
            yield from config_numbers(inner, (*path, index))
    elif isinstance(values, int | float) and not isinstance(values, bool):
        yield path, values


def kind_of(path: Path) -> Path:
    """Its setting, whatever the panel, scale or grid, and wherever in a list."""
    return tuple(part for part in path[:1] + path[-3:] if isinstance(part, str))


SCHEMA = Config.model_json_schema()
