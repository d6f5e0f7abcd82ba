"""The farthest point: least error of uniform attention, and the head of full rank, simulated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betainc

from attention_separation.studies.head_rank.constructions import data
from attention_separation.studies.head_rank.constructions.data import unit_vectors
from attention_separation.studies.head_rank.constructions.farthest_point import (
    least_error,
    opposite_head,
    simulated_errors,
)
from attention_separation.studies.head_rank.constructions.sphere import angle_rule


@given(case=st.sampled_from([(2, 3), (3, 5), (8, 4), (16, 3), (16, 16)]))
def test_the_least_error_is_that_of_least_squares_on_simulated_sets(case):
    d, n = case
    rng, sets = np.random.default_rng(7), 20_000
    x = np.swapaxes(unit_vectors(rng, sets, n, d), -1, -2)
    total = x.sum(axis=-1, keepdims=True)
    target = data.farthest(x)
    # Two coefficients for all points together: from half of the sets, judged on the other half.
    parts = [x, np.broadcast_to(total, x.shape)]
    normal = [[np.sum(p[::2] * q[::2]) for q in parts] for p in parts]
    best = np.linalg.solve(normal, [np.sum(p[::2] * target[::2]) for p in parts])
    left = target - best[0] * parts[0] - best[1] * parts[1]
    errors = np.sum(left[1::2] ** 2, axis=1).mean(axis=-1)
    reach = DEVIATIONS * errors.std() / np.sqrt(len(errors))
    # Coefficients from 10,000 sets cost about 2 / 10,000 of the error.
    assert abs(errors.mean() - least_error(d, n)) < reach + 1e-3


@given(case=st.sampled_from([(3, 4), (8, 4), (16, 16), (64, 256), (5, 1000)]))
def test_the_quadrature_agrees_with_an_adaptive_one(case):
    d, n = case
    half = (d - 1) / 2

    def expected(value):
        mass = quad(lambda u: (1 - u * u) ** (half - 1), -1, 1, epsabs=1e-13)[0]

        def inner(u):
            return value(u, betainc(half, half, (1 - u) / 2)) * (1 - u * u) ** (half - 1)

        places = [-1 + 2.0**-k for k in range(12)]
        return quad(inner, -1, 1, points=places, limit=400, epsabs=1e-13)[0] / mass, mass

    least, mass = expected(lambda u, above: (n - 1) * u * above ** (n - 2))
    both, _ = expected(lambda u, above: (n - 1) * u * (1 - u * u) ** half * above ** (n - 3))
    both /= (d - 1) * mass
    error = 1 - least**2 - (1 + (n - 2) * both) ** 2 / (n - 1)
    assert least_error(d, n) == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("d", [2, 8, 64])
def test_of_two_points_the_other_is_the_farthest(d):
    assert least_error(d, 2) == 0
    assert least_error(d, 3) > 0.3


DEVIATIONS = 5.5
"""Standard errors that a simulated error may be off: a false alarm has probability 4e-8 a case."""


def test_the_head_by_loops():
    x = unit_vectors(np.random.default_rng(1), 4, 3).T
    c = 2.5
    for i in range(4):
        weights = np.array([np.exp(-c * x[:, i] @ x[:, j]) for j in range(4)])
        expected = sum(w * x[:, j] for j, w in enumerate(weights / weights.sum()))
        np.testing.assert_allclose(opposite_head(x, c)[:, i], expected)


@pytest.mark.parametrize("d", [2, 8])
def test_the_error_on_two_points_by_quadrature(d):
    """The point itself keeps the weight 1 / (1 + exp(c (1 - z))), and takes x_i for x_j."""
    phi, weights = angle_rule(d)
    z = np.sin(phi)
    for c, (mean, se) in zip((1.0, 10.0), simulated_errors(d, 2, [1.0, 10.0], seed=5), strict=True):
        expected = weights @ ((2 - 2 * z) / (1 + np.exp(c * (1 - z))) ** 2)
        assert abs(mean - expected) < DEVIATIONS * se
