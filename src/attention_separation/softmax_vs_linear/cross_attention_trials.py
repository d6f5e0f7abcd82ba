"""Trials of cross-attention, Figure 7."""

import numpy as np

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear import attention_trials
from attention_separation.softmax_vs_linear.cross_attention import (
    rows,
    special_class,
    tokens,
)
from attention_separation.softmax_vs_linear.point import Point


def dense(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which networks are positive, (trials, 4) bool, by the definitions."""
    return attention_trials.dense(point, streams, trials, 2, _inputs)


def reduced(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which networks are positive, (trials, 4) bool, from the distinct rows."""
    return attention_trials.reduced(point, streams, trials, 2, rows, special_class)


def _inputs(point: Point, dataset: int, indices: np.ndarray) -> tuple[np.ndarray, ...]:
    a1, a2 = tokens(point.n, point.d, point.a(dataset), *indices)
    return a1, a2, a2, np.eye(point.d)
