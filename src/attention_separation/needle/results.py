"""What a run of this study makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.results.result import FIGURE, TABLE, Kind, Output, Result
from attention_separation.settings.closed import Closed

from .settings import estimates
from .settings.titles import FIGURES_OF_LINES, FIGURES_OF_NETWORKS, JUDGED, LINES, TRAINED

CELL = Kind("cells", ("parquet",))


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.Needle`; without cells to train, those of lines alone."""
    accuracies, critical, ends = (Output(TABLE, name, title) for name, title in LINES.items())
    yield _made(
        "needle_exact", "exact.line_table", study.lines_job(),
        {"output": (accuracies,), "": (critical, ends)},
        words="The needle: the best accuracy of each kernel", priority=9,
    )  # fmt: skip
    networks: dict[str, tuple[Output, ...]] = {}
    if study.cells:
        yield from _trained(study)
        networks = {"cells": tuple(Output(TABLE, name, title) for name, title in TRAINED.items())}
    lines = {"needle_critical": critical}
    for name, title in (FIGURES_OF_LINES | (FIGURES_OF_NETWORKS if networks else {})).items():
        yield _made(
            name, "figures.needle_figure", study.figure_job(title),
            {"output": (Output(FIGURE, name, title),)},
            inputs={"table": (lines.get(name, accuracies),), **networks},
            options=("--figure", name), words=f"Figure {name}",
        )  # fmt: skip
    yield _made(
        "needle_claims", "claims.claims_table", study.claims_job(),
        {"output": tuple(Output(TABLE, name, title) for name, title in JUDGED.items())},
        inputs={"lines": (accuracies,), "critical": (critical,), **networks},
        words="The needle: claims",
    )  # fmt: skip


def _trained(study) -> Iterator[Result]:
    """The cells, and the table of them all."""
    for name, job in study.cells.items():
        seconds = estimates.seconds(job)
        yield _made(
            f"needle_cell_{name}", "training.train_cell", job, {"output": (Output(CELL, name),)},
            options=("--checkpoint",),
            words=f"Training {name}: {len(job.seeds)} runs",
            is_local=seconds < study.jobs.local_below,
            memory_mb=estimates.memory_mb(job),
            minutes=estimates.minutes(job),
            # The longest first: so no core waits at the end.
            priority=1 + min(int(seconds / 5), 7),
        )  # fmt: skip
    yield _made(
        "needle_cells", "training.cells_table", study.cells_job(),
        {"output": tuple(Output(TABLE, name, title) for name, title in TRAINED.items())},
        inputs={"tables": tuple(Output(CELL, name) for name in study.cells)},
        words="The needle: all trained networks",
    )  # fmt: skip


def _made(
    name: str, module: str, settings: Closed, outputs: dict[str, tuple[Output, ...]], **more
) -> Result:  # fmt: skip
    return Result(
        name=name, module=f"needle.{module}", settings=settings, outputs=outputs, **more,
    )  # fmt: skip
