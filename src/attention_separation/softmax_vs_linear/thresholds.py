"""Probabilities as functions of the threshold: of one network alone, and of E_success.

The theorems give F_exp and F_lin the same tau. Here each may have its own: a network distinguishes
the pair if it is positive on D1 and zero on D0. As a function of tau that probability, like
P(E_success), is a step function whose steps are at the largest scores of the states of a column: so
its maximum is exact.
"""

import math
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
from attention_separation.softmax_vs_linear.success import NETWORKS, TIE_TOLERANCE

ROUNDING = 1e-14
"""Scores closer than this, in units of s, may be one score that was summed in two ways."""

NARROWEST = 1e-13
"""Of two scores closer than this, in units of s, float64 hardly tells which is the larger."""

LARGEST_N = 10**12
"""The two networks' linear scores differ by about 1/n: beyond, by no more than rounding errors."""


@dataclass(frozen=True)
class ThresholdCurve:
    """A probability for theta = tau / s in [edges[k], edges[k + 1]), the first at 0.

    `probability` is (K,) for K + 1 `edges`. `resolved` is False where the curve may be higher
    between two scores that float64 does not tell apart: the largest probability is then unknown.
    """

    edges: np.ndarray
    probability: np.ndarray
    resolved: bool

    def best(self) -> tuple[float, float, float]:
        """The largest probability, and the ends of the widest interval of theta that reaches it."""
        widths = np.diff(self.edges)
        wide = np.where(widths > NARROWEST, self.probability, 0.0)
        reached = np.nonzero(wide >= wide.max() * (1 - 1e-12))[0]
        widest = reached[np.argmax(widths[reached])]
        return float(self.probability[widest]), *map(float, self.edges[widest : widest + 2])

    def at(self, theta: float | np.ndarray) -> np.ndarray:
        """The probability at thresholds, in their shape; a score that ties one is not above it."""
        place = np.searchsorted(self.edges, np.asarray(theta) + TIE_TOLERANCE, side="right") - 1
        inside = (place >= 0) & (place < len(self.probability))
        return np.where(inside, self.probability[np.where(inside, place, 0)], 0.0)


def threshold_curve(
    d0: DistinctRows, d1: DistinctRows, m: int, s: float, data: str, signs: str = "shared"
) -> ThresholdCurve:
    """P(one kernel's network is positive on D1 and zero on D0), for thresholds above 0.

    Parameters
    ----------
    d0, d1 : the network's distinct rows on either dataset
    m : number of sign columns
    s : sqrt(log n)
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by D0 and D1, or "fresh" for each
    """
    scores = [rows.largest_scores()[None] / s for rows in (d0, d1)]
    return _curve(_columns(*scores, data), m, signs, math.exp(s * s))


def success_curve(
    networks: list[DistinctRows], m: int, s: float, data: str, signs: str = "shared"
) -> ThresholdCurve:
    """P(E_success) against the threshold that all networks share, for thresholds above 0.

    Parameters
    ----------
    networks : the distinct rows of each of NETWORKS, in that order
    m, s, data, signs : as of `threshold_curve`; "fresh" is a y for each of the four

    Returns
    -------
    ThresholdCurve
    """
    d0, d1 = (
        np.stack(
            [
                rows.largest_scores() / s
                for rows, network in zip(networks, NETWORKS, strict=True)
                if network.dataset == dataset
            ]
        )
        for dataset in (0, 1)
    )
    return _curve(_columns(d0, d1, data), m, signs, math.exp(s * s))


def equal_entries_curve(
    n: int, m: int, level: float, kernel: str, signs: str = "shared"
) -> ThresholdCurve:
    """The curve of softmax regression where all entries of Ax in the interval are equal; s = 1."""
    scores, share = equal_entries_scores(n, level)
    d1, d0 = (scores[NETWORKS.index((kernel, dataset))].reshape(1, -1) for dataset in (1, 0))
    return _curve([(1.0, (d0, d1, np.tile(share, 2)))], m, signs, n)


Columns = list[tuple[float, States]]
"""Chances of cases, and the states of a column in each, (networks on a dataset, S). The network
that must be positive is the first on D1; all others must be zero."""


def _columns(d0: np.ndarray, d1: np.ndarray, data: str) -> Columns:
    """From largest scores (networks, 2, E, 2, K) as `DistinctRows.largest_scores` indexes them."""
    classes = d0.shape[-1]
    if data == "same" or classes == 1:
        return [(1.0, same_class(d0, d1))]
    return [
        (1 / classes, same_class(d0, d1)),
        (1 - 1 / classes, different_classes(d0, d1)),
    ]


def _curve(columns: Columns, m: int, signs: str, n: float) -> ThresholdCurve:
    edges = _edges(np.concatenate([part.ravel() for part in columns[0][1][:2]]))
    thetas = edges[:-1]
    if signs == "fresh":
        # Each network's own law does not depend on the case.
        d0, d1, weights = columns[0][1]
        fires, *silent = (_none_above(part, weights, thetas, m) for part in (*d1, *d0))
        probability = np.prod([1 - fires, *silent], axis=0)
    else:
        probability = sum(share * _told(states, thetas, m) for share, states in columns)
    wide = np.diff(edges) > NARROWEST
    highest = probability[wide].max()
    resolved = n < LARGEST_N * (1 + 1e-9) and probability.max() <= highest + TIE_TOLERANCE
    return ThresholdCurve(edges, probability, bool(resolved))


def _edges(scores: np.ndarray) -> np.ndarray:
    """0 and the positive scores in order, those that nearly coincide once."""
    ordered = np.sort(scores[scores > ROUNDING])
    apart = np.diff(ordered, append=np.inf) > ROUNDING
    return np.concatenate([[0.0], ordered[apart], ordered[-1:] + 1.0])


def _told(states: States, thetas: np.ndarray, m: int) -> np.ndarray:
    """No column exceeds theta where none should, less no column does anywhere: (thetas,)."""
    d0, d1, weights = states
    others = np.concatenate([d0, d1[1:]]).max(axis=0)
    none_other = _none_above(others, weights, thetas, m)
    return none_other - _none_above(np.maximum(others, d1[0]), weights, thetas, m)


def _none_above(scores: np.ndarray, weights: np.ndarray, thetas: np.ndarray, m: int) -> np.ndarray:
    """Probability that of m columns none has a score above theta, (thetas,)."""
    order = np.argsort(scores)[::-1]
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    reached = np.searchsorted(-scores[order], -(thetas + ROUNDING / 2), side="left")
    return np.exp(m * np.log1p(-np.minimum(total[reached], NEARLY_ONE)))
