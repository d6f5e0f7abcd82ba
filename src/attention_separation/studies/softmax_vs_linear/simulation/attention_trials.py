"""Trials of the attention models: draws, the dense engine and the reduced engine.

Both engines read the same draws and say of each trial which networks of the contest are positive.
"""

from collections.abc import Iterator
from functools import lru_cache, partial, reduce
from itertools import groupby

import numpy as np

from ....attention.dense import is_positive
from ....attention.sign_columns import exceeding_states
from ....statistics.seeding import BlockStreams
from ..models.model import AttentionModel, Point, batch_key, batch_size
from . import signs
from .signs import Trials

CHUNK_COLUMNS = 40_000
"""Sign columns worked on at once: their states stay in the processor's cache."""

FLAGS = 8
"""Networks whose answers one byte holds."""

Key = tuple[str, int]
"""What a network reads: the name of its stream of signs, and its dataset."""

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
    columns = signs.CHUNK_MULTIPLE * point.m * signs.lanes_per_column(point.d)
    chunk = signs.CHUNK_MULTIPLE * max(CHUNK_COLUMNS // columns, 1)
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        indices = places.integers(0, point.n, size=(count, 2, special_tokens))
        if point.data == "same":
            indices[:, 0] = indices[:, 1]
        lanes = {name: signs.draw_lanes(rng, count, point.m, point.d) for name, rng in rngs.items()}
        yield indices, lanes


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
                stream = signs.stream_name(point.signs, network)
                y = signs.sign_matrix(lanes[stream][trial], point.d)
                kernel = point.contest.kernel_of(network.kernel)
                row.append(is_positive(a1, a2, a3, q, k, identity, kernel, y, point.tau))
            positive.append(row)
    return np.array(positive, dtype=bool).reshape(trials, len(networks))


def reduced(model: AttentionModel, points: list[Point]) -> list[Trials]:
    """The same from the distinct rows: nothing of size n is built.

    A column's state is a few bits and a count, so whether it makes a network positive is looked up.
    The look-ups of neighbours are made together when the first of them is needed, and kept until
    others are.
    """
    runs: list[list[Point]] = []
    for _, neighbours in groupby(points, batch_key):
        alike = list(neighbours)
        size = batch_size(alike[0].d)
        runs += [alike[start : start + size] for start in range(0, len(alike), size)]

    @lru_cache(maxsize=1)
    def exceeding(run: int) -> list[np.ndarray]:
        return _exceeding(model, runs[run])

    def trials_at(run: int, place: int, streams: BlockStreams, trials: int) -> np.ndarray:
        tables = [table[place] for table in exceeding(run)]
        return _looked_up(model, runs[run][place], tables, streams, trials)

    result: list[Trials] = []
    for run, members in enumerate(runs):
        result += [partial(trials_at, run, place) for place in range(len(members))]
    return result


def _exceeding(model: AttentionModel, points: list[Point]) -> list[np.ndarray]:
    """Which states of a column make each network positive, (P, 2, E, 2, K) bool."""
    tau = np.array([point.tau for point in points])
    return [exceeding_states(rows, tau) for rows in model.network_rows(points)]


def _looked_up(
    model: AttentionModel,
    point: Point,
    tables: list[np.ndarray],
    streams: BlockStreams,
    trials: int,
) -> np.ndarray:
    """Which networks are positive, (trials, networks) bool: `tables` say of each network which
    states of a column make it so, (2, E, 2, K)."""
    _, ends, _, classes = tables[0].shape
    networks = len(point.contest.networks)
    flag_tables = _flag_tables(point, tables)
    chunks = []
    for indices, lanes in draws(point, model.special_tokens, streams, trials):
        marks = model.special_class(indices[:, :, -1], point.d)
        unmarked = {
            name: _unmarked_state(columns, point.d, classes, has_last=ends > 1)
            for name, columns in lanes.items()
        }
        states = {}
        for name, dataset in flag_tables[0]:
            plus = signs.bits_at(lanes[name], point.d, 1 + marks[:, dataset])
            # Marking a plus shifts the state by K - 1: see `_unmarked_state`.
            states[name, dataset] = unmarked[name] + plus * (classes - 1)
        flag_bytes = [_flags_of_trials(tables_by_key, states) for tables_by_key in flag_tables]
        flags = np.unpackbits(
            np.stack(flag_bytes, axis=1), axis=1, count=networks, bitorder="little"
        )
        chunks.append(flags.astype(bool))
    return np.concatenate(chunks)


def _flags_of_trials(tables: dict[Key, np.ndarray], states: dict[Key, np.ndarray]) -> np.ndarray:
    """A byte of each trial, (T,): its bits say which of FLAGS networks some column makes positive.
    `tables` have the flags of each state, and `states` (T, m) those of the columns."""
    flags_of_columns = [table.take(states[key]) for key, table in tables.items()]
    flags = reduce(np.bitwise_or, flags_of_columns)  # (T, m)
    flags_of_trials: np.ndarray = np.bitwise_or.reduce(flags, axis=1)
    return flags_of_trials


def _flag_tables(point: Point, tables: list[np.ndarray]) -> list[dict[Key, np.ndarray]]:
    """For every byte of networks, one look-up of flags for those that read the same signs of the
    same dataset, by name of the stream and dataset; all bytes have the same keys."""
    networks = point.contest.networks
    keys = [(signs.stream_name(point.signs, network), network.dataset) for network in networks]
    by_byte = []
    for first in range(0, len(networks), FLAGS):
        flags = {key: np.zeros(tables[0].size, dtype=np.uint8) for key in keys}
        for bit, table in enumerate(tables[first : first + FLAGS]):
            flags[keys[first + bit]] |= table.ravel().astype(np.uint8) << bit
        by_byte.append(flags)
    return by_byte


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
