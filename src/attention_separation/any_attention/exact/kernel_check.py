"""Whether a kernel that somebody gives is one: tried on the literal definition at a small size, and
for weights at all n."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer, token_types
from attention_separation.attention import dense
from attention_separation.attention.kernels import ClassesApartError, Kernel
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.seen import Seen
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.attention.token_types import OWN, REST, SAME, SPECIAL
from attention_separation.datasets.data import Data, FixedData
from attention_separation.datasets.dataset import Tokens

CLASSES, EACH = 3, 2
"""Classes, and tokens of each, where all n x n weights are compared with the distinct ones."""

ALIKE = 1e-9
"""How far they may differ, relative to the largest of a row."""

SINGLE = 1e-5
"""Relative: a smaller difference is likely one of float32."""

SPECIAL_TOKENS = ((0, 0), (5, 4))
"""Indices of the special query and key that are tried, of different classes; in self-attention the
key is the query too."""


def check_kernel(
    kernel: Kernel, data: Data, sizes: Sequence[int], layers: Sequence[Layer] = LAYERS
) -> None:
    """Raise ArithmeticError unless the kernel has weights, finite and with positive row sums, and
    tokens that are alike but for their class or place have the same.

    Parameters
    ----------
    data : sizes of the tokens
    sizes : numbers of tokens at which it is tried, beside n = 6 and powers of 2 times K
    """
    kernel = _telling(kernel)
    for layer, dataset, places in product(layers, (0, 1), SPECIAL_TOKENS):
        _compare_with_dense(kernel, layer, data, dataset, places[-layer.of.special_tokens :])
    for layer in layers:
        _try_sizes(kernel, layer, data, sizes)


def _telling(kernel: Kernel) -> Kernel:
    """The same kernel, which says of what a weight is no finite number."""

    def weigh(seen: Seen) -> np.ndarray:
        weights = kernel.weigh(seen)
        wrong = ~np.isfinite(weights) & (seen.multiplicities > 0)
        if wrong.any():
            raise ArithmeticError(
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


def _words(layer: Layer, *more: str) -> str:
    return ", ".join([layer.words[0].lower() + layer.words[1:], *more])


def _compare_with_dense(
    kernel: Kernel, layer: Layer, data: Data, dataset: int, places: tuple[int, ...]
) -> None:
    """Raise ArithmeticError unless the literal n x n weights, with the special tokens in their
    places, are those of the token types."""
    n, d = CLASSES * EACH, layer.d(CLASSES)
    tokens = Tokens(n, d, data.a0, data.a1, data.b, data.c, layer.attention_x)
    a1, a2, _, q, k = layer.of.literal(tokens, dataset, np.array(places))
    small = FixedData(data.a0, data.a1, data.b, data.c, CLASSES)
    with _said_of(kernel, _words(layer, f"D{dataset}", f"n = {n}")):
        literal = dense.attention_weights(a1, a2, q, k, kernel)
        types = token_types(layer, small, [n])[dataset]
        found = _spread(distinct_rows(types, kernel).weights[0], places[0], places[-1])
        gaps = np.abs(literal - found) / np.abs(literal).max(axis=1, keepdims=True).clip(1e-300)
        row, column = np.unravel_index(gaps.argmax(), gaps.shape)
        if gaps[row, column] > ALIKE:
            single = ", in float64" if gaps[row, column] < SINGLE else ""
            raise ClassesApartError(
                f"{kernel.name}: tokens that are alike but for their class or place have weights "
                f"{literal[row, column]:.9g} and {found[row, column]:.9g}; allowed: the same "
                f"weight{single}"
            )


def _spread(weights: np.ndarray, query: int, key: int) -> np.ndarray:
    """All n x n weights from those of types of queries on types of keys, (R, 4), given the indices
    of the special ones; of two types of queries none but the special one knows of a class."""
    token = np.arange(CLASSES * EACH)
    of_class = token % CLASSES
    marked = of_class == of_class[key]
    other = np.where(marked, 1, 2) if len(weights) > 2 else np.ones_like(token)
    queries = np.where(token == query, 0, other)
    own = (of_class[:, None] == of_class) & (queries[:, None] == 2)
    keys = np.where(marked, SAME, np.where(own, OWN, REST))
    keys[:, key] = SPECIAL
    return weights[queries[:, None], keys]


def _try_sizes(kernel: Kernel, layer: Layer, data: Data, sizes: Sequence[int]) -> None:
    """Raise ArithmeticError if the kernel has no weights at numbers of tokens up to the largest."""
    steps = int(np.log2(LARGEST_N // data.classes))
    doubled = [data.classes * 2**k for k in range(steps + 1)]
    largest = LARGEST_N // data.classes * data.classes
    n = sorted({*sizes, *doubled, largest} - {1})

    def try_each(n: list[int]) -> None:
        for types in token_types(layer, data, n):
            distinct_rows(types, kernel)

    try:
        try_each(n)
    except ArithmeticError:
        for size in n:
            with _said_of(kernel, _words(layer, f"n = {size:,}")):
                try_each([size])
        raise
