"""Self-attention's datasets with another X, with which linear attention's margin does not shrink.

X = e_d e_d^T + g e_1 e_k^T, k the special token's class, read by y = e_k, which is no sign vector:
a token's score is the coordinate of class k of its row of attention. Every query weighs the keys of
class k like the others, but for the special one: its first coordinate asks for class k. The
*margin* is the largest score on D1 less that on D0, in units of s = sqrt(log n).
"""

from dataclasses import replace

import numpy as np

from ..attention.distinct_rows import (
    FIRST,
    LAST,
    OF_MARKED,
    SAME,
    SPECIAL,
    TokenTypes,
    distinct_rows,
)
from ..attention.kernel import KernelInputs
from ..attention.kernels import KERNELS
from .dataset import Entries, Tokens
from .self_attention import SELF_ATTENTION, tokens

LINEAR_KERNEL = KERNELS["linear"]


def x_matrix(d: int, weight: float) -> np.ndarray:
    """The matrix X, (d, d), with g = `weight`, for a special token of the first class."""
    x = np.zeros((d, d))
    x[-1, -1] = 1.0
    x[0, 1] = weight
    return x


def margin(data: Entries, weight: float) -> float:
    """The margin of linear attention, by a formula that n does not enter."""

    def score(a: float) -> float:
        """The special token's score: b times its weight on class k, where its entry is `a`."""
        weight_on_class = data.c**2 + weight * a * data.b
        return data.b * weight_on_class / (weight_on_class + (data.classes - 1) * data.c**2)

    return score(data.a1) - score(data.a0)


def margin_of_rows(data: Entries, n: int, weight: float) -> float:
    """The margin of linear attention from the distinct rows of attention, by which exact values are
    computed; ValueError unless n is a multiple of the classes, and at least 2."""

    def largest_score(dataset: int) -> float:
        """The largest score of a token on D0 or D1."""
        rows = distinct_rows(token_types(data, n, weight, dataset), LINEAR_KERNEL)
        return float(rows.marked.max())

    return (largest_score(1) - largest_score(0)) / _tokens(data, n).s


def literal_margin(data: Entries, n: int, weight: float) -> float:
    """The margin of linear attention from all n tokens, weighed one by one; ValueError as
    `margin_of_rows`."""
    return _largest_score(data, n, weight, dataset=1) - _largest_score(data, n, weight, dataset=0)


def token_types(data: Entries, n: int, weight: float, dataset: int) -> TokenTypes:
    """The types of tokens of D0 or D1 at one point, with this X; ValueError as `margin_of_rows`."""
    sizes = _tokens(data, n)
    types = SELF_ATTENTION.token_types([sizes], dataset)
    scores = np.full_like(types.scores, data.c**2)
    scores[:, 0, [SPECIAL, SAME]] += weight * sizes.a(dataset) * data.b

    # The product of a query with X.
    queries = np.zeros_like(types.queries)
    queries[:, :, OF_MARKED] = weight * types.queries[:, :, FIRST]
    queries[:, :, LAST] = types.queries[:, :, LAST]
    return replace(types, scores=sizes.s**2 * scores, queries=queries)


def _tokens(data: Entries, n: int) -> Tokens:
    """The sizes of n tokens, as self-attention's datasets take them."""
    return Tokens(
        n=n,
        d=data.classes + 2,
        a0=data.a0,
        a1=data.a1,
        b=data.b,
        c=data.c,
        attention_x="identity",
    )


def _largest_score(data: Entries, n: int, weight: float, dataset: int) -> float:
    """The largest score of a token on D0 or D1, in units of s, from all n tokens."""
    sizes = _tokens(data, n)
    a = tokens(n, sizes.d, sizes.a(dataset), data.b, data.c, j3=0)
    # All tokens but the special one query alike: their last coordinate alone enters.
    queries = a[:2] @ x_matrix(sizes.d, weight)
    counts = np.ones((len(queries), n), dtype=int)
    inputs = KernelInputs(queries @ a.T, queries, a, counts, n, sizes.d)
    rows = LINEAR_KERNEL.attention_weights(inputs) @ a
    return float(rows[:, 1].max()) / sizes.s
