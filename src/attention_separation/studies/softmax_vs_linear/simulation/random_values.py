"""Trials of the attention models with a random value matrix V, drawn anew for each trial.

c = f A3 V is attention's output, and y the random signs: a score is a row of c with V = I against
V y. Many tokens have equal rows of c; each *distinct* one is kept once. All networks of a trial
share V. T is a number of trials, d the dimension, and m the number of columns of y.
"""

from collections.abc import Callable

import numpy as np

from ....attention.distinct_rows import distinct_rows
from ....attention.sign_columns import exceeds
from ....statistics.seeding import BlockStreams
from ..models.contest import Network
from ..models.model import AttentionModel, Point
from . import signs
from .attention_trials import draws

Values = Callable[[np.ndarray], np.ndarray]
"""Standard normal numbers (T, d, d) -> V of T trials, (T, d, d)."""


def orthogonal(normals: np.ndarray) -> np.ndarray:
    """Random V, (T, d, d), uniform among the orthogonal matrices: the Q of Q R of normal numbers,
    where R has a positive diagonal."""
    q, r = np.linalg.qr(normals)
    return q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]


def scaled_signs(normals: np.ndarray) -> np.ndarray:
    """Random V, (T, d, d), with independent entries 1/sqrt(d) or -1/sqrt(d), by the signs of normal
    numbers."""
    return np.sign(normals) * normals.shape[-1] ** -0.5


def positive_with(
    values: Values, model: AttentionModel, point: Point, streams: BlockStreams, trials: int
) -> np.ndarray:
    """Which networks are positive in a block's trials with random V, (trials, networks) bool.

    `values` makes each trial's V; special tokens and y are drawn as with V = I.
    """
    rng = streams.generator("values")
    networks = point.contest.networks
    chunks = []
    rows = [_distinct_values(model, point, network) for network in networks]
    for indices, lanes in draws(point, model.special_tokens, streams, trials):
        v = values(rng.standard_normal((len(indices), point.d, point.d)))
        vy = {name: v @ signs.sign_matrix(columns, point.d) for name, columns in lanes.items()}
        marked = 1 + model.special_class(indices[:, :, -1], point.d)
        lengths = np.abs(v).sum(axis=2, keepdims=True)
        positive = []
        for network, c in zip(networks, rows, strict=True):
            marked_class = marked[:, network.dataset]
            vy_read = vy[signs.stream_name(point.signs, network)]
            scores = c @ _exchanged(vy_read, marked_class)
            sizes = np.abs(c) @ _exchanged(lengths, marked_class)
            positive.append(exceeds(scores, point.tau, sizes).any(axis=(1, 2)))
        chunks.append(np.stack(positive, axis=1))
    return np.concatenate(chunks)


def _distinct_values(model: AttentionModel, point: Point, network: Network) -> np.ndarray:
    """The distinct rows of c, attention's output, (R, d), with V = I and a special token of the
    first class."""
    types = model.token_types([point], network.dataset)
    rows = distinct_rows(types, point.contest.kernel_of(network.kernel))
    unmarked = int(rows.classes[0]) - 1
    choices = max(unmarked, 1)
    c = np.zeros((len(rows.first[0]), choices, point.d))
    c[..., 0] = rows.first[0][:, None]
    c[..., 1] = rows.marked[0][:, None]
    # Any unmarked class may be the row's own.
    excess = (rows.own[0] - rows.rest[0])[:, None, None] * np.eye(choices, unmarked)
    c[..., 2 : 2 + unmarked] = rows.rest[0][:, None, None] + excess
    if rows.last is not None:
        c[..., -1] = rows.last[0][:, None]
    return np.unique(c.reshape(-1, point.d), axis=0)


def _exchanged(vy: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """An array such as V y, (T, d, m), with its coordinate 1 exchanged with that of each trial's
    special class, `marked` (T,)."""
    order = np.tile(np.arange(vy.shape[1]), (len(vy), 1))
    order[:, 1] = marked
    order[np.arange(len(vy)), marked] = 1
    return np.take_along_axis(vy, order[:, :, None], axis=1)
