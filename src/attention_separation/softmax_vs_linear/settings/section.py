"""The section `softmax_vs_linear` of the configuration: figures, what panels take from them and
from their models, what judges them, and names that refer to nothing."""

import re
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, create_model, model_validator

from attention_separation.settings.closed import Closed, Count
from attention_separation.settings.faults import NAME, NO_NAME, Fault, shortened
from attention_separation.settings.words import shown, suggestion

from ..models import MODELS
from ..models.contest import PAPERS, Contest
from ..models.model import Model, Trials
from .claims import ClaimsJob
from .panels import RECONSTRUCTED, AnyMap, AnyPanel, Engine, class_name

MOST_PANELS = 26
"""Panels of a figure: each has a letter."""

BY_MODEL = ("fixed", "trials", "contest", "reconstructed")
"""What a figure shares with its panels of one model."""

RULE_NAME = re.compile(
    r"all|report|provenance|manifest|check|verdicts|claims|whp|choices"
    r"|threshold|theta|phase|figure|kernel_.*"
    r"|(simulate|slice|exact|rank|kernels|needle)(_.*)?"
)


class Figure(Closed):
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

    @model_validator(mode="before")
    @classmethod
    def _without_parameters(cls, values: Any) -> Any:
        # Of a model that is unknown or missing, which is a fault of its own.
        if cls is Figure and isinstance(values, dict):
            return {key: value for key, value in values.items() if key != "fixed"}
        return values


def _figure_model(model: Model) -> type[Figure]:
    return create_model(
        f"{class_name(model)}Figure",
        __base__=Figure,
        model=(
            Literal[model.name],
            Field(description="model of the panels that share what follows"),
        ),
        fixed=(
            model.parameters,
            Field(
                default=model.parameters(),
                description="parameters that its panels of this model hold fixed",
            ),
        ),
    )


NO_MODEL = "<no model>"


def _figure_kind(values: Any) -> str:
    model = values.get("model") if isinstance(values, dict) else getattr(values, "model", None)
    return model if isinstance(model, str) and model in MODELS else NO_MODEL


AnyFigure = Annotated[
    Union[
        Annotated[Figure, Tag(NO_MODEL)],
        *(Annotated[_figure_model(model), Tag(name)] for name, model in MODELS.items()),
    ],
    Discriminator(_figure_kind),
]


def _defaults_model(model: Model) -> type[Closed]:
    return create_model(
        f"{model.parameters.__name__}Defaults",
        __base__=model.parameters,
        contest=(
            Contest,
            Field(default=PAPERS, description="who fires and who is silent; the paper's"),
        ),
        reconstructed=RECONSTRUCTED,
        notes=(
            list[str],
            Field(default=[], description="what figures say of the model; * marks reconstructed"),
        ),
    )


ScaleTrials = create_model(
    "ScaleTrials",
    __base__=Closed,
    **{
        model: (Trials | None, Field(default=None, description="trials per point"))
        for model in MODELS
    },
)
Defaults = create_model(
    "Defaults",
    __base__=Closed,
    **{
        name: (_defaults_model(model), Field(description=f"what panels of {name} hold fixed"))
        for name, model in MODELS.items()
    },
)


class Scale(Closed):
    """A size of the whole workflow."""

    trials: ScaleTrials = Field(
        default=ScaleTrials(), description="trials instead of the panels' own"
    )
    points: Count | None = Field(default=None, description="at most so many values of each sweep")


class Verdicts(Closed):
    """How simulation is held against exact values."""

    level: Annotated[float, Field(ge=1e-9, le=0.5)] = Field(
        description="family-wise level of all tests together"
    )
    margin: Annotated[float, Field(ge=1e-6, le=1)] = Field(
        description="a panel agrees if its mean rate is within this of the exact mean; at the "
        "panel's own trials, and smaller as the square root of more trials"
    )


class SoftmaxVsLinearSection(Closed):
    """Softmax against linear attention: the first paper."""

    scale: str = Field(
        description="which of its scales; every scale but `paper` writes to results/SCALE"
    )
    scales: dict[str, Scale] = Field(description="sizes of all that this paper's run makes")
    engine: Engine = Field(
        description="reduced: distinct attention rows; dense: the definitions, literally"
    )
    trials: Trials | None = Field(description="trials of every point, if not null", default=None)
    models: Defaults = Field(description="what the panels of a model hold fixed by default")
    figures: dict[str, AnyFigure] = Field(description="figures, each of some panels")
    panels: dict[str, AnyPanel] = Field(description="panels, each a sweep of a model")
    verdicts: Verdicts = Field(description="how simulation is held against exact values")
    claims: ClaimsJob = Field(description="where the paper's claims are evaluated")
    phase: dict[str, AnyMap] = Field(description="maps of exact values over two parameters")


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
    if kind == "panels" and isinstance(raw.get("reconstructed", []), list):
        used, stated = swept | held, swept | own | shared
        names = [
            *(n for n in _texts(figure.get("reconstructed")) if n in used),
            *raw.get("reconstructed", []),
            *(n for n in _texts(default.get("reconstructed")) if n in used and n not in stated),
        ]
        if all(isinstance(name, str) for name in names):
            whole["reconstructed"] = [*dict.fromkeys(names)]
    return whole


def said_once(found: list[Fault], section: dict[str, Any]) -> list[Fault]:
    """Faults of a section that has been spelled out, but for those of what a panel or map takes
    from a figure or a model that has faults itself: there they are said."""
    faulty = {path[:2] for path, _ in found}
    listed, whole = first_figures(section), spelled_out(section)

    def is_said(path: tuple) -> bool:
        if len(path) < 3 or path[0] not in ("panels", "phase"):
            return False
        kind, name, *below = path
        sources = [("models", str(whole[kind][name].get("model")))]
        sources += [("figures", listed.get(name))] * (kind == "panels")
        inherits = not _is_own(below, section[kind][name], whole[kind][name])
        return inherits and any({source, source[:1]} & faulty for source in sources)

    return [(path, text) for path, text in found if not is_said(path)]


def _is_own(below: list, raw: dict[str, Any], whole: dict[str, Any]) -> bool:
    """Whether a path below a panel leads to what the panel says itself, or nobody does."""
    match below:
        case ["fixed", name, *_]:
            return name in _mapping(raw.get("fixed"))
        case [key, *_]:
            return key in raw or key not in whole
    return True


def name_faults(section: dict[str, Any]) -> list[Fault]:
    """Names in a section that has been spelled out that refer to nothing, or cannot name a rule, a
    file or a folder."""
    sections = {
        key: section[key]
        for key in ("phase", "figures", "panels")
        if isinstance(section.get(key), dict)
    }
    found: list[Fault] = []
    taken: dict[str, str] = {}
    for kind, entries in sections.items():
        for name in entries:
            if not NAME.fullmatch(name):
                found.append(((kind, name), NO_NAME))
            elif kind == "phase":
                continue
            elif RULE_NAME.fullmatch(name):
                found.append(((kind, name), "is the name of a rule; choose another"))
            elif name.lower() in taken:
                text = f"makes the files of {taken[name.lower()]} too; choose another name"
                found.append(((kind, name), text))
            taken.setdefault(name.lower(), f"{kind}.{name}")
    if "panels" in sections:
        for name, figure in sections.get("figures", {}).items():
            found += _figure_faults(name, _mapping(figure), list(sections["panels"]))
    return found + _reconstructed_faults(section)


def _figure_faults(name: str, figure: dict[str, Any], panels: list[str]) -> list[Fault]:
    """Panels that are none or stand there twice, and what panels share without a model."""
    path = ("figures", name, "panels")
    found = []
    listed = figure.get("panels")
    # A longer list has been found fault with for its length.
    listed = listed[:MOST_PANELS] if isinstance(listed, list) else []
    for index, panel in enumerate(listed):
        if isinstance(panel, str) and panel not in panels:
            text = f"no panel {shown(panel)}; {suggestion(panel[:50], panels)}"
            found.append(((*path, index), text))
        elif panel in listed[:index]:
            text = f"{shown(panel)} stands there already; allowed: each panel once"
            found.append(((*path, index), text))
    found = shortened(path, found)
    shared = [key for key in BY_MODEL if figure.get(key)]
    if shared and figure.get("model") is None:
        text = f"is missing; panels share {', '.join(shared)} with those of their own model"
        found.append((("figures", name, "model"), text))
    return found


def _reconstructed_faults(section: dict[str, Any]) -> list[Fault]:
    """Names under `reconstructed`, of models, figures and panels, that are no parameters."""
    places = [(("models", k), k, entry) for k, entry in _mapping(section.get("models")).items()]
    for kind in ("figures", "panels"):
        for name, entry in _mapping(section.get(kind)).items():
            places.append(((kind, name), _mapping(entry).get("model"), entry))
    found = []
    for path, model, entry in places:
        if isinstance(model, str) and model in MODELS:
            known = list(MODELS[model].parameters.model_fields)
            path = (*path, "reconstructed")
            wrong = [
                (path, f"{shown(name)} is no parameter; {suggestion(name[:50], known)}")
                for name in _texts(_mapping(entry).get("reconstructed"))
                if name not in known
            ]
            found += shortened(path, wrong)
    return found
