"""The networks, for an ensemble of runs at once: every tensor has an axis of runs, R. B is the
sequences of a batch, n their tokens, d the dimension of these, and k the numbers of a sequence.

A network makes numbers of a batch, (R, k, ...), which are standardised, and reads them: 8 ReLU
neurons, and a linear output whose sign says D1.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from ....attention.kernel import Kernel
from ..settings.cells import NeedleCell
from .batches import QueryBatch, TokenBatch
from .weights import Weights

NEURONS = 8

INITIAL_SCALE = 0.3
"""Of W_q and W_k in `query_given`, times what keeps a token's length: larger ones attend to
anything, and may stay there."""

LINEAR = ("linear", "linear_unnormalised")
"""Kernels that are the score itself: every token's sum over keys is linear in it."""

Parameters = Mapping[str, Tensor]

OfBatch = TypeVar("OfBatch", QueryBatch, TokenBatch)
"""The batches that a network attends to."""


class Network(ABC, Generic[OfBatch]):
    """An attention layer, and neurons that read its one output, or all d of it.

    `width` is that of what neurons read, `numbers` k. Without a kernel it has no `weights`.
    """

    weights: Weights

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        self.job = job
        self.kernel = kernel
        if kernel is not None:
            self.weights = Weights(kernel, job.map.divided_by, job.dimension)
        self.width = job.dimension
        self.numbers = job.dimension

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """The initial values of all parameters of one run, by name."""
        return self.initial_attention(generator) | {
            "neurons": generator.standard_normal((NEURONS, self.width)) / self.width**0.5,
            "neuron_bias": generator.standard_normal((NEURONS, 1)),
            "output": generator.standard_normal((1, NEURONS)) / NEURONS**0.5,
            "bias": np.zeros((1, 1)),
        }

    @abstractmethod
    def initial_attention(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """The initial values of the attention's parameters of one run, by name."""

    @abstractmethod
    def attended(self, parameters: Parameters, batch: OfBatch) -> Tensor:
        """The numbers that attention makes of each sequence, (R, k, B), or of each of its tokens,
        (R, k, B, n)."""

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        """The output for each sequence, (R, B): positive says D1."""
        hidden = torch.baddbmm(parameters["neuron_bias"], parameters["neurons"], numbers).relu()
        return torch.baddbmm(parameters["bias"], parameters["output"], hidden).squeeze(1)


class QueryGiven(Network[QueryBatch]):
    """The query is W_q u; what is read is the output along u: wired by hand."""

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        super().__init__(job, kernel)
        self.width = 1
        self.numbers = 1

    def initial_attention(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """W_q and W_k, random, and the shift of the scores, 0."""
        d = self.job.dimension
        shape = (self.job.map.features or d, d)
        return {
            "query": INITIAL_SCALE * generator.standard_normal(shape) / d**0.5,
            "key": INITIAL_SCALE * generator.standard_normal(shape) / d**0.5,
            "shift": np.zeros((1, 1)),
        }

    def attended(self, parameters: Parameters, batch: QueryBatch) -> Tensor:
        """The attention's output along each run's u, (R, 1, B)."""
        query = parameters["query"]
        key = parameters["key"]
        u = batch.directions
        needles = self.job.mu * batch.labels.view(-1, 1, 1)
        values = _with_needle(u @ batch.noise, needles.expand(-1, u.shape[1], 1), batch.places)
        if self.job.map.features:
            # u of each run by its own matrices: (B, R, r).
            queries = torch.einsum("rfd,brd->brf", query, u)
            of_needle = torch.einsum("rfd,brd->brf", key, u)
            keys = torch.bmm(key.flatten(0, 1).expand(len(u), -1, -1), batch.noise)
            keys = keys.view(*of_needle.shape, -1)
            places = batch.places.unsqueeze(2).expand(of_needle.shape)
            keys = _with_needle(keys, needles * of_needle, places)
            weights = self.weights.of_features(queries, keys)
        else:
            along = torch.einsum("rde,bre->brd", key.mT @ query, u)
            needles = needles * (along * u).sum(2, keepdim=True)
            scores = _with_needle(along @ batch.noise, needles, batch.places)
            weights = self.weights.of_scores(scores + parameters["shift"].view(1, -1, 1))
        return (weights * values).sum(2).mT.unsqueeze(1)


def _with_needle(of_noise: Tensor, needles: Tensor, places: Tensor) -> Tensor:
    """The values (..., n) of tokens of noise, with those of needles added at their places,
    (...,)."""
    return of_noise.scatter_add(-1, places.unsqueeze(-1), needles.view(*places.shape, 1))


class Sink(QueryGiven):
    """Softmax of scale z, for z along the query, with a sink; the output is the logit of the weight
    that the tokens have together. The scale is mu where it is not learned."""

    def initial(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """The sink's logit, log n, and where it is learned the scale, 0.5."""
        values = {"sink": np.full((1, 1), math.log(self.job.n))}
        if self.job.arm == "sink_and_scale_learned":
            values["scale"] = np.full((1, 1), 0.5)
        return values

    def attended(self, parameters: Parameters, batch: QueryBatch) -> Tensor:
        """The log of the sum of the tokens' weights, exp(scale z), (R, 1, B)."""
        u = batch.directions
        needles = self.job.mu * batch.labels.view(-1, 1, 1)
        z = _with_needle(u @ batch.noise, needles.expand(-1, u.shape[1], 1), batch.places)
        scale = parameters.get("scale", torch.full((1,), self.job.mu, device=z.device))
        return (scale.view(1, -1, 1) * z).logsumexp(2).mT.unsqueeze(1)

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        """The logit of the tokens' weight beside the sink's, (R, B)."""
        return (numbers - parameters["sink"]).squeeze(1)


class QueryLearned(Network[TokenBatch]):
    """The query is learned; the whole output is read."""

    def initial_attention(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        """The learned query with the shift of the scores, or with the keys' map to features."""
        d = self.job.dimension
        features = self.job.map.features
        if not features:
            return {"query": 0.1 * generator.standard_normal((1, d)), "shift": np.ones((1, 1))}
        return {
            "query": generator.standard_normal(features),
            "key": generator.standard_normal((features, d)) / d**0.5,
        }

    def attended(self, parameters: Parameters, batch: TokenBatch) -> Tensor:
        """The attention's output at the learned query, (R, d, B)."""
        x = batch.tokens
        query = parameters["query"].unsqueeze(1)
        if self.job.map.features:
            keys = torch.matmul(parameters["key"].unsqueeze(1), x)
            weights = self.weights.of_features(query, keys)
        else:
            scores = torch.matmul(query, x).squeeze(2) + parameters["shift"]
            weights = self.weights.of_scores(scores)
        output = torch.matmul(x, weights.unsqueeze(-1)).squeeze(-1)
        return self.weights.normed(output).mT


class SelfAttention(Network[TokenBatch]):
    """The first paper's network: every token a query, ReLU neurons on each, pooled by the largest.

    Scores are A X A'; X starts at the identity. Without a kernel, neurons read the tokens.
    """

    def __init__(self, job: NeedleCell, kernel: Kernel | None):
        super().__init__(job, kernel)
        self.numbers = NEURONS

    def initial_attention(self, generator: np.random.Generator) -> dict[str, np.ndarray]:
        return {"x": np.eye(self.job.dimension)}

    def attended(self, parameters: Parameters, batch: TokenBatch) -> Tensor:
        """The product of each neuron's weights and each token's output, or without a kernel the
        token itself, (R, k, B, n)."""
        x = batch.tokens
        neurons = parameters["neurons"].unsqueeze(1)
        output = x
        if self.kernel is not None:
            output = self._rows(self.kernel, parameters["x"].unsqueeze(1), x)
        return torch.matmul(neurons, output).transpose(1, 2)

    def _rows(self, kernel: Kernel, middle: Tensor, x: Tensor) -> Tensor:
        """c of Definition C.1 for every token, (R, B, d, n), tokens last; `middle` is X."""
        queries = torch.matmul(middle.mT, x)
        divided_by = self.job.map.divided_by
        if kernel.name not in LINEAR:
            weights = self.weights.of_scores(torch.matmul(queries.mT, x))
            return self.weights.normed(torch.matmul(x, weights.mT))
        output = torch.matmul(torch.matmul(x, x.mT), queries)
        if divided_by == "n":
            output = output / x.shape[-1]
        elif divided_by == "sum":
            output = output / (x.sum(3, keepdim=True) * queries).sum(2, keepdim=True)
        return self.weights.normed(output)

    def read(self, parameters: Parameters, numbers: Tensor) -> Tensor:
        """The output for each sequence, (R, B), from the largest value of each neuron over
        tokens."""
        pooled = (numbers + parameters["neuron_bias"].unsqueeze(3)).relu().amax(3)
        return torch.baddbmm(parameters["bias"], parameters["output"], pooled).squeeze(1)


NETWORKS: dict[str, type[Network[Any]]] = {
    "query_given": QueryGiven,
    "query_learned": QueryLearned,
    "self_attention": SelfAttention,
    "sink_learned": Sink,
    "sink_and_scale_learned": Sink,
}
"""By arm."""
