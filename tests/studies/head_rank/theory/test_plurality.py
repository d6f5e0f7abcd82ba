"""The vote among several points, the chance that one head is right, and rank 0."""

import math

import numpy as np
import pytest

from attention_separation.statistics.seeding import stream
from attention_separation.studies.head_rank.constructions import vote
from attention_separation.studies.head_rank.constructions.data import DISTRIBUTIONS, nearest
from attention_separation.studies.head_rank.settings.jobs import PluralityJob
from attention_separation.studies.head_rank.theory import plurality_table
from attention_separation.studies.head_rank.theory.one_head import chance_right

JOB = PluralityJob(
    draws=300, distributions=["uniform", "orthogonal"], dimensions=[3], points=[2, 8],
    heads=[1, 7, 101], seed=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    return list(plurality_table.plurality_rows(JOB))


def test_two_points_have_the_majority_votes_exact_error(rows):
    own = [row for row in rows if row["n"] == 2]
    assert len(own) == 6
    for row in own:
        expected = vote.error(3, row["heads"])
        reach = (row["ci_high"] - row["ci_low"]) / 2
        assert abs(row["error"] - expected) < 3 * reach + 0.02


def test_one_head_is_right_as_often_as_the_exact_law_of_two_points_says(rows):
    for row in rows:
        # The mean over draws, of which a twentieth may be outside: here the reach is doubled.
        reach = row["one_right_high"] - row["one_right_low"]
        if row["n"] == 2:
            assert abs(row["one_right"] - (1 - vote.wrong_probability(3, heads=1))) < reach
        # Of so few dimensions there are no integrals.
        assert row["one_right_exact"] is row["one_right_error"] is None
        # More often than a guess, and less with more points.
        assert row["one_right"] > 1 / row["n"]
    for distribution in JOB.distributions:
        own = {row["n"]: row["one_right"] for row in rows if row["distribution"] == distribution}
        assert [own[n] for n in sorted(own)] == sorted(own.values(), reverse=True)


def test_beside_one_heads_chance_stands_the_exact_one():
    job = PluralityJob(
        draws=300, distributions=["orthogonal"], dimensions=[4], points=[3], heads=[101], seed=1
    )
    (row,) = plurality_table.plurality_rows(job)
    assert row["one_right_low"] < row["one_right_exact"] < row["one_right_high"]
    assert (row["one_right_exact"], row["one_right_error"]) == chance_right("orthogonal", 4, 3)


def test_the_chance_of_one_head_is_that_of_each_of_them():
    """Held to a loop over draws, heads and points."""
    job = PluralityJob(
        draws=3, distributions=["uniform"], dimensions=[3], points=[3], heads=[2, 5], seed=4
    )
    wanted = []
    for draw in range(3):
        rng = stream(4, "head_rank", "plurality", "uniform", "d=3", str(draw))
        x, y = DISTRIBUTIONS["uniform"](rng, 1, 3, 3)
        right = 0
        for direction in rng.standard_normal((5, 3)):
            scores = [(point @ direction) * (direction @ y[0]) for point in x[0].T]
            products = [point @ y[0] for point in x[0].T]
            right += scores.index(max(scores)) == products.index(max(products))
        wanted.append(right / 5)
    for row in plurality_table.plurality_rows(job):
        assert row["one_right"] == pytest.approx(np.mean(wanted))


def test_orthogonal_points_are_as_many_as_fit(rows):
    assert {row["n"] for row in rows if row["distribution"] == "orthogonal"} == {2}
    for row in rows:
        assert 0 <= row["ci_low"] <= row["error"] <= row["ci_high"]
        if row["distribution"] == "orthogonal":
            # A wrong point is at the squared distance 2.
            assert row["error"] == pytest.approx(2 * (1 - row["right"]))


def test_the_winner_has_most_of_the_votes():
    rng = np.random.default_rng(0)
    x, y = DISTRIBUTIONS["uniform"](rng, 1, 4, 5)
    g = rng.standard_normal((30, 4))
    votes = np.zeros(5)
    for direction in g:
        scores = x[0].T @ direction * (direction @ y[0])
        votes[np.flatnonzero(scores == scores.max())] += 1
    ballots = plurality_table.votes_of(x[0], y[0], g)
    last, few = plurality_table.winners(ballots, 5, [30, 1])
    assert votes[last] == votes.max()
    assert few == np.argmax(x[0].T @ g[0] * (g[0] @ y[0]))


@pytest.mark.parametrize(
    ("distribution", "d", "n"),
    [("uniform", 5, 4), ("uniform", 12, 8), ("orthogonal", 4, 2), ("orthogonal", 12, 8)],
)
def test_rank_0_is_what_least_squares_finds(distribution, d, n):
    """The nearest point has length 1: what its projection on y and the sum of all points leaves.
    An error that is 0.008 off is seen, 5 standard errors or more."""
    x, y = DISTRIBUTIONS[distribution](np.random.default_rng(d * n), 20_000, d, n)
    parts = np.stack([y, x.sum(axis=2)], axis=-1)
    gram = np.einsum("tdi,tdj->ij", parts, parts) / len(y)
    with_nearest = np.einsum("tdi,td->i", parts, nearest(x, y)) / len(y)
    least = 1 - with_nearest @ np.linalg.solve(gram, with_nearest)
    expected = plurality_table.uniform_attention_error(distribution, d, n)
    assert least == pytest.approx(expected, abs=0.008)


def test_heads_for_an_error_lie_between_those_that_have_it():
    heads, errors = np.array([16, 64, 256]), np.array([0.9, 0.6, 0.4])
    assert plurality_table.heads_reaching(heads, errors, 0.5) == pytest.approx(128)
    assert plurality_table.heads_reaching(heads, errors, 0.6) == pytest.approx(64)
    assert plurality_table.heads_reaching(heads, errors, 0.3) is None
    assert plurality_table.heads_reaching(heads, errors, 0.95) is None


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
    [("uniform", 8, 64), ("orthogonal", 4, 4), ("orthogonal", 16, 8)],
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
