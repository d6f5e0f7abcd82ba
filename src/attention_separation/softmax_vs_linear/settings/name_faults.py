"""Names in the settings that refer to nothing, or cannot name a rule, a file or a folder."""

import re
from typing import Any

from attention_separation.settings.faults import shortened
from attention_separation.settings.scale_faults import NAME, NO_NAME, scale_faults
from attention_separation.settings.words import shown, suggestion

from ..models import MODELS
from .inherited import BY_MODEL, MOST_PANELS

RULE_NAME = re.compile(
    r"all|report|overview|provenance|gallery|manifest|check|verdicts|claims|whp|choices"
    r"|threshold|theta|phase|figure|kernel_.*"
    r"|(simulate|slice|exact|rank|kernels|needle)(_.*)?"
)


def name_faults(values: dict[str, Any]) -> list[tuple[tuple, str]]:
    """Names that refer to nothing, or cannot name a rule or a file; sections that are none pass."""
    sections = {
        key: values[key]
        for key in ("phase", "figures", "panels")
        if isinstance(values.get(key), dict)
    }
    found = scale_faults(values)
    taken: dict[str, str] = {}
    for section, entries in sections.items():
        for name in entries:
            if not NAME.fullmatch(name):
                found.append(((section, name), NO_NAME))
            elif section == "phase":
                continue
            elif RULE_NAME.fullmatch(name):
                found.append(((section, name), "is the name of a rule; choose another"))
            elif name.lower() in taken:
                text = f"makes the files of {taken[name.lower()]} too; choose another name"
                found.append(((section, name), text))
            taken.setdefault(name.lower(), f"{section}.{name}")
    if "panels" in sections:
        for name, figure in sections.get("figures", {}).items():
            found += _figure_faults(name, figure, list(sections["panels"]))
            found += _sharing_faults(name, figure)
    return found + _reconstructed_faults(values)


def _figure_faults(name: str, figure: Any, panels: list[str]) -> list[tuple[tuple, str]]:
    listed = figure.get("panels") if isinstance(figure, dict) else None
    path = ("figures", name, "panels")
    found = []
    # A longer list has been found fault with for its length.
    listed = listed[:MOST_PANELS] if isinstance(listed, list) else []
    for index, panel in enumerate(listed):
        if isinstance(panel, str) and panel not in panels:
            text = f"no panel {shown(panel)}; {suggestion(panel[:50], panels)}"
            found.append(((*path, index), text))
        elif panel in listed[:index]:
            text = f"{shown(panel)} stands there already; allowed: each panel once"
            found.append(((*path, index), text))
    return shortened(path, found)


def _sharing_faults(name: str, figure: Any) -> list[tuple[tuple, str]]:
    """What panels share is of one model."""
    if not isinstance(figure, dict) or figure.get("model") is not None:
        return []
    shared = [key for key in BY_MODEL if figure.get(key)]
    if not shared:
        return []
    text = f"is missing; panels share {', '.join(shared)} with those of their own model"
    return [(("figures", name, "model"), text)]


def _reconstructed_faults(values: dict[str, Any]) -> list[tuple[tuple, str]]:
    """Names under `reconstructed`, of models, figures and panels, that are no parameters."""
    models = values.get("models") if isinstance(values.get("models"), dict) else {}
    places = [(("models", model), model, entry) for model, entry in models.items()]
    places += [
        ((section, name), entry.get("model"), entry)
        for section in ("figures", "panels")
        if isinstance(values.get(section), dict)
        for name, entry in values[section].items()
        if isinstance(entry, dict)
    ]
    found = []
    for path, model, entry in places:
        names = entry.get("reconstructed") if isinstance(entry, dict) else None
        if isinstance(model, str) and model in MODELS and isinstance(names, list):
            known = list(MODELS[model].parameters.model_fields)
            path = (*path, "reconstructed")
            wrong = [
                (path, f"{shown(name)} is no parameter; {suggestion(name[:50], known)}")
                for name in names
                if isinstance(name, str) and name not in known
            ]
            found += shortened(path, wrong)
    return found
