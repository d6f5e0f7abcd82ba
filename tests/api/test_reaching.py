"""Where a kernel separates: `spans`, `holes`, `separates_from` and `largest_n`, by asking at every
multiple of K; and what is said where float64 does not tell."""

import math
import re
import warnings

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.any_attention import least_values, reach_search
from attention_separation.any_attention.layers import LAYERS
from attention_separation.api.reaching import TEMPERATURE_QUANTITY, words_of_runs

SELF, ONES, CROSS = ((layer.model, layer.attention_x) for layer in LAYERS)
LARGEST = 3100


@pytest.fixture
def up_to_a_few(monkeypatch):
    """Questions are of n up to LARGEST."""
    monkeypatch.setattr(reach_search, "LARGEST_N", LARGEST)
    monkeypatch.setattr(reach_search, "asked_sizes", reach_search.asked_sizes.__wrapped__)


def runs(sizes, holds):
    """(first, last) of each run of sizes at which a condition holds."""
    found = []
    for n, is_so, before in zip(sizes, holds, [False, *holds[:-1]], strict=True):
        if is_so and before:
            found[-1] = (found[-1][0], n)
        elif is_so:
            found.append((n, n))
    return found


KERNELS = (
    "exp", "linear", "power_log_n", "ssmax", "hedgehog",
    "exp(x/sqrt(d)*log_n/log(512))", "where(n > 500, exp(x), where(n < 90, exp(x), 1))",
)  # fmt: skip


@pytest.mark.parametrize("level", [None, 0.3])
def test_by_asking_at_every_multiple_of_k(up_to_a_few, subtests, level):
    """Each kernel in one of the layers."""
    for place, kernel in enumerate(KERNELS):
        layer = LAYERS[(place + bool(level)) % len(LAYERS)]
        with subtests.test(f"{kernel}, {layer.words}"):
            hold_runs(kernel, (layer.model, layer.attention_x), level)


def hold_runs(kernel, at, level):
    sizes = range(20, LARGEST + 1, 20)
    p, of_exp = (asep.compare(each, sizes, *at)["probability"] for each in (kernel, "exp"))
    holds = (p >= level) if level else (p > of_exp / 2) & (of_exp > 1 / 2)
    separates, fails = runs(sizes, holds.tolist()), runs(sizes, (~holds).tolist())
    last = separates[-1][1] if separates else None
    if last == LARGEST:
        separates[-1] = (separates[-1][0], math.inf)
    assert asep.spans(kernel, *at, level=level) == separates
    holes = [run for run in fails if last and run[1] < last]
    assert asep.holes(kernel, *at, level=level) == holes
    first = separates[-1][0] if last == LARGEST else None
    assert asep.separates_from(kernel, *at, level=level) == first
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = asep.largest_n(kernel, *at, level=level)
    assert found == (math.inf if last == LARGEST else last)
    assert len(said) == bool(holes)
    for warning in said:
        ends = f"from {holes[0][0]:,} to {holes[-1][1]:,}, below the largest at which it does"
        assert ends in str(warning.message)


def test_the_examples_of_a_hole():
    with pytest.warns(UserWarning, match=r"from 20 to 280, .* it does at n = 300 to 10\^12"):
        assert asep.largest_n("ssmax", *CROSS) == math.inf
    assert asep.separates_from("ssmax", *CROSS) == 300
    assert asep.holes("ssmax", *CROSS) == [(20, 280)]
    kernel = "exp(x/sqrt(d)*log_n/log(512))"
    (first, last), (start, end) = asep.spans(kernel)
    assert (first, last, end) == (20, 40, math.inf)
    assert asep.separates_from(kernel) == start
    sizes = [last, last + 20, start - 20, start]
    p, of_exp = (asep.compare(each, sizes)["probability"] for each in (kernel, "exp"))
    assert (p > of_exp / 2).tolist() == [True, False, False, True]


# float64 does not tell.


def test_what_is_undecided_does_not_spoil_what_is_not():
    assert asep.largest_n("minus_mean_0.99_exp_sqrt_d") == 258_180
    assert asep.largest_n("sigmoid", *CROSS) is None
    assert asep.largest_n("softmax_features") == 40
    sharp = {"d": 5, "m": 5, "a0": 0.3, "a1": 2}
    assert asep.least_degree(200, CROSS[0], level=0.9, **sharp) == math.inf
    # An end is told to one multiple of K more.
    with pytest.warns(UserWarning, match="at some n of 153,764,355,941 float64 does not tell"):
        assert asep.largest_n("exp_sqrt_d", *ONES, d=9) == 153_764_355_934
    # It separates at all n above those at which it is not told.
    undecided = "power_200: at some n of 4 to 12,311,677,316 float64 does not tell"
    for ask in (asep.largest_n, asep.spans, asep.separates_from, asep.holes):
        with pytest.warns(UserWarning, match=undecided):
            found = ask("power_200", *CROSS, **sharp)
        assert found in (math.inf, [(12_311_677_320, math.inf)], 12_311_677_320, [])


def test_where_the_answer_hangs_on_what_is_undecided_it_is_an_error():
    at = {"level": 0.1, "model": CROSS[0]}
    words = "from n = 2,935,380 on float64 does not tell whether it separates; as far as float64 "
    for ask in (asep.largest_n, asep.separates_from):
        with pytest.raises(ArithmeticError, match=f"{words}tells, it does at n = 20 to 2,935,360"):
            ask("sigmoid", **at)
    with pytest.warns(UserWarning, match=re.escape("of 2,935,380 to 10^12 float64 does not")):
        assert asep.spans("sigmoid", **at) == [(20, 2_935_360)]


# What is least of a parameter.


def made_least(gap):
    """As `least_parameter`, of a kernel that separates from 7 on, and of which float64 does not
    tell so from 7 / gap on."""

    def verdict_at(values):
        return np.where(values >= 7, 1.0, np.where(values > 7 / gap, np.nan, 0.0))

    return lambda parameter, *at: least_values.least_value(
        verdict_at, parameter.low, parameter.high
    )


def test_a_least_value_that_float64_tells_to_a_hundredth_is_an_answer(monkeypatch):
    words = "at n = 2,000 float64 does not tell at which"
    for gap in (1.001, 1.0099):
        monkeypatch.setattr(least_values, "least_parameter", made_least(gap))
        with pytest.warns(
            UserWarning, match=rf"{words} p x\^p separates, but to {7 / gap:.6g} to 7$"
        ):
            assert asep.least_degree(2000) == pytest.approx(7)
        with pytest.warns(UserWarning, match=rf"{words} T e\^\(x / T\) separates, but to"):
            assert asep.critical_temperature(2000) == pytest.approx(1 / 7)
    for gap in (1.0101, 1.4):
        monkeypatch.setattr(least_values, "least_parameter", made_least(gap))
        with pytest.raises(
            ArithmeticError, match=rf"{words} p x\^p separates, of {7 / gap:.6g} to 7$"
        ):
            asep.least_degree(2000)
        with pytest.raises(ArithmeticError, match=words):
            asep.critical_temperature(2000)


def test_larger_values_at_which_it_does_not_separate_are_named():
    """With much weight both special tokens have all of their rows."""
    words = r"elu_plus_one does not separate at every larger g: .* not at some of 1e\+09 to 1e\+13"
    with pytest.warns(UserWarning, match=words):
        g = asep.least_weight("elu_plus_one", 200, CROSS[0])
    assert g == pytest.approx(574.511, abs=1e-3)
    low = asep.scores(lambda x: np.where(x < 40, x**4, 1.0))
    with pytest.warns(UserWarning, match="does not separate at every larger g"):
        asep.least_weight(low, 3000)


def test_temperatures_at_which_it_does_not_separate_are_named_as_temperatures():
    words = "does not separate at every lower T: of those tried, not at some of 1 to 2.15443"
    with pytest.warns(UserWarning, match=f"{re.escape(words)}$"):
        hottest = asep.critical_temperature(2000, a0=0.3, a1=0.5, m=5, level=0.1)
    assert hottest == math.inf


def test_one_value_is_no_range():
    assert TEMPERATURE_QUANTITY.some_of(np.array([0.5, 0.25])) == "some of 2 to 4"
    assert TEMPERATURE_QUANTITY.some_of(np.array([0.5])) == "2"
    # Two values that are one text.
    assert TEMPERATURE_QUANTITY.some_of(np.array([0.5, 0.5 + 1e-9])) == "2"


WITHOUT_HOLES = {
    "temperature": lambda: asep.critical_temperature(2000),
    "degree": lambda: asep.least_degree(2000),
    "weight": lambda: asep.least_weight("linear", 2000),
    "weight of a formula": lambda: asep.least_weight("exp(x/4)", 2000),
}


def test_where_there_is_none_nothing_is_said():
    for name, ask in WITHOUT_HOLES.items():
        assert 0 < ask() < math.inf, name


def test_a_function_and_a_formula_are_answered_as_the_built_in_one():
    at = {"n": 30, "model": CROSS[0], "d": 4, "m": 2, "a1": 2}
    for kernel in ("exp_sqrt_d", "exp(x/sqrt(d))", lambda x, d: np.exp(x / np.sqrt(d))):
        with pytest.warns(UserWarning, match="softmax itself does not separate here"):
            assert asep.least_weight(kernel, **at) is None


def test_of_many_runs_the_first_two_and_the_last_are_said():
    runs = [(20, 40), (60, 60), (80, 100), (1000, math.inf)]
    assert words_of_runs(runs) == "20 to 40, 60, ..., 1,000 to 10^12"
    assert words_of_runs(runs[:3]) == "20 to 40, 60, 80 to 100"
    assert words_of_runs([]) == "none"
