"""A layer of somebody's that keeps other conventions than it is called with is told so."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation import recall


def delta_rule(beta, gate=1.0, gates=1.0):
    """Written plainly: S <- gate S - beta k (k S) + beta k v; `gates` are those of channels."""

    def layer(q, k, v):
        state = np.zeros((k.shape[1], v.shape[1]))
        for key, value in zip(k, v, strict=True):
            state = gate * np.reshape(gates, (-1, 1)) * state
            state = state + beta * np.outer(key, value - key @ state)
        return q @ state

    return layer


def softmax(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def causal(q, k, v):
    """Its own triangle shows the first queries the first keys alone."""
    is_seen = np.tril(np.ones((len(q), len(k))))
    return (is_seen * np.exp(q @ k.T - q.shape[1])) @ v


def causal_from_the_end(q, k, v):
    is_seen = np.tril(np.ones((len(q), len(k))), len(k) - len(q))
    return (is_seen * (q @ k.T)) @ v


def an_output_a_token(q, k, v):
    state = np.zeros((k.shape[1], v.shape[1]))
    outputs = []
    for query, key, value in zip(q, k, v, strict=False):
        state = state + np.outer(key, value)
        outputs.append(query @ state)
    return np.array(outputs)


def linear(q, k, v):
    return q @ k.T @ v


NORM = r"its accuracy hangs on the norm .* √d, which was taken, .* norm=1 for delta rules"
GROWTH = "times the values, with keys of norm √d: .*; norm=1 is for such rules"
UNSEEN = "do not see their own key: .* without is_causal=True"
ROW = "depends on the row that it stands in, as with a causal mask"

SAID = {
    "a delta rule": (delta_rule(0.5), {"n": 32}, {GROWTH, NORM}),
    "a gated one": (delta_rule(0.5, 0.95), {"n": 32}, {GROWTH, NORM}),
    "one with gates": (delta_rule(0.5, 1.0, np.linspace(0.9, 1, 16)), {"n": 32}, {GROWTH, NORM}),
    "a delta rule that diverges": (delta_rule(20.0), {"n": 32, "norm": 1}, {"a smaller step"}),
    "softmax": (softmax, {"n": 32}, {NORM}),
    "a causal mask": (causal, {"n": 32, "norm": "sqrt_d"}, {UNSEEN, ROW}),
    "a causal mask of one query": (causal, {"n": 32, "norm": "sqrt_d", "age": 3}, {UNSEEN}),
    "a causal mask from the end": (causal_from_the_end, {"n": 32}, {ROW}),
    "outputs of tokens": (an_output_a_token, {"n": 12}, {ROW}),
}


@given(case=st.sampled_from([*SAID.values()]))
def test_another_convention_is_said(case):
    layer, sizes, patterns = case
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        recall.simulate(layer, d=16, trials=40, **sizes)
    sentences = [str(warning.message) for warning in said]
    for pattern in patterns:
        assert any(re.search(pattern, sentence) for sentence in sentences), sentences
    assert len(sentences) == len(patterns)


def test_of_the_conventions_here_nothing_is_said(subtests):
    for layer, sizes in [
        (delta_rule(0.5), {"norm": 1}),
        (softmax, {"norm": "sqrt_d"}),
        (linear, {}),
        (linear, {"rewrites": 1, "cosine": 0.9}),
    ]:
        with subtests.test(layer=layer, sizes=sizes):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = recall.simulate(layer, n=32, d=16, trials=30, **sizes)
            norm = "1" if sizes.get("norm") == 1 else "√d"
            assert f"the given layer, keys and queries of norm {norm}, 30 draws" in found.method


def test_what_is_said_moves_no_answer():
    given = recall.simulate(softmax, n=32, d=16, trials=30, norm="sqrt_d").value
    with pytest.warns(UserWarning, match=NORM):
        assert recall.simulate(softmax, n=32, d=16, trials=30).value == given


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_no_answer_says_which_convention(subtests):
    for layer, said in [
        (delta_rule(30), "finite real numbers; with keys of norm √d a delta rule grows .* norm=1"),
        (lambda q, k, v: linear(q, k, v)[None], "without axes of batches or heads"),
        (lambda q, k, v: linear(q, k, v).T, "queries along the first axis"),
        (lambda q, k, v: v, "an output for each query that reads after all pairs"),
        (lambda q, k, v: (linear(q, k, v), None), r"a tuple of 2; allowed: an array \(16, 8\)"),
        (lambda x, n, d: x, r"layer=.*; allowed: a layer that is called as layer\(q, k, v\)"),
    ]:
        with subtests.test(layer=layer, said=said), pytest.raises(ValueError, match=said):
            recall.simulate(layer, n=400, d=16, trials=3)


def test_a_layer_that_changes_what_it_is_given_changes_no_answer():
    def in_place(q, k, v):
        v *= -1.0
        return -linear(q, k, v)

    found = recall.simulate(in_place, n=32, d=16, trials=20)
    assert found == recall.simulate(linear, n=32, d=16, trials=20)


def test_an_error_of_a_layer_says_what_it_was_called_with():
    def of_batches(q, k, v):
        _batch, _tokens, _d = q.shape
        return q

    with pytest.raises(ValueError, match="not enough values to unpack") as caught:
        recall.simulate(of_batches, n=8, d=4, trials=3)
    assert "without axes of batches or heads" in caught.value.__notes__[0]
