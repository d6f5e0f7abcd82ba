"""YAML read strictly: a duplicate key is an error, errors name file and line.

Numbers are read as YAML 1.2 has them, which is what they look like: 1e6 is one, 010 is ten, and
1:30 is a text. The library, which knows YAML 1.1, reads them as a text, as 8 and as 90.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.composer import Composer, ComposerError
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # it is there, says no stub
from yaml.resolver import Resolver

from ..messages.words import short_repr
from .faults import ConfigError

MOST_DEPTH = 50
"""Most lists and mappings in each other; settings need seven."""

MOST_VALUES = 10**6
"""Most values of an override, each counted wherever an alias puts it."""

INTEGER_TAG = "tag:yaml.org,2002:int"
FLOAT_TAG = "tag:yaml.org,2002:float"

INTEGER = re.compile(r"[-+]?[0-9][0-9_]*|0o[0-7]+|0x[0-9a-fA-F]+|0b[01]+")
FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


class _StrictLoader(Composer, CParser, SafeConstructor, Resolver):
    """YAML's safe subset with the numbers of YAML 1.2.

    Events come from libyaml, six times as fast as the library's own parser.
    """

    def __init__(self, text: str):
        CParser.__init__(self, text)
        for base in (Composer, SafeConstructor, Resolver):
            base.__init__(self)
        self.depth = 0
        self.wrong_keys: list[tuple[int, str]] = []
        """Those that stand twice in a mapping, or are no text, each with its line."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The node that the library composes; an error where more than MOST_DEPTH nodes lie in each
        other, since the time to compose them grows as the square."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            text = f"more than {MOST_DEPTH} lists and mappings in each other"
            event: Any = self.peek_event()
            raise ComposerError(None, None, text, event.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """The mapping that the library composes. Keys that stand twice, or are no text, are noted
        in `wrong_keys`."""
        node = super().compose_mapping_node(anchor)
        first: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            kind = key.tag.rpartition(":")[2]
            is_scalar = isinstance(key, yaml.ScalarNode)
            if kind not in ("str", "merge") or not is_scalar:
                shown = short_repr(key.value) if is_scalar else "a collection"
                text = f"key {shown} is no text; allowed: names, or text in quotes"
                self.wrong_keys.append((line, text))
            elif kind == "str" and key.value in first:
                text = f"key {short_repr(key.value)} stands twice, first on line {first[key.value]}"
                self.wrong_keys.append((line, text))
            else:
                first[key.value] = line
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge mappings as the library does, with each merged key once: where merges are merged
        again, their number would grow exponentially."""
        super().flatten_mapping(node)
        last = {key.value: (key, value) for key, value in node.value}
        node.value = list(last.values())

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """A whole number, in decimals unless it begins with 0o, 0x or 0b."""
        text = self.construct_scalar(node).replace("_", "")
        is_decimal = text.lstrip("-+").isdecimal()
        return int(text, 10 if is_decimal else 0)

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """The number that the library reads; an error for 1:30, which is a number in YAML 1.1
        alone."""
        if ":" in node.value:
            raise ValueError("allowed: decimals")
        return super().construct_yaml_float(node)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value that the library reads; its errors are raised again with the line, which they
        lack."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            text = (
                f"{short_repr(node.value)} cannot be read as {node.tag.rpartition(':')[2]}: {error}"
            )
            raise ConstructorError(None, None, text, node.start_mark) from error


def _with_numbers_of_yaml_1_2() -> None:
    """Set the loader to read numbers as YAML 1.2 has them."""
    forms_of_numbers = {INTEGER_TAG: INTEGER, FLOAT_TAG: FLOAT}
    # By the first character of a value: the tags that it may have, and what such values look like.
    resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for first, rules in Resolver.yaml_implicit_resolvers.items():
        resolvers[first] = [(tag, form) for tag, form in rules if tag not in forms_of_numbers]
    _StrictLoader.yaml_implicit_resolvers = resolvers
    for tag, form in forms_of_numbers.items():
        whole_value = re.compile(f"^(?:{form.pattern})$")
        _StrictLoader.add_implicit_resolver(tag, whole_value, list("-+.0123456789"))
    _StrictLoader.yaml_constructors = {
        **SafeConstructor.yaml_constructors,
        INTEGER_TAG: _StrictLoader.construct_yaml_int,
        FLOAT_TAG: _StrictLoader.construct_yaml_float,
    }


_with_numbers_of_yaml_1_2()


class Document(NamedTuple):
    """A YAML text as it is read, and as it is written: aliases share a node, and merged keys are
    nodes of what they are merged from."""

    value: Any
    node: yaml.Node | None


def read_yaml(path: Path, source: str) -> Document:
    """What a YAML file holds; `source` stands for the file at the head of errors.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not YAML, or has a key twice in one mapping; each line names
        file and line.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError({source: [f"{path}: cannot be read: {error}"]}) from error
    try:
        return _parsed(text.decode(), str(path), source)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        fault = f"{path}, line {line}: cannot be read: {error}"
        raise ConfigError({source: [fault]}) from error


def parse_yaml(text: str, name: str, source: str = "--config") -> Any:
    """The value of a YAML text; `name` stands for it in errors, which are those of `read_yaml`."""
    return _parsed(text, name, source).value


def _parsed(text: str, name: str, source: str) -> Document:
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        if not loader.wrong_keys:
            return Document(loader.construct_document(node) if node else None, node)
        wrong_keys = sorted(loader.wrong_keys)
        faults = "\n".join(f"{name}, line {line}: {text}" for line, text in wrong_keys)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        faults = f"{name}{place}: not valid YAML: {problem}"
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        problem = f"character {chr(error.character)!a} is not allowed"
        faults = f"{name}, line {line}: not valid YAML: {problem}"
    except UnicodeEncodeError:
        faults = f"{name}: {short_repr(text)} is no Unicode text"
    raise ConfigError({source: faults.splitlines()})


def check_mapping(value: Any, source: str) -> None:
    """Raise ConfigError if a value is no mapping."""
    if not isinstance(value, dict):
        raise ConfigError({source: [f"{short_repr(value)} is no mapping of settings"]})


def check_extent(value: Any, name: str, source: str) -> None:
    """Raise ConfigError if a value contains itself, nests deeper than MOST_DEPTH lists and
    mappings, or has more than MOST_VALUES values; `name` stands for it in the error. Each value is
    counted wherever it stands: aliases of aliases multiply."""
    extents: dict[int, tuple[int, int]] = {}

    def extent(inner: Any, depth: int) -> tuple[int, int]:
        """How many values there are, and how many lists and mappings in each other."""
        if not isinstance(inner, dict | list):
            return 1, 0
        if id(inner) in extents:
            return extents[id(inner)]
        if depth > MOST_DEPTH:
            # A value that contains itself ends here.
            return 1, MOST_DEPTH + 1
        size = 1
        height = 0
        for child in inner.values() if isinstance(inner, dict) else inner:
            child_size, child_height = extent(child, depth + 1)
            size += child_size
            height = max(height, child_height)
        extents[id(inner)] = size, height + 1
        return extents[id(inner)]

    size, height = extent(value, depth=1)
    if height > MOST_DEPTH:
        text = f"more than {MOST_DEPTH} lists and mappings in each other, or one in itself"
        raise ConfigError({source: [f"{name}: {text}"]})
    if size > MOST_VALUES:
        text = f"more than {MOST_VALUES} values, each counted wherever an alias puts it"
        raise ConfigError({source: [f"{name}: {text}"]})
