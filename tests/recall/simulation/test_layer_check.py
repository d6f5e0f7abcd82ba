"""A layer that is no function of its inputs, or of no other sizes, is told so."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation import recall

STATE = "it keeps a state or is random"
OTHER_QUERIES = "depends on the queries that are asked with it"


def softmax(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def linear(q, k, v):
    return q @ k.T @ v


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


def with_random_features():
    rng = np.random.default_rng(6)

    def layer(q, k, v):
        features = rng.standard_normal((q.shape[1], 64))
        return np.exp(q @ features / 4) @ np.exp(k @ features / 4).T @ v

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
    with_random_features,
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
    sizes=st.sampled_from([{"n": 32}, {"n": 32, "age": 4}, {"n": 16}]),
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
    "no transpose, all writes are d": (
        lambda q, k, v: (q @ k) @ v,
        {"n": 8, "d": 16, "rewrites": 1},
        "n = d = 16",
    ),
    "keys and values changed, d = e": (
        lambda q, v, k: (q @ k.T) @ v,
        {"n": 20, "d": 8},
        "fits because d = e = 8: ",
    ),
    "values by their columns, n = e": (
        lambda q, k, v: (q @ k.T) @ v.T,
        {"n": 8, "d": 16},
        "n = e = 8",
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
    "values in pairs": (lambda q, k, v: softmax(q, k[::2], v[::2]) + softmax(q, k, v), {}),
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


def of_the_mean_of_all_queries(q, k, v):
    return np.exp((q - q.mean(axis=0)) @ k.T) @ v


@given(
    case=st.sampled_from(
        [
            (of_the_largest_score_of_all, 0.5),
            (of_the_number_of_queries, 1.0),
            (of_the_mean_of_all_queries, 1.0),
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
