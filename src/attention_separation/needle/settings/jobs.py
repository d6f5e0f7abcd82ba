"""What each job of this study depends on beside the tables that it reads."""

from pydantic import Field

from attention_separation.needle.settings.exact import AnotherX, Entries, LinesSettings
from attention_separation.settings.closed import Closed


class LinesJob(LinesSettings):
    """All that the tables of lines depend on."""


class ClaimsJob(Closed):
    """What the table of claims depends on beside the tables that it reads."""

    data: Entries
    another_x: AnotherX
    lines: str = Field(description="digest that the tables of lines must carry")


class FigureJob(Closed):
    """What a figure depends on beside the tables that it reads."""

    title: str
    lines: str = Field(description="digest that the tables of lines must carry")


class OverviewJob(Closed):
    """What the study's page shows: digests of the settings of figures and tables, by name."""

    scale: str
    figures: dict[str, str]
    tables: dict[str, str]
