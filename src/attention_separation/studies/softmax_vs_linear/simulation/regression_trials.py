"""Trials of the softmax-regression model, Figure 3: of rare columns alone, or by the definitions.

Both engines read the same draws and say of each trial which of the four NETWORKS_OF_PAPER are
positive. A column of signs is *rare* if it makes a network positive that should be zero: see
rare_columns. Coordinate 0 is the special one. Trials come in blocks, and are drawn in chunks.
"""

from functools import partial

import numpy as np

from ....attention.sign_columns import exceeds
from ....statistics.seeding import BlockStreams
from ..models.model import Point
from ..models.regression import special_sign_decides
from .rare_columns import RARE_NETWORKS, Chunk, Tilts, draw_chunks, tilts_of
from .regression_by_definition import (
    NETWORKS_OF_PAPER,
    draw_bits,
    draw_trials,
    draw_uniforms,
    positive_networks,
    weights,
)
from .signs import Trials

MOST_CANDIDATES = 0.3
"""If a column may be a candidate more often, drawing all of them takes less time."""


def dense(points: list[Point]) -> list[Trials]:
    """The function that runs a block's trials at each point, by the definitions: all data and signs
    are drawn."""
    return [partial(_trials, point, True) for point in points]


def reduced(points: list[Point]) -> list[Trials]:
    """The function that runs a block's trials at each point, from the columns in which something
    rare happens, where these are few.

    Elsewhere all is drawn, as `dense` does.
    """
    return [partial(_trials, point, False) for point in points]


def is_rare(point: Point) -> bool:
    """Whether a point's trials are decided by the signs at coordinate 0 and by rare columns, and
    these are few enough to be drawn alone."""
    is_decided_by_sign = special_sign_decides(point.n, point.tau)
    return is_decided_by_sign and tilts_of(point).bounds.sum() <= MOST_CANDIDATES


def _trials(point: Point, draw_all: bool, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which networks are positive in a block's trials, (trials, networks) bool; `draw_all` :
    whether all data and signs are drawn, or rare columns alone where these decide."""
    if point.tau >= 1:
        # No score is larger: weights sum to 1.
        return np.zeros((trials, len(NETWORKS_OF_PAPER)), dtype=bool)
    if not is_rare(point):
        return draw_trials(point, streams, trials)
    tilts = tilts_of(point)
    rest_rng = streams.generator("rest")
    positive = []
    for chunk in draw_chunks(point, tilts, streams, trials):
        if draw_all:
            positive.append(_completed(point, tilts, chunk, rest_rng))
        else:
            positive.append(_decided(chunk))
    return np.concatenate(positive)


def _decided(chunk: Chunk) -> np.ndarray:
    """Which networks are positive in a chunk's t trials, (t, networks) bool, from its rare columns
    and its signs at coordinate 0."""
    positive = np.zeros((len(chunk.is_plus), len(NETWORKS_OF_PAPER)), dtype=bool)
    positive[:, 0] = chunk.is_plus[:, 0].any(axis=1)
    for kept in chunk.kept:
        for k in range(len(RARE_NETWORKS)):
            positive[kept.trials[kept.positive[:, k]], 1 + k] = True
    return positive


def _completed(
    point: Point, tilts: Tilts, chunk: Chunk, rest_rng: np.random.Generator
) -> np.ndarray:
    """Which networks are positive in a chunk's t trials, (t, networks) bool, by the definitions,
    with all drawn that is not yet.

    Entries of Ax are independent of what is drawn, and signs fair but that no rare network is
    positive in columns that are not kept: they are drawn until it is so.
    """
    uniforms = draw_uniforms(rest_rng, point, len(chunk.is_plus))
    uniforms[chunk.trials] = chunk.uniforms
    positive = []
    for trial, is_plus in enumerate(chunk.is_plus):
        uniforms_of_trial = uniforms[trial, None]
        f_by_network = [weights(point, network, uniforms_of_trial) for network in RARE_NETWORKS]
        f = np.concatenate(f_by_network)
        bits = draw_bits(rest_rng, point, 1)[0]
        bits[..., 0] = is_plus
        is_pending = _is_rare_column(point, tilts, f, bits)
        while is_pending.any():
            redrawn = draw_bits(rest_rng, point, 1)[0]
            bits[is_pending, 1:] = redrawn[is_pending, 1:]
            is_pending = _is_rare_column(point, tilts, f, bits)
        for kept in chunk.kept:
            here = kept.trials == trial
            bits[kept.sets[here], kept.columns[here]] = kept.bits[here]
        positive.append(positive_networks(point, uniforms_of_trial, bits[None]))
    return np.concatenate(positive)


def _is_rare_column(point: Point, tilts: Tilts, f: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """In which columns of a trial some rare network is positive, (S, m) bool.

    f : (K, n), the weights of the rare networks
    bits : (S, m, n), the signs of the columns
    """
    scores = np.einsum("kn,smn->smk", f, 2.0 * bits - 1.0)
    is_positive = exceeds(scores, point.tau, point.s) & (tilts.bounds[:, None] > 0)
    is_rare_column: np.ndarray = np.any(is_positive, axis=-1)
    return is_rare_column
