"""The transformer of the training experiments, for an ensemble of runs at once.

Every tensor has a leading axis of runs, R. Points are columns: x is (R, D, n, B) with the sets of a
batch, B, last, so that what happens per head and pair of points is arithmetic on long rows.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attention_separation.head_rank.cells import Architecture

MOST_BY_ROWS = 256
"""n * n * r up to which the products of a head are formed by rows, not by small matrices."""


class Layer(NamedTuple):
    """Parameters of a layer; those of queries, keys and values are stacked in `attend_in`."""

    attend_in: Tensor
    attend_in_bias: Tensor
    attend_out: Tensor
    attend_out_bias: Tensor
    attend_scale: Tensor
    hidden: Tensor
    hidden_bias: Tensor
    outer: Tensor
    outer_bias: Tensor
    outer_scale: Tensor


class Parameters(NamedTuple):
    """Parameters of an ensemble."""

    encoding: Tensor | None
    layers: list[Layer]

    def tensors(self) -> list[Tensor]:
        """All of them, in a fixed order."""
        own = [] if self.encoding is None else [self.encoding]
        return own + [tensor for layer in self.layers for tensor in layer]


def initial(model: Architecture, generator: np.random.Generator) -> list[np.ndarray]:
    """Initial values of one run, in the order of `Parameters.tensors`; all layers start equal.

    What torch gives MultiheadAttention and Linear: inputs of attention uniform within
    sqrt(6/(4D)), its output within 1/sqrt(D), those of the MLP within 1/sqrt(inputs); biases of
    attention 0; scales 1.
    """
    dimension, hidden = model.model_dimension, model.feed_forward

    def uniform(bound: float, *shape: int) -> np.ndarray:
        return generator.uniform(-bound, bound, shape)

    inner = model.width * dimension
    encoding = {
        "none": list,
        "additive": lambda: [generator.normal(-1, 1, (model.d, model.n, 1))],
        "concatenated": lambda: [uniform(1, model.d_e or 0, model.n, 1)],
    }[model.encoding]()
    layer = Layer(
        uniform(np.sqrt(6 / (4 * dimension)), 3 * inner, dimension),
        np.zeros((3 * inner, 1)),
        uniform(dimension**-0.5, dimension, inner),
        np.zeros((dimension, 1)),
        np.ones((1, 1)),
        uniform(dimension**-0.5, hidden, dimension),
        uniform(dimension**-0.5, hidden, 1),
        uniform(hidden**-0.5, dimension, hidden),
        uniform(hidden**-0.5, dimension, 1),
        np.ones((1, 1)),
    )
    return encoding + [array for _ in range(model.layers) for array in layer]


def grouped(model: Architecture, tensors: list[Tensor]) -> Parameters:
    """Parameters from tensors in the order of `Parameters.tensors`."""
    own = 0 if model.encoding == "none" else 1
    size = len(Layer._fields)
    starts = range(own, len(tensors), size)
    layers = [Layer(*tensors[start : start + size]) for start in starts]
    return Parameters(tensors[0] if own else None, layers)


def transformer(model: Architecture, parameters: Parameters, x: Tensor) -> Tensor:
    """The outputs (R, d, n, B) for the points x of the same shape."""
    runs, d, n, batch = x.shape
    if model.encoding == "additive":
        x = x + parameters.encoding
    elif model.encoding == "concatenated":
        x = torch.cat([x, parameters.encoding.expand(-1, -1, -1, batch)], 1)
    x = x.reshape(runs, -1, n * batch)
    for layer in parameters.layers:
        x = _layer(model, layer, x, n)
    return x[:, :d].view(runs, d, n, batch)


def _layer(model: Architecture, layer: Layer, x: Tensor, n: int) -> Tensor:
    runs, _, columns = x.shape
    inside = torch.baddbmm(layer.attend_in_bias, layer.attend_in, x)
    split = (runs, 3, model.total_heads, model.rank, n, columns // n)
    attended = attention(*inside.view(split).unbind(1)).reshape(runs, -1, columns)
    # The average over modules: the bias is that of the average already.
    merged = torch.baddbmm(layer.attend_out_bias, layer.attend_out, attended, alpha=1 / model.width)
    x = unit(x + merged) * layer.attend_scale
    hidden = torch.baddbmm(layer.hidden_bias, layer.hidden, x).relu_()
    return unit(x + torch.baddbmm(layer.outer_bias, layer.outer, hidden)) * layer.outer_scale


class _Unit(torch.autograd.Function):
    """Its own backward takes half of what torch would derive."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        inverse = (x * x).sum(1, keepdim=True).rsqrt_()
        y = x * inverse
        ctx.save_for_backward(y, inverse)
        return y

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:
        y, inverse = ctx.saved_tensors
        return torch.addcmul(gradient, y, (gradient * y).sum(1, keepdim=True), value=-1) * inverse


def unit(x: Tensor) -> Tensor:
    """Columns (axis 1) divided by their Euclidean norm."""
    return _Unit.apply(x)


class _RowAttention(torch.autograd.Function):
    """Attention by products of long rows; q is divided by sqrt(r) already."""

    @staticmethod
    def forward(ctx, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        weights = torch.softmax(pair_products(q, k), 3)
        ctx.save_for_backward(q, k, v, weights)
        return (weights.unsqueeze(2) * v.unsqueeze(3)).sum(4)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v, weights = ctx.saved_tensors
        of_v = (weights.unsqueeze(2) * gradient.unsqueeze(4)).sum(3)
        weighted = pair_products(gradient, v).mul_(weights)
        logits = torch.addcmul(weighted, weights, weighted.sum(3, keepdim=True), value=-1)
        logits = logits.unsqueeze(2)
        of_q = (logits * k.unsqueeze(3)).sum(4)
        of_k = (logits * q.unsqueeze(4)).sum(3)
        return of_q, of_k, of_v


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Softmax attention of all heads, logits divided by sqrt(r); all tensors (R, H, r, n, B)."""
    runs, heads, rank, n, batch = q.shape
    q = q * rank**-0.5
    if n * n * rank <= MOST_BY_ROWS:
        return _RowAttention.apply(q, k, v)

    def matrices(each: Tensor) -> Tensor:
        return each.permute(0, 4, 1, 3, 2).reshape(-1, n, rank)

    weights = torch.softmax(torch.bmm(matrices(q), matrices(k).transpose(1, 2)), 2)
    summed = torch.bmm(weights, matrices(v))
    return summed.view(runs, batch, heads, n, rank).permute(0, 2, 4, 3, 1)


def pair_products(a: Tensor, b: Tensor) -> Tensor:
    """Inner products over the axis r of (..., r, n, B): (..., n, n, B), a's points first."""
    return (a.unsqueeze(-2) * b.unsqueeze(-3)).sum(-4)
