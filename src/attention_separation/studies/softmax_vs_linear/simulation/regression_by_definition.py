"""Trials of softmax regression with all data and signs drawn, by Definitions 3.2-3.8.

Coordinates are exchangeable, so the special one of D1 is coordinate 0. A trial has the entries of
Ax of D0 and of D1, and S sets of m columns of n random signs; a network is a kernel on D0 or D1,
and is positive if the score <f, y> of some column y of its set exceeds tau.
"""

import numpy as np

from ....attention.sign_columns import exceeds
from ....statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import CONTEST_OF_PAPER, Network
from ..models.model import Point
from . import signs

NETWORKS_OF_PAPER = CONTEST_OF_PAPER.networks

MOST_ENTRIES = 10**7
"""Entries of Ax that are ever drawn of a trial."""

CHUNK_ENTRIES = 20_000
"""Entries of Ax drawn together, of one trial at least: they stay in the processor's cache."""


def sign_sets(point: Point) -> int:
    """How many sets S of m columns of signs a trial has: network k reads set k mod S."""
    return 1 if point.signs == "shared" else len(NETWORKS_OF_PAPER)


def draw_uniforms(rng: np.random.Generator, point: Point, trials: int) -> np.ndarray:
    """The uniforms on [0, 1) that the entries of Ax of D0 and D1 are made of, (trials, 2, n).
    ValueError if there are too many entries."""
    if trials and point.n > MOST_ENTRIES:
        raise ValueError(
            f"n={point.n}, tau={point.tau}: scores exceed tau too often to draw no Ax, "
            f"and too many entries of Ax to draw; allowed: n <= {MOST_ENTRIES}, or another tau"
        )
    uniforms = rng.random((trials, 2, point.n))
    if point.data == "same":
        uniforms[:, 0] = uniforms[:, 1]
    return uniforms


def draw_bits(rng: np.random.Generator, point: Point, trials: int) -> np.ndarray:
    """The signs of the trials' columns as bits, 1 for +1 and 0 for -1: (trials, S, m, n) uint8."""
    sets = sign_sets(point)
    lanes = signs.draw_lanes(rng, trials, sets * point.m, point.n)
    return signs.unpack(lanes, point.n).reshape(trials, sets, point.m, point.n)


def weights(point: Point, network: Network, uniforms: np.ndarray) -> np.ndarray:
    """The weights f of a network in t trials, (t, n), from the uniforms of Ax, (t, 2, n)."""
    special = 0 if network.dataset == 1 else None
    z = regression.dataset_z(point.n, uniforms[:, network.dataset], point.law, special)
    return regression.normalise(regression.U[network.kernel](z))


def positive_networks(point: Point, uniforms: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Which NETWORKS_OF_PAPER are positive in t trials, (t, networks) bool.

    uniforms : (t, 2, n), of the entries of Ax
    bits : (t, S, m, n), the signs
    """
    f = [weights(point, network, uniforms) for network in NETWORKS_OF_PAPER]
    positive = np.zeros((len(uniforms), len(NETWORKS_OF_PAPER)), dtype=bool)
    sets = bits.shape[1]
    for number in range(sets):
        for column in range(point.m):
            y = 2.0 * bits[:, number, column] - 1.0
            for k in range(number, len(NETWORKS_OF_PAPER), sets):
                scores = np.einsum("tn,tn->t", f[k], y)
                positive[:, k] |= exceeds(scores, point.tau, point.s)
    return positive


def draw_trials(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    """Which NETWORKS_OF_PAPER are positive in a block's trials, (trials, networks) bool, all of
    whose data and signs are drawn here."""
    data_rng = streams.generator("data")
    sign_rng = streams.generator("signs")
    # Lanes need a multiple while n <= 32, where many trials are drawn together.
    multiple = signs.CHUNK_MULTIPLE
    chunk = max(CHUNK_ENTRIES // point.n // multiple * multiple, 1)
    positive = []
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        uniforms = draw_uniforms(data_rng, point, count)
        bits = draw_bits(sign_rng, point, count)
        positive.append(positive_networks(point, uniforms, bits))
    return np.concatenate(positive)
