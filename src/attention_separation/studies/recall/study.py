"""Recall as a study: what a run of it makes, each result declared once."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ...results.declaration import CELL, TABLE, Output, Result, Study, figure_of_tables
from ...settings.strict_model import Job
from .settings.section import ClaimsJob, LayerJob, RecallSection
from .settings.titles import (
    FIGURES_OF_RECALL,
    RECALL_CLAIMS_TITLE,
    TITLE_OF_CAPACITY,
    TITLE_OF_LINES,
)


class RecallStudy(Study):
    """All that a run makes of recall."""

    name = "recall"
    prefix = "recall"
    title = "How many pairs a layer recalls"
    kept_in = "recall"

    def __init__(self, section: RecallSection, seed: int):
        self.section = section
        self.seed = seed

    @cached_property
    def cells(self) -> dict[str, LayerJob]:
        """The jobs of layers, by name."""
        return {cell.name: cell for cell in self.chosen.cells(self.seed)}

    def declare_results(self) -> Iterator[Result]:
        """The results of the study: a cell for each layer, the tables of all, figures and
        claims."""
        for name, cell in self.cells.items():
            yield Result(
                name=f"recall_cell_{name}",
                module="studies.recall.tables.cell_table",
                settings=cell,
                outputs={"output": (Output(CELL, name),)},
                description=f"Recall of {name}",
                priority=5,
            )
        lines = Output(TABLE, "recall_lines", TITLE_OF_LINES, is_listed=False)
        capacity = Output(TABLE, "recall_capacity", TITLE_OF_CAPACITY)
        yield Result(
            name="recall_tables",
            module="studies.recall.tables.joined",
            settings=Job(),
            outputs={"output": (lines,), "": (capacity,)},
            inputs={"tables": tuple(Output(CELL, name) for name in self.cells)},
            description="Recall of all layers",
        )
        for name, title in FIGURES_OF_RECALL.items():
            drawn = capacity if name == "recall_state" else lines
            yield figure_of_tables(
                name,
                title,
                "studies.recall.figures",
                inputs={"table": (drawn,)},
                options=("--figure", name),
            )
        claims = Output(
            TABLE, "recall_claims", RECALL_CLAIMS_TITLE, judged="Claims on recall, of this project"
        )
        yield Result(
            name="recall_claims",
            module="studies.recall.claims.claims_table",
            settings=ClaimsJob(level=self.section.level, seed=self.seed),
            outputs={"output": (claims,)},
            inputs={"lines": (lines,), "capacity": (capacity,)},
            description="Recall: claims",
        )

    def summary(self, folder: Path) -> Iterator[str]:
        from ...results.claims import summary

        return summary(self, folder)
