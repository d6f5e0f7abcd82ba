"""What weights that are differences are differences of.

A function of a row may subtract: its mean, or a second row. Its weights are then as exact as the
numbers before the subtraction, and not as they themselves are large. How large those numbers were
is found by moving scores a little: a token's weight moves with its own score, whatever its row has
in common that is taken off.
"""

from dataclasses import replace

import numpy as np

from .kernel import Kernel, KernelInputs

STEP = 1e-7
"""How far scores are moved, relative: so that differences of weights are told, and what jumps at a
score counts for no more than it is large over this."""

GROWTH, POINTS = 1e-7, 8
"""And how far, and how often, where rounding is looked for: so little that weights are smooth, and
enough for each to be rounded anew."""


def sizes_before_subtraction(kernel: Kernel, seen: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """About how large the numbers are that the weights (..., R, T) of a kernel of scores, or of
    vectors, are differences of: how far they move, over how far the scores or vectors do. The
    weights' own sizes where the kernel has none of scores that are moved."""
    try:
        if seen.queries is not None:
            return np.abs(kernel.attention_weights(_moved_vectors(seen, STEP)) - weights) / STEP
        # One half of the tokens of a key up, and the other half down: what they share stays.
        counts = seen.multiplicities
        scores = np.concatenate([seen.scores * (1 + STEP), seen.scores * (1 - STEP)], axis=-1)
        halves = np.concatenate([counts - counts // 2, counts // 2], axis=-1)
        moved = kernel.attention_weights(replace(seen, scores=scores, multiplicities=halves))
    except ArithmeticError:
        return np.abs(weights)
    up, down = np.split(moved, 2, axis=-1)
    of_both = np.maximum(np.abs(up - weights), np.abs(down - weights))
    return np.where(counts > 1, of_both, np.abs(up - weights)) / STEP


def rounding_noise(kernel: Kernel, seen: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """About how much rounding there is in the weights (..., R, T): what is not smooth in them when
    all scores, or vectors, grow a little; 0 where the kernel has none of such.

    Of values with independent errors of variance v the third differences have 20 v, and what is
    smooth has next to none (Hamming's difference tables).
    """
    values = [weights]
    try:
        for k in range(1, POINTS):
            factor = 1 + k * GROWTH
            if seen.queries is None:
                grown = replace(seen, scores=seen.scores * factor)
            else:
                grown = replace(seen, queries=seen.queries * factor, keys=seen.keys * factor)
            values.append(kernel.attention_weights(grown))
    except ArithmeticError:
        return np.zeros_like(weights)
    differences = np.diff(values, n=3, axis=0)
    return np.sqrt((differences**2).mean(axis=0) / 20)


def _moved_vectors(seen: KernelInputs, step: float) -> KernelInputs:
    factors = _alternating(seen.queries.shape[-1], step)
    return replace(seen, queries=seen.queries * factors, keys=seen.keys * factors[::-1])


def _alternating(count: int, step: float) -> np.ndarray:
    """Factors that are alternately above and below 1."""
    return 1 + step * (-1.0) ** np.arange(count)
