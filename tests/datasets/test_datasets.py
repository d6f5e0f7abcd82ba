"""The datasets of Definitions D.1 and F.1 against the matrices written out."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_separation import datasets
from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import another_x
from attention_separation.datasets.dataset import FixedData, nearest_multiples
from attention_separation.datasets.self_attention import tokens


def test_self_attention_tokens_written_out():
    s = math.sqrt(math.log(4))
    a = datasets.self_attention.tokens(n=4, d=4, a=1.2, b=0.3, c=0.7, j3=2)
    expected = s * np.array(
        [[0.0, 0.3, 0.0, 0.7], [0.0, 0.0, 0.3, 0.7], [1.2, 0.3, 0.0, 0.7], [0.0, 0.0, 0.3, 0.7]]
    )
    np.testing.assert_allclose(a, expected, rtol=1e-15)
    assert datasets.SELF_ATTENTION.special_class(2, 4) == 0


def test_cross_attention_tokens_written_out():
    s = math.sqrt(math.log(4))
    a1, a2 = datasets.cross_attention.tokens(n=4, d=3, a=1.2, j2=1, j3=3)
    np.testing.assert_allclose(a1, s * np.array([[0, 1, 1], [1.2, 1, 1], [0, 1, 1], [0, 1, 1]]))
    np.testing.assert_allclose(a2, s * np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]]))
    assert datasets.CROSS_ATTENTION.special_class(3, 3) == 1


BROKEN = [
    (datasets.SELF_ATTENTION, (201, 12), ["n=201", "D.1", "d-2 = 10", "200 or 210"]),
    (datasets.SELF_ATTENTION, (5, 12), ["n=5", "nearest valid n: 10"]),
    (datasets.SELF_ATTENTION, (10, 2), ["d=2", "d >= 3"]),
    (datasets.SELF_ATTENTION, (1, 3), ["n=1", "n >= 2"]),
    (datasets.CROSS_ATTENTION, (201, 11), ["n=201", "F.1", "d-1 = 10", "200 or 210"]),
    (datasets.CROSS_ATTENTION, (10, 1), ["d=1", "d >= 2"]),
    (datasets.CROSS_ATTENTION, (1, 2), ["n=1", "n >= 2"]),
]


def test_broken_structure_is_named_with_what_is_valid():
    for dataset, sizes, words in BROKEN:
        with pytest.raises(ValueError, match=words[0]) as error:
            dataset.check(*sizes)
        for word in words:
            assert word in str(error.value), sizes


def test_tokens_of_a_broken_structure_are_refused():
    for tokens_of, at in (
        (datasets.self_attention.tokens, (201, 12, 1.2, 0.2, 0.8, 0)),
        (datasets.cross_attention.tokens, (201, 11, 1.2, 0, 0)),
    ):
        with pytest.raises(ValueError, match="nearest valid n: 200 or 210"):
            tokens_of(*at)
    assert nearest_multiples(1, 1) == "2"


@pytest.mark.parametrize(("attention_x", "x"), [("identity", np.eye(7)), ("ones", np.ones((7, 7)))])
def test_queries_and_keys_have_the_x_that_is_asked_for(attention_x, x):
    q = datasets.self_attention.split_x(attention_x, 7)
    np.testing.assert_allclose(q @ q.T, x, rtol=1e-15)


# Another X: three ways to its margin against n x n attention, and the same at every n.

DATA = FixedData()
FEW = replace(DATA, a0=0.3, b=0.5, c=0.4, classes=3)


def dense_rows(data, n, a, weight, kernel="linear"):
    d = data.classes + 2
    own = tokens(n, d, a, data.b, data.c, 0)
    one = np.eye(d)
    return attention(own, own, own, another_x.x_matrix(d, weight), one, one, KERNELS[kernel])


@pytest.mark.parametrize("weight", [1.0, 2.5])
@pytest.mark.parametrize("data", [DATA, FEW])
def test_the_margin_by_n_x_n_attention(data, weight):
    n = 3 * data.classes
    rows = [dense_rows(data, n, a, weight)[:, 1] for a in (data.a0, data.a1)]
    wanted = (rows[1].max() - rows[0].max()) / np.sqrt(np.log(n))
    for found in (
        another_x.literal_margin(data, n, weight),
        another_x.margin_of_rows(data, n, weight),
        another_x.margin(data, weight),
    ):
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("kernel", ["exp", "power_3", "elu_plus_one"])
def test_the_token_types_are_those_of_the_tokens(kernel):
    n = 4 * FEW.classes
    for dataset, a in enumerate((FEW.a0, FEW.a1)):
        found = distinct_rows(another_x.token_types(FEW, n, 1.5, dataset), KERNELS[kernel])
        rows = dense_rows(FEW, n, a, 1.5, kernel)
        np.testing.assert_allclose(rows[[0, FEW.classes, 1], 1], found.marked[0], rtol=1e-12)
