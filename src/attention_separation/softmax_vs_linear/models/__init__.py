"""The three models of the paper, by the name that configurations and tables give them."""

from typing import Literal

from .attention import CROSS_ATTENTION, SELF_ATTENTION
from .model import Model
from .regression import REGRESSION

ModelName = Literal["regression", "self_attention", "cross_attention"]

MODELS: dict[str, Model] = {
    model.name: model for model in (REGRESSION, SELF_ATTENTION, CROSS_ATTENTION)
}
