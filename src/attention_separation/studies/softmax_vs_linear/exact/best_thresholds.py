"""What one network alone can do with a threshold of its own, and all with one that they share, for
each kind of model.

A network *separates* the datasets D1 and D0 if it is positive on D1 and zero on D0. A *contest*
names the networks' kernels; it is a success if the first network alone separates them and all
others are zero. theta is the threshold tau over s, the scale of scores. A point has the values of
all parameters.
"""

from typing import NamedTuple

import numpy as np

from ....attention.distinct_rows import distinct_rows
from ....attention.sign_columns import (
    ClassCase,
    States,
    StateScores,
    largest_scores,
    of_one_size,
    stack_networks,
)
from ....attention.threshold_curves import (
    Networks,
    SignDraws,
    ThresholdCurve,
    ThresholdCurves,
    curves_of,
    threshold_curves,
)
from ..models.contest import CONTEST_OF_PAPER
from ..models.model import AttentionModel, Model, Point, batches
from ..models.regression import LEVELS
from .regression_probabilities import equal_entries_scores

EQUAL_ENTRIES = LEVELS["middle"]
"""Of Ax in softmax regression: with all entries equal, scores are few and the curve is exact."""


class Best(NamedTuple):
    """Probabilities that a network alone separates the pair: at the point's own threshold, and at
    the best, which lies in [low, high); None where float64 does not tell the best."""

    p_at_theta: float
    p_best: float | None
    low: float | None
    high: float | None


def best_thresholds(model: Model, points: list[Point], kernel: str | None) -> list[Best]:
    """The probability at each point that a kernel's network alone separates D1 from D0, at the
    point's threshold and at the best; without a kernel, for attention, the probability of success
    with one threshold for all networks."""
    by_point: dict[Point, Best] = {}
    for part in _groups(model, points):
        curves = _curves_of(model, part, kernel)
        thetas = np.array([point.theta for point in part])
        p_at_theta = curves.at(thetas[:, None])[:, 0]
        p_best, low, high = curves.best()
        for k, point in enumerate(part):
            best = Best(float(p_at_theta[k]), None, None, None)
            if curves.resolved[k]:
                best = best._replace(
                    p_best=float(p_best[k]), low=float(low[k]), high=float(high[k])
                )
            by_point[point] = best
    return [by_point[point] for point in points]


def curve_at(model: Model, point: Point, kernel: str) -> ThresholdCurve:
    """The probability at a point that a kernel's network alone separates D1 from D0, as a function
    of its threshold."""
    return _curves_of(model, [point], kernel).curve(0)


def success_at(model: AttentionModel, points: list[Point], thetas: np.ndarray) -> np.ndarray:
    """The probability of success, (P, T), at each of P points with each of the thresholds (T,), the
    same for all networks of the contest."""
    by_point: dict[Point, np.ndarray] = {}
    for part in _groups(model, points):
        success = _curves_of(model, part, None).at(np.tile(thetas, (len(part), 1)))
        by_point |= zip(part, success, strict=True)
    return np.array([by_point[point] for point in points])


def _groups(model: Model, points: list[Point]) -> list[list[Point]]:
    """The points in groups whose curves are computed together."""
    if isinstance(model, AttentionModel):
        return batches(points)
    return batches(points, key=lambda point: (point.n, point.signs))


def _curves_of(model: Model, points: list[Point], kernel: str | None) -> ThresholdCurves:
    """The curves over the threshold at the points of a group: of a kernel's network alone, or, if
    `kernel` is None, of success."""
    m = np.array([point.m for point in points])
    if not isinstance(model, AttentionModel):
        return equal_entries_curves(points[0].n, m, kernel, points[0].signs)
    if kernel is None:
        scores = [largest_scores(rows) for rows in model.network_rows(points)]
    else:
        kernel_function = points[0].contest.kernel_of(kernel)
        scores = []
        for dataset in (1, 0):
            rows = distinct_rows(model.token_types(points, dataset), kernel_function)
            scores.append(largest_scores(rows))
    kernels = len(scores) // 2
    return threshold_curves(
        d0=stack_networks(scores[kernels:]),
        d1=stack_networks(scores[:kernels]),
        m=m,
        s=np.array([point.s for point in points]),
        n=np.array([point.n for point in points]),
        data=points[0].data,
        signs=points[0].signs,
    )


def equal_entries_curves(
    n: int,
    m: np.ndarray,
    kernel: str | None,
    signs: SignDraws = "shared",
    level: float = EQUAL_ENTRIES,
) -> ThresholdCurves:
    """The probability in softmax regression that one network alone separates D1 from D0, as a
    function of its threshold, for several numbers m of sign columns, (P,).

    All entries of Ax but the special one are `level` log n.
    """
    scores, share = equal_entries_scores(n, level)

    def scores_on(dataset: int) -> StateScores:
        """The scores of each state of a column on D0 or D1."""
        column_scores = scores[CONTEST_OF_PAPER.networks.index((kernel, dataset))].ravel()
        # Weights sum to 1, and entries are signs.
        return of_one_size(np.tile(column_scores, (len(m), 1, 1)), size=1.0)

    states = np.arange(2 * len(share))
    networks = Networks(
        d0=scores_on(0),
        d1=scores_on(1),
        m=m,
        s=np.ones(len(m)),
        cases=[ClassCase(1.0, States(states, states, np.tile(share, 2)))],
        signs=signs,
    )
    return curves_of(networks, np.full(len(m), n))
