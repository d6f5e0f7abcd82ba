"""YAML read strictly: a duplicate key is an error, 1e6 is a number, errors name file and line."""

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer, ComposerError
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.cyaml import CParser
from yaml.resolver import Resolver

from .faults import ConfigError
from .words import short_repr

MOST_DEPTH = 50
"""Most lists and mappings in each other; settings need seven."""


class _StrictLoader(Composer, CParser, SafeConstructor, Resolver):
    """YAML's safe subset with numbers such as 1e6 (which YAML 1.1 reads as text).

    Events come from libyaml, six times as fast as the library's own parser.
    """

    def __init__(self, text: str):
        CParser.__init__(self, text)
        for base in (Composer, SafeConstructor, Resolver):
            base.__init__(self)
        self.depth = 0
        self.wrong_keys: list[tuple[int, str]] = []
        """Those that stand twice in a mapping, or are no text, each with its line."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        """As the library does, but depth has a bound: its time grows as the square."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            text = f"more than {MOST_DEPTH} lists and mappings in each other"
            raise ComposerError(None, None, text, self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        """As the library does, and looks at the keys."""
        node = super().compose_mapping_node(anchor)
        first: dict[str, int] = {}
        for key, _ in node.value:
            line, kind = key.start_mark.line + 1, key.tag.rpartition(":")[2]
            if kind not in ("str", "merge") or not isinstance(key, yaml.ScalarNode):
                what = short_repr(key.value) if isinstance(key, yaml.ScalarNode) else "a collection"
                text = f"key {what} is no text; allowed: names, or text in quotes"
                self.wrong_keys.append((line, text))
            elif kind == "str" and key.value in first:
                text = f"key {short_repr(key.value)} stands twice, first on line {first[key.value]}"
                self.wrong_keys.append((line, text))
            else:
                first[key.value] = line
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """As the library does; the other errors of its constructors name no line, this one does."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            text = (
                f"{short_repr(node.value)} cannot be read as {node.tag.rpartition(':')[2]}: {error}"
            )
            raise ConstructorError(None, None, text, node.start_mark) from error


_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def read_yaml(path: Path) -> Any:
    """The value a YAML file holds.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not YAML, or has a key twice in one mapping; each line names
        file and line.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error}"], path.name) from error
    try:
        return parse_yaml(text.decode(), str(path), path.name)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{path}, line {line}: cannot be read: {error}"], path.name) from error


def parse_yaml(text: str, name: str, source: str = "--config") -> Any:
    """The value of a YAML text; `name` stands for it in errors, which are those of `read_yaml`."""
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        if not loader.wrong_keys:
            return loader.construct_document(node) if node else None
        wrong = sorted(loader.wrong_keys)
        found = "\n".join(f"{name}, line {line}: {text}" for line, text in wrong)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        what = ", ".join(part for part in (error.context, error.problem) if part)
        found = f"{name}{where}: not valid YAML: {what}"
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        what = f"character {chr(error.character)!a} is not allowed"
        found = f"{name}, line {line}: not valid YAML: {what}"
    except UnicodeEncodeError:
        found = f"{name}: {short_repr(text)} is no Unicode text"
    raise ConfigError(found.splitlines(), source)
