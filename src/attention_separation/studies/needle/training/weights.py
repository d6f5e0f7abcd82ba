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

from ....attention.kernel import Kernel, KernelInputs
from ....attention.kernels import FEATURE_MAPS
from ..settings.cells import Divided

FLOOR = 1e-3
"""Least size of a mean of weights that is divided by: signed ones may sum to 0."""

RMS_NORM_EPSILON = 1e-6

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

    def __array_function__(
        self, function: Callable[..., Any], types: Any, inputs: Any, more: Any
    ) -> Any:
        return self._call(function.__name__, inputs, more)

    def _call(self, name: str, inputs: Any, more: dict[str, Any]) -> Any:
        """torch's function of NumPy's name; TypeError where it has none, as NumPy's for one
        unknown."""
        function = getattr(torch, NAMED_OTHERWISE.get(name, name), None)
        if function is None:
            return NotImplemented
        arguments = _of_torch(inputs, like=self, takes_tensors_alone=name in OF_TENSORS)
        return function(*arguments, **more)


def as_array(tensor: Tensor) -> Array:
    """The same numbers, for functions of NumPy or of torch."""
    return tensor.as_subclass(Array)


def as_tensor(values: Any, like: Tensor) -> Tensor:
    """The result of a function of NumPy as a plain tensor, with the type and device of `like`: an
    `Array`, or numbers that do not depend on its argument."""
    if isinstance(values, Tensor):
        return values.as_subclass(Tensor)
    return torch.as_tensor(values, dtype=like.dtype, device=like.device)


def _of_torch(inputs: Any, like: Tensor, takes_tensors_alone: bool) -> Any:
    """Arguments of NumPy's function as torch's takes them: arrays are tensors, and NumPy's numbers
    Python's, or where it takes tensors alone tensors too."""
    if isinstance(inputs, list | tuple):
        return type(inputs)(_of_torch(part, like, takes_tensors_alone) for part in inputs)
    if isinstance(inputs, Tensor):
        return inputs
    if isinstance(inputs, np.ndarray) or takes_tensors_alone:
        is_bool = np.asarray(inputs).dtype == bool
        dtype = torch.bool if is_bool else like.dtype
        return torch.as_tensor(inputs, dtype=dtype, device=like.device)
    if isinstance(inputs, np.generic):
        return inputs.item()
    return inputs


class Weights:
    """What a kernel multiplies each token by, divided as a map says, for tokens in R^d."""

    def __init__(self, kernel: Kernel, divided_by: Divided, d: int):
        self.kernel = kernel
        self.divided_by = divided_by
        self.d = d

    def of_scores(self, scores: Tensor) -> Tensor:
        """Weights (..., n) for scores (..., n)."""
        inputs = self._inputs(scores=as_array(scores), n=scores.shape[-1], d=self.d)
        signed = self.kernel.signed
        if signed is not None:
            values = signed(inputs)
        else:
            values = self.kernel.weigh(inputs)
        is_logarithmic = self.kernel.logarithmic and signed is None
        return self._divided(as_tensor(values, scores).expand(scores.shape), is_logarithmic)

    def of_features(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Weights (..., n) for projected queries (..., r) and keys (..., r, n), tokens last."""
        name = self.kernel.name
        if name in FUSED:
            return self._of_products(FUSED[name](queries), FUSED[name](keys))
        if name in FEATURE_MAPS:
            log_map = FEATURE_MAPS[name]
            of_queries = as_tensor(log_map(as_array(queries)), queries).exp()
            of_keys = as_tensor(log_map(as_array(keys.mT)), keys).exp().mT
            return self._of_products(of_queries, of_keys)
        features, n = keys.shape[-2:]
        inputs = self._inputs(
            queries=as_array(queries.unsqueeze(-2)), keys=as_array(keys.mT), n=n, d=features
        )
        values = as_tensor(self.kernel.weigh(inputs), keys).squeeze(-2)
        return self._divided(values, self.kernel.logarithmic)

    def _inputs(
        self,
        n: int,
        d: int,
        scores: Any = None,
        queries: Any = None,
        keys: Any = None,
    ) -> KernelInputs:
        """The inputs of a kernel, in which an `Array` stands for one of NumPy."""
        ones = np.ones(1) if keys is None else np.ones((1, n))
        return KernelInputs(scores, queries, keys, multiplicities=ones, n=n, d=d)

    def _of_products(self, of_queries: Tensor, of_keys: Tensor) -> Tensor:
        """Weights (..., n): the products of the features of queries (..., r) and keys (..., r, n),
        divided as the map says."""
        products = (of_queries.unsqueeze(-2) @ of_keys).squeeze(-2)
        return self._divided(products, is_logarithmic=False)

    def _divided(self, values: Tensor, is_logarithmic: bool) -> Tensor:
        """Weights, or their logarithms, (..., n) divided by their sum or by n, or as they are."""
        if self.divided_by != "sum":
            weights = values.exp() if is_logarithmic else values
            return weights / values.shape[-1] if self.divided_by == "n" else weights
        beside = 1.0 if self.kernel.normaliser == "1 + row sum" else 0.0
        if is_logarithmic:
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
        return output * (output.square().mean(2, keepdim=True) + RMS_NORM_EPSILON).rsqrt()
