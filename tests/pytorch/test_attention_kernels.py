"""Kernels against PyTorch's own attention and functions, on the datasets, in float64."""

from functools import partial

import numpy as np
import pytest
import torch
from entmax import entmax15, entmax_bisect, sparsemax
from making import model_of, point
from torch.nn.functional import elu, pad, relu, scaled_dot_product_attention

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS

SELF = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "theta": 0.5, "m": 1}
CROSS = {"a0": 0.01, "a1": 1.2, "m": 1}
POINTS = {
    "self, X = I": point("self_attention", n=200, d=22, **SELF, attention_x="identity"),
    "self, X = 1": point("self_attention", n=200, d=22, **SELF, attention_x="ones"),
    "cross": point("cross_attention", n=200, d=21, **CROSS),
}


def rows(name, dataset, kernel):
    """Queries, keys and values of torch, and the kernel's rows of c."""
    p = POINTS[name]
    model = model_of(p)
    tokens = model.literal(p, dataset, np.arange(model.special_tokens) + 3)
    c = attention(*tokens, np.eye(p.d), KERNELS[kernel])
    a1, a2, a3, q, k = (torch.from_numpy(array) for array in tokens)
    return a1 @ q, a2 @ k, a3, c


def features(phi):
    """Linear attention in linear time: sums over keys first."""

    def attend(q, k, v):
        of_queries, of_keys = phi(q), phi(k)
        sums = of_queries @ of_keys.sum(dim=0)
        return of_queries @ (of_keys.T @ v) / sums[:, None]

    return attend


def softmax_attention(q, k, v, scale=None):
    return scaled_dot_product_attention(q[None], k[None], v[None], scale=scale)[0]


THEIRS = {
    "exp_sqrt_d": softmax_attention,
    "exp": partial(softmax_attention, scale=1.0),
    # One more key and value of zeros: `add_zero_attn` of torch's MultiheadAttention.
    "softmax_one": lambda q, k, v: softmax_attention(
        q, pad(k, (0, 0, 0, 1)), pad(v, (0, 0, 0, 1)), scale=1.0
    ),
    "elu_plus_one": features(lambda z: elu(z) + 1),
    "relu_features": features(relu),
    "softmax_features": features(lambda z: torch.softmax(z, dim=-1)),
    "efficient": lambda q, k, v: torch.softmax(q, dim=-1) @ (torch.softmax(k, dim=0).T @ v),
    "sparsemax": lambda q, k, v: sparsemax(q @ k.T, dim=-1) @ v,
    "entmax_15": lambda q, k, v: entmax15(q @ k.T, dim=-1) @ v,
    "entmax_125": lambda q, k, v: entmax_bisect(q @ k.T, alpha=1.25, dim=-1, n_iter=100) @ v,
}
"""Attention by kernel, as PyTorch and the authors of entmax compute it."""


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
@pytest.mark.parametrize("kernel", THEIRS)
def test_a_kernel_is_what_others_compute(name, dataset, kernel):
    q, k, v, c = rows(name, dataset, kernel)
    found = THEIRS[kernel](q, k, v)
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found.numpy(), c, rtol=0, atol=1e-12)
