"""Theorem 7: the construction is the vote, and the vote's error is what the sum says."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_heads import Attend, attention_layer
from pydantic import ValidationError
from scipy.integrate import quad
from scipy.stats import binom

from attention_separation.statistics.counts import clopper_pearson
from attention_separation.statistics.goodness_of_fit import PanelPoints
from attention_separation.statistics.panel_agreement import holm, point_p_values
from attention_separation.studies.head_rank.claims.claim import Evidence
from attention_separation.studies.head_rank.claims.vote_claims import (
    MAJORITY_VOTE,
    MANY_TIMES,
    MORE_VOTERS,
)
from attention_separation.studies.head_rank.constructions import data, full_rank_head, vote
from attention_separation.studies.head_rank.constructions.full_rank_head import hardmax
from attention_separation.studies.head_rank.constructions.vote import SCHEMA, vote_table
from attention_separation.studies.head_rank.settings.jobs import VoteJob

BUDGET = 1e-6
"""False alarms of the comparison with simulation, corrected for its points by Holm."""

JOB = {
    "seed": 11, "draws": 1500, "dimensions": [3, 12], "heads": [1, 3, 31, 201], "epsilons": [0.4],
}  # fmt: skip
RNG = np.random.default_rng(3)


@given(
    case=st.sampled_from([(2, 1), (3, 5), (8, 21), (16, 7)]),
    attend=st.sampled_from([full_rank_head.softmax, full_rank_head.hardmax]),
)
def test_the_transformer_gives_the_point_with_most_votes(case, attend):
    d, count = case
    x, y = data.uniform(RNG, 300, d, 2)
    g = data.unit_vectors(RNG, count, d)
    built = transformer(g, temperature=1e9 if attend is full_rank_head.softmax else 1.0)
    assert built.encoding.shape == (2, 3)
    tokens = np.concatenate([x, y[..., None]], axis=-1)
    votes = vote.votes_for_first(x, y, g).sum(axis=-1)
    winner = np.where(2 * votes[:, None] > count, x[..., 0], x[..., 1])
    expected = winner + y / DROWNING
    np.testing.assert_allclose(built(tokens, attend)[..., 2], expected, atol=1e-12)


def test_a_heads_vote_is_the_rank_1_hardmax_head():
    x, y = data.uniform(RNG, 200, 5, 2)
    g = data.unit_vectors(RNG, 5)
    column, eye = g[None, :, None], np.eye(5)[None]
    chosen = attention_layer(x, y[..., None], column, column, eye, eye, full_rank_head.hardmax)
    first = vote.votes_for_first(x, y, g[None])[:, :1]
    np.testing.assert_allclose(chosen[..., 0], np.where(first, x[..., 0], x[..., 1]))


@pytest.mark.parametrize("count", [2, 40])
def test_an_even_vote_is_refused(count):
    with pytest.raises(ValidationError, match=f"{count} heads; allowed: odd numbers"):
        VoteJob.model_validate(JOB | {"heads": [1, count]})


@given(case=st.sampled_from([(2, 1), (2, 9), (3, 5), (20, 31)]))
def test_the_exact_error_by_adaptive_quadrature(case):
    d, count = case

    def wrong(angle):
        right = 1 - min(angle, math.pi - angle) / math.pi
        return binom.cdf(count // 2, count, right) * math.sin(angle) ** (d - 2)

    total = quad(lambda angle: math.sin(angle) ** (d - 2), 0, math.pi)[0]
    expected = quad(wrong, 0, math.pi, points=[math.pi / 2], epsabs=1e-12)[0] / total
    assert vote.wrong_probability(d, count) == pytest.approx(expected, abs=1e-10)
    if (d, count) == (2, 1):
        assert expected == pytest.approx(1 / 4)


def test_simulated_errors_are_the_exact_ones():
    table = vote_table(VoteJob.model_validate(JOB))
    assert table.schema.equals(SCHEMA)
    rows = [row for row in table.to_pylist() if row["series"] == "error"]
    assert len(rows) == 8
    assert min(row["p_value"] for row in rows) > BUDGET


def test_the_vote_alone_is_the_targets_error():
    """2 P(wrong) is the mean of ||f - winner||^2: the same draws, either way."""
    x, y = data.uniform(RNG, 40_000, 4, 2)
    g = RNG.standard_normal((40_000, 3, 4))
    votes = vote.votes_for_first(x, y, g).sum(axis=-1)
    winner = np.where(votes[:, None] >= 2, x[..., 0], x[..., 1])
    error = data.squared_error(data.nearest(x, y), winner)
    spread = error.std() / math.sqrt(len(error))
    assert abs(error.mean() - vote.error(4, 3)) < 5.5 * spread  # budget 4e-8


@pytest.mark.parametrize("d", [2, 4, 64])
def test_the_law_of_many_heads(d):
    assert vote.error(d, 10**6 + 1) == pytest.approx(vote.error_law(d, 10**6 + 1), rel=1e-3)
    assert vote.error_law(10**6, 10**8) == pytest.approx(math.sqrt(10**6 / 10**8), rel=1e-5)


@pytest.mark.parametrize(("d", "epsilon"), [(4, 0.1), (9, 0.5), (2, 0.9)])
def test_the_heads_needed_are_the_fewest(d, epsilon):
    count = vote.heads_needed(d, epsilon)
    assert count % 2 == 1
    assert vote.error(d, count) <= epsilon
    assert count == 1 or vote.error(d, count - 2) > epsilon


def simulated(heads, wrong, draws=2000, d=4):
    """A row of the table."""
    counts = {"draws": draws, "wrong": wrong, "error": 2 * wrong / draws}
    return {"d": d, "heads": heads} | counts


def on_votes(claim, votes, level):
    """The row of a claim on rows of the table of votes."""
    return claim.row(Evidence(margin=0.0, level=level, seed=1, votes=votes))


def test_more_heads_are_compared_with_the_next_of_enough_times_their_number():
    rows = [simulated(h, w) for h, w in ((1, 900), (31, 500), (33, 300), (1023, 100), (1057, 99))]
    found = on_votes(MORE_VOTERS, rows, 0.01)
    assert (found["verdict"], found["comparisons"]) == ("agrees", 3)
    assert found["deciding_case"] == "d=4, H=33 against 1057"
    assert f"at least {MANY_TIMES} H" in found["statement"]
    assert found["low"] > 0
    apart = [simulated(1, 900), simulated(33, 400, d=16)]
    assert on_votes(MORE_VOTERS, apart, 0.01)["verdict"] == "not run"


def test_exactly_so_many_times_as_many_heads_are_enough():
    """With the next that has them, in whatever order the rows stand; at a level for all pairs."""
    few, many = [1, 3, 5], [MANY_TIMES, 3 * MANY_TIMES, 5 * MANY_TIMES]
    wrong = dict(zip(few + many, (900, 905, 990, 860, 600, 400), strict=True))
    rows = [simulated(heads, count) for heads, count in wrong.items()]
    for order in ([*range(6)], [5, 4, 3, 2, 1, 0], [3, 5, 0, 4, 2, 1]):
        found = on_votes(MORE_VOTERS, [rows[k] for k in order], 0.01)
        assert found["comparisons"] == 3
        assert found["deciding_case"] == f"d=4, H=1 against {MANY_TIMES}"
    # Two intervals of each of three pairs hold together.
    low, high = (clopper_pearson(wrong[heads], 2000, 1 - 0.01 / 6) for heads in (1, MANY_TIMES))
    assert found["low"] == pytest.approx(2 * (low[0] - high[1]))
    assert found["high"] == pytest.approx(2 * (low[1] - high[0]))


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_the_interval_of_the_vote_s_error_holds_its_law_where_the_verdict_agrees(share):
    """Both at one level over all points: the verdict turns where the p-value is the level."""
    rows = [simulated(1, 750), simulated(3, 590), simulated(7, 470)]
    laws = [vote.error(4, row["heads"]) for row in rows]
    measured = PanelPoints(
        np.array([row["wrong"] for row in rows]),
        np.array([row["draws"] for row in rows]),
        np.array(laws) / 2,
        np.zeros(3),
    )
    adjusted = holm(point_p_values(measured))
    points = [row | {"error_exact": law, "p_value": p}
              for row, law, p in zip(rows, laws, adjusted, strict=True)]  # fmt: skip
    found = on_votes(MAJORITY_VOTE, points, share * adjusted.min())
    assert found["verdict"] == ("agrees" if share < 1 else "differs")
    assert (found["low"] <= found["bound"] <= found["high"]) == (share < 1)
    assert adjusted.min() < 0.5


def test_a_vote_whose_p_value_is_the_level_is_rejected():
    """As everywhere: at or below the level."""
    points = [simulated(1, 750) | {"error_exact": 0.75, "p_value": 0.03}]
    assert on_votes(MAJORITY_VOTE, points, 0.03)["verdict"] == "differs"
    assert on_votes(MAJORITY_VOTE, points, np.nextafter(0.03, 0))["verdict"] == "agrees"


@pytest.mark.parametrize(("wrong", "expected"), [(520, "undecided"), (850, "differs")])
def test_a_vote_that_errs_no_less_with_more_heads_does_not_agree(wrong, expected):
    rows = [simulated(1, 900), simulated(63, 500), simulated(2047, wrong)]
    assert on_votes(MORE_VOTERS, rows, 0.01)["verdict"] == expected


def test_equal_votes_are_told_apart_no_more_often_than_the_level():
    """False alarms: of 400 tables of shared draws that err alike, more than 45 at a level of 0.05
    have probability below 1e-6."""
    rng = np.random.default_rng(2)
    decided = 0
    for _ in range(400):
        # Wrong together half the time, else each for itself: shared draws, equal probabilities.
        both = rng.random(300) < 0.5
        votes = [np.where(both, rng.random(300) < 0.3, rng.random(300) < 0.3) for _ in range(2)]
        rows = [simulated(h, int(v.sum()), 300) for h, v in zip((1, 63), votes, strict=True)]
        decided += on_votes(MORE_VOTERS, rows, 0.05)["verdict"] != "undecided"
    assert decided <= 45


DROWNING = 1e4
"""C: the output is x_i + y / C."""


@dataclass(frozen=True)
class MaskedLayer:
    """The heads {(M_h, V_h)} of a layer, each matrix (H, D, D)."""

    m: np.ndarray
    v: np.ndarray

    def __call__(self, x: np.ndarray, attend: Attend = hardmax) -> np.ndarray:
        """T_i(X) = x_i + the sum over h of V_h X~_i sm(X~_i^T M_h x_i), for X (..., D, N).

        X~_i is X without its column i; M has the attended point on its left.
        """
        new = []
        for i in range(x.shape[-1]):
            own = x[..., i : i + 1]
            others = np.delete(x, i, axis=-1)
            points = np.swapaxes(others, -1, -2)
            heads = sum(
                v_h @ (others @ attend(points @ (m_h @ own)))
                for m_h, v_h in zip(self.m, self.v, strict=True)
            )
            new.append(own + heads)
        return np.concatenate(new, axis=-1)


@dataclass(frozen=True)
class TwoLayers:
    """Equation 15: T(X) = A T2(T1([X; E])), the encodings E (d_e, N) concatenated to the points."""

    encoding: np.ndarray
    first: MaskedLayer
    second: MaskedLayer
    output: np.ndarray

    def __call__(self, x: np.ndarray, attend: Attend = hardmax) -> np.ndarray:
        """X (..., d, N) to (..., d, N)."""
        shape = (*x.shape[:-2], *self.encoding.shape)
        tokens = np.concatenate([x, np.broadcast_to(self.encoding, shape)], axis=-2)
        return self.output @ self.second(self.first(tokens, attend), attend)


def transformer(g: np.ndarray, temperature: float = 1.0, drowning: float = DROWNING) -> TwoLayers:
    """The transformer with the directions g (H, d), H odd; both layers have max(H, d) heads.

    All M and V have rank 1, or 0 in the heads that fill a layer up. For softmax attention the
    `temperature` multiplies every M.
    """
    heads, d = len(g), g.shape[1]
    count, size, label, counter = max(heads, d), d + 2, d, d + 1
    m1, v1, m2, v2 = np.zeros((4, count, size, size))
    m1[:heads, :d, :d] = temperature * g[:, :, None] * g[:, None, :]
    v1[:heads, counter, label] = 1 / heads
    m2[:d, label, counter] = temperature
    v2[np.arange(d), np.arange(d), np.arange(d)] = drowning
    encoding = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    output = np.eye(d, size) / drowning
    return TwoLayers(encoding, MaskedLayer(m1, v1), MaskedLayer(m2, v2), output)
