"""What each job of this study depends on beside the tables that it reads."""

from typing import Annotated

from pydantic import Field

from attention_separation.settings.closed import Closed

from .exact import AnotherX, Entries, LinesSettings


class LinesJob(LinesSettings):
    """All that the tables of lines depend on."""


class TrainedCell(Closed):
    """A trained cell, by the digest that its table must carry."""

    name: str
    settings: str


class CellsJob(Closed):
    """What the table of all trained networks depends on beside the cells' tables."""

    cells: Annotated[list[TrainedCell], Field(min_length=1)]


class ClaimsJob(Closed):
    """What the table of claims depends on beside the tables that it reads."""

    data: Entries
    another_x: AnotherX
    level: float
    lines: str = Field(description="digest that the tables of lines must carry")
    cells: str | None = Field(
        default=None, description="digest that the table of networks must carry; none if untrained"
    )


class FigureJob(Closed):
    """What a figure depends on beside the tables that it reads."""

    title: str
    lines: str = Field(description="digest that the tables of lines must carry")
    cells: str | None = Field(
        default=None, description="digest that the table of networks must carry; none if untrained"
    )


class OverviewJob(Closed):
    """What the study's page shows: digests of the settings of figures and tables, by name."""

    scale: str
    figures: dict[str, str]
    tables: dict[str, str]
