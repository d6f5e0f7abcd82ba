"""A page of every setting, and the JSON schema of the files of settings, from the model."""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .config import Config
from .messages.words import joined
from .results.files import write_text
from .settings.strict_model import StrictModel

PAGE = "settings.md"
SCHEMA = "config.schema.json"

INTRODUCTION = """# Settings

What [config.yaml](../config.yaml) and the files of [config/](../config) can say, section
by section: a dot leads into a mapping, [] into each entry of a list. NAME stands for a name of your
choice: at most 50 letters, digits and _, a letter first. What is not required can be left out.
Whole numbers can be written as 1e6. A file that breaks any of this is refused before anything runs.

Written by `make gallery`, with [config.schema.json](config.schema.json) for editors."""
HEAD = """
## `{}`

| setting | allowed | default | meaning |
|---|---|---|---|"""

LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""What pydantic calls limits that a validator precedes, and what JSON schema calls them."""

SIGNS_OF_LIMITS = dict(zip(LIMITS.values(), "≥>≤<", strict=True))
MOST_LISTED_VALUES = 30
"""Of as many names only kernels are there; they have a page of their own."""

WORDS_OF_TYPE = {"integer": "whole number", "string": "text", "boolean": "true or false"}


def schema(model: type[StrictModel] = Config) -> dict[str, Any]:
    """The JSON schema of config.yaml and of each file of config/: their form. What must hold
    between settings is not in it, nor which sections there must be, for no file has them all."""
    version = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    form = version | _whole_form(model) | {"title": "config.yaml and config/NAME.yaml"}
    del form["required"]
    return form


def _whole_form(model: type[StrictModel]) -> dict[str, Any]:
    """The schema of all settings together."""
    return _standard(model.model_json_schema(by_alias=True))


def _standard(part: Any) -> Any:
    """A part of pydantic's schema in the words of the JSON schema standard. What is inherited is
    not required; forms that are told apart by it may then both fit."""
    if isinstance(part, list):
        return [_standard(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    words = {"oneOf": "anyOf"}
    if part.get("type") in ("integer", "number"):
        words |= LIMITS
    form = {}
    for key, inner in part.items():
        if key != "discriminator":
            form[words.get(key, key)] = _standard(inner)
    properties = form.get("properties", {})
    if isinstance(form.get("required"), list):
        form["required"] = [
            key for key in form["required"] if "inherited" not in properties.get(key, {})
        ]
    return form


class Setting(NamedTuple):
    """A setting's row on the page."""

    path: str
    allowed: str
    default: str
    description: str


def page(model: type[StrictModel] = Config) -> str:
    """The page of all settings as Markdown: a table for each section."""
    whole = _whole_form(model)
    lines = [INTRODUCTION]
    for setting in _settings("", [whole], whole["$defs"], {}):
        section, _, below = setting.path.partition(".")
        if not below:
            lines.append(HEAD.format(section))
        cells = [f"`{setting.path}`", setting.allowed, setting.default, setting.description]
        row = " | ".join(cell.replace("|", "/") for cell in cells)
        lines.append(f"| {row} |".replace(f"`{section}.", "`"))
    return "\n".join([*lines, ""])


def _settings(
    path: str, forms: list[dict], definitions: dict[str, dict], places: dict[str, str]
) -> Iterator[Setting]:
    """The row of each setting in any of these forms of a mapping, and of the settings within
    them. A mapping is described once; `places` has the path at which it is, and grows."""
    for key in dict.fromkeys(key for form in forms for key in form["properties"]):
        forms_with_key = [form for form in forms if key in form["properties"]]
        entries = [form["properties"][key] for form in forms_with_key]
        mappings: dict[str, str] = {}
        words: list[str] = []
        for entry in entries:
            words += _words(f"{path}{key}", entry, mappings)
        allowed = _joined(words)
        new = {name: place for name, place in mappings.items() if name not in places}
        if mappings and not new:
            allowed = allowed.replace("mapping", f"mapping as `{places[next(iter(mappings))]}`")
        required = all(key in form.get("required", ()) for form in forms_with_key)
        default = "required" if required else _value(entries[0].get("default"))
        default = entries[0].get("inherited", default)
        yield Setting(f"{path}{key}", allowed, default, entries[0].get("description", ""))
        places |= new
        for place in dict.fromkeys(new.values()):
            forms_within = [definitions[name] for name in new if new[name] == place]
            yield from _settings(f"{place}.", forms_within, definitions, places)


def _words(path: str, form: dict, mappings: dict[str, str]) -> Iterator[str]:
    """The words for what a setting can be, each a value or a few words. The definitions that it
    refers to are added to `mappings`, each with the path of what is so defined."""
    kind = form.get("type")
    if "anyOf" in form:
        for choice in form["anyOf"]:
            yield from _words(path, choice, mappings)
    elif "$ref" in form:
        mappings[form["$ref"].rpartition("/")[2]] = path
        yield "mapping"
    elif "const" in form or "enum" in form:
        values = form.get("enum") or [form["const"]]
        is_kernels = len(values) > MOST_LISTED_VALUES
        yield from ["a [kernel](kernels.md)"] if is_kernels else (f"`{value}`" for value in values)
    elif "pattern" in form:
        yield f"`{form['title']}`"
    elif kind == "array":
        most = f", at most {form['maxItems']:,}" if "maxItems" in form else ""
        yield f"list{most}: {_joined(_words(f'{path}[]', form['items'], mappings))}"
    elif kind == "object":
        inner = _words(f"{path}.NAME", form["additionalProperties"], mappings)
        yield f"for each NAME: {_joined(inner)}"
    elif kind != "null":
        limits = [
            f" {sign} {form[key]:,.15g}" for key, sign in SIGNS_OF_LIMITS.items() if key in form
        ]
        text = form.get("format") or WORDS_OF_TYPE.get(str(kind), str(kind))
        yield text + " and".join(limits)


def _joined(choices: Iterable[str]) -> str:
    """Choices in words, each once: "a, b or c"."""
    return joined([*dict.fromkeys(choices)], "or")


def _value(value: Any) -> str:
    """A default as YAML has it, less what is null in it."""
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner is not None}
    return "none" if value is None else f"`{json.dumps(value)}`".replace('"', "")


def settings_command(parser: argparse.ArgumentParser) -> None:
    """A page of every setting, and the JSON schema of the files of settings, from the model."""
    parser.add_argument("--docs", required=True, type=Path, help="folder to write to")
    parser.set_defaults(run=_write)


def _write(arguments: argparse.Namespace) -> None:
    """Write the page of settings and the JSON schema into docs/."""
    texts = {PAGE: page(), SCHEMA: json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"}
    for name, text in texts.items():
        write_text(arguments.docs / name, text)
