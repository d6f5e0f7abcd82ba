"""The transformer of the training experiments, for an ensemble of runs at once.

Every tensor has a leading axis of runs, R. Points are columns: x is (R, D, n, B) with the sets of a
batch, B, last. Inside, products of pairs of points are either arithmetic on long rows over the sets
or, where heads are large enough, small matrices of the points of a set: its columns lie beside each
other then.
"""

from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from ..settings.cells import Architecture, CellJob
from .cell_table import OF_HEADS

MOST_BY_ROWS = 256
"""n * n * r up to which the products of a head are formed by rows, not by small matrices; those of
rank 1, which sum over nothing, always are."""

PRODUCTS_TOGETHER = 2**17
"""Products formed at a time by rows: 512 KiB, of which a few fit into a core's cache."""


Numbers = TypeVar("Numbers", Tensor, np.ndarray)
"""Of a parameter: those of all runs (R, rows, columns), or of one (rows, columns) that begins."""


class Layer(NamedTuple, Generic[Numbers]):
    """Parameters of a layer; those of queries, keys and values are stacked in `attend_in`."""

    attend_in: Numbers
    attend_in_bias: Numbers
    attend_out: Numbers
    attend_out_bias: Numbers
    attend_scale: Numbers
    hidden: Numbers
    hidden_bias: Numbers
    outer: Numbers
    outer_bias: Numbers
    outer_scale: Numbers


def without_biases(layer: Layer[Tensor]) -> Layer[Tensor]:
    """The layer with biases of 0, which are no parameters."""
    return layer._replace(
        attend_in_bias=torch.zeros_like(layer.attend_in_bias),
        attend_out_bias=torch.zeros_like(layer.attend_out_bias),
        hidden_bias=torch.zeros_like(layer.hidden_bias),
        outer_bias=torch.zeros_like(layer.outer_bias),
    )


def initial_parameters(model: CellJob, generator: np.random.Generator) -> list[np.ndarray]:
    """Initial values of one run: the encoding, if any, and layer after layer, which start equal.

    What torch gives MultiheadAttention and Linear: inputs of attention uniform within
    sqrt(6/(4D)), its output within 1/sqrt(D), those of the MLP within 1/sqrt(inputs); biases of
    attention 0; scales 1.
    """
    dimension = model.model_dimension
    hidden = model.feed_forward
    inner = model.width * dimension

    def uniform(bound: float, *shape: int) -> np.ndarray:
        """Numbers uniform within the bound."""
        return generator.uniform(-bound, bound, shape)

    encoding = []
    if model.encoding == "additive":
        assert model.additive_mean is not None
        assert model.additive_sd is not None
        shape = (model.d, model.n, 1)
        encoding.append(generator.normal(model.additive_mean, model.additive_sd, shape))
    elif model.encoding == "concatenated":
        assert model.d_e is not None
        encoding.append(uniform(1, model.d_e, model.n, 1))
    # In the order in which the numbers are drawn.
    layer = Layer(
        attend_in=uniform(np.sqrt(6 / (4 * dimension)), 3 * inner, dimension),
        attend_in_bias=np.zeros((3 * inner, 1)),
        attend_out=uniform(dimension**-0.5, dimension, inner),
        attend_out_bias=np.zeros((dimension, 1)),
        attend_scale=np.ones((1, 1)),
        hidden=uniform(dimension**-0.5, hidden, dimension),
        hidden_bias=uniform(dimension**-0.5, hidden, 1),
        outer=uniform(hidden**-0.5, dimension, hidden),
        outer_bias=uniform(hidden**-0.5, dimension, 1),
        outer_scale=np.ones((1, 1)),
    )
    return encoding + list(layer) * model.layers


def layers_of(tensors: list[Tensor]) -> list[Layer[Tensor]]:
    """The layers' parameters among tensors in the order of `initial_parameters`."""
    size = len(Layer._fields)
    starts = range(len(tensors) % size, len(tensors), size)
    return [Layer(*tensors[start : start + size]) for start in starts]


def transformer(
    model: Architecture,
    tensors: list[Tensor],
    x: Tensor,
    streams: list[Tensor] | None = None,
    attended_streams: list[Tensor] | None = None,
) -> Tensor:
    """The outputs (R, d, n, B) for the points x of the same shape, of parameters in the order of
    `initial_parameters`.

    What each layer makes, (R, D, n, B), is appended to `streams`; what its attention alone makes,
    before the points are added to it, to `attended_streams`.
    """
    d = x.shape[1]
    if model.encoding == "additive":
        x = x + tensors[0]
    elif model.encoding == "concatenated":
        x = torch.cat([x, tensors[0].expand(-1, -1, -1, x.shape[3])], 1)
    by_rows = is_by_rows(model.n, model.rank)
    if not by_rows:
        x = x.transpose(2, 3)
    columns = x.shape[2:]
    runs = x.shape[0]
    x = x.flatten(2)
    is_centred = bool(model.layer_norm)

    def points_of(flat: Tensor) -> Tensor:
        """Columns (R, D, n B) or (R, D, B n) as (R, D, n, B)."""
        stream = flat.unflatten(2, columns)
        return stream if by_rows else stream.transpose(2, 3)

    for layer in layers_of(tensors):
        if model.biases is False:
            layer = without_biases(layer)
        qkv = _Linear.apply(x, layer.attend_in, layer.attend_in_bias, False)
        qkv = qkv.view(runs, 3, model.total_heads, model.rank, *columns)
        if by_rows:
            attended = RowAttention.apply(qkv)
        else:
            attended = SetAttention.apply(qkv)
        attended = attended.reshape(runs, -1, x.shape[2])
        merging = layer.attend_out
        if model.width > 1:
            # The average over modules: the bias is that of the average already.
            merging = merging / model.width
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
    """The share of each run's stream (R, D, n, B) that depends on the set, and its norm: (2, R).

    The share is what is left of the stream's mean square when its mean over the sets is taken away.
    """
    square = _mean_square(stream)
    square_around_mean = _mean_square(stream - stream.mean(3, keepdim=True))
    return torch.stack([square_around_mean / square, square.sqrt()])


def _mean_square(stream: Tensor) -> Tensor:
    """The mean over points of their squared norms, (R,)."""
    return (stream * stream).sum(1).mean((1, 2))


def embed_parameters(small: list[Tensor], large: list[Tensor]) -> None:
    """Put the parameters of a network without an encoding into those of one with a concatenated
    encoding, as the first rows and columns of each; the encoding becomes a fifth of what it is."""
    large[0].div_(5)
    for k, (part, whole) in enumerate(zip(small, large[1:], strict=True)):
        # Queries, keys and values are stacked in the first two of a layer.
        stacked = 3 if k % len(Layer._fields) < 2 else 1
        part = part.unflatten(1, (stacked, -1))
        rows, columns = part.shape[2:]
        whole.unflatten(1, (stacked, -1))[:, :, :rows, :columns] = part


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
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, is_rectified: bool) -> Tensor:
        """weight x + bias, its positive part where it is rectified."""
        y = torch.baddbmm(bias, weight, x)
        if is_rectified:
            y.relu_()
        ctx.save_for_backward(x, weight, y if is_rectified else None)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The derivatives by x, weight and bias, from that by the output."""
        x, weight, y = ctx.saved_tensors
        if y is not None:
            torch.ops.aten.threshold_backward.grad_input(gradient, y, 0, grad_input=gradient)
        # Of the points themselves none is needed.
        of_x = torch.bmm(weight.mT, gradient) if ctx.needs_input_grad[0] else None
        of_weight = product_of_transposed(gradient, x)
        of_bias = gradient.sum(2, keepdim=True)
        return of_x, of_weight, of_bias, None


class _Residual(torch.autograd.Function):
    """The columns of x + weight inner + bias, made unit, times scale.

    `is_centred`: less their mean before, which is LayerNorm (sd = norm / sqrt(D)) with one scalar
    in place of torch's vectors of gain and bias. These would turn and move the hyperplane of its
    outputs, no more: without an encoding either has an error of at least 1/d, the mean square of a
    target, uniform on the sphere, across a hyperplane.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        inner: Tensor,
        weight: Tensor,
        bias: Tensor,
        scale: Tensor,
        is_centred: bool,
    ) -> Tensor:
        """The unit columns of x + weight inner + bias, times scale."""
        summed = torch.baddbmm(bias, weight, inner).add_(x)
        y, inverse = unit_columns(centred(summed) if is_centred else summed)
        ctx.is_centred = is_centred
        ctx.save_for_backward(inner, weight, scale, y, inverse)
        return y * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The derivatives by x, inner, weight, bias and scale, from that by the output."""
        inner, weight, scale, y, inverse = ctx.saved_tensors
        along = (gradient * y).sum(1, keepdim=True)
        of_x = torch.addcmul(gradient, y, along, value=-1).mul_(inverse * scale)
        if ctx.is_centred:
            of_x = centred(of_x)
        of_inner = torch.bmm(weight.mT, of_x)
        of_weight = product_of_transposed(of_x, inner)
        of_bias = of_x.sum(2, keepdim=True)
        of_scale = along.sum(2, keepdim=True)
        return of_x, of_inner, of_weight, of_bias, of_scale, None


def centred(x: Tensor) -> Tensor:
    """Columns (axis 1) less their mean: a projection, and so its own derivative."""
    return x - x.mean(1, keepdim=True)


def unit_columns(x: Tensor) -> tuple[Tensor, Tensor]:
    """Columns (axis 1) divided by their Euclidean norm, and the inverse norms."""
    inverse = (x * x).sum(1, keepdim=True).rsqrt_()
    return x * inverse, inverse


class SetAttention(torch.autograd.Function):
    """Softmax attention of all heads, logits divided by sqrt(r), by small matrix products.

    Queries, keys and values are stacked, (R, 3, H, r, B, n); the outputs are (R, H, r, B, n).
    """

    @staticmethod
    def forward(ctx: Any, qkv: Tensor) -> Tensor:
        """The outputs of all heads, (R, H, r, B, n)."""
        runs, _, heads, rank, sets, n = qkv.shape
        # A copy even where a single run is in this order already: its queries are scaled in place.
        parts = qkv.permute(1, 0, 2, 4, 3, 5).clone(memory_format=torch.contiguous_format)
        # Matrices (r, n), one for each run, head and set.
        q, k, v = parts.view(3, -1, rank, n).unbind(0)
        q.mul_(rank**-0.5)
        weights = torch.softmax(torch.bmm(q.mT, k), 2)
        ctx.save_for_backward(parts, weights)
        output = torch.bmm(v, weights.mT)
        return output.view(runs, heads, sets, rank, n).transpose(2, 3).contiguous()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """The derivative by the stacked queries, keys and values, from that by the outputs."""
        parts, weights = ctx.saved_tensors
        rank, n = parts.shape[-2:]
        q, k, v = parts.view(3, -1, rank, n).unbind(0)
        of_parts = torch.empty_like(parts)
        of_q, of_k, of_v = of_parts.view(3, -1, rank, n).unbind(0)
        gradient = gradient.transpose(2, 3).reshape(-1, rank, n)
        torch.bmm(gradient, weights, out=of_v)
        of_weights = torch.bmm(gradient.mT, v)
        of_logits = torch._softmax_backward_data(of_weights, weights, 2, weights.dtype)
        torch.bmm(k, of_logits.mT, out=of_q).mul_(rank**-0.5)
        # These queries are scaled already.
        torch.bmm(q, of_logits, out=of_k)
        return of_parts.permute(1, 0, 2, 4, 3, 5).contiguous()


class RowAttention(torch.autograd.Function):
    """Softmax attention of all heads, logits divided by sqrt(r), by products of long rows.

    Queries, keys and values are stacked, (R, 3, H, r, n, B); the outputs are (R, H, r, n, B). On a
    core as many heads are taken at a time as stay in its cache.
    """

    @staticmethod
    def forward(ctx: Any, qkv: Tensor) -> Tensor:
        """The outputs of all heads, (R, H, r, n, B)."""
        runs, _, heads, rank, n, batch = qkv.shape
        output = qkv.new_empty(runs, heads, rank, n, batch)
        weights = qkv.new_empty(runs, heads, n, n, batch)
        for piece in _pieces(qkv):
            q, k, v = _queries_keys_values(qkv, piece)
            # Without a name for the logits, which would stay in memory.
            piece_weights = torch.softmax(pair_products(q * rank**-0.5, k), 3, out=weights[piece])
            torch.sum(piece_weights.unsqueeze(2) * v.unsqueeze(3), 4, out=output[piece])
        ctx.save_for_backward(qkv, weights)
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """The derivative by the stacked queries, keys and values, from that by the outputs."""
        qkv, weights = ctx.saved_tensors
        of_qkv = torch.empty_like(qkv)
        scale = qkv.shape[3] ** -0.5
        for piece in _pieces(qkv):
            q, k, v = _queries_keys_values(qkv, piece)
            of_q, of_k, of_v = _queries_keys_values(of_qkv, piece)
            piece_weights = weights[piece]
            of_output = gradient[piece]
            torch.sum(piece_weights.unsqueeze(2) * of_output.unsqueeze(4), 3, out=of_v)
            # Of softmax: w (g - sum w g), of weights w with derivatives g.
            weighted = pair_products(of_output * scale, v).mul_(piece_weights)
            totals = weighted.sum(3, keepdim=True)
            of_logits = weighted.addcmul_(piece_weights, totals, value=-1).unsqueeze(2)
            torch.sum(of_logits * k.unsqueeze(3), 4, out=of_q)
            torch.sum(of_logits * q.unsqueeze(4), 3, out=of_k)
        return of_qkv


def _pieces(qkv: Tensor) -> Iterator[tuple[slice, slice]]:
    """The slices of runs and of heads that are taken together; no head's numbers depend on them."""
    runs, _, heads, rank, n, batch = qkv.shape
    if qkv.device.type != "cpu":
        # A GPU has no use for pieces, and waits for each to be launched.
        yield slice(0, runs), slice(0, heads)
        return
    heads_together = max(1, PRODUCTS_TOGETHER // (rank * n * n * batch))
    runs_together = max(1, heads_together // heads)
    for run in range(0, runs, runs_together):
        for head in range(0, heads, heads_together):
            yield slice(run, run + runs_together), slice(head, head + heads_together)


def _queries_keys_values(qkv: Tensor, piece: tuple[slice, slice]) -> tuple[Tensor, ...]:
    """Queries, keys and values of a piece, which is slices of runs and of heads, as views: each
    (runs, heads, r, n, B)."""
    runs, heads = piece
    return qkv[runs, :, heads].unbind(1)


def pair_products(a: Tensor, b: Tensor) -> Tensor:
    """The inner products of all pairs of points of a and b, over the axis r of (..., r, n, B):
    (..., n, n, B), a's points first."""
    products = a.unsqueeze(-2) * b.unsqueeze(-3)
    return products.squeeze(-4) if a.shape[-3] == 1 else products.sum(-4)


@torch.no_grad()
def learned_heads(model: Architecture, tensors: list[Tensor]) -> list[dict[str, list[float]]]:
    """Per run, OF_HEADS with one value per head, layer by layer; empty where rank < D.

    The logits of a head are x_i' M x_j / sqrt(r) + what biases add, M = W_q' W_k with W_q, W_k
    (r, D). `angle` to +I in degrees, arccos(tr M / (|M| sqrt(D))); `norm` |M| / sqrt(D), so that
    c I has norm |c|; both again for W_q W_k', which the published figure shows; `scale`
    tr M / (D sqrt(r)), the c of the multiple of I nearest to what multiplies x_i' x_j. What the
    head adds to a point is an average of V x_j + what biases add, V = W_o W_v over the width:
    `angle_value` and `norm_value` are V's.
    """
    runs = tensors[0].shape[0]
    heads = model.total_heads
    dimension = model.model_dimension
    heads_of_runs: list[dict[str, list[float]]] = [
        {name: [] for name in OF_HEADS} for _ in range(runs)
    ]
    if model.rank < dimension:
        return heads_of_runs
    for number, layer in enumerate(layers_of(tensors), start=1):
        inner = layer.attend_in.cpu().double().view(runs, 3, heads, dimension, dimension)
        q, k, v = inner.unbind(1)
        outer = layer.attend_out.cpu().double().unflatten(2, (heads, dimension)).transpose(1, 2)
        scores = q.mT @ k
        angle, norm = _angle_and_norm(scores)
        angle_code, norm_code = _angle_and_norm(q @ k.mT)
        angle_value, norm_value = _angle_and_norm(outer @ v / model.width)
        columns = {
            "head_layer": torch.full((runs, heads), number),
            "angle": angle,
            "norm": norm,
            "angle_code": angle_code,
            "norm_code": norm_code,
            "scale": _trace(scores) / dimension**1.5,
            "angle_value": angle_value,
            "norm_value": norm_value,
        }
        for run, columns_of_run in enumerate(heads_of_runs):
            for name, numbers in columns.items():
                columns_of_run[name] += numbers[run].tolist()
    return heads_of_runs


def _trace(matrices: Tensor) -> Tensor:
    """The traces (...) of matrices (..., D, D)."""
    return matrices.diagonal(dim1=-2, dim2=-1).sum(-1)


def _angle_and_norm(matrices: Tensor) -> tuple[Tensor, Tensor]:
    """Angles to I in degrees, and norms over sqrt(D), of matrices (..., D, D)."""
    dimension = matrices.shape[-1]
    norm = torch.linalg.matrix_norm(matrices) / dimension**0.5
    # Rounding may lead just beyond 1.
    cosine = (_trace(matrices) / (norm * dimension)).clamp(-1, 1)
    return torch.arccos(cosine) * (180 / np.pi), norm
