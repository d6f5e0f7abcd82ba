"""A kernel's weights on tensors, with derivatives: the kernels of `attention.kernels` as they are.

Scores may have either sign: a kernel of scores that are not negative has its `signed` weights.

A formula written for arrays is trained: NumPy asks the arguments of its functions what to do (its
protocols NEP 13 and 18), and an `Array` answers with torch's function of the same meaning.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import elu

from ...attention.kernel import Kernel, KernelInputs
from ...attention.kernels import FEATURE_MAPS
from ..settings.cells import Divided

FLOOR = 1e-3
"""Least size of a mean of weights that is divided by: signed ones may sum to 0."""

EPS = 1e-6

FUSED = {"elu_plus_one": lambda z: elu(z) + 1}
"""Feature maps that torch has in one operation; `FEATURE_MAPS` says the same of them."""

NAMED_OTHERWISE = {"power": "pow", "left_shift": "bitwise_left_shift", "equal": "eq"}
"""Functions that torch has under another name."""

OF_TENSORS = ("maximum", "minimum", "logaddexp", "concatenate")
"""Functions of torch that take no plain numbers."""


class Array(Tensor):
    """A tensor that NumPy's functions and operators take as they take an array."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if method == "__call__":
            return self._call(ufunc.__name__, inputs, more)
        if method == "reduce" and ufunc is np.logaddexp:
            return torch.logsumexp(*inputs, **{"axis": 0} | more)
        return NotImplemented

    def __array_function__(self, function: Callable, types: Any, inputs: Any, more: Any) -> Any:
        return self._call(function.__name__, inputs, more)

    def _call(self, name: str, inputs: Any, more: dict[str, Any]) -> Any:
        """torch's function of NumPy's name; TypeError where it has none, as NumPy's for one
        unknown."""
        found = getattr(torch, NAMED_OTHERWISE.get(name, name), None)
        if found is None:
            return NotImplemented
        return found(*_of_torch(inputs, self, name in OF_TENSORS), **more)


def as_array(tensor: Tensor) -> Array:
    """The same numbers, for functions of NumPy or of torch."""
    return tensor.as_subclass(Array)


def as_tensor(found: Any, like: Tensor) -> Tensor:
    """What such a function gave: an Array, or numbers that do not depend on its argument."""
    if isinstance(found, Tensor):
        return found.as_subclass(Tensor)
    return torch.as_tensor(found, dtype=like.dtype, device=like.device)


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


class Weights:
    """What a kernel multiplies each token by, divided as a map says, for tokens in R^d."""

    def __init__(self, kernel: Kernel | None, divided_by: Divided, d: int):
        self.kernel, self.divided_by, self.d = kernel, divided_by, d

    def of_scores(self, scores: Tensor) -> Tensor:
        """Weights (..., n) for scores (..., n)."""
        seen = KernelInputs(as_array(scores), None, None, np.ones(1), scores.shape[-1], self.d)
        signed = self.kernel.signed
        values = as_tensor((signed or self.kernel.weigh)(seen), scores).expand(scores.shape)
        return self._divided(values, self.kernel.logarithmic and not signed)

    def of_features(self, queries: Tensor, keys: Tensor) -> Tensor:
        """The same for projected queries (..., r) and keys (..., r, n), tokens last."""
        features, n = keys.shape[-2:]
        phi, log_phi = FUSED.get(self.kernel.name), FEATURE_MAPS.get(self.kernel.name)
        if phi is not None:
            of_queries, of_keys = phi(queries), phi(keys)
        elif log_phi is not None:
            of_queries = as_tensor(log_phi(as_array(queries)), queries).exp()
            of_keys = as_tensor(log_phi(as_array(keys.mT)), keys).exp().mT
        else:
            vectors = as_array(queries.unsqueeze(-2)), as_array(keys.mT)
            seen = KernelInputs(None, *vectors, np.ones((1, n)), n, features)
            values = as_tensor(self.kernel.weigh(seen), keys).squeeze(-2)
            return self._divided(values, self.kernel.logarithmic)
        values = (of_queries.unsqueeze(-2) @ of_keys).squeeze(-2)
        return self._divided(values, logarithmic=False)

    def _divided(self, values: Tensor, logarithmic: bool) -> Tensor:
        """Weights, or their logarithms, (..., n) divided by their sum or by n, or as they are."""
        if self.divided_by != "sum":
            weights = values.exp() if logarithmic else values
            return weights / values.shape[-1] if self.divided_by == "n" else weights
        beside = 1.0 if self.kernel.normaliser == "1 + row sum" else 0.0
        if logarithmic:
            total = values.logsumexp(-1, keepdim=True)
            if beside:
                total = torch.logaddexp(total, torch.zeros_like(total))
            return (values - total).exp()
        total = values.sum(-1, keepdim=True) + beside
        least = FLOOR * values.shape[-1]
        floor = torch.full_like(total, least).copysign(total.detach())
        return values / torch.where(total.abs() < least, floor, total)

    def normed(self, output: Tensor) -> Tensor:
        """The output, or its RMSNorm over the third axis, that of dimensions."""
        if self.divided_by != "rms":
            return output
        return output * (output.square().mean(2, keepdim=True) + EPS).rsqrt()
