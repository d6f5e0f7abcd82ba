"""The three models of the paper, by the name that configurations and tables give them."""

from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.model import Model
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION

MODELS: dict[str, Model] = {
    model.name: model for model in (REGRESSION, SELF_ATTENTION, CROSS_ATTENTION)
}
