"""The trained layer of Theorem 2's class, held to loops over sets, heads and points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import head_rank

from attention_separation.rank_bound.bound import bound
from attention_separation.statistics.seeding import stream
from attention_separation.studies.head_rank.settings.jobs import LayersJob
from attention_separation.studies.head_rank.theory import layers_table
from attention_separation.studies.head_rank.theory.bound_table import (
    heads_by_budget,
    ranks_of_dimension,
)
from attention_separation.studies.head_rank.theory.trained_layer import (
    SETS_TOGETHER,
    Layer,
    error_and_gradient,
    errors_on_new_sets,
    initial_layer,
    learning_rate,
    new_batch,
    outputs,
    trained_layer,
)

SIZES = [(2, 1, 1), (4, 1, 3), (4, 2, 2), (5, 5, 1), (3, 3, 4)]
"""d, r and H."""


def literal_output(layer, points, query):
    """The sum over heads of V sum_i w_i x_i, w the softmax of <K^T x_i, Q^T y> / sqrt(r)."""
    total = np.zeros(len(query))
    for keys, queries, value in zip(*layer, strict=True):
        scores = []
        for point in points:
            scores.append((keys.T @ point) @ (queries.T @ query) / math.sqrt(keys.shape[1]))
        exponentials = [math.exp(score) for score in scores]
        mixed = np.zeros(len(query))
        for exponential, point in zip(exponentials, points, strict=True):
            mixed += exponential / sum(exponentials) * point
        total += value @ mixed
    return total


def layer_and_points(d, rank, heads, points):
    rng = stream(1, "test", f"{d},{rank},{heads},{points}")
    layer = initial_layer(rng, d, rank, heads, np.float64)
    x, y, target = (rng.standard_normal(shape) for shape in ((6, points, d), (6, d), (6, d)))
    return layer, x, y, target


@given(points=st.sampled_from([1, 2, 5]), case=st.sampled_from(SIZES))
def test_outputs_and_errors_are_the_literal_ones(case, points):
    d, rank, heads = case
    layer, x, y, target = layer_and_points(d, rank, heads, points)
    wanted = np.array([literal_output(layer, *pair) for pair in zip(x, y, strict=True)])
    assert np.allclose(outputs(layer, x, y), wanted, rtol=0, atol=1e-13)
    error, _ = error_and_gradient(layer, x, y, target)
    assert error == pytest.approx(((wanted - target) ** 2).sum(axis=1).mean(), rel=1e-13)


@given(points=st.sampled_from([2, 3]), case=st.sampled_from(SIZES))
def test_derivatives_are_those_of_differences(case, points):
    """Central differences of steps of 1e-5 are off by about 1e-10."""
    d, rank, heads = case
    layer, x, y, target = layer_and_points(d, rank, heads, points)
    _, gradient = error_and_gradient(layer, x, y, target)
    for array, derivative in zip(layer, gradient, strict=True):
        assert derivative.shape == array.shape
        for index in np.ndindex(array.shape):
            at, errors = array[index], []
            for moved in (at + 1e-5, at - 1e-5):
                array[index] = moved
                errors.append(error_and_gradient(layer, x, y, target)[0])
            array[index] = at
            assert derivative[index] == pytest.approx(
                (errors[0] - errors[1]) / 2e-5, rel=1e-6, abs=1e-8
            )


def test_batches_are_of_orthogonal_points_with_the_nearest_one():
    x, y, target = new_batch(stream(1, "test"), 50, 6, np.float64)
    for points, query, wanted in zip(x, y, target, strict=True):
        assert np.allclose(points @ points.T, np.eye(2))
        distances = np.linalg.norm(points - query, axis=1)
        assert np.array_equal(points[distances.argmin()], wanted)


def test_rates_rise_and_fall():
    assert [learning_rate(step, 100, 0.5) for step in (0, 9, 10)] == [0.05, 0.5, 0.5]
    assert learning_rate(55, 100, 0.5) == pytest.approx(0.25)
    assert 0 < learning_rate(99, 100, 0.5) < 0.001
    # Of few steps the first has the highest rate already.
    assert learning_rate(0, 3, 0.5) == 0.5


def test_the_best_constant_maps_are_learned_first_and_a_full_rank_head_beyond_the_bound_of_lower():
    """Heads with equal weights and V = I / H have error 1/2. At d = 4 no head of rank 1 is below
    its bound, one of full rank comes below it."""
    start = initial_layer(stream(1, "test", "initial"), 4, 4, 1)
    constant = Layer(0 * start.keys, start.queries, np.eye(4, dtype=np.float32)[None])
    assert errors_on_new_sets(stream(1, "test"), constant, 5000).mean() == pytest.approx(
        0.5, abs=1e-6
    )
    layer = trained_layer(stream(1, "test", "data"), start, steps=600, batch=128, highest_rate=0.05)
    errors = errors_on_new_sets(stream(1, "test", "held-out"), layer, 5000)
    assert errors.mean() < float(bound(4, 1, 1, any_value=True)) - 0.05
    # What it was given is left as it was.
    again = initial_layer(stream(1, "test", "initial"), 4, 4, 1)
    assert all(map(np.array_equal, start, again))


def test_the_table_has_every_budget_rate_and_run_beside_its_bound():
    job = LayersJob(
        dimensions=[3, 4], rates=[0.01, 0.1], runs=2, steps=5, batch=8, held_out=40, seed=1
    )
    rows = list(layers_table.layer_rows(job))
    sizes = {(row["d"], row["rank"], row["heads"]) for row in rows}
    assert sizes == {
        (d, rank, heads) for d in (3, 4) for rank in ranks_of_dimension(d)
        for heads in heads_by_budget(d, rank).values()
    }  # fmt: skip
    assert len(rows) == 4 * len(sizes)
    for row in rows:
        wanted = bound(row["d"], row["rank"], row["heads"], any_value=True)
        assert row["bound_any_value"] == pytest.approx(float(wanted))
        assert row["ci_low"] < row["error"] < row["ci_high"]
    # Runs at two rates start alike, and learn differently; so do two runs at one.
    assert len({row["error"] for row in rows}) == len(rows)
    assert list(layers_table.layer_rows(job)) == rows


def test_layers_are_trained_at_every_scale():
    for scale in ("smoke", "desk", "crossing", "paper"):
        assert "rank_layers" in head_rank(scale=scale).results


@pytest.mark.parametrize("count", [1, SETS_TOGETHER, SETS_TOGETHER + 3])
def test_there_is_an_error_for_each_new_set(count):
    rng = stream(1, "errors")
    assert errors_on_new_sets(rng, initial_layer(rng, 4, 1, 2), count).shape == (count,)
