"""Data, targets and heads of the second paper: against their definitions, written out as loops.

False-alarm budget of the random tests: BUDGET together.
"""

import numpy as np
import pytest
from literal_heads import attention_layer, concatenated, generalised_layer
from scipy.stats import binomtest

from attention_separation.studies.head_rank.constructions import data, full_rank_head

BUDGET = 1e-6
RNG = np.random.default_rng(7)


def test_uniform_points_have_length_1():
    x, y = data.uniform(RNG, 5, 4, 3)
    assert x.shape == (5, 4, 3)
    assert y.shape == (5, 4)
    np.testing.assert_allclose(np.linalg.norm(x, axis=-2), 1)
    np.testing.assert_allclose(np.linalg.norm(y, axis=-1), 1)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_orthogonal_points_are_orthonormal(n):
    x, y = data.orthogonal(RNG, 6, 4, n)
    np.testing.assert_allclose(
        np.swapaxes(x, -1, -2) @ x, np.tile(np.eye(n), (6, 1, 1)), atol=1e-13
    )
    assert y.shape == (6, 4)


def test_orthogonal_points_are_as_often_positive_as_negative():
    """A factorisation whose signs are left as they come has a first entry of one sign."""
    x, _ = data.orthogonal(np.random.default_rng(1), 4000, 3, 2)
    for entry in np.ndindex(3, 2):
        positive = int((x[(..., *entry)] > 0).sum())
        assert binomtest(positive, 4000).pvalue > BUDGET / 6


def test_more_points_than_dimensions_are_not_orthogonal():
    with pytest.raises(ValueError, match="n is 4; allowed: at most d = 3"):
        data.orthogonal(RNG, 1, 3, 4)


def test_the_targets_by_loops():
    x, y = data.uniform(RNG, 20, 3, 4)
    b = RNG.normal(size=4)
    for k in range(20):
        points = [x[k, :, i] for i in range(4)]
        distance = [np.sum((point - y[k]) ** 2) for point in points]
        np.testing.assert_array_equal(data.nearest(x, y)[k], points[np.argmin(distance)])
        biased = points[np.argmin(np.array(distance) + b)]
        np.testing.assert_array_equal(data.biased_nearest(x, y, b)[k], biased)
        for i in range(4):
            j = min(range(4), key=lambda j: points[i] @ points[j])
            assert j != i
            np.testing.assert_array_equal(data.farthest(x)[k, :, i], points[j])


@pytest.mark.parametrize("attend", [full_rank_head.softmax, full_rank_head.hardmax])
def test_a_layer_by_loops(attend):
    count, d, r, n, m = 3, 4, 2, 5, 6
    x, y = RNG.normal(size=(d, n)), RNG.normal(size=(d, m))
    k, q, v, o = RNG.normal(size=(4, count, d, r))
    expected = np.zeros((d, m))
    for h in range(count):
        for column in range(m):
            scores = np.array([x[:, i] @ k[h] @ q[h].T @ y[:, column] for i in range(n)])
            weights = np.exp(scores) / np.exp(scores).sum()
            if attend is full_rank_head.hardmax:
                weights = np.eye(n)[np.argmax(scores)]
            for i in range(n):
                expected[:, column] += weights[i] * (o[h] @ v[h].T @ x[:, i])
    found = attention_layer(x[None], y[None], k, q, v, o, attend)
    np.testing.assert_allclose(found[0], expected, atol=1e-12)


@pytest.mark.parametrize("temperature", [3.0, None])
def test_the_head_of_fact_1_is_a_layer(temperature):
    x, y = data.uniform(RNG, 10, 4, 3)
    eye = np.eye(4)[None]
    attend = full_rank_head.hardmax if temperature is None else full_rank_head.softmax
    layer = attention_layer(x, y[..., None], (temperature or 1) * eye, eye, eye, eye, attend)
    np.testing.assert_allclose(
        full_rank_head.full_rank_head(x, y, temperature), layer[..., 0], atol=1e-13
    )


@pytest.mark.parametrize("n", [2, 5])
def test_fact_3_holds_with_minus_half_b_and_not_as_the_text_has_it(n):
    d, b = 6, RNG.normal(size=n)
    x, y = data.uniform(RNG, 400, d, n)
    f = data.biased_nearest(x, y, b)
    np.testing.assert_array_equal(full_rank_head.full_rank_head(x, y, None, -b / 2), f)
    for bias, right in ((-b / 2, True), (b, False)):
        x_long, y_long = concatenated(x, y, bias)
        eye, cut = np.eye(d + 1)[None], np.eye(d + 1, d)[None]
        layer = attention_layer(
            x_long, y_long[..., None], eye, eye, cut, np.eye(d)[None], full_rank_head.hardmax
        )
        wrong = data.squared_error(f, layer[..., 0]) > 1e-20
        assert wrong.mean() > 0.1 if not right else not wrong.any()


def test_a_generalised_layer_has_softmax_heads_with_bias_among_it():
    d, n = 4, 3
    x, y = data.uniform(RNG, 8, d, n)
    b = RNG.normal(size=n)

    def phi(projected, query):
        scores = (np.swapaxes(projected, -1, -2) @ query[..., None])[..., 0] + b
        return full_rank_head.softmax(2.0 * scores[..., None])[..., 0]

    layer = generalised_layer(x, y, np.eye(d)[None], np.eye(d)[None], [phi])
    np.testing.assert_allclose(layer, full_rank_head.full_rank_head(x, y, 2.0, b), atol=1e-13)
