"""The three models of the paper, by the name that configurations and tables give them."""

from .cross_attention import CROSS_ATTENTION
from .model import Model
from .regression import REGRESSION
from .self_attention import SELF_ATTENTION

MODELS: dict[str, Model] = {
    model.name: model for model in (REGRESSION, SELF_ATTENTION, CROSS_ATTENTION)
}
