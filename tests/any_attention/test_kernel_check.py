"""Functions that look at other scores, vectors or calls are refused; what a row's sum divides out
is not."""

import numpy as np
import pytest
from no_functions import cooling, random_weights

import attention_separation as asep
from attention_separation import explorer
from attention_separation.any_attention.neighbour_check import (
    NotOfOneScoreError,
    NotOfOneVectorError,
)

OF_OTHER_SCORES = {
    "the largest": lambda x: np.exp(x / np.abs(x).max()),
    "the number of rows": lambda x: np.exp(x / len(x)),
    "the number of keys": lambda x: np.exp(x / x.shape[-1]),
    "a quantile": lambda x: np.where(x >= np.quantile(x, 0.9), np.exp(x), 1.0),
    "a place": lambda x: np.exp(x) * np.linspace(1, 2, x.shape[-1]),
    "the one before": lambda x: np.exp(x) + np.roll(x, 1, axis=-1),
    "a key's largest": lambda x: np.exp(x - x.max(axis=-2, keepdims=True)),
    "a sum of all": lambda x: x + x.sum() / 100,
}
LAYERS = (("self_attention", "identity"), ("self_attention", "ones"), ("cross_attention",))


@pytest.mark.filterwarnings("ignore:.*a temperature")
def test_a_function_of_other_scores_is_refused(subtests):
    for name in OF_OTHER_SCORES:
        with subtests.test(name):
            for normalised in (True, False):
                kernel = asep.scores(OF_OTHER_SCORES[name], normalised=normalised)
                for n in (200, 2000):
                    with pytest.raises(NotOfOneScoreError, match=r"array: .* rows\(f, normalised"):
                        asep.separate(kernel, n=n)
            with pytest.raises(NotOfOneScoreError):
                asep.largest_n(asep.at_temperature(kernel, 2))


SHIFTS = {
    "the largest": lambda x: x.max(),
    "the mean": lambda x: x.mean(),
    "a row's largest": lambda x: x.max(-1, keepdims=True),
    "a sum": lambda x: x.sum(),
}


@pytest.mark.parametrize("layer", LAYERS, ids=" ".join)
def test_a_factor_of_a_row_is_divided_out_or_refused(subtests, layer):
    plain = asep.separate("exp(x/2)", *layer, n=200)
    for name, shift in SHIFTS.items():

        def softmax(x, shift=shift):
            return np.exp((x - shift(x)) / 2)

        with subtests.test(name):
            found = asep.separate(asep.scores(lambda x, of=softmax: of(x)), *layer, n=200)
            assert found.probability == pytest.approx(plain.probability)
            undivided = asep.scores(lambda x, of=softmax: of(x), normalised=False)
            if layer != ("self_attention", "ones"):
                with pytest.raises(NotOfOneScoreError, match="a function of the score alone;"):
                    asep.separate(undivided, *layer, n=200)


OF_OTHER_VECTORS = {
    "a softmax over tokens": lambda z: np.exp(z) / np.exp(z).sum(axis=-2, keepdims=True),
    "the largest of all": lambda z: 1 + z / np.abs(z).max(),
    "a place": lambda z: z * np.cos(np.arange(z.shape[-2]) / 9)[:, None],
}


def test_a_map_of_other_vectors_is_refused(subtests):
    for name in OF_OTHER_VECTORS:
        with subtests.test(name):
            phi = OF_OTHER_VECTORS[name]
            for kernel in (
                asep.features(phi),
                asep.features(phi, normalised=False),
                asep.pair(np.exp, phi),
            ):
                with pytest.raises(NotOfOneVectorError, match="a map of each vector by itself"):
                    asep.separate(kernel, n=2000)


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


def test_one_weight_that_is_not_finite_is_refused():
    """The special token's own, of the largest score; no other key has it."""
    with pytest.raises(ArithmeticError, match=r"a weight, of score x = .* is inf; allowed: finite"):
        asep.separate(lambda x: np.where(x < 14, 1.0, np.inf), n=2000)


def softmax_times(factor):
    def weights(x, counts):
        exponentials = np.exp(x - x.max())
        return factor * exponentials / (counts * exponentials).sum()

    return asep.rows(weights)


def test_a_row_may_be_off_1_by_a_millionth():
    asep.separate(softmax_times(1 + 0.9e-6), n=200)
    for factor in (1 - 1.1e-6, 1 + 1.1e-6):
        with pytest.warns(UserWarning, match="a row does not sum to 1"):
            asep.separate(softmax_times(factor), n=200)


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


# A kernel of one's own that keeps a state or is random is refused, by whatever asks it.


def running_mean():
    """Less what has been seen so far, as a norm in training keeps it."""
    seen = []

    def weights(x):
        seen.append(float(x.mean()))
        return np.maximum(x - np.mean(seen), 0.01)

    return weights


def with_dropout():
    rng = np.random.default_rng(2)
    return asep.features(lambda z: np.maximum(z, 0.01) * (rng.random(z.shape) > 0.1))


def random_coordinates():
    rng = np.random.default_rng(3)
    return asep.features(lambda z: np.maximum(z, 0.01) * rng.random(), elementwise=True)


def random_rows():
    rng = np.random.default_rng(4)
    return asep.rows(lambda x, counts: np.exp(x) * rng.uniform(0.9, 1.1), normalised=False)


MAKERS = [random_weights, cooling, running_mean, with_dropout, random_coordinates, random_rows]

ASKED = {
    "separate": asep.separate,
    "success": lambda kernel: asep.success({"fires": "exp", "silent": [kernel]}),
    "success, fires": lambda kernel: asep.success({"fires": kernel, "silent": ["linear"]}),
    "largest_n": asep.largest_n,
    "simulate": asep.simulate,
    "a picture of scores": explorer.draw_scores,
    "a picture of a row": lambda kernel: explorer.draw_row([kernel]),
}


@pytest.mark.parametrize("make", MAKERS)
def test_what_keeps_a_state_or_is_random_is_refused(subtests, make):
    for question, ask in ASKED.items():
        refused = pytest.raises(ArithmeticError, match="it keeps a state or is random")
        with subtests.test(question), refused:
            ask(make())
