"""What the configuration says of panels and maps, as types made for each model; what can be wrong
with a panel though each of its settings is valid."""

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union

from pydantic import AfterValidator, Field, create_model, model_validator
from pydantic.config import JsonDict

from ....messages.words import counted, short_repr, suggestion
from ....settings.faults import Fault, below
from ....settings.strict_model import UNTAGGED, StrictModel, grid_of, grid_values
from ..models import MODELS, ModelName
from ..models.contest import CONTEST_OF_PAPER, Contest
from ..models.model import MOST_COLUMNS, SWEEPABLE, AttentionModel, Model, MRule, Trials
from .panels import Panel

MOST_POINTS = 100_000
MOST_FAULTY_POINTS = 2


class Sweep(StrictModel):
    """What the configuration says of a panel or a map of any model; when it is validated, it has
    all that it takes from its figure and its model."""

    if TYPE_CHECKING:
        # Fields that it has for each model, trials where it is a panel: see `_fields`.
        model: ModelName
        sweep: StrictModel
        fixed: StrictModel
        contest: Contest | None
        trials: Trials
        reconstructed: list[str]

    def panel(self, name: str, **more: Any) -> Panel:
        """The panel, or map, that this part of the configuration describes, as jobs hold it; `more`
        are the other fields that its result depends on."""
        return Panel(
            name=name,
            model=self.model,
            sweep=_stated(self.sweep),
            fixed=_stated(self.fixed),
            contest=self.contest or CONTEST_OF_PAPER,
            **more,
        )

    def faults(self, panel: Panel) -> list[Fault]:
        """What is wrong with the panel that this makes, though each of its settings is valid."""
        return _parameter_faults(panel) or _point_faults(panel) or _kernel_faults(panel)

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        """Raise where the panel that this makes has faults."""
        faults = self.faults(self.panel(""))
        if faults:
            raise below(faults)
        return self


def _stated(settings: StrictModel) -> dict[str, Any]:
    """The settings that have a value, by name."""
    return {name: value for name, value in settings if value is not None}


class Map(Sweep):
    """A map of exact values."""

    def faults(self, panel: Panel) -> list[Fault]:
        if not MODELS[panel.model].has_maps:
            allowed = ", ".join(name for name, model in MODELS.items() if model.has_maps)
            return [(("model",), f"{panel.model!r} has no exact map; allowed: {allowed}")]
        if len(panel.sweep) != 2:
            text = f"{len(panel.sweep)} parameters are swept; allowed: two, for a map"
            return [(("sweep",), text)]
        return super().faults(panel)


OF_FIGURE: JsonDict = {"inherited": "that of its figure"}
"""For the schema: what a panel need not say if its figure does."""


def reconstructed(model: Model, description: str) -> tuple[Any, Any]:
    """The type and the pydantic field of a list of a model's parameters whose value the paper does
    not state."""
    known = list(model.parameters.model_fields)

    def checked(names: list[str]) -> list[str]:
        """The names; faults if one is no parameter of the model."""
        faults: list[Fault] = []
        for name in names:
            if name not in known:
                hint = suggestion(name[:50], known)
                faults.append(((), f"{short_repr(name)} is no parameter; {hint}"))
        if faults:
            raise below(faults)
        return names

    return Annotated[list[str], AfterValidator(checked)], Field(default=[], description=description)


def class_name(model: Model) -> str:
    return model.parameters.__name__.removesuffix("Parameters")


def _fields(model: Model) -> dict[str, Any]:
    """The fields that the types of a model's maps and of its panels share, by name, each as its
    type and its pydantic field."""
    grids: dict[str, Any] = {
        name: (grid_of(swept.type) | None, Field(default=None, description=f"values of {name}"))
        for name, swept in SWEEPABLE.items()
        if name in model.parameters.model_fields
    }
    sweep = create_model(f"{class_name(model)}ParametersGrids", __base__=StrictModel, **grids)
    held = "parameters held fixed, instead of its figure's and those of `models`"
    contest = "who fires and who is silent, instead of its figure's and that of `models`"
    return {
        "sweep": (sweep, Field(description="one or two swept parameters")),
        "fixed": (model.parameters, Field(default=model.parameters(), description=held)),
        "contest": (Contest | None, Field(default=None, description=contest)),
    }


RECONSTRUCTED = "parameters whose value the paper does not state"


def _map_type(model: Model, fields: dict[str, Any]) -> type[Map]:
    """The type of a model's maps."""
    whole: dict[str, Any] = {
        "model": (Literal[model.name], Field(description="the model")),
        **fields,
        "reconstructed": reconstructed(model, RECONSTRUCTED),
    }
    return create_model(f"{class_name(model)}Sweep", __base__=Map, **whole)


def _panel_type(model: Model, fields: dict[str, Any]) -> type[Sweep]:
    """The type of a model's panels."""
    name = Field(description="the model", json_schema_extra=OF_FIGURE)
    trials = Field(description="trials per point", json_schema_extra=OF_FIGURE)
    whole: dict[str, Any] = {
        "model": (Literal[model.name], name),
        **fields,
        "trials": (Trials, trials),
        "reconstructed": reconstructed(model, RECONSTRUCTED),
    }
    return create_model(f"{class_name(model)}Panel", __base__=Sweep, **whole)


FIELDS = {name: _fields(model) for name, model in MODELS.items()}
MAP_TYPES = {name: _map_type(model, FIELDS[name]) for name, model in MODELS.items()}
PANEL_TYPES = {name: _panel_type(model, FIELDS[name]) for name, model in MODELS.items()}

if TYPE_CHECKING:
    AnyMap = Map
    AnyPanel = Sweep
else:
    BY_NAME = Field(discriminator="model")
    AnyMap = Annotated[Union[tuple(MAP_TYPES.values())], BY_NAME, UNTAGGED]  # noqa: UP007
    AnyPanel = Annotated[Union[tuple(PANEL_TYPES.values())], BY_NAME, UNTAGGED]  # noqa: UP007


def _parameter_faults(panel: Panel) -> list[Fault]:
    """The faults of a panel's parameters taken together: missing, given twice, or of no use."""
    swept = panel.sweep.keys()
    held = panel.fixed.keys()
    known = swept | held
    faults: list[Fault] = []
    try:
        MODELS[panel.model].check_contest(panel.contest)
    except ValueError as error:
        faults.append((("contest",), str(error)))
    if not 1 <= len(swept) <= 2:
        faults.append((("sweep",), f"{len(swept)} parameters are swept; allowed: one or two"))
    for name in sorted(swept & held):
        faults.append((("fixed", name), f"{name} is swept too; remove one of the two"))
    needed = MODELS[panel.model].parameters.model_fields.keys() - {"delta"}
    for name in sorted(needed - known):
        faults.append((("fixed", name), f"is missing; hold {name} fixed, or sweep it"))
    rule = panel.fixed.get("m")
    uses_delta = isinstance(rule, MRule) and rule.log_of == "n/delta"
    if uses_delta and "delta" not in known:
        faults.append((("fixed", "delta"), "is missing; the rule for m takes log(n/delta)"))
    if not uses_delta and "delta" in known:
        place = "sweep" if "delta" in swept else "fixed"
        why = "nothing depends on it, for m is not computed from it; remove it"
        faults.append(((place, "delta"), why))
    return faults


def _kernel_faults(panel: Panel) -> list[Fault]:
    """The fault of a panel's contest if one of its formulas gives no attention weights at the
    panel's first or last point, in a list; an empty list if all give weights. Kernels that are
    Python functions are not called where settings are read."""
    model = MODELS[panel.model]
    if not isinstance(model, AttentionModel) or not panel.contest.formulas:
        return []
    points = panel.points()
    try:
        for point in (points[0], points[-1]):
            model.rows_of_kernels(point, panel.contest.formulas)
    except ArithmeticError as error:
        return [(("contest",), str(error))]
    return []


def _point_faults(panel: Panel) -> list[Fault]:
    """The faults of a panel's points: too many of them, or sizes that the model does not have. Each
    is at the path of the swept parameters in the configuration."""
    path: tuple[str, ...] = ("sweep",)
    if len(panel.sweep) == 1:
        path = ("sweep", *panel.sweep)
    count = math.prod(len(grid_values(grid)) for grid in panel.sweep.values())
    if count > MOST_POINTS:
        return [(path, f"makes {count} points; allowed: at most {MOST_POINTS}")]
    texts = []
    for point in panel.shapes():
        try:
            MODELS[panel.model].check(point.n, point.d)
        except ValueError as error:
            texts.append(str(error))
        else:
            if point.m > MOST_COLUMNS:
                texts.append(f"m={point.m}; allowed: at most {MOST_COLUMNS} sign columns")
    if len(texts) > MOST_FAULTY_POINTS:
        rest = len(texts) - MOST_FAULTY_POINTS
        texts[MOST_FAULTY_POINTS:] = [f"and {counted(rest, 'more point')} like these"]
    return [(path, text) for text in texts]
