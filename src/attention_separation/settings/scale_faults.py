"""Names of scales that refer to nothing, or cannot name a folder."""

import re
from typing import Any

from .words import shown, suggestion

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")
FOLDERS = (
    "panels", "exact", "figures", "tables", "slices", "logs", "benchmarks", "report", "head_rank",
    "needle", "cells", "checkpoints",
)  # fmt: skip
"""Folders of results: a scale of such a name would have its own among another's."""

NO_NAME = "is no name; allowed: at most 50 letters, digits and _, a letter first"


def scale_faults(section: Any) -> list[tuple[tuple, str]]:
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
