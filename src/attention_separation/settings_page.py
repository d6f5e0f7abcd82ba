"""A page of every setting, and the JSON schema of config.yaml, from the model."""

import argparse
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention_separation.config import Config
from attention_separation.results.files import write_text
from attention_separation.settings.closed import Closed

PAGE, SCHEMA = "settings.md", "config.schema.json"

INTRODUCTION = """# Settings

What [config.yaml](../config.yaml) can say. NAME stands for a name of your choice: at most 50
letters, digits and _, a letter first. Where the default is none, the setting can be left out. Whole
numbers can be written as 1e6. A file that breaks any of this is refused before anything runs.

Written by `make gallery`, with [config.schema.json](config.schema.json) for editors.
"""

LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""What pydantic calls limits that a validator precedes, and what JSON schema calls them."""

KINDS = {
    "integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def schema(model: type[Closed] = Config) -> dict[str, Any]:
    """The JSON schema of config.yaml: its form; what must hold between settings is not in it."""
    own = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_with_inheritance(_with_limits(model.model_json_schema(by_alias=True))),
    }
    return own | {"title": "config.yaml"}


def page(model: type[Closed] = Config) -> str:
    """The page of all settings as Markdown, a table for each mapping."""
    whole = schema(model)
    listing = _Listing(whole["$defs"])
    listing.table("", [("", whole)])
    return "\n".join([INTRODUCTION, *listing.lines])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--docs", required=True, type=Path, help="folder to write to")


def run(arguments: argparse.Namespace) -> None:
    texts = {PAGE: page(), SCHEMA: json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"}
    for name, text in texts.items():
        write_text(arguments.docs / name, text)


def _with_limits(part: Any) -> Any:
    if isinstance(part, dict):
        known = LIMITS if part.get("type") in ("integer", "number") else {}
        return {known.get(key, key): _with_limits(inner) for key, inner in part.items()}
    return [_with_limits(inner) for inner in part] if isinstance(part, list) else part


def _with_inheritance(part: Any) -> Any:
    """What is inherited is not required; forms told apart by it may then both fit."""
    if isinstance(part, list):
        return [_with_inheritance(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    own = {
        "anyOf" if key == "oneOf" else key: _with_inheritance(inner)
        for key, inner in part.items()
        if key != "discriminator"
    }
    properties = own.get("properties", {})
    if isinstance(own.get("required"), list):
        own["required"] = [k for k in own["required"] if "inherited" not in properties.get(k, {})]
    return own


@dataclass
class _Listing:
    """The page as it grows; a mapping that is described once is referred to from then on."""

    definitions: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """Where each definition is described."""

    def table(self, path: str, forms: list[tuple[str, dict]]) -> None:
        """A mapping: its settings, then the mappings in them. `forms` are what it can be, each with
        its model's name; a setting that not all of them have says whose it is."""
        self.lines += ["| setting | allowed | default | meaning |", "|---|---|---|---|"]
        # A form without a model is any of the others with less.
        every, forms = forms, [form for form in forms if _has_model(form)] or forms
        inner: list[tuple[str, list[str]]] = []
        for key, of in _settings(forms).items():
            for about, models in _alike(of):
                allowed, found = self.allowed(f"{path}.{key}".strip("."), about)
                whose = "" if len(models) == len(forms) else f" ({', '.join(models)})"
                required = all(
                    key in form.get("required", ())
                    for _, form in every
                    if key in form["properties"]
                )
                default = "required" if required else _value(about[0].get("default"))
                default = about[0].get("inherited", default)
                meaning = about[0].get("description", "")
                cells = [f"`{key}`{whose}", allowed, default, meaning]
                self.lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
                inner += found
        self.lines.append("")
        for place, names in inner:
            self.section(place, names)

    def section(self, path: str, names: list[str]) -> None:
        """The section on a mapping with one of some definitions."""
        self.lines += [f"## `{path}`", ""]
        whole = self.larger(names)
        if whole:
            links = ", ".join(dict.fromkeys(_link(self.places[name]) for name in whole))
            without = {
                key: None
                for name, other in zip(names, whole, strict=True)
                for key in self.definitions[other]["properties"]
                if key not in self.definitions[name]["properties"]
            }
            chosen = ", that of the model" if len(names) > 1 and "," in links else ""
            rest = f", without {', '.join(f'`{key}`' for key in without)}" if without else ""
            self.lines += [f"As {links}{chosen}{rest}.", ""]
            return
        forms = [(self.model(name), self.definitions[name]) for name in names]
        about = self.definitions[names[0]].get("description")
        if about and len(names) == 1:
            self.lines += [about.split("\n")[0], ""]
        self.table(path, forms)

    def model(self, name: str) -> str:
        """What a definition is told from its alternatives by."""
        own = self.definitions[name]["properties"].get("model", {})
        return own.get("const") or self.models.get(name, name)

    @property
    def models(self) -> dict[str, str]:
        """The model that each definition belongs to, where it stands below one."""
        return {
            inner: form["properties"]["model"]["const"]
            for form in self.definitions.values()
            if "const" in form["properties"].get("model", {})
            for entry in form["properties"].values()
            for inner in _references(entry)
        }

    def larger(self, names: list[str]) -> list[str]:
        """Definitions described already that hold all settings of these, one for each; or none."""
        found = []
        for name in names:
            own = self.definitions[name]["properties"].items()
            holding = [
                place
                for place in self.places
                if place not in names and own <= self.definitions[place]["properties"].items()
            ]
            found += holding[:1]
        return found if len(found) == len(names) else []

    def allowed(self, path: str, forms: list[dict]) -> tuple[str, list[tuple[str, list[str]]]]:
        """What a setting can be, as text, and the mappings in it: their paths and definitions."""
        names = list(dict.fromkeys(name for form in forms for name in _references(form)))
        if any("const" in form for form in forms):
            return ", ".join(f"`{form['const']}`" for form in forms), []
        found = []
        if names and not all(name in self.places for name in names):
            place = path + _steps(forms[0])
            title = self.definitions[names[0]]["title"]
            if title != names[0]:  # it has been given a name for people
                place = title
            self.places |= dict.fromkeys(names, place)
            found.append((place, names))
        return _text(forms[0], _link(self.places[names[0]]) if names else ""), found


def _settings(forms: list[tuple[str, dict]]) -> dict[str, list[tuple[str, dict]]]:
    """The settings of a mapping's forms, in order, each with what it is in each form."""
    found: dict[str, list[tuple[str, dict]]] = {}
    for model, form in forms:
        for key, about in form["properties"].items():
            found.setdefault(key, []).append((model, about))
    return found


def _alike(of: list[tuple[str, dict]]) -> list[tuple[list[dict], list[str]]]:
    """What a setting is, those together that a reader sees as one, with the models' names."""
    found: dict[str, tuple[list[dict], list[str]]] = {}
    for model, about in of:
        together = "$ref" in about or "const" in about
        key = "" if together else json.dumps(about, sort_keys=True)
        forms, models = found.setdefault(key, ([], []))
        forms.append(about)
        models.append(model)
    return list(found.values())


def _references(form: dict) -> list[str]:
    """Names of the definitions that a setting refers to."""
    if "$ref" in form:
        return [form["$ref"].rpartition("/")[2]]
    below = [*form.get("anyOf", ())]
    below += [form[key] for key in ("items", "additionalProperties") if form.get(key)]
    return [name for inner in below for name in _references(inner)]


def _has_model(form: tuple[str, dict]) -> bool:
    return "const" in form[1]["properties"].get("model", {})


def _steps(form: dict) -> str:
    """What stands between a setting's path and that of a mapping in it."""
    if isinstance(form.get("additionalProperties"), dict):
        return ".NAME"
    return "[]" if "items" in form else ""


def _text(form: dict, link: str) -> str:
    """What a setting can be; `link` leads to the mapping in it, if there is one."""
    choices = form.get("anyOf", ())
    if isinstance(form.get("additionalProperties"), dict):
        return f"{link} for each NAME"
    if "$ref" in form or (choices and all("$ref" in choice for choice in choices)):
        return link
    if choices:
        return " or ".join(_text(choice, link) for choice in choices if choice != {"type": "null"})
    if "const" in form:
        return f"`{form['const']}`"
    if "enum" in form:
        return ", ".join(f"`{value}`" for value in form["enum"])
    if form["type"] == "array":
        most = f"at most {_number(form['maxItems'])} " if "maxItems" in form else ""
        items = _text(form["items"], link)
        return f"list of {most}" + re.sub("^(whole number|number|text)", r"\1s", items)
    if "pattern" in form:
        return f"`{form['title']}`"
    kind = KINDS[form["type"]]
    limits = [
        f"{sign} {_number(form[key])}"
        for key, sign in (
            ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")
        )
        if key in form
    ]  # fmt: skip
    if form.keys() >= {"minimum", "maximum"}:
        limits = [f"from {_number(form['minimum'])} to {_number(form['maximum'])}"]
    return " ".join([kind, ", ".join(limits)]).strip()


def _number(value: float) -> str:
    """A limit as a person writes it: powers of ten as such."""
    digits = f"{value:e}".partition("e")
    exponent = int(digits[2])
    if float(digits[0]) == 1 and not -3 < exponent < 4:
        return f"10{str(exponent).translate(SUPERSCRIPTS)}"
    return f"{value:,}"


def _value(value: Any) -> str:
    if isinstance(value, dict) and all(inner is None for inner in value.values()):
        return "none"
    if isinstance(value, dict):
        return f"`{json.dumps(value)}`".replace('"', "")
    return "none" if value is None or value == [] else f"`{value}`"


def _link(path: str) -> str:
    """A link to a section, whose anchor is its heading without punctuation."""
    anchor = re.sub(r"[^\w ]", "", path.lower()).replace(" ", "-")
    return f"[`{path}`](#{anchor})"
