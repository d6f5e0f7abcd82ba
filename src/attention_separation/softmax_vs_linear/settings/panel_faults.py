"""What is wrong with a panel though each of its settings is valid: between them, or at a point."""

import math
from typing import Any

from pydantic import TypeAdapter

from attention_separation.settings.closed import grid_values

from ..models import MODELS
from ..models.parameters import MOST_COLUMNS, MRule
from .inherited import DEFAULTS, AnyFigure, with_defaults
from .panels import PANELS, SWEEPS, Point, shapes

Fault = tuple[tuple, str]
"""A path and a sentence."""

FIGURE = TypeAdapter(AnyFigure)
MOST_POINTS = 100_000
MOST_FAULTY_POINTS = 2


def panel_faults(values: dict[str, Any], spoilt: set[tuple]) -> list[Fault]:
    """Faults between the parameters of each panel and map of a configuration free of simpler ones.

    `values` is the configuration with what figures share spelled out; `spoilt` holds the paths of
    two keys with other faults.
    """
    found = []
    shown = first_figures(values)
    for section, types in (("panels", PANELS), ("phase", SWEEPS)):
        entries = values.get(section)
        for name, raw in entries.items() if isinstance(entries, dict) else ():
            model = raw.get("model") if isinstance(raw, dict) else None
            if not (isinstance(model, str) and model in MODELS):
                continue
            figure = shown.get(name) if section == "panels" else None
            needed = {(section, name), ("models", model), ("figures", figure)}
            if needed & spoilt:
                continue
            if not isinstance(values.get("models"), dict):
                continue
            defaults = DEFAULTS[model].model_validate(values["models"][model])
            shared = FIGURE.validate_python(values["figures"][figure]) if figure else None
            whole = with_defaults(types[model].model_validate(raw), defaults, shared)
            faults = _map_faults(whole) if section == "phase" else []
            for path, text in faults or _parameter_faults(whole) or _point_faults(whole):
                found.append(((section, name, *path), text))
    return found


def first_figures(values: dict[str, Any]) -> dict[str, str]:
    """The first figure that lists each name as a panel; entries that are no lists of texts pass."""
    figures = values.get("figures")
    found: dict[str, str] = {}
    for figure, entry in figures.items() if isinstance(figures, dict) else ():
        listed = entry.get("panels") if isinstance(entry, dict) else None
        for panel in listed if isinstance(listed, list) else ():
            if isinstance(panel, str):
                found.setdefault(panel, figure)
    return found


def with_shared(values: dict[str, Any]) -> dict[str, Any]:
    """The configuration with model and trials of figures in those of their panels without."""
    panels = values.get("panels")
    if not isinstance(panels, dict):
        return values
    shared = first_figures(values)
    whole = dict(panels)
    for name, raw in panels.items():
        figure = values["figures"][shared[name]] if name in shared else {}
        if isinstance(raw, dict):
            own = {key: figure[key] for key in ("model", "trials") if figure.get(key) is not None}
            of_other = raw.get("model", own.get("model")) != own.get("model")
            whole[name] = raw if of_other else own | raw
    return values | {"panels": whole}


def _map_faults(sweep: Any) -> list[Fault]:
    """What a map must be beside a sweep with valid points."""
    if not MODELS[sweep.model].has_maps:
        allowed = ", ".join(name for name, model in MODELS.items() if model.has_maps)
        return [(("model",), f"{sweep.model!r} has no exact map; allowed: {allowed}")]
    swept = list(sweep.swept())
    if len(swept) != 2:
        return [(("sweep",), f"{len(swept)} parameters are swept; allowed: two, for a map")]
    return []


def _point_faults(panel: Any) -> list[Fault]:
    """Points that break a definition's structure, at the swept parameters' path."""
    swept = panel.swept()
    path = ("sweep", *swept) if len(swept) == 1 else ("sweep",)
    count = math.prod(len(grid_values(grid)) for grid in swept.values())
    if count > MOST_POINTS:
        return [(path, f"makes {count} points; allowed: at most {MOST_POINTS}")]
    found = []
    for point in shapes(panel):
        try:
            MODELS[panel.model].check(point.n, point.d)
            _check_m(point)
        except ValueError as error:
            found.append((path, str(error)))
    if len(found) > MOST_FAULTY_POINTS:
        rest = len(found) - MOST_FAULTY_POINTS
        found[MOST_FAULTY_POINTS:] = [(path, f"and {rest} more points like these")]
    return found


def _check_m(point: Point) -> None:
    if point.m < 1:
        raise ValueError(f"m={point.m}: a network has at least one sign column")
    if point.m > MOST_COLUMNS:
        raise ValueError(f"m={point.m}; allowed: at most {MOST_COLUMNS} sign columns")


def _parameter_faults(panel: Any) -> list[Fault]:
    """What is wrong between a panel's parameters, as (path, sentence): missing, twice, no use."""
    swept, held = panel.swept(), panel.held()
    found: list[Fault] = []
    try:
        MODELS[panel.model].check_contest(panel.contest)
    except ValueError as error:
        found.append((("contest",), str(error)))
    if not 1 <= len(swept) <= 2:
        found.append((("sweep",), f"{len(swept)} parameters are swept; allowed: one or two"))
    for name in sorted(swept.keys() & held.keys()):
        found.append((("fixed", name), f"{name} is swept too; remove one of the two"))
    known = swept.keys() | held.keys()
    needed = set(MODELS[panel.model].parameters.model_fields) - {"delta"}
    for name in sorted(needed - known):
        found.append((("fixed", name), f"is missing; hold {name} fixed, or sweep it"))
    rule = held.get("m")
    uses_delta = isinstance(rule, MRule) and rule.log_of == "n/delta"
    if uses_delta and "delta" not in known:
        found.append((("fixed", "delta"), "is missing; the rule for m takes log(n/delta)"))
    if not uses_delta and "delta" in known:
        why = "nothing depends on it, for m is not computed from it; remove it"
        found.append((("sweep" if "delta" in swept else "fixed", "delta"), why))
    return found
