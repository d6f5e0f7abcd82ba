"""The section `softmax_vs_linear` of the configuration: figures, what panels take from them and
from their models, what judges them, and names that refer to nothing.

A panel takes what it does not say itself from the first figure that lists it, then from its model's
defaults. A *map* is a panel of two swept parameters; a *fault* is a place in the configuration with
what is wrong there.
"""

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from ....messages.words import short_repr, suggestion
from ....settings.faults import Fault, Place, below, faults_of
from ....settings.kernel_text import named_kernels
from ....settings.strict_model import (
    MAX_VALUES,
    NAME_PATTERN,
    Count,
    Level,
    Scaled,
    ScaleName,
    StrictModel,
    name_but,
    one_of,
)
from ..models import MODELS, ModelName
from ..models.contest import CONTEST_OF_PAPER, Contest
from ..models.model import Engine, Model, Trials
from .sweeps import RECONSTRUCTED, AnyPanel, class_name, reconstructed

MOST_PANELS = 26
"""Panels of a figure: each has a letter."""

BY_MODEL = ("fixed", "trials", "contest", "reconstructed")
"""What a figure shares with its panels of one model."""

RULE_NAME = re.compile(
    r"all|report|provenance|manifest|check|verdicts|claims|whp|choices"
    r"|threshold|theta|phase|index|figure|lemmas|open_choices|kernel_.*"
    r"|(simulate|slice|exact|rank|kernels|needle|recall|heads)(_.*)?"
)
FileName = Annotated[str, name_but(RULE_NAME.fullmatch, "a rule")]


class Figure(StrictModel):
    """A figure, its panels in order, and what they share: those of its model take from the first
    figure that lists them what they do not say themselves."""

    title: str = Field(description="what stands above the figure")
    panels: Annotated[list[str], Field(min_length=1, max_length=MOST_PANELS)] = Field(
        description="names of its panels"
    )
    model: ModelName | None = Field(
        default=None, description="model of the panels that share what follows"
    )
    trials: Trials | None = Field(default=None, description="trials per point of its panels")
    reconstructed: list[str] = Field(
        default=[], description="parameters of all its panels that the paper does not state"
    )
    contest: Contest | None = Field(
        default=None, description="who fires and who is silent in its panels"
    )

    fixed: SkipJsonSchema[Any] = None
    """Of a model that is unknown or missing, which is a fault of its own."""


def _figure(model: Model) -> Any:
    """The type of the figures whose panels of one model share parameters."""
    described = {name: field.description or "" for name, field in Figure.model_fields.items()}
    fixed = "parameters that its panels of this model hold fixed"
    fields: dict[str, Any] = {
        "model": (Literal[model.name], Field(description=described["model"])),
        "reconstructed": reconstructed(model, described["reconstructed"]),
        "fixed": (model.parameters, Field(default=model.parameters(), description=fixed)),
    }
    return create_model(f"{class_name(model)}Figure", __base__=Figure, **fields)


def _figure_kind(values: Any) -> str:
    """The model that a figure names; empty where it names none that is known."""
    model = values.get("model") if isinstance(values, dict) else getattr(values, "model", None)
    return model if isinstance(model, str) and model in MODELS else ""


if TYPE_CHECKING:
    AnyFigure = Figure
else:
    AnyFigure = one_of(
        {"": Figure} | {name: _figure(model) for name, model in MODELS.items()}, _figure_kind
    )

SCALE_TRIALS: dict[str, Any] = {
    name: (Trials | None, Field(default=None, description="trials per point")) for name in MODELS
}
ScaleTrials = create_model("ScaleTrials", __base__=StrictModel, **SCALE_TRIALS)


def _defaults(model: Model) -> Any:
    """The type of what the panels of a model hold fixed by default."""
    who = "who fires and who is silent; the paper's"
    notes = "what figures say of the model; * marks reconstructed"
    fields: dict[str, Any] = {
        "contest": (Contest, Field(default=CONTEST_OF_PAPER, description=who)),
        "reconstructed": reconstructed(model, RECONSTRUCTED),
        "notes": (list[str], Field(default=[], description=notes)),
    }
    return create_model(
        f"{class_name(model)}ParametersDefaults", __base__=model.parameters, **fields
    )


DEFAULTS: dict[str, Any] = {
    name: (_defaults(model), Field(description=f"what panels of {name} hold fixed"))
    for name, model in MODELS.items()
}
Defaults = create_model("Defaults", __base__=StrictModel, **DEFAULTS)


Most = Annotated[Count, Field(le=MAX_VALUES)]


class Scale(StrictModel):
    """A size of the whole workflow."""

    trials: ScaleTrials = Field(
        default=ScaleTrials(), description="trials instead of the panels' own"
    )
    points: Most | None = Field(default=None, description="at most so many values of each sweep")


class Verdicts(StrictModel):
    """How simulation is held against exact values."""

    level: Level = Field(description="family-wise level of all tests together")
    margin: Annotated[float, Field(ge=1e-6, le=1)] = Field(
        description="a panel agrees if its mean rate is within this of the exact mean; at the "
        "panel's own trials, and smaller as the square root of more trials"
    )


class SoftmaxVsLinearSection(Scaled):
    """Softmax against linear attention: the first paper."""

    scale: str = Field(
        description="which of its scales; every scale but `paper` writes to results/SCALE"
    )
    scales: dict[ScaleName, Scale] = Field(description="sizes of all that this paper's run makes")
    engine: Engine = Field(
        description="reduced: distinct attention rows; dense: the definitions, literally"
    )
    trials: Trials | None = Field(description="trials of every point, if not null", default=None)
    models: Defaults = Field(description="what the panels of a model hold fixed by default")
    figures: dict[FileName, AnyFigure] = Field(description="figures, each of some panels")
    panels: dict[FileName, AnyPanel] = Field(description="panels, each a sweep of a model")
    verdicts: Verdicts = Field(description="how simulation is held against exact values")

    @model_validator(mode="wrap")
    @classmethod
    def _with_all_that_panels_take(cls, values: Any, handler: ModelWrapValidatorHandler) -> Any:
        """The validated section, in which panels and maps say all that they take from figures and
        models. Each fault is reported once, where it is written."""
        if not isinstance(values, dict):
            return handler(values)
        whole = spelled_out(values)
        section = None
        faults: list[Fault] = []
        try:
            section = handler(whole)
        except ValidationError as error:
            faults = said_once(faults_of(error), values, whole)
        faults = faults + faults_of_figures(whole)
        if faults:
            raise below(faults)
        return section


# What follows sees a section before it is validated: any part of it may be of another type.


def _mapping(value: Any) -> dict[str, Any]:
    """A value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def _stated(value: Any) -> dict[str, Any]:
    """The entries of a mapping that are not null."""
    return {key: inner for key, inner in _mapping(value).items() if inner is not None}


def _texts(value: Any) -> list[str]:
    """The texts of a list; none where it is no list."""
    if not isinstance(value, list):
        return []
    return [text for text in value if isinstance(text, str)]


def filled_contests(section: Any, kernels: dict[str, Any]) -> Any:
    """The section as it is written, in which each contest holds those of the reader's own kernels
    that it names; `kernels` are these by name."""
    if not isinstance(section, dict):
        return section
    filled = dict(section)
    for kind in ("models", "figures", "panels", "phase"):
        if isinstance(section.get(kind), dict):
            filled[kind] = {
                name: _filled_contest(entry, kernels) for name, entry in section[kind].items()
            }
    return filled


def _filled_contest(entry: Any, kernels: dict[str, Any]) -> Any:
    """An entry of the section whose contest, if it has one, holds those of the reader's own kernels
    that it names."""
    contest = _mapping(entry).get("contest")
    if not isinstance(contest, dict) or "own" in contest:
        return entry
    silent = contest.get("silent")
    names = [contest.get("fires")]
    if isinstance(silent, list):
        names += silent
    own = named_kernels(names, kernels)
    if not own:
        return entry
    return entry | {"contest": contest | {"own": own}}


def first_figures(section: dict[str, Any]) -> dict[str, str]:
    """The first figure that lists each panel, by the panel's name."""
    first: dict[str, str] = {}
    for figure, entry in _mapping(section.get("figures")).items():
        for panel in _texts(_mapping(entry).get("panels")):
            first.setdefault(panel, figure)
    return first


def spelled_out(section: dict[str, Any]) -> dict[str, Any]:
    """The section as it is written, in which every panel and map says all that it takes from its
    figure and from its model."""
    figures = _mapping(section.get("figures"))
    models = _mapping(section.get("models"))
    listed = first_figures(section)
    whole = dict(section)
    if isinstance(section.get("panels"), dict):
        whole["panels"] = {}
        for name, entry in section["panels"].items():
            figure = _mapping(figures.get(listed[name])) if name in listed else {}
            whole["panels"][name] = _spelled_out(entry, figure, models)
    if isinstance(section.get("phase"), dict):
        whole["phase"] = {
            name: _spelled_out(entry, {}, models) for name, entry in section["phase"].items()
        }
    return whole


def _spelled_out(entry: Any, figure: dict[str, Any], models: dict[str, Any]) -> Any:
    """A panel or map with all that it takes from its figure, if that is of its model, and from its
    model's defaults: what it says itself comes first, then the figure, then the defaults."""
    if not isinstance(entry, dict):
        return entry
    if entry.get("model", figure.get("model")) != figure.get("model"):
        figure = {}
    whole = {key: value for key, value in _stated(figure).items() if key in ("model", "trials")}
    whole |= entry
    name = whole.get("model")
    if not isinstance(name, str) or name not in MODELS:
        return whole
    default = _mapping(models.get(name))
    known = MODELS[name].parameters.model_fields
    swept = _stated(entry.get("sweep"))
    own_fixed = _stated(entry.get("fixed"))
    shared = {
        key: value
        for key, value in _stated(figure.get("fixed")).items()
        if key in known and key not in swept | own_fixed
    }
    by_default = {
        key: value for key, value in _stated(default).items() if key in known and key not in swept
    }
    if _mapping((shared | own_fixed | swept).get("m")).get("log_of") != "n/delta":
        shared.pop("delta", None)
    held = by_default | shared | own_fixed
    if isinstance(entry.get("fixed", {}), dict):
        whole["fixed"] = _mapping(entry.get("fixed")) | held
    contests = [source.get("contest") for source in (entry, figure, default)]
    whole["contest"] = next((contest for contest in contests if contest is not None), None)
    if isinstance(entry.get("reconstructed", []), list):
        used = swept | held
        of_default = used.keys() - (swept | own_fixed | shared)
        names = [text for text in _texts(figure.get("reconstructed")) if text in used]
        names += entry.get("reconstructed", [])
        names += [text for text in _texts(default.get("reconstructed")) if text in of_default]
        if all(isinstance(text, str) for text in names):
            whole["reconstructed"] = [*dict.fromkeys(names)]
    return whole


def said_once(faults: list[Fault], section: dict[str, Any], whole: dict[str, Any]) -> list[Fault]:
    """The faults of the whole section, but those of what a panel or map takes from a figure or a
    model that has faults itself: they are said there.

    section : as it is written
    whole : with every panel and map saying all that it takes, as `spelled_out` gives it
    """
    faulty_sections = {path[0] for path, _ in faults if len(path) == 1}
    faulty_entries = {path[:2] for path, _ in faults if len(path) > 1}
    figures = first_figures(section)
    kept = []
    for path, text in faults:
        is_said_at_source = any(
            kind in faulty_sections or (kind, name) in faulty_entries
            for kind, name in _sources(path, section, whole, figures)
        )
        if not is_said_at_source:
            kept.append((path, text))
    return kept


def _sources(
    path: Place, section: dict[str, Any], whole: dict[str, Any], figures: dict[str, str]
) -> list[tuple[str, str]]:
    """The entries, such as ("models", "regression"), that what a panel or map has at a path may be
    taken from; none where it says that itself. `figures` are the first ones that list panels."""
    if len(path) < 3 or path[0] not in ("panels", "phase"):
        return []
    kind, name, key, *inner = path
    entry = section[kind][name]
    spelled = whole[kind][name]
    if key == "fixed" and inner:
        is_own = inner[0] in _mapping(entry.get("fixed"))
    else:
        is_own = key in entry
    if is_own or key not in spelled:
        return []
    sources = [("models", str(spelled.get("model")))]
    if kind == "panels":
        sources.append(("figures", figures.get(name, "")))
    return sources


def faults_of_figures(section: dict[str, Any]) -> list[Fault]:
    """The faults of figures: names of figures and panels that make the same files, panels in
    figures that do not exist or stand there twice, and figures that share parameters without a
    model."""
    figures = _mapping(section.get("figures"))
    panels = _mapping(section.get("panels"))
    faults = _faults_of_names(figures, panels)
    if not isinstance(section.get("panels"), dict):
        return faults
    for name, figure in figures.items():
        listed = _mapping(figure).get("panels")
        if isinstance(listed, list):
            # A longer list has been found fault with for its length.
            for path, text in _faults_of_list(listed[:MOST_PANELS], list(panels)):
                faults.append((("figures", name, "panels", *path), text))
        shared = [key for key in BY_MODEL if _mapping(figure).get(key)]
        if shared and figure.get("model") is None:
            text = f"is missing; panels share {', '.join(shared)} with those of their own model"
            faults.append((("figures", name, "model"), text))
    return faults


def _faults_of_names(figures: dict[str, Any], panels: dict[str, Any]) -> list[Fault]:
    """The faults of names of figures and panels that make the same files, in capitals or not."""
    faults: list[Fault] = []
    first_places: dict[str, str] = {}
    for kind, entries in (("figures", figures), ("panels", panels)):
        for name in filter(NAME_PATTERN.fullmatch, entries):
            place = f"{kind}.{name}"
            first_place = first_places.setdefault(name.lower(), place)
            if first_place != place and not RULE_NAME.fullmatch(name):
                text = f"makes the files of {first_place} too; choose another name"
                faults.append(((kind, name), text))
    return faults


def _faults_of_list(listed: list[Any], panels: list[str]) -> list[Fault]:
    """The faults of a figure's list of panels: names of no panel, and panels that stand there
    twice."""
    faults: list[Fault] = []
    for index, panel in enumerate(listed):
        if isinstance(panel, str) and panel not in panels:
            text = f"no panel {short_repr(panel)}; {suggestion(panel[:50], panels)}"
            faults.append(((index,), text))
        elif panel in listed[:index]:
            text = f"{short_repr(panel)} stands there already; allowed: each panel once"
            faults.append(((index,), text))
    return faults
