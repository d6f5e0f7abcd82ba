"""Scores of sign columns against n x n attention, and the law of heads against SciPy's."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import point
from scipy.stats import binom

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import (
    binomial_half_pmf,
    exceeding_states,
    largest_scores,
    likely_heads,
    of_one_size,
)
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)

# Kernels that are in no list: distinct rows must hold for any, also where an own class counts less.
SQUARED = Kernel("squared", "x² + 0.1", "score", lambda seen: seen.scores**2 + 0.1)
FALLING = Kernel("falling", "e^(−x/4)", "score", lambda seen: np.exp(-seen.scores / 4))
ANY_KERNEL = KERNELS | {"squared": SQUARED, "falling": FALLING}
AMPLITUDES = st.sampled_from([0.0, 0.01, 0.3, 1.2, 2.98])
SHAPE = st.tuples(st.integers(1, 6), st.integers(1, 4)).filter(lambda kt: kt[0] * kt[1] >= 2)


def check_every_column(model, p, kernel, places):
    """Every column y: the largest <c_j0, y> over all n rows of c, against that of y's state."""
    a1, a2, a3, q, k = model.literal(p, 1, np.array(places))
    c = attention(a1, a2, a3, q, k, np.eye(p.d), ANY_KERNEL[kernel])
    (table,) = largest_scores(distinct_rows(model.token_types([p], 1), ANY_KERNEL[kernel])).score
    classes, marked = model.classes(p.d), model.special_class(places[-1], p.d)
    has_last = p.d - classes == 2
    assert table.shape == (2, 1 + has_last, 2, classes)
    within = 1e-13 * p.d * np.abs(c).sum(axis=1).max()
    for y in itertools.product([-1.0, 1.0], repeat=p.d):
        pluses = sum(y[1 + j] > 0 for j in range(classes) if j != marked)
        last = int(y[-1] > 0) if has_last else 0
        found = table[int(y[0] > 0), last, int(y[1 + marked] > 0), pluses]
        assert found == pytest.approx((c @ np.array(y)).max(), abs=within)


@settings(max_examples=40)
@given(
    SHAPE, AMPLITUDES, st.floats(0.05, 1), st.floats(0.05, 1),
    st.sampled_from(["identity", "ones"]), st.sampled_from(sorted(ANY_KERNEL)), st.integers(0, 23),
)  # fmt: skip
def test_self_attention(shape, a, b, c, attention_x, kernel, place):
    classes, t = shape
    n, d = classes * t, classes + 2
    p = point(
        "self_attention", n=n, d=d, m=1, a0=0.0, a1=a, b=b, c=c, theta=0.5, attention_x=attention_x
    )
    check_every_column(SELF_ATTENTION_MODEL, p, kernel, [place % n])


@settings(max_examples=40)
@given(
    SHAPE, AMPLITUDES, st.sampled_from(sorted(ANY_KERNEL)), st.integers(0, 23), st.integers(0, 23)
)
def test_cross_attention(shape, a, kernel, query, key):
    classes, t = shape
    n, d = classes * t, classes + 1
    p = point("cross_attention", n=n, d=d, m=1, a0=0.0, a1=a)
    check_every_column(CROSS_ATTENTION_MODEL, p, kernel, [query % n, key % n])


EACH_SIGN = [name for name, kernel in KERNELS.items() if not kernel.normalised]
OWN_CLASS = ["falling", "squared"]


@pytest.mark.parametrize(("n", "d"), [(12, 5), (12, 4), (4, 6), (4, 3)])
def test_which_row_is_the_largest(subtests, n, d):
    """Where rows have sums of their own their last coordinate differs, and its sign decides; and
    where the own class counts less or more it is one with a minus, or with a plus, if there is any.
    """
    own = {"m": 1, "a0": 0.0, "a1": 1.2, "b": 0.5, "c": 0.8, "theta": 0.5}
    cases = [*itertools.product(EACH_SIGN, ["identity", "ones"])]
    cases += [(kernel, "identity") for kernel in OWN_CLASS]
    for kernel, attention_x in cases:
        with subtests.test(f"{kernel}, {attention_x}"):
            p = point("self_attention", n=n, d=d, **own, attention_x=attention_x)
            check_every_column(SELF_ATTENTION_MODEL, p, kernel, [1])


@settings(max_examples=50)
@given(
    SHAPE, st.floats(0.05, 1), st.sampled_from(["identity", "ones"]),
    st.floats(-6, 6), st.floats(-2, 5), st.floats(0, 1),
)  # fmt: skip
def test_a_state_exceeds_what_some_row_exceeds_by_its_own_size(
    shape, c, attention_x, factor, steepness, place
):
    """Rows whose sizes differ by many orders: a threshold that one row's score ties may be exceeded
    by another's, and a score is not exceeded by the rounding of a larger row."""
    classes, t = shape
    own = {"m": 1, "a0": 0.0, "a1": 1.2, "b": 0.4, "c": c, "theta": 0.5}
    p = point("self_attention", n=classes * t, d=classes + 2, **own, attention_x=attention_x)
    kernel = Kernel(
        "steep", "", "score", lambda seen: 10**factor * np.exp(steepness * seen.scores),
        normaliser="none",
    )  # fmt: skip
    rows = distinct_rows(SELF_ATTENTION_MODEL.token_types([p], 1), kernel)
    by_row = []
    for row in range(rows.first.shape[1]):
        one = {
            name: getattr(rows, name)[:, [row]]
            for name in ("first", "marked", "own", "rest", "last", "weights", "size", "rounded")
        }
        by_row.append((largest_scores(replace(rows, **one)).score, rows.size[0, row]))
    found = largest_scores(rows)
    positive = np.unique(found.score[found.score > 0])
    tau = positive[int(place * (len(positive) - 1))] if len(positive) else 1.0
    wanted = np.any([score - tau > 1e-12 * size for score, size in by_row], axis=0)
    np.testing.assert_array_equal(exceeding_states(rows, np.array([tau])), wanted)
    np.testing.assert_array_equal(found.exceed(tau), wanted)
    largest = np.max([score for score, _ in by_row], axis=0)
    smallest = min(size for _, size in by_row)
    within = np.max([1e-15 * size for _, size in by_row])
    assert (np.abs(found.score - largest) <= within).all()
    assert (found.size >= smallest * (1 - 1e-12)).all()


def test_nothing_of_size_n_is_built():
    """And no column of signs is worth more than the entries of a row together."""
    p = point("self_attention", n=10**9, d=22, m=1, a0=0.0, a1=1.2, b=0.2, c=0.8)
    types = SELF_ATTENTION_MODEL.token_types([p], 1)
    for kernel in KERNELS.values():
        rows = distinct_rows(types, kernel)
        scores = largest_scores(rows).score
        assert scores.shape == (1, 2, 2, 2, 20)
        assert (np.abs(scores) <= 1.0001 * rows.size.max()).all(), kernel.name


@pytest.mark.parametrize("coins", [0, 1, 2, 1001, 10**5])
def test_all_numbers_of_heads(coins):
    law = binomial_half_pmf(coins)
    numbers = np.arange(coins + 1)
    np.testing.assert_allclose(law, binom.pmf(numbers, coins, 0.5), rtol=1e-9, atol=1e-15)
    assert math.isclose(law.sum(), 1, rel_tol=1e-14)


def test_the_likely_numbers_of_heads():
    numbers, law = likely_heads(10**6)
    assert len(numbers) < 15_000
    np.testing.assert_allclose(law, binom.pmf(numbers, 10**6, 0.5), rtol=1e-8)
    assert 2 * binom.cdf(numbers[0] - 1, 10**6, 0.5) < 1e-20
    np.testing.assert_array_equal(likely_heads(3)[1], [1 / 8, 3 / 8, 3 / 8, 1 / 8])
    np.testing.assert_array_equal(likely_heads(0), [[0], [1]])


def test_nobody_can_change_a_law_that_others_read():
    with pytest.raises(ValueError, match="read-only"):
        binomial_half_pmf(5)[0] = 1.0


def test_scores_that_are_off_are_those_of_larger_scores():
    scores = np.array([[0.5, -1.0], [2.0, 0.25]])
    larger = np.array([[0.75, -0.75], [1.0, -0.75]])
    found = of_one_size(scores, 2.0).off_by(np.array([0.25, -1.0]))
    wanted = of_one_size(larger, 2.0)
    np.testing.assert_array_equal(found.score, wanted.score)
    np.testing.assert_allclose(found.tie_limit, wanted.tie_limit, rtol=1e-15)
    np.testing.assert_array_equal(found.size, wanted.size)
    np.testing.assert_array_equal(found.error, wanted.error)
