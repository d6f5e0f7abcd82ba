"""Sign columns, alike and apart from each other: the states of one, and the chance of some in m.

A state is the bits of the first, last and marked coordinates and the number of pluses among the
other classes, as `columns.largest_scores` indexes them.
"""

import numpy as np

from .fair_coins import heads

States = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What each of S states of a column is worth to D0 and D1, (..., S), and its probability, (S,)."""

NEARLY_ONE = np.nextafter(1.0, 0.0)


def none_of(q, m):
    """Probability that none of m columns is one of them: (1 - q)^m.

    At most 1 however the q were rounded, and exact to their rounding for large m.
    """
    return np.exp(m * np.log1p(-np.minimum(q, NEARLY_ONE)))


def same_class(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark the same class.

    d0, d1 : (..., 2, E, 2, K), what each state of a column is worth to either dataset, as
    `largest_scores` indexes them.
    """
    return _weighted([(d0, d1)])


def different_classes(d0: np.ndarray, d1: np.ndarray) -> States:
    """The same where they mark two classes: each counts the other's among the unmarked."""
    unmarked = d0.shape[-1] - 1
    return _weighted(
        [
            (
                d0[..., own0, own1 : unmarked + own1],
                d1[..., own1, own0 : unmarked + own0],
            )
            for own0 in (0, 1)
            for own1 in (0, 1)
        ]
    )


def _weighted(parts: list[tuple[np.ndarray, np.ndarray]]) -> States:
    """States whose last axis counts heads of fair coins, and whose others are fair bits."""
    lead = parts[0][0].shape[: parts[0][0].ndim - (4 if len(parts) == 1 else 3)]
    d0, d1 = (
        np.concatenate([part[k].reshape(*lead, -1) for part in parts], axis=-1) for k in (0, 1)
    )
    coins = heads(parts[0][0].shape[-1] - 1)
    bits = d0.shape[-1] // len(coins)
    return d0, d1, np.tile(coins / bits, bits)
