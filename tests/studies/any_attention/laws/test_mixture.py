"""The mixture law: against an enumeration of columns, and against exact values at random data;
weight ratios in closed form, and against weights of exact rows.

At random data the law's own error term is the tolerance, and its condition what is drawn.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mixture_share import critical_share

from attention_separation.any_attention.layers import LAYERS
from attention_separation.attention.kernels import KERNELS, power
from attention_separation.studies.any_attention.laws import mixture
from attention_separation.studies.any_attention.laws.mixture import Mixture, largest_probability
from attention_separation.studies.any_attention.laws.predictions import COLDNESS
from attention_separation.studies.any_attention.laws.reach import (
    POWER_KERNELS,
    TAYLOR_KERNELS,
    largest_n_claim,
)
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SELF, ONES, CROSS = LAYERS
TINY = 1e-9


def enumerated(share, rho, m, layer, data):
    """P of the best threshold from all 2^(K + 2) columns, shifts of order 1/n being TINY."""
    cross = layer.model == "cross_attention"
    alpha, beta, last = (1.0, 1.0, 0.0) if cross else (data.a1, data.b, data.c)
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=data.classes + 2)))
    first, end, marked, sums = signs[:, 0], signs[:, 1], signs[:, 2], signs[:, 2:].sum(axis=1)
    spread = data.classes - 1 + rho
    # Of the special row's own class and of the row with the best own class.
    special = beta * (sums + (rho - 1) * marked) / spread
    own = np.where(sums > -data.classes, 1.0, -1.0)
    level = beta * (sums + (rho - 1) * own) / spread
    plain = level + (0.0 if cross else TINY * first)
    mixed = (share + TINY) * (alpha * first + beta * marked) + (1 - share - TINY) * special
    u0 = level + last * end
    u1 = np.maximum(plain, mixed) + last * end
    thresholds = np.unique(u0[u0 > -TINY]) + TINY / 1e3
    silent = u0[:, None] <= thresholds
    none, both = (mask.mean(axis=0) for mask in (silent, silent & (u1[:, None] <= thresholds)))
    return (none**m - both**m).max()


@given(
    layer=st.sampled_from([*LAYERS]),
    rho=st.sampled_from([1.0, 1.3, 4.0]),
    m=st.sampled_from([1, 3, 15]),
)
def test_the_staircase_by_enumeration(layer, rho, m):
    rho = 1.0 if layer is not SELF else rho
    data = DATA.model_copy(update={"classes": 8})
    for share in (0.0, 0.013, 0.04, 0.071, 0.153, 0.41, 0.97):
        found = Mixture(layer, data).probability(share, rho, m)
        assert found == pytest.approx(enumerated(share, rho, m, layer, data), abs=1e-9), share


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_several_shares_are_each_alone_and_enough_from_the_critical_one_on(layer, monkeypatch):
    monkeypatch.setattr(mixture, "MOST_MIXED_NUMBERS", 3 * 2 * (DATA.classes + 1) ** 2)
    law = Mixture(layer, DATA)
    rho, m = (part.ravel() for part in np.meshgrid([1.0, 1.3, 4.0], [5, 15, 23, 32]))
    least = np.array([critical_share(r, int(k), layer, DATA) for r, k in zip(rho, m, strict=True)])
    for factor, wanted in ((1 - 1e-9, False), (1 + 1e-9, True)):
        found = law.probabilities(least * factor, rho, m)
        assert ((found >= largest_probability(m) / 2) == wanted).all()
        each = zip(least * factor, rho, m, strict=True)
        assert found.tolist() == [law.probability(*of) for of in each]


def test_states_of_one_level_that_are_not_in_order_fire_only_if_they_are_lifted():
    one = np.array([0.0]), np.array([1.3]), np.array([15])
    law = Mixture(SELF, DATA)
    in_order, not_so = (law.probabilities(*one, so)[0] for so in (True, False))
    assert in_order == law.floor(15)
    assert not_so < in_order
    one = np.array([0.0]), np.array([1.0]), np.array([15])
    # In cross-attention no state of a level fires by its order.
    law = Mixture(CROSS, DATA)
    assert law.probabilities(*one, False)[0] == law.floor(15)


def test_a_share_of_1_has_exps_probability():
    for layer, m in itertools.product(LAYERS, (1, 15, 23)):
        found = Mixture(layer, DATA).probability(1.0, 1.0, m)
        assert found == pytest.approx(largest_probability(m), abs=1e-12)


MINUS = {"a1": 1.84, "b": 0.41, "c": 0.96, "classes": 16}
"""Of few columns a token lifts some with a minus in the last coordinate: the threshold is low."""


def test_where_the_law_is_derived(subtests):
    for changes, layers in [
        *((changes, LAYERS) for changes in ({}, {"a0": 0.1}, {"a1": 1.5}, {"b": 0.3})),
        ({"a1": 1.0, "b": 0.3, "c": 0.7}, LAYERS),
        *(({name: x}, ()) for name, x in (("a1", 0.95), ("a1", 1.75), ("b", 0.61), ("c", 0.15))),
        *(({"classes": classes}, ()) for classes in (2, 5)),
        (MINUS | {"at_least": 40}, (SELF,)),
        (MINUS | {"at_least": 5}, ()),
    ]:
        with subtests.test(changes=changes, layers=layers):
            data = DATA.model_copy(update=changes)
            for layer in layers or (SELF,):
                assert Mixture(layer, data).applies() == bool(layers)


@settings(max_examples=8)
@given(
    classes=st.sampled_from([6, 8, 10, 20, 40]),
    a0=st.floats(0.0, 0.2),
    a1=st.floats(0.9, 1.9),
    b=st.floats(0.05, 0.6),
    c=st.floats(0.5, 1.2),
    m=st.integers(5, 40),
    p=st.sampled_from([3.0, 4.0, 6.0, 9.0]),
    layer=st.sampled_from(LAYERS),
)
def test_the_largest_n_of_exact_values(classes, a0, a1, b, c, m, p, layer):
    data = Data(a0=a0, a1=a1, b=b, c=c, classes=classes, delta=0.9999, at_least=m)
    assume(Mixture(layer, data).applies())
    claim = largest_n_claim(power(p), layer, data)
    assert claim.verdict != "differs", claim


SIZES = [200, 20_000, 10**9]
NAMES = ("exp", "exp_half", "exp_quarter", "linear", "sigmoid_log_n")
SCORES = [*POWER_KERNELS, *TAYLOR_KERNELS, *(KERNELS[name] for name in NAMES)]


def compare(kernel, layer, weight=0.0):
    found = mixture.ratios_of_scores(kernel, layer, DATA, np.array(SIZES), weight)
    exact = mixture.ratios_of_rows(kernel, layer, DATA, np.array(SIZES), weight)
    np.testing.assert_allclose(found.log_d1, exact.log_d1, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.log_d0, exact.log_d0, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.own, exact.own, rtol=1e-9)
    np.testing.assert_allclose(found.same, exact.same, rtol=1e-9)


@given(layer=st.sampled_from([*LAYERS]), kernel=st.sampled_from(SCORES))
def test_kernels_of_scores(kernel, layer):
    compare(kernel, layer)


@pytest.mark.parametrize("layer", [SELF, CROSS], ids=lambda layer: layer.words)
def test_a_weight_on_the_special_coordinate(layer):
    for name in ("linear", "power_4", "exp_sqrt_d"):
        compare(KERNELS[name], layer, weight=7.5)


def test_a_weight_that_is_0_in_float64_is_but_small():
    found = mixture.weight_ratios(KERNELS["exp_features"], SELF, DATA, np.array([200]), 1e13)
    assert found.log_d1 == found.log_d0 == pytest.approx([300 * math.log(10)])
    assert found.own == found.same == [1.0]


def test_a_very_cold_kernels_ratios_are_in_closed_form():
    """Of scores over a temperature of 1/1000: of its own class no more than e^700."""
    cold = COLDNESS.kernel(np.full((1, 1, 1), 1e3))
    found = mixture.weight_ratios(cold, SELF, DATA, np.array([10**12]))
    for log_ratio, a in ((found.log_d1, DATA.a1), (found.log_d0, DATA.a0)):
        assert log_ratio == pytest.approx([1e3 * (a**2 + DATA.b**2) * math.log(10**12)])
    assert found.own == pytest.approx([math.exp(700)])
