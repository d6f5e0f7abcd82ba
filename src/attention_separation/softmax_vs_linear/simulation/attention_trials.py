"""Trials of the attention models: draws, the dense engine and the reduced engine.

Both engines read the same draws and say of each trial which networks of the contest are positive.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import groupby

import numpy as np

from ...attention.dense import is_positive
from ...attention.kernels import KERNELS
from ...attention.sign_columns import exceeding_states
from ...statistics.seeding import BlockStreams
from ..models.model import AttentionModel, Point, batch_key, batch_size
from . import signs
from .signs import Trials

CHUNK_COLUMNS = 40_000
"""Sign columns worked on at once: their states stay in the processor's cache."""

FLAGS = 8
"""Networks whose answers one byte holds."""

Draw = tuple[np.ndarray, dict[str, np.ndarray]]
"""Special tokens' indices (T, 2 datasets, q), and lanes (T, m, L) by name of their stream."""


def draws(point: Point, special_tokens: int, streams: BlockStreams, trials: int) -> Iterator[Draw]:
    """The draws of a block's trials, in chunks.

    `special_tokens` is how many indices a dataset has: j3, or j2 and j3. With `data: same`, D0
    has those of D1.
    """
    places = streams.generator("places")
    names = signs.stream_names(point.signs, point.contest)
    rngs = {name: streams.generator(name) for name in names}
    per_trial = point.m * signs.lanes_per_column(point.d)
    chunk = max(CHUNK_COLUMNS // per_trial // signs.CHUNK_MULTIPLE, 1) * signs.CHUNK_MULTIPLE
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        indices = places.integers(0, point.n, size=(count, 2, special_tokens))
        if point.data == "same":
            indices[:, 0] = indices[:, 1]
        yield indices, {k: signs.draw_lanes(r, count, point.m, point.d) for k, r in rngs.items()}


def dense(model: AttentionModel, points: list[Point]) -> list[Trials]:
    """Trials at each point by the definitions: n x n attention, V = I."""
    return [partial(_by_definition, model, point) for point in points]


def _by_definition(
    model: AttentionModel, point: Point, streams: BlockStreams, trials: int
) -> np.ndarray:
    identity = np.eye(point.d)
    networks = point.contest.networks
    positive = []
    for indices, lanes in draws(point, model.special_tokens, streams, trials):
        for trial, places in enumerate(indices):
            data = [model.literal(point, dataset, places[dataset]) for dataset in (0, 1)]
            row = []
            for network in networks:
                a1, a2, a3, q, k = data[network.dataset]
                own = lanes[signs.stream_name(point.signs, network)]
                y = signs.sign_matrix(own[trial], point.d)
                kernel = KERNELS[network.kernel]
                row.append(is_positive(a1, a2, a3, q, k, identity, kernel, y, point.tau))
            positive.append(row)
    return np.array(positive, dtype=bool).reshape(trials, len(networks))


def reduced(model: AttentionModel, points: list[Point]) -> list[Trials]:
    """The same from the distinct rows: nothing of size n is built.

    A column's state is a few bits and a count, so whether it makes a network positive is looked up.
    The look-ups of neighbours are made together when the first of them is needed, and kept until
    others are.
    """
    runs = [
        run[start : start + batch_size(run[0].d)]
        for run in (list(of) for _, of in groupby(points, batch_key))
        for start in range(0, len(run), batch_size(run[0].d))
    ]
    exceeding = lru_cache(maxsize=1)(lambda run: _exceeding(model, runs[run]))

    def at(run: int, place: int) -> Trials:
        def trials(streams: BlockStreams, count: int) -> np.ndarray:
            tables = [table[place] for table in exceeding(run)]
            return _looked_up(model, runs[run][place], tables, streams, count)

        return trials

    return [at(run, place) for run, of in enumerate(runs) for place in range(len(of))]


def _exceeding(model: AttentionModel, points: list[Point]) -> list[np.ndarray]:
    """Which states of a column make each network positive, (P, 2, E, 2, K) bool."""
    tau = np.array([point.tau for point in points])
    return [exceeding_states(rows, tau) for rows in model.network_rows(points)]


def _looked_up(
    model: AttentionModel, point: Point, tables: list[np.ndarray], streams: BlockStreams,
    trials: int,
) -> np.ndarray:  # fmt: skip
    """`tables` say of each network which states of a column make it positive, (2, E, 2, K)."""
    _, ends, _, classes = tables[0].shape
    networks = point.contest.networks
    positive = np.empty((trials, len(networks)), dtype=bool)
    together = _together(point, tables)
    done = 0
    for indices, lanes in draws(point, model.special_tokens, streams, trials):
        marks = model.special_class(indices[:, :, -1], point.d)
        states = {k: _unmarked_state(v, point.d, classes, ends > 1) for k, v in lanes.items()}
        part = slice(done, done + len(indices))
        done = part.stop
        marked = {
            # Marking a plus shifts the state by K - 1: see `_unmarked_state`.
            (name, dataset): states[name]
            + signs.bits_at(lanes[name], point.d, 1 + marks[:, dataset]) * (classes - 1)
            for name, dataset in together[0]
        }
        for word, of_word in enumerate(together):
            hit = None
            for key, table in of_word.items():
                found = table.take(marked[key])
                hit = found if hit is None else hit | found
            flags = np.bitwise_or.reduce(hit, axis=1)
            own = positive[part, word * FLAGS : (word + 1) * FLAGS]
            own[:] = flags[:, None] >> np.arange(own.shape[1], dtype=np.uint8) & 1
    return positive


def _together(point: Point, tables: list[np.ndarray]) -> list[dict[tuple[str, int], np.ndarray]]:
    """For every byte of networks, one look-up of flags for those that read the same signs of the
    same dataset, by name of the stream and dataset; all bytes have the same keys."""
    networks = point.contest.networks
    keys = [(signs.stream_name(point.signs, network), network.dataset) for network in networks]
    found = []
    for start in range(0, len(networks), FLAGS):
        of_word = {key: np.zeros(tables[0].size, dtype=np.uint8) for key in keys}
        for bit, k in enumerate(range(start, min(start + FLAGS, len(networks)))):
            of_word[keys[k]] |= tables[k].ravel().astype(np.uint8) << bit
        found.append(of_word)
    return found


def _unmarked_state(lanes: np.ndarray, d: int, classes: int, has_last: bool) -> np.ndarray:
    """Position in `largest_scores` of each column, before its class is marked.

    Positions run over (first bit, last bit, marked bit, pluses of the K - 1 unmarked classes); with
    all K classes counted as unmarked, marking a plus adds K for its bit and takes 1 off the count.
    """
    state = signs.bit_at(lanes, d, 0)
    if has_last:
        state = 2 * state + signs.bit_at(lanes, d, d - 1)
    state *= 2 * classes
    return state + signs.pluses(lanes, d, 1, 1 + classes)
