"""Token types, and the distinct rows of any kernel on them, over arrays of points at once.

Types are what is left of n tokens once those that the data does not tell apart are counted. A
dataset has K classes of t tokens; one token is special and belongs to the marked class. A query is
special, another of the marked class, or of another class; it sees four types of keys: the special
token, the others of the marked class, those of its own class (of any unmarked one where its class
is the marked one, or none) and those of every further class.

Every row of c is first y_1 + marked y_k3 + own y_q + rest (sum of the other class signs)
+ last y_d against a sign column y, q the class of the querying token. Whatever weights a kernel
gives, they are a function of a type of query and a type of key, so this holds for every kernel that
treats classes alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from .kernel import ClassesApartError, Kernel, KernelInputs

SPECIAL, SAME, OWN, REST = range(4)
"""Types of keys, the last axis of scores. Types of queries are the first three, or, where no query
but the special one knows of a class, the special one and OTHER."""


@dataclass(frozen=True)
class TokenTypes:
    """The token types of P points; with t = n / K tokens in a class."""

    n: np.ndarray  # (P,), as the next two
    d: np.ndarray
    classes: np.ndarray  # K
    scores: np.ndarray  # (P, R, 4) of R types of queries on types of keys: equal where they are so
    exists: np.ndarray  # (P, R) whether there are queries of a type
    first: np.ndarray  # (P,) value of the special token in the first coordinate
    block: np.ndarray  # (P,) value of every token in its class's coordinate
    last: np.ndarray | None  # (P,) that in the last coordinate; None for data without one
    vectors: Callable[[Sequence[int]], tuple[np.ndarray, np.ndarray]]
    """Indices of p points with the same d -> queries (p, R, d), and keys (p, K + 1, d): the special
    token, another of the marked class, and one of each further class."""

    @cached_property
    def multiplicities(self) -> np.ndarray:
        """How many tokens each key stands for, (P, 4): 1, t - 1, t and (K - 2) t."""
        t = self.n // self.classes
        counts = np.ones((len(t), 4), dtype=t.dtype)
        counts[:, SAME] = t - 1
        counts[:, OWN] = t * (self.classes > 1)
        counts[:, REST] = t * np.maximum(self.classes - 2, 0)
        return counts

    def seen(self) -> KernelInputs:
        """What kernels of scores may know, of all points at once."""
        counts = np.broadcast_to(self.multiplicities[:, None, :], self.scores.shape)
        n, d = self.n[:, None, None], self.d[:, None, None]
        return KernelInputs(self.scores, None, None, counts, n, d)

    def seen_in_full(self, points: Sequence[int]) -> KernelInputs:
        """What kernels of vectors may know, of points with the same d: a key for each class."""
        queries, keys = self.vectors(points)
        n, d = self.n[points], self.d[points]
        classes = int(self.classes[points[0]])
        t, further = n // classes, max(classes - 2, 0)
        columns = [SPECIAL, SAME, *[OWN] * (classes > 1), *[REST] * further]
        counts = np.repeat(t[:, None], len(columns), axis=1)
        counts[:, SPECIAL], counts[:, SAME] = 1, t - 1
        scores = self.scores[points][:, :, columns]
        return KernelInputs(
            scores, queries, keys, np.broadcast_to(counts[:, None, :], scores.shape),
            n[:, None, None], d[:, None, None],
        )  # fmt: skip


ALIKE = 1e-9
"""Relative: how far weights on two further classes may differ by rounding alone."""


@dataclass(frozen=True)
class Rows:
    """The rows of P points with K classes, (P,), every weight (P, R); rows without a query repeat
    the special one.

    `own` is equal to `rest` where the own class is none of the unmarked ones. `last` is None for
    data without a last coordinate, and (P, 1) for a normalised kernel: the same in every row.
    `weights`, (P, R, 4), are those of a query on one key of each type, `share` that on the special
    token.
    """

    classes: np.ndarray
    first: np.ndarray
    marked: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    last: np.ndarray | None
    weights: np.ndarray

    @property
    def share(self) -> np.ndarray:
        return self.weights[..., SPECIAL]


def distinct_rows(types: TokenTypes, kernel: Kernel) -> Rows:
    """The rows of c = f A3, V the identity, of a kernel on token types; ArithmeticError if weights
    are no finite numbers or a row cannot be normalised, ClassesApartError if further classes, which
    the data does not tell apart, have different weights."""
    if kernel.kind == "features":
        weights = _weights_in_full(types, kernel)
    else:
        weights = kernel.attention_weights(types.seen())
    missing = ~types.exists
    if missing.any():
        weights = np.where(missing[..., None], weights[:, :1], weights)
    t = (types.n // types.classes)[:, None]
    special, same, own, rest = (weights[..., column] for column in (SPECIAL, SAME, OWN, REST))
    # With two classes there is no further one: the unmarked class stands for both.
    rest = np.where((types.classes == 2)[:, None], own, rest)
    block = types.block[:, None]
    last = None if types.last is None else types.last[:, None]
    if last is not None and not kernel.normalised:
        sums = (weights * types.multiplicities[:, None, :]).sum(axis=-1)
        last = last * (sums if kernel.row_sum is None else kernel.row_sum)
    return Rows(
        types.classes,
        first=types.first[:, None] * special,
        marked=block * (special + (t - 1) * same),
        own=block * t * own,
        rest=block * t * rest,
        last=last,
        weights=weights,
    )


MOST_NUMBERS = 1 << 19
"""Products of features worked on at once."""


def _weights_in_full(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """(P, R, 4) from weights on a key of each class, of points with the same d together."""
    weights = np.zeros(types.scores.shape)
    if kernel.treats_classes_alike:
        kernel = replace(kernel, weigh=partial(_weights_on_few_keys, kernel.weigh))
    for d in np.unique(types.d):
        alike = np.flatnonzero(types.d == d)
        step = max(MOST_NUMBERS // int(d) ** 2, 1)
        for start in range(0, len(alike), step):
            part = alike[start : start + step]
            full = kernel.attention_weights(types.seen_in_full(part))
            weights[part] = _by_type(full, types.exists[part], kernel)
    return weights


def _weights_on_few_keys(weigh: Callable, seen: KernelInputs) -> np.ndarray:
    """What `weigh` gives, found for one of the further classes, which have the last keys."""
    few = slice(0, REST + 1)
    parts = {name: getattr(seen, name)[..., few] for name in ("scores", "multiplicities")}
    found = weigh(replace(seen, **parts, keys=seen.keys[..., few, :]))
    return found[..., np.minimum(np.arange(seen.scores.shape[-1]), REST)]


def _by_type(full: np.ndarray, exists: np.ndarray, kernel: Kernel) -> np.ndarray:
    """Weights on a key of each type, (P, R, 4), from those on a key of each class."""
    weights = np.zeros((*full.shape[:2], 4))
    weights[..., SPECIAL], weights[..., SAME] = full[..., 0], full[..., 1]
    if full.shape[2] > 2:
        weights[..., OWN] = weights[..., REST] = full[..., 2]
    further = full[..., 3:]
    if further.shape[2]:
        weights[..., REST] = further[..., 0]
        spread = np.ptp(further, axis=2)
        if (spread > ALIKE * np.abs(further).max(axis=2))[exists].any():
            raise ClassesApartError(f"{kernel.name}: it tells classes apart that the data does not")
    # Of a query without a class among the further ones, all of these are alike.
    alike = np.isclose(weights[..., OWN], weights[..., REST], rtol=ALIKE, atol=0)
    weights[..., OWN] = np.where(alike, weights[..., REST], weights[..., OWN])
    return weights
