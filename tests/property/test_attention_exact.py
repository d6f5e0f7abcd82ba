"""Exact probabilities against enumeration of all signs, from the definitions, and limits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import exact_at, point, trials_of
from scipy.stats import binomtest

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear.attention import KERNELS, attention
from attention_separation.softmax_vs_linear.success import NETWORKS, events, exceeds, success

SELF = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}


def enumerated(p):
    """The same from n x n attention and all 2^(d m) sign matrices, for all special tokens."""
    module = trials_of("self_attention" if p.b else "cross_attention")
    matrices = np.array(list(itertools.product([-1.0, 1.0], repeat=p.d * p.m)))
    y = matrices.reshape(-1, p.d, p.m)

    def positive(network, place):
        kernel, dataset = NETWORKS[network]
        a1, a2, a3, x = module._inputs(p, dataset, place)
        c = attention(a1, a2, a3, x, np.eye(p.d), KERNELS[kernel])
        return exceeds(c @ y, p.tau, p.s).any(axis=(1, 2))

    # The row of j2 stands for any: a permutation of queries changes nothing.
    places = [(j,) if p.b else (0, j) for j in range(p.n)]
    by_place = [{j: positive(k, j) for j in places} for k in range(4)]
    pairs = [(i, j) for i in places for j in places if p.data == "independent" or i == j]
    total, each = 0.0, np.zeros(4)
    for in_d0, in_d1 in pairs:
        columns = [by_place[k][(in_d0, in_d1)[NETWORKS[k].dataset]] for k in range(4)]
        happened = events(np.column_stack(columns))
        each += happened.mean(axis=0)
        total += (
            happened.mean(axis=0).prod()
            if p.signs == "fresh"
            else success(np.column_stack(columns)).mean()
        )
    return total / len(pairs), each / len(pairs)


@settings(max_examples=60)
@given(
    model=st.sampled_from(["self_attention", "cross_attention"]), classes=st.integers(1, 3),
    t=st.integers(1, 2), m=st.integers(1, 2), a0=st.sampled_from([0.0, 0.3, 1.2]),
    a1=st.sampled_from([0.0, 1.2, 2.5]), theta=st.sampled_from([0.2, 0.5, 0.9]),
    b=st.sampled_from([0.2, 0.6]), attention_x=st.sampled_from(["identity", "ones"]),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
)  # fmt: skip
def test_against_enumeration(model, classes, t, b, attention_x, **values):
    own = {"b": b, "c": 0.5, "attention_x": attention_x} if model == "self_attention" else {}
    d = classes + (2 if model == "self_attention" else 1)
    p = point(model, n=max(classes * t, 2 * classes), d=d, **own, **values)
    total, each = enumerated(p)
    got = exact_at(p)
    assert got.success == pytest.approx(total, abs=1e-12)
    assert got.events == pytest.approx(each, abs=1e-12)


@pytest.mark.parametrize("signs", ["shared", "fresh"])
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_against_simulation(attention_x, signs):
    """False-alarm budget 1e-6 for the four cases of five binomial tests each."""
    p = point("self_attention", n=200, d=22, m=15, **SELF, attention_x=attention_x, signs=signs)
    engine = trials_of("self_attention").reduced
    positive = np.concatenate(
        [engine(p, BlockStreams(5, "exact", p.name, block), 5000) for block in range(40)]
    )
    got = exact_at(p)
    counts = [success(positive).sum(), *events(positive).sum(axis=0)]
    for count, probability in zip(counts, [got.success, *got.events], strict=True):
        assert binomtest(int(count), len(positive), probability).pvalue > 1e-6 / 20


def test_many_columns_make_every_network_positive():
    p = point("self_attention", n=40, d=10, m=10**6, **SELF)
    got = exact_at(p)
    assert got.success == pytest.approx(0, abs=1e-12)
    assert got.events == pytest.approx((1, 0, 0, 0), abs=1e-9)


def test_equal_datasets_cannot_be_told_apart():
    values = {"n": 40, "d": 9, "m": 5, "a0": 1.2, "a1": 1.2}
    assert exact_at(point("cross_attention", **values, data="same")).success == 0.0
    # Two special tokens of one size still fall into different classes.
    assert exact_at(point("cross_attention", **values, data="independent")).success > 0.01


def test_thresholds_that_all_or_none_exceed():
    values = {"n": 40, "d": 10, "m": 5, **SELF}
    assert exact_at(point("self_attention", **values, theta=50.0)).events == (0, 1, 1, 1)
    # Some token's score is above any tiny threshold unless all of its signs pull it down.
    low = exact_at(point("self_attention", **values, theta=1e-6))
    assert low.success < 0.05


def test_nothing_of_size_n_is_built():
    p = point("self_attention", n=10**9, d=22, m=15, **SELF)
    assert 0 < exact_at(p).success < 1
