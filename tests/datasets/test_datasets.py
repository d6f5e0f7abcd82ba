"""The datasets of Definitions D.1 and F.1 against the matrices written out."""

import math

import numpy as np
import pytest

from attention_separation import datasets
from attention_separation.datasets.dataset import nearest_multiples


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


@pytest.mark.parametrize(
    ("dataset", "sizes", "words"),
    [
        (datasets.SELF_ATTENTION, (201, 12), ["n=201", "D.1", "d-2 = 10", "200 or 210"]),
        (datasets.SELF_ATTENTION, (5, 12), ["n=5", "nearest valid n: 10"]),
        (datasets.SELF_ATTENTION, (10, 2), ["d=2", "d >= 3"]),
        (datasets.SELF_ATTENTION, (1, 3), ["n=1", "n >= 2"]),
        (datasets.CROSS_ATTENTION, (201, 11), ["n=201", "F.1", "d-1 = 10", "200 or 210"]),
        (datasets.CROSS_ATTENTION, (10, 1), ["d=1", "d >= 2"]),
        (datasets.CROSS_ATTENTION, (1, 2), ["n=1", "n >= 2"]),
    ],
)
def test_broken_structure_is_named_with_what_is_valid(dataset, sizes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        dataset.check(*sizes)
    for word in words:
        assert word in str(error.value)


def test_tokens_of_a_broken_structure_are_refused():
    for tokens, at in (
        (datasets.self_attention.tokens, (201, 12, 1.2, 0.2, 0.8, 0)),
        (datasets.cross_attention.tokens, (201, 11, 1.2, 0, 0)),
    ):
        with pytest.raises(ValueError, match="nearest valid n: 200 or 210"):
            tokens(*at)
    assert nearest_multiples(1, 1) == "2"


@pytest.mark.parametrize(("attention_x", "x"), [("identity", np.eye(7)), ("ones", np.ones((7, 7)))])
def test_queries_and_keys_have_the_x_that_is_asked_for(attention_x, x):
    q = datasets.self_attention.split_x(attention_x, 7)
    np.testing.assert_allclose(q @ q.T, x, rtol=1e-15)
