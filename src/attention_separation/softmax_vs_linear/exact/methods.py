"""Exact or reference values of each kind of model, at points."""

from attention_separation.softmax_vs_linear.exact import (
    attention_probabilities,
    regression_probabilities,
)
from attention_separation.softmax_vs_linear.exact.reference_value import Reference
from attention_separation.softmax_vs_linear.models.attention_model import AttentionModel
from attention_separation.softmax_vs_linear.models.model import Model
from attention_separation.softmax_vs_linear.models.point import Point
from attention_separation.softmax_vs_linear.models.regression import RegressionModel

REFERENCES = {
    AttentionModel: attention_probabilities.references,
    RegressionModel: regression_probabilities.references,
}


def references(model: Model, points: list[Point]) -> list[Reference]:
    """P(success) and the probabilities of its events at each point."""
    return REFERENCES[type(model)](model, points)
