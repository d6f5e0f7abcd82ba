"""Whether a kernel that somebody gives is one: tried at the data and numbers of tokens that are
asked about, with its tokens in another order and their classes renamed."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...attention.distinct_rows import REST, TokenTypes, distinct_rows, some_further_classes
from ...attention.kernel import (
    ClassesApartError,
    Kernel,
    KernelInputs,
    NotElementwiseError,
    RoundingAloneError,
)
from ...attention.subtraction import rounding_noise, sizes_before_subtraction
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from ...results.progress import Progress
from .layers import Layer, token_types

ALIKE = 1e-9
"""How far weights that should be equal may differ, relative to themselves."""

ROUNDING = 1e-13
"""And relative to the row's sum, all tokens of a type together; or to the numbers that weights are
differences of."""

SINGLE = 1e-5
"""Relative: a smaller difference is likely one of float32."""


def check_kernel(kernel: Kernel, layer: Layer, data: Data, sizes: Sequence[int]) -> bool:
    """Whether some weight is negative, at any of these numbers of tokens; ArithmeticError unless
    weights are finite, with positive row sums, and tokens that are alike but for their class or
    place have the same: the text names the first n at which it is so, and says so if they differ by
    rounding alone."""
    telling, negative = _telling(kernel), False
    progress = Progress(kernel.name, len(sizes), "numbers of tokens that it is tried at")
    for n in sizes:
        with _said_of(kernel, f"{layer.words[0].lower()}{layer.words[1:]}, n = {n:,}"):
            both = token_types(layer, data, [n])
            weights_of_both = [_weights(types, telling) for types in both]
            negative |= any(bool((weights < 0).any()) for weights in weights_of_both)
            largest_row = max(
                float((np.abs(weights) * types.multiplicities).sum(axis=1).max())
                for types, weights in zip(both, weights_of_both, strict=True)
            )
            for types, weights in zip(both, weights_of_both, strict=True):
                for arrangement in _arrangements(kernel, data.classes):
                    _compare(telling, types, weights, arrangement, largest_row)
        progress.advance()
    return negative


def all_sizes(classes: int) -> list[int]:
    """Numbers of tokens that tell of all n up to the largest: powers of 2 times K."""
    steps = int(np.log2(LARGEST_N // classes))
    found = {*(classes * 2**k for k in range(steps + 1)), LARGEST_N // classes * classes}
    return sorted(found - {1})


def _telling(kernel: Kernel) -> Kernel:
    """The same kernel, which says of what a weight is no finite number."""

    def weigh(seen: KernelInputs) -> np.ndarray:
        weights = kernel.weigh(seen)
        wrong = ~np.isfinite(weights) & (seen.multiplicities > 0)
        # A logarithm may be -inf, that of 0.
        wrong &= ~(kernel.logarithmic & np.isneginf(weights))
        if wrong.any():
            kind = OverflowError if np.isinf(weights[wrong][0]) else ArithmeticError
            raise kind(
                f"{kernel.name}: a weight, of score x = {float(seen.scores[wrong][0]):.6g}, is "
                f"{float(weights[wrong][0])}; allowed: finite numbers"
            )
        return weights

    return replace(kernel, weigh=weigh)


@contextlib.contextmanager
def _said_of(kernel: Kernel, where: str) -> Iterator[None]:
    """Errors of a kernel, with where they came up."""
    try:
        yield
    except ArithmeticError as error:
        said = str(error).removeprefix(f"{kernel.name}: ")
        raise type(error)(f"{kernel.name}: {where}: {said}") from error


def _weights(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """The weights of types at one point, (R, 4); ClassesApartError as of `distinct_rows`, or
    RoundingAloneError if that is all that tells classes apart."""
    try:
        return distinct_rows(types, kernel).weights[0]
    except ClassesApartError as error:
        seen = types.inputs_in_full(np.array([0]))
        weights = kernel.attention_weights(seen)
        gaps = np.abs(weights - weights[..., [REST]])
        is_rounding = (gaps <= _by_rounding(kernel, seen, weights))[..., REST:]
        if is_rounding[types.exists].all():
            raise RoundingAloneError(
                f"{kernel.name}: weights of classes that the data does not tell apart "
                f"{BY_ROUNDING}; allowed: {LARGER}"
            ) from error
        raise


BY_ROUNDING = "differ by rounding alone"
LARGER = "weights larger than the rounding of what they are differences of"


def _by_rounding(kernel: Kernel, seen: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """How far apart rounding alone may set each of the weights and one that is to be equal."""
    before = sizes_before_subtraction(kernel, seen, weights)
    return np.maximum(ROUNDING * before, MUCH * rounding_noise(kernel, seen, weights))


MUCH = 30
"""Times the rounding in weights that gaps between two of them may be."""


@dataclass(frozen=True)
class Arrangement:
    """The same tokens otherwise: classes renamed by a shift, and keys that stand for several tokens
    in two parts, the first of a share of them, at least 1."""

    shift: int = 0
    share: float = 0.0


SHARES = (0.0, 0.2, 0.37, 0.5)
"""By several the rounding of what is subtracted is seen: it is the same in all of a row's keys."""


def _arrangements(kernel: Kernel, classes: int) -> list[Arrangement]:
    if kernel.kind == "features":
        # The special token's class is the first one, a middle one, and the last.
        return [Arrangement(shift) for shift in sorted({0, classes // 2, classes - 1})]
    return [Arrangement(share=share) for share in (SHARES if kernel.may_subtract else SHARES[:1])]


def _compare(
    kernel: Kernel,
    types: TokenTypes,
    weights: np.ndarray,
    arrangement: Arrangement,
    largest_row: float,
) -> None:
    """Raise ClassesApartError, or of an element-wise map NotElementwiseError, unless the weights of
    types, (R, 4), are those of the same tokens arranged otherwise, in all coordinates; and
    RoundingAloneError if it is rounding that makes them differ, and that is not negligible beside
    the sum of the largest row's weights."""
    seen, rows, keys = _rearranged(kernel, types, arrangement)
    found, expected = kernel.attention_weights(seen)[0], weights[rows][:, keys]
    counts = types.multiplicities[0]
    spread = (np.abs(weights[rows]) * counts).sum(axis=1, keepdims=True) / counts[keys]
    gaps = np.abs(found - expected)
    beyond = gaps - ROUNDING * spread
    is_alike = beyond <= ALIKE * np.abs(expected)
    if is_alike.all():
        return
    if kernel.may_subtract:
        # What is taken off is in the errors of scores.
        before = sizes_before_subtraction(kernel, seen, found[None])[0]
        lost = np.where(is_alike, 0.0, gaps) * seen.multiplicities[0]
        is_known = is_alike | (gaps <= ROUNDING * before)
        if is_known.all() and lost.sum(axis=1).max() <= ALIKE * largest_row:
            return
    is_rounding = gaps <= _by_rounding(kernel, seen, found[None])[0]
    relative = beyond / np.abs(expected).clip(1e-300)
    if not (is_rounding | is_alike).all():
        relative = np.where(is_rounding, 0.0, relative)
    place = np.unravel_index(relative.argmax(), relative.shape)
    words = "tokens that are alike but for their class or place have weights"
    error: type[ArithmeticError] = ClassesApartError
    if kernel.kind == "features" and kernel.vectors_seen == "orbits":
        words = "whole vectors and their coordinates one by one give weights"
        error = NotElementwiseError
    text = f"{kernel.name}: {words} {found[place]:.9g} and {expected[place]:.9g}"
    is_single = relative[place] < SINGLE
    same_weight = (
        "allowed: the same weight, in float64" if is_single else "allowed: the same weight"
    )
    if not is_rounding[place]:
        raise error(f"{text}; {same_weight}")
    allowed = f"{same_weight}, or {LARGER}" if is_single else f"allowed: {LARGER}"
    raise RoundingAloneError(f"{text}, which {BY_ROUNDING}; {allowed}")


def _rearranged(
    kernel: Kernel, types: TokenTypes, arrangement: Arrangement
) -> tuple[KernelInputs, np.ndarray, np.ndarray]:
    """What a kernel may know of the same tokens in another order and arranged otherwise, of further
    classes one in two parts; and the types of its queries and keys."""
    if kernel.kind == "features":
        # All classes once; where that is enough, some of them the other times.
        needs_all = kernel.vectors_seen == "every class"
        asks_all = kernel.vectors_seen == "few classes" and arrangement.shift == 0
        further = None if needs_all or asks_all else some_further_classes(int(types.classes[0]))
        seen = types.inputs_in_full(np.array([0]), further)
        of_keys = np.minimum(np.arange(seen.scores.shape[-1]), REST)
    else:
        seen, of_keys = types.inputs(), np.arange(REST + 1)
    counts = seen.multiplicities[0, 0]
    there = np.flatnonzero(counts > 0)
    in_two_parts = (counts > 1) & (np.arange(len(counts)) <= REST)
    parted = np.flatnonzero(in_two_parts)
    keys = np.concatenate([parted, there])[::-1]
    first_part = np.maximum((arrangement.share * counts).astype(counts.dtype), 1)
    remaining = np.where(in_two_parts, counts - first_part, counts)
    parts = np.concatenate([first_part[parted], remaining[there]])[::-1]
    rows = np.flatnonzero(types.exists[0])[::-1]
    classes = int(types.classes[0])

    def renamed(vectors: np.ndarray | None, index: np.ndarray) -> np.ndarray | None:
        if vectors is None:
            return None
        chosen = vectors[:, index]
        if arrangement.shift:
            # With X all ones in one coordinate no class has one.
            of_classes = chosen[..., 1 : 1 + classes]
            of_classes[:] = np.roll(of_classes, arrangement.shift, axis=-1)
        return chosen

    arranged = replace(
        seen,
        scores=seen.scores[:, rows][:, :, keys],
        queries=renamed(seen.queries, rows),
        keys=renamed(seen.keys, keys),
        multiplicities=np.broadcast_to(parts, (1, len(rows), len(keys))),
    )
    return arranged, rows, of_keys[keys]
