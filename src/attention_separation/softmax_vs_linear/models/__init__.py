"""The three models of the paper, by the name that configurations and tables give them."""

from .attention import CROSS_ATTENTION, SELF_ATTENTION
from .model import Model
from .regression import REGRESSION

MODELS: dict[str, Model] = {
    model.name: model for model in (REGRESSION, SELF_ATTENTION, CROSS_ATTENTION)
}
