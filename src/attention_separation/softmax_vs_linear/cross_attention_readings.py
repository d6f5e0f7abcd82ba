"""Other readings of Definition F.1: what stands in A1 and A2, and the distinct rows that follow.

All have the form of `cross_attention.tokens`: A1 with one special entry in its first column and
equal entries in the others; A2 with a one-sparse first column and stacked identities; A3 = A2, V
and X the identity. They differ in the four sizes of these entries.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_separation.softmax_vs_linear.attention import Kernel
from attention_separation.softmax_vs_linear.cross_attention import check
from attention_separation.softmax_vs_linear.distinct import DistinctRows, TokenClasses, attend
from attention_separation.softmax_vs_linear.point import Point


class Entries(NamedTuple):
    """Sizes of the entries of A1 and A2."""

    special_query: float  # A1, first column, at j2
    common: float  # A1, every other column
    special_key: float  # A2, first column, at j3
    block: float  # A2, the stacked identities


@dataclass(frozen=True)
class Reading:
    """A reading of Definition F.1: `entries` gives the sizes from a and s = sqrt(log n)."""

    entries: Callable[[float, float], Entries]

    def tokens(self, n: int, d: int, a: float, j2: int, j3: int) -> tuple[np.ndarray, np.ndarray]:
        """A1 and A2, each (n, d)."""
        check(n, d)
        sizes = self.entries(a, math.sqrt(math.log(n)))
        a1 = np.full((n, d), sizes.common)
        a1[:, 0] = 0.0
        a1[j2, 0] = sizes.special_query
        a2 = np.zeros((n, d))
        a2[j3, 0] = sizes.special_key
        a2[:, 1:] = sizes.block * np.tile(np.eye(d - 1), (n // (d - 1), 1))
        return a1, a2

    def rows(self, point: Point, dataset: int, kernel: Kernel) -> DistinctRows:
        """The distinct rows of a network: that of j2, and one for all others."""
        check(point.n, point.d)
        classes = TokenClasses(count=point.d - 1, tokens_each=point.n // (point.d - 1))
        sizes = self.entries(point.a(dataset), point.s)
        common = sizes.common * sizes.block
        special = common + sizes.special_query * sizes.special_key
        weights = kernel(np.array([[special, *[common] * 3], [common] * 4]))
        return attend(weights, classes, first=sizes.special_key, block=sizes.block, last=None)


TAKEN = Reading(lambda a, s: Entries(a * s, s, s, s))
"""The reading that `cross_attention` takes."""

IN_A1_ALONE = Reading(lambda a, s: Entries(a * s * s, s * s, 1.0, 1.0))
"""All factors sqrt(log n) in A1, and A2 of zeros and ones: c is smaller by 1/s."""

IN_BOTH = Reading(lambda a, s: Entries(a * s, s, a * s, s))
"""a in A1 and in A2: the special score has a^2, and the special token's value has a."""


def common_score(v: float) -> Reading:
    """The reading whose ordinary scores are v log n: the other columns of A1 hold v s."""
    return Reading(lambda a, s: Entries(a * s, v * s, s, s))
