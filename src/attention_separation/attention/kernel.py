"""What an attention kernel is: weights of queries over keys, and what it may know of these."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class KernelInputs:
    """Queries and the keys that they attend to, equal keys once with their multiplicity.

    Attributes
    ----------
    scores : (..., R, T) q . k of R queries and T keys, in closed form: equal where they are equal
    queries, keys : (..., R, C) and (..., T, C) vectors, or None where none have been built; C is d,
        or less where equal coordinates come once
    multiplicities : (..., R, T) how many tokens a key stands for, 0 for a key that does not exist
    n, d : number of tokens and dimension, broadcast against (..., 1, 1)
    coordinate_counts : (..., 1, C) how many equal coordinates each of those of the vectors stands
        for, 0 for one that does not exist; None where each stands for itself
    """

    scores: np.ndarray
    queries: np.ndarray | None
    keys: np.ndarray | None
    multiplicities: np.ndarray
    n: int | np.ndarray
    d: int | np.ndarray
    coordinate_counts: np.ndarray | None = None

    @property
    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Queries and keys where they have been built, as for every kernel of features."""
        assert self.queries is not None
        assert self.keys is not None
        return self.queries, self.keys

    @property
    def log_n(self) -> np.ndarray:
        return np.log(self.n)

    @property
    def log_coordinate_counts(self) -> np.ndarray | float:
        """The logarithms of `coordinate_counts`, (..., 1, C); 0 where each stands for itself."""
        if self.coordinate_counts is None:
            return 0.0
        with np.errstate(divide="ignore"):
            return np.log(self.coordinate_counts)

    def squared_lengths(self, vectors: np.ndarray) -> np.ndarray:
        """The squared length of each vector (..., C), over all d coordinates: (...)."""
        squares = vectors**2
        if self.coordinate_counts is not None:
            squares = self.coordinate_counts * squares
        return squares.sum(axis=-1)

    def log_key_sums(self) -> np.ndarray:
        """log sum e^k over all n tokens, in each coordinate, (..., 1, C). The multiplicities of the
        first query are taken for all."""
        counts = self.multiplicities[..., 0, :, None]
        _, keys = self.vectors
        with np.errstate(divide="ignore"):
            return np.logaddexp.reduce(keys + np.log(counts), axis=-2, keepdims=True)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """The largest value of each row, (..., R, 1), of values (..., R, T), over keys that
        exist."""
        return np.where(self.multiplicities > 0, values, -np.inf).max(axis=-1, keepdims=True)


Kind = Literal["score", "row", "features"]
"""What of its tokens a kernel needs: one score at a time (with n and d); a whole row of scores with
multiplicities; or vectors of queries and keys."""

Normaliser = Literal["row sum", "1 + row sum", "none"]
"""What a row of weights is divided by; the sum is over all tokens."""

VectorsSeen = Literal["every class", "few classes", "orbits"]
"""The vectors that a kernel of vectors has to be shown of tokens in many classes.

"every class": a key of each class, in all d coordinates. "few classes": keys of some classes, in
all d coordinates, where the weight of a key depends on it and the query alone. "orbits": a key of
one further class, and equal coordinates once, where the kernel heeds `coordinate_counts`."""

SEEN = {"score": ("x",), "row": ("a whole row",), "features": ("q", "k")}
"""What a weight depends on, by kind, before its row is divided."""


MOST_PRODUCTS = 1 << 22
"""Of features of queries and keys, at one time."""


def over_features(
    product_sum: Callable[[np.ndarray, np.ndarray], np.ndarray],
    of_queries: np.ndarray,
    of_keys: np.ndarray,
) -> np.ndarray:
    """The inner products, (..., R, T), of features of queries (..., R, F) and of keys (..., T, F).
    `product_sum` computes them for some queries at a time: for few where all products would be
    many."""
    queries = of_queries.shape[-2]
    step = max(MOST_PRODUCTS // math.prod(of_keys.shape), 1)
    if queries <= step:
        return product_sum(of_queries, of_keys)
    parts = []
    for start in range(0, queries, step):
        parts.append(product_sum(of_queries[..., start : start + step, :], of_keys))
    return np.concatenate(parts, axis=-2)


LEAST_SUM = 1e-290
"""Weights of a smaller sum have lost digits: float64's smallest whole ones are 2e-308."""


VANISHING = 1e-300
"""Stands for weights that float64 has not, so that they are not taken for 0."""


def not_quite_0(weights: np.ndarray, is_positive: np.ndarray) -> np.ndarray:
    """The weights of a row whose largest is about 1, where those that are above 0, even if float64
    has them as 0, are at least VANISHING."""
    return np.where(is_positive, np.maximum(weights, VANISHING), weights)


class RowSumError(ArithmeticError):
    """A row of weights that is to be divided has no positive sum."""


class TinyRowSumError(RowSumError):
    """The sum is above 0, and too small for float64's digits."""


class ClassesApartError(ArithmeticError):
    """A kernel tells tokens apart that the data does not: then rows are not few."""


class RoundingAloneError(ArithmeticError):
    """Weights that are to be equal are so small beside what they are differences of that nothing
    but rounding tells them from each other."""


class NotElementwiseError(ArithmeticError):
    """A map that is said to be element-wise gives other weights of whole vectors."""


@dataclass(frozen=True)
class Kernel:
    """One attention kernel.

    Attributes
    ----------
    name : as in configurations, tables, the API and on the command line
    symbol : its formula in text
    kind : see `Kind`
    weigh : KernelInputs -> (..., R, T) weights, or their logarithms if `logarithmic`; a row that is
        divided may come multiplied by any number
    normaliser : see `Normaliser`
    also : what else a weight depends on: "n", "d", "all keys"
    source : where the formula is from
    signed : the weights, no logarithms, of scores of either sign, where `weigh` has none
    row_sum : what its rows sum to, where they are not divided by it and it is known
    of_rows : what is made at last of rows of weights (..., R, T), with how many tokens each weight
        stands for; None where they stay
    vectors_seen : see `VectorsSeen`
    may_subtract : of kernels of rows, whether weights may be differences of larger numbers, whose
        rounding is theirs
    is_formula : whether `weigh` evaluates a formula, at each score or coordinate by itself
    steps_of : numbers of tokens (P,) and d -> (P, F), what of its formula goes in steps of n; None
        where that is not known, or nothing does
    """

    name: str
    symbol: str
    kind: Kind
    weigh: Callable[[KernelInputs], np.ndarray]
    logarithmic: bool = False
    normaliser: Normaliser = "row sum"
    also: tuple[str, ...] = ()
    source: str = ""
    signed: Callable[[KernelInputs], np.ndarray] | None = None
    row_sum: float | np.ndarray | None = None
    of_rows: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    vectors_seen: VectorsSeen = "every class"
    may_subtract: bool = False
    is_formula: bool = False
    steps_of: Callable[[np.ndarray, int], np.ndarray] | None = None

    @property
    def normalised(self) -> bool:
        """Whether every row sums to 1."""
        return self.normaliser == "row sum" and self.of_rows is None

    @property
    def sees(self) -> str:
        """What a weight depends on before its row is divided, in words: "x and n"."""
        *others, last = SEEN[self.kind] + self.also
        if not others:
            return last
        return f"{', '.join(others)} and {last}"

    def attention_weights(self, seen: KernelInputs) -> np.ndarray:
        """The weight of one token of each key, (..., R, T); 0 for keys that do not exist.
        ArithmeticError if a weight is no finite number, OverflowError if it or a row's sum is
        infinite, RowSumError if a row that is to be divided has no positive sum."""
        weights = self._normalised_weights(seen)
        if self.of_rows is None:
            return weights
        return self.of_rows(weights, seen.multiplicities)

    def _normalised_weights(self, inputs: KernelInputs) -> np.ndarray:
        """The weights divided by their normaliser, (..., R, T); errors as of
        `attention_weights`."""
        weights = self.weigh(inputs)
        exists = inputs.multiplicities > 0
        shift: np.ndarray | float = 0.0
        if self.logarithmic:
            shift = self._shift(inputs, weights)
            # The weight of a key that does not exist might overflow.
            logs = np.where(exists, weights - shift, -np.inf)
            weights = not_quite_0(np.exp(logs), ~np.isneginf(logs))
        weights = np.where(exists, weights, 0.0)
        if np.isnan(weights).any():
            raise ArithmeticError(f"{self.name}: a weight is no finite number")
        if np.isinf(weights).any():
            raise OverflowError(f"{self.name}: a weight is no finite number")
        if self.normaliser == "none":
            return weights
        with np.errstate(over="ignore"):
            sums = (weights * inputs.multiplicities).sum(axis=-1, keepdims=True)
        is_finite = np.isfinite(sums)
        if not is_finite.all():
            infinite = float(sums[~is_finite][0])
            largest = float(np.abs(weights).max())
            raise OverflowError(
                f"{self.name}: a row's sum is {infinite}, of weights up to {largest:g}; "
                "allowed: finite sums"
            )
        if self.normaliser == "1 + row sum":
            sums = np.exp(-shift) + sums
        if not (sums > LEAST_SUM).all():
            least = float(sums.min())
            text = f"{self.name}: a row of weights sums to {least:g}; allowed: sums >"
            if least <= 0:
                raise RowSumError(f"{text} 0")
            raise TinyRowSumError(f"{text} {LEAST_SUM:g}, for float64's digits")
        return weights / sums

    def _shift(self, inputs: KernelInputs, logs: np.ndarray) -> np.ndarray | float:
        """What is taken off the logarithms of each row that is divided, (..., R, 1), so that none
        overflows."""
        if self.normaliser == "none":
            return 0.0
        largest = inputs.largest(logs)
        if self.normaliser == "1 + row sum":
            # The 1 beside the sum is a weight of logarithm 0.
            return np.maximum(largest, 0.0)
        return largest
