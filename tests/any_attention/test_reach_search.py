"""How far kernels separate, by asking at every n."""

import math
from unittest import mock

import numpy as np
import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.any_attention import reach_search
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import (
    n_equal_to_uniform,
    probability_unknown_from,
    reach,
)
from attention_separation.any_attention.values import best_probabilities
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.settings import Data

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
FEW = Data(a0=0.02, a1=1.5, b=0.3, c=0.7, classes=6, delta=0.05, at_least=9)

OF_SCORES = ("exp", "exp_sqrt_d", "linear", "uniform", "power_2", "power_4", "taylor_2")


@few(1, "data", [PAPERS, FEW], ids=["K = 20", "K = 6"])
@few(1, "layer", LAYERS, ids=lambda layer: layer.words)
def test_ends_by_asking_at_every_multiple_of_k(monkeypatch, layer, data):
    """The last n at which a kernel separates, and that from which on it equals uniform weights."""
    monkeypatch.setattr(reach_search, "LARGEST_N", 6000)
    monkeypatch.setattr(reach_search, "asked_sizes", reach_search.asked_sizes.__wrapped__)
    every = np.arange(data.classes, 6001, data.classes)
    of_uniform = best_probabilities(KERNELS["uniform"], layer, data, every.tolist())
    for name in (*OF_SCORES, "elu_plus_one", "hedgehog"):
        kernel = KERNELS[name]
        found = best_probabilities(kernel, layer, data, every.tolist())
        last = reach(kernel, layer, data).last
        assert last == pytest.approx(
            last_of(every, separates(kernel, layer, data, every)), nan_ok=True
        ), name
        differs = last_of(every, np.abs(found - of_uniform) > 1e-12 * of_uniform)
        wanted = data.classes if math.isnan(differs) else differs + data.classes
        assert n_equal_to_uniform(kernel, layer, data) == wanted, name


def last_of(every, holds):
    """The last n at which a condition holds; inf if at the largest, NaN if at none."""
    if not holds.any():
        return math.nan
    return math.inf if holds[-1] else every[holds][-1]


def test_holes_are_where_every_multiple_of_k_says():
    ssmax, cross = KERNELS["ssmax"], LAYERS[2]
    fails = np.flatnonzero(~separates(ssmax, cross, PAPERS, np.arange(20, 3001, 20)))
    found = reach(ssmax, cross, PAPERS)
    assert found.last == math.inf
    assert [20 + 20 * fails[0], 20 + 20 * fails[-1]] == [20, 280]
    assert found.holes == [reach_search.Span(20, 280)]
    assert found.separates == (reach_search.Span(300, math.inf),)
    power, ones = KERNELS["power_log_n"], LAYERS[1]
    holes = reach(power, ones, PAPERS).holes
    first, last = holes[0].first, int(holes[-1].last)
    ends = np.array([first - 20, first, last, last + 20], dtype=np.int64)
    assert separates(power, ones, PAPERS, ends).tolist() == [True, False, False, True]
    # Beyond, P rises with m.
    assert PAPERS.m(last) < PAPERS.m(last + 20)


def test_what_is_asked_first():
    sizes = reach_search.asked_sizes(PAPERS)
    assert sizes[:150].tolist() == list(range(20, 3001, 20))
    beyond = sizes[sizes >= 3000]
    assert (beyond[1:] / beyond[:-1] < 10 ** (1 / 19)).all()
    m = np.array([PAPERS.m(n) for n in sizes.tolist()])
    assert (np.diff(sizes)[np.diff(m) != 0] == 20).all()
    assert m.max() == 32


def test_what_float64_does_not_tell_is_not_said_to_be_as_none():
    sigmoid, cross = KERNELS["sigmoid"], LAYERS[2]
    assert math.isnan(n_equal_to_uniform(sigmoid, cross, PAPERS))
    first = int(probability_unknown_from(sigmoid, cross, PAPERS))
    of_both = best_probabilities(sigmoid, cross, PAPERS, [first - 20, first])
    assert np.isnan(of_both).tolist() == [False, True]
    assert math.isnan(probability_unknown_from(sigmoid, LAYERS[0], PAPERS))
    # Whatever it is, it is below half of exp's; a smaller level it may have, or not.
    assert reach(sigmoid, cross, PAPERS).undecided == ()
    undecided = reach(sigmoid, cross, PAPERS, level=0.1).undecided
    assert undecided == (reach_search.Span(first, math.inf),)


CHANGES = st.sets(st.integers(1, 150), max_size=8), st.sets(st.integers(0, 60), max_size=6)
"""Where verdicts change: in steps of K up to 3,000, and beyond in steps of a third of n."""


@given(*CHANGES, st.integers(0, 5))
def test_every_run_up_to_3000_is_found_and_beyond_what_is_wide_enough(few, many, start):
    """Of verdicts that change from one to another of three, at any n."""
    changes = np.sort([20 * k for k in few] + [round(3100 * 1.33**k) for k in many])
    cycle = np.array([1.0, 0.0, np.nan, 0.0, 1.0, np.nan])

    def verdict(kernel, layer, data, n, **_):
        return cycle[(start + np.searchsorted(changes, n, side="right")) % len(cycle)]

    with mock.patch.object(reach_search, "separation", verdict):
        found = reach(KERNELS["exp"], LAYERS[2], PAPERS)
    ends = [20, *(int(-(-change // 20) * 20) for change in changes)]
    spans = {1.0: [], 0.0: [], "nan": []}
    for k, first in enumerate(ends):
        last = ends[k + 1] - 20 if k + 1 < len(ends) else math.inf
        value = cycle[(start + k) % len(cycle)]
        # The first change may be at the first n.
        if last >= first and first <= 10**12:
            spans["nan" if math.isnan(value) else value].append(
                reach_search.Span(first, math.inf if last >= 10**12 else last)
            )
    assert found.separates == tuple(spans[1.0])
    assert found.fails == tuple(spans[0.0])
    asked = reach_search.asked_sizes(PAPERS)
    ends = [
        span for span in spans["nan"] if not ((asked >= span.first) & (asked <= span.last)).any()
    ]
    assert found.undecided_ends == tuple(ends)
    assert found.undecided == tuple(span for span in spans["nan"] if span not in ends)
