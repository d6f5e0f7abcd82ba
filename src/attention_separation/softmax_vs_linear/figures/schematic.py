"""The paper's drawings, Figures 1, 2 and 6, drawn from the code's own arrays."""

from pathlib import Path

from matplotlib.figure import Figure
from pydantic import Field, ValidationError

from attention_separation.pages.drawing import save
from attention_separation.settings.closed import Closed, Count
from attention_separation.settings.faults import ConfigError, dotted, sentences

from .attention_schematics import fig2, fig6
from .regression_schematics import fig1


class Fig1Sizes(Closed):
    """Sizes of the softmax-regression network."""

    n: Count = Field(default=8, description="entries of Ax")
    m: Count = Field(default=3, description="shifted-ReLU units")


class Fig2Sizes(Closed):
    """Sizes of the self-attention network: by default those of the paper's figure."""

    n: Count = Field(default=4, description="tokens")
    d: Count = Field(default=3, description="coordinates of a token")
    m: Count = Field(default=2, description="shifted-ReLU units per token")


class Fig6Sizes(Closed):
    """Sizes of the tokens of Definition D.1."""

    n: Count = Field(default=6, description="tokens, a multiple of d - 2")
    d: Count = Field(default=5, description="coordinates of a token")


FIGURES = {"fig1": fig1, "fig2": fig2, "fig6": fig6}
SIZES: dict[str, type[Closed]] = {"fig1": Fig1Sizes, "fig2": Fig2Sizes, "fig6": Fig6Sizes}


def draw(name: str, settings: str) -> Figure:
    """One of FIGURES at the sizes that `settings` gives as JSON; the others are the defaults.

    Raises
    ------
    ValueError
        If the settings are no such sizes, or there is no such picture.
    """
    model = SIZES[name]
    try:
        sizes = model.model_validate_json(settings)
    except ValidationError as error:
        faults = [f"{dotted(path)}: {sentence}" for path, sentence in sentences(error, model)]
        raise ConfigError(faults, source=f"{name} --settings") from error
    return FIGURES[name](**sizes.model_dump())


def run(settings: str, figure: str, output: Path) -> None:
    save(draw(figure, settings), output.with_suffix(""))
