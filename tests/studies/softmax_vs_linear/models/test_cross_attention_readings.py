"""Readings of Definition F.1: distinct rows against n x n attention over literal tokens."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from making import point

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    IN_A1_ALONE,
    IN_BOTH,
    with_common_score,
)

READINGS = {
    "taken": CROSS_ATTENTION_MODEL, "in A1 alone": IN_A1_ALONE, "in both": IN_BOTH,
    "v = 0.1": with_common_score(0.1), "v = 2": with_common_score(2.0),
}  # fmt: skip
A, S = 1.2, math.sqrt(math.log(12))
ENTRIES = {
    # A1 at j2 and elsewhere, A2 at j3 and in its identities.
    "taken": (A * S, S, S, S),
    "in A1 alone": (A * S**2, S**2, 1, 1),
    "in both": (A * S, S, A * S, S),
    "v = 0.1": (A * S, 0.1 * S, S, S),
    "v = 2": (A * S, 2 * S, S, S),
}


@given(name=st.sampled_from([*READINGS]))
def test_entries_of_the_datasets(name):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=A)
    a1, a2, a3, q, k = READINGS[name].literal(p, 1, np.array([7, 6]))
    special_query, common, special_key, block = ENTRIES[name]
    wanted = np.full((12, 5), common)
    wanted[:, 0] = 0.0
    wanted[7, 0] = special_query
    np.testing.assert_allclose(a1, wanted, rtol=1e-14)
    wanted = np.zeros((12, 5))
    wanted[np.arange(12), 1 + np.arange(12) % 4] = block
    wanted[6, 0] = special_key
    np.testing.assert_allclose(a2, wanted, rtol=1e-14)
    np.testing.assert_array_equal(a3, a2)
    np.testing.assert_array_equal(q @ k.T, np.eye(5))


@settings(max_examples=40)
@given(
    name=st.sampled_from([*READINGS]),
    kernel=st.sampled_from([*KERNELS]),
    dataset=st.sampled_from([0, 1]),
)
@example(name="in both", kernel="exp", dataset=1)
@example(name="in A1 alone", kernel="linear_unnormalised", dataset=0)
def test_largest_scores_are_those_of_dense_attention(name, kernel, dataset):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=A)
    model, (j2, j3) = READINGS[name], (7, 6)
    a1, a2, a3, q, k = model.literal(p, dataset, np.array([j2, j3]))
    c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[kernel])
    rows = distinct_rows(model.token_types([p], dataset), KERNELS[kernel])
    (found,) = largest_scores(rows).score
    marked = model.special_class(j3, p.d)
    for y in itertools.product([-1.0, 1.0], repeat=p.d):
        pluses = sum(sign > 0 for k, sign in enumerate(y[1:]) if k != marked)
        state = int(y[0] > 0), 0, int(y[1 + marked] > 0), pluses
        assert found[state] == pytest.approx((c @ y).max(), rel=1e-11, abs=1e-12)
