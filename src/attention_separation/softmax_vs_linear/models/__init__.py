"""The three models of the paper, by the name that configurations and tables give them."""

from collections.abc import Iterable

from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.model import Model
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION

MODELS: dict[str, Model] = {
    model.name: model for model in (REGRESSION, SELF_ATTENTION, CROSS_ATTENTION)
}


def modules_of_others(names: Iterable[str]) -> frozenset[str]:
    """Modules that serve other models alone: nothing that is made of these depends on them."""
    needed = {module for name in names for module in MODELS[name].modules}
    return frozenset(module for model in MODELS.values() for module in model.modules) - needed
