"""The needle's networks and linear attention's theorem; and its failed training, by hand."""

import numpy as np
import pytest
import torch
from making import CONFIG
from needle_cells import small
from scipy.stats import binomtest

from attention_separation.attention.kernel_names import kernel_named
from attention_separation.needle.training.batches import TokenBatch, held_out
from attention_separation.needle.training.train_cell import NeedleNetworks
from attention_separation.statistics.seeding import stream

FALSE_ALARM = 1e-6

BY_HAND = 0.6
"""What the notes on the study state."""


@pytest.mark.parametrize(
    ("kernel", "divided_by", "features", "is_linear"),
    [("uniform", "sum", None, True), ("linear", "n", None, True), ("linear", "sum", None, True),
     ("linear_unnormalised", "rms", None, True), ("exp", "sum", None, False),
     ("power_2", "sum", None, False), ("elu_plus_one", "sum", 12, False)],
)  # fmt: skip
def test_linear_attention_sees_turned_tokens_as_they_were(kernel, divided_by, features, is_linear):
    """Any other z of one sum and one sum of squares is z turned among the tokens, 1 fixed."""
    job = small(kernel, divided_by, features, arm="query_learned", n=30)
    state = NeedleNetworks(job, kernel_named(kernel), torch.float64)
    generator = stream(2, "turned")
    tokens = torch.from_numpy(generator.standard_normal((3, 5, job.dimension, job.n)))
    v = torch.from_numpy(generator.standard_normal(job.n))
    v = v - v.mean()
    turned = tokens - 2 * torch.einsum("...n,n,m->...m", tokens, v, v) / (v @ v)
    labels = torch.arange(5.0) % 2
    seen, found = (
        state.network.attended(state.parameters, TokenBatch(each, labels)).detach()
        for each in (tokens, turned)
    )
    assert torch.allclose(seen, found, rtol=1e-9, atol=1e-9) == is_linear


def test_linear_attention_divided_by_row_sums_tells_more_than_it_learned():
    """X = e_d (e_1 + e_d)': every token asks the same query; read along e_1 by one threshold,
    chosen on other sequences."""
    kernel = {"kernel": "linear", "divided_by": "sum"}
    job = small(**kernel, arm="self_attention", n=512, mu=5.0, data=CONFIG.needle.data.model_dump(),
                held_out=20_000, seeds=[0])  # fmt: skip
    state = NeedleNetworks(job, kernel_named("linear"))
    x = torch.zeros(1, job.dimension, job.dimension)
    x[0, -1, [0, -1]] = 1.0
    neurons = torch.zeros_like(state.parameters["neurons"])
    neurons[0, 0, 0] = 1.0
    numbers, labels = [], []
    for batch in held_out(job):
        of_tokens = state.network.attended({"x": x, "neurons": neurons}, batch)[0, 0]
        torch.testing.assert_close(of_tokens[:, 0], of_tokens[:, -1], rtol=1e-2, atol=1e-3)
        numbers.append(of_tokens.amax(1).numpy())
        labels.append(batch.labels.numpy() > 0)
    numbers, labels = np.concatenate(numbers), np.concatenate(labels)
    half = len(labels) // 2
    tried = np.quantile(numbers[:half], np.linspace(0, 1, 401))
    t = max(tried, key=lambda each: ((numbers[:half] > each) == labels[:half]).sum())
    right = int(((numbers[half:] > t) == labels[half:]).sum())
    assert binomtest(right, half, BY_HAND).pvalue > FALSE_ALARM
    assert right / half > 0.58
