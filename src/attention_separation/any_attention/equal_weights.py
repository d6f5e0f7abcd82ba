"""How far weights that should be equal may differ."""

import numpy as np

from ..attention.kernel import Kernel, KernelInputs
from ..attention.subtraction import rounding_noise, sizes_before_subtraction

SAME_WEIGHTS = 1e-9
"""Relative to themselves."""

ROUNDING_OF_SUMS = 1e-13
"""And relative to the row's sum, all tokens of a type together; or to the numbers that weights are
differences of."""

LARGEST_GAP_IN_ROUNDINGS = 30
"""Times the rounding in weights that gaps between two of them may be."""


def gaps_by_rounding(kernel: Kernel, inputs: KernelInputs, weights: np.ndarray) -> np.ndarray:
    """How far apart rounding alone may set each of the weights and one that is to be equal."""
    before = sizes_before_subtraction(kernel, inputs, weights)
    return np.maximum(
        ROUNDING_OF_SUMS * before,
        LARGEST_GAP_IN_ROUNDINGS * rounding_noise(kernel, inputs, weights),
    )
