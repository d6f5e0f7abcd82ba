"""YAML read strictly: a duplicate key is an error, 1e6 is a number, errors name file and line."""

import re
from pathlib import Path
from typing import Any

import yaml

from .words import shown

MOST_DEPTH = 50
"""Most lists and mappings in each other; settings need seven."""


class YamlError(ValueError):
    """The file is no YAML, or says something twice; the text names file and line."""


class _StrictLoader(
    yaml.composer.Composer,
    yaml.cyaml.CParser,
    yaml.constructor.SafeConstructor,
    yaml.resolver.Resolver,
):
    """YAML's safe subset with numbers such as 1e6 (which YAML 1.1 reads as text).

    Events come from libyaml, six times as fast as the library's own parser.
    """

    depth = 0

    def __init__(self, text: str):
        yaml.cyaml.CParser.__init__(self, text)
        yaml.composer.Composer.__init__(self)
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        """As the library does, but depth has a bound: its time grows as the square."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            text = f"more than {MOST_DEPTH} lists and mappings in each other"
            raise yaml.composer.ComposerError(None, None, text, self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """As the library does; the other errors of its constructors name no line, this one does."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            text = f"{shown(node.value)} cannot be read as {node.tag.rpartition(':')[2]}: {error}"
            raise yaml.constructor.ConstructorError(None, None, text, node.start_mark) from error


_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def read_yaml(path: Path) -> Any:
    """The value a YAML file holds.

    Raises
    ------
    YamlError
        If the file cannot be read, is not YAML, or has a key twice in one mapping.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise YamlError(f"{path}: cannot be read: {error}") from error
    try:
        return parse_yaml(text.decode(), str(path))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise YamlError(f"{path}, line {line}: cannot be read: {error}") from error


def parse_yaml(text: str, name: str) -> Any:
    """The value of a YAML text; `name` stands for it in errors, which are those of `read_yaml`."""
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        wrong = _wrong_keys(node)
        if wrong:
            raise YamlError("\n".join(f"{name}, {fault}" for fault in wrong))
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(f"{name}{where}: not valid YAML: {what}") from error
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        what = f"character {chr(error.character)!a} is not allowed"
        raise YamlError(f"{name}, line {line}: not valid YAML: {what}") from error
    except UnicodeEncodeError as error:
        raise YamlError(f"{name}: {shown(text)} is no Unicode text") from error


def _wrong_keys(root: yaml.Node) -> list[str]:
    """Keys that stand twice in a mapping, or are no text, each with its line."""
    found, waiting, seen = [], [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:  # an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            first: dict[str, int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                waiting.append(value)
                if key.tag == "tag:yaml.org,2002:merge":
                    continue
                if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                    what = shown(key.value) if isinstance(key, yaml.ScalarNode) else "a collection"
                    found.append(
                        (line, f"key {what} is no text; allowed: names, or text in quotes")
                    )
                elif key.value in first:
                    earlier = first[key.value]
                    found.append(
                        (line, f"key {shown(key.value)} stands twice, first on line {earlier}")
                    )
                else:
                    first[key.value] = line
    return [f"line {line}: {text}" for line, text in sorted(found)]
