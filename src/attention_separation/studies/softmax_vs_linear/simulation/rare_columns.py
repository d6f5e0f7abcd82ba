"""Columns of signs of softmax regression in which a rare event happens, without drawing the others.

A column y has n fair signs, and a network is positive where the score s = <f, y> of some column
exceeds tau. Let coordinate 0 be the special one of D1. F_exp on D1 is positive exactly where the
sign there is +1 in some column. The other networks are *rare*: by Chernoff's bound, whatever the
data and the sign at coordinate 0,

    P(s > tau) <= B = exp(-r^2 / 2V),   r = tau - max f_0,   V = max of the sum of f_i^2 over i > 0.

So a column is a *candidate* with probability B alone. The other signs of a candidate are *tilted*
towards large scores: that at i is +1 with probability 1 / (1 + exp(-2 L f_i)), where L = r / V. If
this law is Q, a candidate y with s > tau is *kept* with probability

    P(y) / (B Q(y)) = exp(sum of log cosh(L f_i) - L (s - f_0 y_0)) / B,   which is at most 1.

So y is a candidate, drawn, and kept with probability B Q(y) P(y) / (B Q(y)) = P(y): as often as
fair signs are y. In a column that is not kept, no rare network is positive. Where several of them
read a column, B is the sum of their bounds B_k, and Q is the tilt of network k with probability
B_k / B.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....attention.sign_columns import exceeds
from ....statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import Network
from ..models.model import Point
from .regression_by_definition import NETWORKS_OF_PAPER, draw_uniforms, sign_sets, weights

RARE_NETWORKS = NETWORKS_OF_PAPER[1:]
"""The K rare networks; the first is F_exp on D1."""

CHUNK_NUMBERS = 300_000
"""Trials are drawn together that take about so many random numbers."""


@dataclass(frozen=True)
class Tilts:
    """The tilts of S sets of columns.

    rates : (K,), L of each rare network
    bounds : (S, K), B_k of those that read a set, 0 of the others
    """

    rates: np.ndarray
    bounds: np.ndarray


@dataclass(frozen=True)
class Columns:
    """C columns of a chunk's trials.

    trials, sets, columns : (C,), which
    bits : (C, n) bool, where their signs are +1
    positive : (C, K) bool, the rare networks whose scores exceed tau
    """

    trials: np.ndarray
    sets: np.ndarray
    columns: np.ndarray
    bits: np.ndarray
    positive: np.ndarray


@dataclass(frozen=True)
class Chunk:
    """What is drawn of t trials.

    is_plus : (t, S, m) bool, the signs at coordinate 0
    trials : (T,), those with candidates
    uniforms : (T, 2, n), of their entries of Ax
    kept : all columns in which a rare network is positive
    """

    is_plus: np.ndarray
    trials: np.ndarray
    uniforms: np.ndarray
    kept: list[Columns]


def tilts_of(point: Point) -> Tilts:
    """The tilts L and the bounds B_k of a point's columns, as the module has them."""
    first_weights = np.array([largest_first_weight(point, network) for network in RARE_NETWORKS])
    squares = np.array([largest_sum_of_squares(point, network) for network in RARE_NETWORKS])
    # r of the module's formulas.
    missing = point.tau - first_weights
    rates = np.maximum(missing, 0.0) / squares
    bounds = np.exp(-rates * missing / 2)
    sets = sign_sets(point)
    set_of_network = np.arange(1, len(NETWORKS_OF_PAPER)) % sets
    is_read = set_of_network == np.arange(sets)[:, None]
    return Tilts(rates, np.where(is_read, bounds, 0.0))


def largest_first_weight(point: Point, network: Network) -> float:
    """The largest that the weight f_0 of a network can be: with all other entries the least."""
    least, largest, special = _extreme_weights(point, network)
    first = special if network.dataset == 1 else largest
    return first / (first + (point.n - 1) * least)


def largest_sum_of_squares(point: Point, network: Network) -> float:
    """An upper bound of a network's sum of f_i^2 over i > 0, by Kantorovich's inequality:
    N sum w^2 <= (a + b)^2 / 4ab (sum w)^2 for N weights w from a to b."""
    least, largest, _ = _extreme_weights(point, network)
    return (least + largest) ** 2 / (4 * least * largest) / (point.n - 1)


def _extreme_weights(point: Point, network: Network) -> list[float]:
    """The least and the largest weight before normalising that an ordinary entry can have with a
    network's kernel, and the weight of the special entry."""
    ends = regression.entries(np.array([0.0, 1.0]), point.law)
    z = np.log(point.n) * np.append(ends, regression.SPECIAL_MULTIPLE)
    extremes: list[float] = regression.U[network.kernel](z).tolist()
    return extremes


def draw_chunks(point: Point, tilts: Tilts, streams: BlockStreams, trials: int) -> Iterator[Chunk]:
    """What is drawn of a block's trials, in chunks of trials."""
    column_rng = streams.generator("columns")
    data_rng = streams.generator("data of candidates")
    sign_rng = streams.generator("signs of candidates")
    sets = sign_sets(point)
    chances = tilts.bounds.sum(axis=1, keepdims=True)
    numbers_per_trial = 3 * point.m * (sets + point.n * float(chances.sum()))
    chunk = 1 + int(CHUNK_NUMBERS / numbers_per_trial)
    for start in range(0, trials, chunk):
        # Three of each column, for a shorter run to be the prefix of a longer one.
        numbers = column_rng.random((min(chunk, trials - start), sets, point.m, 3))
        candidates = np.argwhere(numbers[..., 1] < chances)
        drawn = np.unique(candidates[:, 0])
        uniforms = draw_uniforms(data_rng, point, len(drawn))
        f = np.stack([weights(point, network, uniforms) for network in RARE_NETWORKS])
        kept = []
        step = 1 + CHUNK_NUMBERS // point.n
        for first in range(0, len(candidates), step):
            part = candidates[first : first + step]
            f_of_part = f[:, np.searchsorted(drawn, part[:, 0])]
            numbers_of_part = numbers[tuple(part.T)]
            kept.append(_keep(point, tilts, part, numbers_of_part, f_of_part, sign_rng))
        yield Chunk(numbers[..., 0] < 0.5, drawn, uniforms, kept)


def _keep(
    point: Point,
    tilts: Tilts,
    candidates: np.ndarray,
    numbers: np.ndarray,
    f: np.ndarray,
    rng: np.random.Generator,
) -> Columns:
    """The columns that are kept of some candidates, whose signs are drawn here.

    candidates : (C, 3), their trials, sets and columns
    numbers : (C, 3) uniforms: for the sign at coordinate 0, the tilt, and whether to keep it
    f : (K, C, n), the weights of each rare network in each candidate's trial
    """
    bounds = tilts.bounds[candidates[:, 1]]
    tilt = (numbers[:, 1:2] >= np.cumsum(bounds, axis=1)).sum(axis=1)
    slopes = tilts.rates[tilt, None] * f[tilt, np.arange(len(candidates))]
    bits = rng.random(slopes.shape) < 1 / (1 + np.exp(-2 * slopes))
    bits[:, 0] = numbers[:, 0] < 0.5
    scores = np.einsum("kcn,cn->ck", f, 2.0 * bits - 1.0)
    positive = exceeds(scores, point.tau, point.s) & (bounds > 0)
    # Most candidates exceed nothing: their odds are not asked for.
    is_kept = positive.any(axis=1)
    odds = candidate_odds(tilts.rates, bounds[is_kept], f[:, is_kept], bits[is_kept])
    is_kept[is_kept] = numbers[is_kept, 2] * odds < 1
    trials, sets, columns = candidates[is_kept].T
    return Columns(trials, sets, columns, bits[is_kept], positive[is_kept])


def candidate_odds(
    rates: np.ndarray, bounds: np.ndarray, f: np.ndarray, bits: np.ndarray
) -> np.ndarray:
    """The ratio B Q / P of C columns, (C,): of the probability to be a candidate with these signs
    to that of fair signs.

    rates : (K,); bounds : (C, K); f : (K, C, n); bits : (C, n)
    """
    slopes = rates[:, None, None] * f[..., 1:]
    log_cosh = np.logaddexp(slopes, -slopes) - np.log(2.0)
    y = 2.0 * bits[:, 1:] - 1.0
    exponents = np.einsum("kcn,cn->ck", slopes, y) - log_cosh.sum(axis=-1).T
    odds: np.ndarray = (bounds * np.exp(exponents)).sum(axis=1)
    return odds
