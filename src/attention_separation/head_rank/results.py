"""What a run of this paper makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.results.result import FIGURE, TABLE, Kind, Output, Result
from attention_separation.settings.closed import Closed

from .settings.estimates import memory_mb, minutes
from .settings.theory import TheoryFigureJob
from .settings.titles import FIGURES, JUDGED, NUMBERED, THEORY

NUMBERS = Kind("numbers", ("parquet",))
CELL = Kind("cells", ("parquet",))

COMPUTED = {
    "temperature": ("rank_temperature", 1000),
    "vote": ("rank_vote", 1000),
    # 16,384 heads at the paper's scale: their kernel and its Cholesky factor.
    "features": ("rank_random_features", 6000),
}
"""Tables computed without training, with their figures and the megabytes that they ask for."""


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.HeadRank`."""
    for name, (figure, megabytes) in COMPUTED.items():
        numbers = Output(NUMBERS, name)
        yield _made(
            f"{figure}_numbers", f"constructions.{name}", study.numbers_job(name), (numbers,),
            words=f"Rank of heads: numbers of {figure}",
            memory_mb=megabytes, minutes=60, priority=9,
        )  # fmt: skip
        title = FIGURES[figure]
        yield _made(
            figure, f"figures.{name}_figure", study.numbers_figure_job(name, title),
            (Output(FIGURE, figure, title),),
            inputs={"table": (numbers,)},
            words=f"Figure {figure}",
        )  # fmt: skip
    yield from _theory(study)
    gigaflops = study.section.gigaflops
    for name, job in study.every_cell.items():
        yield _made(
            f"rank_train_{name}", "training.train_cell", job, (Output(CELL, name),),
            options=("--checkpoint",),
            words=f"Training {name}: {len(job.seeds)} runs",
            is_local=job.training_flops() < study.jobs.local_below * gigaflops * 1e9,
            memory_mb=memory_mb(job),
            minutes=minutes(job, gigaflops),
            # The longest first: so no core waits at the end.
            priority=1 + min(job.training_flops() // 10**11, 7),
        )  # fmt: skip
    for figure, cells in study.cells_of_figures().items():
        yield _made(
            figure, "figures.training_figures", study.figure_job(figure),
            (Output(FIGURE, figure, FIGURES[figure]),), words=f"Figure {figure}",
            inputs={"tables": tuple(Output(CELL, cell) for cell in cells)},
        )  # fmt: skip
    claims, errors = (Output(TABLE, name, title) for name, title in JUDGED.items())
    yield Result(
        name="rank_claims",
        module="head_rank.claims.claims_table",
        settings=study.claims_job(),
        outputs={"output": (claims,), "": (errors,)},
        inputs={
            "tables": tuple(Output(CELL, cell) for cell in study.every_cell),
            "vote": (Output(NUMBERS, "vote"),),
            "features": (Output(NUMBERS, "features"),),
            "temperature": (Output(NUMBERS, "temperature"),),
            **theory_tables(),
        },
        words="Rank of heads: claims and errors",
    )


def theory_tables() -> dict[str, tuple[Output, ...]]:
    """The tables of one layer of low-rank heads, by the option that tells them."""
    bound, needed, found, plurality = (
        Output(TABLE, name, title) for name, title in NUMBERED.items()
    )
    return {"bound": (bound, needed), "found": (found,), "plurality": (plurality,)}


def _theory(study) -> Iterator[Result]:
    """Their results, and the figures of them all, which one rule draws."""
    jobs, tables = study.theory_jobs(), theory_tables()
    for name, (first, *beside) in tables.items():
        yield Result(
            name=first.name, module=f"head_rank.theory.{name}_table", settings=jobs[name],
            outputs={"output": (first,), "": tuple(beside)},
            words=f"Rank of heads: {first.title}", memory_mb=1500, minutes=30, priority=9,
        )  # fmt: skip
    first, *beside = (Output(FIGURE, name, title) for name, title in THEORY.items())
    yield Result(
        name=first.name, module="head_rank.figures.theory_figures",
        settings=TheoryFigureJob(titles=THEORY, **study.theory_digests()),
        outputs={"output": (first,), "": tuple(beside)}, inputs=tables,
        words="Figures of one layer of low-rank heads",
    )  # fmt: skip


def _made(
    name: str, module: str, settings: Closed, outputs: tuple[Output, ...], **more
) -> Result:  # fmt: skip
    return Result(
        name=name, module=f"head_rank.{module}", settings=settings,
        outputs={"output": outputs}, **more,
    )  # fmt: skip
