"""The second paper as a study: what a run of it makes, each result declared once."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ..results.declaration import FIGURE, TABLE, Kind, Output, Result, Study
from ..settings.strict_model import Job, Jobs
from .settings.cells import CellJob
from .settings.jobs import ClaimsJob, FeaturesJob, FoundJob, PluralityJob, TemperatureJob, VoteJob
from .settings.section import HeadRankSection
from .settings.titles import FIGURES, JUDGED, LONG, NUMBERED, THEORY, UNJUDGED

NUMBERS = Kind("numbers", ("parquet",))
CELL = Kind("cells", ("parquet",))

COMPUTED = {
    "temperature": (TemperatureJob, "rank_temperature", 1000),
    "vote": (VoteJob, "rank_vote", 1000),
    # 16,384 heads at the paper's scale: their kernel and its Cholesky factor.
    "features": (FeaturesJob, "rank_random_features", 6000),
}
"""Tables computed without training: what each depends on, its figure, and the megabytes that it
asks for."""


class HeadRank(Study):
    """All that a run of the second paper is made of."""

    name = "head_rank"
    prefix = "rank"
    title = "The rank of attention heads"
    kept_in = "head_rank"

    def __init__(self, section: HeadRankSection, seed: int, jobs: Jobs):
        self.section, self.seed, self.jobs = section, seed, jobs

    def summary(self, folder: Path) -> Iterator[str]:
        """The verdicts on the claims, a line each; ValueError where there are none."""
        from ..statistics.claims import count_verdicts
        from .claims.claim import ORIGINS, SCHEMA

        rows = self.made_rows(folder, "rank_claims", SCHEMA)
        numbers = ("measured", "low", "high", "bound")
        yield f"claims on the rank of heads, at the scale {self.section.scale}"
        yield f"{'verdict':<10} {'claim':<36} {' '.join(f'{name:>9}' for name in numbers)}"
        for origin in ORIGINS:
            own = [row for row in rows if row["origin"] == origin]
            if own:
                yield f"{origin}: {count_verdicts(row['verdict'] for row in own)}"
                for row in own:
                    text = " ".join(f"{row[name]:9.3g}" if row[name] is not None else " " * 9
                                    for name in numbers)  # fmt: skip
                    of = row["deciding_case"] or row["reason"] or ""
                    yield f"{row['verdict']:<10} {row['claim']:<36} {text} {of}".rstrip()
        yield f"{folder}/figures/rank_*.{{svg,png,pdf,csv,parquet}}  the figures"
        yield f"{folder}/tables/rank_errors.html  the error of every cell"

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
        same_name: dict[str, list[CellJob]] = {}
        for job in every.values():
            same_name.setdefault(job.name, []).append(job)
        named = {text: _with_unique_name(job, same_name[job.name]) for text, job in every.items()}
        return {
            grid: [
                {job.name: job for job in (named[each.canonical()] for each in jobs)}
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

    def cells_of_figures(self) -> dict[str, dict[str, CellJob]]:
        """The cells that each figure of trained transformers shows."""
        grids = {f"rank_{name}": cells for name, cells in self.cells.items()}
        figures = {name: cells for name, cells in grids.items() if name in FIGURES}
        heads = {
            name: job for name, job in self.cells.get("fig1", {}).items()
            if job.rank == job.model_dimension
        }  # fmt: skip
        return figures | ({"rank_fig2": heads} if heads else {})

    def declare_results(self) -> Iterator[Result]:
        yield from self._computed()
        yield from self._theory()
        yield from self._trained()
        claims, errors = (Output(TABLE, name, title) for name, title in JUDGED.items())
        judged = {name: None for grid in self.cells if grid not in UNJUDGED
                  for name in self.cells[grid]}  # fmt: skip
        section = self.section
        yield Result(
            name="rank_claims",
            module="head_rank.claims.claims_table",
            settings=ClaimsJob(
                seed=self.seed, scale=section.scale, margin=section.margin, level=section.level
            ),
            outputs={"output": (claims,), "": (errors,)},
            inputs={
                "tables": tuple(Output(CELL, cell) for cell in judged),
                **{name: (Output(NUMBERS, name),) for name in COMPUTED},
                **_theory_tables(),
            },
            description="Rank of heads: claims and errors",
        )

    def _computed(self) -> Iterator[Result]:
        """Tables computed without training, each with its figure."""
        for name, (job, figure, megabytes) in COMPUTED.items():
            numbers = Output(NUMBERS, name)
            yield Result(
                name=f"{figure}_numbers",
                module=f"head_rank.constructions.{name}",
                settings=job(seed=self.seed, **getattr(self.chosen, name).model_dump()),
                outputs={"output": (numbers,)},
                description=f"Rank of heads: numbers of {figure}",
                memory_mb=megabytes,
                minutes=60,
                priority=9,
            )
            options = ("--figure", figure)
            yield _figure(figure, "construction_figures", {"table": (numbers,)}, options)
        yield _figure("rank_weight", "weight_figure")

    def _theory(self) -> Iterator[Result]:
        """The tables of one layer of low-rank heads, and the figures of them all."""
        theory, tables = self.chosen.theory, _theory_tables()
        settings = {
            "bound": theory.bound,
            "found": FoundJob(seed=self.seed, **theory.found.model_dump()),
            "plurality": PluralityJob(seed=self.seed, **theory.plurality.model_dump()),
        }
        for name, (first, *beside) in tables.items():
            yield Result(
                name=first.name,
                module=f"head_rank.theory.{name}_table",
                settings=settings[name],
                outputs={"output": (first,), "": tuple(beside)},
                description=f"Rank of heads: {first.title}",
                memory_mb=1500,
                minutes=30,
                priority=9,
            )
        first, *beside = (Output(FIGURE, name, title) for name, title in THEORY.items())
        yield Result(
            name=first.name,
            module="head_rank.figures.theory_figures",
            settings=Job(),
            outputs={"output": (first,), "": tuple(beside)},
            inputs=tables,
            description="Figures of one layer of low-rank heads",
        )

    def _trained(self) -> Iterator[Result]:
        """The cells, and the figures of them."""
        gigaflops = self.section.gigaflops
        for name, cell in self.every_cell.items():
            yield Result(
                name=f"rank_train_{name}",
                module="head_rank.training.train_cell",
                settings=cell,
                outputs={"output": (Output(CELL, name),)},
                options=("--checkpoint",),
                description=f"Training {name}: {len(cell.seeds)} runs",
                is_local=cell.training_flops() < self.jobs.local_below * gigaflops * 1e9,
                memory_mb=cell.memory_mb(),
                minutes=cell.minutes(gigaflops),
                # The longest first: so no core waits at the end.
                priority=1 + min(cell.training_flops() // 10**11, 7),
            )
        for figure, cells in self.cells_of_figures().items():
            tables = {"tables": tuple(Output(CELL, cell) for cell in cells)}
            yield _figure(figure, "training_figures", tables, ("--figure", figure))


def _figure(
    name: str, module: str, inputs: dict[str, tuple[Output, ...]] | None = None,
    options: tuple[str, ...] = (),
) -> Result:  # fmt: skip
    """A figure, which depends on its tables alone."""
    return Result(
        name=name,
        module=f"head_rank.figures.{module}",
        settings=Job(),
        outputs={"output": (Output(FIGURE, name, FIGURES[name]),)},
        inputs=inputs or {},
        options=options,
        description=f"Figure {name}",
    )


def _theory_tables() -> dict[str, tuple[Output, ...]]:
    """The tables of one layer of low-rank heads, by the option that names them."""
    bound, needed, points, found, plurality = (
        Output(TABLE, name, title, is_listed=name not in LONG) for name, title in NUMBERED.items()
    )
    return {"bound": (bound, needed, points), "found": (found,), "plurality": (plurality,)}


def _with_unique_name(job: CellJob, same_name: list[CellJob]) -> CellJob:
    """The job under a name that no other one has: with its batch and steps where it needs them."""
    if len(same_name) == 1:
        return job
    name = f"{job.name}_b{job.batch}_s{job.steps}"
    if sum((each.batch, each.steps) == (job.batch, job.steps) for each in same_name) > 1:
        name += f"_{job.digest()[:6]}"
    return job.model_copy(update={"name": name})
