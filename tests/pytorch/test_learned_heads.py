"""What heads of a trained network have learned, and the error of its attention alone."""

import math

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from training_jobs import small, train_small

from attention_separation.statistics.seeding import stream
from attention_separation.studies.head_rank.constructions.farthest_point import simulated_errors
from attention_separation.studies.head_rank.training.train_cell import (
    AffineFit,
    Transformers,
    mapped_inputs,
)
from attention_separation.studies.head_rank.training.transformer import layers_of, learned_heads


def test_learned_heads_of_known_matrices():
    job = small(layers=2, heads=1, width=1, d=4, seeds=[0])
    tensors = Transformers(job).tensors
    layers = layers_of(tensors)
    turned = torch.tensor([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]])
    skewed = torch.tensor([[1.0, 2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    with torch.no_grad():
        for layer, q, k in (
            (layers[0], -6 * torch.eye(4), torch.eye(4)),
            (layers[1], skewed, skewed @ turned),
        ):
            layer.attend_in[0, :4], layer.attend_in[0, 4:8] = q, k
    (found,) = learned_heads(job, tensors)
    assert found["head_layer"] == [1, 2]
    assert found["angle"][0] == found["angle_code"][0] == 180
    assert found["norm"][0] == found["norm_code"][0] == 6
    assert found["scale"][0] == -3
    # The score matrix is q'k, the code's q k': equal traces, other norms.
    score_matrix, code = (
        (skewed.T @ skewed @ turned).numpy(),
        (skewed @ (skewed @ turned).T).numpy(),
    )
    assert found["norm"][1] == pytest.approx(np.linalg.norm(score_matrix) / 2)
    assert found["norm_code"][1] == pytest.approx(np.linalg.norm(code) / 2)
    assert abs(found["norm"][1] - found["norm_code"][1]) > 0.1
    cosine = np.trace(score_matrix) / (np.linalg.norm(score_matrix) * 2)
    assert found["angle"][1] == pytest.approx(np.degrees(np.arccos(cosine)))
    empty = learned_heads(small(), Transformers(small()).tensors)
    assert all(row["angle"] == [] for row in empty)


def test_value_maps_of_known_matrices():
    job = small(layers=1, heads=1, width=2, d=4, seeds=[0])
    tensors = Transformers(job).tensors
    (layer,) = layers_of(tensors)
    turned = torch.tensor([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]])
    maps = torch.stack([3 * torch.eye(4), 5 * turned])
    outer = torch.tensor([[2.0, 1, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])
    with torch.no_grad():
        # Values are the last third of the inner rows, head after head.
        layer.attend_in[0, 16:] = torch.linalg.solve(outer, maps).reshape(8, 4)
        layer.attend_out[0] = outer.repeat(1, 2)
    (found,) = learned_heads(job, tensors)
    # Half of each map: the two modules are averaged.
    assert found["norm_value"] == pytest.approx([1.5, 2.5])
    assert found["angle_value"] == pytest.approx([0, 90], abs=1e-3)


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_best_maps_are_those_of_least_squares_on_all_rows(parts):
    """Held to the pseudo-inverse of a literal list of rows, one per set and point."""
    generator = stream(1, "test")
    x, noise = (generator.standard_normal((2, 3, 4, 70)) for _ in range(2))
    mixing = generator.standard_normal((2, 2, 3))
    y = np.einsum("rdi,rinb->rdnb", mixing, x) + 2.0 + 0.1 * noise[:, :2]
    fit = AffineFit(2)
    for inputs, targets in zip(np.split(x, parts, 3), np.split(y, parts, 3), strict=True):
        fit.add(inputs, targets)
    maps = fit.best_maps(3)
    for run in range(2):
        rows, wanted = [], []
        for b in range(70):
            for i in range(4):
                rows.append([*x[run, :, i, b], 1.0])
                wanted.append(y[run, :, i, b])
        best = np.linalg.pinv(np.array(rows)) @ np.array(wanted)
        assert np.allclose(maps[run], best.T, rtol=0, atol=1e-12)
        mapped = mapped_inputs(maps, x)[run]
        for row, place in zip(rows, np.ndindex(70, 4), strict=True):
            assert np.allclose(mapped[:, place[1], place[0]], row @ best, atol=1e-12)
    x[1, 0, 0, 0] = math.nan
    fit.add(x, y)
    assert np.isfinite(fit.best_maps(3)[0]).all()
    assert np.isnan(fit.best_maps(3)[1]).all()


def test_maps_of_inputs_that_depend_on_each_other_are_the_smallest():
    x = stream(1, "test").standard_normal((1, 1, 3, 20))
    fit = AffineFit(1)
    fit.add(np.concatenate([x, x], axis=1), 4 * x)
    assert np.allclose(fit.best_maps(2), [[[2, 2, 0]]], atol=1e-12)


def test_attention_is_scored_on_the_sets_that_its_map_was_not_fitted_to():
    """With as many numbers in the map as rows to fit, the other sets have a larger error."""
    job = small(layers=1, heads=1, width=1, seeds=[0], d=4, n=3, held_out=4)
    (error,), _ = Transformers(job, dtype=torch.float64).attention_score()
    more = job.model_copy(update={"held_out": 4000})
    (of_many,), (se,) = Transformers(more, dtype=torch.float64).attention_score()
    assert error > of_many + 5 * se


def test_the_attention_of_fact_1s_head_alone_has_its_error():
    """Whatever a value map that can be undone makes of the points, and an MLP of its output."""
    job = small(d=4, n=3, layers=1, heads=1, width=1, seeds=[0], held_out=8192)
    ensemble = Transformers(job)
    (layer,) = layers_of(ensemble.tensors)
    c = 10.0
    with torch.no_grad():
        layer.attend_in[0, :4], layer.attend_in[0, 4:8] = (
            -c * job.rank**0.5 * torch.eye(4),
            torch.eye(4),
        )
    ((wanted, wanted_se),) = simulated_errors(4, 3, [c], seed=1)
    (error,), (se,) = ensemble.attention_score()
    # The best multiple of its output may be a little better than V = I: at c = 10, by 0.003.
    assert error < wanted + 4 * (se**2 + wanted_se**2) ** 0.5
    assert error > wanted - 0.01 - 4 * (se**2 + wanted_se**2) ** 0.5
    assert ensemble.score()[0][0] > 2 * error


@pytest.mark.parametrize("layers", [1, 2])
def test_the_attention_alone_is_scored_of_one_layer_only(tmp_path, layers):
    """Behind another layer an affine map would not be the best that follows it."""
    path = tmp_path / "cell.parquet"
    assert train_small(path, layers=layers, steps=100, held_out=100) == 0
    errors = pq.read_table(path)["attention_error"].to_pylist()
    assert [error is not None for error in errors] == [layers == 1] * 3
