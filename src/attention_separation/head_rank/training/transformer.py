"""The transformer of the training experiments, for an ensemble of runs at once.

Every tensor has a leading axis of runs, R. Points are columns: x is (R, D, n, B) with the sets of a
batch, B, last. Inside, products of pairs of points are either arithmetic on long rows over the sets
or, where heads are large enough, small matrices of the points of a set: its columns lie beside each
other then.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..settings.cells import Architecture, CellJob

MOST_BY_ROWS = 256
"""n * n * r up to which the products of a head are formed by rows, not by small matrices; those of
rank 1, which sum over nothing, always are."""

PIECE = 2**17
"""Products formed at a time by rows: 512 KiB, of which a few fit into a core's cache."""


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


def initial(model: CellJob, generator: np.random.Generator) -> list[np.ndarray]:
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
        "additive": lambda: [
            generator.normal(model.additive_mean, model.additive_sd, (model.d, model.n, 1))
        ],
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
    d = x.shape[1]
    if model.encoding == "additive":
        x = x + parameters.encoding
    elif model.encoding == "concatenated":
        x = torch.cat([x, parameters.encoding.expand(-1, -1, -1, x.shape[3])], 1)
    attend = attention_by_rows if is_by_rows(model.n, model.rank) else attention_by_sets
    by_sets = attend is attention_by_sets
    x = x.transpose(2, 3) if by_sets else x
    columns = x.shape[2:]
    x = x.flatten(2)
    for layer in parameters.layers:
        x = _layer(model, layer, x, columns, attend)
    x = x[:, :d].unflatten(2, columns)
    return x.transpose(2, 3) if by_sets else x


def is_by_rows(n: int, rank: int) -> bool:
    """Whether products over so few coordinates are formed by rows, not by small matrices."""
    return rank == 1 or n * n * rank <= MOST_BY_ROWS


def _layer(
    model: Architecture, layer: Layer, x: Tensor, columns: torch.Size, attend: Callable
) -> Tensor:
    inside = _Linear.apply(x, layer.attend_in, layer.attend_in_bias)
    split = (x.shape[0], 3, model.total_heads, model.rank, *columns)
    attended = attend(inside.view(split)).reshape(x.shape[0], -1, x.shape[2])
    # The average over modules: the bias is that of the average already.
    merging = layer.attend_out if model.width == 1 else layer.attend_out / model.width
    x = _Residual.apply(x, attended, merging, layer.attend_out_bias, layer.attend_scale)
    return _Perceptron.apply(x, *layer[Layer._fields.index("hidden") :])


# The backwards below are written out: what torch derives passes more often over arrays that are
# too large for a core's cache once all runs are in them.


def product_of_transposed(a: Tensor, b: Tensor) -> Tensor:
    """The products a b' of (R, rows, columns): with fewer rows first, half the time."""
    return torch.bmm(a, b.mT) if a.shape[1] <= b.shape[1] else torch.bmm(b, a.mT).mT


class _Linear(torch.autograd.Function):
    """weight x + bias."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return torch.baddbmm(bias, weight, x)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, ...]:
        return _of_linear(gradient, *ctx.saved_tensors)


def _of_linear(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Derivatives by x, weight and bias."""
    of_bias = gradient.sum(2, keepdim=True)
    return torch.bmm(weight.mT, gradient), product_of_transposed(gradient, x), of_bias


class _Residual(torch.autograd.Function):
    """The columns of x + weight inner + bias, made unit, times scale."""

    @staticmethod
    def forward(
        ctx, x: Tensor, inner: Tensor, weight: Tensor, bias: Tensor, scale: Tensor
    ) -> Tensor:
        y, inverse = unit(torch.baddbmm(bias, weight, inner).add_(x))
        ctx.save_for_backward(inner, weight, scale, y, inverse)
        return y * scale

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, ...]:
        return _of_residual(gradient, *ctx.saved_tensors)


def _of_residual(
    gradient: Tensor, inner: Tensor, weight: Tensor, scale: Tensor, y: Tensor, inverse: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Derivatives by x, inner, weight, bias and scale."""
    along = (gradient * y).sum(1, keepdim=True)
    of_x = torch.addcmul(gradient, y, along, value=-1).mul_(inverse * scale)
    return of_x, *_of_linear(of_x, inner, weight), along.sum(2, keepdim=True)


class _Perceptron(torch.autograd.Function):
    """The MLP with one hidden layer as the inner of a residual."""

    @staticmethod
    def forward(
        ctx,
        x: Tensor,
        hidden: Tensor,
        hidden_bias: Tensor,
        outer: Tensor,
        outer_bias: Tensor,
        scale: Tensor,
    ) -> Tensor:
        inner = torch.baddbmm(hidden_bias, hidden, x).relu_()
        y, inverse = unit(torch.baddbmm(outer_bias, outer, inner).add_(x))
        ctx.save_for_backward(x, hidden, inner, outer, scale, y, inverse)
        return y * scale

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, ...]:
        x, hidden, *of = ctx.saved_tensors
        of_x, of_inner, *of_outer = _of_residual(gradient, *of)
        torch.ops.aten.threshold_backward.grad_input(of_inner, of[0], 0, grad_input=of_inner)
        through, *of_hidden = _of_linear(of_inner, x, hidden)
        return of_x.add_(through), *of_hidden, *of_outer


def unit(x: Tensor) -> tuple[Tensor, Tensor]:
    """Columns (axis 1) divided by their Euclidean norm, and the inverse norms."""
    inverse = (x * x).sum(1, keepdim=True).rsqrt_()
    return x * inverse, inverse


def attention_by_rows(qkv: Tensor) -> Tensor:
    """Softmax attention of all heads, logits divided by sqrt(r).

    Queries, keys and values are stacked, (R, 3, H, r, n, B); the outputs are (R, H, r, n, B).
    """
    return _RowAttention.apply(qkv)


def attention_by_sets(qkv: Tensor) -> Tensor:
    """The same of (R, 3, H, r, B, n): the outputs are (R, H, r, B, n)."""
    return _SetAttention.apply(qkv)


class _SetAttention(torch.autograd.Function):
    """Attention by a small matrix product for each head and set."""

    @staticmethod
    def forward(ctx, qkv: Tensor) -> Tensor:
        runs, _, heads, rank, sets, n = qkv.shape
        # A copy even where a single run is in this order already: it is written to below.
        parts = qkv.permute(1, 0, 2, 4, 3, 5).clone(memory_format=torch.contiguous_format)
        q, k, v = parts.view(3, -1, rank, n).unbind(0)
        weights = torch.softmax(torch.bmm(q.mul_(rank**-0.5).mT, k), 2)
        ctx.save_for_backward(parts, weights)
        output = torch.bmm(v, weights.mT).view(runs, heads, sets, rank, n)
        return output.transpose(2, 3).contiguous()

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:
        parts, weights = ctx.saved_tensors
        _, _, _, _, rank, n = parts.shape
        q, k, v = parts.view(3, -1, rank, n).unbind(0)
        of_parts = torch.empty_like(parts)
        of_q, of_k, of_v = of_parts.view(3, -1, rank, n).unbind(0)
        gradient = gradient.transpose(2, 3).reshape(-1, rank, n)
        torch.bmm(gradient, weights, out=of_v)
        of_weights = torch.bmm(gradient.mT, v)
        logits = torch._softmax_backward_data(of_weights, weights, 2, weights.dtype)
        torch.bmm(k, logits.mT, out=of_q).mul_(rank**-0.5)
        torch.bmm(q, logits, out=of_k)
        return of_parts.permute(1, 0, 2, 4, 3, 5).contiguous()


class _RowAttention(torch.autograd.Function):
    """Attention by products of long rows, of so many heads at a time as stay in a core's cache."""

    @staticmethod
    def forward(ctx, qkv: Tensor) -> Tensor:
        runs, _, heads, rank, n, batch = qkv.shape
        output = qkv.new_empty(runs, heads, rank, n, batch)
        weights = qkv.new_empty(runs, heads, n, n, batch)
        for some in _pieces(qkv):
            q, k, v = _part(qkv, some)
            part = torch.softmax(pair_products(q * rank**-0.5, k), 3, out=weights[some])
            torch.sum(part.unsqueeze(2) * v.unsqueeze(3), 4, out=output[some])
        ctx.save_for_backward(qkv, weights)
        return output

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:
        qkv, weights = ctx.saved_tensors
        of_qkv = torch.empty_like(qkv)
        scale = qkv.shape[3] ** -0.5
        for some in _pieces(qkv):
            q, k, v = _part(qkv, some)
            of_q, of_k, of_v = _part(of_qkv, some)
            part, of_output = weights[some], gradient[some]
            torch.sum(part.unsqueeze(2) * of_output.unsqueeze(4), 3, out=of_v)
            weighted = pair_products(of_output * scale, v).mul_(part)
            logits = weighted.addcmul_(part, weighted.sum(3, keepdim=True), value=-1).unsqueeze(2)
            torch.sum(logits * k.unsqueeze(3), 4, out=of_q)
            torch.sum(logits * q.unsqueeze(4), 3, out=of_k)
        return of_qkv


def _pieces(qkv: Tensor) -> Iterator[tuple[slice, slice]]:
    """Runs and heads to take together; no head's numbers depend on which they are."""
    runs, _, heads, rank, n, batch = qkv.shape
    together = max(1, PIECE // (rank * n * n * batch))
    several = max(1, together // heads)
    for run in range(0, runs, several):
        for head in range(0, heads, together):
            yield slice(run, run + several), slice(head, head + together)


def _part(qkv: Tensor, some: tuple[slice, slice]) -> tuple[Tensor, ...]:
    runs, heads = some
    return qkv[runs, :, heads].unbind(1)


def pair_products(a: Tensor, b: Tensor) -> Tensor:
    """Inner products over the axis r of (..., r, n, B): (..., n, n, B), a's points first."""
    products = a.unsqueeze(-2) * b.unsqueeze(-3)
    return products.squeeze(-4) if a.shape[-3] == 1 else products.sum(-4)
