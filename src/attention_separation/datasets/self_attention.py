"""Self-attention: the datasets of Definitions 6.1 and D.1."""

import math
from collections.abc import Sequence

import numpy as np

from ..attention.distinct_rows import OWN, SAME, SPECIAL, TokenTypes
from .dataset import Dataset, Sizes, count_coordinates, key_vectors


def tokens(n: int, d: int, a: float, b: float, c: float, j3: int) -> np.ndarray:
    """The matrix A of Definition D.1, (n, d): A1 = A2 = A3 = A, with a = a0 in D0 and a = a1 in D1.

    Column 1 is a s e_j3, columns 2..d-1 are b s times stacked identities, column d is c s.
    ValueError unless n = (d-2) t for a positive integer t, d >= 3 and log n > 0.
    """
    SELF_ATTENTION.check(n, d)
    s = math.sqrt(math.log(n))
    out = np.zeros((n, d))
    out[j3, 0] = a * s
    out[:, 1 : d - 1] = b * s * np.tile(np.eye(d - 2), (n // (d - 2), 1))
    out[:, d - 1] = c * s
    return out


def split_x(attention_x: str, d: int) -> np.ndarray:
    """The matrix Q = K, (d, d), whose X = Q K^T is the identity (Figure 4, section E) or all ones
    (Figure 5, section D): I, or 1 1^T / sqrt d. Kernels of vectors depend on this choice."""
    if attention_x == "identity":
        return np.eye(d)
    return np.full((d, d), d**-0.5)


def literal(sizes: Sizes, dataset: int, places: np.ndarray) -> tuple[np.ndarray, ...]:
    """The matrices A1, A2, A3, Q and K of D0 or D1; places : the index j3 of the special token,
    (1,)."""
    a = tokens(sizes.n, sizes.d, sizes.a(dataset), sizes.b, sizes.c, places[0])
    q = split_x(sizes.attention_x, sizes.d)
    return a, a, a, q, q


def token_types(points: Sequence[Sizes], dataset: int) -> TokenTypes:
    """The token types of D0 or D1 at P points. Queries have three types: the special token, another
    of its class, and one of another class.

    With X = I a score is the inner product of two tokens; with X all ones, the product of their
    sums.
    """
    n = np.array([point.n for point in points])
    d = np.array([point.d for point in points])
    classes = SELF_ATTENTION.classes(d)
    a = np.array([point.a(dataset) for point in points])
    b = np.array([point.b for point in points])
    c = np.array([point.c for point in points])
    s = np.array([point.s for point in points])
    log_n = np.array([math.log(point.n) for point in points])
    (attention_x,) = {point.attention_x for point in points}
    if attention_x == "identity":
        other_class = c * c
        same_class = b * b + c * c
        special_itself = a * a + b * b + c * c
        scores = [
            [special_itself, same_class, other_class, other_class],
            [same_class, same_class, other_class, other_class],
            [other_class, other_class, same_class, other_class],
        ]
    else:
        plain = b + c
        special = b + c + a
        special_query = [special * special, special * plain, special * plain, special * plain]
        plain_query = [plain * special, plain * plain, plain * plain, plain * plain]
        scores = [special_query, plain_query, plain_query]

    coordinate_counts = count_coordinates(classes, last=1)
    keys = s[:, None, None] * key_vectors(first=a, block=b, last=c, classes=classes)
    if attention_x == "ones":
        sums = (coordinate_counts[:, None, :] * keys).sum(axis=-1)
        keys[:] = (sums / np.sqrt(d)[:, None])[:, :, None]
    return TokenTypes(
        n=n,
        d=d,
        classes=classes,
        scores=np.moveaxis(log_n * np.array(scores), -1, 0),
        exists=np.array([n > 0, n // classes > 1, classes > 1]).T,
        first=a * s,
        block=b * s,
        last=c * s,
        queries=keys[:, [SPECIAL, SAME, OWN]],
        keys=keys,
        coordinate_counts=coordinate_counts,
    )


SELF_ATTENTION = Dataset(
    name="self_attention",
    definition="Definition D.1",
    other_columns=2,
    special_tokens=1,
    types=token_types,
    literal=literal,
)
