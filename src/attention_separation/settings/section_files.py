"""Settings as they are written: config.yaml, and for a section that it lacks a file of its own,
config/NAME.yaml beside it, in which the section stands below its name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..messages.words import suggestion
from .faults import ConfigError, Place, dotted
from .yaml_file import Document, check_mapping, read_yaml

FOLDER = "config"
"""Where sections have files of their own, beside config.yaml."""


@dataclass(frozen=True)
class WrittenSettings:
    """What config.yaml and the files of sections say."""

    name: str
    """That of config.yaml."""
    values: dict[str, Any]
    """Sections and other settings, by key."""
    sources: dict[str, str]
    """The file of each section that config.yaml lacks, as messages name it; of one that has none
    both places in which it is missed."""
    unread: list[str]
    """Files of sections that config.yaml has itself: they are not read."""
    nodes: list[yaml.Node] = field(default_factory=list)
    """What is written in each file that is read."""

    def source_of(self, place: Place) -> str:
        """The file in which a fault stands, as messages name it."""
        return self.sources.get(place[0], self.name) if place else self.name

    def note(self) -> str:
        """A sentence on the files that are not read; empty where there are none."""
        if not self.unread:
            return ""
        return f"not read, as {self.name} has the section itself: {', '.join(self.unread)}"


def read_settings(path: Path, sections: Iterable[str]) -> WrittenSettings:
    """What config.yaml says, and of each of these sections that it lacks what the section's file
    says.

    Raises
    ------
    ConfigError
        If a file cannot be read, is not YAML, is empty or no mapping, or if a section's has another
        key than the section's.
    """
    document = _read_mapping(path, path.name)
    values = document.value
    nodes = [document.node]
    sources: dict[str, str] = {}
    unread: list[str] = []
    for section in sections:
        source = f"{FOLDER}/{section}.yaml"
        file = path.parent / source
        is_there = file.exists()
        if section in values:
            if is_there:
                unread.append(source)
        elif is_there:
            document = _read_section(file, section, source)
            values |= document.value
            nodes.append(document.node)
            sources[section] = source
        else:
            sources[section] = f"{path.name} or {source}"
    return WrittenSettings(path.name, values, sources, unread, [node for node in nodes if node])


def _read_section(file: Path, section: str, source: str) -> Document:
    """What a section's own file says: the section below its name; ConfigError if there is anything
    else."""
    document = _read_mapping(file, source)
    faults = [
        f"{dotted((key,))}: unknown key; {suggestion(key, [section])}"
        for key in document.value
        if key != section
    ]
    if faults:
        raise ConfigError({source: faults})
    return document


def _read_mapping(path: Path, source: str) -> Document:
    """The mapping that a YAML file holds."""
    document = read_yaml(path, source)
    if document.value is None:
        raise ConfigError({source: ["the file is empty"]})
    check_mapping(document.value, source)
    return document
