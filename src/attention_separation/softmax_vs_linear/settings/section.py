"""The section `softmax_vs_linear` of the configuration: figures, what panels take from them and
from their models, what judges them, and names that refer to nothing."""

import re
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from ...settings.faults import Fault, below, faults_of
from ...settings.strict_model import (
    MAX_VALUES,
    NAME,
    Count,
    Level,
    Name,
    Scaled,
    ScaleName,
    StrictModel,
    name_but,
    one_of,
)
from ...settings.words import short_repr, suggestion
from ..models import MODELS
from ..models.contest import PAPERS, Contest
from ..models.model import Model, Trials
from .claims import ClaimsJob
from .panels import AnyMap, AnyPanel, Engine, class_name, reconstructed

MOST_PANELS = 26
"""Panels of a figure: each has a letter."""

BY_MODEL = ("fixed", "trials", "contest", "reconstructed")
"""What a figure shares with its panels of one model."""

RULE_NAME = re.compile(
    r"all|report|provenance|manifest|check|verdicts|claims|whp|choices"
    r"|threshold|theta|phase|published|figure|kernel_.*"
    r"|(simulate|slice|exact|rank|kernels|needle)(_.*)?"
)
FileName = name_but(RULE_NAME.fullmatch, "a rule")


class Figure(StrictModel):
    """A figure, its panels in order, and what they share: those of its model take from the first
    figure that lists them what they do not say themselves."""

    title: str = Field(description="what stands above the figure")
    panels: Annotated[list[str], Field(min_length=1, max_length=MOST_PANELS)] = Field(
        description="names of its panels"
    )
    model: Literal[tuple(MODELS)] | None = Field(
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
    """The type of figures whose panels of a model share something."""
    fields, fixed = Figure.model_fields, "parameters that its panels of this model hold fixed"
    return create_model(
        f"{class_name(model)}Figure",
        __base__=Figure,
        model=(Literal[model.name], Field(description=fields["model"].description)),
        reconstructed=reconstructed(model, fields["reconstructed"].description),
        fixed=(model.parameters, Field(default=model.parameters(), description=fixed)),
    )


def _figure_kind(values: Any) -> str:
    model = values.get("model") if isinstance(values, dict) else getattr(values, "model", None)
    return model if isinstance(model, str) and model in MODELS else ""


AnyFigure = one_of(
    {"": Figure} | {name: _figure(model) for name, model in MODELS.items()}, _figure_kind
)

ScaleTrials = create_model(
    "ScaleTrials",
    __base__=StrictModel,
    **dict.fromkeys(MODELS, (Trials | None, Field(default=None, description="trials per point"))),
)


def _defaults(model: Model) -> Any:
    who = "who fires and who is silent; the paper's"
    notes = "what figures say of the model; * marks reconstructed"
    return create_model(
        f"{class_name(model)}ParametersDefaults",
        __base__=model.parameters,
        contest=(Contest, Field(default=PAPERS, description=who)),
        reconstructed=reconstructed(model, "parameters whose value the paper does not state"),
        notes=(list[str], Field(default=[], description=notes)),
    )


Defaults = create_model(
    "Defaults",
    __base__=StrictModel,
    **{
        name: (_defaults(model), Field(description=f"what panels of {name} hold fixed"))
        for name, model in MODELS.items()
    },
)


Most = Annotated[Count, Field(le=MAX_VALUES)]


class Scale(StrictModel):
    """A size of the whole workflow."""

    trials: ScaleTrials = Field(
        default=ScaleTrials(), description="trials instead of the panels' own"
    )
    points: Most | None = Field(default=None, description="at most so many values of each sweep")
    audited: Most | None = Field(
        default=None,
        description="at most so many of what audits look at: panels of each figure, maps, and "
        "sizes of each model's claims",
    )
    claims: Most | None = Field(
        default=None, description="at most so many claims, evenly spread over the list"
    )


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
    claims: ClaimsJob = Field(description="where the paper's claims are evaluated")
    phase: dict[Name, AnyMap] = Field(description="maps of exact values over two parameters")

    @model_validator(mode="wrap")
    @classmethod
    def _with_all_that_panels_take(cls, values: Any, handler: ModelWrapValidatorHandler) -> Any:
        """Panels and maps say all that they take from figures and models before they are validated;
        what is wrong with it is said where it is written, once."""
        if not isinstance(values, dict):
            return handler(values)
        whole, section, found = spelled_out(values), None, []
        try:
            section = handler(whole)
        except ValidationError as error:
            found = said_once(faults_of(error), values, whole)
        if found := found + faults_of_figures(whole):
            raise below(found)
        return section


# What follows sees a section before it is validated: any part of it may be of another type.


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _given(value: Any) -> dict[str, Any]:
    """What a mapping says; null says nothing."""
    return {key: inner for key, inner in _mapping(value).items() if inner is not None}


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def first_figures(section: dict[str, Any]) -> dict[str, str]:
    """The first figure that lists each name as a panel."""
    found: dict[str, str] = {}
    for figure, entry in _mapping(section.get("figures")).items():
        for panel in _texts(_mapping(entry).get("panels")):
            found.setdefault(panel, figure)
    return found


def spelled_out(section: dict[str, Any]) -> dict[str, Any]:
    """The section with every panel and map saying all that it takes from its figure and model."""
    figures, models = _mapping(section.get("figures")), _mapping(section.get("models"))
    listed = first_figures(section)
    whole = dict(section)
    for kind in ("panels", "phase"):
        if isinstance(section.get(kind), dict):
            whole[kind] = {
                name: _spelled_out(raw, _mapping(figures.get(listed.get(name))), models, kind)
                for name, raw in section[kind].items()
            }
    return whole


def _spelled_out(raw: Any, figure: dict, models: dict, kind: str) -> Any:
    """A panel that says all: first what it says itself, then its figure's if that is of its model,
    then its model's."""
    if not isinstance(raw, dict):
        return raw
    if kind == "phase" or raw.get("model", figure.get("model")) != figure.get("model"):
        figure = {}
    whole = {key: figure[key] for key in ("model", "trials") if figure.get(key) is not None} | raw
    model = MODELS.get(whole.get("model")) if isinstance(whole.get("model"), str) else None
    if model is None:
        return whole
    default, known = _mapping(models.get(model.name)), model.parameters.model_fields
    swept, own = _given(raw.get("sweep")), _given(raw.get("fixed"))
    shared, by_default = (
        {k: v for k, v in _given(of).items() if k in known and k not in swept}
        for of in (figure.get("fixed"), default)
    )
    shared = {k: v for k, v in shared.items() if k not in own}
    if _mapping((shared | own | swept).get("m")).get("log_of") != "n/delta":
        shared.pop("delta", None)
    held = by_default | shared | own
    if isinstance(raw.get("fixed", {}), dict):
        whole["fixed"] = _mapping(raw.get("fixed")) | held
    contests = (of.get("contest") for of in (raw, figure, default))
    whole["contest"] = next((each for each in contests if each is not None), None)
    if isinstance(raw.get("reconstructed", []), list):
        used, stated = swept | held, swept | own | shared
        names = [
            *(n for n in _texts(figure.get("reconstructed")) if n in used),
            *raw.get("reconstructed", []),
            *(n for n in _texts(default.get("reconstructed")) if n in used and n not in stated),
        ]
        if all(isinstance(name, str) for name in names):
            whole["reconstructed"] = [*dict.fromkeys(names)]
    return whole


def said_once(found: list[Fault], section: dict[str, Any], whole: dict[str, Any]) -> list[Fault]:
    """Faults of the whole section, but for those of what a panel or map takes from a figure or a
    model that has faults itself: there they are said."""
    faulty, listed = {path[:2] for path, _ in found}, first_figures(section)

    def is_said(path: tuple) -> bool:
        match path:
            case ("panels" | "phase" as kind, name, key, *rest):
                raw, said = section[kind][name], whole[kind][name]
            case _:
                return False
        of_fixed = key == "fixed" and rest
        is_own = rest[0] in _mapping(raw.get("fixed")) if of_fixed else key in raw
        if is_own or key not in said:
            return False
        sources = [("models", str(said.get("model")))]
        sources += [("figures", listed.get(name))] * (kind == "panels")
        return any({source, source[:1]} & faulty for source in sources)

    return [(path, text) for path, text in found if not is_said(path)]


def faults_of_figures(section: dict[str, Any]) -> list[Fault]:
    """Names of figures and panels that make the same files, panels in figures that are none or
    stand there twice, and figures that share without a model."""
    figures, panels = _mapping(section.get("figures")), _mapping(section.get("panels"))
    found: list[Fault] = []
    taken: dict[str, str] = {}
    for kind, entries in (("figures", figures), ("panels", panels)):
        for name in filter(NAME.fullmatch, entries):
            first = taken.setdefault(name.lower(), f"{kind}.{name}")
            if first != f"{kind}.{name}" and not RULE_NAME.fullmatch(name):
                text = f"makes the files of {first} too; choose another name"
                found.append(((kind, name), text))
    if not isinstance(section.get("panels"), dict):
        return found
    for name, figure in figures.items():
        # A longer list has been found fault with for its length.
        listed = _mapping(figure).get("panels")
        listed = listed[:MOST_PANELS] if isinstance(listed, list) else []
        for index, panel in enumerate(listed):
            text = ""
            if isinstance(panel, str) and panel not in panels:
                text = f"no panel {short_repr(panel)}; {suggestion(panel[:50], list(panels))}"
            elif panel in listed[:index]:
                text = f"{short_repr(panel)} stands there already; allowed: each panel once"
            if text:
                found.append((("figures", name, "panels", index), text))
        shared = [key for key in BY_MODEL if _mapping(figure).get(key)]
        if shared and figure.get("model") is None:
            text = f"is missing; panels share {', '.join(shared)} with those of their own model"
            found.append((("figures", name, "model"), text))
    return found
