"""Cross-attention: the datasets of Definition F.1 (reconstructed), and other readings of it.

All readings have A1 with one special entry in its first column and equal entries in the others, and
A2 with a one-sparse first column and stacked identities; A3 = A2, V and X the identity. They differ
in the four sizes of these entries.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..attention.distinct_rows import FIRST, ORBITS, OTHER, SPECIAL, TokenTypes
from .dataset import Dataset, Sizes, count_coordinates, key_vectors


class Entries(NamedTuple):
    """Sizes of the entries of A1 and A2: numbers, or arrays over points."""

    special_query: float | np.ndarray  # A1, first column, at j2
    common: float | np.ndarray  # A1, every other column
    special_key: float | np.ndarray  # A2, first column, at j3
    block: float | np.ndarray  # A2, the stacked identities


Reading = Callable[[float | np.ndarray, float | np.ndarray], Entries]
"""The sizes of the entries, from a and s = sqrt(log n)."""


def taken(a: float | np.ndarray, s: float | np.ndarray) -> Entries:
    """The sizes of the entries in the reading that is taken here: a s of the special query, and s
    of all else."""
    return Entries(a * s, s, s, s)


def tokens(
    n: int, d: int, a: float, j2: int, j3: int, reading: Reading = taken
) -> tuple[np.ndarray, np.ndarray]:
    """The matrices A1 and A2 of Definition F.1, each (n, d); A3 = A2, and a = a0 in D0, a = a1 in
    D1. ValueError unless n = (d-1) t for a positive integer t, d >= 2 and log n > 0."""
    CROSS_ATTENTION.check(n, d)
    sizes = reading(a, math.sqrt(math.log(n)))
    a1 = np.full((n, d), sizes.common)
    a1[:, 0] = 0.0
    a1[j2, 0] = sizes.special_query
    a2 = np.zeros((n, d))
    a2[j3, 0] = sizes.special_key
    a2[:, 1:] = sizes.block * np.tile(np.eye(d - 1), (n // (d - 1), 1))
    return a1, a2


def literal(
    reading: Reading, sizes: Sizes, dataset: int, places: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The matrices A1, A2, A3, Q and K of D0 or D1; places : the indices j2 and j3 of the special
    query and key, (2,)."""
    j2, j3 = np.asarray(places).tolist()
    a1, a2 = tokens(sizes.n, sizes.d, sizes.a(dataset), j2=j2, j3=j3, reading=reading)
    identity = np.eye(sizes.d)
    return a1, a2, a2, identity, identity


def token_types(reading: Reading, points: Sequence[Sizes], dataset: int) -> TokenTypes:
    """The token types of D0 or D1 at P points. Queries have two types, the special one and all
    others: no query depends on a class."""
    d = np.array([point.d for point in points])
    classes = CROSS_ATTENTION.classes(d)
    s = np.array([point.s for point in points])
    entries = reading(np.array([point.a(dataset) for point in points]), s)
    special_query = entries.special_query * np.ones_like(s)
    special_key = entries.special_key * np.ones_like(s)
    common = entries.common * np.ones_like(s)
    block = entries.block * np.ones_like(s)

    ordinary = common * block
    special = ordinary + special_query * special_key
    scores = [[special, ordinary, ordinary, ordinary], [ordinary] * 4]

    queries = np.repeat(common, 2 * ORBITS).reshape(-1, 2, ORBITS)
    queries[:, SPECIAL, FIRST] = special_query
    queries[:, OTHER, FIRST] = 0.0

    return TokenTypes(
        n=np.array([point.n for point in points]),
        d=d,
        classes=classes,
        scores=np.moveaxis(np.array(scores), -1, 0),
        exists=np.ones((len(points), 2), dtype=bool),
        first=special_key,
        block=block,
        last=None,
        queries=queries,
        keys=key_vectors(first=special_key, block=block, last=0.0, classes=classes),
        coordinate_counts=count_coordinates(classes, last=0),
    )


CROSS_ATTENTION = Dataset(
    name="cross_attention",
    definition="Definition F.1",
    other_columns=1,
    special_tokens=2,
    types=partial(token_types, taken),
    literal=partial(literal, taken),
)
