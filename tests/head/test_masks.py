"""Explicit masks: they decide alone, of queries and keys or of a tokenizer's padding."""

import numpy as np
import pytest
from head_rows import RNG, quietly
from scipy.special import softmax
from seen_keys import TARGET, N, assert_same, scored

from attention_separation import head

pytestmark = pytest.mark.filterwarnings("ignore:a window hides")
"""Said of windows, whoever says that there is one."""


def test_an_explicit_mask_decides_alone():
    scores, is_visible, target = scored("window")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    low = scores - 100 * ~is_visible
    everything = np.ones((N, N), bool)
    for values, is_weights in ((weights, True), (low, False)):
        table = head.measure(values, target, weights=is_weights, mask=everything)
        assert set(table["n"]) == {N}
    tagged = head.induction_targets(np.arange(N) % 7)
    assert set(head.measure(scores, tagged, mask=everything)["n"]) == {N}
    other = RNG(3).random((N, N)) < 0.7
    other[:, TARGET] = True
    table = head.measure(low, target, mask=other)
    assert table["n"].tolist() == other.sum(1)[target >= 0].tolist()


@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf, 1e300, -5.0])
@pytest.mark.parametrize("is_weights", [False, True])
def test_anything_may_stand_where_the_mask_is_false(nothing, is_weights):
    scores, is_visible, target = scored("window")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    values = weights if is_weights else scores
    right = head.measure(values, target, weights=is_weights, mask=is_visible)
    spoilt = np.where(is_visible, values, nothing)
    table = head.measure(spoilt, target, weights=is_weights, mask=is_visible)
    assert_same(table, right)


@pytest.mark.parametrize("how", [{}, {"causal": True}, {"causal": False}, {"mask": True}])
def test_no_number_is_refused_wherever_the_mask_is_not_false(how):
    scores, is_visible, target = scored("causal")
    named = {"mask": np.ones((N, N), bool)} if "mask" in how else how
    for nothing in (np.nan, np.inf):
        for values, is_weights in ((scores, False), (softmax(scores, axis=1), True)):
            spoilt = np.where(is_visible, values, nothing)
            with pytest.raises(ValueError, match=r"have (nan|inf) at query .*mask= is False"):
                head.measure(spoilt, target, weights=is_weights, **named)


def test_a_mask_of_layers_is_a_list_as_scores_are():
    scores = RNG(1).standard_normal((2, 3, N, N))
    mask = RNG(2).random((2, 3, N, N)) < 0.7
    mask[..., TARGET] = True
    right = head.measure(scores[:, None], TARGET, mask=mask[:, None])
    table = head.measure(list(scores[:, None]), TARGET, mask=list(mask[:, None]))
    assert_same(table, right)


def test_a_mask_of_0_and_1_is_one_and_others_are_refused():
    scores, is_visible, target = scored("window")
    right = head.measure(scores, target, mask=is_visible)
    assert_same(head.measure(scores, target, mask=is_visible.astype(int)), right)
    with pytest.raises(ValueError, match="mask has 2; allowed: true or false, or 0 and 1"):
        head.measure(scores, target, mask=np.full((N, N), 2))
    with pytest.raises(ValueError, match=r"mask has type float64.* mask == 0"):
        head.measure(scores, target, mask=np.where(is_visible, 0.0, -100.0))


def test_weight_that_a_mask_hides_is_of_no_sink():
    weights = softmax(RNG(1).standard_normal((4, N)), axis=1)
    mask = np.arange(N) % 3 > 0
    table = head.measure(weights, 4, weights=True, mask=mask)
    own = weights[:, mask] / weights[:, mask].sum(1, keepdims=True)
    assert table["sink"].tolist() == [0] * 4
    np.testing.assert_allclose(table["n_squares"], 1 / (own**2).sum(1))


def test_a_mask_and_causal_mask_together():
    scores, is_visible, target = scored("padding at the left")
    mask = np.arange(N) >= N // 8
    assert_same(
        head.measure(scores, target, mask=mask, causal=True),
        head.measure(scores, target, mask=is_visible),
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [np.int64, bool])
@pytest.mark.parametrize("is_weights", [False, True])
def test_a_mask_of_padding_is_one_of_each_sequence(side, dtype, is_weights):
    rng = RNG(4)
    sequences, heads = 3, 2
    lengths = np.array([N, 50, 33])
    is_token = np.arange(N) < lengths[:, None]
    if side == "left":
        is_token = is_token[:, ::-1]
    is_visible = np.tri(N, dtype=bool) & is_token[:, None, None]
    scores = rng.standard_normal((2, sequences, heads, N, N))
    tokens = rng.integers(1, 9, (sequences, N)) * is_token
    target = head.induction_targets(tokens)[:, None]
    explicit = np.broadcast_to(is_visible & is_token[:, None, :, None], scores.shape)
    values = scores
    if is_weights:
        # Models give queries of padding some row: all keys alike.
        low = np.where(explicit, scores, np.finfo(np.float64).min)
        values = softmax(low, axis=-1)
    right = head.measure(values, np.asarray(target), weights=is_weights, mask=explicit)
    for layers in (values, list(values)):
        table, _ = quietly(
            head.measure, layers, target, weights=is_weights, mask=is_token.astype(dtype)
        )
        assert_same(table, right)


def test_a_mask_of_padding_of_one_sequence():
    _, is_visible, _ = scored("causal")
    scores = RNG(5).standard_normal((N, N))
    is_token = np.arange(N) >= 8
    targets = head.induction_targets(RNG(3).integers(0, 5, N) * is_token)
    right = head.measure(
        scores, np.asarray(targets), mask=is_visible & is_token & is_token[:, None]
    )
    for mask in (is_token.astype(int), is_token.astype(int)[None]):
        table, _ = quietly(head.measure, scores, targets, mask=mask)
        assert_same(table, right)
        table, _ = quietly(head.measure, scores[None, None], targets, mask=mask)
        assert_same(table[right.columns], right)


@pytest.mark.parametrize("side", ["left", "right"])
def test_queries_of_padding_are_left_out(side):
    is_token = np.ones((2, N), int)
    is_token[1, : N // 4] = 0
    if side == "right":
        is_token = is_token[:, ::-1]
    scores = RNG(1).standard_normal((2, 3, N, N))
    table = head.measure(scores, 30, mask=is_token)
    assert len(table) == 3 * is_token.sum()
    assert set(table["n"]) == {N, N - N // 4}
    # The queries of a part, or of another sequence, are none of these keys.
    assert len(head.measure(scores[:, :, :10], 30, mask=is_token)) == 2 * 3 * 10


def test_a_mask_that_could_be_read_in_two_ways_is_refused():
    scores = RNG(1).standard_normal((20, 2, 20, 40))
    for dtype in (int, bool):
        with pytest.raises(ValueError, match=r"\(sequences, keys\) or \(queries, keys\)"):
            head.measure(scores, 3, mask=np.ones((20, 40), dtype))
    for mask in (np.ones((20, 1, 1, 40), bool), np.ones((1, 1, 20, 40), bool)):
        assert len(head.measure(scores, 3, mask=mask)) == 800
