"""Self-attention's datasets with another X, with which linear attention's margin does not shrink.

X = e_d e_d^T + g e_1 e_k^T, k the special token's class, read by y = e_k, which is no sign vector.
Every query weighs the keys of class k like the others, but for the special one: its first
coordinate asks for class k. Margins are largest scores on D1 less those on D0, in units of
s = sqrt(log n).
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

LINEAR = KERNELS["linear"]


def x_matrix(d: int, weight: float) -> np.ndarray:
    """X, (d, d), with g = `weight`, for a special token of the first class."""
    x = np.zeros((d, d))
    x[-1, -1], x[0, 1] = 1.0, weight
    return x


def margin(data: Entries, weight: float) -> float:
    """That of linear attention, whatever n is: the special row's share of class k on D1 less that
    on D0, times b."""

    def score(a: float) -> float:
        asked = data.c**2 + weight * a * data.b
        return data.b * asked / (asked + (data.classes - 1) * data.c**2)

    return score(data.a1) - score(data.a0)


def margin_of_rows(data: Entries, n: int, weight: float) -> float:
    """The same from distinct rows, as exact values of any attention are computed; ValueError unless
    n is a multiple of the classes, and at least 2."""
    of_d0, of_d1 = (
        float(distinct_rows(token_types(data, n, weight, dataset), LINEAR).marked.max())
        for dataset in (0, 1)
    )
    return (of_d1 - of_d0) / _tokens(data, n).s


def literal_margin(data: Entries, n: int, weight: float) -> float:
    """The same from all n tokens, weighed one by one; ValueError as `margin_of_rows`."""
    of_d0, of_d1 = (_largest_score(data, n, weight, dataset) for dataset in (0, 1))
    return of_d1 - of_d0


def token_types(data: Entries, n: int, weight: float, dataset: int) -> TokenTypes:
    """The token types of D0 or D1 with this X; ValueError as `margin_of_rows`."""
    at = _tokens(data, n)
    types = SELF_ATTENTION.token_types([at], dataset)
    scores = np.full_like(types.scores, at.c**2)
    scores[:, 0, [SPECIAL, SAME]] += weight * at.a(dataset) * at.b

    # The product of a query with X.
    queries = np.zeros_like(types.queries)
    queries[:, :, OF_MARKED] = weight * types.queries[:, :, FIRST]
    queries[:, :, LAST] = types.queries[:, :, LAST]
    return replace(types, scores=at.s**2 * scores, queries=queries)


def _tokens(data: Entries, n: int) -> Tokens:
    return Tokens(n, data.classes + 2, data.a0, data.a1, data.b, data.c, "identity")


def _largest_score(data: Entries, n: int, weight: float, dataset: int) -> float:
    at = _tokens(data, n)
    a = tokens(n, at.d, at.a(dataset), at.b, at.c, 0)
    # All tokens but the special one query alike: their last coordinate alone enters.
    queries = a[:2] @ x_matrix(at.d, weight)
    counts = np.ones((len(queries), n), dtype=int)
    seen = KernelInputs(queries @ a.T, queries, a, counts, n, at.d)
    rows = LINEAR.attention_weights(seen) @ a
    return float(rows[:, 1].max()) / at.s
