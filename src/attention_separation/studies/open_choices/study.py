"""The open choices of the first paper as a study: what a run makes of them, declared once.

An *audit* is a figure or table on the first paper's panels; a *map* is a panel that sweeps two
parameters.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ...results.declaration import FIGURE, PICTURE, TABLE, Kind, Output, Result, Study, outputs_of
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.settings.panels import Panel, PanelsJob, PhaseJob
from ..softmax_vs_linear.settings.run_panels import RunPanels
from ..softmax_vs_linear.study import EXACT
from .settings import ChoicesScale, OpenChoicesSection


class OpenChoices(Study):
    """Audits of the first paper's panels, in its folder of results; each where it has a subject."""

    name = "open_choices"
    prefix = "open_choices"
    title = "Open choices of the first paper"
    kept_in = "gallery"

    def __init__(self, section: OpenChoicesSection, panels: RunPanels, folder: str) -> None:
        self.section = section
        self.panels = panels
        self._folder = folder

    @property
    def folder(self) -> str:
        return self._folder

    @property
    def most_audited(self) -> int | None:
        """At most how many panels of each figure, and maps, audits look at; None for all."""
        return self.section.scales.get(self.panels.section.scale, ChoicesScale()).audited

    @cached_property
    def audited(self) -> list[Panel]:
        """The panels that audits look at: of each figure the first, if the scale says how many."""
        seen: Counter[str] = Counter()
        audited = []
        for name, panel in self.panels.marked.items():
            figure = self.panels.figure_of[name]
            if self.most_audited is None or seen[figure] < self.most_audited:
                audited.append(panel)
            seen[figure] += 1
        return audited

    @cached_property
    def maps(self) -> list[Panel]:
        """The maps of the configuration, with what is reconstructed of them marked as in panels;
        only the first, if the scale says how many."""
        entries = [*self.section.phase.items()][: self.most_audited]
        maps = []
        for name, entry in entries:
            panel = entry.panel(name, most_values=self.panels.scale.points)
            maps.append(self.panels.with_notes(entry, panel))
        return maps

    def kept_part(self, output: Output, table: Any) -> Any:
        # Asked for only when a run is kept.
        from .kept_parts import KEPT_PARTS

        if output.name in KEPT_PARTS:
            return KEPT_PARTS[output.name](table)
        return super().kept_part(output, table)

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        if output.kind is TABLE:
            return {"table": output.title}
        return {"figure": output.name, **output.labels}

    def summary(self, folder: Path) -> Iterator[str]:
        """The figures and tables of a run in a folder, a line each; ValueError if there is none."""
        made = [
            output
            for _, output in outputs_of(self.results)
            if (folder / output.path(output.page)).exists()
        ]
        if not made:
            raise ValueError(f"{folder}: no audits there; run `snakemake {self.prefix}` first")
        for output in made:
            yield f"{folder / output.path(output.page)}  {output.title or output.labels['swept']}"

    def declare_results(self) -> Iterator[Result]:
        yield self._high_probability()
        yield from self._thresholds()
        yield self._choices()
        if self.maps:
            yield self._phase()

    def _high_probability(self) -> Result:
        """The table of which events occur with high probability, on all panels."""
        exact_values = tuple(
            Output(EXACT, name, settings=panel) for name, panel in self.panels.exact.items()
        )
        return Result(
            name="whp",
            module="studies.open_choices.whp",
            settings=PanelsJob(panels=[*self.panels.marked.values()]),
            outputs={"output": (Output(TABLE, "whp", "with high probability?"),)},
            inputs={"exact": exact_values},
            description="With high probability: which events are",
        )

    def _thresholds(self) -> Iterator[Result]:
        """The two audits of thresholds, on panels that do not sweep them: of each network alone,
        and in attention of all with the same; none where there is no such panel."""
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
        panels_of_attention = [
            panel.with_more(figure=self.panels.title_of(self.panels.figure_of[panel.name]))
            for panel in panels
            if MODELS[panel.model].has_maps and len(panel.sweep) == 1
        ]
        if panels_of_attention:
            swept = "every panel's and τ/√log n"
            yield Result(
                name="theta",
                module="studies.open_choices.theta",
                settings=PanelsJob(panels=panels_of_attention),
                outputs={"output": _drawn("theta", "attention", swept, "exact")},
                description="Success against the threshold, all networks with the same",
                seconds=10.0,
                priority=4,
            )

    def _choices(self) -> Result:
        """The figure and table of how far each open choice moves the panels."""
        panels = [
            panel.with_more(figure=self.panels.figure_of[panel.name], seed=self.panels.seed)
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

    def _phase(self) -> Result:
        """The figure of the maps, with the panels whose points are marked on it."""
        models = {entry.model for entry in self.maps}
        marked = [panel for panel in self.panels.exact.values() if panel.model in models]
        return Result(
            name="phase",
            module="studies.open_choices.phase",
            settings=PhaseJob(panels=self.maps, marked=marked),
            outputs={"output": _drawn("phase", "attention", "pairs", "exact")},
            description="Phase maps: exact values beyond the grids",
            seconds=10.0,
            priority=2,
        )


def _drawn(
    name: str, model: str, swept: str, verdict: str, kind: Kind = FIGURE
) -> tuple[Output, ...]:
    """The output of a figure that is of no single panel, with what stands beside it in a report's
    list: the model, what is swept, and how it is computed (`verdict`)."""
    return (Output(kind, name, labels={"model": model, "swept": swept, "verdict": verdict}),)


def _figure_and_table(name: str, of: str, verdict: str) -> dict[str, tuple[Output, ...]]:
    """The outputs, by option, of a job that writes a figure of all models' panels and the table of
    its numbers, whose title is `of`."""
    return {
        "figure": _drawn(name, "all", "every panel's", verdict, PICTURE),
        "table": (Output(TABLE, name, of, is_listed=False),),
    }
