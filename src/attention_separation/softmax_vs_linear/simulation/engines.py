"""The engines of each kind of model: trials at points of a panel."""

from ..models.attention_model import AttentionModel
from ..models.model import Model
from ..models.point import Point
from ..models.regression import RegressionModel
from . import attention_trials, regression_trials
from .attention_trials import Trials

ENGINES = {
    (AttentionModel, "reduced"): attention_trials.reduced,
    (AttentionModel, "dense"): attention_trials.dense,
    (RegressionModel, "reduced"): regression_trials.reduced,
    (RegressionModel, "dense"): regression_trials.dense,
}


def trials_at(model: Model, engine: str, points: list[Point]) -> list[Trials]:
    """Trials of the networks at each point, by the engine "reduced" or "dense"."""
    return ENGINES[type(model), engine](model, points)
