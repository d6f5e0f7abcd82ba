"""The needle as a study: what a run of it makes, each result declared once."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from ...results.declaration import CELL, TABLE, Output, Result, Study, figure_of_tables
from ...settings.kernel_section import OwnKernel
from ...settings.strict_model import Job, Jobs
from .settings.cells import NeedleCell
from .settings.exact import ClaimsJob
from .settings.section import NeedleSection
from .settings.titles import (
    FIGURES_OF_LINES,
    FIGURES_OF_NETWORKS,
    LONG,
    NEEDLE_CLAIMS_TITLE,
    TABLES_OF_LINES,
    TRAINED,
)

EXACT_TARGET = "needle_exact"
"""The result that is made without training at every scale."""


class Needle(Study):
    """All that a run makes of the needle."""

    name = "needle"
    prefix = "needle"
    title = "The same with noise"
    kept_in = "needle"

    def __init__(self, section: NeedleSection, seed: int, jobs: Jobs, own: Mapping[str, OwnKernel]):
        self.section, self.seed, self.jobs, self.own_kernels = section, seed, jobs, own

    def targets(self) -> dict[str, tuple[str, ...]]:
        """The results that the target `needle_lines` makes: what needs no training."""
        untrained = () if self.cells else tuple(self.results)
        return {"needle_lines": untrained or (EXACT_TARGET,)}

    @cached_property
    def cells(self) -> dict[str, NeedleCell]:
        """The cells of networks that are trained, by name."""
        training = self.chosen.training
        cells = training.cells(self.section.data, self.seed, self.own_kernels) if training else ()
        return {cell.name: cell for cell in cells}

    def declare_results(self) -> Iterator[Result]:
        """The results of the study; where no cells are trained, those of lines alone."""
        accuracies, critical, ends, sinks = (
            Output(TABLE, name, title, is_listed=name not in LONG)
            for name, title in TABLES_OF_LINES.items()
        )
        yield Result(
            name=EXACT_TARGET,
            module="studies.needle.accuracy_limits",
            settings=self.chosen.exact,
            outputs={"output": (accuracies,), "": (critical, ends, sinks)},
            description="The needle: the best accuracy of each kernel",
            priority=9,
        )
        networks = (Output(TABLE, "needle_cells", TRAINED, is_listed=False),)
        trained = {"cells": networks} if self.cells else {}
        if trained:
            yield from self._training(networks)
        drawn = {"needle_critical": critical, "needle_sink": sinks}
        of_networks = FIGURES_OF_NETWORKS if trained else {}
        for name, title in (FIGURES_OF_LINES | of_networks).items():
            inputs = {"table": (drawn.get(name, accuracies),)}
            if name != "needle_sink":
                inputs |= trained
            yield figure_of_tables(
                name,
                title,
                "studies.needle.figures",
                inputs=inputs,
                options=("--figure", name),
            )
        section = self.section
        claims = Output(
            TABLE, "needle_claims", NEEDLE_CLAIMS_TITLE, judged="Claims on noise, of this project"
        )
        yield Result(
            name="needle_claims",
            module="studies.needle.claims.claims_table",
            settings=ClaimsJob(data=section.data, another_x=section.another_x, level=section.level),
            outputs={"output": (claims,)},
            inputs={"lines": (accuracies,), "critical": (critical,), **trained},
            description="The needle: claims",
        )

    def _training(self, networks: tuple[Output, ...]) -> Iterator[Result]:
        """The results of training: each cell, and the table of them all."""
        for name, cell in self.cells.items():
            seconds = cell.seconds()
            yield Result(
                name=f"needle_cell_{name}",
                module="studies.needle.training.train_cell",
                settings=cell,
                outputs={"output": (Output(CELL, name),)},
                options=("--checkpoint",),
                description=f"Training {name}: {len(cell.seeds)} runs",
                is_local=seconds < self.jobs.local_below,
                memory_mb=cell.memory_mb(),
                minutes=cell.minutes(),
                seconds=seconds,
                # The longest first: so no core waits at the end.
                priority=1 + min(int(seconds / 5), 7),
            )
        yield Result(
            name="needle_cells",
            module="studies.needle.training.cells_table",
            settings=Job(),
            outputs={"output": networks},
            inputs={"tables": tuple(Output(CELL, name) for name in self.cells)},
            description="The needle: all trained networks",
        )

    def summary(self, folder: Path) -> Iterator[str]:
        from ...results.claims import summary

        return summary(self, folder)
