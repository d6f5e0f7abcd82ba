"""Trials of softmax regression that draw rare columns, against drawing everything.

False-alarm budget: BUDGET for the whole module. Every comparison is at level BUDGET / COMPARISONS.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_regression import by_definition
from making import point, run_trials
from regression_ways import force_way, switches, times_of_literal, way
from scipy.stats import chi2_contingency

from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.simulation import (
    rare_columns,
    regression_by_definition,
)

BUDGET, COMPARISONS = 1e-6, 60
LEVEL = BUDGET / COMPARISONS
ENGINES = ("dense", "reduced")
LAWS = ("uniform", "two-point", "low", "middle", "high")


@pytest.fixture(params=["all", "rare columns"])
def way_of_drawing(request, monkeypatch):
    force_way(monkeypatch, request.param)
    return request.param


def streams_of(p, seed=1):
    return BlockStreams(seed, "lazy", p.name, 0)


@settings(max_examples=20)
@given(seed=st.integers(0, 999))
def test_a_completed_trial_is_decided_alike(seed):
    """Whatever the parameters, ties included: with all drawn, or rare columns alone."""
    rng = np.random.default_rng([37, seed])
    p = point(
        "regression", n=int(rng.choice([2, 3, 8, 9, 16, 40, 63, 64, 65, 130, 200])),
        m=int(rng.integers(1, 6)), law=str(rng.choice(LAWS)),
        tau=float(rng.choice([1e-3, 0.04, 0.1, 0.15, 0.25, 0.5, 0.95, 1.0])),
        data=str(rng.choice(["same", "independent"])), signs=str(rng.choice(["shared", "fresh"])),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        force_way(patch, "rare columns")
        patch.setattr(rare_columns, "CHUNK_NUMBERS", 20_000)
        dense, reduced = (run_trials(engine, p, streams_of(p), 300) for engine in ENGINES)
    np.testing.assert_array_equal(dense, reduced)


@settings(max_examples=10)
@given(seed=st.integers(0, 999), way_of_drawing=st.sampled_from(["all", "rare columns"]))
def test_a_shorter_run_is_the_prefix_of_a_longer_one(seed, way_of_drawing):
    rng = np.random.default_rng([38, seed])
    p = point(
        "regression", n=int(rng.choice([2, 3, 15, 16, 17, 31, 33, 64, 65, 130, 3000])),
        m=int(rng.integers(1, 6)), law=str(rng.choice(LAWS)), tau=float(rng.choice([0.04, 0.25])),
        data=str(rng.choice(["same", "independent"])), signs=str(rng.choice(["shared", "fresh"])),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        force_way(patch, way_of_drawing)
        patch.setattr(rare_columns, "CHUNK_NUMBERS", 20_000)
        longer = run_trials("reduced", p, streams_of(p), 500)
        for shorter in (1, 301):
            found = run_trials("reduced", p, streams_of(p), shorter)
            np.testing.assert_array_equal(found, longer[:shorter])


JOINT = {
    "uniform": {"n": 24, "m": 2, "tau": 0.2},
    "two-point, the same data": {"n": 17, "m": 2, "law": "two-point", "data": "same"},
    "fresh signs": {"n": 20, "m": 2, "tau": 0.2, "signs": "fresh"},
    "tau large": {"n": 4, "m": 2, "tau": 0.9},
    "fresh signs, rare": {"n": 60, "m": 3, "tau": 0.3, "signs": "fresh"},
    "the same data, rare": {"n": 60, "m": 3, "tau": 0.3, "law": "two-point", "data": "same"},
    "uniform, rare": {"n": 60, "m": 3, "tau": 0.3},
}


@pytest.mark.parametrize("name", JOINT)
def test_the_joint_law_is_that_of_drawing_everything(name, way_of_drawing):
    """Chi-square over the 16 outcomes of four networks; outcomes seen too seldom together.
    An outcome of probability a half that is off by 0.04 is seen."""
    p = point("regression", **JOINT[name])
    blocks = [run_trials("reduced", p, BlockStreams(5, name, p.name, b), 5000) for b in range(3)]
    rng = np.random.default_rng([37, list(JOINT).index(name)])
    found = np.concatenate(blocks), by_definition(p, 15_000, rng)
    counts = np.array([np.bincount(x @ [8, 4, 2, 1], minlength=16) for x in found])
    rare = counts.sum(axis=0) < 40
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) >= 10]
    assert chi2_contingency(counts).pvalue > LEVEL, counts


def test_a_billion_entries():
    p = point("regression", n=10**9, m=3, tau=0.15)
    positive = run_trials("reduced", p, streams_of(p), 1000)
    assert not positive[:, 1:].any()
    assert abs(positive[:, 0].mean() - 7 / 8) < 6 * np.sqrt(7 / 64 / 1000)


def test_too_many_entries_to_draw_is_said(monkeypatch):
    monkeypatch.setattr(regression_by_definition, "MOST_ENTRIES", 10**4)
    p = replace(point("regression", n=20_000, m=2), theta=1e-4)
    with pytest.raises(ValueError, match=r"n=20000, tau=0.0001: .* allowed: n <= 10000"):
        run_trials("reduced", p, streams_of(p), 10)


LAWS_AND_SIGNS = [(law, signs) for law in LAWS for signs in ("shared", "fresh")]


@given(case=st.sampled_from([*LAWS_AND_SIGNS]))
def test_bounds_hold_for_every_column_that_exceeds_tau(case):
    """No column is more often fair than a candidate where a rare network exceeds tau, and weights
    are within what the bounds take them to be."""
    law, signs = case
    p = point("regression", n=30, m=1, tau=0.3, law=law, signs=signs)
    tilts = rare_columns.tilts_of(p)
    rng = np.random.default_rng([39, LAWS.index(law)])
    uniforms = rng.random((400, 2, p.n))
    uniforms[::4] = uniforms[::4] < rng.random((100, 2, 1))
    f = np.stack(
        [regression_by_definition.weights(p, k, uniforms) for k in rare_columns.RARE_NETWORKS]
    )
    for k, network in enumerate(rare_columns.RARE_NETWORKS):
        assert f[k, :, 0].max() <= rare_columns.largest_first_weight(p, network) * (1 + 1e-12)
        squares = (f[k, :, 1:] ** 2).sum(axis=1)
        assert squares.max() <= rare_columns.largest_sum_of_squares(p, network) * (1 + 1e-12)
    bits = rng.random((400, p.n)) < rng.uniform(0.4, 0.9, size=(400, 1))
    exceeds = np.einsum("kcn,cn->ck", f, 2.0 * bits - 1.0) > p.tau
    for number, bounds in enumerate(tilts.bounds):
        some = (exceeds & (bounds > 0)).any(axis=1)
        odds = rare_columns.candidate_odds(
            tilts.rates, np.broadcast_to(bounds, (some.sum(), 3)), f[:, some], bits[some]
        )
        assert some.any() or not bounds.any(), number
        assert (odds >= 1 - 1e-12).all()


@given(case=st.sampled_from([(7, 0.05, "two-point"), (7, 0.25, "uniform")]))
def test_no_n_takes_longer_than_twice_the_literal_draw(case):
    """On either side of every n where the way of drawing changes; it takes 1.0 times at most."""
    m, tau, law = case
    p = point("regression", n=12, m=m, tau=tau, law=law)
    ends = switches(p, 12, 10**5)
    assert ends
    for n in {12, *ends, *(end + 1 for end in ends), 10**5}:
        at_n = replace(p, n=n)
        assert times_of_literal(at_n, signs=150_000, repeats=2) < 2, (n, way(at_n))
