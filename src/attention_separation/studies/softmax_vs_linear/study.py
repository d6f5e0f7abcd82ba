"""The first paper as a study: what a run of it makes, each result declared once."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from ...results.declaration import (
    CHECK,
    FIGURE,
    NUMBERS,
    PICTURE,
    POINTS,
    START,
    TABLE,
    Kind,
    Output,
    Result,
    Study,
)
from ...settings.strict_model import MOST_SLICES, Job, Jobs
from .models import MODELS
from .settings.panels import IndexJob, Panel, PanelsJob, PhaseJob, Sweep, VerdictsJob
from .settings.section import SoftmaxVsLinearSection
from .simulation.estimates import memory_mb, seconds

PANEL = Kind("panels", ("parquet",))
EXACT = Kind("exact", ("parquet",))
LINES = Kind("figures", NUMBERS)
"""Exact values between the points of a figure's panels."""

PAPERS_FIGURES = ("fig3", "fig4", "fig5", "fig7")

FEWEST_MINUTES = 5
TIMES_ESTIMATE = 3
"""What trials ask a cluster for, against their estimate."""


class SoftmaxVsLinear(Study):
    """All that a run of the first paper is made of."""

    name = "softmax_vs_linear"
    prefix = ""
    title = "Softmax against linear attention"
    kept_in = "gallery"

    def __init__(self, section: SoftmaxVsLinearSection, seed: int, jobs: Jobs) -> None:
        self.section = section
        self.seed = seed
        self.jobs = jobs

    @property
    def folder(self) -> str:
        scale = self.section.scale
        return "results" if scale == "paper" else f"results/{scale}"

    def facts(self) -> dict[str, str]:
        """What a reader asks first of a run."""
        return {
            "scale": self.section.scale,
            "engine": self.section.engine,
            "trials": str(self.section.trials or "each panel's own"),
        }

    @cached_property
    def exact(self) -> dict[str, Panel]:
        """The panels with what their exact values depend on."""
        return {
            name: entry.panel(name, most_values=self.chosen.points)
            for name, entry in self.section.panels.items()
        }

    @cached_property
    def simulated(self) -> dict[str, Panel]:
        """The panels with what their trials depend on."""
        section = self.section
        simulated = {}
        for name, panel in self.exact.items():
            own_trials = section.panels[name].trials
            trials_of_scale = getattr(self.chosen.trials, panel.model)
            trials = section.trials or trials_of_scale or own_trials
            simulated[name] = panel.with_more(trials=trials, seed=self.seed, engine=section.engine)
        return simulated

    @cached_property
    def marked(self) -> dict[str, Panel]:
        """The panels with what the paper does not state of them."""
        return {
            name: self._with_marks(self.section.panels[name], panel)
            for name, panel in self.exact.items()
        }

    @cached_property
    def audited(self) -> list[Panel]:
        """The panels that audits look at: of each figure the first, if the scale says how many."""
        seen: Counter[str] = Counter()
        audited = []
        for name, panel in self.marked.items():
            figure = self.figure_of[name]
            if self.chosen.audited is None or seen[figure] < self.chosen.audited:
                audited.append(panel)
            seen[figure] += 1
        return audited

    @cached_property
    def maps(self) -> list[Panel]:
        """The maps, marked likewise; the first, if the scale says how many."""
        entries = [*self.section.phase.items()][: self.chosen.audited]
        return [
            self._with_marks(entry, entry.panel(name, most_values=self.chosen.points))
            for name, entry in entries
        ]

    def _with_marks(self, entry: Sweep, panel: Panel) -> Panel:
        notes = getattr(self.section.models, panel.model).notes
        return panel.with_more(reconstructed=entry.reconstructed, notes=notes)

    @cached_property
    def figure_of(self) -> dict[str, str]:
        """The first figure that shows each panel; a panel in none is shown alone."""
        shown = {name: name for name in self.section.panels}
        for figure, entry in reversed(self.section.figures.items()):
            shown |= dict.fromkeys(entry.panels, figure)
        return shown

    def title_of(self, figure: str) -> str:
        """What stands above a figure, or above a panel alone."""
        if figure in self.section.figures:
            return self.section.figures[figure].title
        return f"{figure}: {MODELS[self.exact[figure].model].words}"

    def declare_results(self) -> Iterator[Result]:
        results = [
            *self._trials(),
            *self._exact_values(),
            *self._figures(),
            *self._verdicts(),
            *self._audits(),
        ]
        yield from results
        yield self._index(results)

    def _trials(self) -> Iterator[Result]:
        for name, panel in self.simulated.items():
            points = panel.points()
            duration = seconds(panel.engine, points, panel.trials)
            by_time = math.ceil(duration / self.jobs.slice_seconds)
            slices = self.jobs.slices or min(by_time, MOST_SLICES)
            yield Result(
                name=f"simulate_{name}",
                module="studies.softmax_vs_linear.simulation.simulate",
                settings=panel,
                outputs={"output": (Output(PANEL, name),)},
                description=f"Panel {name}: trials",
                slices=slices,
                is_local=slices > 1 or duration < self.jobs.local_below,
                memory_mb=memory_mb(panel.engine, points),
                minutes=max(FEWEST_MINUTES, int(TIMES_ESTIMATE * duration / slices / 60) + 1),
                seconds=duration / slices,
                priority=8 if MODELS[panel.model].has_maps else 9,
            )

    def _exact_values(self) -> Iterator[Result]:
        """Those of the panels that a figure of the paper is the first to show by one job; those of
        each other panel by its own."""
        groups: dict[str, list[Panel]] = {}
        for name, figure in self.figure_of.items():
            group = figure if figure in PAPERS_FIGURES else name
            groups.setdefault(group, []).append(self.exact[name])
        for name, panels in groups.items():
            # The exact values of one panel depend on it alone.
            outputs = tuple(Output(EXACT, panel.name, settings=panel) for panel in panels)
            yield Result(
                name=f"exact_{name}",
                module="studies.softmax_vs_linear.exact.compute",
                settings=PanelsJob(panels=panels),
                outputs={"outputs": outputs},
                description=f"Exact values: {name}",
                priority=8,
            )

    def _figures(self) -> Iterator[Result]:
        """The figures of the configuration, and every panel on its own."""
        figures = {name: figure.panels for name, figure in self.section.figures.items()}
        in_figures = set(chain.from_iterable(figures.values()))
        alone = {panel: [panel] for panel in self.exact}
        for name, panels in (figures | alone).items():
            title = self.title_of(name)
            shown = [
                self.marked[panel].with_more(trials=self.simulated[panel].trials)
                for panel in panels
            ]
            yield Result(
                name=name,
                module="studies.softmax_vs_linear.figures.panel_figure",
                settings=PanelsJob(title=title, panels=shown),
                outputs={
                    "output": (Output(FIGURE, name, title, panels=tuple(panels)),),
                    "": (Output(LINES, f"{name}_lines"),),
                },
                inputs=_tables_of(panels),
                description=f"Figure {name}",
                in_default_run=name not in in_figures,
                seconds=8.0,
            )

    def _verdicts(self) -> Iterator[Result]:
        judged = "Panels of the first paper, simulated against computed"
        verdicts = Output(TABLE, "verdicts", "verdicts on the panels", judged=judged)
        yield Result(
            name="verdicts",
            module="studies.softmax_vs_linear.figures.verdicts",
            settings=VerdictsJob(
                panels=[*self.marked.values()],
                level=self.section.verdicts.level,
                margin=self.section.verdicts.margin,
                panel_margins=self._panel_margins(),
            ),
            outputs={"output": (verdicts,), "": (Output(POINTS, "verdicts_points"),)},
            inputs=_tables_of(self.exact),
            description="Verdicts: simulation against exact or reference values",
            seconds=8.0,
            priority=7,
        )
        yield Result(
            name="check",
            module="studies.softmax_vs_linear.figures.check",
            settings=Job(),
            outputs={"output": (Output(CHECK, "check"),)},
            inputs={"verdicts": (verdicts,)},
            description="Check: no panel differs from its exact values",
            minutes=5,
        )

    def _panel_margins(self) -> list[float]:
        """The margin of each panel: that of the settings is at the panel's own trials, and it is
        smaller as the square root of more trials."""
        panel_margins = []
        for name, panel in self.simulated.items():
            own_trials = self.section.panels[name].trials
            trials_ratio = own_trials / panel.trials
            panel_margins.append(self.section.verdicts.margin * math.sqrt(trials_ratio))
        return panel_margins

    def _audits(self) -> Iterator[Result]:
        """What exact values tell beyond the figures; each where it has a subject."""
        judged = "Bounds that the first paper states"
        yield Result(
            name="claims",
            module="studies.lemmas.claims_table",
            settings=self.section.claims.at_most(self.chosen.audited, self.chosen.claims),
            outputs={
                "output": (Output(TABLE, "claims", "claims of the paper", judged=judged),),
                "otherwise": (Output(TABLE, "claims_readings", "other bounds than δ/n"),),
            },
            description="Claims of the paper, evaluated",
            seconds=20.0,
            priority=3,
        )
        yield Result(
            name="whp",
            module="studies.open_choices.whp",
            settings=PanelsJob(panels=[*self.marked.values()]),
            outputs={"output": (Output(TABLE, "whp", "with high probability?"),)},
            inputs={"exact": _tables_of(self.exact)["exact"]},
            description="With high probability: which events are",
        )
        yield from self._thresholds()
        yield self._choices()
        if self.maps:
            models = {entry.model for entry in self.maps}
            marked = [panel for panel in self.exact.values() if panel.model in models]
            yield Result(
                name="phase",
                module="studies.open_choices.phase",
                settings=PhaseJob(panels=self.maps, marked=marked),
                outputs={"output": _drawn("phase", "attention", "pairs", "exact")},
                description="Phase maps: exact values beyond the grids",
                seconds=10.0,
                priority=2,
            )

    def _thresholds(self) -> Iterator[Result]:
        """Audits of thresholds, on panels that do not sweep them."""
        panels = [panel for panel in self.audited if not {"theta", "tau"} & panel.sweep.keys()]
        if panels:
            verdict = "exact; Figure 3: equal entries of Ax"
            yield Result(
                name="threshold",
                module="studies.open_choices.threshold",
                settings=PanelsJob(panels=panels),
                outputs=_figure_and_table("threshold", "best thresholds", verdict),
                description="Thresholds: what each network alone can do",
                seconds=10.0,
                priority=4,
            )
        of_attention = [
            panel.with_more(figure=self.title_of(self.figure_of[panel.name]))
            for panel in panels
            if MODELS[panel.model].has_maps and len(panel.sweep) == 1
        ]
        if of_attention:
            swept = "every panel's and τ/√log n"
            yield Result(
                name="theta",
                module="studies.open_choices.theta",
                settings=PanelsJob(panels=of_attention),
                outputs={"output": _drawn("theta", "attention", swept, "exact")},
                description="Success against the threshold, all networks with the same",
                seconds=10.0,
                priority=4,
            )

    def _choices(self) -> Result:
        panels = [
            panel.with_more(figure=self.figure_of[panel.name], seed=self.seed)
            for panel in self.audited
        ]
        return Result(
            name="choices",
            module="studies.open_choices.choices",
            settings=PanelsJob(panels=panels),
            outputs=_figure_and_table(
                "choices", "open choices", "exact; Figure 3: reference values; V: trials"
            ),
            description="Open choices: how far each moves the figures",
            priority=2,
        )

    def kept_part(self, output: Output, table: Any) -> Any:
        # Asked for only when a run is kept.
        from .kept_parts import KEPT_PARTS

        if output.name in KEPT_PARTS:
            return KEPT_PARTS[output.name](table)
        return super().kept_part(output, table)

    def _index(self, results: Iterable[Result]) -> Result:
        """The page from which all that a whole run makes is reached."""
        figures = []
        pictures = []
        tables = []
        titles: dict[str, str] = {}
        beside: dict[str, dict[str, list[str]]] = {}
        for result in results:
            if not result.in_default_run:
                continue
            for output in result.all_outputs():
                titles[output.name] = output.title or titles.get(output.name, result.description)
                if output.kind is TABLE:
                    tables.append(output)
                elif output.kind is FIGURE and output.panels:
                    figures.append(output)
                elif output.kind is FIGURE:
                    pictures.append(output)
                elif output.kind is PICTURE:
                    beside[output.name] = {"picture": output.paths()}
                elif output.kind is LINES:
                    beside[result.name] = {"lines": output.paths()}
        shown = [output.name for output in (*figures, *pictures, *tables)]
        return Result(
            name="index",
            module="studies.index_page",
            settings=IndexJob(
                scale=self.section.scale,
                engine=self.section.engine,
                titles={name: titles[name] for name in shown},
                panels={figure.name: list(figure.panels) for figure in figures},
                beside=beside,
            ),
            outputs={"output": (Output(START, "index", is_listed=False),)},
            inputs={
                "figures": tuple(figures),
                "pictures": tuple(pictures),
                "tables": tuple(tables),
            },
            description="The page from which all results are reached",
        )

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        # Asked for only when a report is made.
        from .summary import labels

        return labels(self, output, folder)

    def summary(self, folder: Path) -> Iterator[str]:
        from .summary import summary

        return summary(self, folder)

    def recompute(self, folder: Path, sample: int, seed: int) -> list[str]:
        from .recompute import recompute_points

        return recompute_points(self, folder, sample, seed)


def _drawn(
    name: str, model: str, swept: str, verdict: str, kind: Kind = FIGURE
) -> tuple[Output, ...]:
    """A figure that is of no panels, with what stands beside it in a report's list."""
    return (Output(kind, name, labels={"model": model, "swept": swept, "verdict": verdict}),)


def _figure_and_table(name: str, of: str, verdict: str) -> dict[str, tuple[Output, ...]]:
    """A figure of all models' panels, and the table of its numbers."""
    return {
        "figure": _drawn(name, "all", "every panel's", verdict, PICTURE),
        "table": (Output(TABLE, name, of, is_listed=False),),
    }


def _tables_of(panels: Iterable[str]) -> dict[str, tuple[Output, ...]]:
    names = [*panels]
    return {
        "tables": tuple(Output(PANEL, name) for name in names),
        "exact": tuple(Output(EXACT, name) for name in names),
    }
