"""What the jobs that take several panels depend on beside the tables that they read."""

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
