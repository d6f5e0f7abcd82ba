"""Whether a kernel that somebody gives is one: tried at the data and numbers of tokens that are
asked about, with its tokens in another order and their classes renamed."""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..attention.distinct_rows import REST, TokenTypes, distinct_rows, some_further_classes
from ..attention.kernel import (
    ClassesApartError,
    Kernel,
    KernelInputs,
    Kind,
    NotElementwiseError,
    RoundingAloneError,
)
from ..attention.subtraction import sizes_before_subtraction
from ..attention.threshold_curves import LARGEST_N
from ..datasets.dataset import Data
from ..messages.progress import Progress
from .equal_weights import ROUNDING_OF_SUMS, SAME_WEIGHTS, gaps_by_rounding
from .layers import Layer, token_types
from .neighbour_check import require_own_weights

FLOAT32_DIFFERENCE = 1e-5
"""Relative: a smaller difference is likely one of float32."""


def check_kernel(kernel: Kernel, layer: Layer, data: Data, sizes: Sequence[int]) -> bool:
    """Whether some weight is negative, at any of these numbers of tokens; ArithmeticError unless
    weights are finite, with positive row sums, and tokens that are alike but for their class or
    place have the same: the text names the first n at which it is so, and says so if they differ by
    rounding alone."""
    finite_kernel = _with_finite_weights(kernel)
    has_negative_weights = False
    layer_words = layer.words[0].lower() + layer.words[1:]
    progress = Progress(kernel.name, len(sizes), "numbers of tokens that it is tried at")
    for n in sizes:
        with _errors_that_say_where(kernel, f"{layer_words}, n = {n:,}"):
            types_and_weights = []
            largest_row = 0.0
            types_of_d0, types_of_d1 = token_types(layer, data, [n])
            require_own_weights(kernel, types_of_d0, types_of_d1)
            require_own_weights(kernel, types_of_d1, types_of_d0)
            for types in (types_of_d0, types_of_d1):
                weights = _weights_of_types(types, finite_kernel)
                has_negative_weights |= bool((weights < 0).any())
                row_sums = (np.abs(weights) * types.multiplicities).sum(axis=1)
                largest_row = max(largest_row, float(row_sums.max()))
                types_and_weights.append((types, weights))
            for types, weights in types_and_weights:
                for arrangement in _arrangements(kernel, data.classes):
                    _require_same_weights(finite_kernel, types, weights, arrangement, largest_row)
        progress.advance()
    return has_negative_weights


def all_sizes(classes: int) -> list[int]:
    """The numbers of tokens at which a kernel is tried in place of all n: K times the powers of 2,
    and the largest."""
    most = LARGEST_N // classes
    powers = [2**k for k in range(int(np.log2(most)) + 1)]
    sizes = {classes * tokens for tokens in [*powers, most]}
    return sorted(sizes - {1})


def _with_finite_weights(kernel: Kernel) -> Kernel:
    """The same kernel, but one that raises ArithmeticError where a weight is no finite number: the
    text names the weight and its score."""

    def weigh(inputs: KernelInputs) -> np.ndarray:
        weights = kernel.weigh(inputs)
        is_wrong = ~np.isfinite(weights) & (inputs.multiplicities > 0)
        if kernel.logarithmic:
            # That of 0.
            is_wrong &= ~np.isneginf(weights)
        if is_wrong.any():
            weight = float(weights[is_wrong][0])
            score = float(inputs.scores[is_wrong][0])
            error = ArithmeticError if math.isnan(weight) else OverflowError
            raise error(
                f"{kernel.name}: a weight, of score x = {score:.6g}, is {weight}; "
                f"allowed: finite numbers{FINITE_OF_KINDS[kernel.kind]}"
            )
        return weights

    return replace(kernel, weigh=weigh)


FINITE_OF_KINDS: dict[Kind, str] = {
    "score": "",
    "row": "",
    "features": ", of a map of each vector by itself: the vectors shown are those of some tokens, "
    "and a coordinate may be 0 in all of them",
}
"""What is said beside "finite numbers" to who gives a kernel of a kind."""


@contextlib.contextmanager
def _errors_that_say_where(kernel: Kernel, where: str) -> Iterator[None]:
    """While it is open, add to a kernel's ArithmeticError where it came up: the layer and n."""
    try:
        yield
    except ArithmeticError as error:
        sentence = str(error).removeprefix(f"{kernel.name}: ")
        # What it was raised from is kept: what it says itself is said here.
        raise type(error)(f"{kernel.name}: {where}: {sentence}") from error.__cause__


def _weights_of_types(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """The weights of types at one point, (R, 4); ClassesApartError as of `distinct_rows`, or
    RoundingAloneError if that is all that tells classes apart."""
    try:
        return distinct_rows(types, kernel).weights[0]
    except ClassesApartError as error:
        inputs = types.inputs_in_full(np.array([0]))
        weights = kernel.attention_weights(inputs)
        gaps = np.abs(weights - weights[..., [REST]])
        is_rounding = gaps <= gaps_by_rounding(kernel, inputs, weights)
        if is_rounding[..., REST:][types.exists].all():
            raise RoundingAloneError(
                f"{kernel.name}: weights of classes that the data does not tell apart "
                f"{BY_ROUNDING}; allowed: {LARGER_THAN_ROUNDING}"
            ) from error
        raise


BY_ROUNDING = "differ by rounding alone"
LARGER_THAN_ROUNDING = "weights larger than the rounding of what they are differences of"


@dataclass(frozen=True)
class Arrangement:
    """The same tokens otherwise: classes renamed by a shift, and keys that stand for several tokens
    in two parts, the first of a share of them, at least 1."""

    shift: int = 0
    share: float = 0.0


SHARES_OF_FIRST_PART = (0.0, 0.2, 0.37, 0.5)
"""By several the rounding of what is subtracted is seen: it is the same in all of a row's keys."""


def _arrangements(kernel: Kernel, classes: int) -> list[Arrangement]:
    """The arrangements in which a kernel's weights have to stay the same: for a kernel of vectors
    with the classes shifted, for one of scores with keys in two parts."""
    if kernel.kind == "features":
        # The special token's class is the first one, a middle one, and the last.
        return [Arrangement(shift) for shift in sorted({0, classes // 2, classes - 1})]
    if kernel.may_subtract:
        return [Arrangement(share=share) for share in SHARES_OF_FIRST_PART]
    return [Arrangement(share=SHARES_OF_FIRST_PART[0])]


def _require_same_weights(
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
    rearranged = _rearranged(kernel, types, arrangement)
    inputs = rearranged.inputs
    query_types = rearranged.query_types
    key_types = rearranged.key_types
    expected = weights[query_types][:, key_types]
    other_weights = kernel.attention_weights(inputs)[0]
    counts = types.multiplicities[0]
    row_sums = (np.abs(weights[query_types]) * counts).sum(axis=1, keepdims=True)
    gaps = np.abs(other_weights - expected)
    beyond_rounding = gaps - ROUNDING_OF_SUMS * (row_sums / counts[key_types])
    is_alike = beyond_rounding <= SAME_WEIGHTS * np.abs(expected)
    if is_alike.all():
        return
    if kernel.may_subtract:
        # What is taken off is in the errors of scores.
        sizes_before = sizes_before_subtraction(kernel, inputs, other_weights[None])[0]
        is_known = is_alike | (gaps <= ROUNDING_OF_SUMS * sizes_before)
        unexplained_weight = np.where(is_alike, 0.0, gaps) * inputs.multiplicities[0]
        if is_known.all() and unexplained_weight.sum(axis=1).max() <= SAME_WEIGHTS * largest_row:
            return
    is_rounding = gaps <= gaps_by_rounding(kernel, inputs, other_weights[None])[0]
    relative = beyond_rounding / np.abs(expected).clip(1e-300)
    if not (is_rounding | is_alike).all():
        # Of these one is named that differs by more than rounding.
        relative = np.where(is_rounding, 0.0, relative)
    place = np.unravel_index(relative.argmax(), relative.shape)
    raise _difference(
        kernel,
        f"{other_weights[place]:.9g} and {expected[place]:.9g}",
        is_single=bool(relative[place] < FLOAT32_DIFFERENCE),
        is_rounding=bool(is_rounding[place]),
    )


def _difference(
    kernel: Kernel, two_weights: str, is_single: bool, is_rounding: bool
) -> ArithmeticError:
    """The error that two weights differ which should be equal. `is_single` says that float32 may be
    why, `is_rounding` that rounding alone is."""
    words = "tokens that are alike but for their class or place have weights"
    error: type[ArithmeticError] = ClassesApartError
    if kernel.kind == "features" and kernel.vectors_seen == "orbits":
        words = "whole vectors and their coordinates one by one give weights"
        error = NotElementwiseError
    text = f"{kernel.name}: {words} {two_weights}"
    same_weight = "allowed: the same weight"
    if is_single:
        same_weight += ", in float64"
    if not is_rounding:
        return error(f"{text}; {same_weight}")
    allowed = (
        f"{same_weight}, or {LARGER_THAN_ROUNDING}"
        if is_single
        else f"allowed: {LARGER_THAN_ROUNDING}"
    )
    return RoundingAloneError(f"{text}, which {BY_ROUNDING}; {allowed}")


@dataclass(frozen=True)
class Rearranged:
    """What a kernel may know of the same tokens in another order and arranged otherwise, of further
    classes one in two parts; and the type of each of these queries (R,) and keys (T,)."""

    inputs: KernelInputs
    query_types: np.ndarray
    key_types: np.ndarray


def _rearranged(kernel: Kernel, types: TokenTypes, arrangement: Arrangement) -> Rearranged:
    """The tokens of the first point in reverse order, arranged otherwise, with the type of each
    query and key."""
    classes = int(types.classes[0])
    if kernel.kind == "features":
        further = None
        # All classes once; where that is enough, some of them the other times.
        is_once = kernel.vectors_seen == "few classes" and arrangement.shift == 0
        if kernel.vectors_seen != "every class" and not is_once:
            further = some_further_classes(classes)
        inputs = types.inputs_in_full(np.array([0]), further)
    else:
        inputs = types.inputs()
    counts = inputs.multiplicities[0, 0]
    key_types = np.minimum(np.arange(len(counts)), REST)
    existing = np.flatnonzero(counts > 0)
    has_two_parts = (counts > 1) & (np.arange(len(counts)) <= REST)
    keys_in_two = np.flatnonzero(has_two_parts)
    first_counts = np.maximum((arrangement.share * counts).astype(counts.dtype), 1)
    remaining_counts = np.where(has_two_parts, counts - first_counts, counts)
    # In reverse order: first parts, then all keys with what remains of them.
    keys = np.concatenate([keys_in_two, existing])[::-1]
    counts_of_keys = np.concatenate([first_counts[keys_in_two], remaining_counts[existing]])[::-1]
    queries = np.flatnonzero(types.exists[0])[::-1]
    arranged = replace(
        inputs,
        scores=inputs.scores[:, queries][:, :, keys],
        multiplicities=np.broadcast_to(counts_of_keys, (1, len(queries), len(keys))),
    )
    if inputs.queries is not None:
        query_vectors, key_vectors = inputs.vectors
        arranged = replace(
            arranged,
            queries=_with_classes_renamed(query_vectors[:, queries], classes, arrangement.shift),
            keys=_with_classes_renamed(key_vectors[:, keys], classes, arrangement.shift),
        )
    return Rearranged(arranged, query_types=queries, key_types=key_types[keys])


def _with_classes_renamed(vectors: np.ndarray, classes: int, shift: int) -> np.ndarray:
    """Vectors (..., C) in which each class takes the coordinate of the class `shift` places
    before."""
    renamed = vectors.copy()
    # With X all ones in one coordinate no class has one.
    class_coordinates = vectors[..., 1 : 1 + classes]
    renamed[..., 1 : 1 + classes] = np.roll(class_coordinates, shift, axis=-1)
    return renamed
