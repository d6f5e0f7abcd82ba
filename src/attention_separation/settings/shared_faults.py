"""Faults that are written once, in what several settings share by YAML's anchors: told once."""

from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from ..messages.words import counted
from .faults import UNKNOWN_KEY, Fault, Place

Origin = tuple[Any, ...]
"""Where a fault is written; equal for places that share it."""


def told_once(
    faults: Iterable[Fault], documents: Sequence[yaml.Node], overrides: Any
) -> list[Fault]:
    """The faults, of those that are written in one place of the documents the first alone, which
    says how many share it. What overrides have put there is written in none."""
    places: dict[Origin, list[Place]] = {}
    for place, text in faults:
        is_over = _is_overridden(place, overrides)
        origin = (place,) if is_over else _origin(place, text, documents)
        places.setdefault((*origin, text), []).append(place)
    told: list[Fault] = []
    for (*_, text), (first, *others) in places.items():
        if others:
            text = f"{text}; and in {_counted(first, others)} it"
        told.append((first, text))
    return told


def _origin(place: Place, text: str, documents: Sequence[yaml.Node]) -> Origin:
    """Where the innermost that is written of a place stands, and what of the place is below it."""
    for number, document in enumerate(documents):
        key_node = node = document
        depth = 0
        for part in place:
            entry = _entry(node, part)
            if entry is None:
                break
            key_node, node = entry
            depth += 1
        if depth:
            is_of_key = depth == len(place) and text.startswith(UNKNOWN_KEY)
            mark = (key_node if is_of_key else node).start_mark
            return number, mark.line, mark.column, place[-1], place[depth:]
    return (place,)


def _entry(node: yaml.Node, part: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """The nodes of a key and its value in a mapping; in a list the item is both. None if there is
    no such entry."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key, value
    return None


def _is_overridden(place: Place, overrides: Any) -> bool:
    """Whether overrides have put something at a place, or above it in place of what was written."""
    for part in place:
        if not isinstance(overrides, dict):
            return True
        if part not in overrides:
            return False
        overrides = overrides[part]
    return True


def _counted(first: Place, others: Sequence[Place]) -> str:
    """How many others share something with the first: "8 scales that share"."""
    kind = "place"
    differing = {
        k
        for other in others
        for k in range(len(first))
        if len(other) == len(first) and other[k] != first[k]
    }
    if len(differing) == 1:
        above = first[: min(differing)][-1:]
        if above and str(above[0]).endswith("s"):
            kind = str(above[0]).removesuffix("s")
    return f"{counted(len(others), kind)} that {'shares' if len(others) == 1 else 'share'}"
