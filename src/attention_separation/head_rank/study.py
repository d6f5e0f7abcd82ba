"""The section `head_rank` of the configuration: sizes of the constructions, grids of the training
figures, and the cells that these grids ask for. Without torch."""

import itertools
import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from attention_separation.head_rank.settings.jobs import (
    ClaimsJob,
    FeaturesJob,
    FeaturesSettings,
    OverviewJob,
    TableFigureJob,
    TemperatureJob,
    TemperatureSettings,
    TrainedCell,
    TrainedFigureJob,
    VoteJob,
    VoteSettings,
)
from attention_separation.head_rank.training.cells import EPOCH, CellJob, Encoding, Regime
from attention_separation.settings.canonical import canonical_json, digest
from attention_separation.settings.closed import Closed, Count, Whole

Counts = Annotated[list[Count], Field(min_length=1)]
MOST_CELLS = 1000
"""Of a grid: each has a rule of its own."""

MATCHED = 4
"""A concatenated encoding of d rows doubles the dimension, which makes 4 times the attention
parameters: what the control without an encoding has instead is 4 times the width."""


class Recipe(Closed):
    """How the runs of a figure are trained."""

    d: Annotated[Whole, Field(ge=2)] = Field(description="dimension of the points")
    feed_forward: Count = Field(description="hidden neurons of each layer's MLP")
    batch: Count = Field(description="sets per batch")
    steps: Count = Field(description=f"batches trained on, a multiple of {EPOCH}")
    lr: Annotated[float, Field(gt=0)] = Field(description="highest learning rate")
    runs: Annotated[Whole, Field(ge=2, le=100)] = Field(
        description="runs per cell, each with initial values and data of its own"
    )
    held_out: Annotated[Whole, Field(ge=2)] = Field(
        description="sets that the final error is measured on, never seen in training"
    )


class Grid(Recipe):
    """Cells of a figure: every combination of the lists."""

    layers: Counts = Field(description="L")
    widths: Counts = Field(description="w: attention modules per layer; H = w D/r heads")
    ranks: Counts = Field(description="r")
    n: Annotated[list[Annotated[Whole, Field(ge=2)]], Field(min_length=1)] = Field(
        description="N: points per set"
    )
    encodings: Annotated[list[Encoding], Field(min_length=1)] = Field(
        default=["none"], description="positional encodings; concatenated ones have d rows"
    )
    regimes: Annotated[list[Regime], Field(min_length=1)] = Field(
        default=["fresh"],
        description="fresh: every batch is new; repeated: the same 100 batches in every epoch",
    )
    matched: bool = Field(
        default=False,
        description="also without an encoding at 4 times the width: about the attention parameters "
        "of a concatenated encoding",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> "Grid":
        if self.steps % EPOCH:
            raise PydanticCustomError(
                "grid",
                "steps is {steps}; allowed: a multiple of {epoch}, the steps of an epoch",
                {"steps": self.steps, "epoch": EPOCH},
            )
        lists = (self.layers, self.widths, self.ranks, self.n, self.encodings, self.regimes)
        count = math.prod(map(len, lists))
        if count > MOST_CELLS:
            raise PydanticCustomError(
                "grid",
                "has {count} cells; allowed: at most {most}",
                {"count": count, "most": MOST_CELLS},
            )
        for encoding, rank in itertools.product(self.encodings, self.ranks):
            dimension = self.dimension(encoding)
            if dimension % rank:
                raise PydanticCustomError(
                    "grid",
                    "ranks has {rank}, which does not divide the dimension {dimension}{why}",
                    {
                        "rank": rank,
                        "dimension": dimension,
                        "why": " (d, and d rows of the encoding)" if dimension > self.d else "",
                    },
                )
        return self

    def dimension(self, encoding: str) -> int:
        """D of the model."""
        return 2 * self.d if encoding == "concatenated" else self.d

    def cells(self, seed: int) -> Iterator[CellJob]:
        """The cells, not yet named apart from those of other grids."""
        variants = [(encoding, 1) for encoding in self.encodings]
        if self.matched:
            variants.append(("none", MATCHED))
        for (encoding, times), layers, width, rank, n, regime in itertools.product(
            variants, self.layers, self.widths, self.ranks, self.n, self.regimes
        ):
            yield CellJob(
                name=_name(self.d, n, layers, times * width, rank, encoding, regime),
                d=self.d,
                n=n,
                layers=layers,
                heads=self.dimension(encoding) // rank,
                width=times * width,
                encoding=encoding,
                d_e=self.d if encoding == "concatenated" else None,
                feed_forward=self.feed_forward,
                batch=self.batch,
                steps=self.steps,
                lr=self.lr,
                regime=regime,
                seeds=list(range(self.runs)),
                held_out=self.held_out,
                seed=seed,
            )


class Training(Closed):
    """Grids of the training figures; Figure 2 looks at the trained heads of Figure 1."""

    fig1: Grid | None = Field(description="Figures 1 and 2: layers, heads and their rank")
    fig3: Grid | None = Field(description="Figure 3: positional encodings")
    fig4: Grid | None = Field(description="Figure 4: number of points")
    fresh: Grid | None = Field(description="training loss beside the error on new data")

    def grids(self) -> dict[str, Grid]:
        """Those that are to be trained; null leaves a figure out."""
        every = {name: getattr(self, name) for name in Training.model_fields}
        return {name: grid for name, grid in every.items() if grid}

    @model_validator(mode="after")
    def _is_some(self) -> "Training":
        if not self.grids():
            raise PydanticCustomError("grid", "has no grids; allowed: at least one")
        return self


class RankScale(Closed):
    """A size of the second paper's reproduction."""

    temperature: TemperatureSettings = Field(description="Facts 1 and 3: error against temperature")
    vote: VoteSettings = Field(description="Theorem 7: error of the majority vote")
    features: FeaturesSettings = Field(description="random heads of rank 1")
    training: Training = Field(description="grids of the training figures")


class HeadRank(Closed):
    """The rank of attention heads: the second paper."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/head_rank/SCALE"
    )
    margin: Annotated[float, Field(gt=0, le=1)] = Field(
        description="a difference of held-out errors that counts; predicting zero has error 1"
    )
    level: Annotated[float, Field(ge=1e-9, le=0.5)] = Field(
        description="of each claim: nominal chance of a false verdict, over its comparisons "
        "together; runs are taken as normal, and over the few of a cell it need not be kept"
    )
    gigaflops: Annotated[float, Field(gt=0, le=1e9)] = Field(
        description="10^9 operations per second that training is assumed to reach: what a cluster "
        "is asked for follows from it, no result does"
    )
    scales: dict[str, RankScale] = Field(description="sizes of its reproduction")

    @property
    def chosen(self) -> RankScale:
        """The scale that is in force."""
        return self.scales[self.scale]

    @property
    def results(self) -> str:
        """Folder that the results of its scale go to."""
        return f"results/head_rank{'' if self.scale == 'desk' else f'/{self.scale}'}"

    def cells(self, seed: int) -> dict[str, dict[str, CellJob]]:
        """The cells of each grid by name; one cell may serve several grids."""
        grids = {
            name: list(grid.cells(seed)) for name, grid in self.chosen.training.grids().items()
        }
        every = {job.canonical(): job for job in itertools.chain(*grids.values())}
        namesakes: dict[str, list[CellJob]] = {}
        for job in every.values():
            namesakes.setdefault(job.name, []).append(job)
        told_apart = {text: _told_apart(job, namesakes[job.name]) for text, job in every.items()}
        return {
            grid: {job.name: job for job in (told_apart[job.canonical()] for job in jobs)}
            for grid, jobs in grids.items()
        }

    def every_cell(self, seed: int) -> dict[str, CellJob]:
        """The cells of all grids by name."""
        return {name: job for cells in self.cells(seed).values() for name, job in cells.items()}

    def numbers_job(self, name: str, seed: int) -> Closed:
        """All that a table of NUMBERS depends on."""
        settings = getattr(self.chosen, name)
        return NUMBERS[name][0](seed=seed, **settings.model_dump())

    def numbers_figure_job(self, name: str, seed: int) -> TableFigureJob:
        """What the figure of a table of NUMBERS depends on beside the table."""
        table = _settings_of(self.numbers_job(name, seed))
        return TableFigureJob(title=NUMBERS[name][1], table_settings=table)

    def cells_of_figures(self, seed: int) -> dict[str, dict[str, CellJob]]:
        """The cells that each figure of trained transformers shows."""
        grids = self.cells(seed)
        figures = {f"rank_{name}": cells for name, cells in grids.items()}
        heads = {
            name: job for name, job in grids.get("fig1", {}).items()
            if job.rank == job.model_dimension
        }  # fmt: skip
        return figures | ({"rank_fig2": heads} if heads else {})

    def figure_job(self, figure: str, seed: int) -> TrainedFigureJob:
        """What such a figure depends on beside the tables of its cells."""
        cells = self.cells_of_figures(seed)[figure]
        return TrainedFigureJob(figure=figure, cells=_references(cells))

    def claims_job(self, seed: int) -> ClaimsJob:
        """What the claims depend on beside the tables that they read."""
        return ClaimsJob(
            cells=_references(self.every_cell(seed)),
            seed=seed,
            scale=self.scale,
            margin=self.margin,
            level=self.level,
            vote=_settings_of(self.numbers_job("vote", seed)),
            features=_settings_of(self.numbers_job("features", seed)),
        )

    def overview_job(self, figures: list[str], tables: list[str], seed: int) -> OverviewJob:
        """What the report's page depends on, for the figures and tables that it is to show."""
        numbers = {NUMBERS[name][2]: name for name in NUMBERS}
        return OverviewJob(
            scale=self.scale,
            margin=self.margin,
            level=self.level,
            figures={
                figure: _settings_of(
                    self.numbers_figure_job(numbers[figure], seed)
                    if figure in numbers
                    else self.figure_job(figure, seed)
                )
                for figure in figures
            },
            tables={name: _settings_of(self.claims_job(seed)) for name in tables},
        )


NUMBERS = {
    "temperature": (
        TemperatureJob,
        "Facts 1 and 3. One head of full rank against its temperature",
        "rank_temperature",
    ),
    "vote": (VoteJob, "Theorem 7. The majority vote of rank-1 heads", "rank_vote"),
    "features": (
        FeaturesJob,
        "Random heads of rank 1 with the best weights",
        "rank_random_features",
    ),
}
"""Tables computed without training: what each depends on, its figure's title, and that figure."""

TRAINED = {
    "rank_fig1": "Figure 1 of the paper. Rank of heads, layers and number of heads",
    "rank_fig2": "Figure 2 of the paper. What heads of full rank have learned",
    "rank_fig3": "Figure 3 of the paper. Positional encodings",
    "rank_fig4": "Figure 4 of the paper. Number of points",
    "rank_fresh": "Training loss, and error on new data",
}
"""Figures of trained transformers, and their titles."""

TABLES = {"rank_claims": "Claims, each with its verdict", "rank_errors": "Errors of all cells"}
"""Tables of results, and what they are of."""


def _references(cells: dict[str, CellJob]) -> list[TrainedCell]:
    return [TrainedCell(name=name, settings=digest(job.canonical())) for name, job in cells.items()]


def _settings_of(job: Closed) -> str:
    """Digest of a job's settings, as `config.digest_of`."""
    return digest(canonical_json(job.model_dump(mode="json", by_alias=True, exclude_none=True)))


def _told_apart(job: CellJob, namesakes: list[CellJob]) -> CellJob:
    """The job under a name that no other one has: with its batch and steps where it needs them."""
    if len(namesakes) == 1:
        return job
    name = f"{job.name}_b{job.batch}_s{job.steps}"
    if sum((each.batch, each.steps) == (job.batch, job.steps) for each in namesakes) > 1:
        name += f"_{digest(job.canonical())[:6]}"
    return job.model_copy(update={"name": name})


def _name(
    d: int, n: int, layers: int, width: int, rank: int, encoding: str, regime: str
) -> str:  # fmt: skip
    parts = [f"d{d}", f"n{n}", f"L{layers}", f"w{width}", f"r{rank}"]
    parts += [encoding] * (encoding != "none") + [regime] * (regime != "fresh")
    return "_".join(parts)
