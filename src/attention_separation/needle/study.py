"""The needle as a study: what each of its jobs depends on."""

from collections.abc import Iterator
from pathlib import Path

from attention_separation.needle import results
from attention_separation.needle.settings.jobs import (
    ClaimsJob,
    FigureJob,
    LinesJob,
    OverviewJob,
)
from attention_separation.needle.settings.section import NeedleScale, NeedleSection
from attention_separation.results.result import TABLE, Output, Result, outputs_of
from attention_separation.results.study import Study

EXACT = ("needle_exact", "needle_claims", "needle_accuracy", "needle_critical")
"""Results that need no training."""


class Needle(Study):
    """All that a run makes of the needle."""

    name = "needle"
    prefix = "needle"
    title = "the needle: noise on every token"
    category = "4 The needle"

    def __init__(self, section: NeedleSection):
        self.section = section

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
        return {"needle_lines": EXACT}

    def lines_job(self) -> LinesJob:
        """All that the tables of lines depend on."""
        return LinesJob(**self.chosen.exact.model_dump())

    def figure_job(self, title: str) -> FigureJob:
        """What a figure of lines depends on beside their table."""
        return FigureJob(title=title, lines=self.lines_job().digest())

    def claims_job(self) -> ClaimsJob:
        """What the claims depend on beside the tables that they read."""
        section = self.section
        return ClaimsJob(
            data=section.data, another_x=section.another_x, lines=self.lines_job().digest()
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
        from attention_separation.needle.pages.summary import summary

        return summary(self, folder)
