"""Trials of the softmax-regression model, Figure 3: the dense loop, and streamed sign bits.

Both engines read the same draws and say of each trial which of the four NETWORKS are positive.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...attention.sign_columns import exceeds
from ...statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.regression import LEVELS, LOWER, SPECIAL, UPPER, RegressionModel
from . import signs
from .signs import Trials, pluses

CHUNK_NUMBERS = 200_000
"""Signs, or entries of Ax, worked on at once: what fits the processor's cache."""

SINGLE_TERMS = 4096
"""Longest sum in float32: its error, relative to 1, stays far below any threshold."""

FREED_MEMORY_KEPT = 31 << 20

NETWORKS = PAPERS.networks
F_LIN_D1, F_EXP_D1, F_LIN_D0, F_EXP_D0 = (
    NETWORKS.index(network) for network in (("linear", 1), ("exp", 1), ("linear", 0), ("exp", 0))
)


@dataclass(frozen=True)
class Draw:
    """Draws of T trials: indices j (T,), uniforms of D0 and D1 (T, n), lanes by stream's name."""

    special: np.ndarray
    uniforms: tuple[np.ndarray, np.ndarray]
    lanes: dict[str, np.ndarray]

    def lanes_of(self, point: Point, network: int) -> np.ndarray:
        """Lanes of the y that one of NETWORKS reads."""
        return self.lanes[signs.stream_name(point.signs, NETWORKS[network])]


def draws(point: Point, streams: BlockStreams, trials: int) -> Iterator[Draw]:
    """The draws of a block's trials, in chunks. With `data: same`, D0 has the entries of D1."""
    regression.check(point.n)
    special = streams.generator("places")
    uniforms = [streams.generator(f"data D{dataset}") for dataset in (0, 1)]
    rngs = {name: streams.generator(name) for name in signs.stream_names(point.signs, PAPERS)}
    chunk = max(CHUNK_NUMBERS // point.n // signs.CHUNK_MULTIPLE, 1) * signs.CHUNK_MULTIPLE
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        d0, d1 = (rng.random((count, point.n)) for rng in uniforms)
        yield Draw(
            special=special.integers(0, point.n, size=count),
            uniforms=(d1.copy() if point.data == "same" else d0, d1),
            lanes={k: signs.draw_lanes(r, count, point.m, point.n) for k, r in rngs.items()},
        )


def dense(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """Trials at each point by the definitions, one at a time."""
    return [partial(_by_definition, point) for point in points]


def _by_definition(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    positive = []
    for draw in draws(point, streams, trials):
        for trial, special in enumerate(draw.special):
            row = []
            for network, (kernel, dataset) in enumerate(NETWORKS):
                index = special if dataset else None
                z = regression.dataset_z(point.n, draw.uniforms[dataset][trial], point.law, index)
                f = regression.normalise(regression.U[kernel](z))
                y = signs.sign_matrix(draw.lanes_of(point, network)[trial], point.n)
                row.append(exceeds(f @ y, point.tau, point.s).any())
            positive.append(row)
    return np.array(positive, dtype=bool).reshape(trials, len(NETWORKS))


def reduced(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """The same from the sign bits: cheap bounds propose columns, float64 decides each of them."""
    return [partial(_from_bits, point) for point in points]


def _from_bits(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    _keep_freed_memory()
    method = _from_counts if point.law in LEVELS else _from_weights
    positive = [method(point, draw) for draw in draws(point, streams, trials)]
    return np.concatenate(positive)


def _keep_freed_memory() -> None:
    """Freeing one large block teaches glibc to keep freed memory instead of handing it back.

    Otherwise every work array of every chunk costs fresh page faults: half of Figure 3's time.
    """
    np.empty(FREED_MEMORY_KEPT, dtype=np.uint8)


def _from_counts(point: Point, draw: Draw) -> np.ndarray:
    """Laws of equal entries: a score depends on the number of pluses and the special sign."""
    level = LEVELS[point.law]
    positive = np.empty((len(draw.special), len(NETWORKS)), dtype=bool)
    for network, (kernel, dataset) in enumerate(NETWORKS):
        lanes = draw.lanes_of(point, network)
        total = 2 * pluses(lanes, point.n, 0, point.n) - point.n
        if dataset == 0:
            scores = total / point.n
        else:
            ratio = SPECIAL / level if kernel == "linear" else point.n ** (SPECIAL - level)
            sign = 2 * signs.bits_at(lanes, point.n, draw.special) - 1
            scores = (ratio * sign + (total - sign)) / (ratio + point.n - 1)
        positive[:, network] = exceeds(scores, point.tau, point.s).any(axis=1)
    return positive


def _from_weights(point: Point, draw: Draw) -> np.ndarray:
    """Laws of unequal entries."""
    n, tau = point.n, point.tau
    positive = np.zeros((len(draw.special), len(NETWORKS)), dtype=bool)

    def decide(network: int, proposed: np.ndarray) -> None:
        lanes = draw.lanes_of(point, network)
        kernel, dataset = NETWORKS[network]
        trial, column = np.nonzero(proposed)
        for part in np.array_split(np.arange(len(trial)), len(trial) * n // CHUNK_NUMBERS + 1):
            of = trial[part]
            multiples = regression.entries(draw.uniforms[dataset][of], point.law)
            if dataset == 1:
                multiples[np.arange(len(of)), draw.special[of]] = SPECIAL
            weights = multiples if kernel == "linear" else _exp_weights(multiples, n)
            plus = np.einsum("kn,kn->k", signs.unpack(lanes[of, column[part]], n), weights)
            scores = 2 * plus / weights.sum(axis=1) - 1
            positive[of[exceeds(scores, tau, point.s)], network] = True

    counts = {name: pluses(lanes, n, 0, n) for name, lanes in draw.lanes.items()}
    for network, largest in ((F_LIN_D0, UPPER), (F_LIN_D1, SPECIAL)):
        pluses_of = counts[signs.stream_name(point.signs, NETWORKS[network])]
        decide(network, pluses_of >= _fewest_pluses(n, tau, largest))

    lanes = draw.lanes_of(point, F_EXP_D0)
    weights = _exp_weights(regression.entries(draw.uniforms[0], point.law), n)
    decide(F_EXP_D0, _perhaps_exceeding(lanes, weights, tau))

    lanes = draw.lanes_of(point, F_EXP_D1)
    if regression.special_sign_decides(n, tau):
        positive[:, F_EXP_D1] = signs.bits_at(lanes, n, draw.special).any(axis=1)
    else:
        decide(F_EXP_D1, np.ones(lanes.shape[:2], dtype=bool))
    return positive


def _exp_weights(multiples: np.ndarray, n: int) -> np.ndarray:
    """exp(A x) = n^u up to a factor, from the entries u of Ax over log n; overwrites them."""
    multiples -= UPPER
    multiples *= math.log(n)
    return np.exp(multiples, out=multiples)


def _fewest_pluses(n: int, tau: float, largest: float) -> int:
    """Columns with fewer pluses than this cannot exceed tau under linear weights.

    Among p pluses the weights are at most p UPPER + (largest - UPPER), among the minuses at least
    (n - p) LOWER, whatever the data; the score grows with the former and falls with the latter.
    """
    p = np.arange(n + 1)
    plus = p * UPPER + (largest - UPPER)
    minus = (n - p) * LOWER
    possible = (plus - minus) / (plus + minus) > tau - 1e-9
    return int(np.argmax(possible)) if possible.any() else n + 1


def _perhaps_exceeding(lanes: np.ndarray, weights: np.ndarray, tau: float) -> np.ndarray:
    """Columns whose score in float32 is above tau less the error that float32 can make, (T, m).

    A sum of k terms and the rounding of its weights are wrong by at most (k + 1) u of the terms'
    total for u = 2^-24, to first order; sums longer than SINGLE_TERMS are added up in float64. A
    score is twice a share of a total: 4 k u leaves room for the higher orders.
    """
    trials, n = weights.shape
    m = lanes.shape[1]
    plus = np.zeros((trials, m))
    singles = weights.astype(np.float32)[..., None]
    step = max(CHUNK_NUMBERS // (m * n), 1)
    for start in range(0, trials, step):
        part = slice(start, start + step)
        bits = signs.unpack(lanes[part], n)
        for first in range(0, n, SINGLE_TERMS):
            terms = slice(first, first + SINGLE_TERMS)
            plus[part] += (bits[..., terms].astype(np.float32) @ singles[part, terms])[..., 0]
    share = plus / weights.sum(axis=1, keepdims=True)
    return 2 * share - 1 > tau - 4 * (min(n, SINGLE_TERMS) + 2) * 2.0**-24
