"""The needle as a study: what each of its jobs depends on."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from attention_separation.own_kernels.section import OwnKernel
from attention_separation.results.result import TABLE, Output, Result, outputs_of
from attention_separation.results.study import Study
from attention_separation.settings.jobs import Jobs

from . import results
from .settings.cells import NeedleCell
from .settings.jobs import CellsJob, ClaimsJob, FigureJob, LinesJob, OverviewJob, TrainedCell
from .settings.section import NeedleScale, NeedleSection

EXACT = "needle_exact"
"""The result that is made without training at every scale."""


class Needle(Study):
    """All that a run makes of the needle."""

    name = "needle"
    prefix = "needle"
    title = "the needle: noise on every token"
    category = "4 The needle"

    def __init__(self, section: NeedleSection, seed: int, jobs: Jobs, own: Mapping[str, OwnKernel]):
        self.section, self.seed, self.jobs, self.own_kernels = section, seed, jobs, own

    @property
    def chosen(self) -> NeedleScale:
        """The scale that is in force."""
        return self.section.scales[self.section.scale]

    @property
    def folder(self) -> str:
        scale = self.section.scale
        return f"results/needle{'' if scale == 'desk' else f'/{scale}'}"

    def declare_results(self) -> list[Result]:
        return list(results.declare_results(self))

    def targets(self) -> dict[str, tuple[str, ...]]:
        untrained = () if self.cells else tuple(self.results)
        return {"needle_lines": untrained or (EXACT,)}

    @cached_property
    def cells(self) -> dict[str, NeedleCell]:
        """The cells of networks that are trained, by name."""
        training = self.chosen.training
        cells = training.cells(self.section.data, self.seed, self.own_kernels) if training else ()
        return {cell.name: cell for cell in cells}

    def cells_job(self) -> CellsJob:
        """What the table of all networks depends on beside the cells' tables."""
        return CellsJob(
            cells=[
                TrainedCell(name=name, settings=cell.digest()) for name, cell in self.cells.items()
            ]
        )

    @property
    def _cells_digest(self) -> str | None:
        return self.cells_job().digest() if self.cells else None

    def lines_job(self) -> LinesJob:
        """All that the tables of lines depend on."""
        return LinesJob(**self.chosen.exact.model_dump())

    def figure_job(self, title: str) -> FigureJob:
        """What a figure of lines depends on beside their table."""
        lines = self.lines_job().digest()
        return FigureJob(title=title, lines=lines, cells=self._cells_digest)

    def claims_job(self) -> ClaimsJob:
        """What the claims depend on beside the tables that they read."""
        section = self.section
        return ClaimsJob(
            data=section.data,
            another_x=section.another_x,
            level=section.level,
            lines=self.lines_job().digest(),
            cells=self._cells_digest,
        )

    def overview_job(self, outputs: list[Output]) -> OverviewJob:
        # By path: a figure may have the name of a table.
        made = {output.path(): result.settings for result, output in outputs_of(self.results)}
        digests = [(output, made[output.path()].digest()) for output in outputs]
        return OverviewJob(
            scale=self.section.scale,
            figures={output.name: text for output, text in digests if output.kind is not TABLE},
            tables={output.name: text for output, text in digests if output.kind is TABLE},
        )

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        return {"result": output.name, "of": output.title}

    def summary(self, folder: Path) -> Iterator[str]:
        # Asked for by people alone: a workflow does without the libraries of tables.
        from .pages.summary import summary

        return summary(self, folder)
