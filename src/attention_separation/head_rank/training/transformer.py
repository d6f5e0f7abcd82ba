"""The transformer of the training experiments, for an ensemble of runs at once.

Every tensor has a leading axis of runs, R. Points are columns: x is (R, D, n, B) with the sets of a
batch, B, last. Inside, products of pairs of points are either arithmetic on long rows over the sets
or, where heads are large enough, small matrices of the points of a set: its columns lie beside each
other then.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..settings.cells import Architecture, CellJob
from .cell_table import OF_HEADS

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

    def without_biases(self) -> "Layer":
        """The same with biases of 0, which are no parameters."""
        biases = {name: of for name, of in self._asdict().items() if name.endswith("_bias")}
        return self._replace(**{name: torch.zeros_like(of) for name, of in biases.items()})


def initial(model: CellJob, generator: np.random.Generator) -> list[np.ndarray]:
    """Initial values of one run: the encoding, if any, and layer after layer, which start equal.

    What torch gives MultiheadAttention and Linear: inputs of attention uniform within
    sqrt(6/(4D)), its output within 1/sqrt(D), those of the MLP within 1/sqrt(inputs); biases of
    attention 0; scales 1.
    """
    dimension, hidden = model.model_dimension, model.feed_forward

    def uniform(bound: float, *shape: int) -> np.ndarray:
        return generator.uniform(-bound, bound, shape)

    inner = model.width * dimension
    encoding = []
    if model.encoding == "additive":
        mean, sd = model.additive_mean, model.additive_sd
        encoding = [generator.normal(mean, sd, (model.d, model.n, 1))]
    elif model.encoding == "concatenated":
        encoding = [uniform(1, model.d_e, model.n, 1)]
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


def layers_of(tensors: list[Tensor]) -> list[Layer]:
    """The layers' parameters among tensors in the order of `initial`."""
    size = len(Layer._fields)
    starts = range(len(tensors) % size, len(tensors), size)
    return [Layer(*tensors[start : start + size]) for start in starts]


def transformer(
    model: Architecture, tensors: list[Tensor], x: Tensor, streams: list[Tensor] | None = None,
    attended_streams: list[Tensor] | None = None,
) -> Tensor:  # fmt: skip
    """The outputs (R, d, n, B) for the points x of the same shape, of parameters in the order of
    `initial`; what each layer makes, (R, D, n, B), is added to `streams`, what its attention alone
    makes, before the points are added to it, to `attended_streams`."""
    d = x.shape[1]
    if model.encoding == "additive":
        x = x + tensors[0]
    elif model.encoding == "concatenated":
        x = torch.cat([x, tensors[0].expand(-1, -1, -1, x.shape[3])], 1)
    by_sets = not is_by_rows(model.n, model.rank)
    attention = SetAttention if by_sets else RowAttention
    x = x.transpose(2, 3) if by_sets else x
    columns = x.shape[2:]
    split = (x.shape[0], 3, model.total_heads, model.rank, *columns)
    x, is_centred = x.flatten(2), bool(model.layer_norm)

    def points_of(flat: Tensor) -> Tensor:
        stream = flat.unflatten(2, columns)
        return stream.transpose(2, 3) if by_sets else stream

    for layer in layers_of(tensors):
        if model.biases is False:
            layer = layer.without_biases()
        inside = _Linear.apply(x, layer.attend_in, layer.attend_in_bias, False).view(split)
        attended = attention.apply(inside).reshape(x.shape[0], -1, x.shape[2])
        # The average over modules: the bias is that of the average already.
        merging = layer.attend_out if model.width == 1 else layer.attend_out / model.width
        if attended_streams is not None:
            attended_streams.append(points_of(torch.bmm(merging, attended)))
        x = _Residual.apply(
            x, attended, merging, layer.attend_out_bias, layer.attend_scale, is_centred
        )
        inner = _Linear.apply(x, layer.hidden, layer.hidden_bias, True)
        x = _Residual.apply(x, inner, layer.outer, layer.outer_bias, layer.outer_scale, is_centred)
        if streams is not None:
            streams.append(points_of(x))
    return points_of(x[:, :d])


def share_and_norm(stream: Tensor) -> Tensor:
    """Of each run, (2, R): the share of a stream (R, D, n, B) that depends on the set, which is
    what is left of its mean square when its mean over the sets is taken away; and its norm."""
    moved = stream - stream.mean(3, keepdim=True)
    of_moved, of_all = ((part * part).sum(1).mean((1, 2)) for part in (moved, stream))
    return torch.stack([of_moved / of_all, of_all.sqrt()])


def embed(small: list[Tensor], large: list[Tensor]) -> None:
    """Put the parameters of a network without an encoding into those of one with a concatenated
    encoding, as the first rows and columns of each; the encoding becomes a fifth of what it is."""
    large[0].div_(5)
    for k, (part, whole) in enumerate(zip(small, large[1:], strict=True)):
        # Queries, keys and values are stacked in the first two of a layer.
        stacked = 3 if k % len(Layer._fields) < 2 else 1
        own, all_of = (each.unflatten(1, (stacked, -1)) for each in (part, whole))
        all_of[:, :, : own.shape[2], : own.shape[3]] = own


def is_by_rows(n: int, rank: int) -> bool:
    """Whether products over so few coordinates are formed by rows, not by small matrices."""
    return rank == 1 or n * n * rank <= MOST_BY_ROWS


# The backwards below are written out: what torch derives passes more often over arrays that are
# too large for a core's cache once all runs are in them.


def product_of_transposed(a: Tensor, b: Tensor) -> Tensor:
    """The products a b' of (R, rows, columns): with fewer rows first, half the time."""
    return torch.bmm(a, b.mT) if a.shape[1] <= b.shape[1] else torch.bmm(b, a.mT).mT


class _Linear(torch.autograd.Function):
    """weight x + bias, or the positive part of it."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, is_rectified: bool) -> Tensor:
        y = torch.baddbmm(bias, weight, x)
        ctx.save_for_backward(x, weight, y.relu_() if is_rectified else None)
        return y

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, y = ctx.saved_tensors
        if y is not None:
            torch.ops.aten.threshold_backward.grad_input(gradient, y, 0, grad_input=gradient)
        # Of the points themselves none is needed.
        of_x = torch.bmm(weight.mT, gradient) if ctx.needs_input_grad[0] else None
        return of_x, *_of_weights(gradient, x), None


def _of_weights(gradient: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Derivatives by weight and bias."""
    return product_of_transposed(gradient, x), gradient.sum(2, keepdim=True)


class _Residual(torch.autograd.Function):
    """The columns of x + weight inner + bias, made unit, times scale.

    `is_centred`: less their mean before, which is LayerNorm (sd = norm / sqrt(D)) with one scalar
    in place of torch's vectors of gain and bias. These would turn and move the hyperplane of its
    outputs, no more: without an encoding either has an error of at least 1/d, the mean square of a
    target, uniform on the sphere, across a hyperplane.
    """

    @staticmethod
    def forward(
        ctx, x: Tensor, inner: Tensor, weight: Tensor, bias: Tensor, scale: Tensor, is_centred: bool
    ) -> Tensor:
        summed = torch.baddbmm(bias, weight, inner).add_(x)
        y, inverse = unit(centred(summed) if is_centred else summed)
        ctx.is_centred = is_centred
        ctx.save_for_backward(inner, weight, scale, y, inverse)
        return y * scale

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, ...]:
        inner, weight, scale, y, inverse = ctx.saved_tensors
        along = (gradient * y).sum(1, keepdim=True)
        of_x = torch.addcmul(gradient, y, along, value=-1).mul_(inverse * scale)
        of_x = centred(of_x) if ctx.is_centred else of_x
        of_inner = torch.bmm(weight.mT, of_x)
        return of_x, of_inner, *_of_weights(of_x, inner), along.sum(2, keepdim=True), None


def centred(x: Tensor) -> Tensor:
    """Columns (axis 1) less their mean: a projection, and so its own derivative."""
    return x - x.mean(1, keepdim=True)


def unit(x: Tensor) -> tuple[Tensor, Tensor]:
    """Columns (axis 1) divided by their Euclidean norm, and the inverse norms."""
    inverse = (x * x).sum(1, keepdim=True).rsqrt_()
    return x * inverse, inverse


class SetAttention(torch.autograd.Function):
    """Softmax attention of all heads, logits divided by sqrt(r), by small matrix products.

    Queries, keys and values are stacked, (R, 3, H, r, B, n); the outputs are (R, H, r, B, n).
    """

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


class RowAttention(torch.autograd.Function):
    """The same of (R, 3, H, r, n, B) by products of long rows, of so many heads at a time as stay
    in a core's cache: the outputs are (R, H, r, n, B)."""

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


@torch.no_grad()
def learned_heads(model: Architecture, tensors: list[Tensor]) -> list[dict[str, list]]:
    """Per run, OF_HEADS with one value per head, layer by layer; empty where rank < D.

    The logits of a head are x_i' M x_j / sqrt(r) + what biases add, M = W_q' W_k with W_q, W_k
    (r, D). `angle` to +I in degrees, arccos(tr M / (|M| sqrt(D))); `norm` |M| / sqrt(D), so that
    c I has norm |c|; both again for W_q W_k', which the published figure shows; `scale`
    tr M / (D sqrt(r)), the c of the multiple of I nearest to what multiplies x_i' x_j. What the
    head adds to a point is an average of V x_j + what biases add, V = W_o W_v over the width:
    `angle_value` and `norm_value` are V's.
    """
    runs, dimension = tensors[0].shape[0], model.model_dimension
    found: list[dict[str, list]] = [{name: [] for name in OF_HEADS} for _ in range(runs)]
    layers = layers_of(tensors) if model.rank == dimension else []
    for number, layer in enumerate(layers, start=1):
        split = (runs, 3, model.total_heads, dimension, dimension)
        q, k, v = layer.attend_in.cpu().double().view(split).unbind(1)
        outer = layer.attend_out.cpu().double().unflatten(2, (model.total_heads, dimension))
        value = outer.transpose(1, 2) @ v / model.width
        score, code = q.mT @ k, q @ k.mT
        which, scale = torch.full(q.shape[:2], number), _trace(score) / dimension**1.5
        values = (which, *_angle_and_norm(score), *_angle_and_norm(code), scale)
        values += _angle_and_norm(value)
        for run in range(runs):
            for name, value in zip(OF_HEADS, values, strict=True):
                found[run][name] += value[run].tolist()
    return found


def _trace(matrices: Tensor) -> Tensor:
    return matrices.diagonal(dim1=-2, dim2=-1).sum(-1)


def _angle_and_norm(matrices: Tensor) -> tuple[Tensor, Tensor]:
    dimension = matrices.shape[-1]
    norm = torch.linalg.matrix_norm(matrices) / dimension**0.5
    # Rounding may lead just beyond 1.
    cosine = (_trace(matrices) / (norm * dimension)).clamp(-1, 1)
    return torch.arccos(cosine) * (180 / np.pi), norm
