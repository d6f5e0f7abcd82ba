"""The first paper as a study: what a run of it makes, each result declared once. A result is what
one job makes; its outputs are files."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from ...results.declaration import (
    CHECK_KIND,
    FIGURE,
    NUMBERS,
    PICTURE,
    POINTS_KIND,
    START_PAGE,
    TABLE,
    Kind,
    Output,
    Result,
    Study,
)
from ...settings.strict_model import MOST_SLICES, Job, Jobs
from .models import MODELS
from .settings.panels import IndexJob, Panel, PanelsJob, VerdictsJob
from .settings.run_panels import RunPanels
from .simulation.estimates import memory_mb, seconds

PANEL = Kind("panels", ("parquet",))
EXACT = Kind("exact", ("parquet",))
LINES_KIND = Kind("figures", NUMBERS)
"""Exact values between the points of a figure's panels."""

PAPERS_FIGURES = ("fig3", "fig4", "fig5", "fig7")

FEWEST_MINUTES = 5
TIMES_ESTIMATE = 3
"""What trials ask a cluster for, against their estimate."""


def folder_of_scale(scale: str) -> str:
    """Folder that the results of the first paper and of its judges go to."""
    return "results" if scale == "paper" else f"results/{scale}"


class SoftmaxVsLinear(Study):
    """All that a run of the first paper is made of."""

    name = "softmax_vs_linear"
    prefix = ""
    title = "Softmax against linear attention"
    kept_in = "gallery"

    def __init__(self, panels: RunPanels, jobs: Jobs, judges: Sequence[Study] = ()) -> None:
        """`judges` are the studies of the paper whose results the page of all results shows too."""
        self.panels = panels
        self.section = panels.section
        self.jobs = jobs
        self.reads_from = judges

    @property
    def folder(self) -> str:
        return folder_of_scale(self.section.scale)

    def facts(self) -> dict[str, str]:
        """The scale, the engine and the number of trials of the run, in words, by what each is."""
        return {
            "scale": self.section.scale,
            "engine": self.section.engine,
            "trials": str(self.section.trials or "each panel's own"),
        }

    def declare_results(self) -> Iterator[Result]:
        results = [
            *self._trials(),
            *self._exact_values(),
            *self._figures(),
            *self._verdicts(),
        ]
        yield from results
        results_of_judges = [judge.results.values() for judge in self.reads_from]
        yield self._index(chain(results, *results_of_judges))

    def _trials(self) -> Iterator[Result]:
        """One result for each panel: its trials, in slices where they take long."""
        for name, panel in self.panels.simulated.items():
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
        """The exact values of all panels: one job for the panels that a figure of the paper is the
        first to show, and one for each other panel."""
        groups: dict[str, list[Panel]] = {}
        for name, figure in self.panels.figure_of.items():
            group = figure if figure in PAPERS_FIGURES else name
            groups.setdefault(group, []).append(self.panels.exact[name])
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
        """One result for each figure of the configuration, and one for each panel on its own."""
        figures = {name: figure.panels for name, figure in self.section.figures.items()}
        in_figures = set(chain.from_iterable(figures.values()))
        alone = {panel: [panel] for panel in self.panels.exact}
        for name, panels in (figures | alone).items():
            title = self.panels.title_of(name)
            shown = [
                self.panels.marked[panel].with_more(trials=self.panels.simulated[panel].trials)
                for panel in panels
            ]
            yield Result(
                name=name,
                module="studies.softmax_vs_linear.figures.panel_figure",
                settings=PanelsJob(title=title, panels=shown),
                outputs={
                    "output": (Output(FIGURE, name, title, panels=tuple(panels)),),
                    "": (Output(LINES_KIND, f"{name}_lines"),),
                },
                inputs=_tables_of(panels),
                description=f"Figure {name}",
                in_default_run=name not in in_figures,
                seconds=8.0,
            )

    def _verdicts(self) -> Iterator[Result]:
        """The table of verdicts on the panels, and the check that none differs."""
        judged = "Panels of the first paper, simulated against computed"
        verdicts = Output(TABLE, "verdicts", "verdicts on the panels", judged=judged)
        yield Result(
            name="verdicts",
            module="studies.softmax_vs_linear.figures.verdicts",
            settings=VerdictsJob(
                panels=[*self.panels.marked.values()],
                level=self.section.verdicts.level,
                margin=self.section.verdicts.margin,
                panel_margins=self._panel_margins(),
            ),
            outputs={"output": (verdicts,), "": (Output(POINTS_KIND, "verdicts_points"),)},
            inputs=_tables_of(self.panels.exact),
            description="Verdicts: simulation against exact or reference values",
            seconds=8.0,
            priority=7,
        )
        yield Result(
            name="check",
            module="studies.softmax_vs_linear.figures.check",
            settings=Job(),
            outputs={"output": (Output(CHECK_KIND, "check"),)},
            inputs={"verdicts": (verdicts,)},
            description="Check: no panel differs from its exact values",
            minutes=5,
        )

    def _panel_margins(self) -> list[float]:
        """The margin of each panel: that of the settings, times the square root of the panel's own
        number of trials over that of this run."""
        panel_margins = []
        for name, panel in self.panels.simulated.items():
            own_trials = self.section.panels[name].trials
            trials_ratio = own_trials / panel.trials
            panel_margins.append(self.section.verdicts.margin * math.sqrt(trials_ratio))
        return panel_margins

    def _index(self, results: Iterable[Result]) -> Result:
        """The result that is the page of all figures and tables which a whole run makes."""
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
                elif output.kind is LINES_KIND:
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
            outputs={"output": (Output(START_PAGE, "index", is_listed=False),)},
            inputs={
                "figures": tuple(figures),
                "pictures": tuple(pictures),
                "tables": tuple(tables),
            },
            description="The page from which all results are reached",
        )

    @property
    def _verdicts_digest(self) -> str:
        """The digest of settings that the table of verdicts is to carry."""
        return self.results["verdicts"].settings.digest()

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        # Asked for only when a report is made.
        from .summary import labels

        return labels(self.panels, self._verdicts_digest, output, folder)

    def summary(self, folder: Path) -> Iterator[str]:
        from .summary import summary

        return summary(self.panels, self._verdicts_digest, folder)

    def recompute(self, folder: Path, sample: int, seed: int) -> list[str]:
        from .recompute import recompute_points

        return recompute_points(self.panels, folder, sample, seed)


def _tables_of(panels: Iterable[str]) -> dict[str, tuple[Output, ...]]:
    """The tables of trials and of exact values of some panels, by the option of a job that reads
    them."""
    names = [*panels]
    return {
        "tables": tuple(Output(PANEL, name) for name in names),
        "exact": tuple(Output(EXACT, name) for name in names),
    }
