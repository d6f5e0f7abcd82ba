"""The head -cI on the farthest point: its definition, and its error where that is known."""

import numpy as np
import pytest

from attention_separation.head_rank.constructions.distributions import unit_vectors
from attention_separation.head_rank.constructions.opposite_head import (
    opposite_head,
    simulated_errors,
)
from attention_separation.head_rank.constructions.sphere import angle_rule
from attention_separation.head_rank.constructions.uniform_attention import least_error

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


def test_without_a_temperature_it_is_uniform_attention():
    ((mean, _),) = simulated_errors(8, 4, [0.0], seed=5)
    assert mean > least_error(8, 4)
    (_, (cold, _)) = simulated_errors(8, 4, [0.0, 1e6], seed=5)
    assert cold < 1e-4


def test_fewer_sets_are_the_first_of_more():
    (mean_2, se_2), (mean_3, se_3) = (
        simulated_errors(4, 3, [3.0], seed=5, sets=sets)[0] for sets in (2, 3)
    )
    # The errors of two sets are their mean and standard error, added and taken away.
    errors = [mean_2 - se_2, mean_2 + se_2, 3 * mean_3 - 2 * mean_2]
    assert np.std(errors, ddof=1) / np.sqrt(3) == pytest.approx(se_3)
