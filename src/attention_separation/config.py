"""The configuration: config.yaml and overrides, checked as a whole before anything runs."""

import math
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PrivateAttr, ValidationError, create_model

from attention_separation.head_rank.study import HeadRank
from attention_separation.settings.canonical import canonical_json, digest
from attention_separation.settings.closed import Closed, Count, Whole
from attention_separation.settings.faults import ConfigError, dotted, sentences, shown, unsayable
from attention_separation.settings.yaml_file import YamlError, parse_yaml, read_yaml
from attention_separation.softmax_vs_linear.claims.job import ClaimsJob
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.models.contest import other_contests
from attention_separation.softmax_vs_linear.models.parameters import Trials
from attention_separation.softmax_vs_linear.settings.inherited import (
    DEFAULTS,
    AnyFigure,
    with_defaults,
)
from attention_separation.softmax_vs_linear.settings.jobs import (
    ChoicesJob,
    ExactJob,
    FigureJob,
    MarkedPanel,
    OverviewJob,
    PanelLook,
    PanelOfWhp,
    PanelToJudge,
    PhaseJob,
    PhaseMap,
    ShownFigure,
    ThetaJob,
    ThetaRow,
    ThresholdJob,
    VerdictsJob,
    WhpJob,
)
from attention_separation.softmax_vs_linear.settings.name_faults import name_faults
from attention_separation.softmax_vs_linear.settings.panel_faults import (
    first_figures,
    panel_faults,
    with_shared,
)
from attention_separation.softmax_vs_linear.settings.panels import (
    Engine,
    ExactPanel,
    Panel,
    PanelJob,
    Sweep,
    points,
    without_trials,
)
from attention_separation.softmax_vs_linear.settings.reconstruction import (
    marked_notes,
    reconstruction,
)
from attention_separation.softmax_vs_linear.simulation.estimates import memory_mb, seconds

MOST_SLICES = 1000
MOST_SEED = 10**18

TEXTS = ("title", "notes")
"""Settings that are text even where they look like numbers."""


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
    **{m: (DEFAULTS[m], Field(description=f"what panels of {m} hold fixed")) for m in MODELS},
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


class Jobs(Closed):
    """How work is cut into jobs; no result depends on it."""

    slice_seconds: Annotated[float, Field(ge=1, le=10**6)] = Field(
        description="trials estimated to take longer on one core are cut into slices, each a job"
    )
    slices: Annotated[Whole, Field(ge=1, le=MOST_SLICES)] | None = Field(
        default=None, description="slices of every panel, instead of by time"
    )
    local_below: Annotated[float, Field(ge=0, le=10**6)] = Field(
        description="on a cluster, jobs estimated to take fewer seconds run where snakemake does"
    )


def _once(method: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """A method of a name that is computed once for each: a workflow asks for it many times."""

    @wraps(method)
    def known(self: Any, name: str) -> Any:
        key = method.__name__, name
        if key not in self._known:
            self._known[key] = method(self, name)
        return self._known[key]

    return known


class Config(Closed):
    """All settings."""

    _known: dict[tuple[str, str], Any] = PrivateAttr(default_factory=dict)

    seed: Annotated[Whole, Field(ge=0, le=MOST_SEED)] = Field(
        description="root of all random streams; another seed, other draws"
    )
    scale: str = Field(
        description="which of `scales`; every scale but `paper` writes to results/SCALE"
    )
    engine: Engine = Field(
        description="reduced: distinct attention rows; dense: the definitions, literally"
    )
    trials: Trials | None = Field(default=None, description="trials of every point, if not null")
    scales: dict[str, Scale] = Field(description="sizes of the whole workflow")
    jobs: Jobs = Field(description="how work is cut into jobs; no result depends on it")
    models: Defaults = Field(description="what the panels of a model hold fixed by default")
    figures: dict[str, AnyFigure] = Field(description="figures, each of some panels")
    panels: dict[str, Panel] = Field(description="panels, each a sweep of a model")
    verdicts: Verdicts = Field(description="how simulation is held against exact values")
    claims: ClaimsJob = Field(description="where the paper's claims are evaluated")
    phase: dict[str, Sweep] = Field(description="maps of exact values over two parameters")
    head_rank: HeadRank = Field(description="the second paper: the rank of attention heads")

    def model_copy(self, **changes: Any) -> "Config":
        """A copy that knows nothing of what was computed for the original."""
        copied = super().model_copy(**changes)
        copied._known = {}
        return copied

    @property
    def results(self) -> str:
        """Folder that the results of this scale go to."""
        return "results" if self.scale == "paper" else f"results/{self.scale}"

    @_once
    def panel_job(self, name: str) -> PanelJob:
        """All that the table of a panel depends on."""
        panel = self.panels[name]
        scale = self.scales[self.scale]
        trials = self.trials or getattr(scale.trials, panel.model) or panel.trials
        whole = self._whole(name)
        return PanelJob(
            name=name,
            panel=whole.model_copy(update={"trials": trials, "reconstructed": []}),
            seed=self.seed,
            engine=self.engine,
            points=scale.points,
        )

    @_once
    def _whole(self, name: str) -> Panel:
        """A panel with what its figure and its model give it."""
        panel = self.panels[name]
        return with_defaults(panel, getattr(self.models, panel.model), self._shared(name))

    def _shared(self, name: str) -> AnyFigure | None:
        """The figure that a panel takes from what it does not say itself, if there is one."""
        figure = self.figures.get(self.figure_of()[name])
        return figure if figure and figure.model == self.panels[name].model else None

    @_once
    def panel_seconds(self, name: str) -> float:
        """About how long the trials of a panel take on one core."""
        job = self.panel_job(name)
        return seconds(job.engine, points(job.panel, job.points), job.panel.trials)

    def panel_memory_mb(self, name: str) -> int:
        """Megabytes that a job with trials of a panel asks for."""
        job = self.panel_job(name)
        return memory_mb(job.engine, points(job.panel, job.points))

    def panel_slices(self, name: str) -> int:
        """Into how many slices the trials of a panel are cut."""
        by_time = math.ceil(self.panel_seconds(name) / self.jobs.slice_seconds)
        return self.jobs.slices or min(by_time, MOST_SLICES)

    @_once
    def exact_panel(self, name: str) -> ExactPanel:
        """All that the exact values of a panel depend on: trials, seed and engine do not count."""
        job = self.panel_job(name)
        return ExactPanel(name=name, panel=without_trials(job.panel), points=job.points)

    @_once
    def marked_panel(self, name: str) -> MarkedPanel:
        """The points of a panel, and what is reconstructed of it."""
        exact = self.exact_panel(name)
        return MarkedPanel(
            name=name, panel=exact.panel, points=exact.points,
            reconstructed=self.reconstructed(name),
            notes=getattr(self.models, self.panels[name].model).notes,
        )  # fmt: skip

    def exact_job(self, panels: list[str]) -> ExactJob:
        """What the exact values of some panels depend on."""
        return ExactJob(panels=[self.exact_panel(name) for name in panels])

    def figure_job(self, name: str, panels: list[str]) -> FigureJob:
        """All that a figure depends on beside its panels' tables; a panel alone is a figure too."""
        if name in self.figures:
            title = self.figures[name].title
        else:
            title = f"{name}: {MODELS[self.panels[name].model].words}"
        jobs = {panel: self.panel_job(panel) for panel in panels}
        looks = [
            PanelLook(
                name=panel,
                panel=jobs[panel].panel,
                reconstructed=self.reconstructed(panel),
                notes=getattr(self.models, self.panels[panel].model).notes,
                table_settings=digest(jobs[panel].canonical()),
                exact_settings=digest(self.exact_panel(panel).canonical()),
            )
            for panel in panels
        ]
        return FigureJob(title=title, panels=looks)

    def verdicts_job(self) -> VerdictsJob:
        """All that the verdicts depend on beside the panels' tables."""
        panels = []
        for name, panel in self.panels.items():
            job = self.panel_job(name)
            panels.append(
                PanelToJudge(
                    name=name,
                    contest=job.panel.contest,
                    table_settings=digest(job.canonical()),
                    exact_settings=digest(self.exact_panel(name).canonical()),
                    margin=self.verdicts.margin * math.sqrt(panel.trials / job.panel.trials),
                    reconstructed=self.reconstruction(name),
                )
            )
        return VerdictsJob(level=self.verdicts.level, margin=self.verdicts.margin, panels=panels)

    def figure_of(self) -> dict[str, str]:
        """The first figure that shows each panel; a panel in none is shown alone."""
        shown = {name: name for name in self.panels}
        for figure, entry in reversed(self.figures.items()):
            shown |= dict.fromkeys(entry.panels, figure)
        return shown

    def claims_job(self) -> ClaimsJob:
        """All that the audit of the claims depends on."""
        return self.claims

    def whp_job(self) -> WhpJob:
        """All panels, for where their events are with high probability."""
        return WhpJob(
            panels=[
                PanelOfWhp(exact=self.exact_panel(name), reconstructed=self.reconstruction(name))
                for name in self.panels
            ]
        )

    def choices_job(self) -> ChoicesJob:
        """All panels, for the effects of the open choices on them."""
        panels = []
        for name, panel in self.panels.items():
            marked = self.marked_panel(name)
            most = MODELS[panel.model].most_alternatives
            if most is not None:
                most = min(marked.points or most, most)
                marked = marked.model_copy(update={"points": most})
            panels.append(marked)
        return ChoicesJob(panels=panels, figures=self.figure_of())

    def threshold_job(self) -> ThresholdJob:
        """The panels, but those that sweep the threshold itself."""
        return ThresholdJob(
            panels=[
                self.marked_panel(name)
                for name, panel in self.panels.items()
                if not {*panel.swept()} & {"theta", "tau"}
            ]
        )

    def theta_job(self) -> ThetaJob:
        """The panels of attention that sweep one parameter other than the threshold, by figure."""
        rows: dict[str, list[MarkedPanel]] = {}
        for name, figure in self.figure_of().items():
            panel = self.panels[name]
            if (
                MODELS[panel.model].has_maps
                and len(panel.swept()) == 1
                and "theta" not in panel.swept()
            ):
                rows.setdefault(figure, []).append(self.marked_panel(name))
        return ThetaJob(
            rows=[
                ThetaRow(title=self.figure_job(figure, [panels[0].name]).title, panels=panels)
                for figure, panels in rows.items()
            ]
        )

    def phase_job(self) -> PhaseJob:
        """The maps, and the panels whose points are marked on them."""
        return PhaseJob(
            maps=[
                self._phase_map(name, with_defaults(entry, getattr(self.models, entry.model)))
                for name, entry in self.phase.items()
            ],
            marked=[
                self.exact_panel(name)
                for name, panel in self.panels.items()
                if panel.model in {entry.model for entry in self.phase.values()}
            ],
            points=self.scales[self.scale].points,
        )

    def _phase_map(self, name: str, whole: Sweep) -> PhaseMap:
        """A map chooses its own numbers: marked is what no panel of its model and X has stated."""
        defaults = getattr(self.models, whole.model)
        alike = [
            {*self.reconstructed(panel)}
            for panel, own in self.panels.items()
            if own.model == whole.model
            and self.panel_job(panel).panel.held()["attention_x"] == whole.held()["attention_x"]
        ]
        by_default = {key for key, value in defaults if value is not None and key in whole.held()}
        marked = set.intersection(*alike) if alike else {*defaults.reconstructed}
        return PhaseMap(
            name=name, map=whole, reconstructed=sorted(marked & by_default), notes=defaults.notes
        )

    def overview_job(self, figures: dict[str, list[str]], tables: list[str]) -> OverviewJob:
        """What the report's overview depends on beside the files that it reads: `figures` are
        those to show, each with its panels (none for audits and drawings), `tables` those made."""
        shown = []
        for name, panels in figures.items():
            if panels:
                job = self.figure_job(name, panels)
                marked = {p for panel in panels for p in self.reconstructed(panel)}
                notes = {note for panel in panels for note in self.reconstructed_notes(panel)}
                entry = ShownFigure(
                    name=name, title=job.title, settings=digest_of(job), panels=panels,
                    contests=[look.contest for look in job.panels],
                    reconstructed=[*sorted(marked), *sorted(notes)],
                )  # fmt: skip
            else:
                entry = ShownFigure(name=name)
            shown.append(entry)
        jobs = {
            "verdicts": self.verdicts_job,
            "claims": self.claims_job,
            "whp": self.whp_job,
            "choices": self.choices_job,
            "threshold": self.threshold_job,
            "phase": self.phase_job,
            "theta": self.theta_job,
        }
        return OverviewJob(
            scale=self.scale,
            figures=shown,
            tables={name: digest_of(jobs[name]()) for name in tables},
            models={name: panel.model for name, panel in self.panels.items()},
            contests=other_contests({name: self._whole(name).contest for name in self.panels}),
            map_contests=other_contests(
                {entry.name: entry.map.contest for entry in self.phase_job().maps}
            ),
            reconstructed={name: self.reconstruction(name) for name in self.panels},
        )

    @_once
    def reconstructed(self, name: str) -> list[str]:
        """Parameters of a panel whose value the paper does not state."""
        panel, figure = self.panels[name], self._shared(name)
        defaults = getattr(self.models, panel.model)
        own = panel.swept().keys() | panel.held().keys()
        held = self._whole(name).held().keys() | own
        of_figure = [p for p in figure.reconstructed if p in held] if figure else []
        if figure:
            own |= figure.held(panel).keys()
        by_default = [p for p in defaults.reconstructed if p not in own]
        return [*dict.fromkeys([*of_figure, *panel.reconstructed, *by_default])]

    def reconstructed_notes(self, name: str) -> list[str]:
        """What else of a panel's model the paper does not state, in words."""
        return marked_notes(getattr(self.models, self.panels[name].model).notes)

    def reconstruction(self, name: str) -> str:
        """All that is reconstructed of a panel, as one text."""
        notes = getattr(self.models, self.panels[name].model).notes
        return reconstruction(self.reconstructed(name), notes)


def canonical(job: Closed) -> str:
    """The one text of a job's settings."""
    return canonical_json(job.model_dump(mode="json", by_alias=True, exclude_none=True))


def digest_of(job: Closed) -> str:
    """Digest of a job's settings: what the tables that it writes carry."""
    return digest(canonical(job))


def load_config(
    path: Path, overrides: dict[str, Any] | None = None, origin: str = "--config"
) -> Config:
    """Read config.yaml, let the overrides beat it, and check everything.

    `origin` says, before the path of a fault in them, where the overrides come from.

    Raises
    ------
    ConfigError
        Listing every fault with its path, the value that stands there and what is allowed.
    """
    try:
        values = read_yaml(path)
    except YamlError as error:
        raise ConfigError(str(error).splitlines(), path.name) from error
    if values is None:
        raise ConfigError(["the file is empty"], path.name)
    if not isinstance(values, dict):
        raise ConfigError([f"{shown(values)} is no mapping of settings"], path.name)
    overrides = overrides or {}
    if not isinstance(overrides, dict):
        raise ConfigError([f"{shown(overrides)} is no mapping of settings"], origin.rstrip(":"))
    overrides = _typed(overrides)
    return _checked(_merged(values, overrides), overrides, path.name, origin)


def overrides_of(texts: list[str]) -> dict[str, Any]:
    """Overrides from texts KEY=VALUE, values in YAML, as after Snakemake's --config.

    Raises
    ------
    ConfigError
        If a text has no =, or its value is no YAML.
    """
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError([f"{shown(text)} is no KEY=VALUE"], "--config")
        try:
            found[key] = parse_yaml(value, key)
        except YamlError as error:
            raise ConfigError(str(error).splitlines(), "--config") from error
    return found


def _checked(values: dict[str, Any], overrides: dict[str, Any], source: str, origin: str) -> Config:
    found = unsayable(values)
    if found:
        raise _error(found, overrides, source, origin)
    config, written = None, values
    values = with_shared(values)
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        # What a panel takes from its figure is the figure's fault alone.
        found = [fault for fault in sentences(error, Config) if _is_written(fault[0], written)]
    spoilt = {path[:2] for path, _ in found}
    found += panel_faults(values, spoilt)
    found += name_faults(values)
    if found:
        raise _error(found, overrides, source, origin)
    return config


def _is_written(path: tuple, written: dict[str, Any]) -> bool:
    """Whether a path of a panel's model or trials leads to what the panel itself says, or lacks."""
    if len(path) < 3 or path[0] != "panels" or path[2] not in ("model", "trials"):
        return True
    shown = first_figures(written).get(path[1])
    return (
        shown is None
        or path[2] in written["panels"][path[1]]
        or (written["figures"][shown].get(path[2]) is None)
    )


def _error(
    found: list[tuple[tuple, str]], overrides: dict[str, Any], source: str, origin: str
) -> ConfigError:  # fmt: skip
    return ConfigError([_line(path, text, overrides, origin) for path, text in found], source)


def _line(path: tuple, text: str, overrides: dict[str, Any], origin: str) -> str:
    by_hand = path and path[0] in overrides
    return f"{f'{origin} ' if by_hand else ''}{dotted(path)}: {text}"


def _merged(base: Any, over: Any) -> Any:
    """Mappings key by key, anything else replaced; null removes nothing, it is a value."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: _merged(base.get(key), value) for key, value in over.items()}


def _typed(value: Any, key: str = "") -> Any:
    """Numbers and null inside overrides: the command line hands nested ones over as text."""
    if isinstance(value, dict):
        return {key: _typed(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner, key) for inner in value]
    if isinstance(value, str) and key not in TEXTS:
        try:
            read = parse_yaml(value, "override")
        except YamlError:
            return value
        return read if read is None or isinstance(read, int | float) else value
    return value
