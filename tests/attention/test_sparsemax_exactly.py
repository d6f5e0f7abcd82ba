"""Sparsemax at any n against rational arithmetic: its threshold hangs on the last digits."""

from fractions import Fraction

import numpy as np
import pytest

from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData

SIZES = [20, 200, 20_000, 10**8, 10**10, 10**12]


def projected(scores, counts):
    """max(x - tau, 0) with sum 1 over all tokens; tau of the largest k tokens, k the largest with
    the k-th above it."""
    x = [Fraction(float(score)) for score in scores]
    size, total, tau = 0, Fraction(0), None
    for score, count in sorted(zip(x, counts.tolist(), strict=True), reverse=True):
        size, total = size + count, total + count * score
        if count and score > (total - 1) / size:
            tau = (total - 1) / size
    return [float(max(score - tau, 0)) for score in x]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_weights_are_those_of_rational_arithmetic(layer):
    for types in token_types(layer, FixedData(), SIZES):
        weights = distinct_rows(types, KERNELS["sparsemax"]).weights
        for point, row in np.argwhere(types.exists):
            counts = types.multiplicities[point]
            wanted = np.where(counts > 0, projected(types.scores[point, row], counts), 0.0)
            assert weights[point, row] == pytest.approx(wanted, rel=1e-14)
