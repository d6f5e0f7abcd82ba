"""Exact or reference values of each kind of model, at points."""

from ..models.attention_model import AttentionModel
from ..models.model import Model
from ..models.point import Point
from ..models.regression import RegressionModel
from . import attention_probabilities, regression_probabilities
from .reference_value import Reference

REFERENCES = {
    AttentionModel: attention_probabilities.references,
    RegressionModel: regression_probabilities.references,
}


def references(model: Model, points: list[Point]) -> list[Reference]:
    """P(success) and the probabilities of its events at each point."""
    return REFERENCES[type(model)](model, points)
