"""The models of the paper, by the name that configurations and tables give them."""

from typing import TYPE_CHECKING, Literal

from .attention import MODELS_OF_ATTENTION
from .model import Model
from .regression import REGRESSION

MODELS: dict[str, Model] = {model.name: model for model in (REGRESSION, *MODELS_OF_ATTENTION)}

if TYPE_CHECKING:
    ModelName = str
else:
    ModelName = Literal[tuple(MODELS)]
