"""Which weights of 0 are masked, and which were rounded to 0."""

import numpy as np
import pytest
from head_rows import RNG, quietly
from scipy.special import softmax
from seen_keys import assert_same, weights_of

from attention_separation import head


@pytest.mark.parametrize("deviation", [3, 4, 6, 8])
def test_zeros_of_half_precision_are_seen_and_said(deviation):
    scores = deviation * RNG(deviation).standard_normal((100, 1024))
    scores[:, 300] += 8 + deviation
    weights = softmax(scores, axis=1).astype(np.float16)
    assert (weights == 0).mean() > 0.05
    table, [said] = quietly(head.measure, weights, 300, weights=True)
    assert set(table["n"]) == {1024}
    assert "read as seen, rounded to 0" in said
    assert "read as masked" not in said
    right = head.measure(scores, 300)
    np.testing.assert_allclose(table["reach"], right["reach"], rtol=0.02)


@pytest.mark.parametrize("deviation", [2, 4, 6])
def test_zeros_of_half_precision_in_a_window_are_seen_and_others_are_not(deviation):
    """Zeros of the window and of rounding in one row, the window on both sides."""
    scores = deviation * RNG(deviation).standard_normal((50, 1024))
    scores[:, 500] += 8 + deviation
    key = np.arange(1024)
    is_visible = (key >= 300) & (key < 700)
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1).astype(np.float16)
    # Zeros beside the edges are of the run, for all that a row shows.
    table, _ = quietly(head.measure, weights, 500, weights=True)
    short = 400 - table["n"]
    assert short.min() >= 0
    assert short.mean() < 10


def test_a_short_run_beside_a_long_one_is_whole_too():
    """Padding of 12 keys, a window of 112 and nothing behind it, in half precision."""
    scores = 2 * RNG(2).standard_normal((50, 1024))
    scores[:, 60] += 10
    key = np.arange(1024)
    is_visible = (key >= 12) & (key < 124)
    weights = weights_of(scores, is_visible).astype(np.float16)
    table, _ = quietly(head.measure, weights, 60, weights=True)
    assert np.abs(table["n"] - 112).max() <= 3


def test_a_window_at_whose_edge_weights_are_low_is_one():
    """A linear bias, to 1/50 of the largest at the edge, and a few weights near 0 anywhere."""
    rng = RNG(6)
    key = np.arange(1024)
    is_visible = key >= 700
    scores = 0.5 * rng.standard_normal((50, 1024)) - (1023 - key) * 4 / 324
    scores[:, 1000] += 5
    is_low = (rng.random((50, 1024)) < 0.08) & (key != 1000)
    low = rng.uniform(-17, -8, (50, 1024))
    weights = weights_of(np.where(is_low, low, scores), is_visible).astype(np.float16)
    assert ((weights > 0) & (weights < 2**-18)).any(axis=1).all()
    table, said = quietly(head.measure, weights, 1000, weights=True)
    assert (np.abs(table["n"] - 324) <= 3).all()
    assert "rounded to 0" in said[0]


@pytest.mark.parametrize(
    ("dtype", "slope"), [(np.float16, 0.25), (np.float16, 0.0625), (np.float32, 0.25)]
)
def test_zeros_that_a_linear_bias_makes_are_seen(dtype, slope):
    """Weights fall from the query on until they are rounded to 0: a long run, and no window."""
    rng = RNG(5)
    distance = np.arange(1024)[::-1]
    scores = rng.standard_normal((40, 1024)) - slope * distance
    weights = softmax(scores, axis=1).astype(dtype)
    assert (weights[:, :100] == 0).all()
    table, [said] = quietly(head.measure, weights, 1000, weights=True)
    assert set(table["n"]) == {1024}
    assert "rounded to 0" in said
    assert_same(table, head.measure(weights, 1000, weights=True, mask=np.ones((1, 1024), bool)))


def test_one_weight_of_0_is_seen_and_said():
    weights = np.full(64, 1 / 63)
    weights[20] = 0
    table, [said] = quietly(head.measure, weights, 5, weights=True)
    assert table["n"].tolist() == [64]
    assert "1 weight of 0 between others read as seen" in said
