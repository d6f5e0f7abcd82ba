"""What a network alone can do: by enumeration of all sign matrices from the literal definition."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import model_of, point

from attention_separation.attention.columns import largest_scores
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.separation import (
    after_signs,
    of_each_neuron,
    rank_states,
    widest_margin,
)

SELF = {"n": 6, "d": 5, "a0": 0.3, "a1": 1.2, "b": 0.2, "c": 0.8, "m": 2}
CROSS = {"n": 6, "d": 4, "a0": 0.3, "a1": 1.2, "m": 2}
SAMPLE = ["exp", "linear", "none", "power_2", "hedgehog", "hardmax", "linear_unnormalised"]
TINY = [
    *(("self_attention", SELF | {"attention_x": x}) for x in ("identity", "ones")),
    ("cross_attention", CROSS),
    ("self_attention", SELF | {"n": 4, "d": 4, "m": 3}),
    ("cross_attention", CROSS | {"n": 3, "d": 2, "m": 3}),
]  # fmt: skip


def ranked_of(p, kernel):
    model = model_of(p)
    d0, d1 = (
        largest_scores(distinct_rows(model.token_types([p], dataset), KERNELS[kernel]))
        for dataset in (0, 1)
    )
    return rank_states(d0, d1, np.array([p.m]), np.array([p.s]))


def literal_scores(p, kernel, dataset):
    """For every place of the special token: the largest score over tokens of every column, (2^d,)
    in units of s."""
    model = model_of(p)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=p.d)))
    for place in range(p.n):
        places = np.full(model.special_tokens, place)
        a1, a2, a3, q, k = model.literal(p, dataset, places)
        c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[kernel])
        yield (c @ y.T).max(axis=0) / p.s


def pairs(p, kernel):
    """(u0, u1) of all m-tuples of columns, (2^dm, m) each, for every pair of special tokens."""
    on_d0, on_d1 = (list(literal_scores(p, kernel, dataset)) for dataset in (0, 1))
    chosen = np.array(list(itertools.product(range(2**p.d), repeat=p.m)))
    for u0, u1 in itertools.product(on_d0, on_d1):
        yield u0[chosen], u1[chosen]


@pytest.mark.parametrize("kernel", SAMPLE)
@pytest.mark.parametrize("case", range(len(TINY)))
def test_thresholds_after_the_signs_by_enumeration(case, kernel):
    model, values = TINY[case]
    p = point(model, **values)
    shared, own = [], []
    for u0, u1 in pairs(p, kernel):
        top = np.maximum(u0.max(axis=1), 0.0)
        shared.append((u1.max(axis=1) > top + 1e-12).mean())
        own.append((u1 > u0 + 1e-12).any(axis=1).mean())
    ranked = ranked_of(p, kernel)
    assert after_signs(ranked)[0] == pytest.approx(np.mean(shared), abs=1e-12)
    assert of_each_neuron(ranked)[0] == pytest.approx(np.mean(own), abs=1e-12)


def by_search(found, target):
    """The largest 2 eps over all thresholds that scores can be at, from all columns."""
    low = np.array([u0.max(axis=1) for u0, _ in found])
    high = np.array([u1.max(axis=1) for _, u1 in found])
    widest = math.nan
    for phi in np.unique(low.round(12)):
        enough = low <= phi + 1e-11
        # As many of the highest as the target asks for.
        reached = np.sort(np.where(enough, high, -np.inf).ravel())[::-1]
        needed = math.ceil(target * reached.size - 1e-9)
        gap = reached[needed - 1] - phi
        if gap > 1e-11 and reached[needed - 1] + phi > 0:
            widest = np.fmax(widest, gap)
    return widest


@pytest.mark.parametrize("target", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("kernel", SAMPLE)
@pytest.mark.parametrize("case", range(len(TINY)))
def test_the_widest_margin_by_search_over_all_columns(case, kernel, target):
    model, values = TINY[case]
    p = point(model, **values)
    wanted = by_search(list(pairs(p, kernel)), target)
    found = widest_margin(ranked_of(p, kernel), np.array([target]))[0]
    assert found == pytest.approx(wanted, abs=1e-10, nan_ok=True)


@settings(max_examples=30)
@given(
    kernel=st.sampled_from(["exp", "linear", "power_2", "taylor_2", "sparsemax"]),
    k=st.integers(1, 50), a1=st.floats(0.5, 2.0), m=st.integers(1, 40),
    attention_x=st.sampled_from(["identity", "ones"]),
)  # fmt: skip
def test_orders_that_hold_for_any_scores(kernel, k, a1, m, attention_x):
    """One threshold before the signs, one after them, one for each neuron: each can do more."""
    from attention_separation.attention.threshold_curves import threshold_curves

    p = point(
        "self_attention", n=20 * k, d=22, m=m, a0=0.01, a1=a1, b=0.2, c=0.8,
        attention_x=attention_x,
    )  # fmt: skip
    model = model_of(p)
    d0, d1 = (
        largest_scores(distinct_rows(model.token_types([p], dataset), KERNELS[kernel]))
        for dataset in (0, 1)
    )
    sizes = (np.array([x]) for x in (p.m, p.s, p.n))
    best = threshold_curves(d0[:, None], d1[:, None], *sizes, "independent").best()[0][0]
    ranked = ranked_of(p, kernel)
    after, own = after_signs(ranked)[0], of_each_neuron(ranked)[0]
    assert best <= after + 1e-12 <= own + 2e-12
    gaps = [widest_margin(ranked, np.array([best * share]))[0] for share in (0.999999, 0.5, 0.1)]
    if best > 1e-9:
        assert 0 < gaps[0] <= gaps[1] <= gaps[2]
        assert np.isnan(widest_margin(ranked, np.array([best * 1.001 + 1e-9]))[0])
