"""What one network alone can do with a threshold of its own, for each kind of model."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.attention.threshold_curves import (
    ThresholdCurve,
    ThresholdCurves,
    column_curves,
    threshold_curves,
)

from ..models.contest import PAPERS
from ..models.model import AttentionModel, Model, Point, alike
from ..models.regression import LEVELS, RegressionModel
from .regression_probabilities import equal_entries_scores

REGRESSION_LAW = "middle"
"""Of Ax in softmax regression: with all entries equal, scores are few and the curve is exact."""


class Best(NamedTuple):
    """Probabilities that a network alone separates the pair: at the point's own threshold, and at
    the best, which lies in [low, high); None where float64 does not tell the best."""

    p_at_theta: float
    p_best: float | None
    low: float | None
    high: float | None


def best_thresholds(model: Model, points: list[Point], kernel: str | None) -> list[Best]:
    """What the network of a kernel can do at each point; without a kernel, for a model of
    attention: what all networks of the contest can do together, that is success."""
    return BEST[type(model)](model, points, kernel)


def curve_at(model: Model, point: Point, kernel: str) -> ThresholdCurve:
    """P(a kernel's network alone separates the pair) against its threshold."""
    if isinstance(model, AttentionModel):
        return _curves_of(model, [point], kernel).curve(0)
    return _equal_entries(point, kernel)


def success_at(model: AttentionModel, points: list[Point], thetas: np.ndarray) -> np.ndarray:
    """P(success) of points at thresholds (T,) that all networks of the contest share, (P, T)."""
    found = np.empty((len(points), len(thetas)))
    for members in alike(points):
        curves = _curves_of(model, [points[k] for k in members], None)
        found[members] = curves.at(np.tile(thetas, (len(members), 1)))
    return found


def _curves_of(model: AttentionModel, points: list[Point], kernel: str | None) -> ThresholdCurves:
    """Of points that arrays can hold together: a kernel's network alone, or success."""
    if kernel is None:
        scores = model.network_scores(points)
        kernels = len(scores) // 2
        d1, d0 = (np.stack(part, axis=1) for part in (scores[:kernels], scores[kernels:]))
    else:
        types = (model.token_types(points, dataset) for dataset in (1, 0))
        d1, d0 = (largest_scores(distinct_rows(of, KERNELS[kernel]))[:, None] for of in types)
    m, s, n = (np.array([getattr(point, name) for point in points]) for name in ("m", "s", "n"))
    return threshold_curves(d0, d1, m, s, n, points[0].data, points[0].signs)


def _equal_entries(point: Point, kernel: str) -> ThresholdCurve:
    return equal_entries_curve(point.n, point.m, LEVELS[REGRESSION_LAW], kernel, point.signs)


def _best_of_attention(
    model: AttentionModel, points: list[Point], kernel: str | None
) -> list[Best]:
    found: dict[Point, Best] = {}
    for members in alike(points):
        part = [points[k] for k in members]
        found |= _best_at(part, _curves_of(model, part, kernel))
    return [found[point] for point in points]


def _best_of_regression(model: RegressionModel, points: list[Point], kernel: str) -> list[Best]:
    groups: dict[tuple, list[Point]] = {}
    for point in points:
        groups.setdefault((point.n, point.signs), []).append(point)
    found: dict[Point, Best] = {}
    for (n, signs), part in groups.items():
        m = np.array([point.m for point in part])
        found |= _best_at(part, equal_entries_curves(n, m, LEVELS[REGRESSION_LAW], kernel, signs))
    return [found[point] for point in points]


def _best_at(points: list[Point], curves: ThresholdCurves) -> dict[Point, Best]:
    theta = np.array([point.theta for point in points])
    own = curves.at(theta[:, None])[:, 0].tolist()
    columns = (column.tolist() for column in (curves.resolved, *curves.best()))
    return {
        point: Best(at, *best) if resolved else Best(at, None, None, None)
        for point, at, resolved, *best in zip(points, own, *columns, strict=True)
    }


BEST: dict[type[Model], Callable[..., list[Best]]] = {
    AttentionModel: _best_of_attention,
    RegressionModel: _best_of_regression,
}


def equal_entries_curve(
    n: int, m: int, level: float, kernel: str, signs: str = "shared"
) -> ThresholdCurve:
    """P(one network alone separates D1 from D0) against its threshold, with entries at a level."""
    return equal_entries_curves(n, np.array([m]), level, kernel, signs).curve(0)


def equal_entries_curves(
    n: int, m: np.ndarray, level: float, kernel: str, signs: str = "shared"
) -> ThresholdCurves:
    """The same for several numbers of sign columns, (P,)."""
    scores, share = equal_entries_scores(n, level)
    d1, d0 = (
        np.tile(scores[PAPERS.networks.index((kernel, dataset))].ravel(), (len(m), 1, 1))
        for dataset in (1, 0)
    )
    columns = [(1.0, (slice(None), slice(None), np.tile(share, 2)))]
    return column_curves(d0, d1, m, np.full(len(m), n), columns, signs)
