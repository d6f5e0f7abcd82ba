"""How far kernels go, by asking at every n, and at both sides of a temperature and a weight."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact import limits
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import (
    critical_temperatures,
    exp_probabilities,
    least_weights,
    n_equal_to_uniform,
    reach,
    separates,
)
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.settings import Data
from attention_separation.attention.kernels import KERNELS, exponential

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
FEW = Data(a0=0.02, a1=1.5, b=0.3, c=0.7, classes=6, delta=0.05, at_least=9)


OF_SCORES = ("exp", "exp_sqrt_d", "linear", "uniform", "power_2", "power_4", "taylor_2")
each_layer = pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)


@pytest.mark.parametrize("data", [PAPERS, FEW], ids=["K = 20", "K = 6"])
@each_layer
def test_ends_by_asking_at_every_multiple_of_k(monkeypatch, layer, data):
    """The last n at which a kernel separates, and that from which on it equals uniform weights."""
    monkeypatch.setattr(limits, "LARGEST_N", 6000)
    monkeypatch.setattr(limits, "asked_sizes", limits.asked_sizes.__wrapped__)
    every = np.arange(data.classes, 6001, data.classes)
    of_uniform = best_probabilities(KERNELS["uniform"], layer, data, every.tolist())
    for name in (*OF_SCORES, "elu_plus_one", "hedgehog"):
        kernel = KERNELS[name]
        found = best_probabilities(kernel, layer, data, every.tolist())
        last = reach(kernel, layer, data).last
        assert last == pytest.approx(last_of(every, separates(kernel, layer, data, every)),
                                     nan_ok=True), name  # fmt: skip
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
    assert found.holes == (20 + 20 * fails[0], 20 + 20 * fails[-1]) == (20, 280)
    power, ones = KERNELS["power_log_n"], LAYERS[1]
    first, last = reach(power, ones, PAPERS).holes
    ends = np.array([first - 20, first, last, last + 20], dtype=np.int64)
    assert separates(power, ones, PAPERS, ends).tolist() == [True, False, False, True]
    # Beyond, P rises with m.
    assert PAPERS.m(int(last)) < PAPERS.m(int(last) + 20)


def test_what_is_asked_first():
    sizes = limits.asked_sizes(PAPERS)
    assert sizes[:150].tolist() == list(range(20, 3001, 20))
    beyond = sizes[sizes >= 3000]
    assert (beyond[1:] / beyond[:-1] < 10 ** (1 / 19)).all()
    m = np.array([PAPERS.m(n) for n in sizes.tolist()])
    assert (np.diff(sizes)[np.diff(m) != 0] == 20).all()
    assert m.max() == 32


def test_what_float64_does_not_tell_is_not_said_to_be_as_none():
    sigmoid, cross = KERNELS["sigmoid"], LAYERS[2]
    assert math.isnan(n_equal_to_uniform(sigmoid, cross, PAPERS))
    found = reach(sigmoid, cross, PAPERS)
    assert not found.decided
    told, unknown = (
        best_probabilities(sigmoid, cross, PAPERS, [int(found.undecided_from) + n])
        for n in (-20, 0)
    )
    assert [*np.isnan(told), *np.isnan(unknown)] == [False, True]
    assert math.isnan(reach(sigmoid, LAYERS[0], PAPERS).undecided_from)


@each_layer
def test_softmax_separates_below_its_critical_temperature(layer):
    sizes = np.array([200, 2000, 10**6])
    found = critical_temperatures(layer, PAPERS, sizes.tolist())
    for t, n in zip(found, sizes, strict=True):
        for factor, wanted in ((1 - 1e-6, True), (1 + 1e-6, False)):
            kernel = exponential("", "", lambda _, at=t * factor: at, "")
            assert separates(kernel, layer, PAPERS, np.array([n]))[0] == wanted
    assert (np.diff(found) < 0).all()


@pytest.mark.parametrize("name", ["linear", "power_2", "exp_sqrt_d", "elu_plus_one"])
@pytest.mark.parametrize("layer", [LAYERS[0], LAYERS[2]], ids=lambda layer: layer.model)
def test_a_kernel_separates_from_its_least_weight_on(layer, name):
    sizes = np.array([400, 2000])
    weights = least_weights(KERNELS[name], layer, PAPERS, sizes.tolist())
    assert (np.diff(weights) > 0).all()
    above = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 + 1e-6))
    below = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 - 1e-6))
    assert above.tolist() == [True, True]
    assert below.tolist() == [False, False]


def test_what_exp_can_do_at_sizes_given_twice():
    found = exp_probabilities(LAYERS[0], PAPERS, (2000, 200, 2000))
    wanted = best_probabilities(KERNELS["exp"], LAYERS[0], PAPERS, [2000, 200, 2000])
    np.testing.assert_array_equal(found, wanted)
