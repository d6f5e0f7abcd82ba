"""The networks, for an ensemble of runs at once: every tensor has an axis of runs, R.

A network makes numbers of a batch, (R, k, ...), which are standardised, and reads them: 8 ReLU
neurons, and a linear output whose sign says D1.
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from attention_separation.attention.kernel import Kernel

from ..settings.cells import NeedleCell
from .batches import AskedBatch, TokenBatch
from .weights import weights_of_features, weights_of_scores

NEURONS = 8
EPS = 1e-6

START = 0.3
"""Of W_q and W_k in `query_given`, times what keeps a token's length: larger ones attend to
anything, and may stay there."""

FACTORED = {"linear": 1.0, "linear_unnormalised": 1.0}
"""Kernels that are their factor times the score: every token's sum over keys is linear in it."""

Parameters = Mapping[str, Tensor]


class Network(Protocol):
    """What the arms differ in."""

    numbers: int
    """k: what is standardised and read."""

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """Initial values of one run by name."""

    def attended(self, parameters: Parameters, batch) -> Tensor:
        """Numbers of the sequences, (R, k, B), or of all their tokens, (R, k, B, n)."""

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        """The output for each sequence, (R, B): positive says D1."""


def network_of(job: NeedleCell, kernel: Kernel | None) -> Network:
    """The network of a cell."""
    of_arm = {"query_given": Asked, "query_learned": Fixed, "self_attention": Paper}
    return of_arm[job.arm](job, kernel)


class OneQuery:
    """A network with one query, and the neurons that read it."""

    numbers = 1

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        self.job, self.map, self.kernel = job, job.map, kernel

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        hidden = torch.baddbmm(parameters["neuron_bias"], parameters["neurons"], numbers).relu()
        return torch.baddbmm(parameters["bias"], parameters["output"], hidden).squeeze(1)

    def _readout(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        return {
            "neurons": generator.standard_normal((NEURONS, self.numbers)) / self.numbers**0.5,
            "neuron_bias": generator.standard_normal((NEURONS, 1)),
            "output": generator.standard_normal((1, NEURONS)) / NEURONS**0.5,
            "bias": np.zeros((1, 1)),
        }


class Asked(OneQuery):
    """The query is W_q u; what is read is the output along u: wired by hand."""

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        d = self.job.dimension
        shape = (self.map.features or d, d)
        return {
            "query": START * generator.standard_normal(shape) / d**0.5,
            "key": START * generator.standard_normal(shape) / d**0.5,
            "shift": np.zeros((1, 1)),
        } | self._readout(generator)

    def attended(self, parameters: Parameters, batch: AskedBatch) -> Tensor:
        query, key = parameters["query"], parameters["key"]
        u, needles = batch.directions, self.job.mu * batch.labels.view(-1, 1, 1)
        values = _with_needle(u @ batch.noise, needles.expand(-1, u.shape[1], 1), batch.places)
        if self.map.features:
            # u of each run by its own matrices: (B, R, r).
            queries, of_needle = (torch.einsum("rfd,brd->brf", each, u) for each in (query, key))
            keys = torch.bmm(key.flatten(0, 1).expand(len(u), -1, -1), batch.noise)
            keys = keys.view(*of_needle.shape, -1)
            places = batch.places.unsqueeze(2).expand(of_needle.shape)
            keys = _with_needle(keys, needles * of_needle, places)
            weights = weights_of_features(self.kernel, self.map.divided_by, queries, keys)
        else:
            along = torch.einsum("rde,bre->brd", key.mT @ query, u)
            needles = needles * (along * u).sum(2, keepdim=True)
            scores = _with_needle(along @ batch.noise, needles, batch.places)
            scores = scores + parameters["shift"].view(1, -1, 1)
            weights = weights_of_scores(
                self.kernel, self.map.divided_by, scores, self.job.dimension
            )
        return (weights * values).sum(2).mT.unsqueeze(1)


def _with_needle(of_noise: Tensor, needles: Tensor, places: Tensor) -> Tensor:
    """What is linear in tokens, (..., n), of noise with needles at their places, (...,)."""
    return of_noise.scatter_add(-1, places.unsqueeze(-1), needles.view(*places.shape, 1))


class Fixed(OneQuery):
    """The query is learned; the whole output is read."""

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        super().__init__(job, kernel)
        self.numbers = job.dimension

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        d, features = self.job.dimension, self.map.features
        if features:
            attention = {
                "query": generator.standard_normal(features),
                "key": generator.standard_normal((features, d)) / d**0.5,
            }
        else:
            attention = {
                "query": 0.1 * generator.standard_normal((1, d)), "shift": np.ones((1, 1))
            }  # fmt: skip
        return attention | self._readout(generator)

    def attended(self, parameters: Parameters, batch: TokenBatch) -> Tensor:
        x, query = batch.tokens, parameters["query"]
        if self.map.features:
            keys = torch.matmul(parameters["key"].unsqueeze(1), x)
            queries = query.unsqueeze(1)
            weights = weights_of_features(self.kernel, self.map.divided_by, queries, keys)
        else:
            scores = torch.matmul(query.unsqueeze(1), x).squeeze(2) + parameters["shift"]
            weights = weights_of_scores(
                self.kernel, self.map.divided_by, scores, self.job.dimension
            )
        output = torch.matmul(x, weights.unsqueeze(-1)).squeeze(-1)
        return _normed(self.map.divided_by, output, 2).mT


class Paper:
    """The first paper's network: every token a query, ReLU neurons on each, pooled by the largest.

    Scores are A X A'; X starts at the identity. Without a kernel, neurons read the tokens.
    """

    numbers = NEURONS

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        self.job, self.map, self.kernel = job, job.map, kernel

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        d = self.job.dimension
        return {
            "x": np.eye(d),
            "neurons": generator.standard_normal((NEURONS, d)) / d**0.5,
            "neuron_bias": generator.standard_normal(NEURONS),
            "output": generator.standard_normal((1, NEURONS)) / NEURONS**0.5,
            "bias": np.zeros((1, 1)),
        }

    def attended(self, parameters: Parameters, batch: TokenBatch) -> Tensor:
        x, neurons = batch.tokens, parameters["neurons"].unsqueeze(1)
        output = x if self.kernel is None else self._rows(parameters["x"].unsqueeze(1), x)
        return torch.matmul(neurons, output).transpose(1, 2)

    def _rows(self, middle: Tensor, x: Tensor) -> Tensor:
        """c of Definition C.1 for every token, (R, B, d, n), tokens last."""
        queries, divided_by = torch.matmul(middle.mT, x), self.map.divided_by
        factor = FACTORED.get(self.kernel.name)
        if factor is None:
            scores = torch.matmul(queries.mT, x)
            weights = weights_of_scores(self.kernel, divided_by, scores, self.job.dimension)
            output = torch.matmul(x, weights.mT)
        else:
            output = torch.matmul(factor * torch.matmul(x, x.mT), queries)
            if divided_by == "n":
                output = output / x.shape[-1]
            elif divided_by == "sum":
                output = output / (factor * x.sum(3, keepdim=True) * queries).sum(2, keepdim=True)
        return _normed(divided_by, output, 2)

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        biased = numbers + parameters["neuron_bias"].view(-1, NEURONS, 1, 1)
        pooled = biased.relu().amax(3)
        return torch.baddbmm(parameters["bias"], parameters["output"], pooled).squeeze(1)


def _normed(divided_by: str, output: Tensor, axis: int) -> Tensor:
    """The output, or its RMSNorm over the axis of dimensions."""
    if divided_by != "rms":
        return output
    return output * (output.square().mean(axis, keepdim=True) + EPS).rsqrt()
