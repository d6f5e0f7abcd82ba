"""What the jobs that take several panels depend on beside the tables that they read."""

from pydantic import Field

from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Job, PageJob

from .panels import Panel


class PanelsJob(Job):
    """Some panels, and what stands above them if they make a figure."""

    title: str | None = None
    panels: list[Panel]


class VerdictsJob(PanelsJob):
    """All that the verdicts depend on beside the panels' tables."""

    level: float
    margin: float
    """At a panel's own trials."""
    margins: list[float]
    """Of each panel, at the trials of this run."""


class PhaseJob(PanelsJob):
    """Maps over two swept parameters, and the panels whose points are marked on them."""

    marked: list[Panel]


class ShownFigure(Closed):
    """A figure of the report: of panels, or, without any, an audit's."""

    name: str
    title: str = ""
    panels: list[str] = Field(default=[])


class OverviewJob(PageJob):
    """All that the report's overview depends on beside the files that it reads."""

    shown: list[ShownFigure]
    panels: list[Panel]
    maps: list[Panel]
    """Of `phase`."""

    @property
    def digests(self) -> dict[str, str]:
        """Of the settings of figures and tables, by name: a figure and a table of one name are of
        one job."""
        return self.figures | self.tables
