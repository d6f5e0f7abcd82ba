"""Vectors by orbits of coordinates against n x n attention over all tokens and coordinates, and
what a large d costs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_kernels import OF_VECTORS, divided

import attention_separation as asep
from attention_separation.any_attention import values
from attention_separation.any_attention.kernel_check import check_kernel
from attention_separation.any_attention.layers import LAYERS, ONE_COORDINATE, token_types
from attention_separation.any_attention.values import best_probabilities
from attention_separation.attention.distinct_rows import OWN, REST, SAME, SPECIAL, distinct_rows
from attention_separation.attention.kernel import ClassesApartError
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData
from attention_separation.settings.kernel_section import FeatureKernel
from attention_separation.settings.kernel_values import own_kernel

KERNELS_OF_VECTORS = sorted(name for name, kernel in KERNELS.items() if kernel.kind == "features")
LESS_MEAN = [f"minus_mean_0.9_{name}" for name in KERNELS_OF_VECTORS]
SELF, ONES, CROSS = LAYERS


@st.composite
def questions(draw):
    """A layer with a split of X, the data, n, D0 or D1, and a weight in X."""
    layer = draw(st.sampled_from(LAYERS))
    splits = st.floats(0.3, 3.0)
    if layer is ONES:
        splits |= st.just(ONE_COORDINATE)
    layer = replace(layer, split=draw(splits))
    sizes = st.floats(0.1, 1.5)
    data = FixedData(
        a0=draw(sizes), a1=draw(sizes), b=draw(sizes), c=draw(sizes),
        classes=draw(st.integers(1, 7)), columns=2,
    )  # fmt: skip
    least_tokens = 2 if data.classes == 1 else 1
    n = data.classes * draw(st.integers(least_tokens, 4))
    weight = draw(st.sampled_from([0.0, 0.7, 5.0])) if layer.attention_x == "identity" else 0.0
    return layer, data, n, draw(st.integers(0, 1)), weight


def weighted(matrix, weight):
    """Q or K with a weight in X on the product of first coordinates."""
    first = np.ones(len(matrix))
    first[0] = np.sqrt(1 + weight)
    return first[:, None] * matrix


def literal_weights(name, layer, data, n, dataset, weight):
    """f of all queries over all tokens, (n, n), and the types of queries (n,) and of keys (n, n);
    the special key is the first token, and the special query of cross-attention too."""
    tokens = layer.tokens(data, n)
    places = np.zeros(layer.dataset.special_tokens, dtype=int)
    a1, a2, _, q, k = layer.literal(tokens, dataset, places)
    f = divided(name, OF_VECTORS[name](a1 @ weighted(q, weight), a2 @ weighted(k, weight)))
    classes = np.arange(n) % data.classes
    if layer.model == "self_attention":
        queries = np.where(classes == 0, 1, 2)
        is_own = classes[:, None] == classes
    else:
        queries = np.full(n, 1)
        is_own = np.zeros((n, n), dtype=bool)
    queries[0] = 0
    keys = np.where(is_own, OWN, REST)
    keys[:, classes == 0] = SAME
    keys[:, 0] = SPECIAL
    return f, queries, keys


@pytest.mark.parametrize("name", KERNELS_OF_VECTORS)
@settings(max_examples=25)
@given(question=questions())
def test_weights_by_orbits_are_those_of_all_tokens_and_coordinates(name, question):
    layer, data, n, dataset, weight = question
    types = token_types(layer, data, [n], weight)[dataset]
    f, queries, keys = literal_weights(name, *question)
    found = distinct_rows(types, KERNELS[name]).weights[0][queries[:, None], keys]
    # Without a second unmarked class all of a query's unmarked keys are of its own.
    if data.classes == 2:
        of_own = distinct_rows(types, KERNELS[name]).weights[0][queries[:, None], OWN]
        found = np.where(keys == REST, of_own, found)
    np.testing.assert_allclose(found, f, rtol=1e-9, atol=1e-16)


DIVERSE = (SELF, replace(SELF, split=2.5), ONES, replace(ONES, split=ONE_COORDINATE), CROSS)


@pytest.mark.parametrize("classes", [1, 2, 3, 41])
def test_weights_by_orbits_are_those_on_keys_of_every_class_at_any_n(subtests, classes):
    """In every coordinate, of several n at once."""
    for name in [*KERNELS_OF_VECTORS, *LESS_MEAN]:
        with subtests.test(name):
            kernel = kernel_named(name)
            in_full = replace(kernel, vectors_seen="every class")
            sizes = [classes * t for t in (2, 300, 10**9)]
            for layer in DIVERSE:
                for types in token_types(layer, FixedData(classes=classes), sizes):
                    exists = (types.multiplicities > 0)[:, None, :] & types.exists[..., None]
                    found = distinct_rows(types, kernel).weights[exists]
                    wanted = distinct_rows(types, in_full).weights[exists]
                    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-25)


def elu(z):
    return np.where(z > 0, z + 1, np.exp(np.minimum(z, 0)))


def both(z):
    return np.concatenate([np.exp(z), np.exp(-z)], axis=-1)


SAME_MAPS = {
    "a map": (lambda: asep.features(elu), "elu_plus_one"),
    "element-wise": (lambda: asep.features(elu, elementwise=True), "elu_plus_one"),
    "element-wise, of two features": (
        lambda: asep.features(both, elementwise=True), "exp_features",
    ),
    "a pair": (
        lambda: asep.pair(lambda z: 2 * elu(z), elu, elementwise=True), "elu_plus_one",
    ),
    "a formula": (
        lambda: own_kernel("mine", FeatureKernel(feature_map="where(x > 0, x + 1, exp(x))")),
        "elu_plus_one",
    ),
}  # fmt: skip


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_maps_of_ones_own_are_the_built_in_ones(subtests, classes):
    for words in SAME_MAPS:
        with subtests.test(words):
            make, name = SAME_MAPS[words]
            kernel, data = make(), FixedData(classes=classes)
            sizes = [classes * t for t in (2, 300, 10**8)]
            for layer in DIVERSE:
                assert not check_kernel(kernel, layer, data, sizes)
                found = best_probabilities(kernel, layer, data, sizes)
                wanted = best_probabilities(KERNELS[name], layer, data, sizes)
                np.testing.assert_allclose(found, wanted, atol=1e-12)


NOT_ELEMENTWISE = {
    "a softmax": lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True),
    "a mean": lambda z: np.exp(z - z.mean(axis=-1, keepdims=True)),
    "neighbours": lambda z: np.exp(z) + np.roll(z, 1, axis=-1),
    "places": lambda z: np.exp(z) * (1 + np.arange(z.shape[-1])),
}


def test_a_map_that_is_not_element_wise_is_refused_as_one(subtests):
    for words in NOT_ELEMENTWISE:
        with subtests.test(words):
            kernel = asep.features(NOT_ELEMENTWISE[words], elementwise=True)
            with pytest.raises(
                ArithmeticError, match=r"one by one give weights .*; leave elementwise"
            ):
                asep.separate(kernel)


@settings(max_examples=8)
@given(classes=st.integers(3, 60), special=st.data())
def test_a_map_that_treats_one_class_otherwise_is_refused(classes, special):
    """Wherever it stands."""
    coordinate = special.draw(st.integers(1, classes))

    def phi(z):
        return np.exp(np.where(np.arange(z.shape[-1]) == coordinate, 1.5 * z, z))

    for layer in (SELF, CROSS):
        with pytest.raises(ClassesApartError, match=r"the same weight|tells classes apart"):
            check_kernel(asep.features(phi), layer, FixedData(classes=classes), [3 * classes])


def numbers_of(kernel, classes):
    """How many coordinates of keys a kernel is shown at one n, beside the check."""
    shown = []

    def weigh(seen):
        shown.append(seen.keys.size)
        return kernel.weigh(seen)

    counted = replace(kernel, weigh=weigh)
    for layer in LAYERS:
        best_probabilities(counted, layer, FixedData(classes=classes), [2 * classes])
    return sum(shown)


def test_built_in_maps_take_as_many_numbers_whatever_d_is(subtests):
    for name in [*KERNELS_OF_VECTORS, *LESS_MEAN]:
        with subtests.test(name):
            kernel = kernel_named(name)
            assert numbers_of(kernel, 2_000) == numbers_of(kernel, 20) <= 1000


def test_maps_of_ones_own_take_numbers_like_d():
    few, many = (numbers_of(asep.features(elu), classes) for classes in (100, 1000))
    assert many < 11 * few
    own = asep.features(elu, elementwise=True)
    assert numbers_of(own, 2_000) == numbers_of(own, 20)


@given(points=st.integers(0, 3000), classes=st.integers(1, 20_000))
def test_batches_are_all_points_and_few_states(points, classes):
    data = FixedData(classes=classes)
    parts = values.batches(data, points)
    assert [k for part in parts for k in range(points)[part]] == [*range(points)]
    largest = max(len(range(points)[part]) for part in parts)
    assert largest <= 1 or 8 * classes * largest <= values.MOST_STATES


def test_batches_change_nothing(monkeypatch):
    data, sizes = FixedData(classes=30), [30 * t for t in range(2, 40)]
    wanted = best_probabilities(KERNELS["hedgehog"], SELF, data, sizes)
    monkeypatch.setattr(values, "MOST_STATES", 8 * 30 * 7)
    found = best_probabilities(KERNELS["hedgehog"], SELF, data, sizes)
    np.testing.assert_array_equal(found, wanted)
