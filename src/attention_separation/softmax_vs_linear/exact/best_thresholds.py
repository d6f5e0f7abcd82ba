"""What one network alone can do with a threshold of its own, and all with one that they share, for
each kind of model."""

from typing import NamedTuple

import numpy as np

from ...attention.distinct_rows import distinct_rows
from ...attention.kernels import KERNELS
from ...attention.sign_columns import largest_scores, of_one_size, stack_networks
from ...attention.threshold_curves import (
    Networks,
    ThresholdCurve,
    ThresholdCurves,
    curves_of,
    threshold_curves,
)
from ..models.contest import PAPERS
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
    """What the network of a kernel can do at each point; without a kernel, for a model of
    attention: what all networks of the contest can do together, that is success."""
    found: dict[Point, Best] = {}
    for part in _together(model, points):
        curves = _curves_of(model, part, kernel)
        own = curves.at(np.array([point.theta for point in part])[:, None])[:, 0]
        columns = (column.tolist() for column in (own, curves.resolved, *curves.best()))
        for point, at, resolved, *best in zip(part, *columns, strict=True):
            found[point] = Best(at, *best) if resolved else Best(at, None, None, None)
    return [found[point] for point in points]


def curve_at(model: Model, point: Point, kernel: str) -> ThresholdCurve:
    """P(a kernel's network alone separates the pair) against its threshold."""
    return _curves_of(model, [point], kernel).curve(0)


def success_at(model: AttentionModel, points: list[Point], thetas: np.ndarray) -> np.ndarray:
    """P(success) of points at thresholds (T,) that all networks of the contest share, (P, T)."""
    found: dict[Point, np.ndarray] = {}
    for part in _together(model, points):
        at = _curves_of(model, part, None).at(np.tile(thetas, (len(part), 1)))
        found |= zip(part, at, strict=True)
    return np.array([found[point] for point in points])


def _together(model: Model, points: list[Point]) -> list[list[Point]]:
    """The points in groups whose curves are computed together."""
    if isinstance(model, AttentionModel):
        return batches(points)
    return batches(points, key=lambda point: (point.n, point.signs))


def _curves_of(model: Model, points: list[Point], kernel: str | None) -> ThresholdCurves:
    """Of points that are together: a kernel's network alone, or success."""
    m, s, n = (np.array([getattr(point, name) for point in points]) for name in ("m", "s", "n"))
    if not isinstance(model, AttentionModel):
        return equal_entries_curves(points[0].n, m, kernel, points[0].signs)
    if kernel is None:
        scores = [largest_scores(rows) for rows in model.network_rows(points)]
        kernels = len(scores) // 2
        d1, d0 = stack_networks(scores[:kernels]), stack_networks(scores[kernels:])
    else:
        d1, d0 = (
            largest_scores(distinct_rows(model.token_types(points, dataset), KERNELS[kernel]))
            for dataset in (1, 0)
        )
        d1, d0 = d1[:, None], d0[:, None]
    return threshold_curves(d0, d1, m, s, n, points[0].data, points[0].signs)


def equal_entries_curves(
    n: int, m: np.ndarray, kernel: str, signs: str = "shared", level: float = EQUAL_ENTRIES
) -> ThresholdCurves:
    """P(one network alone separates D1 from D0) against its threshold, with entries at a level, for
    several numbers of sign columns, (P,)."""
    scores, share = equal_entries_scores(n, level)
    d1, d0 = (
        np.tile(scores[PAPERS.networks.index((kernel, dataset))].ravel(), (len(m), 1, 1))
        for dataset in (1, 0)
    )
    # Weights sum to 1, and entries are signs.
    d1, d0 = of_one_size(d1, 1.0), of_one_size(d0, 1.0)
    columns = [(1.0, (slice(None), slice(None), np.tile(share, 2)))]
    networks = Networks(d0, d1, m, np.ones(len(m)), columns, signs)
    return curves_of(networks, np.full(len(m), n))
