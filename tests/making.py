"""Panels and points for tests, as config.yaml would make them."""

import importlib
from pathlib import Path

from attention_separation.config import load_config
from attention_separation.softmax_vs_linear.panels import PANELS, points
from attention_separation.softmax_vs_linear.parameters import PARAMETERS
from attention_separation.softmax_vs_linear.point import Point

ROOT = Path(__file__).parent.parent
CONFIG = load_config(ROOT / "config.yaml")


def panel(model: str, sweep: dict, trials: int = 10, **fixed):
    """A panel of a model with config.yaml's defaults."""
    defaults = getattr(CONFIG.models, model).model_dump(exclude_none=True)
    own = PARAMETERS[model].model_fields.keys() - sweep.keys()
    held = {key: value for key, value in defaults.items() if key in own} | fixed
    return PANELS[model].model_validate(
        {"model": model, "sweep": sweep, "fixed": held, "trials": trials}
    )


def point(model: str, **values) -> Point:
    """One point, all parameters given but the defaults."""
    n = values.pop("n")
    return points(panel(model, {"n": [n]}, **values))[0]


def config_points(name: str) -> list[Point]:
    """The points of a panel of config.yaml at the paper's scale."""
    return points(CONFIG.panel_job(name).panel)


def trials_of(model: str):
    """The module with a model's engines."""
    return importlib.import_module(f"attention_separation.softmax_vs_linear.{model}_trials")


def exact_at(p: Point):
    """Reference values of a point."""
    model = "regression" if p.d is None else "self_attention" if p.b else "cross_attention"
    module = importlib.import_module(f"attention_separation.softmax_vs_linear.{model}_exact")
    (found,) = module.references([p])
    return found
