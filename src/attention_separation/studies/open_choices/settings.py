"""The section `open_choices` of the configuration: maps of exact values over two parameters, and
what is smaller at a scale of the first paper."""

from typing import Annotated

from pydantic import Field

from ...settings.strict_model import MAX_VALUES, Count, Name, ScaleName, StrictModel
from ..softmax_vs_linear.settings.sweeps import AnyMap


class ChoicesScale(StrictModel):
    """What is smaller at a scale of the first paper, in whose folder the results lie."""

    audited: Annotated[Count, Field(le=MAX_VALUES)] | None = Field(
        default=None, description="at most so many panels of each figure, and maps"
    )


class OpenChoicesSection(StrictModel):
    """What the first paper leaves open: thresholds, pairs of parameters, readings of its text."""

    scales: dict[ScaleName, ChoicesScale] = Field(
        default={}, description="what is smaller at which of the first paper's scales"
    )
    phase: dict[Name, AnyMap] = Field(description="maps of exact values over two parameters")
