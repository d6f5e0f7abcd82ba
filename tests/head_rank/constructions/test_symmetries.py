"""Symmetries of the nearest neighbour and of the heads that represent it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_vote import MaskedLayer

from attention_separation.head_rank.constructions import data, full_rank_head

SIZES = st.tuples(st.integers(2, 7), st.integers(2, 6), st.integers(0, 2**32 - 1))


@settings(max_examples=40)
@given(SIZES, st.floats(0.1, 50))
def test_target_and_head_turn_with_the_data_and_ignore_order(sizes, c):
    d, n, seed = sizes
    rng = np.random.default_rng(seed)
    x, y = data.uniform(rng, 1, d, n)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    order = rng.permutation(n)
    for f in (data.nearest, lambda x, y: full_rank_head.full_rank_head(x, y, c)):
        before = f(x, y)
        np.testing.assert_allclose(f(turn @ x, y @ turn.T), before @ turn.T, atol=1e-9)
        np.testing.assert_allclose(f(x[..., order], y), before, atol=1e-12)


@settings(max_examples=40)
@given(SIZES)
def test_the_head_lies_nearer_to_the_target_the_larger_the_temperature(sizes):
    d, n, seed = sizes
    x, y = data.orthogonal(np.random.default_rng(seed), 1, d, min(d, n))
    f = data.nearest(x, y)
    errors = [
        data.squared_error(f, full_rank_head.full_rank_head(x, y, c))[0] for c in (1, 10, 100, 1000)
    ]
    assert np.all(np.diff(errors) <= 1e-12)


@settings(max_examples=40)
@given(SIZES, st.integers(1, 3))
def test_a_masked_layer_ignores_where_the_other_points_stand(sizes, count):
    d, n, seed = sizes
    rng = np.random.default_rng(seed)
    layer = MaskedLayer(*rng.normal(size=(2, count, d, d)))
    x, order = rng.normal(size=(d, n)), rng.permutation(n)
    for attend in (full_rank_head.softmax, full_rank_head.hardmax):
        found = layer(x[:, order], attend)
        np.testing.assert_allclose(found, layer(x, attend)[:, order], atol=1e-9)
