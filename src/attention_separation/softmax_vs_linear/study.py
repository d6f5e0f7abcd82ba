"""The first paper as a study: what each of its jobs depends on."""

import math
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from attention_separation.results.result import FIGURE, TABLE, Output, Result
from attention_separation.results.study import Study
from attention_separation.settings.jobs import MOST_SLICES, Jobs

from . import results
from .models import MODELS
from .models.contest import other_contests
from .settings.claims import ClaimsJob
from .settings.inherited import AnyFigure, with_defaults
from .settings.jobs import (
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
from .settings.panels import ExactPanel, Panel, PanelJob, Sweep, points, without_trials
from .settings.reconstruction import marked_notes, reconstruction
from .settings.section import SoftmaxVsLinearSection
from .simulation.estimates import memory_mb, seconds


def _once(method: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """A method of a name that is computed once for each: a workflow asks for it many times."""

    @wraps(method)
    def known(self: Any, name: str) -> Any:
        key = method.__name__, name
        if key not in self._known:
            self._known[key] = method(self, name)
        return self._known[key]

    return known


class SoftmaxVsLinear(Study):
    """All that a run of the first paper is made of."""

    name = "softmax_vs_linear"
    prefix = ""
    title = "the answer in numbers"
    category = None

    def __init__(self, section: SoftmaxVsLinearSection, seed: int, jobs: Jobs):
        self.section, self.seed, self.jobs = section, seed, jobs
        self._known: dict[tuple[str, str], Any] = {}

    @property
    def folder(self) -> str:
        scale = self.section.scale
        return "results" if scale == "paper" else f"results/{scale}"

    def facts(self) -> dict[str, str]:
        """What a reader asks first of a run."""
        trials = self.section.trials or "each panel's own"
        return {
            "scale": self.section.scale,
            "engine": self.section.engine,
            "trials": str(trials),
        }

    def declare_results(self) -> list[Result]:
        return list(results.declare_results(self))

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        # Asked for only when a report is made.
        from .pages.labels import labels

        return labels(self, output, folder)

    def summary(self, folder: Path) -> Iterator[str]:
        from .pages.summary import summary

        return summary(self, folder)

    def recompute(self, folder: Path, sample: int, seed: int) -> list[str]:
        from .recompute import recompute_points

        return recompute_points(self, folder, sample, seed)

    @_once
    def panel_job(self, name: str) -> PanelJob:
        """All that the table of a panel depends on."""
        panel = self.section.panels[name]
        scale = self.section.scales[self.section.scale]
        trials = self.section.trials or getattr(scale.trials, panel.model) or panel.trials
        whole = self._whole(name)
        return PanelJob(
            name=name,
            panel=whole.model_copy(update={"trials": trials, "reconstructed": []}),
            seed=self.seed,
            engine=self.section.engine,
            points=scale.points,
        )

    @_once
    def _whole(self, name: str) -> Panel:
        """A panel with what its figure and its model give it."""
        panel = self.section.panels[name]
        return with_defaults(panel, getattr(self.section.models, panel.model), self._shared(name))

    def _shared(self, name: str) -> AnyFigure | None:
        """The figure that a panel takes from what it does not say itself, if there is one."""
        figure = self.section.figures.get(self.figure_of()[name])
        return figure if figure and figure.model == self.section.panels[name].model else None

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
            notes=getattr(self.section.models, self.section.panels[name].model).notes,
        )  # fmt: skip

    def exact_job(self, panels: list[str]) -> ExactJob:
        """What the exact values of some panels depend on."""
        return ExactJob(panels=[self.exact_panel(name) for name in panels])

    def figure_job(self, name: str, panels: list[str]) -> FigureJob:
        """All that a figure depends on beside its panels' tables; a panel alone is a figure too."""
        if name in self.section.figures:
            title = self.section.figures[name].title
        else:
            title = f"{name}: {MODELS[self.section.panels[name].model].words}"
        jobs = {panel: self.panel_job(panel) for panel in panels}
        looks = [
            PanelLook(
                name=panel,
                panel=jobs[panel].panel,
                reconstructed=self.reconstructed(panel),
                notes=getattr(self.section.models, self.section.panels[panel].model).notes,
            )
            for panel in panels
        ]
        return FigureJob(title=title, panels=looks)

    def verdicts_job(self) -> VerdictsJob:
        """All that the verdicts depend on beside the panels' tables."""
        panels = []
        for name, panel in self.section.panels.items():
            job = self.panel_job(name)
            panels.append(
                PanelToJudge(
                    name=name,
                    contest=job.panel.contest,
                    margin=self.section.verdicts.margin
                    * math.sqrt(panel.trials / job.panel.trials),
                    reconstructed=self.reconstruction(name),
                )
            )
        return VerdictsJob(
            level=self.section.verdicts.level, margin=self.section.verdicts.margin, panels=panels
        )

    def figure_of(self) -> dict[str, str]:
        """The first figure that shows each panel; a panel in none is shown alone."""
        shown = {name: name for name in self.section.panels}
        for figure, entry in reversed(self.section.figures.items()):
            shown |= dict.fromkeys(entry.panels, figure)
        return shown

    def claims_job(self) -> ClaimsJob:
        """All that the audit of the claims depends on."""
        return self.section.claims

    def whp_job(self) -> WhpJob:
        """All panels, for where their events are with high probability."""
        return WhpJob(
            panels=[
                PanelOfWhp(exact=self.exact_panel(name), reconstructed=self.reconstruction(name))
                for name in self.section.panels
            ]
        )

    def choices_job(self) -> ChoicesJob:
        """All panels, for the effects of the open choices on them."""
        panels = []
        for name, panel in self.section.panels.items():
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
                for name, panel in self.section.panels.items()
                if not {*panel.swept()} & {"theta", "tau"}
            ]
        )

    def theta_job(self) -> ThetaJob:
        """The panels of attention that sweep one parameter other than the threshold, by figure."""
        rows: dict[str, list[MarkedPanel]] = {}
        for name, figure in self.figure_of().items():
            panel = self.section.panels[name]
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
                self._phase_map(
                    name, with_defaults(entry, getattr(self.section.models, entry.model))
                )
                for name, entry in self.section.phase.items()
            ],
            marked=[
                self.exact_panel(name)
                for name, panel in self.section.panels.items()
                if panel.model in {entry.model for entry in self.section.phase.values()}
            ],
            points=self.section.scales[self.section.scale].points,
        )

    def _phase_map(self, name: str, whole: Sweep) -> PhaseMap:
        """A map chooses its own numbers: marked is what no panel of its model and X has stated."""
        defaults = getattr(self.section.models, whole.model)
        alike = [
            {*self.reconstructed(panel)}
            for panel, own in self.section.panels.items()
            if own.model == whole.model
            and self.panel_job(panel).panel.held()["attention_x"] == whole.held()["attention_x"]
        ]
        by_default = {key for key, value in defaults if value is not None and key in whole.held()}
        marked = set.intersection(*alike) if alike else {*defaults.reconstructed}
        return PhaseMap(
            name=name, map=whole, reconstructed=sorted(marked & by_default), notes=defaults.notes
        )

    def overview_job(self, outputs: list[Output]) -> OverviewJob:
        """What the report's overview depends on, for the figures and tables that it is to show."""
        digests = self.page_digests(outputs)
        drawn_by_audits = {
            output.name: digests["figures"][output.name]
            for output in outputs
            if output.kind is FIGURE and not output.panels
        }
        return OverviewJob(
            scale=self.section.scale,
            figures=[
                self._shown_figure(output, digests["figures"][output.name])
                for output in outputs
                if output.kind is not TABLE
            ],
            tables=drawn_by_audits | digests["tables"],
            models={name: panel.model for name, panel in self.section.panels.items()},
            contests=other_contests(
                {name: self._whole(name).contest for name in self.section.panels}
            ),
            map_contests=other_contests(
                {entry.name: entry.map.contest for entry in self.phase_job().maps}
            ),
            reconstructed={name: self.reconstruction(name) for name in self.section.panels},
        )

    def _shown_figure(self, output: Output, settings: str) -> ShownFigure:
        panels = list(output.panels)
        if not panels:
            return ShownFigure(name=output.name)
        job = self.figure_job(output.name, panels)
        marked = {p for panel in panels for p in self.reconstructed(panel)}
        notes = {note for panel in panels for note in self.reconstructed_notes(panel)}
        return ShownFigure(
            name=output.name, title=job.title, settings=settings, panels=panels,
            contests=[look.contest for look in job.panels],
            reconstructed=[*sorted(marked), *sorted(notes)],
        )  # fmt: skip

    @_once
    def reconstructed(self, name: str) -> list[str]:
        """Parameters of a panel whose value the paper does not state."""
        panel, figure = self.section.panels[name], self._shared(name)
        defaults = getattr(self.section.models, panel.model)
        own = panel.swept().keys() | panel.held().keys()
        held = self._whole(name).held().keys() | own
        of_figure = [p for p in figure.reconstructed if p in held] if figure else []
        if figure:
            own |= figure.held(panel).keys()
        by_default = [p for p in defaults.reconstructed if p not in own]
        return [*dict.fromkeys([*of_figure, *panel.reconstructed, *by_default])]

    def reconstructed_notes(self, name: str) -> list[str]:
        """What else of a panel's model the paper does not state, in words."""
        return marked_notes(getattr(self.section.models, self.section.panels[name].model).notes)

    def reconstruction(self, name: str) -> str:
        """All that is reconstructed of a panel, as one text."""
        notes = getattr(self.section.models, self.section.panels[name].model).notes
        return reconstruction(self.reconstructed(name), notes)
