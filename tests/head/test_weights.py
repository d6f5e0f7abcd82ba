"""Attention weights in place of scores."""

import numpy as np
import pytest
from head_rows import RNG, ROWS, one, quietly, row_b

from attention_separation import head


def test_weights_give_what_their_scores_give():
    scores, target, fixed, n = ROWS["b"]
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    ours, other = one(scores, target, fixed=fixed, n=n), one(
        weights, target, fixed=fixed, n=n, weights=True
    )  # fmt: skip
    for name in ("share", "reach", "reach_low", "drift", "temperature", "n_entropy"):
        assert other[name] == pytest.approx(ours[name], rel=1e-9), name
    # A sink that is no token: what is missing of the sum.
    scores = row_b(5.9)
    weights = np.exp(scores) / np.exp(scores).sum()
    ours = one(scores, target, fixed=fixed, n=n)
    other, [said] = quietly(one, weights[1:] * 1.0, target - 1, weights=True, n=n)
    assert "a sink that is no token" in said
    assert other["reach"] == pytest.approx(ours["reach"] - 1, rel=1e-9)
    assert other["temperature"] == pytest.approx(ours["temperature"], rel=5e-3)


def test_weights_above_the_diagonal_are_a_mask_and_elsewhere_weights():
    scores = np.where(np.tri(40, dtype=bool), RNG(1).standard_normal((40, 40)), -np.inf)
    weights = np.exp(scores)
    weights /= weights.sum(1, keepdims=True)
    target = np.where(np.arange(40) >= 20, 3, -1)
    ours = head.measure(scores, target)
    other, said = quietly(head.measure, weights, target, weights=True)
    np.testing.assert_allclose(ours["reach"], other["reach"], rtol=1e-12)
    weights[30, 5] = 0
    weights[30] /= weights[30].sum()
    other, more_said = quietly(head.measure, weights, target, weights=True)
    assert other["n"].tolist() == list(range(21, 41))
    assert ["later keys" in each for each in said + more_said] == [True, True]
    assert "1 weight of 0 between others read as seen" in more_said[0]
    whole = np.ones((40, 40), bool)
    assert set(head.measure(weights, target, weights=True, mask=whole)["n"]) == {40}
    last, _ = quietly(head.measure, weights[20:], 3, weights=True)
    assert last["n"].tolist() == list(range(21, 41))


def test_a_weight_that_was_rounded_to_zero_finds_nothing():
    found = one(np.r_[0, np.full(64, 1 / 64)], 0, weights=True, n=100, mask=np.ones(65, bool))
    columns = found[["share", "reach", "louder", "share_at_n", "temperature"]].tolist()
    assert columns == [0, 1, 64, 0, 0]


def test_weights_that_sum_to_nearly_one_have_no_sink():
    for total, sink in ((0.99, 0), (1.01, 0), (0.9, 0.1)):
        found, said = quietly(one, np.full(64, total / 64), 0, weights=True)
        assert len(said) == (sink > 0)
        assert found["sink"] == pytest.approx(sink)
        assert found["n_squares"] == pytest.approx(64 / (1 - sink) ** 2)
