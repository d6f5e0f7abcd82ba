"""How well one network alone tells D1 from D0, as a function of its threshold.

The theorems give F_exp and F_lin the same tau. Here each may have its own: a network distinguishes
the pair if it is positive on D1 and zero on D0. As a function of tau that probability is a step
function whose steps are at the largest scores of the states of a column: so its maximum is exact.
"""

from dataclasses import dataclass

import numpy as np

from attention_separation.softmax_vs_linear.attention_exact import (
    NEARLY_ONE,
    States,
    different_classes,
    same_class,
)
from attention_separation.softmax_vs_linear.distinct import DistinctRows
from attention_separation.softmax_vs_linear.regression_exact import equal_entries_scores
from attention_separation.softmax_vs_linear.success import NETWORKS

NARROWEST = 1e-9
"""Thresholds between two scores closer than this, in units of s, are not resolved by float64."""


@dataclass(frozen=True)
class ThresholdCurve:
    """P(positive on D1, zero on D0) for theta = tau / s in [edges[k], edges[k + 1])."""

    edges: np.ndarray
    probability: np.ndarray

    def best(self) -> tuple[float, float, float]:
        """The largest probability, and the ends of the widest interval of theta that reaches it."""
        reached = np.nonzero(self.probability >= self.probability.max() * (1 - 1e-12))[0]
        widest = reached[np.argmax(np.diff(self.edges)[reached])]
        return float(self.probability[widest]), *map(float, self.edges[widest : widest + 2])

    def at(self, theta: float) -> float:
        """The probability at a threshold."""
        if not self.edges[0] <= theta < self.edges[-1]:
            return 0.0
        return float(self.probability[np.searchsorted(self.edges, theta, side="right") - 1])


def threshold_curve(d0: DistinctRows, d1: DistinctRows, m: int, s: float, data: str):
    """The curve of one kernel's network on the pair, for thresholds above 0.

    Parameters
    ----------
    d0, d1 : the network's distinct rows on either dataset
    m : number of sign columns
    s : sqrt(log n)
    data : "independent" or "same" special tokens in D0 and D1

    Returns
    -------
    ThresholdCurve
    """
    scores = [rows.largest_scores() / s for rows in (d0, d1)]
    edges = _edges(np.concatenate([part.ravel() for part in scores]))
    probability = _distinguishes(same_class(*scores), edges[:-1], m)
    if data == "independent" and d0.classes > 1:
        different = _distinguishes(different_classes(*scores), edges[:-1], m)
        probability = (probability + (d0.classes - 1) * different) / d0.classes
    return ThresholdCurve(edges, probability)


def equal_entries_curve(n: int, m: int, level: float, kernel: str) -> ThresholdCurve:
    """The curve of softmax regression where all entries of Ax in the interval are equal; s = 1."""
    scores, share = equal_entries_scores(n, level)
    d1, d0 = (scores[NETWORKS.index((kernel, dataset))].ravel() for dataset in (1, 0))
    edges = _edges(np.concatenate([d0, d1]))
    return ThresholdCurve(edges, _distinguishes((d0, d1, np.tile(share, 2)), edges[:-1], m))


def _edges(scores: np.ndarray) -> np.ndarray:
    """0 and the positive scores in order, those that nearly coincide once."""
    ordered = np.sort(scores[scores > NARROWEST])
    apart = np.diff(ordered, append=np.inf) > NARROWEST
    return np.concatenate([[0.0], ordered[apart], ordered[-1:] + 1.0])


def _distinguishes(states: States, thetas: np.ndarray, m: int) -> np.ndarray:
    """No column exceeds theta on D0, less no column does on either: (thetas,)."""
    d0, d1, weights = states
    on_d0 = _above(d0, weights, thetas)
    on_either = _above(np.maximum(d0, d1), weights, thetas)
    return np.exp(m * np.log1p(-on_d0)) - np.exp(m * np.log1p(-on_either))


def _above(scores: np.ndarray, weights: np.ndarray, thetas: np.ndarray) -> np.ndarray:
    """Probability that a column's score is above theta, (thetas,)."""
    order = np.argsort(scores)[::-1]
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    reached = np.searchsorted(-scores[order], -(thetas + NARROWEST / 2), side="left")
    return np.minimum(total[reached], NEARLY_ONE)
