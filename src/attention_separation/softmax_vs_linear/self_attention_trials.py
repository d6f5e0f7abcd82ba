"""Trials of self-attention, Figures 4 and 5."""

import numpy as np

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear import attention_trials
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.self_attention import (
    rows,
    special_class,
    tokens,
    x_matrix,
)


def dense(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which networks are positive, (trials, 4) bool, by the definitions."""
    return attention_trials.dense(point, streams, trials, 1, _inputs)


def reduced(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which networks are positive, (trials, 4) bool, from the distinct rows."""
    return attention_trials.reduced(point, streams, trials, 1, rows, special_class)


def _inputs(point: Point, dataset: int, indices: np.ndarray) -> tuple[np.ndarray, ...]:
    a = tokens(point.n, point.d, point.a(dataset), point.b, point.c, indices[0])
    return a, a, a, x_matrix(point.attention_x, point.d)
