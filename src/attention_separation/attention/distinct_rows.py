"""Token types, and the distinct rows of any kernel on them, over arrays of points at once.

Types are what is left of n tokens once those that the data does not tell apart are counted. A
dataset has K classes of t tokens; one token is special and belongs to the marked class. A query is
special, another of the marked class, or of another class; it sees four types of keys: the special
token, the others of the marked class, those of its own class (of any unmarked one where its class
is the marked one, or none) and those of every further class.

Coordinates of vectors fall into six *orbits*: the first, that of the marked class, of the own
class, of one further class, those of all other further classes, and the last. Those of one orbit
are equal in every query, and in one key of each type, so that a vector is six numbers with counts,
whatever d is.

Every row of c is first y_1 + marked y_k3 + own y_q + rest (sum of the other class signs)
+ last y_d against a sign column y, q the class of the querying token. Whatever weights a kernel
gives, they are a function of a type of query and a type of key, so this holds for every kernel that
treats classes alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .kernel import ClassesApartError, Kernel, KernelInputs
from .subtraction import sizes_before_subtraction

SPECIAL, SAME, OWN, REST = range(4)
"""Types of keys, the last axis of scores. Types of queries are the first three, or, where no query
but the special one knows of a class, the special one and OTHER."""

OTHER = 1
"""The type of all queries but the special one, where none of them knows of a class."""

FIRST, OF_MARKED, OF_OWN, OF_REST, OF_OTHERS, LAST = range(6)
"""Orbits of coordinates. Of the further classes one, whose key stands for all, has its own entry at
OF_REST, and the others have theirs at OF_OTHERS."""

ORBITS = 6


@dataclass(frozen=True)
class KernelInputsByOrbit(KernelInputs):
    """Queries and keys of token types, (..., R, 6) and (..., 4, 6), equal coordinates once."""

    def log_key_sums(self) -> np.ndarray:
        """log sum e^k over all n tokens, for each orbit of coordinates, (..., 1, 6)."""
        # Further classes exchange with their coordinates: so in each of these coordinates the sum
        # over their keys is that over these coordinates of one key.
        assert self.coordinate_counts is not None
        _, keys = self.vectors
        further = [OF_REST, OF_OTHERS]
        counts = self.coordinate_counts[..., 0, further]
        shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
        with np.errstate(divide="ignore"):
            logs = keys[..., REST, further] + np.log(shares)
        mean_keys = keys.copy()
        mean_keys[..., REST, further] = np.logaddexp.reduce(logs, axis=-1, keepdims=True)
        return KernelInputs.log_key_sums(replace(self, keys=mean_keys))


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
    queries: np.ndarray  # (P, R, 6) vectors by orbits of coordinates, as the next two
    keys: np.ndarray  # (P, 4, 6); of types that do not exist any that do
    coordinate_counts: np.ndarray  # (P, 6)

    @cached_property
    def multiplicities(self) -> np.ndarray:
        """How many tokens each key stands for, (P, 4): 1, t - 1, t and (K - 2) t."""
        t = self.n // self.classes
        counts = np.ones((len(t), 4), dtype=t.dtype)
        counts[:, SAME] = t - 1
        counts[:, OWN] = np.where(self.classes > 1, t, 0)
        counts[:, REST] = t * np.maximum(self.classes - 2, 0)
        return counts

    def inputs(self) -> KernelInputs:
        """The inputs of kernels of scores, of all points at once."""
        return KernelInputs(
            scores=self._scores_of_tokens(),
            queries=None,
            keys=None,
            multiplicities=np.broadcast_to(self.multiplicities[:, None, :], self.scores.shape),
            n=self.n[:, None, None],
            d=self.d[:, None, None],
        )

    def _scores_of_tokens(self) -> np.ndarray:
        """Scores, (P, R, 4), of queries and keys that exist: one that does not has the special
        one's, so that no kernel is asked for a weight of scores that the data does not have."""
        scores = np.where(self.exists[..., None], self.scores, self.scores[:, :1])
        return np.where(self.multiplicities[:, None, :] > 0, scores, scores[..., :1])

    def _queries_of_tokens(self) -> np.ndarray:
        """Vectors of queries, (P, R, 6); one that does not exist is the special one."""
        return np.where(self.exists[..., None], self.queries, self.queries[:, :1])

    def inputs_by_orbit(self) -> KernelInputsByOrbit:
        """The inputs of kernels that heed `coordinate_counts`, of all points at once."""
        inputs = self.inputs()
        return KernelInputsByOrbit(
            scores=inputs.scores,
            queries=self._queries_of_tokens(),
            keys=self.keys,
            multiplicities=inputs.multiplicities,
            n=inputs.n,
            d=inputs.d,
            coordinate_counts=self.coordinate_counts[:, None, :],
        )

    def inputs_in_full(
        self, points: np.ndarray, further: Sequence[int] | None = None
    ) -> KernelInputs:
        """The inputs of kernels of vectors in all d coordinates, of points with the same K.

        The keys are the special token, another of the marked class, class 0, one of the own class,
        1, and one of each of the classes `further`, 2 to K - 1: all, or some that stand for all.
        """
        first = points[0]
        classes = int(self.classes[first])
        all_further = np.arange(2, classes)
        if further is None:
            shown = all_further
        else:
            shown = np.asarray(further, dtype=int)
        types = [SPECIAL, SAME]
        if classes > 1:
            types.append(OWN)
        types.extend(REST for _ in shown)
        orbits = np.repeat(np.arange(ORBITS), self.coordinate_counts[first])
        keys = self.keys[points][:, types][:, :, orbits]
        if OF_REST in orbits:
            # Of keys of further classes that at OF_REST stands in their own class's coordinate, and
            # not in the first further one's. Coordinate 0 is no class's.
            rows = np.arange(3, len(types))
            keys[:, rows, 1 + all_further[0]] = self.keys[points, REST, OF_OTHERS][:, None]
            keys[:, rows, 1 + shown] = self.keys[points, REST, OF_REST][:, None]
        t = (self.n[points] // classes)[:, None]
        counts = np.repeat(t, len(types), axis=1)
        counts[:, SPECIAL] = 1
        counts[:, SAME] -= 1
        if len(shown) > 0:
            # The first one shown stands for those that are not, too.
            counts[:, REST] *= len(all_further) - len(shown) + 1
        scores = self._scores_of_tokens()[points][:, :, types]
        return KernelInputs(
            scores=scores,
            queries=self._queries_of_tokens()[points][:, :, orbits],
            keys=keys,
            multiplicities=np.broadcast_to(counts[:, None, :], scores.shape),
            n=self.n[points][:, None, None],
            d=self.d[points][:, None, None],
        )


def inputs_shown(types: TokenTypes, kernel: Kernel) -> KernelInputs:
    """What a kernel of one's own is shown of types, of points with the same K: scores alone, or the
    vectors that a kernel of its kind needs, of few further classes."""
    if kernel.kind != "features":
        return types.inputs()
    if kernel.vectors_seen == "orbits":
        return types.inputs_by_orbit()
    further = some_further_classes(int(types.classes[0]))
    return types.inputs_in_full(np.arange(len(types.n)), further)


def some_further_classes(classes: int) -> list[int]:
    """The first, the middle and the last of the classes 2 to K - 1; of a few, all."""
    if classes <= 2:
        return []
    return sorted({2, (classes + 1) // 2, classes - 1})


ALIKE = 1e-9
"""Relative: how far weights on two further classes may differ by rounding alone."""


@dataclass(frozen=True)
class Rows:
    """The rows of P points with K classes, (P,), every weight (P, R); rows without a query repeat
    the special one.

    `own` is equal to `rest` where the own class is none of the unmarked ones. `last` is None for
    data without a last coordinate, and (P, 1) for a normalised kernel: the same in every row.
    `weights`, (P, R, 4), are those of a query on one key of each type, `share` that on the special
    token. `size` is the sum of |weight x entry| over all tokens and coordinates. `rounded` is
    that of which the rounding of a score is a part: a last coordinate that is known without a sum
    counts as it is, and a weight that is a difference as what it was taken from.
    """

    classes: np.ndarray
    first: np.ndarray
    marked: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    last: np.ndarray | None
    weights: np.ndarray
    size: np.ndarray
    rounded: np.ndarray

    @property
    def share(self) -> np.ndarray:
        return self.weights[..., SPECIAL]

    def of_points(self, points: slice) -> "Rows":
        """The rows of some of the points."""
        return Rows(
            classes=self.classes[points],
            first=self.first[points],
            marked=self.marked[points],
            own=self.own[points],
            rest=self.rest[points],
            last=None if self.last is None else self.last[points],
            weights=self.weights[points],
            size=self.size[points],
            rounded=self.rounded[points],
        )


def distinct_rows(types: TokenTypes, kernel: Kernel) -> Rows:
    """The rows of c = f A3, V the identity, of a kernel on token types; ArithmeticError if weights
    or their sums are no finite numbers or a row cannot be normalised, ClassesApartError if further
    classes, which the data does not tell apart, have different weights."""
    weights = _weights_by_type(types, kernel)
    counts = types.multiplicities[:, None, :]
    sizes_before = np.abs(weights)
    if kernel.may_subtract:
        subtracted = sizes_before_subtraction(kernel, types.inputs(), weights)
        sizes_before = np.maximum(sizes_before, PART_OF_SUBTRACTED * subtracted)
    if not types.exists.all():
        exists = types.exists[..., None]
        weights = np.where(exists, weights, weights[:, :1])
        sizes_before = np.where(exists, sizes_before, sizes_before[:, :1])
    size = _row_size(types, np.abs(weights))
    if not np.isfinite(size).all():
        raise OverflowError(
            f"{kernel.name}: a row's sum is inf, of weights up to "
            f"{float(np.abs(weights).max()):g}; allowed: finite sums"
        )
    known_sum = 1.0 if kernel.normalised else kernel.row_sum
    t = (types.n // types.classes)[:, None]
    special = weights[..., SPECIAL]
    same = weights[..., SAME]
    own = weights[..., OWN]
    # With two classes there is no further one: the unmarked class stands for both.
    rest = np.where((types.classes == 2)[:, None], own, weights[..., REST])
    block = types.block[:, None]
    last = None
    if types.last is not None:
        last = types.last[:, None]
        if known_sum is None:
            last = last * (weights * counts).sum(axis=-1)
        else:
            last = last * known_sum
    return Rows(
        types.classes,
        first=types.first[:, None] * special,
        marked=block * (special + (t - 1) * same),
        own=block * t * own,
        rest=block * t * rest,
        last=last,
        weights=weights,
        size=size,
        rounded=_row_size(types, sizes_before, known_sum),
    )


def _weights_by_type(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """The weights of a query of each type on one key of each type, (P, R, 4)."""
    # What is made of rows is made of those of types, which have all tokens of a row.
    plain = replace(kernel, of_rows=None)
    if kernel.kind != "features":
        weights = plain.attention_weights(types.inputs())
    elif kernel.vectors_seen == "orbits":
        weights = _equal_where_alike(plain.attention_weights(types.inputs_by_orbit()))
    else:
        weights = _weights_in_full(types, plain)
    if kernel.of_rows is None:
        return weights
    return kernel.of_rows(weights, types.multiplicities[:, None, :])


def _row_size(
    types: TokenTypes, sizes: np.ndarray, known_sum: float | np.ndarray | None = None
) -> np.ndarray:
    """The sum of |weight x entry| of each row, (P, R), from the sizes of weights (P, R, 4); the sum
    of a row's weights is `known_sum` if it is known, and its last coordinate no sum."""
    with np.errstate(over="ignore"):
        token_sum = (sizes * types.multiplicities[:, None, :]).sum(axis=-1)
        first = types.first[:, None] * sizes[..., SPECIAL]
        row_size = first + types.block[:, None] * token_sum
        if types.last is None:
            return row_size
        weight_sum = token_sum if known_sum is None else np.abs(known_sum)
        return row_size + types.last[:, None] * weight_sum


PART_OF_SUBTRACTED = 0.01
"""Of numbers before a subtraction 1e-15 may be rounded: as much as the tolerance of scores, 1e-13,
is of this part of them."""


MOST_ROW_NUMBERS = 1 << 19
"""Coordinates of keys worked on at once."""


def _weights_in_full(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """The weights of a query of each type on one key of each type, (P, R, 4), from keys in all d
    coordinates; points with the same d are computed together."""
    weights = np.zeros(types.scores.shape)
    for d in np.unique(types.d):
        points = np.flatnonzero(types.d == d)
        classes = int(types.classes[points[0]])
        if kernel.vectors_seen == "few classes":
            further = some_further_classes(classes)
            keys = 3 + len(further)
        else:
            further = None
            keys = 1 + classes
        step = max(MOST_ROW_NUMBERS // (keys * int(d)), 1)
        for start in range(0, len(points), step):
            part = points[start : start + step]
            by_class = kernel.attention_weights(types.inputs_in_full(part, further))
            _require_equal_classes(by_class[..., REST:], types.exists[part], kernel)
            # With one or two classes there are fewer types of keys.
            by_type = by_class[..., : REST + 1]
            weights[part, :, : by_type.shape[-1]] = by_type
    return _equal_where_alike(weights)


def _require_equal_classes(further: np.ndarray, exists: np.ndarray, kernel: Kernel) -> None:
    """Raise ClassesApartError where weights on keys of further classes, (P, R, classes), differ in
    rows that exist."""
    if further.shape[-1] == 0:
        return
    spread = np.ptp(further, axis=-1)
    differ = spread > ALIKE * np.abs(further).max(axis=-1)
    if differ[exists].any():
        raise ClassesApartError(f"{kernel.name}: it tells classes apart that the data does not")


def _equal_where_alike(weights: np.ndarray) -> np.ndarray:
    """Weights (P, R, 4), where that on a key of the own class is set to that on a further class if
    both differ by rounding alone: the query then has no class of its own among them."""
    own = weights[..., OWN]
    rest = weights[..., REST]
    is_alike = np.isclose(own, rest, rtol=ALIKE, atol=0)
    weights[..., OWN] = np.where(is_alike, rest, own)
    return weights
