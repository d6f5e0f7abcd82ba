"""The section `softmax_vs_linear` of the configuration: panels, figures, and what judges them."""

from typing import Annotated

from pydantic import Field, create_model

from attention_separation.settings.closed import Closed, Count

from ..models import MODELS
from ..models.parameters import Trials
from .claims import ClaimsJob
from .inherited import DEFAULTS, AnyFigure
from .panels import Engine, Panel, Sweep

ScaleTrials = create_model(
    "ScaleTrials",
    __base__=Closed,
    **{
        model: (Trials | None, Field(default=None, description="trials per point"))
        for model in MODELS
    },
)
Defaults = create_model(
    "Defaults",
    __base__=Closed,
    **{m: (DEFAULTS[m], Field(description=f"what panels of {m} hold fixed")) for m in MODELS},
)


class Scale(Closed):
    """A size of the whole workflow."""

    trials: ScaleTrials = Field(
        default=ScaleTrials(), description="trials instead of the panels' own"
    )
    points: Count | None = Field(default=None, description="at most so many values of each sweep")


class Verdicts(Closed):
    """How simulation is held against exact values."""

    level: Annotated[float, Field(ge=1e-9, le=0.5)] = Field(
        description="family-wise level of all tests together"
    )
    margin: Annotated[float, Field(ge=1e-6, le=1)] = Field(
        description="a panel agrees if its mean rate is within this of the exact mean; at the "
        "panel's own trials, and smaller as the square root of more trials"
    )


class SoftmaxVsLinearSection(Closed):
    """Softmax against linear attention: the first paper."""

    scale: str = Field(
        description="which of its scales; every scale but `paper` writes to results/SCALE"
    )
    scales: dict[str, Scale] = Field(description="sizes of all that this paper's run makes")
    engine: Engine = Field(
        description="reduced: distinct attention rows; dense: the definitions, literally"
    )
    trials: Trials | None = Field(description="trials of every point, if not null", default=None)
    models: Defaults = Field(description="what the panels of a model hold fixed by default")
    figures: dict[str, AnyFigure] = Field(description="figures, each of some panels")
    panels: dict[str, Panel] = Field(description="panels, each a sweep of a model")
    verdicts: Verdicts = Field(description="how simulation is held against exact values")
    claims: ClaimsJob = Field(description="where the paper's claims are evaluated")
    phase: dict[str, Sweep] = Field(description="maps of exact values over two parameters")
