"""YAML read strictly: a duplicate key is an error, 1e6 is a number, errors name file and line."""

import re
from pathlib import Path
from typing import Any

import yaml


class YamlError(ValueError):
    """The file is no YAML, or says something twice; the text names file and line."""


class _StrictLoader(yaml.SafeLoader):
    """YAML's safe subset with numbers such as 1e6 (which YAML 1.1 reads as text)."""


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
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise YamlError(f"{path}: cannot be read: {error}") from error
    return parse_yaml(text, str(path))


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
    except YamlError:
        raise
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # The library's constructors let several kinds of error through.
        reason = str(error).replace("\n", " ")
        raise YamlError(f"{name}: not valid YAML: {reason}") from error


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
                    shown = repr(key.value) if isinstance(key, yaml.ScalarNode) else "a collection"
                    found.append(
                        (line, f"key {shown} is no text; allowed: names, or text in quotes")
                    )
                elif key.value in first:
                    earlier = first[key.value]
                    found.append((line, f"key {key.value!r} stands twice, first on line {earlier}"))
                else:
                    first[key.value] = line
    return [f"line {line}: {text}" for line, text in sorted(found)]
