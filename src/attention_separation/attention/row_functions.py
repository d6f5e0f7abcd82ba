"""Kernels that are functions of a whole row of scores: keys count by their multiplicities."""

from collections.abc import Callable

import numpy as np

from .seen import Seen

TIE = 1e-12
"""Scores closer than this times log n are the same score, summed in another order."""

BISECTIONS = 80


def hardmax(seen: Seen) -> np.ndarray:
    """1 for every key of the largest score."""
    return (seen.scores >= seen.largest(seen.scores) - TIE * seen.log_n).astype(float)


def sparsemax(seen: Seen) -> np.ndarray:
    """Projection of a row on the simplex: max(x - tau, 0), with sum 1 over all tokens."""
    shifted = seen.scores - seen.largest(seen.scores)
    counts = seen.multiplicities
    order = np.argsort(-np.where(counts > 0, shifted, -np.inf), axis=-1)
    ordered, of = (np.take_along_axis(values, order, axis=-1) for values in (shifted, counts))
    of = of.astype(float)
    sizes, sums = np.cumsum(of, axis=-1), np.cumsum(of * ordered, axis=-1)
    kept = (1 + sizes * ordered > sums) & (of > 0)
    last = kept.shape[-1] - 1 - np.argmax(kept[..., ::-1], axis=-1)[..., None]
    size, total = (np.take_along_axis(values, last, axis=-1) for values in (sizes, sums))
    weights = np.maximum(shifted - (total - 1) / size, 0.0)
    # Of many small weights tau's last digit is much: what their sum misses is shared by them.
    missing = (1 - (weights * counts).sum(axis=-1, keepdims=True)) / size
    return np.where(weights > 0, weights + missing, 0.0)


def entmax(alpha: float) -> Callable[[Seen], np.ndarray]:
    """alpha-entmax: max((alpha - 1) x - tau, 0)^(1 / (alpha - 1)), with sum 1 over all tokens; tau
    by bisection."""
    power = 1 / (alpha - 1)

    def weigh(seen: Seen) -> np.ndarray:
        shifted = (seen.scores - seen.largest(seen.scores)) * (alpha - 1)
        # With the largest score at 0 its weight alone is 1 at tau = -1, and nothing is left at 0.
        low = -np.ones((*shifted.shape[:-1], 1))
        high = np.zeros_like(low)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            weights = np.maximum(shifted - middle, 0.0) ** power
            total = (weights * seen.multiplicities).sum(axis=-1, keepdims=True)
            low, high = np.where(total >= 1, middle, low), np.where(total >= 1, high, middle)
        return np.maximum(shifted - low, 0.0) ** power

    return weigh
