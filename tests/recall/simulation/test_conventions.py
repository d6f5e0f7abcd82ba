"""A layer of somebody's that keeps other conventions than it is called with is told so; so is one
that is no function of its inputs, or fits no other sizes."""

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


# Layers that are no function of their inputs, or of no other sizes.

STATE = "it keeps a state or is random"
OTHER_QUERIES = "depends on the queries that are asked with it"


def that_adds_to_its_state():
    state = 0.0

    def layer(q, k, v):
        nonlocal state
        state = state + k.T @ v
        return q @ state

    return layer


def with_a_cache():
    """Two copies of one draw answer as one does: what is between tells."""
    keys, values = [], []

    def layer(q, k, v):
        keys.append(k)
        values.append(v)
        return softmax(q, np.concatenate(keys), np.concatenate(values))

    return layer


def with_dropout():
    rng = np.random.default_rng(5)

    def layer(q, k, v):
        is_kept = rng.random((len(q), len(k))) > 0.1
        return (is_kept * np.exp(q @ k.T / 4)) @ v

    return layer


def that_cools_at_each_call():
    """Too slowly for two calls to tell."""
    calls = 0

    def layer(q, k, v):
        nonlocal calls
        calls += 1
        return np.exp(q @ k.T / 4 * (1 - 2e-6 * calls)) @ v

    return layer


NO_FUNCTIONS = [
    that_adds_to_its_state,
    with_a_cache,
    with_dropout,
    that_cools_at_each_call,
]


def sentences_of(layer, **sizes):
    """What is said of a layer."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        recall.simulate(layer, **sizes)
    return [str(warning.message) for warning in said]


@given(
    make=st.sampled_from(NO_FUNCTIONS),
    sizes=st.sampled_from([{"n": 32}, {"n": 32, "age": 4}]),
)
def test_what_keeps_a_state_or_is_random_is_said_and_nothing_else(make, sizes):
    """The norm is not to blame for what comes of a state."""
    norm = "sqrt_d" if make is that_cools_at_each_call else None
    (sentence,) = sentences_of(make(), d=16, trials=100, norm=norm, **sizes)
    assert STATE in sentence


def test_rounding_of_single_precision_is_no_state():
    rng = np.random.default_rng(8)

    def layer(q, k, v):
        order = rng.permutation(len(k))
        single = [array.astype(np.float32) for array in (q, k[order], v[order])]
        return linear(*single)

    assert sentences_of(layer, n=64, d=16, trials=20) == []


FITS_EQUAL_SIZES_ALONE = {
    "no transpose, n = d": (lambda q, k, v: (q @ k) @ v, {"n": 16, "d": 16}, "n = d = 16"),
    "no transpose, one query": (
        lambda q, k, v: (q @ k) @ v,
        {"n": 16, "d": 16, "age": 2},
        "fits because n = d = 16: ",
    ),
    "keys and values changed, d = e": (
        lambda q, v, k: (q @ k.T) @ v,
        {"n": 20, "d": 8},
        "fits because d = e = 8: ",
    ),
    "an output a pair, m = n": (lambda q, k, v: v, {"n": 12, "d": 16}, "m = n = 12: "),
    "outputs by their columns": (
        lambda q, k, v: linear(q, k, v).T,
        {"n": 8, "d": 16},
        "gave an output of shape",
    ),
}


@given(case=st.sampled_from([*FITS_EQUAL_SIZES_ALONE.values()]))
def test_a_layer_that_fits_because_sizes_are_equal_is_refused(case):
    layer, sizes, said = case
    with pytest.raises(ValueError, match=r"layer fits because .*; allowed: q \(m, d\)") as caught:
        recall.simulate(layer, trials=20, norm="sqrt_d", **sizes)
    assert re.search(said, str(caught.value))


PLACES = np.linspace(0.9, 1.1, 16)
MAP = np.eye(16) + 0.01

LEGAL = {
    "linear": (linear, {}),
    "weights for 16 places": (lambda q, k, v: (softmax(q, k, np.eye(len(k))) * PLACES) @ v, {}),
    "a map of 16 coordinates": (lambda q, k, v: softmax(q @ MAP, k, v), {}),
    "a decay": (lambda q, k, v: (q @ k.T * 0.99 ** np.arange(len(k))[::-1]) @ v, {}),
    "one query": (softmax, {"age": 3}),
    "one pair": (softmax, {"n": 1}),
    "eight of all": (linear, {"n": 8, "d": 8}),
}


@given(case=st.sampled_from([*LEGAL.values()]))
def test_a_layer_may_be_made_for_one_n_or_one_d_and_know_the_order(case):
    layer, sizes = case
    asked = {"n": 16, "d": 16, "norm": "sqrt_d"} | sizes
    assert sentences_of(layer, trials=20, **asked) == []


def of_the_largest_score_of_all(q, k, v):
    scores = q @ k.T
    return np.exp(10 * scores / np.abs(scores).max()) @ v


def of_the_number_of_queries(q, k, v):
    return np.exp(q @ k.T / len(q)) @ v


@given(
    case=st.sampled_from(
        [
            (of_the_largest_score_of_all, 0.5),
            (of_the_number_of_queries, 1.0),
        ]
    ),
    sizes=st.sampled_from([{"n": 32}, {"n": 12}]),
)
@pytest.mark.filterwarnings("ignore:.*outputs are up to")
def test_a_layer_that_looks_at_other_queries_is_told_so(case, sizes):
    layer, cosine = case
    said = sentences_of(layer, d=16, trials=40, cosine=cosine, norm="sqrt_d", **sizes)
    assert any(OTHER_QUERIES in sentence for sentence in said), said


@pytest.mark.parametrize("cosine", [1.0, 0.5])
def test_a_factor_that_all_queries_share_is_none_of_theirs(cosine):
    def layer(q, k, v):
        scores = q @ k.T
        return np.exp(scores - scores.max()) @ v

    assert sentences_of(layer, n=32, d=16, trials=40, cosine=cosine, norm="sqrt_d") == []
