"""Trials of the attention models: draws, the dense engine and the reduced engine.

Both engines read the same draws and say of each trial which networks of the contest are positive.
Trials come in *blocks*, whose streams of random numbers have names. A *column* of signs y has d
random signs, stored as *lanes*; its *state* is what a network's score depends on. Tokens of one
type have equal rows of attention, the *distinct rows*. A network is a kernel on a dataset, D0 or
D1.
"""

from collections.abc import Iterator
from functools import lru_cache, partial, reduce
from itertools import groupby
from typing import NamedTuple

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


class Key(NamedTuple):
    """What a network reads: the name of its stream of signs, and its dataset."""

    stream: str
    dataset: int


class Draw(NamedTuple):
    """Special tokens' indices (T, 2 datasets, q), and lanes (T, m, L) by name of their stream."""

    indices: np.ndarray
    lanes: dict[str, np.ndarray]


def draws(point: Point, special_tokens: int, streams: BlockStreams, trials: int) -> Iterator[Draw]:
    """The draws of a block's trials, in chunks: indices of special tokens, (trials, 2, tokens) for
    D0 and D1, and lanes of signs by stream. A chunk has about CHUNK_COLUMNS columns of signs.

    `special_tokens` is how many indices a dataset has: j3, or j2 and j3. With `data: same`, D0
    has those of D1.
    """
    places = streams.generator("places")
    names = signs.stream_names(point.signs, point.contest)
    rngs = {name: streams.generator(name) for name in names}
    columns_of_a_trial = point.m * signs.lanes_per_column(point.d)
    trials_that_fit = CHUNK_COLUMNS // columns_of_a_trial
    # A whole number of multiples, and at least one.
    multiples = max(trials_that_fit // signs.CHUNK_MULTIPLE, 1)
    chunk = signs.CHUNK_MULTIPLE * multiples
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        indices = places.integers(0, point.n, size=(count, 2, special_tokens))
        if point.data == "same":
            indices[:, 0] = indices[:, 1]
        lanes = {name: signs.draw_lanes(rng, count, point.m, point.d) for name, rng in rngs.items()}
        yield Draw(indices, lanes)


def dense(model: AttentionModel, points: list[Point]) -> list[Trials]:
    """The function that runs a block's trials at each point, by the definitions: n x n attention,
    V = I."""
    return [partial(_by_definition, model, point) for point in points]


def _by_definition(
    model: AttentionModel, point: Point, streams: BlockStreams, trials: int
) -> np.ndarray:
    """Which networks are positive in a block's trials, (trials, networks) bool, by n x n
    attention."""
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
    """The function that runs a block's trials at each point, from the distinct rows of attention:
    nothing of size n is built.

    A column's state is a few bits and a count, so whether it makes a network positive is looked up.
    The look-ups of neighbours are made together when the first of them is needed, and kept until
    others are.
    """
    runs: list[list[Point]] = []
    for _, neighbours in groupby(points, batch_key):
        group = list(neighbours)
        size = batch_size(group[0].d)
        runs += [group[start : start + size] for start in range(0, len(group), size)]

    @lru_cache(maxsize=1)
    def tables_of_run(run: int) -> list[np.ndarray]:
        """The look-ups of each network, at all points of a run."""
        return _exceeding_tables(model, runs[run])

    def trials_at(run: int, place: int, streams: BlockStreams, trials: int) -> np.ndarray:
        """Which networks are positive in a block's trials of one point of a run."""
        tables = [table[place] for table in tables_of_run(run)]
        return _looked_up(model, runs[run][place], tables, streams, trials)

    result: list[Trials] = []
    for run, members in enumerate(runs):
        result += [partial(trials_at, run, place) for place in range(len(members))]
    return result


def _exceeding_tables(model: AttentionModel, points: list[Point]) -> list[np.ndarray]:
    """For each network, which states of a column make it positive at each point, (P, 2, E, 2, K)
    bool."""
    tau = np.array([point.tau for point in points])
    return [exceeding_states(rows, tau) for rows in model.network_rows(points)]


def _looked_up(
    model: AttentionModel,
    point: Point,
    tables: list[np.ndarray],
    streams: BlockStreams,
    trials: int,
) -> np.ndarray:
    """Which networks are positive in a block's trials of a point, (trials, networks) bool.

    `tables` : for each network, which states of a column make it positive, (2, E, 2, K) bool
    """
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
        for key in flag_tables[0]:
            plus = signs.bits_at(lanes[key.stream], point.d, 1 + marks[:, key.dataset])
            # Marking a plus shifts the state by K - 1: see `_unmarked_state`.
            states[key] = unmarked[key.stream] + plus * (classes - 1)
        flag_bytes = [_flags_of_trials(tables_by_key, states) for tables_by_key in flag_tables]
        flags = np.unpackbits(
            np.stack(flag_bytes, axis=1), axis=1, count=networks, bitorder="little"
        )
        chunks.append(flags.astype(bool))
    return np.concatenate(chunks)


def _flags_of_trials(tables: dict[Key, np.ndarray], states: dict[Key, np.ndarray]) -> np.ndarray:
    """A byte for each trial, (T,), whose bits say which of FLAGS networks some column makes
    positive.

    tables : the byte of each state of a column, by what networks read
    states : the columns' states, (T, m), by the same
    """
    flags_by_key = [table.take(states[key]) for key, table in tables.items()]
    flags = reduce(np.bitwise_or, flags_by_key)  # (T, m)
    flags_of_trials: np.ndarray = np.bitwise_or.reduce(flags, axis=1)
    return flags_of_trials


def _flag_tables(point: Point, tables: list[np.ndarray]) -> list[dict[Key, np.ndarray]]:
    """For every FLAGS networks, a byte of flags for each state of a column: one table for those
    that read the same signs and dataset, by this key. All have the same keys.

    `tables` : for each network, which states make it positive
    """
    networks = point.contest.networks
    keys = [Key(signs.stream_name(point.signs, network), network.dataset) for network in networks]
    by_byte = []
    for first in range(0, len(networks), FLAGS):
        flags = {key: np.zeros(tables[0].size, dtype=np.uint8) for key in keys}
        for bit, table in enumerate(tables[first : first + FLAGS]):
            flags[keys[first + bit]] |= table.ravel().astype(np.uint8) << bit
        by_byte.append(flags)
    return by_byte


def _unmarked_state(lanes: np.ndarray, d: int, classes: int, has_last: bool) -> np.ndarray:
    """The position in `largest_scores` of each column's state, (T, m), before its class is marked.

    Positions run over (first bit, last bit, marked bit, pluses of the K - 1 unmarked classes); with
    all K classes counted as unmarked, marking a plus adds K for its bit and takes 1 off the count.
    """
    state = signs.bit_at(lanes, d, 0)
    if has_last:
        state = 2 * state + signs.bit_at(lanes, d, d - 1)
    state *= 2 * classes
    return state + signs.pluses(lanes, d, 1, 1 + classes)
