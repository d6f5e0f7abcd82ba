"""How X is split: what it does not change, and that the split is the one that is named."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_separation.any_attention.layers import LAYERS, ONE_COORDINATE
from attention_separation.any_attention.values import score_columns
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.settings import Data

SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=2)
OF_VECTORS = [kernel for kernel in KERNELS.values() if kernel.kind == "features"]


def literal_scores(kernel, layer, split, dataset, n=6):
    """The largest scores of all 2^d columns, of n x n attention with the matrices of a split."""
    d = layer.d(SMALL.classes)
    tokens = layer.tokens(SMALL, n)
    places = np.zeros(layer.dataset.special_tokens, dtype=int)
    a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, places)
    if split == ONE_COORDINATE:
        q = k = np.ones((d, 1))
    else:
        q, k = q * split, k / split
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    return (attention(a1, a2, a3, q, k, np.eye(d), kernel) @ y.T).max(axis=0)


@pytest.mark.parametrize("kernel", OF_VECTORS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: f"{x.model}, {x.attention_x}")
def test_against_the_literal_definition(layer, kernel):
    for split in (0.6, 2.0, *[ONE_COORDINATE] * (layer is LAYERS[1])):
        scored = score_columns(kernel, replace(layer, split=split), SMALL, [6])
        for dataset, states in enumerate((scored.d0.score, scored.d1.score)):
            wanted = np.unique(literal_scores(kernel, layer, split, dataset).round(9))
            np.testing.assert_allclose(np.unique(states.round(9)), wanted, atol=2e-9)
