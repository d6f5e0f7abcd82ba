"""What weights that are differences are differences of.

A function of a row may subtract: its mean, or a second row. Its weights are then as exact as the
numbers before the subtraction, and not as they themselves are large. How large those numbers were
is found by moving scores a little: a token's weight moves with its own score, whatever its row has
in common that is taken off.

`seen` are a kernel's inputs, `KernelInputs`.
"""

from dataclasses import replace

import numpy as np

from .kernel import Kernel, KernelInputs

STEP = 1e-7
"""How far scores are moved, relative: so that differences of weights are told, and what jumps at a
score counts for no more than it is large over this."""

GROWTH = 1e-7
POINTS = 8
"""And how far, and how often, where rounding is looked for: so little that weights are smooth, and
enough for each to be rounded anew."""


def sizes_before_subtraction(kernel: Kernel, seen: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """About how large the numbers are that the weights (..., R, T) of a kernel of scores, or of
    vectors, are differences of: how far they move, over how far the scores or vectors do. The
    weights' own sizes where the kernel has none of scores that are moved."""
    try:
        if seen.queries is not None:
            moved = kernel.attention_weights(_with_moved_vectors(seen, STEP))
            return np.abs(moved - weights) / STEP
        # One half of the tokens of a key up, and the other half down: what they share stays.
        counts = seen.multiplicities
        scores = np.concatenate([seen.scores * (1 + STEP), seen.scores * (1 - STEP)], axis=-1)
        halves = np.concatenate([counts - counts // 2, counts // 2], axis=-1)
        moved = kernel.attention_weights(replace(seen, scores=scores, multiplicities=halves))
    except ArithmeticError:
        return np.abs(weights)
    weights_up, weights_down = np.split(moved, 2, axis=-1)
    change_up = np.abs(weights_up - weights)
    change_down = np.abs(weights_down - weights)
    change = np.where(counts > 1, np.maximum(change_up, change_down), change_up)
    return change / STEP


def rounding_noise(kernel: Kernel, seen: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """About how much rounding there is in the weights (..., R, T): what is not smooth in them when
    all scores, or vectors, grow a little; 0 where the kernel has no weights of grown ones.

    Of values with independent errors of variance v the third differences have 20 v, and what is
    smooth has next to none (Hamming's difference tables).
    """
    values = [weights]
    try:
        for k in range(1, POINTS):
            factor = 1 + k * GROWTH
            values.append(kernel.attention_weights(_grown(seen, factor)))
    except ArithmeticError:
        return np.zeros_like(weights)
    differences = np.diff(values, n=3, axis=0)
    return np.sqrt((differences**2).mean(axis=0) / 20)


def _grown(inputs: KernelInputs, factor: float) -> KernelInputs:
    """The inputs with vectors, or where there are none the scores, multiplied by a factor."""
    if inputs.queries is None:
        return replace(inputs, scores=inputs.scores * factor)
    queries, keys = inputs.vectors
    return replace(inputs, queries=queries * factor, keys=keys * factor)


def _with_moved_vectors(inputs: KernelInputs, step: float) -> KernelInputs:
    """The inputs with vectors whose coordinates are by turns a little longer and shorter."""
    queries, keys = inputs.vectors
    factors = 1 + step * (-1.0) ** np.arange(queries.shape[-1])
    return replace(inputs, queries=queries * factors, keys=keys * factors[::-1])
