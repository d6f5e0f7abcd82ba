"""Faults of settings as sentences: where, what stands there, what is allowed."""

import difflib
import types
import typing
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

MOST_PER_PATH = 3


class ConfigError(ValueError):
    """Everything that is wrong with the settings; one fault a line."""

    def __init__(self, faults: list[str], source: str):
        self.faults = faults
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        super().__init__("\n".join([f"{source}: {count}", *(f"  {fault}" for fault in faults)]))


def sentences(error: ValidationError, model: type[BaseModel]) -> list[tuple[tuple, str]]:
    """Each fault of a validation as (path, sentence), paths as a person writes them."""
    found: dict[tuple, list[tuple[tuple, str]]] = {}
    for entry in error.errors(include_url=False):
        path, fields = _walk(entry["loc"], model)
        if entry["type"].startswith("union_tag"):
            path = (*path, entry["ctx"]["discriminator"].strip("'"))
        whole = path[:-1] if path and isinstance(path[-1], int) else path
        found.setdefault(whole, []).append((path, _sentence(entry, fields)))
    listed = []
    for path, faults in found.items():
        listed += faults[:MOST_PER_PATH]
        if len(faults) > MOST_PER_PATH:
            listed.append((path, f"and {len(faults) - MOST_PER_PATH} more such faults"))
    return listed


def dotted(path: tuple) -> str:
    """A path as text: ("panels", "fig4a", "sweep", "d", 2) is panels.fig4a.sweep.d[2]."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(top level)"


def suggestion(name: str, allowed: list[str]) -> str:
    """What may stand in a name's place, the likeliest first."""
    close = difflib.get_close_matches(name, allowed, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(allowed) or 'none'}"


def shown(value: Any) -> str:
    """A value as text, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
            return f"{shown(value)} is not allowed; allowed: {context['expected']}"
        case "union_tag_invalid":
            allowed = context["expected_tags"].replace("'", "").split(", ")
            return f"{context['tag']!r} is unknown; {suggestion(context['tag'], allowed)}"
        case "union_tag_not_found":
            return "is missing"
        case "grid":
            return entry["msg"]
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"{shown(value)} is not allowed; should be a mapping of keys to values"
        case "list_type":
            return f"{shown(value)} is not allowed; should be a list"
    message = entry["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return f"{shown(value)} is not allowed; {message}"


def _walk(loc: tuple, model: Any) -> tuple[tuple, dict[str, FieldInfo]]:
    """The path without the tags of unions, and the fields of the model that its last key is in."""
    path, fields, options = [], {}, [model]
    for part in loc:
        options = [inner for option in options for inner in _alternatives(option)]
        models = [o for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
        known = [m for m in models if _field(m, part)]
        containers = [o for o in options if typing.get_origin(o) in (dict, list)]
        if known or (containers and not models) or isinstance(part, int):
            options = [_field(m, part).annotation for m in known]
            options += [typing.get_args(o)[-1] for o in containers]
            fields = {k: f for m in known for k, f in m.model_fields.items()}
            path.append(part)
        elif part == loc[-1] and not _is_tag(part, models):
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
    """The values of `model` that choose this alternative of a union."""
    field = model.model_fields.get("model")
    return typing.get_args(field.annotation) if field else ()


def _alternatives(annotation: Any) -> list[Any]:
    """The types an annotation allows, without metadata and None."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _alternatives(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [a for option in typing.get_args(annotation) for a in _alternatives(option)]
    return [] if annotation is type(None) else [annotation]
