"""Whether queries see later keys: `causal`, and what targets and weights say without it."""

import numpy as np
import pytest
from head_rows import RNG, quietly
from scipy.special import softmax
from seen_keys import TARGET, N, assert_same, scored, weights_of

from attention_separation import head

pytestmark = pytest.mark.filterwarnings("ignore:a window hides")
"""Said of windows, whoever says that there is one."""

QUERIES = np.arange(N)


def test_targets_of_induction_say_that_the_model_is_causal():
    scores = RNG(1).standard_normal((2, N, N))
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    is_visible = np.tri(N, dtype=bool)
    right = head.measure(scores, np.asarray(targets), mask=is_visible)
    for tagged in (targets, targets[None]):
        table, [said] = quietly(head.measure, scores, tagged)
        assert_same(table, right)
        assert "the targets are of induction" in said
        assert "causal=" in said
        assert "--no-causal" in said
    assert_same(head.measure(scores, targets, causal=True), right)
    assert set(head.measure(scores, targets, causal=False)["n"]) == {N}
    assert set(head.measure(scores, np.asarray(targets))["n"]) == {N}


def test_targets_of_induction_outside_a_window_are_left_out_and_others_refused():
    scores, is_visible, _ = scored("window")
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    sees = is_visible[QUERIES, targets] & (targets >= 0)
    assert 0 < sees.sum() < (targets >= 0).sum()
    right = head.measure(scores, np.where(sees, targets, -1), mask=is_visible)
    low = np.where(is_visible, scores, -np.inf)
    for values, is_weights in ((low, False), (weights_of(scores, is_visible), True)):
        table, [said] = quietly(head.measure, values, targets, weights=is_weights)
        # Weights have lost what rounding does to scores.
        assert_same(table.drop(columns="share_bf16"), right)
        assert f"{(targets >= 0).sum() - sees.sum()} of {(targets >= 0).sum()} rows left" in said
        with pytest.raises(ValueError, match=r"target \d+ is masked at query"):
            quietly(head.measure, values, np.asarray(targets), weights=is_weights)


def test_the_last_queries_alone_see_what_they_saw_among_all():
    scores = RNG(1).standard_normal((N, N))
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    weights = softmax(np.where(np.tri(N, dtype=bool), scores, -np.inf), axis=1)
    for values, is_weights in ((scores, False), (weights, True)):
        whole = head.measure(values, targets, causal=True, weights=is_weights)
        part = head.measure(values[50:], targets[50:], causal=True, weights=is_weights)
        assert part["reach"].tolist() == whole["reach"][-len(part) :].tolist()
        assert part["n"].tolist() == whole["n"][-len(part) :].tolist()


def test_weights_above_the_diagonal_say_that_the_model_is_causal():
    scores, is_visible, target = scored("causal")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    table, [said] = quietly(head.measure, weights, target, weights=True)
    assert table["n"].tolist() == is_visible.sum(1)[target >= 0].tolist()
    assert "later keys in 23 of 24 rows (all weights there are 0)" in said
    assert_same(head.measure(weights, target, weights=True, causal=True), table)
    # Of a model that sees later keys, few rows have none of weight.
    whole = softmax(scores, axis=1)
    whole[60, 61:] = 0
    table, [said] = quietly(head.measure, whole, TARGET, weights=True)
    assert "later keys" not in said


def test_a_prefix_that_sees_all_of_itself_is_seen():
    query, key = np.ogrid[:N, :N]
    is_visible = (key <= query) | ((key < 20) & (query < 20))
    weights = weights_of(RNG(1).standard_normal((N, N)), is_visible)
    table, _ = quietly(head.measure, weights, 3, weights=True, mask=None)
    assert table["n"].tolist() == is_visible.sum(1).tolist()


def test_later_keys_that_have_weight_are_not_masked_by_targets_of_induction():
    weights = softmax(RNG(1).standard_normal((N, N)), axis=1)
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    assert set(head.measure(weights, targets, weights=True)["n"]) == {N}
    with pytest.raises(ValueError, match=r"causal=True, but weights have .* which is later"):
        head.measure(weights, targets, weights=True, causal=True)


def test_causal_is_true_false_or_none():
    with pytest.raises(ValueError, match="causal='yes'; allowed: True, False, or None"):
        head.measure(RNG(1).standard_normal((N, N)), 0, causal="yes")
