"""Functions that look at other scores, vectors or calls are refused; what a row's sum divides out
is not."""

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.any_attention.neighbour_check import (
    NotOfOneScoreError,
    NotOfOneVectorError,
    NotTheSameAgainError,
)

OF_OTHER_SCORES = {
    "the largest": lambda x: np.exp(x / np.abs(x).max()),
    "the least": lambda x: 1 + x - x.min(),
    "the range": lambda x: (x - x.min() + 1) / (np.ptp(x) + 1) + 0.5,
    "the number of rows": lambda x: np.exp(x / len(x)),
    "the number of keys": lambda x: np.exp(x / x.shape[-1]),
    "the mean": lambda x: np.exp(x / x.mean()),
    "a row's deviation": lambda x: np.exp(x / (x.std(-1, keepdims=True) + 1)),
    "a row's median": lambda x: np.where(x > np.median(x, -1, keepdims=True), np.exp(x), 1.0),
    "a quantile": lambda x: np.where(x >= np.quantile(x, 0.9), np.exp(x), 1.0),
    "a rank": lambda x: 1.0 + x.argsort(-1).argsort(-1),
    "a place": lambda x: np.exp(x) * np.linspace(1, 2, x.shape[-1]),
    "the one before": lambda x: np.exp(x) + np.roll(x, 1, axis=-1),
    "a key's largest": lambda x: np.exp(x - x.max(axis=-2, keepdims=True)),
    "a sum of all": lambda x: x + x.sum() / 100,
}
LAYERS = (("self_attention", "identity"), ("self_attention", "ones"), ("cross_attention",))


@pytest.mark.filterwarnings("ignore:.*a temperature")
@pytest.mark.parametrize("name", OF_OTHER_SCORES)
def test_a_function_of_other_scores_is_refused(name):
    for normalised in (True, False):
        kernel = asep.scores(OF_OTHER_SCORES[name], normalised=normalised)
        for n in (200, 2000):
            with pytest.raises(NotOfOneScoreError, match=r"array: .* rows\(f, normalised"):
                asep.separate(kernel, n=n)
    with pytest.raises(NotOfOneScoreError):
        asep.largest_n(asep.at_temperature(kernel, 2))


@pytest.mark.parametrize("layer", LAYERS, ids=" ".join)
@pytest.mark.parametrize(
    "shift",
    [lambda x: x.max(), lambda x: x.mean(), lambda x: x.max(-1, keepdims=True), lambda x: x.sum()],
)
def test_a_factor_of_a_row_is_divided_out_or_refused(layer, shift):
    def softmax(x):
        return np.exp((x - shift(x)) / 2)

    plain = asep.separate("exp(x/2)", *layer, n=200)
    assert asep.separate(softmax, *layer, n=200).probability == pytest.approx(plain.probability)
    if layer != ("self_attention", "ones"):
        with pytest.raises(NotOfOneScoreError, match="a function of the score alone;"):
            asep.separate(asep.scores(softmax, normalised=False), *layer, n=200)


OF_OTHER_VECTORS = {
    "a softmax over tokens": lambda z: np.exp(z) / np.exp(z).sum(axis=-2, keepdims=True),
    "batch normalisation": lambda z: np.exp((z - z.mean(-2, keepdims=True)) / (z.std() + 1)),
    "the largest of all": lambda z: 1 + z / np.abs(z).max(),
    "the number of tokens": lambda z: np.exp(z / len(z)),
    "a place": lambda z: z * np.cos(np.arange(z.shape[-2]) / 9)[:, None],
}


@pytest.mark.parametrize("name", OF_OTHER_VECTORS)
def test_a_map_of_other_vectors_is_refused(name):
    phi = OF_OTHER_VECTORS[name]
    for kernel in (
        asep.features(phi),
        asep.features(phi, normalised=False),
        asep.pair(np.exp, phi),
    ):
        with pytest.raises(NotOfOneVectorError, match="a map of each vector by itself"):
            asep.separate(kernel, n=2000)


class Counting:
    """A function that keeps a state: how often it has been called."""

    def __init__(self, weights):
        self.weights = weights
        self.calls = 0

    def __call__(self, x, *counts):
        self.calls += 1
        return self.weights(x) + 1e-3 * self.calls


class Random(Counting):
    def __call__(self, x, *counts):
        return self.weights(x) * np.random.default_rng().uniform(0.9, 1.1, x.shape)


@pytest.mark.parametrize("kind", [Counting, Random])
@pytest.mark.parametrize("maker", [asep.scores, asep.features, asep.rows])
def test_a_function_that_keeps_a_state_or_is_random_is_refused(maker, kind):
    with pytest.raises(NotTheSameAgainError, match="keeps a state or is random"):
        asep.separate(maker(kind(np.exp), normalised=False), n=200)


def test_functions_of_a_score_n_and_d_are_answered():
    """Whatever their numbers are: 0, tiny, huge, or a step."""
    for function in (
        lambda x: np.maximum(x - 4, 0),
        lambda x, n: 1 / (1 + np.exp(np.log(n) - x)),
        lambda x, d: np.exp(x / np.sqrt(d)),
        lambda x: np.exp(x - 600),
        lambda x: np.exp(40 * (x - x.max(-1, keepdims=True))),
        lambda x: np.where(x > 5, 1.0, 0.0),
        lambda x: 1e250 * (1 - np.cos(1e-3 * x)),
    ):
        assert 0 <= asep.separate(function, n=2000).probability <= 1


def test_rows_are_divided_if_nothing_is_said():
    def largest_half(x, counts):
        return np.where(x >= x.max() / 2, x, 0.0)

    def divided(x, counts):
        weights = largest_half(x, counts)
        return weights / (weights * counts).sum()

    with pytest.warns(UserWarning, match="a row does not sum to 1, and is divided by its sum"):
        found = asep.separate(asep.rows(largest_half), n=2000)
    wanted = asep.separate(asep.rows(divided), n=2000)
    assert found.probability == pytest.approx(wanted.probability, abs=1e-12)
    assert asep.separate(asep.rows(largest_half, normalised=True), n=2000).share == pytest.approx(
        wanted.share
    )
    undivided = asep.separate(asep.rows(largest_half, normalised=False), n=2000)
    assert undivided.share > 1
    softmax = asep.rows(lambda x, counts: np.exp(x / np.sqrt(22)), normalised=True)
    assert asep.largest_n(softmax) == asep.largest_n("exp_sqrt_d")
