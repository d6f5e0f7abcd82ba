"""Trials with a random V: against n x n attention with the same V and y, trial by trial.

False-alarm budget of the random tests: BUDGET together.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import STUDY, contest, exact_at, model_of, point, run_trials
from scipy.stats import binomtest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.simulation.attention_trials import draws
from attention_separation.studies.softmax_vs_linear.simulation.random_values import (
    orthogonal,
    positive_with,
    scaled_signs,
)
from attention_separation.studies.softmax_vs_linear.simulation.signs import sign_matrix, stream_name

BUDGET = 1e-6
STREAMS = BlockStreams(1, "test", "x", 0)
SELF = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "m": 2}
CROSS = {"a0": 0.01, "a1": 1.2, "m": 2}
CASES = {
    "X = I": ("self_attention", {**SELF, "n": 24, "d": 8}, CONTEST_OF_PAPER),
    "X all ones": (
        "self_attention",
        {**SELF, "n": 24, "d": 8, "attention_x": "ones"},
        CONTEST_OF_PAPER,
    ),
    "one class": ("self_attention", {**SELF, "n": 6, "d": 3}, CONTEST_OF_PAPER),
    "two classes": ("self_attention", {**SELF, "n": 8, "d": 4}, CONTEST_OF_PAPER),
    "one token a class": ("self_attention", {**SELF, "n": 6, "d": 8}, CONTEST_OF_PAPER),
    "rows not divided": (
        "self_attention",
        {**SELF, "n": 24, "d": 8, "theta": 4.0, "signs": "fresh"},
        contest("sigmoid_unnormalised"),
    ),
    "cross": ("cross_attention", {**CROSS, "n": 24, "d": 7, "theta": 0.4}, CONTEST_OF_PAPER),
}


def identity(normals):
    return np.broadcast_to(np.eye(normals.shape[-1]), normals.shape)


def by_definition(values, p, trials):
    """Every network's n x n attention, with V drawn as `positive_with` draws it."""
    model, rng = model_of(p), STREAMS.generator("values")
    found = []
    for indices, lanes in draws(p, model.special_tokens, STREAMS, trials):
        for trial, places in enumerate(indices):
            (v,) = values(rng.standard_normal((1, p.d, p.d)))
            row = []
            for network in p.contest.networks:
                data = model.literal(p, network.dataset, places[network.dataset])
                own = lanes[stream_name(p.signs, network)][trial]
                c = attention(*data, v, KERNELS[network.kernel])
                row.append(exceeds(c @ sign_matrix(own, p.d), p.tau, p.s).any())
            found.append(row)
    return np.array(found)


@given(values=st.sampled_from([identity, orthogonal, scaled_signs]), case=st.sampled_from([*CASES]))
def test_trials_are_those_of_the_definition(case, values):
    model, settings, of = CASES[case]
    p = replace(point(model, **settings), contest=of)
    expected = by_definition(values, p, 100)
    assert expected.any(axis=0).all()
    assert not expected.all(axis=0).any()
    np.testing.assert_array_equal(positive_with(values, model_of(p), p, STREAMS, 100), expected)


@pytest.mark.parametrize("name", ["fig4e", "fig5e", "fig7e"])
def test_with_the_identity_success_has_its_exact_probability(name):
    """And the trials are those of the engine that knows V = I alone."""
    p = STUDY.panels.simulated[name].points()[0]
    streams = BlockStreams(7, name, p.name, 0)
    positive = positive_with(identity, model_of(p), p, streams, 5000)
    np.testing.assert_array_equal(positive, run_trials("reduced", p, streams, 5000))
    successes = int(p.contest.event_flags(positive).all(axis=1).sum())
    assert binomtest(successes, 5000, exact_at(p).success).pvalue > BUDGET / 6


@pytest.mark.parametrize("values", [orthogonal, scaled_signs])
def test_the_laws_of_v(values):
    """V has mean 0, and given y the coordinates of V y have mean 0 and the identity as covariance:
    55 means within 7 standard errors, a false alarm of either V below BUDGET / 4."""
    d, trials = 5, 40_000
    v = values(np.random.default_rng(3).standard_normal((trials, d, d)))
    if values is orthogonal:
        np.testing.assert_allclose(v @ v.swapaxes(1, 2), identity(v), atol=1e-12)
    else:
        np.testing.assert_allclose(v**2, 1 / d)
    vy = v @ np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    products = vy[:, :, None] * vy[:, None, :]
    for values_of, mean in ((v, 0), (vy, 0), (products, np.eye(d))):
        error = values_of.std(axis=0) / trials**0.5 + 1e-12
        assert (np.abs(values_of.mean(axis=0) - mean) <= 7 * error).all()
