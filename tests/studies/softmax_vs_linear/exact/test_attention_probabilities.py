"""Exact probabilities against enumeration of all signs, from the definitions, and limits."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import contest, exact_at, model_of, point

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds, largest_scores
from attention_separation.studies.softmax_vs_linear.exact.compute import references
from attention_separation.studies.softmax_vs_linear.models.attention import SELF_ATTENTION_MODEL

SELF = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}


def enumerated(p):
    """The same from n x n attention and all 2^(d m) sign matrices, for all special tokens."""
    networks = p.contest.networks
    matrices = np.array(list(itertools.product([-1.0, 1.0], repeat=p.d * p.m)))
    y = matrices.reshape(-1, p.d, p.m)

    def zero(network, place):
        a1, a2, a3, q, k = model_of(p).literal(p, network.dataset, np.array(place))
        c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[network.kernel])
        return ~exceeds(c @ y, p.tau, p.s).any(axis=(1, 2))

    # The row of j2 stands for any: a permutation of queries changes nothing.
    places = [(j,) if p.b else (0, j) for j in range(p.n)]
    zeros = [{place: zero(network, place) for place in places} for network in networks]
    pairs = [(i, j) for i in places for j in places if p.data == "independent" or i == j]
    total, each = 0.0, np.zeros(len(networks))
    for pair in pairs:
        # The kernel that fires is positive on D1, and all other networks are zero.
        happened = [of[pair[network.dataset]] for of, network in zip(zeros, networks, strict=True)]
        happened[0] = ~happened[0]
        means = np.mean(happened, axis=1)
        each += means
        total += means.prod() if p.signs == "fresh" else np.all(happened, axis=0).mean()
    return total / len(pairs), each / len(pairs)


@settings(max_examples=100)
@given(
    model=st.sampled_from(["self_attention", "cross_attention"]), classes=st.integers(1, 3),
    t=st.integers(1, 2), m=st.integers(1, 2), a0=st.sampled_from([0.0, 0.3, 1.2, 2.5]),
    a1=st.sampled_from([0.0, 1.2, 2.5]), theta=st.floats(0.2, 1.1),
    b=st.sampled_from([0.2, 0.6]), attention_x=st.sampled_from(["identity", "ones"]),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
    kernels=st.one_of(
        st.just(["exp", "linear"]),
        st.lists(st.sampled_from(sorted(KERNELS)), min_size=1, max_size=5, unique=True),
    ),
)  # fmt: skip
def test_against_enumeration(model, classes, t, b, attention_x, kernels, **values):
    own = {"b": b, "c": 0.5, "attention_x": attention_x} if model == "self_attention" else {}
    d = classes + (2 if model == "self_attention" else 1)
    p = point(model, n=max(classes * t, 2 * classes), d=d, **own, **values)
    p = replace(p, contest=contest(*kernels))
    total, each = enumerated(p)
    got = exact_at(p)
    assert got.success == pytest.approx(total, abs=1e-12)
    assert got.events == pytest.approx(each, abs=1e-12)
    assert (got.error, *got.event_errors) == (0.0,) * (1 + 2 * len(kernels))


def in_fractions(p):
    """P(E_success) of independent special tokens with a shared y, in exact arithmetic.

    Only which states exceed tau comes from floats.
    """
    types = [model_of(p).token_types([p], dataset) for dataset in (0, 1)]
    networks = p.contest.networks
    above = [
        exceeds(largest_scores(distinct_rows(types[dataset], KERNELS[kernel])).score[0], p.tau, p.s)
        for kernel, dataset in networks
    ]
    classes, last_bits = model_of(p).classes(p.d), above[0].shape[1]

    def law(unmarked, flags):
        """Probabilities that no network is positive, and that none but F_exp on D1 is."""
        none = none_other = Fraction(0)
        bits = list(itertools.product((0, 1), range(last_bits), *[(0, 1)] * (classes - unmarked)))
        for state in bits:
            for pluses in range(unmarked + 1):
                share = Fraction(math.comb(unmarked, pluses), 2**unmarked * len(bits))
                found = flags(state, pluses)
                none += share * (not any(found))
                none_other += share * (not any(found[1:]))
        return none_other**p.m - none**p.m

    def same(state, pluses):
        return [bool(a[(*state, pluses)]) for a in above]

    def different(state, pluses):
        first, last, own0, own1 = state
        own = {0: (own0, pluses + own1), 1: (own1, pluses + own0)}
        return [
            bool(a[(first, last, *own[dataset])])
            for a, (_, dataset) in zip(above, networks, strict=True)
        ]

    total = law(classes - 1, same)
    if classes > 1:
        total = (total + (classes - 1) * law(classes - 2, different)) / classes
    return float(total)


@given(
    case=st.sampled_from(
        [
            ("self_attention", 200, 22, 15),
            ("self_attention", 256, 66, 80),
            ("self_attention", 256, 4, 15),
            ("self_attention", 10**9, 12, 25),
            ("cross_attention", 256, 65, 80),
            ("cross_attention", 10**9, 21, 25),
        ]
    ),
    attention_x=st.sampled_from(["identity", "ones"]),
)
def test_to_twelve_digits(case, attention_x):
    model, n, d, m = case
    if model == "self_attention":
        own = SELF | {"attention_x": attention_x}
    else:
        own = {"a0": 0.01, "a1": 1.2}
    p = point(model, n=n, d=d, m=m, **own)
    assert exact_at(p).success == pytest.approx(in_fractions(p), abs=1e-12)


@given(m=st.sampled_from([15, 200, 10**4, 10**6]), theta=st.sampled_from([0.9, 1.1]))
def test_no_probability_is_above_one_or_below_zero(m, theta):
    """Sums of many weights miss 1 by their rounding, which the m-th power would magnify."""
    for n, d in ((680, 69), (440, 45), (10_000, 1001)):
        found = exact_at(point("cross_attention", n=n, d=d, m=m, a0=0.01, a1=1.2, theta=theta))
        assert all(0 <= p <= 1 for p in (found.success, *found.events))
        assert found.success <= min(found.events) + 1e-12


SPECIAL_BY_CLASS = {"a0": 0.9, "a1": 1.2, "b": 0.6, "c": 0.4}
"""Parameters at which it matters whether the special tokens of D0 and D1 are of one class."""


def test_points_of_several_kinds_are_those_points_one_by_one():
    """Of several d, X, contests, data and signs, like and unlike between each other."""
    kinds = [
        {}, {"attention_x": "ones"}, {"signs": "fresh"}, {"data": "same"},
        {"attention_x": "ones", "signs": "fresh", "data": "same"},
    ]  # fmt: skip
    points = [
        replace(
            point("self_attention", n=40, d=d, m=5, theta=theta, **SPECIAL_BY_CLASS, **kind),
            contest=contest(*kernels),
        )
        for theta in (0.9, 1.1)
        for kernels in (["exp", "linear"], ["cosh"], ["exp", "power_2", "one_plus_cosine"])
        for kind in kinds
        for d in (4, 12, 7)
    ]
    together = references(SELF_ATTENTION_MODEL, points)
    assert together == [exact_at(p) for p in points]
    assert len({found.success for found in together}) > len(points) / 3


def test_exact_ties_are_below_tau():
    """n = 10, d = 11: a sum of nine equal entries ties tau = 0.9 s, as every way must see it."""
    tie = point("cross_attention", n=10, d=11, m=1, a0=0.01, a1=1.2)
    below = point("cross_attention", n=10, d=11, m=1, a0=0.01, a1=1.2, theta=0.9 - 1e-9)
    total, each = enumerated(tie)
    assert exact_at(tie).success == pytest.approx(total, abs=1e-12)
    assert exact_at(tie).events == pytest.approx(each, abs=1e-12)
    assert all(
        abs(a - b) > 5e-4 for a, b in zip(exact_at(tie).events, exact_at(below).events, strict=True)
    )
