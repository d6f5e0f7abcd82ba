"""Faults of settings as sentences: where, what stands there, what is allowed."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from ..messages.words import SHOWN_CHARACTERS, counted, plain_or_quoted, short_repr, suggestion

Place = tuple[Any, ...]
"""Keys and indices that lead to a setting."""

Fault = tuple[Place, str]
"""A place, and a sentence."""

MOST_PER_PATH = 3

MOST_UNKNOWN = 20
"""Unknown keys of a mapping that have a sentence each: a suggestion takes its time."""

MOST_LINES = 100
"""Faults of one file that the text of an error has."""

MOST_DIGITS = 4000
"""Digits of a whole number; Python writes few more as text."""

TOO_LARGE = 10**MOST_DIGITS

UNKNOWN_KEY = "unknown key"
"""How a sentence on a key begins; most others are on its value."""

HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: it can be written to no file."""

UNWRITABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
"""Unicode's control characters but tab and newline, and what else XML has not: no program opens a
picture or a report that holds one."""


class ConfigError(ValueError):
    """Everything that is wrong with the settings, by the file or option in which it stands; one
    fault a line, MOST_LINES of a file at most."""

    def __init__(self, faults_by_source: Mapping[str, list[str]]):
        self.faults = [fault for faults in faults_by_source.values() for fault in faults]
        lines: list[str] = []
        for source, faults in faults_by_source.items():
            lines.append(f"{source}: {counted(len(faults), 'fault')}")
            lines += [f"  {fault}" for fault in faults[:MOST_LINES]]
            more = len(faults) - MOST_LINES
            if more > 0:
                lines.append(f"  and {more} more")
        super().__init__("\n".join(lines))


def fault(sentence: str) -> PydanticCustomError:
    """What a validator raises to have a sentence stand as it is, without the value."""
    return PydanticCustomError("fault", "{sentence}", {"sentence": sentence})


def below(faults: list[Fault]) -> ValidationError:
    """The error that a validator raises for all faults of a value, with their paths within it."""
    lines = [InitErrorDetails(type=fault(text), loc=path, input=None) for path, text in faults]
    return ValidationError.from_exception_data("settings", lines)


def faults_of(
    error: ValidationError, fields: Mapping[str, FieldInfo] | None = None, tagged: bool = False
) -> list[Fault]:
    """Each fault of a validation: of a mapping with these fields, or of a union, whose tag no path
    has; of unknown keys beyond MOST_UNKNOWN only how many there are."""
    faults: list[Fault] = []
    unknown = 0
    for entry in error.errors(include_url=False):
        path = entry["loc"]
        if entry["type"] == "extra_forbidden":
            unknown += 1
            if unknown > MOST_UNKNOWN:
                continue
        if entry["type"].startswith("union_tag"):
            path = (*path, entry["ctx"]["discriminator"].strip("'"))
        elif tagged:
            path = path[1:]
        elif path[-1:] == ("[key]",):  # of a mapping: its own place is before
            path = path[:-1]
        faults.append((path, _sentence(entry, fields or {})))
    if unknown > MOST_UNKNOWN:
        faults.append(((), f"has {unknown - MOST_UNKNOWN} more unknown keys"))
    return faults


def shortened(faults: list[Fault]) -> list[Fault]:
    """The first faults of each list, and a sentence on how many more it has."""
    faults_by_list: dict[Place, list[Fault]] = {}
    for path, text in faults:
        place = path[:-1] if path and isinstance(path[-1], int) else path
        faults_by_list.setdefault(place, []).append((path, text))
    first_faults: list[Fault] = []
    for place, faults_of_list in faults_by_list.items():
        first_faults += faults_of_list[:MOST_PER_PATH]
        more = len(faults_of_list) - MOST_PER_PATH
        if more > 0:
            first_faults.append((place, f"and {more} more such faults"))
    return first_faults


def unencodable_values(values: Any) -> list[Fault]:
    """Keys and values that no message and no file of results could state, each with its path."""
    faults: list[Fault] = []
    waiting: list[tuple[Place, Any]] = [((), values)]
    seen_ids: set[int] = set()
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str) and (why := _why_unencodable(value)):
            faults.append((path, f"{short_repr(value)} {why}"))
        elif isinstance(value, int) and abs(value) >= TOO_LARGE:
            faults.append((path, f"a number of more than {MOST_DIGITS} digits"))
        elif isinstance(value, list) and id(value) not in seen_ids:
            waiting += [((*path, k), entry) for k, entry in enumerate(value)]
        elif isinstance(value, dict) and id(value) not in seen_ids:
            for key, entry in value.items():
                place = (*path, key)
                if not isinstance(key, str):
                    faults.append((place, "key is no text; allowed: names, or text in quotes"))
                elif why := _why_unencodable(key):
                    faults.append((place, f"key {why}"))
                else:
                    waiting.append((place, entry))
        seen_ids.add(id(value))  # it may be an alias, perhaps of what it stands in
    return faults


def _why_unencodable(text: str) -> str:
    """Why no file of results could state a text, and what could stand there; empty if one could."""
    allowed = "allowed: Unicode text, with tabs and newlines but no other control characters"
    if HALF.search(text):
        return f"is no Unicode text; {allowed}"
    control = UNWRITABLE.search(text)
    if control:
        return f"has the character U+{ord(control[0]):04X}; {allowed}"
    return ""


def dotted(path: Place) -> str:
    """A path as text: ("panels", "fig4a", "sweep", "d", 2) becomes panels.fig4a.sweep.d[2]."""
    text = ""
    for part in path:
        if not isinstance(part, str):
            text += f"[{short_repr(part)}]"
        else:
            text += f".{plain_or_quoted(part)}" if text else plain_or_quoted(part)
    return text or "(top level)"


def _sentence(entry: ErrorDetails, fields: Mapping[str, FieldInfo]) -> str:
    """The sentence of a fault that pydantic found in a mapping with these fields."""
    message = entry["msg"]
    context = entry.get("ctx", {})
    match entry["type"]:
        case "fault":
            return message
        case "missing":
            description = _description(entry["loc"][-1], fields)
            return f"is missing ({description})" if description else "is missing"
        case "union_tag_not_found":
            return "is missing"
        case "extra_forbidden":
            allowed = [field.alias or name for name, field in fields.items() if _is_shown(field)]
            return f"{UNKNOWN_KEY}; {suggestion(str(entry['loc'][-1]), allowed)}"
        case "union_tag_invalid":
            tag = context["tag"]
            allowed = context["expected_tags"].replace("'", "").split(", ")
            return f"{short_repr(tag)} is unknown; {suggestion(tag[:SHOWN_CHARACTERS], allowed)}"
        case "float_type" if type(entry["input"]) is int:
            message = "should be a number below 10^308"
        case "literal_error":
            message = f"allowed: {context['expected']}"
        case "dict_type" | "model_type" | "model_attributes_type":
            message = "should be a mapping of keys to values"
        case "list_type" | "tuple_type":
            message = "should be a list"
    message = message.removeprefix("Input ").removeprefix("Value error, ")
    return f"{short_repr(entry['input'])} is not allowed; {message}"


def _is_shown(field: FieldInfo) -> bool:
    """Whether a field is one that people set: schemas leave out the others."""
    # For type checkers it is an alias.
    kinds = [type(entry) for entry in field.metadata]
    return SkipJsonSchema not in kinds


def _description(key: object, fields: Mapping[str, FieldInfo]) -> str | None:
    """The description of the field with a name or an alias; None where there is none."""
    for name, field in fields.items():
        if key in (name, field.alias):
            return field.description
    return None
