"""The chance that one random head is right: against closed forms, and against the definition."""

import math

import numpy as np
import pytest

from attention_separation.studies.head_rank.constructions import vote
from attention_separation.studies.head_rank.constructions.data import DISTRIBUTIONS
from attention_separation.studies.head_rank.theory.one_head import chance_right

DRAWS = 16_000
FALSE_ALARM = 1e-6
"""Of each comparison below: 4.9 standard errors."""


def literal(distribution, d, points):
    """Draws of whether one head is right, by its definition."""
    rng = np.random.default_rng(17)
    x, y = DISTRIBUTIONS[distribution](rng, DRAWS, d, points)
    g = rng.standard_normal((DRAWS, d))
    products = np.einsum("tdn,td->tn", x, y)
    scores = np.einsum("tdn,td->tn", x, g) * np.einsum("td,td->t", g, y)[:, None]
    return scores.argmax(axis=1) == products.argmax(axis=1)


@pytest.mark.parametrize(
    ("distribution", "d"), [("uniform", 4), ("orthogonal", 5), ("orthogonal", 64)]
)
def test_two_points_have_a_closed_form(distribution, d):
    chance = chance_right(distribution, d, 2)
    distance = abs(chance.value - (1 - vote.wrong_probability(d, heads=1)))
    assert distance < 2 * chance.error + 1e-8
    assert chance.error < 1e-5


@pytest.mark.parametrize(
    ("distribution", "d", "points"),
    [("uniform", 6, 5), ("uniform", 8, 64), ("orthogonal", 4, 4), ("orthogonal", 16, 8)],
)
def test_more_points_against_the_definition(distribution, d, points):
    """Also of more independent points than dimensions. A chance that is 0.02 off is seen."""
    right = literal(distribution, d, points)
    chance = chance_right(distribution, d, points)
    assert chance.error < 5e-5
    spread = math.sqrt(chance.value * (1 - chance.value) / DRAWS)
    assert abs(right.mean() - chance.value) < 4.9 * spread


def test_a_dimension_that_is_too_small_is_named():
    with pytest.raises(ValueError, match="d=3; allowed: whole numbers from 4"):
        chance_right("uniform", 3, 2)
