"""What the jobs that join several panels depend on beside the tables that they read."""

from pydantic import Field

from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Job

from ..models.contest import Contest
from .panels import ExactPanel, Panel, Sweep


class ExactJob(Closed):
    """The panels whose exact values one job computes."""

    panels: list[ExactPanel]


class PanelLook(Closed):
    """What a figure shows of a panel beside its tables."""

    name: str
    panel: Panel
    reconstructed: list[str]
    notes: list[str]

    @property
    def contest(self) -> Contest:
        return self.panel.contest


class FigureJob(Job):
    """All that a figure depends on beside its panels' tables."""

    title: str
    panels: list[PanelLook]


class PanelToJudge(Closed):
    """A panel, its contest, the margin of its verdict, and what is reconstructed of it."""

    name: str
    contest: Contest
    margin: float
    reconstructed: str


class VerdictsJob(Job):
    """All that the verdicts depend on beside the panels' tables."""

    level: float
    margin: float
    """At a panel's own trials."""
    panels: list[PanelToJudge]


class PanelOfWhp(Closed):
    """A panel's exact values, and what is reconstructed of it."""

    exact: ExactPanel
    reconstructed: str


class WhpJob(Job):
    """The panels at whose points the events are asked to be with high probability."""

    panels: list[PanelOfWhp]


class MarkedPanel(ExactPanel):
    """A panel whose points are evaluated, and what the paper's text does not state of it."""

    reconstructed: list[str] = Field(default_factory=list)
    """Parameters that are reconstructed."""
    notes: list[str] = Field(default_factory=list)
    """What figures say of the model; an asterisk at the end marks what is reconstructed."""


class ThresholdJob(Closed):
    """Panels over whose points the best thresholds are sought."""

    panels: list[MarkedPanel]


class ThetaRow(Closed):
    """A row of maps over the threshold: a title, and the panel of each map."""

    title: str
    panels: list[MarkedPanel]


class ThetaJob(Closed):
    """Panels whose swept parameter and threshold make maps of P(E_success)."""

    rows: list[ThetaRow]


class PhaseMap(Closed):
    """Two swept parameters of an attention model, as a map of P(E_success)."""

    name: str
    map: Sweep
    reconstructed: list[str] = Field(default_factory=list)
    """Parameters that are reconstructed in all of the paper's panels of this model and X."""
    notes: list[str] = Field(default_factory=list)


class PhaseJob(Closed):
    """Maps, the panels whose points are marked on them, and how many values of each sweep."""

    maps: list[PhaseMap]
    marked: list[ExactPanel]
    points: int | None = None


class ChoicesJob(Closed):
    """Panels over whose points the alternatives to the open choices are evaluated."""

    panels: list[MarkedPanel]
    figures: dict[str, str]
    """The figure that shows each panel."""


class ShownFigure(Closed):
    """A figure of the report: of panels, or, without any, an audit's."""

    name: str
    title: str = ""
    settings: str = ""
    """Digest that the figure's numbers must carry."""
    panels: list[str] = Field(default_factory=list)
    contests: list[Contest] = Field(default_factory=list)
    """Of each panel."""
    reconstructed: list[str] = Field(default_factory=list)
    """What the paper does not state, in any of the panels: settings and notes."""


class OverviewJob(Closed):
    """All that the report's overview depends on beside the files that it reads."""

    scale: str
    figures: list[ShownFigure]
    tables: dict[str, str]
    """Tables to speak of, with the digests that they must carry; `phase` and `theta` are the
    numbers of the maps."""
    models: dict[str, str]
    """The model of each panel."""
    contests: dict[str, Contest] = Field(default_factory=dict)
    """Of the panels whose contest is not the paper's."""
    map_contests: dict[str, Contest] = Field(default_factory=dict)
    """Of the maps of `phase` whose contest is not the paper's."""
    reconstructed: dict[str, str]
    """What is reconstructed of each panel, as text."""
