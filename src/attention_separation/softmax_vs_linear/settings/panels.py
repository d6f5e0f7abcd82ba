"""A panel: a model, what is swept and what is held fixed; the points that this makes, what can be
wrong with it though each of its settings is valid, and what jobs on panels depend on."""

import itertools
import math
from typing import Annotated, Any, Literal, Self, Union

from pydantic import AfterValidator, Field, create_model, model_validator

from ...settings.faults import Fault, below
from ...settings.strict_model import (
    UNTAGGED,
    Count,
    Job,
    Range,
    Seed,
    StrictModel,
    grid_of,
    grid_values,
    subsample,
)
from ...settings.words import short_repr, suggestion
from ..models import MODELS
from ..models.contest import PAPERS, Contest
from ..models.model import ABSENT, MOST_COLUMNS, OVER_C, SWEEPABLE, Model, MRule, Point, Trials

Engine = Literal["reduced", "dense"]

MARK = "*"
KEY = f"{MARK} reconstructed: the paper's text does not state it."
COLUMN = (
    "Reconstructed lists what the paper's text does not state of a panel, and is read or chosen "
    "here."
)
"""How pages, tables and pictures mark what the paper's text does not state; the last stands in the
words on a table with a column `reconstructed`."""

"""Folder, below that of a run, of curves read off the paper."""

OF_SHAPE = ("n", "d", "m", "delta")
"""Parameters on which a point's n, d and m depend."""

ORDER = (*SWEEPABLE, *(name for model in MODELS.values() for name in model.parameters.model_fields))
"""Of parameters, wherever they are listed."""

MOST_POINTS = 100_000
MOST_FAULTY_POINTS = 2


def _ordered(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ORDER if name in values}


class Panel(StrictModel):
    """A panel, or a map, as jobs hold it: all that its points depend on, and of the rest what the
    job's own result depends on."""

    name: str
    model: Literal[tuple(MODELS)]
    sweep: Annotated[dict[str, Range | list[int | float]], AfterValidator(_ordered)]
    """The grid of each swept parameter."""
    fixed: Annotated[dict[str, MRule | int | float | str], AfterValidator(_ordered)]
    contest: Contest
    most_values: Count | None = None
    """At most so many values of each swept parameter."""
    trials: Trials = ABSENT
    seed: Seed = ABSENT
    engine: Engine = ABSENT
    """Of a panel that is simulated."""
    figure: str | None = None
    """Name or title of the figure that shows it first."""
    reconstructed: list[str] = Field(default=[])
    """Parameters whose value the paper does not state."""
    notes: list[str] = Field(default=[])
    """What figures say of its model; a mark at the end is on what the paper does not state."""

    def with_more(self, **values: Any) -> Self:
        """The same with more of what a result depends on."""
        return self.model_copy(update=values)

    def points(self) -> list[Point]:
        """Its points in grid order."""
        grids = {
            k: subsample(grid_values(grid), self.most_values) for k, grid in self.sweep.items()
        }
        return self._points(grids)

    def shapes(self) -> list[Point]:
        """One point for each n, d and m that its points have; the first in grid order."""
        grids = {name: grid_values(grid) for name, grid in self.sweep.items()}
        return self._points({k: v if k in OF_SHAPE else v[:1] for k, v in grids.items()})

    def _points(self, swept: dict[str, list[float]]) -> list[Point]:
        grids = (
            map(int if name in ("n", "d", "m") else float, grid) for name, grid in swept.items()
        )
        return [self._point(dict(zip(swept, at, strict=True))) for at in itertools.product(*grids)]

    def _point(self, swept: dict[str, float]) -> Point:
        values = self.fixed | swept
        if isinstance(values["m"], MRule):
            values["m"] = values["m"].m(values["n"], values.get("delta"))
        theta = values.pop("tau") if "tau" in values else values.pop("theta")
        if isinstance(theta, str):
            theta = values["c"] + float(OVER_C.fullmatch(theta).group(1))
        # The shortest texts that read back as the numbers, by name: one text for one point.
        name = ",".join(f"{key}={swept[key]!r}" for key in sorted(swept))
        return Point(
            name=name,
            swept=tuple(float(value) for value in swept.values()),
            theta=theta,
            s=MODELS[self.model].scale(values["n"]),
            contest=self.contest,
            **values,
        )

    @property
    def marked_notes(self) -> list[str]:
        """What else of its model the paper does not state, in words."""
        return [note.removesuffix(MARK) for note in self.notes if note.endswith(MARK)]

    @property
    def reconstruction(self) -> str:
        """All that is reconstructed, as one text: names of settings, then notes."""
        return "; ".join([*filter(None, [", ".join(self.reconstructed)]), *self.marked_notes])


class PanelsJob(Job):
    """Some panels, and what stands above them if they make a figure."""

    title: str | None = None
    panels: list[Panel]


class VerdictsJob(PanelsJob):
    """All that the verdicts depend on beside the panels' tables."""

    level: float
    margin: float
    """At a panel's own trials."""
    margins: list[float]
    """Of each panel, at the trials of this run."""


class PublishedJob(VerdictsJob):
    """The panels that somebody has read off the paper, with its own trials."""

    files: dict[str, str]
    """The texts of the files PANEL.csv by panel, in the same order."""
    unreadable: dict[str, str] | None = None
    """Why others of these files cannot be read, if there are such."""


class PhaseJob(PanelsJob):
    """Maps over two swept parameters, and the panels whose points are marked on them."""

    marked: list[Panel]


class Sweep(StrictModel):
    """What the configuration says of a panel or a map of any model; when it is validated, it has
    all that it takes from its figure and its model."""

    def panel(self, name: str, **more: Any) -> Panel:
        """The same as jobs hold it, with more of what its result depends on."""
        sweep, fixed = ({k: v for k, v in of if v is not None} for of in (self.sweep, self.fixed))
        contest = self.contest or PAPERS
        return Panel(name=name, model=self.model, sweep=sweep, fixed=fixed, contest=contest, **more)

    def faults(self, panel: Panel) -> list[Fault]:
        """What is wrong with it as a panel, though each setting is valid."""
        return _parameter_faults(panel) or _point_faults(panel)

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        faults = self.faults(self.panel(""))
        if faults:
            raise below(faults)
        return self


class Map(Sweep):
    """A map of exact values."""

    def faults(self, panel: Panel) -> list[Fault]:
        if not MODELS[panel.model].has_maps:
            allowed = ", ".join(name for name, model in MODELS.items() if model.has_maps)
            return [(("model",), f"{panel.model!r} has no exact map; allowed: {allowed}")]
        swept = len(panel.sweep)
        wrong = [(("sweep",), f"{swept} parameters are swept; allowed: two, for a map")]
        return wrong if swept != 2 else super().faults(panel)


OF_FIGURE = {"inherited": "that of its figure"}
"""For the schema: what a panel need not say if its figure does."""


def reconstructed(model: Model, description: str) -> tuple[Any, Any]:
    """The field with names of a model's parameters whose value the paper does not state."""
    known = list(model.parameters.model_fields)

    def checked(names: list[str]) -> list[str]:
        unknown = [name for name in names if name not in known]
        if unknown:
            texts = (
                f"{short_repr(n)} is no parameter; {suggestion(n[:50], known)}" for n in unknown
            )
            raise below([((), text) for text in texts])
        return names

    return Annotated[list[str], AfterValidator(checked)], Field(default=[], description=description)


def class_name(model: Model) -> str:
    return model.parameters.__name__.removesuffix("Parameters")


def _types_of(model: Model) -> tuple[type[Map], type[Sweep]]:
    """The types of a model's maps and of its panels."""
    grids = {
        name: (grid_of(swept.type) | None, Field(default=None, description=f"values of {name}"))
        for name, swept in SWEEPABLE.items()
        if name in model.parameters.model_fields
    }
    name, of_model = class_name(model), Literal[model.name]
    grids = create_model(f"{name}ParametersGrids", __base__=StrictModel, **grids)
    held = "parameters held fixed, instead of its figure's and those of `models`"
    contest = "who fires and who is silent, instead of its figure's and that of `models`"
    fields = {
        "sweep": (grids, Field(description="one or two swept parameters")),
        "fixed": (model.parameters, Field(default=model.parameters(), description=held)),
        "contest": (Contest | None, Field(default=None, description=contest)),
    }
    marks = reconstructed(model, "parameters whose value the paper does not state")
    of_map = create_model(
        f"{name}Sweep",
        __base__=Map,
        model=(of_model, Field(description="the model")),
        **fields,
        reconstructed=marks,
    )
    of_panel = create_model(
        f"{name}Panel",
        __base__=Sweep,
        model=(of_model, Field(description="the model", json_schema_extra=OF_FIGURE)),
        **fields,
        trials=(Trials, Field(description="trials per point", json_schema_extra=OF_FIGURE)),
        reconstructed=marks,
    )
    return of_map, of_panel


MAPS, PANELS = (
    dict(zip(MODELS, types, strict=True))
    for types in zip(*map(_types_of, MODELS.values()), strict=True)
)
AnyMap, AnyPanel = (
    Annotated[Union[tuple(types.values())], Field(discriminator="model"), UNTAGGED]  # noqa: UP007
    for types in (MAPS, PANELS)
)


def _parameter_faults(panel: Panel) -> list[Fault]:
    """What is wrong between a panel's parameters: missing, twice, no use."""
    swept, held = panel.sweep.keys(), panel.fixed.keys()
    found: list[Fault] = []
    try:
        MODELS[panel.model].check_contest(panel.contest)
    except ValueError as error:
        found.append((("contest",), str(error)))
    if not 1 <= len(swept) <= 2:
        found.append((("sweep",), f"{len(swept)} parameters are swept; allowed: one or two"))
    for name in sorted(swept & held):
        found.append((("fixed", name), f"{name} is swept too; remove one of the two"))
    known = swept | held
    needed = MODELS[panel.model].parameters.model_fields.keys() - {"delta"}
    for name in sorted(needed - known):
        found.append((("fixed", name), f"is missing; hold {name} fixed, or sweep it"))
    rule = panel.fixed.get("m")
    uses_delta = isinstance(rule, MRule) and rule.log_of == "n/delta"
    if uses_delta and "delta" not in known:
        found.append((("fixed", "delta"), "is missing; the rule for m takes log(n/delta)"))
    if not uses_delta and "delta" in known:
        why = "nothing depends on it, for m is not computed from it; remove it"
        found.append((("sweep" if "delta" in swept else "fixed", "delta"), why))
    return found


def _point_faults(panel: Panel) -> list[Fault]:
    """Points that break a definition's structure, at the swept parameters' path."""
    path = ("sweep", *panel.sweep) if len(panel.sweep) == 1 else ("sweep",)
    count = math.prod(len(grid_values(grid)) for grid in panel.sweep.values())
    if count > MOST_POINTS:
        return [(path, f"makes {count} points; allowed: at most {MOST_POINTS}")]
    found = []
    for point in panel.shapes():
        try:
            MODELS[panel.model].check(point.n, point.d)
        except ValueError as error:
            found.append((path, str(error)))
        else:
            if point.m > MOST_COLUMNS:
                text = f"m={point.m}; allowed: at most {MOST_COLUMNS} sign columns"
                found.append((path, text))
    if len(found) > MOST_FAULTY_POINTS:
        rest = len(found) - MOST_FAULTY_POINTS
        found[MOST_FAULTY_POINTS:] = [(path, f"and {rest} more points like these")]
    return found
