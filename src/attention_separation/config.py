"""The configuration: config.yaml and overrides, checked as a whole before anything runs."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError, create_model

from attention_separation.faults import ConfigError, dotted, sentences, shown, suggestion
from attention_separation.settings import Closed, Count, Whole
from attention_separation.softmax_vs_linear import cross_attention, regression, self_attention
from attention_separation.softmax_vs_linear.panels import (
    MODELS,
    PANELS,
    PARAMETERS,
    Engine,
    FigureJob,
    Panel,
    PanelJob,
    PanelLook,
    Point,
    faults,
    points,
)
from attention_separation.yaml_file import YamlError, parse_yaml, read_yaml

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
RULE_NAME = re.compile(r"all|rank|report|gallery|check|simulate_.*")
MOST_POINTS = 100_000
MOST_FAULTY_POINTS = 2

CHECKS = {
    "regression": lambda point: regression.check(point.n),
    "self_attention": lambda point: self_attention.check(point.n, point.d),
    "cross_attention": lambda point: cross_attention.check(point.n, point.d),
}


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


ScaleTrials = create_model(
    "ScaleTrials",
    __base__=Closed,
    **{
        model: (Count | None, Field(default=None, description="trials per point"))
        for model in MODELS
    },
)
Defaults = create_model(
    "Defaults",
    __base__=Closed,
    **{
        m: (_defaults_model(m), Field(description=f"what panels of {m} hold fixed")) for m in MODELS
    },
)


class Scale(Closed):
    """A size of the whole workflow."""

    trials: ScaleTrials = Field(
        default=ScaleTrials(), description="trials instead of the panels' own"
    )
    points: Count | None = Field(default=None, description="at most so many values of each sweep")


class Figure(Closed):
    """A figure: its panels in order."""

    title: str = Field(description="what stands above the figure")
    panels: Annotated[list[str], Field(min_length=1)] = Field(description="names of its panels")


class Config(Closed):
    """All settings."""

    seed: Annotated[Whole, Field(ge=0)] = Field(description="root of all random streams")
    scale: str = Field(description="one of the scales")
    engine: Engine = Field(description="how trials are computed")
    trials: Count | None = Field(default=None, description="trials of every point, if not null")
    scales: dict[str, Scale] = Field(description="sizes of the whole workflow")
    models: Defaults = Field(description="what the panels of a model hold fixed by default")
    figures: dict[str, Figure] = Field(description="figures, each of some panels")
    panels: dict[str, Panel] = Field(description="panels, each a sweep of a model")

    @property
    def results(self) -> str:
        """Folder that the results of this scale go to."""
        return "results" if self.scale == "paper" else f"results/{self.scale}"

    def panel_job(self, name: str) -> PanelJob:
        """All that the table of a panel depends on."""
        panel = self.panels[name]
        scale = self.scales[self.scale]
        trials = self.trials or getattr(scale.trials, panel.model) or panel.trials
        whole = _with_defaults(panel, getattr(self.models, panel.model))
        return PanelJob(
            name=name,
            panel=whole.model_copy(update={"trials": trials}),
            seed=self.seed,
            engine=self.engine,
            points=scale.points,
        )

    def figure_job(self, name: str, panels: list[str]) -> FigureJob:
        """All that a figure depends on beside its panels' tables; a panel alone is a figure too."""
        if name in self.figures:
            title = self.figures[name].title
        else:
            title = f"{name}: {self.panels[name].model.replace('_', '-')}"
        looks = [
            PanelLook(
                name=panel,
                panel=self.panel_job(panel).panel,
                reconstructed=self.reconstructed(panel),
                notes=getattr(self.models, self.panels[panel].model).notes,
            )
            for panel in panels
        ]
        return FigureJob(title=title, panels=looks)

    def reconstructed(self, name: str) -> list[str]:
        """Parameters of a panel whose value the paper does not state."""
        panel = self.panels[name]
        defaults = getattr(self.models, panel.model)
        own = panel.swept().keys() | panel.held().keys()
        return [*panel.reconstructed, *(p for p in defaults.reconstructed if p not in own)]


def load_config(path: Path, overrides: dict[str, Any] | None = None) -> Config:
    """Read config.yaml, let the overrides beat it, and check everything.

    Raises
    ------
    ConfigError
        Listing every fault with its path, the value that stands there and what is allowed.
    """
    try:
        values = read_yaml(path)
    except YamlError as error:
        raise ConfigError(str(error).splitlines(), path.name) from error
    if not isinstance(values, dict):
        raise ConfigError([f"{shown(values)} is no mapping of settings"], path.name)
    overrides = _typed(overrides or {})
    return _checked(_merged(values, overrides), overrides, path.name)


def _checked(values: dict[str, Any], overrides: dict[str, Any], source: str) -> Config:
    found: list[tuple[tuple, str]] = []
    config = None
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        found = sentences(error, Config)
    spoilt = {path[:2] for path, _ in found}
    found += _panel_faults(values, spoilt)
    found += _name_faults(values)
    if found:
        raise ConfigError([_line(path, text, overrides) for path, text in found], source)
    return config


def _line(path: tuple, text: str, overrides: dict[str, Any]) -> str:
    by_hand = path and path[0] in overrides
    return f"{'--config ' if by_hand else ''}{dotted(path)}: {text}"


def _panel_faults(values: dict[str, Any], spoilt: set[tuple]) -> list[tuple[tuple, str]]:
    """Faults between the parameters of each panel that is free of simpler ones."""
    found = []
    panels = values.get("panels")
    for name, raw in panels.items() if isinstance(panels, dict) else ():
        model = raw.get("model") if isinstance(raw, dict) else None
        if model not in MODELS or ("panels", name) in spoilt or ("models", model) in spoilt:
            continue
        if not isinstance(values.get("models"), dict):
            continue
        panel = PANELS[model].model_validate(raw)
        defaults = TypeAdapter(_defaults_model(model)).validate_python(values["models"][model])
        whole = _with_defaults(panel, defaults)
        own = faults(whole) or _point_faults(whole)
        for fault in own:
            key, _, text = fault.partition(": ")
            found.append((("panels", name, *key.split(".")), text))
    return found


def _with_defaults(panel: Any, defaults: Closed) -> Any:
    held = {
        k: v for k, v in defaults if v is not None and k in PARAMETERS[panel.model].model_fields
    }
    held = {k: v for k, v in held.items() if k not in panel.swept()} | panel.held()
    return panel.model_copy(update={"fixed": PARAMETERS[panel.model].model_construct(**held)})


def _point_faults(panel: Any) -> list[str]:
    """Points that break a definition's structure; the keys of the swept parameters before each."""
    key = "sweep." + ".".join(panel.swept())
    count = 1
    for grid in panel.swept().values():
        count *= len(grid if isinstance(grid, list) else grid.numbers())
    if count > MOST_POINTS:
        return [f"{key}: makes {count} points; allowed: at most {MOST_POINTS}"]
    found = []
    for point in points(panel):
        try:
            CHECKS[panel.model](point)
            _check_m(point)
        except ValueError as error:
            found.append(f"{key}: {error}")
    if len(found) > MOST_FAULTY_POINTS:
        rest = len(found) - MOST_FAULTY_POINTS
        found[MOST_FAULTY_POINTS:] = [f"{key}: and {rest} more points like these"]
    return found


def _check_m(point: Point) -> None:
    if point.m < 1:
        raise ValueError(f"m={point.m}: a network has at least one sign column")


def _name_faults(values: dict[str, Any]) -> list[tuple[tuple, str]]:
    """Names that refer to nothing, or cannot name a rule or a file."""
    sections = {
        key: values[key] if isinstance(values.get(key), dict) else {}
        for key in ("scales", "figures", "panels")
    }
    found: list[tuple[tuple, str]] = []
    scale = values.get("scale")
    if isinstance(scale, str) and scale not in sections["scales"]:
        hint = suggestion(scale, list(sections["scales"]))
        found.append((("scale",), f"{scale!r} is not among the scales; {hint}"))
    for section, entries in sections.items():
        for name in entries:
            if not NAME.fullmatch(str(name)):
                text = "is no name; allowed: letters, digits and _, a letter first"
                found.append(((section, name), text))
            elif section != "scales" and RULE_NAME.fullmatch(str(name)):
                found.append(((section, name), "is the name of a rule; choose another"))
    for name in sections["figures"].keys() & sections["panels"].keys():
        found.append((("figures", name), "is the name of a panel too; choose another"))
    for name, figure in sections["figures"].items():
        listed = figure.get("panels") if isinstance(figure, dict) else None
        for index, panel in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(panel, str) and panel not in sections["panels"]:
                hint = suggestion(panel, list(sections["panels"]))
                found.append((("figures", name, "panels", index), f"no panel {panel!r}; {hint}"))
    return found


def _merged(base: Any, over: Any) -> Any:
    """Mappings key by key, anything else replaced; null removes nothing, it is a value."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: _merged(base.get(key), value) for key, value in over.items()}


def _typed(value: Any) -> Any:
    """Texts inside overrides read as YAML: the command line hands nested values over as text."""
    if isinstance(value, dict):
        return {key: _typed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner) for inner in value]
    if isinstance(value, str):
        try:
            return parse_yaml(value, "override")
        except YamlError:
            return value
    return value
