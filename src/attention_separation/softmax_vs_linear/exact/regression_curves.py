"""Curves over the threshold of softmax regression where all entries of Ax are equal; s = 1."""

import numpy as np

from attention_separation.attention.threshold_curves import (
    ThresholdCurve,
    ThresholdCurves,
    column_curves,
)

from ..models.contest import PAPERS
from .regression_probabilities import equal_entries_scores


def equal_entries_curve(
    n: int, m: int, level: float, kernel: str, signs: str = "shared"
) -> ThresholdCurve:
    """P(one network alone tells D1 from D0) against its threshold, with entries at a level."""
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
