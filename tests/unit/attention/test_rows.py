"""Distinct rows of every kernel against n x n attention, token by token."""

import math
from dataclasses import replace

import numpy as np
import pytest
from attention_separation.softmax_vs_linear.attention import KERNELS as CLOSED

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS, Kernel
from attention_separation.attention.rows import distinct_rows
from attention_separation.softmax_vs_linear import cross_attention, self_attention
from attention_separation.softmax_vs_linear.point import Point

SELF_SIZES = [(60, 12), (60, 8), (8, 10), (12, 4), (9, 3), (4, 3)]
CROSS_SIZES = [(60, 11), (60, 7), (8, 9), (12, 3), (5, 2)]


def at(n, d, attention_x="identity", a1=1.2):
    return Point(
        name="p", swept=(), n=n, m=3, tau=1.0, s=math.sqrt(math.log(n)), data="same",
        signs="shared", d=d, a0=0.3, a1=a1, b=0.4, c=0.7, attention_x=attention_x,
    )  # fmt: skip


def dense_rows(point, dataset, kernel, module):
    """c by n x n attention, and the special tokens' places."""
    n, d, j = point.n, point.d, min(point.n - 1, 1)
    if module is self_attention:
        tokens = self_attention.tokens(n, d, point.a(dataset), point.b, point.c, j)
        q = self_attention.split_x(point.attention_x, d)
        return attention(tokens, tokens, tokens, q, q, np.eye(d), kernel), j, j
    j2 = 0
    a1, a2 = cross_attention.tokens(n, d, point.a(dataset), j2, j)
    return attention(a1, a2, a2, np.eye(d), np.eye(d), np.eye(d), kernel), j2, j


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
        c[-1] = rows.last[0, r]
    return c


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_self_attention(name, dataset, attention_x):
    for n, d in SELF_SIZES:
        point = at(n, d, attention_x)
        rows = distinct_rows(self_attention.token_types([point], dataset), KERNELS[name])
        c, j, _ = dense_rows(point, dataset, KERNELS[name], self_attention)
        marked = self_attention.special_class(j, d)
        for token in range(n):
            own = self_attention.special_class(token, d)
            r = 0 if token == j else 1 if own == marked else 2
            found = row_of(rows, point, r, marked, own, 2)
            np.testing.assert_allclose(found, c[token], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_cross_attention(name, dataset):
    for n, d in CROSS_SIZES:
        point = at(n, d)
        rows = distinct_rows(cross_attention.token_types([point], dataset), KERNELS[name])
        c, j2, j3 = dense_rows(point, dataset, KERNELS[name], cross_attention)
        marked = cross_attention.special_class(j3, d)
        for token in range(n):
            found = row_of(rows, point, int(token != j2), marked, None, 1)
            np.testing.assert_allclose(found, c[token], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", KERNELS)
def test_points_together_are_points_alone(name):
    points = [at(n, d) for n, d in SELF_SIZES]
    together = distinct_rows(self_attention.token_types(points, 1), KERNELS[name])
    for k, point in enumerate(points):
        alone = distinct_rows(self_attention.token_types([point], 1), KERNELS[name])
        for weight in ("first", "marked", "own", "rest", "last", "share"):
            np.testing.assert_array_equal(getattr(together, weight)[k], getattr(alone, weight)[0])


@pytest.mark.parametrize(("name", "old"), [("exp", "exp"), ("linear", "lin")])
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_the_closed_forms_of_the_paper(name, old, attention_x):
    for n, d in SELF_SIZES:
        point = at(n, d, attention_x)
        types = self_attention.token_types([point], 1)
        rows = distinct_rows(types, KERNELS[name])
        closed = self_attention.rows(point, 1, CLOSED[old])
        kept = np.flatnonzero(types.exists[0])
        # One class leaves no own one, two leave no further one: what stands there says nothing.
        for weight in ("first", "marked", "own", "rest")[: min(d - 1, 4)]:
            found = getattr(rows, weight)[0, kept]
            np.testing.assert_allclose(found, getattr(closed, weight), rtol=1e-14)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [220, 2 * 10**7, 2 * 10**12])
def test_weights_are_finite_and_rows_sum_to_one_for_any_n(name, n):
    for module, d in ((self_attention, 22), (cross_attention, 21)):
        types = module.token_types([at(n, d)], 1)
        rows = distinct_rows(types, KERNELS[name])
        of_classes = rows.marked + rows.own + (types.classes[0] - 2) * rows.rest
        assert np.isfinite(of_classes).all()
        if KERNELS[name].normalised:
            np.testing.assert_allclose(of_classes, types.block[0], rtol=1e-9)


def test_a_kernel_that_tells_classes_apart_is_refused():
    by_place = Kernel(
        "by_place", "by place", "features",
        lambda seen: np.broadcast_to(np.arange(1.0, 1 + seen.keys.shape[0]), seen.scores.shape),
    )  # fmt: skip
    types = self_attention.token_types([at(60, 12)], 1)
    with pytest.raises(ArithmeticError, match="tells classes apart"):
        distinct_rows(types, by_place)


def test_rows_that_cannot_be_normalised_are_refused():
    types = self_attention.token_types([replace(at(60, 12), c=-0.3)], 1)
    with pytest.raises(ArithmeticError, match="linear: a row of weights sums to"):
        distinct_rows(replace(types, scores=-types.scores), KERNELS["linear"])
