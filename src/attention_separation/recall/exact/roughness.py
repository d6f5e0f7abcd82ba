"""How rough weights are over the cosine: where they jump, and how many nodes they need."""

from dataclasses import dataclass

import numpy as np

from ...attention.kernel import Kernel
from .sphere import EVEN, Cosines, cosines, even_cosines
from .weights import weights_of_scores

MOST_JUMPS = 500

JUMP_STEEPNESS = 10.0
"""Times the step to the next angle on either side that a jump is."""

LEAST_JUMP = 1e-9
"""Of the weights beside it: below is rounding."""

JUMP_HALVINGS = 50

CLOSE_WITHOUT_JUMPS = 1e-5
"""Relative difference of means from which on a rule is too coarse; of kernels that jump, from
CLOSE_WITH_JUMPS on: there the rule that it is compared to is rough."""

CLOSE_WITH_JUMPS = 1e-3

LEAST_MEAN = 1e-200
"""Of squares over the largest, below which they are no numbers to compare."""

NODES_TRIED = (64, 128, 256, 512, 1024, 2000)


@dataclass(frozen=True)
class Roughness:
    """How a kernel's weights run over the cosine, between its jumps.

    Attributes
    ----------
    jumps : angles at which a weight jumps
    nodes : of a rule that has the weights' means
    mismatch : how far these are from those of another rule, relative; 0 where they are close
    """

    jumps: tuple[float, ...]
    nodes: int
    mismatch: float


def roughness(kernel: Kernel, d: int, tokens: int) -> Roughness:
    """How rough a kernel's weights are for so many tokens: their jumps, and the nodes that resolve
    them; ValueError as of `weights_of_scores`."""
    jumps = _jumps(kernel, d, tokens)
    close = CLOSE_WITH_JUMPS if jumps else CLOSE_WITHOUT_JUMPS
    mismatch = np.inf
    for nodes in NODES_TRIED:
        mismatch = _mismatch(kernel, d, tokens, cosines(d, nodes, jumps))
        if mismatch < close:
            return Roughness(jumps, nodes, 0.0)
    return Roughness(jumps, NODES_TRIED[-1], mismatch)


def _mismatch(kernel: Kernel, d: int, tokens: int, rule: Cosines) -> float:
    """The relative distance of E |h| and E h^2, by a rule, from those by even angles; the larger of
    both."""
    even = even_cosines(d)
    # Together, for weights of two calls need not have one scale.
    scores = d * np.concatenate([even.values, rule.values])
    sizes = np.abs(weights_of_scores(kernel, scores, tokens, d))
    sizes /= sizes.max() or 1.0
    wanted = _means(sizes[:EVEN], even.shares)
    means = _means(sizes[EVEN:], rule.shares)
    units = np.where(wanted > LEAST_MEAN, wanted, 1.0)
    return float(np.max(np.abs(means - wanted) / units))


def _means(sizes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The means of the sizes and of their squares, (2,), each size with its share."""
    return np.array([shares @ sizes, shares @ np.square(sizes)])


def _jumps(kernel: Kernel, d: int, tokens: int) -> tuple[float, ...]:
    """The angles at which a kernel's weights jump; none where they are too many."""
    even = even_cosines(d)
    weights = weights_of_scores(kernel, d * even.values, tokens, d)
    steps = np.abs(np.diff(weights))
    steps_beside = np.maximum(np.append(steps[1:], 0.0), np.append(0.0, steps[:-1]))
    least = LEAST_JUMP * np.maximum(np.abs(weights[1:]), np.abs(weights[:-1]))
    places = np.flatnonzero((steps > JUMP_STEEPNESS * steps_beside) & (steps > least))
    if len(places) == 0 or len(places) > MOST_JUMPS:
        return ()
    angles = np.arccos(even.values)
    left = angles[places]
    right = angles[places + 1]
    for _ in range(JUMP_HALVINGS):
        middle = (left + right) / 2
        scores = d * np.cos(np.concatenate([left, middle, right]))
        weights_left, weights_middle, weights_right = np.split(
            weights_of_scores(kernel, scores, tokens, d), 3
        )
        is_jump_right = np.abs(weights_middle - weights_left) < np.abs(
            weights_middle - weights_right
        )
        left = np.where(is_jump_right, middle, left)
        right = np.where(is_jump_right, right, middle)
    return tuple(float(angle) for angle in (left + right) / 2)
