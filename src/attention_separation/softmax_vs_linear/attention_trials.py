"""Trials of the attention models: draws, the dense engine and the reduced engine.

Both engines read the same draws and say of each trial which of the four NETWORKS are positive.
"""

from collections.abc import Callable, Iterator

import numpy as np

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear.attention import KERNELS, Kernel, attention
from attention_separation.softmax_vs_linear.distinct import DistinctRows
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.signs import (
    CHUNK_MULTIPLE,
    bit_at,
    bits_at,
    draw_lanes,
    lanes_per_column,
    pluses,
    sign_matrix,
    stream_name,
    stream_names,
)
from attention_separation.softmax_vs_linear.success import NETWORKS, exceeds

CHUNK_COLUMNS = 40_000
"""Sign columns worked on at once: their states stay in the processor's cache."""

Inputs = Callable[[Point, int, np.ndarray], tuple[np.ndarray, ...]]
"""Literal A1, A2, A3, X of a dataset, given the special tokens' indices."""

Draw = tuple[np.ndarray, dict[str, np.ndarray]]
"""Special tokens' indices (T, 2 datasets, q), and lanes (T, m, L) by name of their stream."""


def draws(point: Point, streams: BlockStreams, trials: int, special_tokens: int) -> Iterator[Draw]:
    """The draws of a block's trials, in chunks.

    `special_tokens` is how many indices a dataset has: j3, or j2 and j3. With `data: same`, D0
    has those of D1.
    """
    places = streams.generator("places")
    signs = {name: streams.generator(name) for name in stream_names(point.signs)}
    per_trial = point.m * lanes_per_column(point.d)
    chunk = max(CHUNK_COLUMNS // per_trial // CHUNK_MULTIPLE, 1) * CHUNK_MULTIPLE
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        indices = places.integers(0, point.n, size=(count, 2, special_tokens))
        if point.data == "same":
            indices[:, 0] = indices[:, 1]
        yield indices, {k: draw_lanes(rng, count, point.m, point.d) for k, rng in signs.items()}


def dense(
    point: Point, streams: BlockStreams, trials: int, special_tokens: int, inputs: Inputs
) -> np.ndarray:
    """Which networks are positive, (trials, 4) bool, by the definitions: n x n attention, V = I."""
    identity = np.eye(point.d)
    positive = []
    for indices, lanes in draws(point, streams, trials, special_tokens):
        for trial in range(len(indices)):
            row = []
            data = [inputs(point, dataset, indices[trial, dataset]) for dataset in (0, 1)]
            for network, (kernel, dataset) in enumerate(NETWORKS):
                a1, a2, a3, x = data[dataset]
                c = attention(a1, a2, a3, x, identity, KERNELS[kernel])
                y = sign_matrix(lanes[stream_name(point.signs, network)][trial], point.d)
                row.append(exceeds(c @ y, point.tau, point.s).any())
            positive.append(row)
    return np.array(positive, dtype=bool).reshape(trials, len(NETWORKS))


def reduced(
    point: Point,
    streams: BlockStreams,
    trials: int,
    special_tokens: int,
    rows: Callable[[Point, int, Kernel], DistinctRows],
    special_class: Callable[[np.ndarray, int], np.ndarray],
) -> np.ndarray:
    """The same from the distinct rows: nothing of size n is built.

    A column's state is a few bits and a count, so whether it makes a network positive is looked up.
    """
    tables = [rows(point, dataset, KERNELS[kernel]) for kernel, dataset in NETWORKS]
    classes, has_last = tables[0].classes, tables[0].last is not None
    exceeding = [exceeds(table.largest_scores(), point.tau, point.s).ravel() for table in tables]
    # Networks that read the same signs of the same dataset share one look-up: a bit for each.
    together: dict[tuple[str, int], np.ndarray] = {}
    for network, (_, dataset) in enumerate(NETWORKS):
        key = stream_name(point.signs, network), dataset
        bit = exceeding[network].astype(np.uint8) << network
        together[key] = together.get(key, 0) | bit

    flags = np.empty(trials, dtype=np.uint8)
    done = 0
    for indices, lanes in draws(point, streams, trials, special_tokens):
        marks = special_class(indices[:, :, -1], point.d)
        states = {k: _unmarked_state(v, point.d, classes, has_last) for k, v in lanes.items()}
        hit = None
        for (name, dataset), table in together.items():
            # Marking a plus shifts the state by K - 1: see `_unmarked_state`.
            marked = bits_at(lanes[name], point.d, 1 + marks[:, dataset])
            found = table.take(states[name] + marked * (classes - 1))
            hit = found if hit is None else hit | found
        flags[done : done + len(indices)] = np.bitwise_or.reduce(hit, axis=1)
        done += len(indices)
    return (flags[:, None] >> np.arange(len(NETWORKS), dtype=np.uint8) & 1).astype(bool)


def _unmarked_state(lanes: np.ndarray, d: int, classes: int, has_last: bool) -> np.ndarray:
    """Position in `DistinctRows.largest_scores` of each column, before its class is marked.

    Positions run over (first bit, last bit, marked bit, pluses of the K - 1 unmarked classes); with
    all K classes counted as unmarked, marking a plus adds K for its bit and takes 1 off the count.
    """
    state = bit_at(lanes, d, 0)
    if has_last:
        state = 2 * state + bit_at(lanes, d, d - 1)
    state *= 2 * classes
    return state + pluses(lanes, d, 1, 1 + classes)
