"""A panel: a model, what is swept and what is held fixed; and the points that this makes."""

import itertools
import math
from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model

from attention_separation.provenance import canonical_json
from attention_separation.settings import Closed, Count, grid_of, grid_values, thinned
from attention_separation.softmax_vs_linear.parameters import (
    OVER_C,
    PARAMETERS,
    SWEEPABLE,
    MRule,
    Trials,
)
from attention_separation.softmax_vs_linear.point import Point

MODELS = ("regression", "self_attention", "cross_attention")
Engine = Literal["reduced", "dense"]

PACKAGE = __name__.rpartition(".")[0]


def trials_module(model: str) -> str:
    """Name of the module with a model's engines."""
    return f"{PACKAGE}.{model}_trials"


def definitions_module(model: str) -> str:
    """Name of the module with a model's definitions, its distinct rows among them."""
    return f"{PACKAGE}.{model}"


def exact_module(model: str) -> str:
    """Name of the module with a model's reference values."""
    return f"{PACKAGE}.{model}_exact"


def _grids_model(model: str) -> type[Closed]:
    fields = {
        name: (grid_of(number) | None, Field(default=None, description=f"values of {name}"))
        for name, number in SWEEPABLE.items()
        if name in PARAMETERS[model].model_fields
    }
    return create_model(f"{PARAMETERS[model].__name__}Grids", __base__=Closed, **fields)


class _Sweep(Closed):
    def swept(self) -> dict[str, Any]:
        """The swept parameters' grids, in the model's order of parameters."""
        return {name: grid for name, grid in self.sweep if grid is not None}

    def held(self) -> dict[str, Any]:
        """The parameters held fixed."""
        return {name: value for name, value in self.fixed if value is not None}


def _sweep_model(model: str) -> type[_Sweep]:
    return create_model(
        f"{PARAMETERS[model].__name__.removesuffix('Parameters')}Sweep",
        __base__=_Sweep,
        model=(Literal[model], Field(description="the model")),
        sweep=(_grids_model(model), Field(description="one or two swept parameters")),
        fixed=(
            PARAMETERS[model],
            Field(description="parameters held fixed, instead of those of `models`"),
        ),
    )


SWEEPS: dict[str, type[_Sweep]] = {model: _sweep_model(model) for model in MODELS}
Sweep = Annotated[Union[tuple(SWEEPS.values())], Field(discriminator="model")]  # noqa: UP007
"""What is swept and what is held fixed, without trials: enough for exact values."""


def _panel_model(model: str) -> type[_Sweep]:
    return create_model(
        f"{PARAMETERS[model].__name__.removesuffix('Parameters')}Panel",
        __base__=SWEEPS[model],
        trials=(Trials, Field(description="trials per point")),
        reconstructed=(
            list[str],
            Field(default=[], description="parameters whose value the paper does not state"),
        ),
    )


PANELS: dict[str, type[_Sweep]] = {model: _panel_model(model) for model in MODELS}
Panel = Annotated[Union[tuple(PANELS.values())], Field(discriminator="model")]  # noqa: UP007


def _defaults_model(model: str) -> type[Closed]:
    return create_model(
        f"{PARAMETERS[model].__name__}Defaults",
        __base__=PARAMETERS[model],
        reconstructed=(
            list[str],
            Field(default=[], description="parameters whose value the paper does not state"),
        ),
        notes=(
            list[str],
            Field(default=[], description="what figures say of the model; * marks reconstructed"),
        ),
    )


DEFAULTS: dict[str, type[Closed]] = {model: _defaults_model(model) for model in MODELS}
"""What the panels of a model hold fixed unless they say otherwise."""


class PanelJob(Closed):
    """All that one panel's table depends on."""

    name: str
    panel: Panel
    seed: Annotated[int, Field(ge=0)]
    engine: Engine
    points: Count | None = None

    def canonical(self) -> str:
        """The one text of these settings: what the job is given, and what its digest is of."""
        return canonical_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))


class ExactPanel(Closed):
    """All that the exact values of a panel depend on."""

    name: str
    panel: Sweep
    points: Count | None = None

    def canonical(self) -> str:
        """The one text of these settings: what their digest is of."""
        return canonical_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))


def without_trials(panel: _Sweep) -> _Sweep:
    """The sweep of a panel: its points, but neither trials nor what is reconstructed."""
    return SWEEPS[panel.model].model_construct(
        model=panel.model, sweep=panel.sweep, fixed=panel.fixed
    )


def with_defaults(panel: _Sweep, defaults: Closed) -> _Sweep:
    """The panel with all that its model holds fixed by default, unless the panel says otherwise."""
    held = {
        k: v for k, v in defaults if v is not None and k in PARAMETERS[panel.model].model_fields
    }
    held = {k: v for k, v in held.items() if k not in panel.swept()} | panel.held()
    return panel.model_copy(update={"fixed": PARAMETERS[panel.model].model_construct(**held)})


def points(panel: _Sweep, most: int | None = None) -> list[Point]:
    """The points of a panel in grid order; `most` thins each swept parameter's values."""
    grids = {
        name: [_as_number(name, value) for value in thinned(grid_values(grid), most)]
        for name, grid in panel.swept().items()
    }
    held = panel.held()
    return [
        _point(panel.model, dict(zip(grids, values, strict=True)), held)
        for values in itertools.product(*grids.values())
    ]


def _as_number(name: str, value: float) -> float:
    return int(value) if name in ("n", "d", "m") else float(value)


def _point(model: str, swept: dict[str, float], held: dict[str, Any]) -> Point:
    values = held | swept
    if isinstance(values["m"], MRule):
        values["m"] = values["m"].m(values["n"], values.get("delta"))
    if model == "regression":
        s = 1.0
    else:
        s = math.sqrt(math.log(values["n"]))
        theta = values.pop("theta")
        if isinstance(theta, str):
            theta = values["c"] + float(OVER_C.fullmatch(theta).group(1))
        values["tau"] = theta * s
    # The shortest texts that read back as the numbers, by name: one text for one point.
    name = ",".join(f"{key}={swept[key]!r}" for key in sorted(swept))
    return Point(name=name, swept=tuple(float(v) for v in swept.values()), s=s, **values)
