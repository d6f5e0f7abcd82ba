"""Readings of Definition F.1: distinct rows against n x n attention over literal tokens."""

import itertools
import math

import numpy as np
import pytest
from making import config_points, point

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.datasets.cross_attention import taken, tokens
from attention_separation.softmax_vs_linear.exact.compute import references
from attention_separation.softmax_vs_linear.models.cross_attention import (
    CROSS_ATTENTION,
    IN_A1_ALONE,
    IN_BOTH,
    read_otherwise,
    with_common_score,
)
from attention_separation.softmax_vs_linear.simulation.simulate import trials_at
from attention_separation.statistics.seeding import BlockStreams

READINGS = {
    "taken": CROSS_ATTENTION, "in A1 alone": IN_A1_ALONE, "in both": IN_BOTH,
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


@pytest.mark.parametrize("name", READINGS)
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


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_largest_scores_are_those_of_dense_attention(name, kernel, dataset):
    p = point("cross_attention", n=12, d=5, m=1, a0=0.3, a1=A)
    model, (j2, j3) = READINGS[name], (7, 6)
    a1, a2, a3, q, k = model.literal(p, dataset, np.array([j2, j3]))
    c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[kernel])
    (found,) = largest_scores(distinct_rows(model.token_types([p], dataset), KERNELS[kernel]))
    marked = model.special_class(j3, p.d)
    for y in itertools.product([-1.0, 1.0], repeat=p.d):
        pluses = sum(sign > 0 for k, sign in enumerate(y[1:]) if k != marked)
        state = int(y[0] > 0), 0, int(y[1 + marked] > 0), pluses
        assert found[state] == pytest.approx((c @ y).max(), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("name", READINGS)
def test_engines_agree(name):
    model = READINGS[name]
    for theta in (0.3, 0.6, 1.1):
        p = point("cross_attention", n=12, d=5, m=3, a0=0.3, a1=A, theta=theta)
        streams = BlockStreams(3, "readings", p.name, 0)
        dense, reduced = (
            trials_at(model, engine, [p])[0](streams, 200) for engine in ("dense", "reduced")
        )
        np.testing.assert_array_equal(reduced, dense)


def test_the_reading_taken_is_that_of_cross_attention():
    p = point("cross_attention", n=20, d=6, m=1, a0=0.3, a1=A)
    for model in (CROSS_ATTENTION, read_otherwise(taken)):
        a1, a2, *_ = model.literal(p, 1, np.array([3, 4]))
        for one, other in zip((a1, a2), tokens(p.n, p.d, A, 3, 4), strict=True):
            np.testing.assert_array_equal(one, other)
        types = model.token_types([p], 1)
        np.testing.assert_array_equal(types.scores, CROSS_ATTENTION.token_types([p], 1).scores)


def test_with_log_n_in_a1_alone_no_score_exceeds_2():
    """Why this reading is not measured with tau as it is: P(E_success) is 0 from n = 140 on."""
    assert 0.9 * math.sqrt(math.log(139)) < 2 < 0.9 * math.sqrt(math.log(140))
    for letter in "abcde":
        points = config_points(f"fig7{letter}")
        for p in points[::8]:
            scores = IN_A1_ALONE.network_scores([p])
            assert max(of_network.max() for of_network in scores) <= 2 + 1e-12
        found = references(IN_A1_ALONE, points)
        assert [each.success for each in found] == [0.0] * len(points)
