"""Trials of simulated kernels: each against the literal n x n attention on its own draw."""

import itertools

import numpy as np
import pytest
from literal_features import cosformer_weights, favor_weights
from making import CONFIG
from scipy.stats import binomtest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import exp_probabilities
from attention_separation.any_attention.exact.values import separate
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.any_attention.simulation import trials as module
from attention_separation.any_attention.simulation.attending import SIMULATED
from attention_separation.any_attention.simulation.trials import (
    distinct_tokens,
    draws,
    layer_tokens,
    simulate,
)
from attention_separation.attention.dense import attention_weights
from attention_separation.attention.kernels import KERNELS

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons with exact values fails though all is right."""

PAPERS = CONFIG.any_attention.data
SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=4)
NAMES = ("self, identity", "self, ones", "cross")
each_layer = pytest.mark.parametrize("layer", LAYERS, ids=NAMES)
each_kernel = pytest.mark.parametrize("kernel", SIMULATED, ids=lambda kernel: kernel.name)


def literal_rows(kernel, a1, a2, q, k, w):
    """The n x n weights, each row divided by its sum."""
    if kernel.name in KERNELS:
        return attention_weights(a1, a2, q, k, KERNELS[kernel.name])
    if kernel.features:
        weights = favor_weights(a1 @ q, a2 @ k, w)
    else:
        weights = cosformer_weights(a1 @ q, a2 @ k)
    return weights / weights.sum(axis=1, keepdims=True)


def literal_trial(kernel, layer, data, n, draw, trial, features):
    """What comes of one trial, from the definitions: after y, at the paper's threshold, share."""
    tokens = layer_tokens(layer, data, n)
    w = None if features is None else draw.projections[trial, :features]
    largest = []
    for dataset in (0, 1):
        places = draw.places[trial, dataset]
        a1, a2, a3, q, k = layer.of.literal(tokens, dataset, places)
        f = literal_rows(kernel, a1, a2, q, k, w)
        largest.append((f @ a3 @ draw.y[trial]).max())
    tau = layer.theta(data) * tokens.s
    after_y = largest[1] > max(largest[0], 0.0) + 1e-9
    return after_y, largest[0] <= tau < largest[1], f[places[0], places[-1]]


@each_layer
@each_kernel
@pytest.mark.parametrize("n", [3, 12])
def test_each_trial_is_that_of_the_definitions(kernel, layer, n):
    """With n = K no other token has the special one's class."""
    trials = 25
    (draw,) = draws(kernel, layer, SMALL, n, 7, trials)
    found = simulate(kernel, layer, SMALL, n, 7, trials)
    assert [*found] == [*kernel.features] or [*found] == [None]
    for features, outcome in found.items():
        for trial in range(trials):
            after_y, paper, share = literal_trial(kernel, layer, SMALL, n, draw, trial, features)
            assert outcome.after_y[trial] == after_y
            assert outcome.paper[trial] == paper
            assert outcome.share[trial] == pytest.approx(share, rel=1e-9)


@each_layer
@pytest.mark.parametrize("n", [3, 9])
def test_tokens_are_those_of_the_definition(layer, n):
    tokens = layer_tokens(layer, SMALL, n)
    places = np.array([*itertools.product(range(n), repeat=layer.of.special_tokens)])
    for dataset in (0, 1):
        distinct = distinct_tokens(layer, tokens, dataset)
        whole, once = distinct.in_order(places), distinct.once(places)
        for trial, place in enumerate(places):
            a1, a2, a3, q, k = layer.of.literal(tokens, dataset, place)
            np.testing.assert_array_equal(whole.queries[trial], a1 @ q)
            np.testing.assert_array_equal(whole.keys[trial], a2 @ k)
            np.testing.assert_array_equal(whole.values[trial], a3)
            assert (whole.special_query[trial], whole.special_key[trial]) == (place[0], place[-1])
            queries = [np.unique(of.queries[trial], axis=0).tolist() for of in (once, whole)]
            assert queries[0] == queries[1]
            for part, all_of in ((once.keys, whole.keys), (once.values, whole.values)):
                repeated = np.repeat(part[trial], once.keys_stand_for[trial], axis=0)
                assert len(repeated) == n
                assert sorted(repeated.tolist()) == sorted(all_of[trial].tolist())


@each_kernel
def test_fewer_trials_are_the_first_of_more(kernel, monkeypatch):
    """Whether or not they are worked on together."""
    layer = LAYERS[2]
    more = simulate(kernel, layer, SMALL, 6, 7, 23)
    for trials, most in ((23, 1), (10, 2**20), (9, 3000)):
        monkeypatch.setattr(module, "MOST_NUMBERS", most)
        fewer = simulate(kernel, layer, SMALL, 6, 7, trials)
        for features, outcome in fewer.items():
            for part in ("after_y", "paper", "share"):
                found, wanted = getattr(outcome, part), getattr(more[features], part)
                np.testing.assert_allclose(found, wanted[:trials], rtol=1e-12)


def test_fewer_trials_are_the_first_of_more_blocks():
    exp = next(kernel for kernel in SIMULATED if kernel.name == "exp")
    found, more = (simulate(exp, LAYERS[0], SMALL, 3, 7, t)[None] for t in (5003, 5010))
    np.testing.assert_array_equal(found.after_y, more.after_y[:5003])
    ends = [
        next(draws(exp, LAYERS[0], SMALL, 3, 7, 10)).y,
        [*draws(exp, LAYERS[0], SMALL, 3, 7, 5010)][-1].y,
    ]
    assert ends[1].shape == ends[0].shape
    assert not np.array_equal(*ends)


def test_another_seed_kernel_layer_or_n_is_another_draw():
    first, other = SIMULATED[:2]
    asked = [
        (first, LAYERS[0], SMALL, 12, 7), (first, LAYERS[0], SMALL, 12, 8),
        (other, LAYERS[0], SMALL, 12, 7), (first, LAYERS[1], SMALL, 12, 7),
        (first, LAYERS[0], SMALL, 15, 7),
    ]  # fmt: skip
    signs = [next(draws(*of, 10)).y.tolist() for of in asked]
    assert all(a != b for a, b in itertools.combinations(signs, 2))


@each_layer
@pytest.mark.parametrize(("data", "n", "trials"), [(PAPERS, 200, 2000), (SMALL, 12, 4000)])
def test_against_exact_values(layer, data, n, trials):
    """24 binomial tests of exp and linear in all layers; and their shares, which do not vary."""
    of_exp = exp_probabilities(layer, data, (n,))
    for kernel in SIMULATED:
        if kernel.name not in KERNELS:
            continue
        exact = separate(KERNELS[kernel.name], layer, data, [n], of_exp)
        found = simulate(kernel, layer, data, n, 11, trials)[None]
        for told, p in ((found.after_y, exact.p_after_y[0]), (found.paper, exact.p_paper[0])):
            assert binomtest(int(told.sum()), trials, p).pvalue > FALSE_ALARM / 24
        np.testing.assert_allclose(found.share, exact.share[0], rtol=1e-10)
