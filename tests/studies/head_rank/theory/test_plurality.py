"""The vote among more than two points, and rank 0 for the nearest point."""

import numpy as np
import pytest

from attention_separation.statistics.seeding import stream
from attention_separation.studies.head_rank.constructions import vote
from attention_separation.studies.head_rank.constructions.data import DISTRIBUTIONS, nearest
from attention_separation.studies.head_rank.settings.jobs import PluralityJob
from attention_separation.studies.head_rank.theory import plurality_table

JOB = PluralityJob(
    draws=300, distributions=["uniform", "orthogonal"], dimensions=[5], points=[2, 8],
    heads=[1, 7, 101], seed=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    return list(plurality_table.plurality_rows(JOB))


def test_two_points_have_the_majority_votes_exact_error(rows):
    own = [row for row in rows if row["n"] == 2]
    assert len(own) == 6
    for row in own:
        expected = vote.error(5, row["heads"])
        reach = (row["ci_high"] - row["ci_low"]) / 2
        assert abs(row["error"] - expected) < 3 * reach + 0.02


def test_one_head_is_right_as_often_as_the_exact_law_of_two_points_says(rows):
    for row in rows:
        # The mean over draws, of which a twentieth may be outside: here the reach is doubled.
        reach = row["one_right_high"] - row["one_right_low"]
        if row["n"] == 2:
            assert abs(row["one_right"] - (1 - vote.wrong_probability(5, heads=1))) < reach
        assert abs(row["one_right"] - row["one_right_exact"]) < reach
        assert 0 <= row["one_right_error"] < 1e-4
        # More often than a guess, and less with more points.
        assert row["one_right"] > 1 / row["n"]
    for distribution in JOB.distributions:
        own = {row["n"]: row["one_right"] for row in rows if row["distribution"] == distribution}
        assert [own[n] for n in sorted(own)] == sorted(own.values(), reverse=True)


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
    """Within 5 standard errors of the mean over 20,000 draws."""
    rng = np.random.default_rng(d * n)
    found = []
    weights = None
    for _ in range(2):
        x, y = DISTRIBUTIONS[distribution](rng, 20_000, d, n)
        parts = np.stack([y, x.sum(axis=2)], axis=-1)
        f = nearest(x, y)
        if weights is None:
            weights = np.linalg.lstsq(parts.reshape(-1, 2), f.ravel(), rcond=None)[0]
        found = np.sum((f - parts @ weights) ** 2, axis=1)
    assert found.mean() == pytest.approx(
        plurality_table.uniform_attention_error(distribution, d, n), abs=0.025
    )


def test_heads_for_an_error_lie_between_those_that_have_it():
    heads, errors = np.array([16, 64, 256]), np.array([0.9, 0.6, 0.4])
    assert plurality_table.heads_reaching(heads, errors, 0.5) == pytest.approx(128)
    assert plurality_table.heads_reaching(heads, errors, 0.6) == pytest.approx(64)
    assert plurality_table.heads_reaching(heads, errors, 0.3) is None
    assert plurality_table.heads_reaching(heads, errors, 0.95) is None
