"""Exact probabilities against enumeration of all signs, from the definitions, and limits."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import config_points, contest, exact_at, model_of, point, run_trials
from scipy.stats import binomtest

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import exceeds, largest_scores
from attention_separation.softmax_vs_linear.exact.attention_probabilities import probabilities
from attention_separation.softmax_vs_linear.exact.compute import references
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION
from attention_separation.statistics.seeding import BlockStreams

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


@settings(max_examples=250)
@given(
    model=st.sampled_from(["self_attention", "cross_attention"]), classes=st.integers(1, 3),
    t=st.integers(1, 2), m=st.integers(1, 2), a0=st.sampled_from([0.3, 1.2, 2.5]),
    a1=st.sampled_from([0.3, 1.2, 2.5]), theta=st.floats(0.3, 1.1),
    b=st.sampled_from([0.2, 0.6]), attention_x=st.sampled_from(["identity", "ones"]),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
    kernels=st.sampled_from([1, 3, 5]).flatmap(
        lambda count: st.lists(
            st.sampled_from(sorted(KERNELS)), min_size=count, max_size=count, unique=True
        )
    ),
)  # fmt: skip
def test_contests_of_any_kernels_against_enumeration(
    model, classes, t, b, attention_x, kernels, **values
):
    own = {"b": b, "c": 0.5, "attention_x": attention_x} if model == "self_attention" else {}
    d = classes + (2 if model == "self_attention" else 1)
    p = point(model, n=max(classes * t, 2 * classes), d=d, **own, **values)
    p = replace(p, contest=contest(*kernels))
    total, each = enumerated(p)
    got = exact_at(p)
    assert got.success == pytest.approx(total, abs=1e-12)
    assert got.events == pytest.approx(each, abs=1e-12)
    assert (got.error, *got.event_errors) == (0.0,) * (1 + 2 * len(kernels))


def of_tables(p, scores, classes):
    """Success and events from the scores of every state: all sign matrices, all pairs of classes.

    scores : of each network (2, E, 2, K), positive where a column of that state is above 0
    """
    ends = scores[0].shape[1]
    columns = list(itertools.product((0, 1), repeat=1 + classes + (ends > 1)))

    def zero(table, marked):
        """Which columns leave a network zero, by the class of its special token."""
        return np.array(
            [
                table[y[0], y[-1] if ends > 1 else 0, y[1 + marked],
                      sum(y[1 : 1 + classes]) - y[1 + marked]] <= 0
                for y in columns
            ]
        )  # fmt: skip

    zeros = [[zero(table, marked) for marked in range(classes)] for table in scores]
    pairs = itertools.product(range(classes), repeat=2)
    pairs = [(i, j) for i, j in pairs if p.data == "independent" or i == j]
    total, each = 0.0, np.zeros(len(scores))
    matrices = np.array(list(itertools.product(range(len(columns)), repeat=p.m)))
    for pair in pairs:
        happened = [
            of[pair[network.dataset]][matrices].all(axis=1)
            for of, network in zip(zeros, p.contest.networks, strict=True)
        ]
        happened[0] = ~happened[0]
        means = np.mean(happened, axis=1)
        each += means
        total += means.prod() if p.signs == "fresh" else np.all(happened, axis=0).mean()
    return total / len(pairs), each / len(pairs)


@settings(max_examples=80)
@given(
    classes=st.integers(1, 3), m=st.integers(1, 2), count=st.integers(1, 4),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
    model=st.sampled_from(["self_attention", "cross_attention"]), share=st.floats(0.05, 0.5),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_networks_that_are_positive_anywhere(classes, m, count, model, share, seed, **values):
    """Whatever states make whatever networks positive: none is left out, nor taken for another."""
    p = self_or_cross(model, classes, m, **values)
    p = replace(p, contest=contest(*sorted(KERNELS)[:count]), theta=0.0)
    rng = np.random.default_rng(seed)
    shape = (2, 2, 2 if model == "self_attention" else 1, 2, classes)
    scores = [share - rng.random(shape) for _ in p.contest.networks]
    success, events = probabilities([p, replace(p, m=3 - m)], scores)
    for k, at in enumerate((p, replace(p, m=3 - m))):
        total, each = of_tables(at, [table[k] for table in scores], classes)
        assert success[k] == pytest.approx(total, abs=1e-12)
        assert events[k] == pytest.approx(each, abs=1e-12)


def self_or_cross(model, classes, m, **values):
    """A point of either model with so many classes."""
    own = {"b": 0.6, "c": 0.4} if model == "self_attention" else {}
    d = classes + (2 if model == "self_attention" else 1)
    return point(model, n=2 * classes, d=d, m=m, a0=0.3, a1=1.2, theta=0.6, **values, **own)


@pytest.mark.parametrize("name", ["linear_unnormalised", "sigmoid_unnormalised"])
@pytest.mark.parametrize("signs", ["shared", "fresh"])
@pytest.mark.parametrize("theta", [0.05, 0.5, 0.9, 1.2, 3.0, 4.0])
def test_rows_with_sums_of_their_own_against_enumeration(name, signs, theta):
    values = {"n": 4, "d": 4, "m": 2, "a0": 0.3, "a1": 1.2, "b": 0.6, "c": 0.5}
    p = point("self_attention", **values, theta=theta, signs=signs, data="independent")
    p = replace(p, contest=contest(name, "linear", "exp"))
    total, each = enumerated(p)
    assert exact_at(p).success == pytest.approx(total, abs=1e-12)
    assert exact_at(p).events == pytest.approx(each, abs=1e-12)


CONTESTS = {
    "the paper's": contest("exp", "linear"),
    "one": contest("exp"),
    "five": contest("exp", "linear", "power_2", "hedgehog_fla", "efficient"),
}


@pytest.mark.parametrize("of", CONTESTS)
@pytest.mark.parametrize("signs", ["shared", "fresh"])
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_against_simulation(attention_x, signs, of):
    """False-alarm budget 1e-6 for the twelve cases of at most eleven binomial tests each."""
    values = SELF | {"attention_x": attention_x, "signs": signs}
    p = replace(point("self_attention", n=200, d=22, m=15, **values), contest=CONTESTS[of])
    positive = np.concatenate(
        [
            run_trials("reduced", p, BlockStreams(5, "exact", p.name, block), 5000)
            for block in range(40)
        ]
    )
    got = exact_at(p)
    assert 0.05 < got.success < 0.95
    happened = p.contest.happened(positive)
    counts = [p.contest.success(positive).sum(), *happened.sum(axis=0)]
    for count, probability in zip(counts, [got.success, *got.events], strict=True):
        assert binomtest(int(count), len(positive), probability).pvalue > 1e-6 / 132


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


def in_fractions(p):
    """P(E_success) of independent special tokens with a shared y, in exact arithmetic.

    Only which states exceed tau comes from floats.
    """
    types = [model_of(p).token_types([p], dataset) for dataset in (0, 1)]
    networks = p.contest.networks
    above = [
        exceeds(largest_scores(distinct_rows(types[dataset], KERNELS[kernel]))[0], p.tau, p.s)
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


@pytest.mark.parametrize(
    ("model", "n", "d", "m"),
    [
        ("self_attention", 200, 22, 15), ("self_attention", 256, 66, 80),
        ("self_attention", 256, 4, 15), ("self_attention", 10**9, 12, 25),
        ("cross_attention", 256, 65, 80), ("cross_attention", 10**9, 21, 25),
    ],
)  # fmt: skip
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_to_twelve_digits(model, n, d, m, attention_x):
    if model == "self_attention":
        own = SELF | {"attention_x": attention_x}
    else:
        own = {"a0": 0.01, "a1": 1.2}
    p = point(model, n=n, d=d, m=m, **own)
    assert exact_at(p).success == pytest.approx(in_fractions(p), abs=1e-12)


def test_many_classes_leave_only_the_chance_of_the_special_row():
    """d to infinity: a column makes F_exp positive on D1 with probability 1/4, and nothing else."""
    gaps = []
    for d in (12, 22, 42, 102, 1002, 10_002):
        p = point("self_attention", n=100 * (d - 2), d=d, m=15, **SELF)
        gaps.append(abs(exact_at(p).success - (1 - 0.75**15)))
    assert gaps[:4] == sorted(gaps[:4], reverse=True)
    assert max(gaps[4:]) < 1e-12 < gaps[3]


@pytest.mark.parametrize("m", [15, 200, 10**4, 10**6])
@pytest.mark.parametrize("theta", [0.9, 1.1])
def test_no_probability_is_above_one_or_below_zero(m, theta):
    """Sums of many weights miss 1 by their rounding, which the m-th power would magnify."""
    for n, d in ((680, 69), (440, 45), (10_000, 1001)):
        found = exact_at(point("cross_attention", n=n, d=d, m=m, a0=0.01, a1=1.2, theta=theta))
        assert all(0 <= p <= 1 for p in (found.success, *found.events))
        assert found.success <= min(found.events) + 1e-12


def test_many_points_at_once_are_those_points_one_by_one():
    points = [*config_points("fig4b"), *config_points("fig5d")[:7], *config_points("fig4a")[:3]]
    together = references(SELF_ATTENTION, points)
    assert together == [exact_at(p) for p in points]


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
    together = references(SELF_ATTENTION, points)
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


def test_the_nearest_miss_is_on_its_side_of_tau():
    """5d at a1 = 1.9 has a score 6.3e-11 s below tau: it makes nothing positive."""
    p = next(p for p in config_points("fig5d") if p.name == "a1=1.9")
    above, below = (replace(p, theta=p.theta + shift) for shift in (1e-9, -1e-9))
    assert exact_at(p) == exact_at(above)
    assert abs(exact_at(p).success - exact_at(below).success) > 1e-6


def test_nothing_of_size_n_is_built():
    p = point("self_attention", n=10**9, d=22, m=15, **SELF)
    assert 0 < exact_at(p).success < 1
