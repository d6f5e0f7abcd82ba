"""Recurrent layers of PyTorch as black boxes: their recall is what is computed."""

import pytest
import torch
from torch.nn import functional

from attention_separation import recall


class DeltaRule(torch.nn.Module):
    """A delta rule as a recurrent layer: a state is corrected at each step, then queries read."""

    def __init__(self, beta, decay=1.0):
        super().__init__()
        self.beta = beta
        self.decay = decay

    def forward(self, q, k, v):
        state = q.new_zeros(k.shape[1], v.shape[1])
        for key, value in zip(k, v, strict=True):
            state = self.decay * state
            state = state + self.beta * torch.outer(key, value - key @ state)
        return q @ state


def softmax_attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]


CASES = [
    (DeltaRule(1.0), recall.delta(1), {"n": 24, "d": 16, "norm": 1}),
    (DeltaRule(0.5, 0.95), recall.delta(0.5, 0.95), {"n": 30, "d": 16, "norm": 1}),
    (DeltaRule(1.0), recall.delta(1), {"n": 30, "d": 16, "norm": 1, "age": 5, "cosine": 0.8}),
    (softmax_attention, "exp_sqrt_d", {"n": 300, "d": 16, "norm": "sqrt_d"}),
]


@pytest.mark.parametrize(("layer", "known", "sizes"), CASES)
def test_a_layer_of_torch_recalls_as_it_is_computed(layer, known, sizes):
    """At 5.3 standard errors of both: each of four fails by chance once in 10^7."""
    found = recall.simulate(layer, trials=500, seed=3, **sizes)
    more = {key: value for key, value in sizes.items() if key != "norm"}
    wanted = recall.accuracy(known, **more)
    assert found.value == pytest.approx(wanted.value, abs=5.3 / 1.96 * (found.error + wanted.error))
    assert found.error < 0.03


def test_a_module_that_does_not_take_three_tensors_is_no_layer():
    with pytest.raises(ValueError, match=r"called as layer\(q, k, v\)"):
        recall.simulate(torch.nn.Linear(4, 4), n=6, d=4, trials=3)


@pytest.mark.filterwarnings("ignore:.*depends on the row that it stands in")
def test_a_causal_layer_is_told_that_queries_come_after_all_pairs():
    def causal(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    with pytest.warns(UserWarning, match="do not see their own key: .* without is_causal=True"):
        recall.simulate(causal, n=32, d=16, trials=20, norm="sqrt_d")
