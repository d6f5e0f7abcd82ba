"""Whether a kernel that somebody gives is one: tried at the data and numbers of tokens that are
asked about, with its tokens in another order and their classes renamed."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...attention.distinct_rows import REST, TokenTypes, distinct_rows, some_further_classes
from ...attention.kernel import ClassesApartError, Kernel, KernelInputs, NotElementwiseError
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from ...results.progress import Progress
from .layers import Layer, token_types

ALIKE = 1e-9
"""How far weights that should be equal may differ, relative to themselves."""

ROUNDING = 1e-13
"""And relative to the row's sum, all tokens of a type together."""

SINGLE = 1e-5
"""Relative: a smaller difference is likely one of float32."""


def check_kernel(kernel: Kernel, layer: Layer, data: Data, sizes: Sequence[int]) -> bool:
    """Whether some weight is negative, at any of these numbers of tokens; ArithmeticError unless
    weights are finite, with positive row sums, and tokens that are alike but for their class or
    place have the same: the text names the first n at which it is so."""
    telling, negative = _telling(kernel), False
    progress = Progress(kernel.name, len(sizes), "numbers of tokens that it is tried at")
    for n in sizes:
        with _said_of(kernel, f"{layer.words[0].lower()}{layer.words[1:]}, n = {n:,}"):
            for types in token_types(layer, data, [n]):
                weights = distinct_rows(types, telling).weights[0]
                negative |= bool((weights < 0).any())
                # The special token's class is the first one, a middle one, and the last.
                shifts = {0, data.classes // 2, data.classes - 1}
                for shift in sorted(shifts) if kernel.kind == "features" else (0,):
                    _compare(telling, types, weights, shift)
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


def _compare(kernel: Kernel, types: TokenTypes, weights: np.ndarray, shift: int) -> None:
    """Raise ClassesApartError, or of an element-wise map NotElementwiseError, unless the weights of
    types, (R, 4), are those of the same tokens arranged otherwise, in all coordinates."""
    seen, rows, keys = _rearranged(kernel, types, shift)
    found, expected = kernel.attention_weights(seen)[0], weights[rows][:, keys]
    counts = types.multiplicities[0]
    spread = (np.abs(weights[rows]) * counts).sum(axis=1, keepdims=True) / counts[keys]
    gaps = np.abs(found - expected) - ROUNDING * spread
    row, column = np.unravel_index((gaps / np.abs(expected).clip(1e-300)).argmax(), gaps.shape)
    relative = gaps[row, column] / max(abs(expected[row, column]), 1e-300)
    if relative > ALIKE:
        words = "tokens that are alike but for their class or place have weights"
        error: type[ArithmeticError] = ClassesApartError
        if kernel.kind == "features" and kernel.vectors_seen == "orbits":
            words = "whole vectors and their coordinates one by one give weights"
            error = NotElementwiseError
        single = ", in float64" if relative < SINGLE else ""
        raise error(
            f"{kernel.name}: {words} {found[row, column]:.9g} and {expected[row, column]:.9g}; "
            f"allowed: the same weight{single}"
        )


def _rearranged(
    kernel: Kernel, types: TokenTypes, shift: int
) -> tuple[KernelInputs, np.ndarray, np.ndarray]:
    """What a kernel may know of the same tokens in another order, classes renamed by a shift, and
    keys that stand for several tokens in two parts, of further classes one; and the types of its
    queries and keys."""
    if kernel.kind == "features":
        # All classes once; where that is enough, some of them the other times.
        needs_all = kernel.vectors_seen == "every class"
        asks_all = kernel.vectors_seen == "few classes" and shift == 0
        further = None if needs_all or asks_all else some_further_classes(int(types.classes[0]))
        seen = types.seen_in_full(np.array([0]), further)
        of_keys = np.minimum(np.arange(seen.scores.shape[-1]), REST)
    else:
        seen, of_keys = types.seen(), np.arange(REST + 1)
    counts = seen.multiplicities[0, 0]
    there = np.flatnonzero(counts > 0)
    in_two_parts = (counts > 1) & (np.arange(len(counts)) <= REST)
    parted = np.flatnonzero(in_two_parts)
    keys = np.concatenate([parted, there])[::-1]
    remaining = counts - in_two_parts
    parts = np.concatenate([np.ones_like(parted), remaining[there]])[::-1]
    rows = np.flatnonzero(types.exists[0])[::-1]
    classes = int(types.classes[0])

    def renamed(vectors: np.ndarray | None, index: np.ndarray) -> np.ndarray | None:
        if vectors is None:
            return None
        chosen = vectors[:, index]
        if shift:
            # With X all ones in one coordinate no class has one.
            of_classes = chosen[..., 1 : 1 + classes]
            of_classes[:] = np.roll(of_classes, shift, axis=-1)
        return chosen

    arranged = replace(
        seen,
        scores=seen.scores[:, rows][:, :, keys],
        queries=renamed(seen.queries, rows),
        keys=renamed(seen.keys, keys),
        multiplicities=np.broadcast_to(parts, (1, len(rows), len(keys))),
    )
    return arranged, rows, of_keys[keys]
