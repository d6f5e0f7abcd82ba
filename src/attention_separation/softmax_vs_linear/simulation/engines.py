"""The engines of each kind of model: trials at points of a panel."""

from attention_separation.softmax_vs_linear.models.attention_model import AttentionModel
from attention_separation.softmax_vs_linear.models.model import Model
from attention_separation.softmax_vs_linear.models.point import Point
from attention_separation.softmax_vs_linear.models.regression import RegressionModel
from attention_separation.softmax_vs_linear.simulation import attention_trials, regression_trials
from attention_separation.softmax_vs_linear.simulation.attention_trials import Trials

ENGINES = {
    (AttentionModel, "reduced"): attention_trials.reduced,
    (AttentionModel, "dense"): attention_trials.dense,
    (RegressionModel, "reduced"): regression_trials.reduced,
    (RegressionModel, "dense"): regression_trials.dense,
}


def trials_at(model: Model, engine: str, points: list[Point]) -> list[Trials]:
    """Trials of the networks at each point, by the engine "reduced" or "dense"."""
    return ENGINES[type(model), engine](model, points)
