"""Distinct rows of every kernel against n x n attention, token by token."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_separation.attention.dense import attention, attention_weights
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)
from attention_separation.studies.softmax_vs_linear.models.model import Point

SELF_SIZES = [(60, 12), (8, 10), (12, 4), (9, 3), (4, 3)]
CROSS_SIZES = [(60, 11), (8, 9), (12, 3), (5, 2)]


def at(n, d, attention_x="identity", a1=1.2):
    return Point(
        name="p", swept=(), n=n, m=3, theta=1.0, s=math.sqrt(math.log(n)), data="same",
        signs="shared", d=d, a0=0.3, a1=a1, b=0.4, c=0.7, attention_x=attention_x,
    )  # fmt: skip


def dense_rows(model, point, dataset, kernel, places):
    """c by n x n attention over the literal tokens."""
    a1, a2, a3, q, k = model.literal(point, dataset, np.array(places))
    return attention(a1, a2, a3, q, k, np.eye(point.d), kernel)


def row_of(rows, point, r, marked, own, columns):
    """A row of c, (d,), from its weights: `own` is the query's class, None where it has none."""
    classes = point.d - columns
    c = np.empty(point.d)
    c[0] = rows.first[0, r]
    c[1 : 1 + classes] = rows.rest[0, r]
    if own is not None and own != marked:
        c[1 + own] = rows.own[0, r]
    c[1 + marked] = rows.marked[0, r]
    if rows.last is not None:
        c[-1] = np.broadcast_to(rows.last, rows.first.shape)[0, r]
    return c


def hold_self_attention(point, dataset, kernel, j):
    """The rows against n x n attention, the special token being the j-th."""
    rows = distinct_rows(SELF_ATTENTION_MODEL.token_types([point], dataset), kernel)
    c = dense_rows(SELF_ATTENTION_MODEL, point, dataset, kernel, [j])
    marked = SELF_ATTENTION_MODEL.special_class(j, point.d)
    found = []
    for token in range(point.n):
        own = SELF_ATTENTION_MODEL.special_class(token, point.d)
        r = 0 if token == j else 1 if own == marked else 2
        found.append(row_of(rows, point, r, marked, own, 2))
    np.testing.assert_allclose(found, c, rtol=1e-9, atol=1e-13)


def hold_cross_attention(point, dataset, kernel, j2, j3):
    """The same; the special query is the j2-th, the special key the j3-th."""
    rows = distinct_rows(CROSS_ATTENTION_MODEL.token_types([point], dataset), kernel)
    c = dense_rows(CROSS_ATTENTION_MODEL, point, dataset, kernel, [j2, j3])
    marked = CROSS_ATTENTION_MODEL.special_class(j3, point.d)
    by_query = [row_of(rows, point, r, marked, None, 1) for r in (0, 1)]
    found = [by_query[int(token != j2)] for token in range(point.n)]
    np.testing.assert_allclose(found, c, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("dataset", [0, 1])
def test_every_kernel(subtests, dataset):
    for name in KERNELS:
        with subtests.test(name):
            for attention_x in ("identity", "ones"):
                for n, d in SELF_SIZES:
                    hold_self_attention(at(n, d, attention_x), dataset, KERNELS[name], 1)
            for n, d in CROSS_SIZES:
                hold_cross_attention(at(n, d), dataset, KERNELS[name], 0, 1)


def test_a_kernel_that_tells_classes_apart_is_refused():
    by_place = Kernel(
        "by_place", "by place", "features",
        lambda seen: np.broadcast_to(np.arange(1.0, 1 + seen.keys.shape[-2]), seen.scores.shape),
    )  # fmt: skip
    types = SELF_ATTENTION_MODEL.token_types([at(60, 12)], 1)
    with pytest.raises(ArithmeticError, match="tells classes apart"):
        distinct_rows(types, by_place)


def test_rows_that_cannot_be_normalised_are_refused():
    types = SELF_ATTENTION_MODEL.token_types([replace(at(60, 12), c=-0.3)], 1)
    with pytest.raises(ArithmeticError, match="linear: a row of weights sums to"):
        distinct_rows(replace(types, scores=-types.scores), KERNELS["linear"])


@pytest.mark.parametrize("n", [220, 2 * 10**12])
def test_weights_are_finite_and_rows_sum_to_one_for_any_n(subtests, n):
    for name in KERNELS:
        with subtests.test(name):
            for point, model in (
                (at(n, 22), SELF_ATTENTION_MODEL),
                (at(n, 22, "ones"), SELF_ATTENTION_MODEL),
                (at(n, 21), CROSS_ATTENTION_MODEL),
            ):
                types = model.token_types([point], 1)
                rows = distinct_rows(types, KERNELS[name])
                of_classes = rows.marked + rows.own + (types.classes[0] - 2) * rows.rest
                assert np.isfinite(of_classes).all()
                if KERNELS[name].normalised:
                    np.testing.assert_allclose(of_classes, types.block[0], rtol=1e-9)


# Attention by the definitions, hand-computed, and what must hold of it for any kernel.

LINEAR, SOFTMAX = KERNELS["linear"], KERNELS["exp"]


def test_attention_by_hand():
    tokens = np.array([[0.0, 1.0], [1.0, 1.0]])
    eye = np.eye(2)
    # Scores: [[1, 1], [1, 2]].
    linear = attention(tokens, tokens, tokens, eye, eye, eye, LINEAR)
    np.testing.assert_allclose(linear, [[0.5, 1.0], [2 / 3, 1.0]], rtol=1e-15)
    softmax = attention(tokens, tokens, tokens, eye, eye, eye, SOFTMAX)
    np.testing.assert_allclose(softmax, [[0.5, 1.0], [math.e / (1 + math.e), 1.0]], rtol=1e-15)
    unnormalised = KERNELS["linear_unnormalised"]
    not_divided = attention(tokens, tokens, tokens, eye, eye, eye, unnormalised)
    np.testing.assert_allclose(not_divided, [[1.0, 2.0], [2.0, 3.0]], rtol=1e-15)


def test_attention_of_different_queries_keys_and_values_by_hand():
    a1 = np.array([[1.0, 0.0], [0.0, 2.0]])
    a2 = np.array([[1.0, 1.0], [0.0, 1.0]])
    a3 = np.array([[3.0, 0.0], [0.0, 5.0]])
    q = np.array([[1.0, 2.0], [0.0, 1.0]])
    v = np.array([[0.0, 1.0], [1.0, 0.0]])
    # a1 q = [[1, 2], [0, 2]], scores [[3, 2], [2, 2]], values [[0, 3], [5, 0]].
    c = attention(a1, a2, a3, q, np.eye(2), v, LINEAR)
    np.testing.assert_allclose(c, [[5 * 2 / 5, 3 * 3 / 5], [2.5, 1.5]], rtol=1e-15)
    # With K = Q instead: keys [[1, 3], [0, 1]], scores [[7, 2], [6, 2]].
    c = attention(a1, a2, a3, q, q, v, LINEAR)
    np.testing.assert_allclose(c, [[5 * 2 / 9, 3 * 7 / 9], [5 * 2 / 8, 3 * 6 / 8]], rtol=1e-15)


def test_softmax_does_not_overflow_and_keeps_ratios():
    weights = attention_weights(
        np.array([[1.0], [1.0]]), np.array([[2000.0], [2001.0]]), np.eye(1), np.eye(1), SOFTMAX
    )
    assert weights[:, 1] / weights[:, 0] == pytest.approx(math.e)
