"""Every number of the settings has bounds, and what is beyond them is one sentence; at the bounds
a workflow is still planned."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import values

from attention_separation.config import Config, checked_config
from attention_separation.settings.faults import ConfigError
from attention_separation.settings.section_files import WrittenSettings

Path = tuple[str | int, ...]


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


def bounds_of(node: dict[str, Any]) -> tuple[float, float]:
    """The least and the largest that a number of a schema may be; what is excluded is moved by a
    little, and infinity stands for none."""
    least = node.get("minimum", node.get("ge", -math.inf))
    largest = node.get("maximum", node.get("le", math.inf))
    if "exclusiveMinimum" in node:
        least = math.nextafter(node["exclusiveMinimum"], math.inf)
    if "exclusiveMaximum" in node:
        largest = math.nextafter(node["exclusiveMaximum"], -math.inf)
    return least, largest


def places_of_numbers(values: Any, path: Path = ()) -> Iterator[Path]:
    """Where numbers stand in settings."""
    if isinstance(values, dict):
        for key, inner in values.items():
            yield from places_of_numbers(inner, (*path, key))
    elif isinstance(values, list):
        for index, inner in enumerate(values):
            yield from places_of_numbers(inner, (*path, index))
    elif isinstance(values, int | float) and not isinstance(values, bool):
        yield path


def kind_of(path: Path) -> Path:
    """A place's setting, whatever the panel, scale or grid, and wherever in a list."""
    return tuple(part for part in path[:1] + path[-3:] if isinstance(part, str))


NUMBERS = [*schema_numbers(Config.model_json_schema())]
SETTINGS = {kind_of(path): path for path in places_of_numbers(values())}
"""A place for each setting that is a number."""


SECTIONS = sorted(values())


def places_in(section: str) -> st.SearchStrategy[Path]:
    """Places of numbers in a section of the settings."""
    return st.sampled_from(sorted((p for p in SETTINGS.values() if p[0] == section), key=str))


PLACES = st.sampled_from(SECTIONS).flatmap(places_in)


BEYOND = (10**308, -(10**308), 1e308, -1e308, 10**400, math.nan, math.inf, -math.inf, 10**20)
LARGEST_SHOWN = 1000
"""Characters of a line about a fault."""


def changed(path: Path, value: float) -> dict[str, Any]:
    """config.yaml's values with another number at a place."""
    found = copy.deepcopy(values())
    node: Any = found
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = value
    return found


def plan(wanted: dict[str, Any]) -> None:
    """What Snakemake asks for while it reads the workflow; ConfigError for wrong settings."""
    config = checked_config(WrittenSettings("config.yaml", wanted, {}, []), {})
    for study in config.studies().values():
        for result in study.results.values():
            assert result.minutes > 0
            assert result.memory_mb > 0
            result.settings.digest()


def test_there_are_numbers_of_every_section():
    assert {path[0] for path in SETTINGS.values()} == values().keys()


def test_every_number_has_finite_bounds():
    for path, node in NUMBERS:
        least, largest = bounds_of(node)
        assert -1e18 <= least <= largest <= 1e18, (path, node)


@settings(max_examples=25)
@given(path=PLACES, value=st.sampled_from(BEYOND))
def test_what_is_beyond_the_bounds_is_one_sentence(path, value):
    with pytest.raises(ConfigError) as error:
        plan(changed(path, value))
    name = next(part for part in reversed(path) if isinstance(part, str))
    lines = [line for line in error.value.faults if name in line]
    assert lines, error.value
    assert all(len(line) < LARGEST_SHOWN for line in error.value.faults)
    for line in lines:
        assert str(value)[:10] in line
        assert "should be" in line or "allowed" in line


@settings(max_examples=25)
@given(path=PLACES, data=st.data())
def test_at_the_bounds_a_workflow_is_planned_or_a_sentence_says_why_not(path, data):
    ends = {end for _, node in NUMBERS for end in bounds_of(node)}
    value = data.draw(st.sampled_from(sorted(ends)))
    faults = []
    try:
        plan(changed(path, value))
    except ConfigError as error:
        faults = error.faults
    assert all(len(line) < LARGEST_SHOWN for line in faults)
