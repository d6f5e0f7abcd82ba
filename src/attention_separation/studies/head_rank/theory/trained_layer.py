"""One layer of generalised heads, trained: the class of networks that Theorem 2 is on.

Points x_1..x_N and a query y; head h has K_h and Q_h (d x r) and a value map V_h, any d x d matrix.
Its weights are the softmax over the points of <K_h^T x_i, Q_h^T y> / sqrt(r), and what the layer
gives is the sum over heads of V_h times the so weighted points. No MLP and no skip connection
stands behind it. The gradient is written out, so that this needs no PyTorch.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..constructions.data import nearest, orthogonal, squared_error
from ..constructions.full_rank_head import softmax

POINTS_OF_SET = 2
"""N, as in Theorem 2."""

MEAN_DECAY, SQUARE_DECAY = 0.9, 0.99
"""Of the optimizer's means of gradients and of their squares."""

EPSILON = 1e-8

RISING_PART = 0.1
"""Part of the steps in which the rate rises; then it falls to 0 along a cosine."""


@dataclass(frozen=True)
class Layer:
    """Parameters of H heads, or derivatives by them: keys and queries (H, d, r), value maps
    (H, d, d)."""

    keys: np.ndarray
    queries: np.ndarray
    values: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        yield self.keys
        yield self.queries
        yield self.values


def initial_layer(
    rng: np.random.Generator, d: int, rank: int, heads: int, dtype: type = np.float32
) -> Layer:
    """The layer that training begins with: normal keys and queries with columns of norm about 1,
    and values with outputs of norm below 1."""
    keys = rng.standard_normal((heads, d, rank)) / math.sqrt(d)
    queries = rng.standard_normal((heads, d, rank)) / math.sqrt(d)
    values = rng.standard_normal((heads, d, d)) / math.sqrt(d * heads)
    return Layer(*(array.astype(dtype) for array in (keys, queries, values)))


def _mapped_points(x: np.ndarray, maps: np.ndarray) -> np.ndarray:
    """The points x (B, N, d) as each head maps them, maps_h^T x_i for maps (H, d, r):
    (H, B, N, r)."""
    heads, d, rank = maps.shape
    flat = x.reshape(-1, d) @ maps.transpose(1, 0, 2).reshape(d, heads * rank)
    return flat.reshape(*x.shape[:-1], heads, rank).transpose(2, 0, 1, 3)


def _weighted_sums(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Sums over the points of weights (H, B, N) times points x (B, N, d): (H, B, d)."""
    return sum(weights[:, :, i, None] * x[:, i] for i in range(x.shape[1]))


class Attention(NamedTuple):
    """What the heads of a layer make of a batch: keys (H, B, N, r), queries (H, B, r), weights
    (H, B, N) and weighted points (H, B, d)."""

    keys: np.ndarray
    queries: np.ndarray
    weights: np.ndarray
    weighted_points: np.ndarray


def attention(layer: Layer, x: np.ndarray, y: np.ndarray) -> Attention:
    """The attention of each head over points x (B, N, d) from queries y (B, d)."""
    keys = _mapped_points(x, layer.keys)
    queries = _mapped_points(y[:, None], layer.queries)[:, :, 0]
    logits = np.einsum("hbnr,hbr->hbn", keys, queries) / math.sqrt(layer.keys.shape[2])
    weights = softmax(logits.swapaxes(1, 2)).swapaxes(1, 2)
    return Attention(keys, queries, weights, _weighted_sums(weights, x))


def outputs(layer: Layer, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The layer's outputs (B, d) for points x (B, N, d) and queries y (B, d)."""
    return _sum_of_values(layer, attention(layer, x, y).weighted_points)


def _sum_of_values(layer: Layer, weighted: np.ndarray) -> np.ndarray:
    """The sum over heads of their value maps times the weighted points (H, B, d): (B, d)."""
    heads, batch, d = weighted.shape
    stacked = layer.values.transpose(0, 2, 1).reshape(heads * d, d)
    return weighted.transpose(1, 0, 2).reshape(batch, heads * d) @ stacked


def error_and_gradient(
    layer: Layer, x: np.ndarray, y: np.ndarray, target: np.ndarray
) -> tuple[float, Layer]:
    """The mean squared error on a batch with targets (B, d), and its derivatives by the layer's
    parameters."""
    keys, queries, weights, weighted = attention(layer, x, y)
    missed = _sum_of_values(layer, weighted) - target
    of_output = 2 / len(x) * missed
    heads, batch, d = weighted.shape
    flat = weighted.transpose(1, 0, 2).reshape(batch, heads * d)
    of_values = (of_output.T @ flat).reshape(d, heads, d).transpose(1, 0, 2)
    of_weighted = np.matmul(of_output, layer.values)
    of_weights = np.stack([(of_weighted * x[:, i]).sum(axis=2) for i in range(x.shape[1])], axis=2)
    mean_of_weights = (of_weights * weights).sum(axis=2, keepdims=True)
    of_logits = weights * (of_weights - mean_of_weights) / math.sqrt(layer.keys.shape[2])
    of_keys = np.matmul(_weighted_sums(of_logits, x).swapaxes(1, 2), queries)
    of_queries = np.matmul(y.T, (of_logits[..., None] * keys).sum(axis=2))
    error = float((missed * missed).sum(axis=1).mean())
    return error, Layer(of_keys, of_queries, of_values)


class LayerBatch(NamedTuple):
    """Points of D_2 (B, N, d), queries (B, d), and the nearest points (B, d)."""

    points: np.ndarray
    queries: np.ndarray
    targets: np.ndarray


def new_batch(rng: np.random.Generator, size: int, d: int, dtype: type = np.float32) -> LayerBatch:
    """A batch of so many new sets of two orthogonal points in d dimensions, with the nearest."""
    x, y = orthogonal(rng, size, d, POINTS_OF_SET)
    target = nearest(x, y)
    points: np.ndarray = x.swapaxes(1, 2).astype(dtype)
    return LayerBatch(points, queries=y.astype(dtype), targets=target.astype(dtype))


def learning_rate(step: int, steps: int, highest: float) -> float:
    """Learning rate of a step, counted from 0."""
    warm = max(1, round(steps * RISING_PART))
    if step < warm:
        return highest * (step + 1) / warm
    return highest * (1 + math.cos(math.pi * (step - warm) / (steps - warm))) / 2


def trained_layer(
    rng: np.random.Generator, layer: Layer, *, steps: int, batch: int, highest_rate: float
) -> Layer:
    """The layer after so many steps of Adam, each on a new batch."""
    dtype = layer.keys.dtype.type
    d = layer.keys.shape[1]
    parameters = [array.copy() for array in layer]
    means = [np.zeros_like(array) for array in layer]
    squares = [np.zeros_like(array) for array in layer]
    for step in range(steps):
        _, gradient = error_and_gradient(Layer(*parameters), *new_batch(rng, batch, d, dtype))
        size = learning_rate(step, steps, highest_rate) / (1 - MEAN_DECAY ** (step + 1))
        correction = 1 - SQUARE_DECAY ** (step + 1)
        for array, mean, square, slope in zip(parameters, means, squares, gradient, strict=True):
            mean += (1 - MEAN_DECAY) * (slope - mean)
            square += (1 - SQUARE_DECAY) * (slope * slope - square)
            array -= dtype(size) * mean / (np.sqrt(square / correction) + EPSILON)
    return Layer(*parameters)


def errors_on_new_sets(rng: np.random.Generator, layer: Layer, count: int) -> np.ndarray:
    """Squared errors on new sets, (count,)."""
    d = layer.keys.shape[1]
    parts = []
    for start in range(0, count, SETS_TOGETHER):
        x, y, target = new_batch(rng, min(SETS_TOGETHER, count - start), d, layer.keys.dtype.type)
        parts.append(squared_error(target, outputs(layer, x, y)))
    return np.concatenate(parts).astype(float)


SETS_TOGETHER = 1024
"""Sets that are scored together."""
