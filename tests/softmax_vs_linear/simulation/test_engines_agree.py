"""The reduced engine against the dense one: the same draws, the same events, trial by trial."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from making import SECTION, config_points, point, run_trials

from attention_separation.statistics.seeding import BlockStreams

TRIALS = 24

shared = {
    "m": st.integers(1, 8),
    "data": st.sampled_from(["independent", "same"]),
    "signs": st.sampled_from(["shared", "fresh"]),
}
amplitude = st.one_of(st.floats(0, 3), st.sampled_from([0.0, 0.01, 1.2]))
part = st.one_of(st.floats(0.05, 1), st.sampled_from([0.2, 0.5, 0.8]))
# Simple fractions of sqrt(log n) make exact ties likely.
theta = st.one_of(st.floats(0.05, 1.5), st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]))


def same_events(p, seed=0):
    streams = BlockStreams(seed, "test", p.name, 0)
    dense, reduced = (run_trials(engine, p, streams, TRIALS) for engine in ("dense", "reduced"))
    assert dense.shape == reduced.shape == (TRIALS, 4)
    np.testing.assert_array_equal(reduced, dense)
    shorter = run_trials("reduced", p, streams, TRIALS - 7)
    np.testing.assert_array_equal(shorter, reduced[:-7])


@given(
    classes=st.sampled_from([1, 2, 3, 5, 10, 14, 15, 30, 31, 62, 63, 64]), t=st.integers(1, 4),
    a0=amplitude, a1=amplitude, b=part, c=part, theta=st.one_of(theta, st.just("c + 0.1")),
    attention_x=st.sampled_from(["identity", "ones"]), seed=st.integers(0, 2**32),
    settings=st.fixed_dictionaries(shared),
)  # fmt: skip
def test_self_attention(classes, t, settings, seed, **values):
    assume(classes * t >= 2)
    same_events(point("self_attention", n=classes * t, d=classes + 2, **values, **settings), seed)


@given(
    classes=st.sampled_from([1, 2, 3, 5, 10, 15, 16, 31, 32, 63, 64, 65]), t=st.integers(1, 4),
    a0=amplitude, a1=amplitude, theta=theta, seed=st.integers(0, 2**32),
    settings=st.fixed_dictionaries(shared),
)  # fmt: skip
def test_cross_attention(classes, t, settings, seed, **values):
    assume(classes * t >= 2)
    same_events(point("cross_attention", n=classes * t, d=classes + 1, **values, **settings), seed)


@given(
    n=st.one_of(st.integers(2, 140), st.sampled_from([8, 16, 32, 64, 128])),
    tau=st.one_of(st.floats(0.01, 0.99), st.sampled_from([0.125, 0.25, 0.5])),
    law=st.sampled_from(["uniform", "two-point", "low", "middle", "high"]),
    seed=st.integers(0, 2**32), settings=st.fixed_dictionaries(shared),
)  # fmt: skip
def test_regression(settings, seed, **values):
    same_events(point("regression", **values, **settings), seed)


@pytest.mark.parametrize("name", [n for n in SECTION.panels if not n.startswith("fig3")])
def test_points_of_the_papers_panels(name):
    """A point of small n of each attention panel; all points are compared in the benchmarks."""
    of_panel = sorted(config_points(name), key=lambda p: p.n)
    for p in {of_panel[0], of_panel[len(of_panel) // 2]}:
        if p.n <= 260:
            same_events(p)
