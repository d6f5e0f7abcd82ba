"""Distinct rows of every kernel against n x n attention, token by token."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.model import Point
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION

SELF_SIZES = [(60, 12), (60, 8), (8, 10), (12, 4), (9, 3), (4, 3)]
CROSS_SIZES = [(60, 11), (60, 7), (8, 9), (12, 3), (5, 2)]
UNNORMALISED = [name for name, kernel in KERNELS.items() if not kernel.normalised]


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


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_self_attention(name, dataset, attention_x):
    for n, d in SELF_SIZES:
        hold_self_attention(at(n, d, attention_x), dataset, KERNELS[name], 1)


def hold_self_attention(point, dataset, kernel, j):
    """The rows against n x n attention, the special token being the j-th."""
    rows = distinct_rows(SELF_ATTENTION.token_types([point], dataset), kernel)
    c = dense_rows(SELF_ATTENTION, point, dataset, kernel, [j])
    marked = SELF_ATTENTION.special_class(j, point.d)
    for token in range(point.n):
        own = SELF_ATTENTION.special_class(token, point.d)
        r = 0 if token == j else 1 if own == marked else 2
        found = row_of(rows, point, r, marked, own, 2)
        np.testing.assert_allclose(found, c[token], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dataset", [0, 1])
def test_cross_attention(name, dataset):
    for n, d in CROSS_SIZES:
        hold_cross_attention(at(n, d), dataset, KERNELS[name], 0, 1)


def hold_cross_attention(point, dataset, kernel, j2, j3):
    """The same; the special query is the j2-th, the special key the j3-th."""
    rows = distinct_rows(CROSS_ATTENTION.token_types([point], dataset), kernel)
    c = dense_rows(CROSS_ATTENTION, point, dataset, kernel, [j2, j3])
    marked = CROSS_ATTENTION.special_class(j3, point.d)
    for token in range(point.n):
        found = row_of(rows, point, int(token != j2), marked, None, 1)
        np.testing.assert_allclose(found, c[token], rtol=1e-9, atol=1e-13)


amplitude = st.floats(0.01, 2.0)


@settings(max_examples=150)
@given(
    name=st.sampled_from(list(KERNELS)), classes=st.integers(1, 5), t=st.integers(1, 4),
    a0=amplitude, a1=amplitude, b=amplitude, c=amplitude, dataset=st.sampled_from([0, 1]),
    attention_x=st.sampled_from(["identity", "ones", "cross"]), data=st.data(),
)  # fmt: skip
def test_any_parameters_and_places(name, classes, t, a0, a1, b, c, dataset, attention_x, data):
    """D0's special entry may be the larger one, and the special token anywhere."""
    n = classes * t
    assume(n >= 2)
    place = st.integers(0, n - 1)
    sizes = {"a0": a0, "a1": a1, "b": b, "c": c}
    if attention_x == "cross":
        point = replace(at(n, classes + 1), **sizes)
        hold_cross_attention(point, dataset, KERNELS[name], data.draw(place), data.draw(place))
    else:
        point = replace(at(n, classes + 2, attention_x), **sizes)
        hold_self_attention(point, dataset, KERNELS[name], data.draw(place))


@pytest.mark.parametrize("name", KERNELS)
def test_points_together_are_points_alone(name):
    points = [at(n, d) for n, d in SELF_SIZES]
    together = distinct_rows(SELF_ATTENTION.token_types(points, 1), KERNELS[name])
    for k, point in enumerate(points):
        alone = distinct_rows(SELF_ATTENTION.token_types([point], 1), KERNELS[name])
        for weight in ("classes", "first", "marked", "own", "rest", "last", "share", "weights"):
            np.testing.assert_array_equal(getattr(together, weight)[k], getattr(alone, weight)[0])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_the_last_coordinate_is_the_same_in_every_row_that_sums_to_one(name, attention_x):
    """And in no other: there it is as large as the row's sum."""
    point = at(60, 12, attention_x)
    types = SELF_ATTENTION.token_types([point], 1)
    rows = distinct_rows(types, KERNELS[name])
    if name in UNNORMALISED:
        assert rows.last.shape == rows.first.shape
        assert len(set(rows.last[0].tolist())) > 1
    else:
        assert rows.last.shape == (1, 1)
    sums = (rows.weights[0] * types.multiplicities[0]).sum(axis=1)
    wanted = point.c * point.s * sums
    np.testing.assert_allclose(rows.last[0] * np.ones(3), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [220, 2 * 10**7, 2 * 10**12])
def test_weights_are_finite_and_rows_sum_to_one_for_any_n(name, n):
    for point, model in (
        (at(n, 22), SELF_ATTENTION), (at(n, 22, "ones"), SELF_ATTENTION),
        (at(n, 21), CROSS_ATTENTION),
    ):  # fmt: skip
        types = model.token_types([point], 1)
        rows = distinct_rows(types, KERNELS[name])
        of_classes = rows.marked + rows.own + (types.classes[0] - 2) * rows.rest
        assert np.isfinite(of_classes).all()
        if KERNELS[name].normalised:
            np.testing.assert_allclose(of_classes, types.block[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "n", "d", "exists"),
    [
        (SELF_ATTENTION, 200, 22, [True, True, True]),
        (SELF_ATTENTION, 20, 22, [True, False, True]),  # one token a class: no other shares it
        (SELF_ATTENTION, 20, 3, [True, True, False]),  # one class: none is another
        (CROSS_ATTENTION, 200, 21, [True, True]),
        (CROSS_ATTENTION, 20, 21, [True, True]),
        (CROSS_ATTENTION, 20, 2, [True, True]),
    ],
)
@pytest.mark.parametrize("name", ["exp", "linear_unnormalised", "relu_features"])
def test_types_of_queries_that_exist(model, n, d, exists, name):
    """Self-attention has the special row, one of its class, and one of another; the row of a type
    that does not exist stands for the special one, so that no maximum has anything of its own."""
    types = model.token_types([at(n, d)], 1)
    assert types.exists.tolist() == [exists]
    rows = distinct_rows(types, KERNELS[name])
    for r in np.flatnonzero(~types.exists[0]):
        for weight in (rows.first, rows.marked, rows.own, rows.rest, rows.weights):
            np.testing.assert_array_equal(weight[0, r], weight[0, 0])
        if rows.last is not None and name in UNNORMALISED:
            assert rows.last[0, r] == rows.last[0, 0]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("attention_x", ["identity", "ones"])
def test_own_is_exactly_rest_where_no_class_is_the_queries_own(name, attention_x):
    """However weights are computed: then no sign of a class is looked for."""
    for n, d in SELF_SIZES:
        rows = distinct_rows(SELF_ATTENTION.token_types([at(n, d, attention_x)], 1), KERNELS[name])
        np.testing.assert_array_equal(rows.own[:, :2], rows.rest[:, :2])
    for n, d in CROSS_SIZES:
        rows = distinct_rows(CROSS_ATTENTION.token_types([at(n, d)], 1), KERNELS[name])
        np.testing.assert_array_equal(rows.own, rows.rest)


def test_a_kernel_that_tells_classes_apart_is_refused():
    by_place = Kernel(
        "by_place", "by place", "features",
        lambda seen: np.broadcast_to(np.arange(1.0, 1 + seen.keys.shape[-2]), seen.scores.shape),
    )  # fmt: skip
    types = SELF_ATTENTION.token_types([at(60, 12)], 1)
    with pytest.raises(ArithmeticError, match="tells classes apart"):
        distinct_rows(types, by_place)


def test_rows_that_cannot_be_normalised_are_refused():
    types = SELF_ATTENTION.token_types([replace(at(60, 12), c=-0.3)], 1)
    with pytest.raises(ArithmeticError, match="linear: a row of weights sums to"):
        distinct_rows(replace(types, scores=-types.scores), KERNELS["linear"])


@pytest.mark.parametrize("model", [SELF_ATTENTION, CROSS_ATTENTION])
def test_sizes_that_do_not_stack_are_refused(model):
    with pytest.raises(ValueError, match="nearest valid n"):
        model.token_types([at(60, 12), at(61, 12)], 1)
