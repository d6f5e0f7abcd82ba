"""Cross-attention: the datasets of Definition F.1 (reconstructed), and their distinct rows."""

import math

import numpy as np

from attention_separation.attention.token_types import TokenTypes
from attention_separation.softmax_vs_linear.attention import Kernel
from attention_separation.softmax_vs_linear.distinct import (
    DistinctRows,
    TokenClasses,
    attend,
    check_stack,
)
from attention_separation.softmax_vs_linear.point import Point


def check(n: int, d: int) -> None:
    """Raise ValueError unless n = (d-1) t for a positive integer t, d >= 2 and log n > 0."""
    check_stack(n, d, other_columns=1, definition="Definition F.1")


def tokens(n: int, d: int, a: float, j2: int, j3: int) -> tuple[np.ndarray, np.ndarray]:
    """A1 and A2 of Definition F.1, each (n, d); A3 = A2, and a = a0 in D0, a = a1 in D1.

    A1: column 1 is a s at j2 and 0 elsewhere, all other entries are s. A2: column 1 is s e_j3,
    columns 2..d are s times stacked identities.
    """
    check(n, d)
    s = math.sqrt(math.log(n))
    a1 = np.full((n, d), s)
    a1[:, 0] = 0.0
    a1[j2, 0] = a * s
    a2 = np.zeros((n, d))
    a2[j3, 0] = s
    a2[:, 1:] = s * np.tile(np.eye(d - 1), (n // (d - 1), 1))
    return a1, a2


def special_class(j3, d: int):
    """Class of the special token of A2, 0..d-2."""
    return j3 % (d - 1)


def distinct_rows(n: int, d: int, a: float, kernel: Kernel) -> DistinctRows:
    """Rows of c up to the exchange of classes; the closed forms of Lemmas F.3, F.7, F.11, F.15.

    With X = I the scores are (1 + a) log n for (j2, j3) and log n for every other pair: the row of
    j2 is special and all others are equal.
    """
    check(n, d)
    classes = TokenClasses(count=d - 1, tokens_each=n // (d - 1))
    log_n = math.log(n)
    weights = kernel(log_n * np.array([[1.0 + a, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]))
    s = math.sqrt(log_n)
    return attend(weights, classes, first=s, block=s, last=None)


def rows(point: Point, dataset: int, kernel: Kernel) -> DistinctRows:
    """The distinct rows of a network at a point."""
    return distinct_rows(point.n, point.d, point.a(dataset), kernel)


def token_types(points: list[Point], dataset: int) -> TokenTypes:
    """The types of tokens of a dataset at some points: of queries j2 and the others, X = I.

    Raises
    ------
    ValueError
        If n tokens do not stack at a point.
    """
    for point in points:
        check(point.n, point.d)
    n, d = (np.array([getattr(point, name) for point in points]) for name in ("n", "d"))
    a = np.array([point.a(dataset) for point in points])
    log_n, s = np.array([(math.log(point.n), point.s) for point in points]).T
    one = np.ones_like(a)
    scores = np.stack(
        [np.stack([1.0 + a, one, one, one], axis=-1), np.stack([one] * 4, axis=-1)], axis=1
    )
    classes = d - 1

    def vectors(index: int) -> tuple[np.ndarray, np.ndarray]:
        size = int(classes[index])
        queries = np.ones((2, size + 1))
        queries[:, 0] = a[index], 0.0
        keys = np.zeros((size + 1, size + 1))
        keys[0, :2] = 1.0
        keys[1:, 1:] = np.eye(size)
        return s[index] * queries, s[index] * keys

    return TokenTypes(
        n=n,
        d=d,
        classes=classes,
        scores=log_n[:, None, None] * scores,
        exists=np.ones((len(points), 2), dtype=bool),
        first=s,
        block=s,
        last=None,
        vectors=vectors,
    )
