"""Trials of softmax regression with all data and signs drawn, by Definitions 3.2-3.8.

This is the fastest way where bounds decide little: see `is_drawn_at_once`. Coordinates are
exchangeable, so the special one of D1 is coordinate 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....attention.sign_columns import exceeds
from ....statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.regression import LEVELS, U
from . import revelation, signs

NETWORKS = PAPERS.networks

AT_ONCE_N = 64
AT_ONCE_TAU = 9.5
"""Up to so many entries of Ax, or where tau is at most so many times n^(-3/4), drawing all of them
takes less time than bounds do: measured."""

CHUNK_ENTRIES = 20_000
"""Entries of Ax drawn together, of one trial at least: they stay in the processor's cache."""


@dataclass(frozen=True)
class Drawn:
    """What is drawn of t trials.

    uniforms : (t, 2, n) of the entries of Ax, of D0 and of D1
    lanes : (t, m, lanes of a column) signs as bits, by name of their stream
    """

    uniforms: np.ndarray
    lanes: dict[str, np.ndarray]


def is_drawn_at_once(point: Point) -> bool:
    """Whether a point's trials are all drawn, rather than decided by bounds where these can."""
    if point.n <= AT_ONCE_N:
        return True
    # Of constant Ax, bounds decide all but ties.
    if point.n > revelation.MOST_COMPLETED or point.law in LEVELS:
        return False
    return point.tau <= AT_ONCE_TAU * point.n**-0.75


def positive_networks(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which of the four NETWORKS are positive, (trials, networks) bool."""
    positive = [_decided(point, drawn) for drawn in _draws(point, streams, trials)]
    return np.concatenate(positive)


def _draws(point: Point, streams: BlockStreams, trials: int) -> Iterator[Drawn]:
    """The draws of a block's trials, in chunks; with `data: same`, D0 has the uniforms of D1."""
    data = streams.generator("data")
    names = signs.stream_names(point.signs, PAPERS)
    rngs = {name: streams.generator(name) for name in names}
    # Lanes of 64 bits need no multiple.
    multiple = signs.CHUNK_MULTIPLE if signs.lane_bits(point.n) < 64 else 1
    chunk = max(CHUNK_ENTRIES // point.n // multiple, 1) * multiple
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        uniforms = data.random((count, 2, point.n))
        if point.data == "same":
            uniforms[:, 0] = uniforms[:, 1]
        lanes = {name: signs.draw_lanes(rng, count, point.m, point.n) for name, rng in rngs.items()}
        yield Drawn(uniforms, lanes)


def _decided(point: Point, drawn: Drawn) -> np.ndarray:
    """Which networks are positive in t trials, (t, networks) bool."""
    n = point.n
    z = [
        regression.dataset_z(n, drawn.uniforms[:, 0], point.law, special=None),
        regression.dataset_z(n, drawn.uniforms[:, 1], point.law, special=0),
    ]
    f = [regression.normalise(U[kernel](z[dataset])) for kernel, dataset in NETWORKS]
    positive = np.zeros((len(drawn.uniforms), len(NETWORKS)), dtype=bool)
    for name, lanes in drawn.lanes.items():
        streams = [signs.stream_name(point.signs, network) for network in NETWORKS]
        readers = [k for k, stream in enumerate(streams) if stream == name]
        for column in range(point.m):
            y = 2.0 * signs.unpack(lanes[:, column], n) - 1.0
            for k in readers:
                scores = np.einsum("tn,tn->t", f[k], y)
                positive[:, k] |= exceeds(scores, point.tau, point.s)
    return positive
