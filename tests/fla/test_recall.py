"""Plain references of flash-linear-attention as black boxes: their recall is what is computed.

They are causal: each token is written, then read. So each query is one more token, with a key and a
value of 0 and no gate, behind a copy of all pairs; queries are a batch.
"""

import math

import numpy as np
import pytest
import torch

from attention_separation import recall

DECAY = 0.95
OF_RETENTION = 1 - 2**-5
"""Of its first head."""


def with_queries(q, k, v):
    """Tokens (B, T, H, D) of one head, a batch for each query, which is the last token's."""
    q, k, v = (torch.as_tensor(np.asarray(each), dtype=torch.float32) for each in (q, k, v))
    count, n = len(q), len(k)
    queries = torch.zeros(count, n + 1, 1, q.shape[1])
    queries[:, -1, 0] = q
    keys = torch.zeros(count, n + 1, 1, k.shape[1])
    keys[:, :-1, 0] = k
    values = torch.zeros(count, n + 1, 1, v.shape[1])
    values[:, :-1, 0] = v
    return queries, keys, values


def of_writes(like, number, at_query):
    """(B, T, H): a number at each write, another at the query."""
    numbers = torch.full(like.shape[:3], float(number))
    numbers[:, -1] = at_query
    return numbers


def heads_first(*tensors):
    return [tensor.transpose(1, 2) for tensor in tensors]


def delta_rule(reference, beta):
    function = reference("delta_rule", "delta_rule_recurrence")

    def layer(q, k, v):
        queries, keys, values = with_queries(q, k, v)
        (betas,) = heads_first(of_writes(keys, beta, 0))
        outputs, _ = function(*heads_first(queries, keys, values), betas)
        return outputs[:, 0, -1].numpy()

    return layer


def gated_delta_rule(reference, beta, decay):
    function = reference("gated_delta_rule", "naive_recurrent_gated_delta_rule")

    def layer(q, k, v):
        queries, keys, values = with_queries(q, k, v)
        betas = of_writes(keys, beta, 0)
        gates = of_writes(keys, math.log(decay), 0)
        outputs, _ = function(q=queries, k=keys, v=values, beta=betas, g=gates)
        return outputs[:, -1, 0].numpy()

    return layer


def gated_linear_attention(reference, decay):
    function = reference("gla", "naive_recurrent_gla")

    def layer(q, k, v):
        queries, keys, values = with_queries(q, k, v)
        gates = of_writes(keys, math.log(decay), 0)[..., None].expand(keys.shape)
        outputs, _ = function(queries, keys, values, gates)
        return outputs[:, -1, 0].numpy()

    return layer


def retention(reference):
    function = reference("retention", "naive_retention")

    def layer(q, k, v):
        return function(*heads_first(*with_queries(q, k, v)))[:, 0, -1].numpy()

    return layer


CASES = {
    "delta rule": (lambda of: delta_rule(of, 1.0), recall.delta(1), 1),
    "delta rule, beta of a half": (lambda of: delta_rule(of, 0.5), recall.delta(0.5), 1),
    "gated delta rule": (
        lambda of: gated_delta_rule(of, 0.7, DECAY), recall.delta(0.7, DECAY), 1,
    ),
    "gated linear attention": (
        lambda of: gated_linear_attention(of, DECAY), recall.decay("linear", DECAY), "sqrt_d",
    ),
    "retention": (retention, recall.decay("linear", OF_RETENTION), "sqrt_d"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("age", [None, 3])
def test_a_reference_recalls_as_it_is_computed(name, age, reference):
    """At 5.3 standard errors of both: one of ten fails by chance once in 10^6."""
    make, known, norm = CASES[name]
    found = recall.simulate(make(reference), n=24, d=16, trials=300, seed=5, age=age, norm=norm)
    wanted = recall.accuracy(known, n=24, d=16, age=age)
    assert found.value == pytest.approx(wanted.value, abs=5.3 / 1.96 * (found.error + wanted.error))
    assert found.error < 0.04
