"""What panels take from elsewhere: from their figure, and by default from their model."""

from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, create_model, model_validator

from attention_separation.settings.closed import Closed

from ..models import MODELS
from ..models.contest import PAPERS, Contest
from ..models.model import Model
from ..models.parameters import MRule, Trials
from .panels import RECONSTRUCTED, AnySweep, class_name

MOST_PANELS = 26
"""Panels of a figure: each has a letter."""

BY_MODEL = ("fixed", "trials", "contest", "reconstructed")
"""What a figure shares with its panels of one model."""


class Figure(Closed):
    """A figure, its panels in order, and what they share: those of its model take from the first
    figure that lists them what they do not say themselves."""

    title: str = Field(description="what stands above the figure")
    panels: Annotated[list[str], Field(min_length=1, max_length=MOST_PANELS)] = Field(
        description="names of its panels"
    )
    model: Literal[tuple(MODELS)] | None = Field(
        default=None, description="model of the panels that share what follows"
    )
    trials: Trials | None = Field(default=None, description="trials per point of its panels")
    reconstructed: list[str] = Field(
        default=[], description="parameters of all its panels that the paper does not state"
    )
    contest: Contest | None = Field(
        default=None, description="who fires and who is silent in its panels"
    )

    @model_validator(mode="before")
    @classmethod
    def _without_parameters(cls, values: Any) -> Any:
        # Of a model that is unknown or missing, which is a fault of its own.
        if cls is Figure and isinstance(values, dict):
            return {key: value for key, value in values.items() if key != "fixed"}
        return values

    def held(self, panel: AnySweep) -> dict[str, Any]:
        """What a panel takes from the figure: parameters that it neither sweeps nor holds, and
        delta if m is computed from it."""
        if panel.model != self.model:
            return {}
        own = panel.swept() | panel.held()
        held = {k: v for k, v in self.fixed if v is not None and k not in own}
        m = (held | own).get("m")
        if not (isinstance(m, MRule) and m.log_of == "n/delta"):
            held.pop("delta", None)
        return held


def _figure_model(model: Model) -> type[Figure]:
    return create_model(
        f"{class_name(model)}Figure",
        __base__=Figure,
        model=(
            Literal[model.name],
            Field(description="model of the panels that share what follows"),
        ),
        fixed=(
            model.parameters,
            Field(
                default=model.parameters(),
                description="parameters that its panels of this model hold fixed",
            ),
        ),
    )


NO_MODEL = "<no model>"


def _figure_kind(values: Any) -> str:
    model = values.get("model") if isinstance(values, dict) else getattr(values, "model", None)
    return model if isinstance(model, str) and model in MODELS else NO_MODEL


AnyFigure = Annotated[
    Union[
        Annotated[Figure, Tag(NO_MODEL)],
        *(Annotated[_figure_model(model), Tag(name)] for name, model in MODELS.items()),
    ],
    Discriminator(_figure_kind),
]


def _defaults_model(model: Model) -> type[Closed]:
    return create_model(
        f"{model.parameters.__name__}Defaults",
        __base__=model.parameters,
        contest=(
            Contest,
            Field(default=PAPERS, description="who fires and who is silent; the paper's"),
        ),
        reconstructed=RECONSTRUCTED,
        notes=(
            list[str],
            Field(default=[], description="what figures say of the model; * marks reconstructed"),
        ),
    )


DEFAULTS: dict[str, type[Closed]] = {name: _defaults_model(model) for name, model in MODELS.items()}
"""What the panels of a model hold fixed unless they say otherwise."""


def with_defaults(panel: AnySweep, defaults: Closed, figure: Figure | None = None) -> AnySweep:
    """The panel with all that its figure shares and its model holds fixed by default, unless the
    panel, or else the figure, says otherwise."""
    parameters = MODELS[panel.model].parameters
    held = {k: v for k, v in defaults if v is not None and k in parameters.model_fields}
    held = {k: v for k, v in held.items() if k not in panel.swept()}
    contest = panel.contest or defaults.contest
    if figure is not None:
        held |= figure.held(panel)
        contest = panel.contest or figure.contest or defaults.contest
    held |= panel.held()
    update = {"fixed": parameters.model_construct(**held), "contest": contest}
    return panel.model_copy(update=update)
