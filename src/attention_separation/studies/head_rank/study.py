"""The second paper as a study: what a run of it makes, each result declared once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from ...results.declaration import (
    CELL,
    FIGURE,
    TABLE,
    Kind,
    Output,
    Result,
    Study,
    figure_of_tables,
)
from ...settings.strict_model import Job, Jobs
from .settings.cells import CellJob
from .settings.jobs import (
    ClaimsJob,
    FeaturesJob,
    FoundJob,
    LayersJob,
    PluralityJob,
    TemperatureJob,
    VoteJob,
)
from .settings.section import HeadRankSection
from .settings.titles import (
    FIGURE_TITLES,
    JUDGED_TITLES,
    NUMBERED,
    THEORY_TITLES,
    UNJUDGED,
    UNLISTED_TABLES,
)

NUMBERS_KIND = Kind("numbers", ("parquet",))


@dataclass(frozen=True)
class Computed:
    """A table computed without training: what it depends on, its figure, and the megabytes that its
    job asks for."""

    job: type[TemperatureJob | VoteJob | FeaturesJob]
    figure: str
    memory_mb: int


COMPUTED_TABLES = {
    "temperature": Computed(TemperatureJob, "rank_temperature", memory_mb=1000),
    "vote": Computed(VoteJob, "rank_vote", memory_mb=1000),
    # 16,384 heads at the paper's scale: their kernel and its Cholesky factor.
    "features": Computed(FeaturesJob, "rank_random_features", memory_mb=6000),
}

KEPT_OF_RUNS = ("d", "n", "layers", "width", "rank", "run", "test_error", "dead")
"""Columns that docs/ keeps of the runs at other d."""

SUMMARY_NUMBERS = ("measured", "low", "high", "bound")
"""Columns of the table of claims that a summary shows."""


class HeadRank(Study):
    """All that a run of the second paper is made of."""

    name = "head_rank"
    prefix = "rank"
    title = "The rank of attention heads"
    kept_in = "head_rank"

    def __init__(self, section: HeadRankSection, seed: int, jobs: Jobs):
        self.section = section
        self.seed = seed
        self.jobs = jobs

    def summary(self, folder: Path) -> Iterator[str]:
        """The verdicts on the claims, a line each; ValueError where there are none."""
        from ...statistics.claims import count_verdicts
        from .claims.claim import ORIGINS, SCHEMA

        rows = self.made_rows(folder, "rank_claims", SCHEMA)
        columns = " ".join(f"{name:>9}" for name in SUMMARY_NUMBERS)
        yield f"claims on the rank of heads, at the scale {self.section.scale}"
        yield f"{'verdict':<10} {'claim':<36} {columns}"
        for origin in ORIGINS:
            claims = [row for row in rows if row["origin"] == origin]
            if claims:
                yield f"{origin}: {count_verdicts(row['verdict'] for row in claims)}"
                yield from map(_claim_line, claims)
        yield f"{folder}/figures/rank_*.{{svg,png,pdf,csv,parquet}}  the figures"
        yield f"{folder}/tables/rank_errors.html  the error of every cell"

    def kept_part(self, output: Output, table: Any) -> Any:
        """The part of a result's table that docs/ keeps: of the runs at other d some columns."""
        if output.name == "rank_dimension":
            return table.select(KEPT_OF_RUNS)
        return super().kept_part(output, table)

    def targets(self) -> dict[str, tuple[str, ...]]:
        """The training rules of each part of a grid that has several, by the target's name."""
        targets = {}
        for grid, parts in self.parts.items():
            if len(parts) > 1:
                for number, cells in enumerate(parts, start=1):
                    rules = tuple(f"rank_train_{name}" for name in cells)
                    targets[f"rank_{grid}_part_{number}"] = rules
        return targets

    @cached_property
    def parts(self) -> dict[str, list[dict[str, CellJob]]]:
        """The cells of each product of each grid, by name; one cell may serve several grids."""
        parts_of_grids = {
            name: [list(product.cells(self.seed)) for product in grid.products()]
            for name, grid in self.chosen.training.grids().items()
        }
        cells: list[CellJob] = []
        for parts in parts_of_grids.values():
            cells += chain.from_iterable(parts)
        named_cells = _with_unique_names(cells)
        return {
            grid: [_by_name(named_cells[cell.canonical()] for cell in part) for part in parts]
            for grid, parts in parts_of_grids.items()
        }

    @cached_property
    def cells(self) -> dict[str, dict[str, CellJob]]:
        """The cells of each grid by name."""
        return {
            grid: _by_name(chain.from_iterable(part.values() for part in parts))
            for grid, parts in self.parts.items()
        }

    @cached_property
    def every_cell(self) -> dict[str, CellJob]:
        """The cells of all grids by name."""
        return _by_name(chain.from_iterable(cells.values() for cells in self.cells.values()))

    def cells_of_figures(self) -> dict[str, dict[str, CellJob]]:
        """The cells that each figure of trained transformers shows."""
        figures = {
            f"rank_{grid}": cells
            for grid, cells in self.cells.items()
            if f"rank_{grid}" in FIGURE_TITLES
        }
        full_rank_heads = {
            name: cell
            for name, cell in self.cells.get("fig1", {}).items()
            if cell.rank == cell.model_dimension
        }
        if full_rank_heads:
            figures["rank_fig2"] = full_rank_heads
        return figures

    def declare_results(self) -> Iterator[Result]:
        """The results of the study: of constructions, theory, training and claims."""
        yield from self._computed()
        yield from self._theory()
        yield from self._trained()
        yield self._claims()

    def _claims(self) -> Result:
        """The result with the table of claims, and beside it that of the errors of all cells."""
        judged_cells: dict[str, CellJob] = {}
        for grid, cells in self.cells.items():
            if grid not in UNJUDGED:
                judged_cells |= cells
        judged = "Claims of the second paper, judged on runs and constructions made here"
        claims = Output(TABLE, "rank_claims", JUDGED_TITLES["rank_claims"], judged=judged)
        errors = Output(TABLE, "rank_errors", JUDGED_TITLES["rank_errors"])
        section = self.section
        return Result(
            name="rank_claims",
            module="studies.head_rank.claims.claims_table",
            settings=ClaimsJob(
                seed=self.seed, scale=section.scale, margin=section.margin, level=section.level
            ),
            outputs={"output": (claims,), "": (errors,)},
            inputs={
                "tables": tuple(Output(CELL, name) for name in judged_cells),
                **{name: (Output(NUMBERS_KIND, name),) for name in COMPUTED_TABLES},
                **_theory_tables(),
            },
            description="Rank of heads: claims and errors",
        )

    def _computed(self) -> Iterator[Result]:
        """The results computed without training: tables, each with its figure."""
        for name, computed in COMPUTED_TABLES.items():
            figure = computed.figure
            numbers = Output(NUMBERS_KIND, name)
            settings = getattr(self.chosen, name)
            yield Result(
                name=f"{figure}_numbers",
                module=f"studies.head_rank.constructions.{name}",
                settings=computed.job(seed=self.seed, **settings.model_dump()),
                outputs={"output": (numbers,)},
                description=f"Rank of heads: numbers of {figure}",
                memory_mb=computed.memory_mb,
                minutes=60,
                priority=9,
            )
            yield _figure_result(
                figure,
                "construction_figures",
                inputs={"table": (numbers,)},
                options=("--figure", figure),
            )
        yield _figure_result("rank_weight", "weight_figure")

    def _theory(self) -> Iterator[Result]:
        """The results on one layer of low-rank heads: tables, and the figures of them all."""
        theory = self.chosen.theory
        tables = _theory_tables()
        settings = {
            "bound": theory.bound,
            "found": FoundJob(seed=self.seed, **theory.found.model_dump()),
            "plurality": PluralityJob(seed=self.seed, **theory.plurality.model_dump()),
            "layers": LayersJob(seed=self.seed, **theory.layers.model_dump()),
        }
        for name, (first, *beside) in tables.items():
            yield Result(
                name=first.name,
                module=f"studies.head_rank.theory.{name}_table",
                settings=settings[name],
                outputs={"output": (first,), "": tuple(beside)},
                description=f"Rank of heads: {first.title}",
                memory_mb=1500,
                minutes=30,
                priority=9,
            )
        first, *beside = [Output(FIGURE, name, title) for name, title in THEORY_TITLES.items()]
        yield Result(
            name=first.name,
            module="studies.head_rank.figures.theory_figures",
            settings=Job(),
            outputs={"output": (first,), "": tuple(beside)},
            inputs=tables,
            description="Figures of one layer of low-rank heads",
        )

    def _trained(self) -> Iterator[Result]:
        """The results of training: each cell, and the figures of them."""
        gigaflops = self.section.gigaflops
        for name, cell in self.every_cell.items():
            yield Result(
                name=f"rank_train_{name}",
                module="studies.head_rank.training.train_cell",
                settings=cell,
                outputs={"output": (Output(CELL, name),)},
                options=("--checkpoint",),
                description=f"Training {name}: {len(cell.seeds)} runs",
                is_local=cell.training_flops() < self.jobs.local_below * gigaflops * 1e9,
                memory_mb=cell.memory_mb(),
                minutes=cell.minutes(gigaflops),
                seconds=cell.training_flops() / (1e9 * gigaflops),
                # The longest first: so no core waits at the end.
                priority=1 + min(cell.training_flops() // 10**11, 7),
            )
        for figure, cells in self.cells_of_figures().items():
            yield _figure_result(
                figure,
                "training_figures",
                inputs={"tables": tuple(Output(CELL, name) for name in cells)},
                options=("--figure", figure),
            )


def _figure_result(
    name: str,
    module: str,
    inputs: dict[str, tuple[Output, ...]] | None = None,
    options: tuple[str, ...] = (),
) -> Result:
    """The result of a figure that a module of this study's draws."""
    module = f"studies.head_rank.figures.{module}"
    return figure_of_tables(name, FIGURE_TITLES[name], module, inputs or {}, options)


def _theory_tables() -> dict[str, tuple[Output, ...]]:
    """The tables of one layer of low-rank heads, by the option that names them."""
    return {
        "bound": (
            _theory_table("rank_bound"),
            _theory_table("rank_heads_needed"),
            _theory_table("rank_bound_points"),
        ),
        "found": (_theory_table("rank_found"),),
        "plurality": (_theory_table("rank_plurality"),),
        "layers": (_theory_table("rank_layers"),),
    }


def _theory_table(name: str) -> Output:
    """The output of a table of one layer of low-rank heads."""
    return Output(TABLE, name, NUMBERED[name], is_listed=name not in UNLISTED_TABLES)


def _claim_line(row: dict[str, Any]) -> str:
    """The line of a summary on a claim: its verdict, its numbers, and what decides it or why it is
    not judged."""
    numbers = [" " * 9 if row[name] is None else f"{row[name]:9.3g}" for name in SUMMARY_NUMBERS]
    words = row["deciding_case"] or row["reason"] or ""
    return f"{row['verdict']:<10} {row['claim']:<36} {' '.join(numbers)} {words}".rstrip()


def _by_name(cells: Iterable[CellJob]) -> dict[str, CellJob]:
    """The cells by their name."""
    return {cell.name: cell for cell in cells}


def _with_unique_names(cells: Iterable[CellJob]) -> dict[str, CellJob]:
    """Cells by their settings as text, under names that no other one has: with its batch and steps
    where a cell needs them to differ, and with a digest where these are not enough."""
    distinct = {cell.canonical(): cell for cell in cells}
    cells_by_name: dict[str, list[CellJob]] = {}
    for cell in distinct.values():
        cells_by_name.setdefault(cell.name, []).append(cell)
    return {
        text: cell.model_copy(update={"name": _unique_name(cell, cells_by_name[cell.name])})
        for text, cell in distinct.items()
    }


def _unique_name(cell: CellJob, same_name: list[CellJob]) -> str:
    """A cell's name that no other of those of the same name has."""
    if len(same_name) == 1:
        return cell.name
    name = f"{cell.name}_b{cell.batch}_s{cell.steps}"
    same_training = [
        other for other in same_name if (other.batch, other.steps) == (cell.batch, cell.steps)
    ]
    if len(same_training) > 1:
        name += f"_{cell.digest()[:6]}"
    return name
