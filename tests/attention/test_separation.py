"""What a network alone can do, for any scores of the states of a column.

`tests/any_attention/exact/test_enumeration.py` starts from the literal definition of attention.
"""

import itertools

import numpy as np
import pytest
from enumerated_signs import enumerate_signs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from making import model_of, point

from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.separation import (
    after_signs,
    of_each_neuron,
    rank_states,
    widest_margin,
)
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.attention.threshold_curves import threshold_curves


def of_columns(scores):
    """The scores of all columns, (K, 2^d), with each class the marked one."""
    _, ends, _, classes = scores.shape
    y = np.array([*itertools.product((0, 1), repeat=1 + (ends == 2) + classes)])
    first, last = y[:, 0], y[:, 1] * (ends == 2)
    signs = y[:, -classes:].T
    return np.array([scores[first, last, sign, signs.sum(axis=0) - sign] for sign in signs])


def tables(shape):
    return arrays(np.int64, (2, 2, shape[0], 2, shape[1]), elements=st.integers(-6, 6))


@settings(max_examples=300)
@given(
    scores=st.tuples(st.integers(1, 2), st.integers(1, 3)).flatmap(tables), m=st.integers(1, 2),
    s=st.sampled_from([0.5, 1.0, 3.0]), above=st.integers(-6, 6),
    target=st.sampled_from([0.01, 0.02, 0.1, 0.125, 0.25, 0.5]),
)  # fmt: skip
def test_any_scores_with_ties_over_all_signs(scores, m, s, above, target):
    """Also such that are all above 0, or none."""
    d0, d1 = scores + above
    wanted = enumerate_signs(of_columns(d0), of_columns(d1), m)
    ranked = rank_states(s * d0[None], s * d1[None], np.array([m]), np.array([s]))
    assert after_signs(ranked)[0] == pytest.approx(wanted.after_signs(), abs=1e-12)
    assert of_each_neuron(ranked)[0] == pytest.approx(wanted.each_bias, abs=1e-12)
    assert wanted.widest_margin_is(widest_margin(ranked, np.array([target]))[0], target)


@settings(max_examples=30)
@given(
    kernel=st.sampled_from(["exp", "linear", "power_2", "taylor_2", "sparsemax"]),
    k=st.integers(1, 50), a1=st.floats(0.5, 2.0), m=st.integers(1, 40),
    attention_x=st.sampled_from(["identity", "ones"]),
)  # fmt: skip
def test_orders_that_hold_for_any_scores(kernel, k, a1, m, attention_x):
    """One threshold before the signs, one after them, one for each neuron: each can do more."""
    p = point(
        "self_attention", n=20 * k, d=22, m=m, a0=0.01, a1=a1, b=0.2, c=0.8,
        attention_x=attention_x,
    )  # fmt: skip
    model = model_of(p)
    d0, d1 = (
        largest_scores(distinct_rows(model.token_types([p], dataset), KERNELS[kernel]))
        for dataset in (0, 1)
    )
    m, s, n = (np.array([x]) for x in (p.m, p.s, p.n))
    best = threshold_curves(d0[:, None], d1[:, None], m, s, n, "independent").best()[0][0]
    ranked = rank_states(d0, d1, m, s)
    after, own = after_signs(ranked)[0], of_each_neuron(ranked)[0]
    assert best <= after + 1e-12 <= own + 2e-12
    gaps = [widest_margin(ranked, np.array([best * share]))[0] for share in (0.999999, 0.5, 0.1)]
    if best > 1e-9:
        assert 0 < gaps[0] <= gaps[1] <= gaps[2]
        assert np.isnan(widest_margin(ranked, np.array([best * 1.001 + 1e-9]))[0])
