"""Kernels against PyTorch's own attention and functions, on the datasets, in float64."""

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


def check(found, c):
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found.numpy(), c, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_scaled_dot_product_attention(name, dataset):
    q, k, v, c = rows(name, dataset, "exp_sqrt_d")
    check(scaled_dot_product_attention(q[None], k[None], v[None])[0], c)
    q, k, v, c = rows(name, dataset, "exp")
    check(scaled_dot_product_attention(q[None], k[None], v[None], scale=1.0)[0], c)


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_softmax_one_has_one_more_key_and_value_of_zeros(name, dataset):
    """`add_zero_attn` of torch's MultiheadAttention."""
    q, k, v, c = rows(name, dataset, "softmax_one")
    k, v = (pad(tokens, (0, 0, 0, 1)) for tokens in (k, v))
    check(scaled_dot_product_attention(q[None], k[None], v[None], scale=1.0)[0], c)


FEATURES = {
    "elu_plus_one": lambda z: elu(z) + 1,
    "relu_features": relu,
    "softmax_features": lambda z: torch.softmax(z, dim=-1),
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
@pytest.mark.parametrize("kernel", FEATURES)
def test_linear_attention_of_features(name, dataset, kernel):
    """In linear time: sums over keys first."""
    q, k, v, c = rows(name, dataset, kernel)
    phi_q, phi_k = FEATURES[kernel](q), FEATURES[kernel](k)
    check(phi_q @ (phi_k.T @ v) / (phi_q @ phi_k.sum(dim=0))[:, None], c)


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_efficient_attention(name, dataset):
    q, k, v, c = rows(name, dataset, "efficient")
    check(torch.softmax(q, dim=-1) @ (torch.softmax(k, dim=0).T @ v), c)


SPARSE = {
    "sparsemax": sparsemax,
    "entmax_15": entmax15,
    "entmax_125": lambda x, dim: entmax_bisect(x, alpha=1.25, dim=dim, n_iter=100),
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("dataset", [0, 1])
@pytest.mark.parametrize("kernel", SPARSE)
def test_sparse_rows_are_those_of_entmax(name, dataset, kernel):
    q, k, v, c = rows(name, dataset, kernel)
    check(SPARSE[kernel](q @ k.T, dim=-1) @ v, c)
