"""Where a score equals tau, or nearly does: decided by the rule, in every engine."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import config_points, contest, exact_at, model_of, point, run_trials
from regression_ways import force_way
from scipy.stats import binomtest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds, largest_scores
from attention_separation.datasets import cross_attention, self_attention
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.simulation.rare_columns import (
    draw_chunks,
    tilts_of,
)
from attention_separation.studies.softmax_vs_linear.simulation.regression_trials import is_rare
from attention_separation.studies.softmax_vs_linear.simulation.signs import draw_lanes, pluses


def margins(p):
    """(largest score - tau) / s of every state, network by network."""
    scores = [largest_scores(rows).score[0] for rows in model_of(p).network_rows([p])]
    return [(of_network - p.tau) / p.s for of_network in scores]


def test_5d_at_1_9_is_decided_as_fifty_digits_decide_it():
    """F_exp on D1, the special row against one column of signs."""
    p = next(p for p in config_points("fig5d") if p.name == "a1=1.9")
    getcontext().prec = 50
    n, a, b, c, theta = (Decimal(x) for x in ("200", "1.9", "0.2", "0.8", "0.9"))
    log_n, t, classes = n.ln(), 10, 20
    special = ((1 + a) * (1 + a) * log_n).exp()
    other = ((1 + a) * log_n).exp()
    share, rest = special / (special + 199 * other), other / (special + 199 * other)
    # + first coordinate, - last, - marked class, + the 19 other classes; in units of s.
    score = a * share - c - b * (share + (t - 1) * rest) + (classes - 1) * b * t * rest
    exact = float(score - theta)
    assert -1e-10 < exact < -1e-11
    state = (1, 0, 0, classes - 1)
    assert margins(p)[0][state] == pytest.approx(exact, abs=1e-13)
    assert not exceeds(margins(p)[0][state] * p.s + p.tau, p.tau, p.s)


def test_exact_tie_of_a_row_in_4b_at_d_6_rounds_above_tau():
    """Linear attention on D1, X = I: a row equals tau for some signs; float64 puts it above."""
    p = next(p for p in config_points("fig4b") if p.d == 6)
    tokens = self_attention.tokens(p.n, p.d, p.a1, p.b, p.c, 0)
    eye = np.eye(p.d)
    c = attention(tokens, tokens, tokens, eye, eye, eye, KERNELS["linear"])
    y = np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
    gap = (c @ y - p.tau) / p.s
    ties = np.abs(gap) < 1e-13
    assert ties.sum() >= p.n // 4
    assert (gap[ties] > 0).any()
    assert not exceeds((c @ y)[ties], p.tau, p.s).any()


def test_exact_tie_of_cross_attention_at_n_10():
    """n = 10, d = 11: a plain row is 1/10 in every coordinate, so sums of 9 tie 0.9 s."""
    p = point("cross_attention", n=10, d=11, m=3, a0=0.01, a1=1.2)
    a1, a2 = cross_attention.tokens(p.n, p.d, p.a1, 0, 0)
    eye = np.eye(p.d)
    c = attention(a1, a2, a2, eye, eye, eye, KERNELS["linear"])
    y = np.ones(p.d)
    y[0] = -1.0
    plain = c[1] @ y
    assert plain == pytest.approx(p.tau, abs=1e-14)
    assert not exceeds(plain, p.tau, p.s)
    y[0] = 1.0
    assert exceeds(c[1] @ y, p.tau, p.s)
    streams = BlockStreams(1, "tie", p.name, 0)
    dense, reduced = (run_trials(engine, p, streams, 1500) for engine in ("dense", "reduced"))
    np.testing.assert_array_equal(dense, reduced)
    lanes = draw_lanes(streams.generator("signs"), 1500, p.m, p.d)
    tying = (pluses(lanes, p.d, 0, p.d) == 10) & (pluses(lanes, p.d, 0, 1) == 0)
    assert tying.any()


TRIALS, FALSE_ALARM = 200, 1e-9
"""Of a threshold; and how often a comparison may fail though all is right: of about 60 in all."""


@given(
    kernel=st.sampled_from(["linear_unnormalised", "relu2_over_n", "sigmoid_unnormalised"]),
    model=st.sampled_from(["self_attention", "cross_attention"]),
)
def test_rows_of_any_size_tie_in_every_engine(model, kernel):
    """Rows that are not divided, of a hundredth of s to hundreds: where a score ties the threshold
    both engines decide alike in every trial, and as often as exact values say."""
    own = {"d": 6, "b": 0.5, "c": 0.5} if model == "self_attention" else {"d": 5}
    values = {"n": 40, "m": 2, "a0": 0.3, "a1": 3.0, "contest": contest(kernel)} | own
    p = point(model, **values)
    scores = [largest_scores(rows).score / p.s for rows in model_of(p).network_rows([p])]
    thetas = np.unique(np.concatenate([part.ravel() for part in scores]))
    thetas = thetas[(thetas > 1e-4) & (thetas < 1000)]
    for theta in thetas[:: len(thetas) // 5 + 1]:
        tied = point(model, **values, theta=float(theta))
        streams = BlockStreams(5, "tie", tied.name, 0)
        dense = run_trials("dense", tied, streams, TRIALS)
        np.testing.assert_array_equal(dense, run_trials("reduced", tied, streams, TRIALS))
        positive_on_d1, zero_on_d0 = exact_at(tied).events
        for count, chance in zip(dense.sum(axis=0), (positive_on_d1, 1 - zero_on_d0), strict=True):
            assert binomtest(int(count), TRIALS, chance).pvalue > FALSE_ALARM


def test_exact_ties_of_regression_with_constant_ax(subtests):
    """5/8 pluses make the score 1/4 exactly on D0, for both kernels: a tie, so not positive."""
    for n in [8, 16, 40]:
        for law in ["low", "middle", "high"]:
            with subtests.test(n=n, law=law), pytest.MonkeyPatch.context() as monkeypatch:
                force_way(monkeypatch, "all")
                p = point("regression", n=n, m=6, law=law)
                streams = BlockStreams(3, "tie", p.name, 0)
                dense, reduced = (
                    run_trials(engine, p, streams, 1000) for engine in ("dense", "reduced")
                )
                np.testing.assert_array_equal(dense, reduced)
                lanes = draw_lanes(streams.generator("signs"), 1000, p.m, n)
                most = pluses(lanes, n, 0, n).max(axis=1)
                assert (most == 5 * n // 8).any()
                np.testing.assert_array_equal(reduced[:, 2], most > 5 * n // 8)
                np.testing.assert_array_equal(reduced[:, 3], most > 5 * n // 8)


@pytest.mark.parametrize("n", [16, 40])
def test_rare_columns_of_constant_ax_exceed_tau_and_do_not_tie(n, monkeypatch):
    """Scores on D0 are multiples of 2/n, of which tau is one: 3/4 pluses tie it."""
    force_way(monkeypatch, "rare columns")
    p = point("regression", n=n, m=6, law="middle", tau=0.5)
    assert is_rare(p)
    tilts = tilts_of(p)
    kept = []
    for chunk in draw_chunks(p, tilts, BlockStreams(3, "tie", p.name, 0), 1000):
        kept += chunk.kept
    bits = np.concatenate([columns.bits for columns in kept])
    positive = np.concatenate([columns.positive for columns in kept])
    is_above = bits.sum(axis=1) > 3 * n // 4
    assert is_above.any()
    np.testing.assert_array_equal(positive[:, 1], is_above)
    np.testing.assert_array_equal(positive[:, 2], is_above)
