"""Distinct rows of attention whose numbers have 16 bits: tokens of a type are rounded alike.

Sums over tokens are taken as exact and are rounded once: float32 sums of n terms differ by less
than a spacing of 16-bit numbers.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .distinct_rows import Rows, TokenTypes, distinct_rows
from .kernel import Kernel


class Format(NamedTuple):
    """A binary format: digits of a significand, and the exponent of the least normal number."""

    digits: int
    least: int


FP32, BF16, FP16 = Format(24, -126), Format(8, -126), Format(11, -14)


def rounded(x: np.ndarray, to: Format) -> np.ndarray:
    """The nearest numbers of a format, ties to even; subnormal below its least normal number, inf
    beyond its largest number."""
    unit = np.maximum(np.frexp(x)[1], to.least + 1) - to.digits
    found = np.ldexp(np.rint(np.ldexp(x, -unit)), unit)
    return np.where(np.abs(found) >= 2.0 ** (2 - to.least), np.copysign(np.inf, found), found)


class Scheme(NamedTuple):
    """What is rounded. Tokens and outputs always are. `eager` stores all between in 16 bits too;
    else scores and sums have float32, and weights 16 bits where they meet the values, as in fused
    attention."""

    name: str
    format: Format
    eager: bool

    def stored(self, x: np.ndarray) -> np.ndarray:
        """As 16 bits, of a float32."""
        return rounded(rounded(x, FP32), self.format)


SCHEMES = (
    Scheme("flash_bf16", BF16, False),
    Scheme("eager_bf16", BF16, True),
    Scheme("flash_fp16", FP16, False),
    Scheme("eager_fp16", FP16, True),
)

COORDINATES = ("first", "marked", "own", "rest", "last")


def rounded_rows(types: TokenTypes, kernel: Kernel, scheme: Scheme) -> Rows:
    """The rows of a kernel that is divided by its row's sum, on tokens and unrounded scores of
    rounded queries and keys."""
    scores = scheme.stored(types.scores) if scheme.eager else rounded(types.scores, FP32)
    types = replace(types, scores=scores)
    seen = types.seen()
    weights, total = kernel.attention_weights(seen), np.ones(types.exists.shape)
    if not scheme.eager:
        weights = rounded(weights / seen.largest(weights), FP32)
        total = rounded((weights * seen.multiplicities).sum(axis=-1), FP32)
        total = np.where(types.exists, total, total[:, :1])
    stored = Kernel(kernel.name, "", "row", lambda _: scheme.stored(weights), normaliser="none")
    sums = distinct_rows(types, stored)
    return _each(lambda of: scheme.stored(rounded(of, FP32) / total), sums)


def rounded_difference(rows: Rows, part: float, mean: Rows, scheme: Scheme) -> Rows:
    """Rows less a part of the mean's, rounded again."""
    return _each(lambda of, less: scheme.stored(of - part * less), rows, mean)


def _each(function, rows: Rows, *more: Rows) -> Rows:
    """Rows with another number in each coordinate that they have."""
    of = [name for name in COORDINATES if getattr(rows, name) is not None]
    found = {name: function(*(getattr(each, name) for each in (rows, *more))) for name in of}
    return replace(rows, **found)
