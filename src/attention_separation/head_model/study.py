"""Heads of a trained model as a study: what a run of it makes, each result declared once."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ..results.declaration import TABLE, Kind, Output, Result, Study
from ..settings.strict_model import Job
from .settings import titles
from .settings.section import HeadModelSection, PackagedModel, ProbeJob, TablesJob

CELL = Kind("cells", ("parquet",))
WORDS = Kind("numbers", ("parquet",))

SECONDS_A_TOKEN = 0.03
"""Of one core, for a model of 135 million parameters; more where contexts are long."""


class HeadModelStudy(Study):
    """All that a run makes of heads of a trained model."""

    name = "head_model"
    prefix = "heads"
    title = "Heads of a trained model"
    kept_in = "head_model"

    def __init__(self, section: HeadModelSection, seed: int):
        self.section = section
        self.seed = seed

    @cached_property
    def cells(self) -> dict[str, ProbeJob]:
        """The jobs of contexts, by name."""
        return {cell.name: cell for cell in self.chosen.cells(self.seed)}

    def declare_results(self) -> Iterator[Result]:
        """The tokens of texts, a cell for each context, and the tables of all."""
        is_packaged = isinstance(self.chosen.model, PackagedModel)
        memory = 4000 if is_packaged else 1000
        words = Output(WORDS, "heads_texts", titles.TEXTS_TITLE, is_listed=False)
        yield Result(
            name="heads_texts",
            module="head_model.model.text_tokens",
            settings=self.chosen.texts_job(self.seed),
            outputs={"output": (words,)},
            description="Tokens of the texts",
            memory_mb=memory,
            priority=9,
        )
        for name, cell in self.cells.items():
            yield Result(
                name=f"heads_cell_{name}",
                module="head_model.model.caught_cell",
                settings=cell,
                outputs={"output": (Output(CELL, name),)},
                inputs={"texts": (words,)},
                description=f"The model on {name}",
                is_local=not is_packaged,
                memory_mb=memory,
                minutes=10 + round(cell.n * SECONDS_A_TOKEN / 60),
                # The longest first: so no core waits at the end.
                priority=1 + min(cell.n // 1024, 7),
            )
        caught = {"tables": tuple(Output(CELL, name) for name in self.cells)}
        horizons = self.chosen.measured.horizons
        tables_job = TablesJob(cells=list(self.cells.values()), horizons=horizons)
        forecasts = Output(TABLE, "heads", titles.FORECASTS_TITLE)
        far = Output(TABLE, "heads_far", titles.FAR_TITLE)
        yield Result(
            name="heads_forecasts",
            module="head_model.tables.forecasts",
            settings=tables_job,
            outputs={"output": (forecasts,), "": (far,)},
            inputs=caught,
            description="Forecasts of heads on all contexts",
            memory_mb=memory,
            minutes=30,
        )
        yield Result(
            name="heads_errors",
            module="head_model.tables.errors",
            settings=Job(),
            outputs={"output": (Output(TABLE, "heads_errors", titles.ERRORS_TITLE),)},
            inputs={"forecasts": (forecasts,)},
            description="Errors of the forecasts",
        )
        yield Result(
            name="heads_targets",
            module="head_model.tables.found_targets",
            settings=tables_job,
            outputs={
                "output": (Output(TABLE, "heads_targets", titles.TARGETS_TITLE, is_listed=False),)
            },
            inputs=caught,
            description="Which heads find which token",
            memory_mb=memory,
        )

    def summary(self, folder: Path) -> Iterator[str]:
        """How wrong the forecasts were, a line each; ValueError where there are none."""
        from .tables.columns import ERRORS

        rows = self.made_rows(folder, "heads_errors", ERRORS)
        yield f"forecasts of heads, at the scale {self.section.scale}: errors in logits"
        for row in rows:
            if row["known"]:
                yield (
                    f"  {row['filler']} {row['n']} -> {row['at']}: {row['absolute_error']:.2f}, "
                    f"unchanged {row['unchanged_absolute_error']:.2f}; {row['held']} of "
                    f"{row['heads']} within, of trusted {row['trusted_held']} of {row['trusted']}"
                )
        yield f"{folder}/tables/heads*.{{csv,html,parquet}}  the tables"
