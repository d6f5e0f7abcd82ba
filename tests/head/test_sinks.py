"""A sink that is no token: given as logits, or what weights are short of 1."""

import numpy as np
import pytest
from head_rows import RNG, quietly
from scipy.special import softmax
from seen_keys import assert_same

from attention_separation import head


def test_weights_that_are_short_of_1_have_a_sink_and_it_is_said():
    scores = RNG(1).standard_normal((4, 100))
    scores[:, 7] += 3
    sink = np.full((4, 1), 2.0)
    weights = softmax(np.hstack([scores, sink]), axis=1)[:, :-1]
    table, [said] = quietly(head.measure, weights, 7, weights=True, n=500)
    assert "sum to less than 0.98 in 4 of 4 rows" in said
    ours = head.measure(scores, 7, sinks=sink[:, 0], n=500)
    assert_same(ours.drop(columns="share_bf16"), table.drop(columns="share_bf16"))
    key = head.measure(np.hstack([scores, sink]), 7, fixed=[100], n=501)
    np.testing.assert_allclose(ours["sink"], key["sink"])
    np.testing.assert_allclose(ours["reach"], np.maximum(key["reach"] - 1, 0))
    np.testing.assert_allclose(ours["share_at_n"], key["share_at_n"])
    np.testing.assert_allclose(ours["temperature"], key["temperature"])


def test_sinks_of_layers_and_what_is_refused_of_them():
    scores = RNG(1).standard_normal((2, 3, 4, 5, 40))
    logits = RNG(2).standard_normal((2, 4))
    whole = head.measure(scores, 7, sinks=logits[:, None, :, None])
    parts = [np.broadcast_to(layer[None, :, None], (3, 4, 5)) for layer in logits]
    assert_same(head.measure(list(scores), 7, sinks=parts), whole)
    row = whole[(whole["layer"] == 1) & (whole["head"] == 2)].iloc[0]
    alone = scores[1, int(row["sequence"]), 2, int(row["query"])]
    assert row["sink"] == pytest.approx(softmax(np.r_[alone, logits[1, 2]])[-1])
    for named, words in (
        ({"sinks": np.nan}, "sinks have nan"),
        ({"sinks": np.zeros(7)}, r"sinks has shape \(7,\)"),
        ({"sinks": 0.0, "kernel": "x**4"}, "sinks with kernel="),
        ({"sinks": 0.0, "weights": True}, "sinks with weights=True"),
    ):
        with pytest.raises(ValueError, match=words):
            head.measure(scores, 7, **named)
