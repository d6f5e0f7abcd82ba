"""The head of full rank that section 7 says is learned: softmax(-c x_i.x_j), on its own task."""

from collections.abc import Sequence

import numpy as np

from attention_separation.statistics.seeding import stream

from .distributions import unit_vectors
from .heads import softmax
from .targets import farthest, squared_error

SETS = 16_384
"""Sets that an error is the mean over: its standard error is about 0.001."""

BLOCK = 1024
"""Sets per stream. Fixed: fewer sets are the first of more."""


def opposite_head(x: np.ndarray, c: float) -> np.ndarray:
    """sum_j w_j x_j for every x_i, w = softmax(-c x_i.x_j) over all j, i too; X (..., d, N)."""
    return x @ softmax(-c * (np.swapaxes(x, -1, -2) @ x))


def simulated_errors(
    d: int, n: int, temperatures: Sequence[float], seed: int, sets: int = SETS
) -> list[tuple[float, float]]:
    """Mean and standard error of the head's error on the farthest point, for each c.

    Sets are uniform on the sphere, the same for every c; the error of a set is the mean over its
    points.
    """
    parts = []
    for block, start in enumerate(range(0, sets, BLOCK)):
        rng = stream(seed, "head_rank", "opposite-head", f"d={d},n={n}", f"block={block}")
        # A block is drawn whole, so that a shorter last one is the first of it.
        x = np.swapaxes(unit_vectors(rng, BLOCK, n, d), -1, -2)[: sets - start]
        target = farthest(x)
        columns = [(np.swapaxes(target, -1, -2), np.swapaxes(opposite_head(x, c), -1, -2))
                   for c in temperatures]  # fmt: skip
        parts.append([squared_error(*pair).mean(axis=-1) for pair in columns])
    errors = [np.concatenate(own) for own in zip(*parts, strict=True)]
    return [(float(e.mean()), float(e.std(ddof=1) / np.sqrt(len(e)))) for e in errors]
