"""Faults of settings as sentences: where, what stands there, what is allowed."""

import re
import types
import typing
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from .words import MOST_SHOWN, plain_or_quoted, shown, suggestion

Fault = tuple[tuple, str]
"""A path and a sentence."""

MOST_PER_PATH = 3
MANY_NAMES = 12
"""Of more allowed names than this, the likeliest is told first."""

MOST_DIGITS = 4000
"""Digits of a whole number; Python writes few more as text."""

TOO_LARGE = 10**MOST_DIGITS


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")
FOLDERS = (
    "panels", "exact", "figures", "tables", "slices", "logs", "benchmarks", "report", "head_rank",
    "needle", "cells", "checkpoints",
)  # fmt: skip
"""Folders of results: a scale of such a name would have its own among another's."""

NO_NAME = "is no name; allowed: at most 50 letters, digits and _, a letter first"


class ConfigError(ValueError):
    """Everything that is wrong with the settings; one fault a line."""

    def __init__(self, faults: list[str], source: str):
        self.faults = faults
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        super().__init__("\n".join([f"{source}: {count}", *(f"  {fault}" for fault in faults)]))


def several(faults: list[Fault]) -> PydanticCustomError:
    """One error for all faults of what a validator sees, with their paths below it."""
    text = "; ".join(f"{dotted(path)}: {text}" for path, text in faults)
    return PydanticCustomError("several", "{text}", {"text": text, "faults": faults})


def sentences(error: ValidationError, model: type[BaseModel]) -> list[Fault]:
    """Each fault of a validation as (path, sentence), paths as a person writes them."""
    found: dict[tuple, list[Fault]] = {}
    for entry in error.errors(include_url=False):
        path, fields = _walk(entry["loc"], model, entry["type"] == "extra_forbidden")
        if entry["type"].startswith("union_tag"):
            path = (*path, entry["ctx"]["discriminator"].strip("'"))
        if entry["type"] == "several":
            faults = [((*path, *below), text) for below, text in entry["ctx"]["faults"]]
        else:
            faults = [(path, _sentence(entry, fields))]
        for place, text in faults:
            whole = place[:-1] if place and isinstance(place[-1], int) else place
            found.setdefault(whole, []).append((place, text))
    return [fault for path, faults in found.items() for fault in shortened(path, faults)]


def shortened(path: tuple, faults: list[Fault]) -> list[Fault]:
    """The first faults of a list that stands at `path`, and how many more there are."""
    more = len(faults) - MOST_PER_PATH
    rest = [(path, f"and {more} more such faults")] if more > 0 else []
    return faults[:MOST_PER_PATH] + rest


def unsayable(values: Any) -> list[Fault]:
    """Keys and values that no message and no file of results could state, each with its path."""
    found, waiting, seen = [], [((), values)], set()
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict | list):
            if id(value) in seen:  # an alias, perhaps of what it stands in
                continue
            seen.add(id(value))
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            for key, entry in inner:
                if isinstance(value, dict) and not isinstance(key, str):
                    text = "key is no text; allowed: names, or text in quotes"
                    found.append(((*path, key), text))
                elif isinstance(key, str) and not _is_unicode(key):
                    found.append(((*path, key), "key is no Unicode text"))
                else:
                    waiting.append(((*path, key), entry))
        elif isinstance(value, str) and not _is_unicode(value):
            found.append((path, f"{shown(value)} is no Unicode text"))
        elif isinstance(value, int) and abs(value) >= TOO_LARGE:
            found.append((path, f"a number of more than {MOST_DIGITS} digits"))
    return found


def scale_faults(section: Any) -> list[Fault]:
    """Faults of the names of scales, and of the one that is chosen, in a section that has them."""
    if not isinstance(section, dict) or not isinstance(section.get("scales"), dict):
        return []
    found = []
    for name in section["scales"]:
        if not NAME.fullmatch(name):
            found.append((("scales", name), NO_NAME))
        elif name.lower() in FOLDERS:
            text = "is the name of a folder of results; choose another"
            found.append((("scales", name), text))
    scale = section.get("scale")
    if isinstance(scale, str) and scale not in section["scales"]:
        hint = suggestion(scale[:50], list(section["scales"]))
        found.append((("scale",), f"{shown(scale)} is not among the scales; {hint}"))
    return found


def _is_unicode(text: str) -> bool:
    """Whether a text can be written to a file; half of a surrogate pair cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def dotted(path: tuple) -> str:
    """A path as text: ("panels", "fig4a", "sweep", "d", 2) is panels.fig4a.sweep.d[2]."""
    text = ""
    for part in path:
        if not isinstance(part, str):
            text += f"[{shown(part)}]"
        else:
            text += f".{plain_or_quoted(part)}" if text else plain_or_quoted(part)
    return text or "(top level)"


def _sentence(entry: dict[str, Any], fields: dict[str, FieldInfo]) -> str:
    value, context = entry["input"], entry.get("ctx", {})
    match entry["type"]:
        case "missing":
            name = entry["loc"][-1]
            about = next((f.description for n, f in fields.items() if name in (n, f.alias)), None)
            return f"is missing{f' ({about})' if about else ''}"
        case "extra_forbidden":
            allowed = [field.alias or name for name, field in fields.items()]
            return f"unknown key; {suggestion(entry['loc'][-1], allowed)}"
        case "literal_error":
            names = re.findall(r"'([^']+)'", context["expected"])
            if isinstance(value, str) and len(names) > MANY_NAMES:
                return f"{shown(value)} is unknown; {suggestion(value[:MOST_SHOWN], names)}"
            return f"{shown(value)} is not allowed; allowed: {context['expected']}"
        case "union_tag_invalid":
            allowed = context["expected_tags"].replace("'", "").split(", ")
            tag = context["tag"]
            return f"{shown(tag)} is unknown; {suggestion(tag[:MOST_SHOWN], allowed)}"
        case "union_tag_not_found":
            return "is missing"
        case "grid" | "cell" | "contest" | "kernel":
            return entry["msg"]
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"{shown(value)} is not allowed; should be a mapping of keys to values"
        case "list_type" | "tuple_type":
            return f"{shown(value)} is not allowed; should be a list"
    message = entry["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return f"{shown(value)} is not allowed; {message}"


def _walk(loc: tuple, model: Any, unknown: bool) -> tuple[tuple, dict[str, FieldInfo]]:
    """The path without the tags of unions, and the fields of the model that its last key is in.

    An `unknown` key is the last part, whatever tag it looks like.
    """
    path, fields, options = [], {}, [model]
    for place, part in enumerate(loc, 1):
        options = [inner for option in options for inner in _alternatives(option)]
        models = [o for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
        known = [m for m in models if _field(m, part)]
        containers = [o for o in options if typing.get_origin(o) in (dict, list)]
        if known or (containers and not models) or isinstance(part, int):
            options = [_field(m, part).annotation for m in known]
            options += [typing.get_args(o)[-1] for o in containers]
            fields = {k: f for m in known for k, f in m.model_fields.items()}
            path.append(part)
        elif place == len(loc) and (unknown or not _is_tag(part, models)):
            fields = {k: f for m in models for k, f in m.model_fields.items()}
            path.append(part)
        else:
            options = [m for m in models if part in _tags(m)] or options
    return tuple(path), fields


def _field(model: type[BaseModel], name: Any) -> FieldInfo | None:
    for key, field in model.model_fields.items():
        if name in (key, field.alias):
            return field
    return None


def _is_tag(part: Any, models: list[type[BaseModel]]) -> bool:
    """Whether a part of a location names the alternative of a union, not a key."""
    if str(part).startswith("<"):
        return True
    if len(models) == 1:  # an alternative is chosen once
        return False
    return any(part in _tags(model) for model in models)


def _tags(model: type[BaseModel]) -> tuple:
    """The values of `model` that choose this alternative of a union, or its own TAG."""
    field = model.model_fields.get("model")
    if field:
        return typing.get_args(field.annotation)
    return (model.TAG,) if hasattr(model, "TAG") else ()


def _alternatives(annotation: Any) -> list[Any]:
    """The types an annotation allows, without metadata and None."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _alternatives(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [a for option in typing.get_args(annotation) for a in _alternatives(option)]
    return [] if annotation is type(None) else [annotation]
