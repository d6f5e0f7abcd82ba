"""A panel: a model, what is swept and what is held fixed; and the points that this makes."""

import itertools
from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model

from attention_separation.settings.closed import Closed, Count, grid_of, grid_values, thinned

from ..models import MODELS
from ..models.contest import PAPERS, Contest
from ..models.model import Model
from ..models.parameters import OVER_C, SWEEPABLE, MRule, Trials
from ..models.point import Point

Engine = Literal["reduced", "dense"]


def class_name(model: Model) -> str:
    return model.parameters.__name__.removesuffix("Parameters")


def _grids_model(model: Model) -> type[Closed]:
    fields = {
        name: (grid_of(number) | None, Field(default=None, description=f"values of {name}"))
        for name, number in SWEEPABLE.items()
        if name in model.parameters.model_fields
    }
    return create_model(f"{model.parameters.__name__}Grids", __base__=Closed, **fields)


class AnySweep(Closed):
    """A sweep of any model."""

    def swept(self) -> dict[str, Any]:
        """The swept parameters' grids, in the model's order of parameters."""
        return {name: grid for name, grid in self.sweep if grid is not None}

    def held(self) -> dict[str, Any]:
        """The parameters held fixed."""
        return {name: value for name, value in self.fixed if value is not None}


_CONTEST = (
    Contest | None,
    Field(
        default=None,
        description="who fires and who is silent, instead of its figure's and that of `models`",
    ),
)
RECONSTRUCTED = (
    list[str],
    Field(default=[], description="parameters whose value the paper does not state"),
)


def _sweep_model(model: Model) -> type[AnySweep]:
    return create_model(
        f"{class_name(model)}Sweep",
        __base__=AnySweep,
        model=(Literal[model.name], Field(description="the model")),
        sweep=(_grids_model(model), Field(description="one or two swept parameters")),
        fixed=(
            model.parameters,
            Field(
                default=model.parameters(),
                description="parameters held fixed, instead of its figure's and those of `models`",
            ),
        ),
        contest=_CONTEST,
    )


SWEEPS: dict[str, type[AnySweep]] = {name: _sweep_model(model) for name, model in MODELS.items()}
Sweep = Annotated[Union[tuple(SWEEPS.values())], Field(discriminator="model")]  # noqa: UP007
"""What is swept and what is held fixed, without trials: enough for exact values."""


OF_FIGURE = {"inherited": "that of its figure"}
"""For the schema: what a panel need not say if its figure does."""


def _panel_model(model: Model) -> type[AnySweep]:
    return create_model(
        f"{class_name(model)}Panel",
        __base__=SWEEPS[model.name],
        model=(Literal[model.name], Field(description="the model", json_schema_extra=OF_FIGURE)),
        trials=(Trials, Field(description="trials per point", json_schema_extra=OF_FIGURE)),
        reconstructed=RECONSTRUCTED,
    )


PANELS: dict[str, type[AnySweep]] = {name: _panel_model(model) for name, model in MODELS.items()}
Panel = Annotated[Union[tuple(PANELS.values())], Field(discriminator="model")]  # noqa: UP007


OF_SHAPE = ("n", "d", "m", "delta")
"""Parameters on which a point's n, d and m depend."""


class PanelJob(Closed):
    """All that one panel's table depends on."""

    name: str
    panel: Panel
    seed: Annotated[int, Field(ge=0)]
    engine: Engine
    points: Count | None = None


class ExactPanel(Closed):
    """All that the exact values of a panel depend on."""

    name: str
    panel: Sweep
    points: Count | None = None


def without_trials(panel: AnySweep) -> AnySweep:
    """The sweep of a panel: its points, but neither trials nor what is reconstructed."""
    return SWEEPS[panel.model].model_construct(
        model=panel.model, sweep=panel.sweep, fixed=panel.fixed, contest=panel.contest
    )


def points(panel: AnySweep, most: int | None = None) -> list[Point]:
    """The points of a panel in grid order; `most` thins each swept parameter's values."""
    grids = {name: thinned(grid_values(grid), most) for name, grid in panel.swept().items()}
    return _points(panel, grids)


def shapes(panel: AnySweep) -> list[Point]:
    """One point of a panel for each n, d and m that its points have; the first in grid order."""
    grids = {name: grid_values(grid) for name, grid in panel.swept().items()}
    return _points(panel, {k: v if k in OF_SHAPE else v[:1] for k, v in grids.items()})


def _points(panel: AnySweep, swept: dict[str, list[float]]) -> list[Point]:
    grids = {name: [_as_number(name, value) for value in grid] for name, grid in swept.items()}
    held = panel.held()
    contest = panel.contest or PAPERS
    return [
        _point(MODELS[panel.model], contest, dict(zip(grids, values, strict=True)), held)
        for values in itertools.product(*grids.values())
    ]


def _as_number(name: str, value: float) -> float:
    return int(value) if name in ("n", "d", "m") else float(value)


def _point(model: Model, contest: Contest, swept: dict[str, float], held: dict[str, Any]) -> Point:
    values = held | swept
    if isinstance(values["m"], MRule):
        values["m"] = values["m"].m(values["n"], values.get("delta"))
    theta = values.pop("tau") if "tau" in values else values.pop("theta")
    if isinstance(theta, str):
        theta = values["c"] + float(OVER_C.fullmatch(theta).group(1))
    # The shortest texts that read back as the numbers, by name: one text for one point.
    name = ",".join(f"{key}={swept[key]!r}" for key in sorted(swept))
    swept_values = tuple(float(v) for v in swept.values())
    s = model.scale(values["n"])
    return Point(name=name, swept=swept_values, theta=theta, s=s, contest=contest, **values)
