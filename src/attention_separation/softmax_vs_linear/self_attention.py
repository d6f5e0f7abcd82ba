"""Self-attention: the datasets of Definitions 6.1 and D.1, and their distinct attention rows."""

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
    """Raise ValueError unless n = (d-2) t for a positive integer t, d >= 3 and log n > 0."""
    check_stack(n, d, other_columns=2, definition="Definition D.1")


def tokens(n: int, d: int, a: float, b: float, c: float, j3: int) -> np.ndarray:
    """A of Definition D.1, (n, d): A1 = A2 = A3 = A, with a = a0 in D0 and a = a1 in D1.

    Column 1 is a s e_j3, columns 2..d-1 are b s times stacked identities, column d is c s.
    """
    check(n, d)
    s = math.sqrt(math.log(n))
    out = np.zeros((n, d))
    out[j3, 0] = a * s
    out[:, 1 : d - 1] = b * s * np.tile(np.eye(d - 2), (n // (d - 2), 1))
    out[:, d - 1] = c * s
    return out


def x_matrix(attention_x: str, d: int) -> np.ndarray:
    """X = Q K^T: I_d (Figure 4, section E) or the all-ones matrix (Figure 5, section D)."""
    return {"identity": np.eye(d), "ones": np.ones((d, d))}[attention_x]


def special_class(j3, d: int):
    """Class of the special token, 0..d-3: the Type II column that it shares with its like."""
    return j3 % (d - 2)


def distinct_rows(
    n: int, d: int, a: float, b: float, c: float, attention_x: str, kernel: Kernel
) -> DistinctRows:
    """Rows of c(A, x) up to the exchange of classes, for any kernel; closed forms of D.3 and E.2.

    Tokens fall into the special one, the others of its class, and those of each other class. With
    X = I a score is the inner product of two tokens; with X all ones, the product of their sums.
    """
    check(n, d)
    classes = TokenClasses(count=d - 2, tokens_each=n // (d - 2))
    log_n = math.log(n)
    if attention_x == "identity":
        special = [a * a + b * b + c * c, b * b + c * c, c * c, c * c]
        same_class = [b * b + c * c, b * b + c * c, c * c, c * c]
        other_class = [c * c, c * c, b * b + c * c, c * c]
    else:
        plain = b + c
        special = [(plain + a) * (plain + a), *[(plain + a) * plain] * 3]
        same_class = other_class = [plain * (plain + a), *[plain * plain] * 3]
    scores = [special]
    if classes.tokens_each > 1:
        scores.append(same_class)
    if classes.count > 1:
        scores.append(other_class)
    weights = kernel(log_n * np.array(scores))
    s = math.sqrt(log_n)
    return attend(weights, classes, first=a * s, block=b * s, last=c * s)


def rows(point: Point, dataset: int, kernel: Kernel) -> DistinctRows:
    """The distinct rows of a network at a point."""
    return distinct_rows(
        point.n, point.d, point.a(dataset), point.b, point.c, point.attention_x, kernel
    )


def split_x(attention_x: str, d: int) -> np.ndarray:
    """Q = K with X = Q K^T: the identity, or 1 1^T / sqrt d; kernels of vectors depend on it."""
    return {"identity": np.eye(d), "ones": np.full((d, d), d**-0.5)}[attention_x]


def token_types(points: list[Point], dataset: int) -> TokenTypes:
    """The types of tokens of a dataset at some points, all with the same X.

    With X = I a score is the inner product of two tokens; with X all ones, the product of their
    sums.

    Raises
    ------
    ValueError
        If n tokens do not stack at a point.
    """
    for point in points:
        check(point.n, point.d)
    n, d = (np.array([getattr(point, name) for point in points]) for name in ("n", "d"))
    a, b, c = (
        np.array(values)
        for values in (
            [point.a(dataset) for point in points],
            [point.b for point in points],
            [point.c for point in points],
        )
    )
    log_n, s = np.array([(math.log(point.n), point.s) for point in points]).T
    (attention_x,) = {point.attention_x for point in points}
    if attention_x == "identity":
        rest, own = c * c, b * b + c * c
        special = np.stack([a * a + b * b + c * c, own, rest, rest], axis=-1)
        same = np.stack([own, own, rest, rest], axis=-1)
        other = np.stack([rest, rest, own, rest], axis=-1)
    else:
        plain = b + c
        special = np.stack([(plain + a) * (plain + a), *[(plain + a) * plain] * 3], axis=-1)
        same = other = np.stack([plain * (plain + a), *[plain * plain] * 3], axis=-1)
    classes = d - 2

    def vectors(index: int) -> tuple[np.ndarray, np.ndarray]:
        size = int(classes[index])
        keys = np.zeros((size + 1, size + 2))
        keys[1:, 1:-1] = b[index] * np.eye(size)
        keys[0, :2] = a[index], b[index]
        keys[:, -1] = c[index]
        keys = s[index] * keys @ split_x(attention_x, size + 2)
        return keys[[0, 1, min(2, size)]], keys

    return TokenTypes(
        n=n,
        d=d,
        classes=classes,
        scores=log_n[:, None, None] * np.stack([special, same, other], axis=1),
        exists=np.stack([np.ones_like(n), n // classes > 1, classes > 1], axis=-1).astype(bool),
        first=a * s,
        block=b * s,
        last=c * s,
        vectors=vectors,
    )
