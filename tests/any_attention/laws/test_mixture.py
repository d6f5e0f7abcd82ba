"""The mixture law: against an enumeration of columns, and against exact values at random data.

At random data the law's own error term is the tolerance, and its condition what is drawn.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mixture_share import critical_share, reach

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import mixture
from attention_separation.any_attention.laws.mixture import Mixture, largest_probability
from attention_separation.any_attention.laws.reach import last_n
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import power

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


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
@pytest.mark.parametrize("rho", [1.0, 1.3, 4.0])
@pytest.mark.parametrize("m", [1, 3, 15])
def test_the_staircase_by_enumeration(layer, rho, m):
    rho = 1.0 if layer is not SELF else rho
    data = DATA.model_copy(update={"classes": 8})
    for share in (0.0, 0.013, 0.04, 0.071, 0.153, 0.41, 0.97):
        found = Mixture(layer, data).probability(share, rho, m)
        assert found == pytest.approx(enumerated(share, rho, m, layer, data), abs=1e-9), share


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_several_shares_are_each_alone_and_enough_from_the_critical_one_on(layer, monkeypatch):
    monkeypatch.setattr(mixture, "MOST_NUMBERS", 3 * 2 * (DATA.classes + 1) ** 2)
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


def test_the_worked_example():
    # K = 20, m = 15: Sigma = -4 is lifted over J = 2, 1.44 f = 0.06; 1.8 f = 0.2 in the last one.
    assert critical_share(1.0, 15, ONES, DATA) == pytest.approx(1 / 24)
    assert reach(1.0, 15, ONES, DATA) == pytest.approx(23)
    assert reach(1.0, 15, CROSS, DATA) == pytest.approx(8)
    assert reach(1e9, 15, SELF, DATA) == pytest.approx(20)
    assert Mixture(CROSS, DATA).of_uniform(15) == 0.0


def test_a_share_of_1_has_exps_probability():
    for layer, m in itertools.product(LAYERS, (1, 15, 23)):
        found = Mixture(layer, DATA).probability(1.0, 1.0, m)
        assert found == pytest.approx(largest_probability(m), abs=1e-12)


def test_with_few_classes_the_floor_alone_separates():
    data = DATA.model_copy(update={"classes": 2})
    assert reach(1.0, 15, SELF, data) == math.inf
    assert not Mixture(SELF, data).applies()


@pytest.mark.parametrize(
    "changes", [{"a1": 0.95}, {"a1": 1.75}, {"b": 0.61}, {"c": 0.15}, {"classes": 5}]
)
def test_where_the_law_is_not_derived(changes):
    assert not Mixture(SELF, DATA.model_copy(update=changes)).applies()


def test_a_token_that_lifts_columns_with_a_minus_in_the_last_coordinate():
    # With few columns a threshold is low, and P above 1 - (3/4)^m.
    data = DATA.model_copy(update={"a1": 1.84, "b": 0.41, "c": 0.96, "classes": 16})
    for m, met in ((40, True), (5, False)):
        assert Mixture(SELF, data.model_copy(update={"at_least": m})).applies() == met


@pytest.mark.parametrize(
    "changes", [{}, {"a0": 0.1}, {"a1": 1.5}, {"b": 0.3}, {"a1": 1.0, "b": 0.3, "c": 0.7}]
)
def test_where_it_is(changes):
    data = DATA.model_copy(update=changes)
    assert all(Mixture(layer, data).applies() for layer in LAYERS)


@settings(max_examples=60, deadline=None)
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
    claim = last_n(power(p), layer, data)
    assert claim.verdict != "differs", claim
