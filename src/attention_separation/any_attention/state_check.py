"""Whether a kernel that somebody gives is a function: called again, it gives the same weights."""

import numpy as np

from ..attention.distinct_rows import TokenTypes, some_further_classes
from ..attention.kernel import Kernel, KernelInputs
from ..datasets.dataset import Data
from .layers import Layer, token_types

SAME_AGAIN = 1e-6
"""Relative to the largest weight: what is summed in another order differs by less."""


def require_same_again(kernel: Kernel, layer: Layer, data: Data, n: int) -> None:
    """Raise ArithmeticError where a kernel gives other weights of the same tokens when it is called
    again, with others between. Errors of its own are left to what asks it next."""
    inputs_of_d0, inputs_of_d1 = [_inputs(kernel, types) for types in token_types(layer, data, [n])]
    try:
        with np.errstate(all="ignore"):
            first = np.array(kernel.weigh(inputs_of_d0), float)
            kernel.weigh(inputs_of_d1)
            again = np.array(kernel.weigh(inputs_of_d0), float)
    except (ArithmeticError, ValueError):
        return
    exists = np.broadcast_to(inputs_of_d0.multiplicities > 0, first.shape)
    first = first[exists]
    again = again[exists]
    is_number = np.isfinite(first)
    if not is_number.all():
        return
    largest = float(np.abs(first).max(initial=0.0))
    if not (np.abs(again - first) <= SAME_AGAIN * largest).all():
        raise ArithmeticError(
            f"{kernel.name}: called again with the same numbers, it gives other weights: it keeps "
            "a state or is random; allowed: functions, and modules in eval()"
        )


def _inputs(kernel: Kernel, types: TokenTypes) -> KernelInputs:
    """What a kernel may know of these tokens."""
    if kernel.kind != "features":
        return types.inputs()
    further = None
    if kernel.vectors_seen != "every class":
        further = some_further_classes(int(types.classes[0]))
    return types.inputs_in_full(np.array([0]), further)
