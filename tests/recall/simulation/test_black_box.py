"""Layers as black boxes: literal ones, one's own, and what is no layer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_recall import count_right, draw, of_delta, of_least_squares, of_scores
from scipy.stats import binomtest

from attention_separation import features, recall
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.recall.layers import Scores, layer_of
from attention_separation.recall.simulation.literal_layers import literal_layer

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons of trials here fails though all is right."""

LITERAL = [
    ("linear", of_scores(lambda x: x), None),
    ("exp", of_scores(np.exp), None),
    ("power_3", of_scores(lambda x: x**3), None),
    (recall.decay("linear", 0.8), of_scores(lambda x: x, 0.8), None),
    (recall.window("power_2", 5), of_scores(lambda x: x * x, 1.0, 5), None),
    (recall.delta(0.7, 0.9), of_delta(0.7, 0.9), 1.0),
    (recall.least_squares(), of_least_squares, 1.0),
]


@given(case=st.sampled_from(LITERAL))
def test_a_literal_layer_is_its_definition(case):
    """Up to a positive number, which a kernel's row may be divided by."""
    layer, output, norm = case
    rng = np.random.default_rng(1)
    for _ in range(5):
        trial = draw(rng, 9, 4, cosine=0.8)
        length = norm or 2.0
        function = literal_layer(layer_of(layer))
        found = function(length * trial.query[None], length * trial.keys, trial.values[:, None])[
            0, 0
        ]
        wanted = output(trial)
        assert found * wanted > 0
        other = draw(rng, 9, 4, cosine=0.8)
        again = function(length * trial.query[None], length * trial.keys, other.values[:, None])
        of_others = output(type(trial)(trial.keys, other.values, trial.query, 1.0))
        assert again[0, 0] / found == pytest.approx(of_others / wanted, rel=1e-9)


@given(name=st.sampled_from(["sparsemax", "entmax_15", "elu_plus_one", "rbf", "hardmax"]))
def test_kernels_of_rows_and_vectors_are_their_attention(name):
    """The weights of `attention`, divided by their sums, over one positive number a row."""
    from attention_separation.attention.kernel import KernelInputs

    rng = np.random.default_rng(2)
    q, k = rng.standard_normal((3, 5)), rng.standard_normal((7, 5))
    kernel = kernel_named(name)
    seen = KernelInputs(q @ k.T, q, k, np.ones((3, 7)), 7, 5)
    wanted = kernel.attention_weights(seen)
    found = literal_layer(Scores(kernel))(q, k, np.eye(7))
    assert found / found.sum(axis=1, keepdims=True) == pytest.approx(wanted, abs=1e-12)
    assert recall.accuracy(name, n=6, d=4, trials=50).kind == "simulated"


def delta_rule(q, k, v):
    """One's own, with keys in its own order of loops."""
    state = np.zeros((k.shape[1], v.shape[1]))
    for key, value in zip(k, v, strict=True):
        state += np.outer(key, value - key @ state)
    return q @ state


CASES = [
    (delta_rule, recall.delta(1), {"n": 20, "d": 16, "norm": 1}),
    (delta_rule, recall.delta(1), {"n": 20, "d": 16, "norm": 1, "age": 4, "cosine": 0.9}),
    (lambda q, k, v: (q @ k.T) @ v, "linear", {"n": 20, "d": 16}),
    (lambda q, k, v: (q @ k.T) @ v, "linear", {"n": 8, "d": 8, "rewrites": 2}),
    (lambda q, k, v: np.exp(q @ k.T / 4) @ v, "exp_sqrt_d", {"n": 200, "d": 16, "norm": "sqrt_d"}),
]


@given(case=st.sampled_from(CASES))
def test_a_layer_of_ones_own_against_what_is_computed(case):
    layer, known, sizes = case
    found = recall.simulate(layer, trials=800, seed=1, **sizes)
    more = {key: value for key, value in sizes.items() if key != "norm"}
    wanted = recall.accuracy(known, **more)
    # 1.96 standard errors are the half width of 95 %.
    room = 5.3 / 1.96 * (found.error + wanted.error)
    assert found.value == pytest.approx(wanted.value, abs=room)
    assert found.error < 0.02


def test_least_squares():
    assert recall.accuracy(recall.least_squares(), n=16, d=16).value == 1
    found = recall.accuracy(recall.least_squares(), n=24, d=8, trials=600)
    trials = 3000
    right = math.floor(count_right(of_least_squares, trials, 3, n=24, d=8))
    assert binomtest(right, trials, found.value).pvalue > FALSE_ALARM


def test_where_all_is_right_the_interval_is_not_empty():
    found = recall.simulate("exp", n=4, d=16, trials=20)
    assert found.value == 1
    assert found.error == pytest.approx(1 - 0.025 ** (1 / 20))


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        (lambda q, k, v: q, r"layer gave an output of shape \(6, 4\); allowed: \(6, 8\)"),
        (lambda q, k, v: (q @ k.T @ v) * np.nan, "allowed: finite real numbers"),
        (lambda q, k, v: "no", r"layer gave an output of shape \(\)"),
    ],
)
def test_what_a_layer_gives_wrongly_is_named(layer, said):
    with pytest.raises(ValueError, match=said):
        recall.simulate(layer, n=6, d=4, trials=3)


@pytest.mark.filterwarnings("ignore:layer. ")
def test_where_nothing_failed_a_layer_may_still_fail_in_whole_draws():
    """One that is wrong in a share of all draws gives intervals that hold the truth."""
    trials = 50
    share = 1.5 / trials
    distances = []
    for seed in range(60):
        rng = np.random.default_rng(seed)

        def layer(q, k, v, rng=rng):
            sign = -1.0 if rng.random() < share else 1.0
            return sign * np.exp(20 * (q @ k.T)) @ v

        found = recall.simulate(layer, n=2, d=12, trials=trials, norm=1, seed=seed)
        if found.value == 1:
            distances.append(share - found.error)
    assert len(distances) > 5
    assert max(distances) <= 0


class Layer:
    """One whose call has an argument too many."""

    def __call__(self, q, k, v, mask):
        return q


def test_what_does_not_take_three_arrays_is_no_layer(subtests):
    for layer in [
        lambda x: x,
        lambda q, k: q,
        lambda q, k, v, mask: q,
        lambda q, k, v, *, mask: q,
        Layer(),
        np.exp,
        np.add,
        dict,
        math.sin,
    ]:
        with (
            subtests.test(layer=layer),
            pytest.raises(ValueError, match=r"layer=.*; allowed: .* called as layer\(q, k, v\)"),
        ):
            recall.simulate(layer, n=6, d=4, trials=3)


@pytest.mark.parametrize("error", [TypeError("my own"), KeyError("mine"), ZeroDivisionError()])
def test_what_a_layer_raises_itself_is_raised(error):
    def layer(q, k, v):
        raise error

    with pytest.raises(type(error)) as caught:
        recall.simulate(layer, n=6, d=4, trials=3)
    assert caught.value is error


TIED = {
    "delta(2)": (recall.delta(2), {"n": 1, "d": 5}),
    "exp": ("exp", {"n": 2, "d": 8}),
    "power_3": ("power_3", {"n": 2, "d": 5}),
    "elu_plus_one": ("elu_plus_one", {"n": 1, "d": 5}),
    "least squares": (recall.least_squares(), {"n": 3, "d": 8}),
}
"""Layers and sizes at which a value and the other one that the key had before may cancel."""


def rounds_against_the_value(q, k, v):
    """The sum of both values of one key, where rounding leaves of 0 what the older one had."""
    total = v.sum(axis=0)
    return np.where(total == 0, 3e-16 * v[0], total)[None]


@pytest.mark.filterwarnings("ignore:.*times the values")
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_an_output_of_rounding_is_a_tie(scale):
    def layer(q, k, v):
        return scale * rounds_against_the_value(q, k, v)

    found = recall.simulate(layer, n=1, d=4, trials=2000, rewrites=1)
    # 1.96 standard errors are the half width of 95 %.
    assert found.value == pytest.approx(0.75, abs=5.3 / 1.96 * found.error)


def test_rounding_is_that_of_the_layers_numbers():
    def layer(q, k, v):
        total = v.sum(axis=0)
        return np.where(total == 0, 1e-7 * v[0], total)[None].astype(np.float32)

    found = recall.simulate(layer, n=1, d=4, trials=2000, rewrites=1)
    assert found.value == pytest.approx(0.75, abs=5.3 / 1.96 * found.error)


@given(case=st.sampled_from([*TIED.values()]))
def test_ties_of_known_layers_are_half_right(case):
    """Neither a value's sign nor another's is in what rounding leaves."""
    layer, sizes = case
    found = recall.simulate(layer, trials=1000, rewrites=1, seed=3, **sizes)
    wanted = 0.75
    if isinstance(layer, str) and sizes["n"] > 1:
        wanted = recall.accuracy(layer, rewrites=1, **sizes).value
    assert found.value == pytest.approx(wanted, abs=5.3 / 1.96 * found.error)


def test_small_outputs_are_no_ties():
    """A decay leaves an old key little, and nothing else is in its query's output."""

    def layer(q, k, v):
        ages = np.arange(len(k))[::-1]
        return ((q @ k.T > 0.999) * 0.5**ages) @ v

    assert recall.simulate(layer, n=200, d=8, trials=20, norm=1).value == 1


def test_whole_numbers_are_not_rounded():
    def layer(q, k, v):
        own = (q @ k.T > 0.999).astype(np.int64)
        return own @ v.astype(np.int64)

    assert recall.simulate(layer, n=5, d=8, trials=20, norm=1).value == 1


@pytest.mark.parametrize(
    ("kernel", "is_said"), [(features(lambda z: z), True), ("linear", True), ("rbf", False)]
)
def test_rows_whose_sums_may_be_negative_are_not_divided_and_said_to_be_so(kernel, is_said):
    method = recall.accuracy(kernel, n=8, d=4, trials=20).method
    assert ("rows not divided by their sum" in method) == is_said


def test_the_stated_error_is_no_wider_than_needed():
    """Against the spread of answers of other seeds: 1.6 times as wide for functions that may do
    anything. A spread of 20 is off by less than a half, but for one time in a thousand."""
    answers = [
        recall.simulate(lambda q, k, v: q @ k.T @ v, 8, 16, 300, seed, norm="sqrt_d")
        for seed in range(20)
    ]
    spread = np.std([answer.value for answer in answers], ddof=1)
    stated = np.mean([answer.error for answer in answers])
    assert 0.9 < stated / (1.96 * spread) < 3
