"""How far kernels separate, by asking at every n."""

import math
import warnings
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_separation as asep
from attention_separation import recall
from attention_separation.any_attention import reach_search
from attention_separation.any_attention.bends import MOST_BENDS, sizes_at_bends
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import (
    asked_sizes,
    n_equal_to_uniform,
    probability_unknown_from,
    reach,
    sizes_asked_of,
)
from attention_separation.any_attention.values import best_probabilities
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData
from attention_separation.studies.any_attention.settings import Data

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
DATA = FixedData()
FEW = Data(a0=0.02, a1=1.5, b=0.3, c=0.7, classes=6, delta=0.05, at_least=9)

OF_SCORES = ("exp", "exp_sqrt_d", "linear", "uniform", "power_2", "power_4", "taylor_2")


@pytest.mark.parametrize(
    ("layer", "data"),
    [(LAYERS[0], PAPERS), (LAYERS[1], FEW), (LAYERS[2], FEW)],
    ids=lambda value: getattr(value, "words", ""),
)
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


@settings(max_examples=60)
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


# Steps in n: weights that jump are found on both sides, and smooth ones have none.

BY_FLOOR = "exp(x*(log(floor((n + 1)/8192) + 1)*0.1 + 1)/{})"
"""A published temperature, over a number."""


def steps_of(kernel):
    asked = sizes_asked_of(asep.kernel_of(kernel), LAYERS[0], DATA)
    return sorted({*asked.tolist()} - {*asked_sizes(DATA).tolist()})


JUMPS = {
    "floor": (BY_FLOOR.format(1), [8180, 8200, 16380, 16400, 24560, 24580]),
    "ceil": ("x**ceil(log_n/10)", [22020, 22040, 485_165_180, 485_165_200]),
    "round": ("exp(x*round(log_n/4))", [22_020, 22_040, 1_202_600, 1_202_620]),
    "a comparison": ("where(n > 8000, exp(x), 1)", [8000, 8020]),
    "a bump": ("where(n > 8000, where(n < 8100, x, exp(x)), exp(x))", [8000, 8020, 8080, 8100]),
    "a function": (lambda x, n: x**2 if n < 7000 else x**3, [6980, 7000]),
    "rows": (
        asep.rows(lambda x, counts, n: np.exp(x - 3 * (n > 50_000) * x), normalised=True),
        [50_000, 50_020],
    ),
}


def test_steps_are_asked_on_both_sides(subtests):
    for name, (kernel, steps) in JUMPS.items():
        with subtests.test(name):
            assert steps_of(kernel)[: len(steps)] == steps


@pytest.mark.parametrize("kernel", ["x**4", "x**log_n", lambda x, n: x + n**0.5])
def test_smooth_weights_have_no_steps(kernel):
    assert steps_of(kernel) == []


@pytest.mark.filterwarnings("ignore:.*its weights bend")
def test_spans_holes_and_largest_n_see_steps():
    """An island and a hole of few n between those that are asked of smooth weights."""
    spans = asep.spans("where(n > 8000, where(n < 8100, exp(x), 1), 1)")
    assert spans == [(20, 20), (8020, 8080)]
    with_a_hole = asep.scores(lambda x, n: np.exp(x) if n != 8200 and n > 8000 else x)
    assert [last for _, last in asep.holes(with_a_hole)][-2:] == [8000, 8200]
    with pytest.warns(UserWarning, match=r"it does not separate at some n from .* to 8,200"):
        assert asep.largest_n(with_a_hole) == np.inf


def test_recall_sees_steps():
    """A kernel that is flat between two n, of which none is asked without steps."""
    formula = "where(n > 33, where(n < 38, 1, x**2), x**2)"
    with pytest.warns(UserWarning, match="first at 34 and last at 37"):
        assert recall.largest_n(formula, d=16) == 59


# Bends of weights between the n that are asked: islands and holes in them are found.


def in_n(place, width):
    """Softmax near a number of tokens, and next to uniform elsewhere."""
    return lambda x, n: np.exp(x * (0.1 + np.exp(-(((n - place) / width) ** 2))))


def in_x(place, width):
    return lambda x: np.exp(x * (1 + 3 * np.exp(-(((x - place) / width) ** 2))))


ISLANDS = {
    "1 % of a million": (in_n(1e6, 5e3), {}, 1_000_000),
    "a level": (in_n(5_200, 60), {"level": 0.5}, 5_200),
    "rows": (
        asep.rows(lambda x, counts, n: in_n(9e4, 900)(x, n), normalised=True),
        {},
        90_000,
    ),
    "cross-attention": (in_n(8_000, 100), {"model": "cross_attention"}, 8_000),
}


@pytest.mark.filterwarnings("ignore:.*does not separate at some n")
def test_an_island_is_found_and_said(subtests):
    for name, (kernel, options, place) in ISLANDS.items():
        with subtests.test(name):
            with pytest.warns(UserWarning, match=r"its weights bend .* 2,000 times a decade"):
                spans = asep.spans(kernel, **options)
            assert any(first <= place <= last for first, last in spans if first > 40)
            assert spans[-1][1] < math.inf
    with pytest.warns(UserWarning, match="its weights bend"):
        assert asep.largest_n(kernel, **options) == spans[-1][1]


@pytest.mark.filterwarnings("ignore:.*(its weights bend|does not separate)")
def test_a_hole_of_a_kernel_without_n_is_found():
    """A bend in x is one in n: scores grow with log n."""
    holes = asep.holes(in_x(9.0, 0.02))
    assert holes
    for first, last in holes[:1]:
        half = asep.separate("exp", n=first).probability / 2
        assert asep.separate(in_x(9.0, 0.02), n=first).probability <= half
        assert asep.separate(in_x(9.0, 0.02), n=int(last) + 20).probability > half


SMOOTH = {
    "with n": lambda x, n: np.exp(x * np.log(n) / 10),
    "a power": "x**4",
    "element by element": asep.features(np.exp, elementwise=True),
    "rows": asep.rows(lambda x, counts: np.exp(x) / (counts * np.exp(x)).sum()),
}


def test_smooth_weights_do_not_bend(subtests):
    """In one of the layers each."""
    for place, (name, weights) in enumerate(SMOOTH.items()):
        kernel, layer = asep.kernel_of(weights), LAYERS[place % len(LAYERS)]
        with subtests.test(name):
            asked = sizes_asked_of(kernel, layer, DATA)
            assert len(sizes_at_bends(kernel, layer, DATA, asked)) == 0


@pytest.mark.parametrize(("height", "sizes"), [(0.9e-3, []), (1.1e-3, [7300])])
def test_a_bend_is_one_from_a_thousandth_of_a_weight_on(height, sizes):
    kernel = asep.scores(
        lambda x, n: np.exp(height * np.exp(-(((n - 7300) / 40) ** 2))) * np.ones_like(x),
        normalised=False,
    )
    assert sizes_at_bends(kernel, LAYERS[0], DATA, asked_sizes(DATA)).tolist() == sizes


BENT = {
    **dict.fromkeys(("entmax_125", "entmax_15_sqrt_d"), True),
    **dict.fromkeys(("power_log_n", "sigmoid_2_log_n", "sparsemax", "entmax_15"), False),
}


def test_two_kinds_of_built_in_kernels_bend():
    """By what is asked of them: a hole can hide nowhere else."""
    asked = asked_sizes(DATA)
    bends = {name: sizes_at_bends(KERNELS[name], LAYERS[0], DATA, asked) for name in BENT}
    assert {name: len(sizes) > 0 for name, sizes in bends.items()} == BENT


def test_of_an_oscillation_the_largest_bends_are_asked():
    kernel = asep.scores(lambda x: 2 + np.sin(1000 * x))
    asked = asked_sizes(DATA)
    sizes = sizes_at_bends(kernel, LAYERS[0], DATA, asked)
    assert len(sizes) == MOST_BENDS
    assert (sizes % DATA.classes == 0).all()
    assert not np.isin(sizes, asked).any()


def test_a_kernel_without_weights_somewhere_has_no_bends_there():
    """Weights that overflow are an error where they are asked for, and not here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = asep.scores(lambda x: np.exp(x**3))
        sizes = sizes_at_bends(kernel, LAYERS[0], DATA, asked_sizes(DATA))
    assert 0 < len(sizes) <= MOST_BENDS
    assert sizes.max() < 10**6
