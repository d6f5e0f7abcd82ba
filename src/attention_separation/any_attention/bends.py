"""Where a kernel's weights bend between two numbers of tokens that are asked.

A run of n at which a kernel separates, or does not, can hide between two n that are asked. What
makes one that narrow is seen in the weights of the data's own scores: from one n that is asked to
the next their logarithms are straight lines in log n, but for what is there between.
"""

from collections.abc import Iterator

import numpy as np

from ..attention.distinct_rows import SPECIAL, inputs_shown
from ..attention.kernel import Kernel, KernelInputs
from ..datasets.dataset import Data
from .layers import Layer, token_types

LOOKED_AT_A_DECADE = 2_000
"""How many n a decade the weights are looked at."""

LEAST_BEND = 1e-3
"""How far a weight's logarithm is from the straight line."""

LOG_OF_0 = np.log(1e-300)
"""Stands for the logarithm of a weight of 0."""

LEAST_WHOLE_WEIGHT = 1e-290
"""A smaller one above 0 has lost digits, and is not looked at."""

MOST_BENDS = 500
"""Of more, as of an oscillation, the largest are asked."""

POINTS_AT_ONCE = 256

MOST_COORDINATES = 1 << 25
"""Of vectors of all the n that are looked at; a kernel of larger ones is not."""


def sizes_at_bends(kernel: Kernel, layer: Layer, data: Data, asked: np.ndarray) -> np.ndarray:
    """The multiples of K between those that are asked, both in order, at which a weight is farthest
    from the straight line between its two neighbours that are asked."""
    between = _sizes_between(data, asked)
    if len(between) == 0 or not _is_short(kernel, layer.d(data.classes), len(between)):
        return between[:0]
    sizes = np.union1d(asked[asked >= between[0] // 2], between)
    logs = _logs_of_weights(kernel, layer, data, sizes)
    is_asked = np.isin(sizes, asked)
    log_n = np.log(sizes)
    largest_bends = np.zeros(len(sizes))
    for log_weights in logs.T:
        straight = np.interp(log_n, log_n[is_asked], log_weights[is_asked])
        distances = np.nan_to_num(np.abs(log_weights - straight))
        bends = np.where(_is_peak(distances), distances, 0.0)
        largest_bends = np.maximum(largest_bends, bends)
    is_bent = (largest_bends > 0) & ~is_asked
    largest_first = np.argsort(-largest_bends[is_bent], kind="stable")
    return np.sort(sizes[is_bent][largest_first[:MOST_BENDS]])


def _sizes_between(data: Data, asked: np.ndarray) -> np.ndarray:
    """Multiples of K, `LOOKED_AT_A_DECADE`, in the gaps between those that are asked."""
    classes = data.classes
    gaps = np.flatnonzero(np.diff(asked) > classes)
    if len(gaps) == 0:
        return asked[:0]
    first = asked[gaps[0]] // classes
    last = asked[-1] // classes
    count = round(LOOKED_AT_A_DECADE * np.log10(last / first)) + 1
    tokens_in_a_class = np.geomspace(first, last, count).astype(np.int64)
    return np.setdiff1d(tokens_in_a_class * classes, asked)


def _is_short(kernel: Kernel, d: int, sizes: int) -> bool:
    """Whether looking at so many n takes seconds at most."""
    is_shown_in_full = kernel.kind == "features" and kernel.vectors_seen != "orbits"
    return not is_shown_in_full or sizes * d * TOKENS_SHOWN <= MOST_COORDINATES


TOKENS_SHOWN = 10
"""About how many queries and keys a kernel of vectors is shown at one n."""


def _logs_of_weights(kernel: Kernel, layer: Layer, data: Data, sizes: np.ndarray) -> np.ndarray:
    """The logarithms of the sizes of all weights of D1, (P, R * T), over the special token's where
    rows are divided; NaN where the kernel has none."""
    logs = []
    for inputs in _inputs_at(kernel, layer, data, sizes):
        try:
            with np.errstate(all="ignore"):
                weights = kernel.weigh(inputs)
        except ArithmeticError:
            weights = np.full(inputs.scores.shape, np.nan)
        log_weights = weights if kernel.logarithmic else _logs_of_sizes(weights)
        if kernel.normaliser == "row sum":
            log_weights = log_weights - log_weights[..., SPECIAL, None]
        logs.append(log_weights.reshape(len(weights), -1))
    return np.concatenate(logs)


def _logs_of_sizes(weights: np.ndarray) -> np.ndarray:
    """log |weight|, `LOG_OF_0` of 0, and NaN where float64 does not have the digits."""
    sizes = np.abs(weights)
    is_known = np.isfinite(sizes) & ((sizes == 0) | (sizes > LEAST_WHOLE_WEIGHT))
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(sizes), LOG_OF_0)
    return np.where(is_known, logs, np.nan)


def _inputs_at(
    kernel: Kernel, layer: Layer, data: Data, sizes: np.ndarray
) -> Iterator[KernelInputs]:
    """What the kernel is shown of D1 at some n each."""
    for start in range(0, len(sizes), POINTS_AT_ONCE):
        part = sizes[start : start + POINTS_AT_ONCE]
        _, types = token_types(layer, data, part.tolist())
        yield inputs_shown(types, kernel)


def _is_peak(distances: np.ndarray) -> np.ndarray:
    """Where distances (P,) are larger than `LEAST_BEND` and than their neighbours'."""
    before = np.concatenate([[0.0], distances[:-1]])
    after = np.concatenate([distances[1:], [0.0]])
    return (distances > LEAST_BEND) & (distances >= before) & (distances > after)
