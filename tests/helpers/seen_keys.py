"""Scores of a head of which some keys are masked, and what is compared of them."""

import literal_sight as literal
import numpy as np
from head_rows import RNG

N = 64
"""Queries, and keys."""

TARGET = 40
"""The key that queries should find."""


def scored(kind, seed=1, least=10):
    """Scores of a head, which keys are visible, and a target for each query that sees it, and
    enough others."""
    rng = RNG(seed)
    is_visible = literal.visible(kind, N, rng)
    scores = rng.standard_normal((N, N))
    scores[:, TARGET] += 3
    has_target = is_visible[:, TARGET] & (is_visible.sum(1) >= least)
    return scores, is_visible, np.where(has_target, TARGET, -1)


def weights_of(scores, is_visible):
    """Softmax's, 0 for a query that sees nothing."""
    exponentials = np.where(is_visible, np.exp(scores), 0)
    return exponentials / np.maximum(exponentials.sum(-1, keepdims=True), 1e-300)


def assert_same(table, other):
    np.testing.assert_allclose(
        table.to_numpy(float), other[list(table)].to_numpy(float), rtol=1e-9, atol=1e-12
    )
