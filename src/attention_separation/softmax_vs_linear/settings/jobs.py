"""What the jobs that take several panels depend on beside the tables that they read."""

from pydantic import Field

from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Job

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
    """A figure of the report: of panels, or, without any, an audit's or a drawing."""

    name: str
    title: str = ""
    settings: str = ""
    """Digest that the figure's numbers must carry."""
    panels: list[str] = Field(default=[])


class OverviewJob(PanelsJob):
    """All that the report's overview depends on beside the files that it reads."""

    scale: str
    figures: list[ShownFigure]
    tables: dict[str, str]
    """Tables to speak of, with the digests that they must carry; `phase` and `theta` are the
    numbers of the maps."""
    maps: list[Panel]
    """Of `phase`."""
