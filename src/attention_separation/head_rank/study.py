"""The second paper as a study: what each of its jobs depends on."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from attention_separation.results.result import TABLE, Output, Result, outputs_of
from attention_separation.results.study import Study
from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Jobs

from . import results
from .settings.cells import CellJob
from .settings.jobs import (
    ClaimsJob,
    FeaturesJob,
    OverviewJob,
    TableFigureJob,
    TemperatureJob,
    TrainedCell,
    TrainedFigureJob,
    VoteJob,
)
from .settings.section import HeadRankSection, RankScale
from .settings.theory import FoundJob, PluralityJob

NUMBERS = {"temperature": TemperatureJob, "vote": VoteJob, "features": FeaturesJob}
"""Tables computed without training, and what each depends on."""


class HeadRank(Study):
    """All that a run of the second paper is made of."""

    name = "head_rank"
    prefix = "rank"
    title = "the second paper: rank of attention heads"
    category = "5 Rank of attention heads"

    def __init__(self, section: HeadRankSection, seed: int, jobs: Jobs):
        self.section, self.seed, self.jobs = section, seed, jobs

    def summary(self, folder: Path) -> Iterator[str]:
        # Asked for by people alone: a workflow does without the libraries of tables.
        from .pages.summary import summary

        return summary(self, folder)

    @property
    def chosen(self) -> RankScale:
        """The scale that is in force."""
        return self.section.scales[self.section.scale]

    @property
    def folder(self) -> str:
        scale = self.section.scale
        return f"results/head_rank{'' if scale == 'desk' else f'/{scale}'}"

    def declare_results(self) -> list[Result]:
        return list(results.declare_results(self))

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        return {"result": output.name, "of": output.title}

    def targets(self) -> dict[str, tuple[str, ...]]:
        return {
            f"rank_{grid}_part_{number}": tuple(f"rank_train_{name}" for name in cells)
            for grid, parts in self.parts.items()
            for number, cells in enumerate(parts, start=1)
            if len(parts) > 1
        }

    @cached_property
    def parts(self) -> dict[str, list[dict[str, CellJob]]]:
        """The cells of each product of each grid, by name; one cell may serve several grids."""
        grids = {
            name: [list(product.cells(self.seed)) for product in grid.products()]
            for name, grid in self.chosen.training.grids().items()
        }
        every = {job.canonical(): job for parts in grids.values() for jobs in parts for job in jobs}
        namesakes: dict[str, list[CellJob]] = {}
        for job in every.values():
            namesakes.setdefault(job.name, []).append(job)
        told_apart = {text: _told_apart(job, namesakes[job.name]) for text, job in every.items()}
        return {
            grid: [
                {job.name: job for job in (told_apart[each.canonical()] for each in jobs)}
                for jobs in parts
            ]
            for grid, parts in grids.items()
        }

    @cached_property
    def cells(self) -> dict[str, dict[str, CellJob]]:
        """The cells of each grid by name."""
        return {
            grid: {name: job for cells in parts for name, job in cells.items()}
            for grid, parts in self.parts.items()
        }

    @cached_property
    def every_cell(self) -> dict[str, CellJob]:
        """The cells of all grids by name."""
        return {name: job for cells in self.cells.values() for name, job in cells.items()}

    def numbers_job(self, name: str) -> Closed:
        """All that a table of NUMBERS depends on."""
        settings = getattr(self.chosen, name)
        return NUMBERS[name](seed=self.seed, **settings.model_dump())

    def numbers_figure_job(self, name: str, title: str) -> TableFigureJob:
        """What the figure of a table of NUMBERS depends on beside the table."""
        return TableFigureJob(title=title, table_settings=self.numbers_job(name).digest())

    def theory_jobs(self) -> dict[str, Closed]:
        """What the tables of one layer of low-rank heads depend on."""
        theory = self.chosen.theory
        return {
            "bound": theory.bound,
            "found": FoundJob(seed=self.seed, **theory.found.model_dump()),
            "plurality": PluralityJob(seed=self.seed, **theory.plurality.model_dump()),
        }

    def theory_digests(self) -> dict[str, str]:
        """The digests that these tables carry."""
        return {name: job.digest() for name, job in self.theory_jobs().items()}

    def cells_of_figures(self) -> dict[str, dict[str, CellJob]]:
        """The cells that each figure of trained transformers shows."""
        figures = {f"rank_{name}": cells for name, cells in self.cells.items()}
        heads = {
            name: job for name, job in self.cells.get("fig1", {}).items()
            if job.rank == job.model_dimension
        }  # fmt: skip
        return figures | ({"rank_fig2": heads} if heads else {})

    def figure_job(self, figure: str) -> TrainedFigureJob:
        """What such a figure depends on beside the tables of its cells."""
        return TrainedFigureJob(figure=figure, cells=_references(self.cells_of_figures()[figure]))

    def claims_job(self) -> ClaimsJob:
        """What the claims depend on beside the tables that they read."""
        return ClaimsJob(
            cells=_references(self.every_cell),
            seed=self.seed,
            scale=self.section.scale,
            margin=self.section.margin,
            level=self.section.level,
            vote=self.numbers_job("vote").digest(),
            features=self.numbers_job("features").digest(),
            temperature=self.numbers_job("temperature").digest(),
            **self.theory_digests(),
        )

    def overview_job(self, outputs: list[Output]) -> OverviewJob:
        made = {output.name: result.settings for result, output in outputs_of(self.results)}
        digests = [(output, made[output.name].digest()) for output in outputs]
        return OverviewJob(
            scale=self.section.scale,
            margin=self.section.margin,
            level=self.section.level,
            figures={output.name: text for output, text in digests if output.kind is not TABLE},
            tables={output.name: text for output, text in digests if output.kind is TABLE},
        )


def _references(cells: dict[str, CellJob]) -> list[TrainedCell]:
    return [TrainedCell(name=name, settings=job.digest()) for name, job in cells.items()]


def _told_apart(job: CellJob, namesakes: list[CellJob]) -> CellJob:
    """The job under a name that no other one has: with its batch and steps where it needs them."""
    if len(namesakes) == 1:
        return job
    name = f"{job.name}_b{job.batch}_s{job.steps}"
    if sum((each.batch, each.steps) == (job.batch, job.steps) for each in namesakes) > 1:
        name += f"_{job.digest()[:6]}"
    return job.model_copy(update={"name": name})
