"""NumPy's functions on torch's tensors, with derivatives: a formula written for arrays is trained.

NumPy asks the arguments of its functions what to do (its protocols NEP 13 and 18): an `Array`
answers with torch's function of the same meaning.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

NAMED_OTHERWISE = {
    "power": "pow", "left_shift": "bitwise_left_shift", "true_divide": "divide",
    "concatenate": "cat", "equal": "eq", "not_equal": "ne",
}  # fmt: skip
"""Functions that torch has under another name."""

OF_TENSORS = ("maximum", "minimum", "logaddexp")
"""Functions of torch that take no plain numbers."""


class Array(Tensor):
    """A tensor that NumPy's functions and operators take as they take an array."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if method == "__call__":
            return _call(ufunc.__name__, inputs, more)
        if method == "reduce" and ufunc is np.logaddexp:
            axis, keep = more.pop("axis", 0), more.pop("keepdims", False)
            return NotImplemented if more else torch.logsumexp(*inputs, axis, keepdim=keep)
        return NotImplemented

    def __array_function__(self, function: Callable, types: Any, inputs: Any, more: Any) -> Any:
        return _call(function.__name__, inputs, more)


def as_array(tensor: Tensor) -> Array:
    """The same numbers, for functions of NumPy or of torch."""
    return tensor.as_subclass(Array)


def as_tensor(found: Any, like: Tensor) -> Tensor:
    """What such a function gave: an Array, or numbers that do not depend on its argument."""
    if isinstance(found, Tensor):
        return found.as_subclass(Tensor)
    return torch.as_tensor(found, dtype=like.dtype, device=like.device)


def _call(name: str, inputs: Any, more: dict[str, Any]) -> Any:
    """torch's function of NumPy's name; TypeError where it has none, as NumPy's for one unknown."""
    found = getattr(torch, NAMED_OTHERWISE.get(name, name), None)
    if found is None:
        return NotImplemented
    like = next(each for each in _flat(inputs) if isinstance(each, Array))
    everything = name in OF_TENSORS or name == "concatenate"
    more = {{"axis": "dim", "keepdims": "keepdim"}.get(key, key): of for key, of in more.items()}
    return found(*_of_torch(inputs, like, everything), **more)


def _flat(inputs: Any) -> list[Any]:
    if not isinstance(inputs, list | tuple):
        return [inputs]
    return [each for inner in inputs for each in _flat(inner)]


def _of_torch(inputs: Any, like: Tensor, everything: bool) -> Any:
    """NumPy's arrays among the inputs as tensors, its numbers as Python's or, where `everything` is
    to be one, as tensors."""
    if isinstance(inputs, list | tuple):
        return type(inputs)(_of_torch(each, like, everything) for each in inputs)
    if isinstance(inputs, Tensor):
        return inputs
    if isinstance(inputs, np.ndarray) or everything:
        dtype = torch.bool if np.asarray(inputs).dtype == bool else like.dtype
        return torch.as_tensor(inputs, dtype=dtype, device=like.device)
    return inputs.item() if isinstance(inputs, np.generic) else inputs
