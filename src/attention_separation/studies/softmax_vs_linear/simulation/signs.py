"""Rademacher signs as bits of a stream: how both engines read y.

A column of y with d entries is a run of lanes, unsigned integers of `lane_bits(d)` bits; entry i is
bit i % lane_bits of lane i // lane_bits, and a set bit is the sign +1. Trials follow each other in
the stream, so a shorter run reads a prefix.
"""

import math
from collections.abc import Callable

import numpy as np

from ....attention.threshold_curves import SignDraws
from ....statistics.seeding import BlockStreams
from ..models.contest import Contest, Network

Trials = Callable[[BlockStreams, int], np.ndarray]
"""A block's streams and its trials -> which networks are positive, (trials, networks) bool."""

CHUNK_MULTIPLE = 4
"""Trials are drawn in multiples of this, so that a chunk ends where a 64-bit word does."""


def stream_name(signs: SignDraws, network: Network) -> str:
    """Name of the stream of y that a network reads: `signs` is "shared" or "fresh"."""
    return "signs" if signs == "shared" else network.stream


def stream_names(signs: SignDraws, contest: Contest) -> list[str]:
    """The names of all streams of signs that a trial of a contest reads, in order."""
    return sorted({stream_name(signs, network) for network in contest.networks})


def lane_bits(d: int) -> int:
    """The number of bits in a lane of a column of d signs: the least of 16, 32 and 64 that holds
    all d, or 64."""
    if d <= 16:
        return 16
    return 32 if d <= 32 else 64


def lanes_per_column(d: int) -> int:
    """How many lanes hold a column of d signs."""
    return -(-d // lane_bits(d))


def draw_lanes(rng: np.random.Generator, trials: int, m: int, d: int) -> np.ndarray:
    """The signs of a stream's next trials, as lanes (trials, m, lanes_per_column(d)).

    Every call but a stream's last must ask for a multiple of CHUNK_MULTIPLE trials.
    """
    bits = lane_bits(d)
    shape = trials, m, lanes_per_column(d)
    count = math.prod(shape)
    words = rng.integers(0, 2**64 - 1, size=-(-count * bits // 64), dtype=np.uint64, endpoint=True)
    # Little-endian on every machine: the lanes are part of the stream's definition.
    lanes = words.astype("<u8", copy=False).view(f"<u{bits // 8}")
    return lanes[:count].reshape(shape)


def unpack(lanes: np.ndarray, d: int) -> np.ndarray:
    """The bits of lanes (..., L), as (..., d) uint8: 1 for the sign +1 and 0 for -1."""
    octets = np.ascontiguousarray(lanes).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=d, bitorder="little")


def sign_matrix(lanes: np.ndarray, d: int) -> np.ndarray:
    """The signs y of trials, (..., d, m) float64 of -1 and +1, from their lanes (..., m, L)."""
    return 2.0 * unpack(lanes, d).swapaxes(-1, -2) - 1.0


def pluses(lanes: np.ndarray, d: int, start: int, stop: int) -> np.ndarray:
    """How many of the signs start..stop-1 of every column are +1, (T, m) int64, from lanes
    (T, m, L)."""
    chosen = np.zeros(lanes.shape[-1] * lane_bits(d), dtype=np.uint8)
    chosen[start:stop] = 1
    mask = np.packbits(chosen, bitorder="little").view(lanes.dtype)
    counts = np.bitwise_count(lanes & mask)
    if len(mask) == 1:
        return counts[..., 0].astype(np.int64)
    return counts.sum(axis=-1, dtype=np.int64)


def bit_at(lanes: np.ndarray, d: int, position: int) -> np.ndarray:
    """The bit of the sign at one position of every column, (T, m) int64, from lanes (T, m, L)."""
    lane, shift = divmod(position, lane_bits(d))
    return (lanes[..., lane] >> lanes.dtype.type(shift) & lanes.dtype.type(1)).astype(np.int64)


def bits_at(lanes: np.ndarray, d: int, positions: np.ndarray) -> np.ndarray:
    """The bit of the sign at a position of every column, (T, m) int64, from lanes (T, m, L); each
    trial has its own position, (T,)."""
    lane, shift = np.divmod(positions, lane_bits(d))
    if lanes.shape[-1] == 1:
        chosen = lanes[..., 0]
    else:
        chosen = np.take_along_axis(lanes, lane[:, None, None], axis=-1)[..., 0]
    return (chosen >> shift[:, None].astype(lanes.dtype) & lanes.dtype.type(1)).astype(np.int64)
