"""Batches, schedules, the optimizer, and what one run of an ensemble owes the others."""

import math
import random
from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from making import head_rank
from resuming import CHECKPOINT_EVERY, assert_resumed_alike
from training_jobs import small, train_small

from attention_separation.statistics.seeding import stream
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.head_rank.settings import cells
from attention_separation.studies.head_rank.training import train_cell
from attention_separation.studies.head_rank.training.train_cell import (
    Batches,
    Transformers,
    farthest_points,
    held_out_sets,
    learning_rate,
    uniform_points,
)
from attention_separation.training.ensemble import Adam


def drawn(job, steps):
    batches = Batches(job)
    return [batches(step).copy() for step in range(steps)]


def distinct(arrays) -> int:
    return len({array.tobytes() for array in arrays})


def test_fresh_batches_never_come_back_and_repeated_ones_in_every_epoch():
    fresh = drawn(small(), 300)
    assert distinct(run for batch in fresh for run in batch) == 900
    repeated = drawn(small(regime="repeated"), 300)
    assert distinct(run for batch in repeated for run in batch) == 300
    assert all(np.array_equal(repeated[k], repeated[k + 100]) for k in range(200))
    ten = drawn(small(regime="repeated", batches=10), 30)
    assert distinct(run for batch in ten for run in batch) == 30
    assert all(np.array_equal(ten[k], repeated[k % 10]) for k in range(30))
    (held,) = held_out_sets(small())
    assert held.shape == (3, 4, 3, 64)
    seen = [tuple(row) for batch in fresh for row in np.moveaxis(batch, 1, -1).reshape(-1, 4)]
    assert not set(seen) & {tuple(row) for row in np.moveaxis(held, 1, -1).reshape(-1, 4)}


@pytest.mark.parametrize("regime", ["fresh", "repeated"])
def test_batches_kept_on_a_gpu_are_those_drawn_on_a_cpu(regime):
    job = small(regime=regime)
    drawn_each_time = Transformers(job)
    kept = Transformers(job)
    # Where batches are kept follows from the device; the numbers are on the CPU in both.
    kept.device = "cuda"
    for step in (0, 1, 99, 100, 101, 57, 257, 1):
        assert torch.equal(kept.batch(step), drawn_each_time.batch(step))
    addresses = {kept.batch(step).data_ptr() for step in (3, 203, 103)}
    assert (len(addresses) == 1) == (regime == "repeated")


def test_a_batch_depends_on_its_run_and_step_alone():
    whole = drawn(small(), 30)
    assert np.array_equal(Batches(small(steps=400))(25), whole[25])
    assert np.array_equal(Batches(small(seeds=[1], layers=1))(25)[0], whole[25][1])


@pytest.mark.parametrize("regime", ["fresh", "repeated"])
def test_batches_drawn_ahead_are_the_same(regime):
    job = small(regime=regime)
    ahead = Batches(job, ahead=True)
    # As when training goes on from a checkpoint, and then a step far from the one drawn ahead.
    for step in [*range(95, 215), 30, 31]:
        assert np.array_equal(ahead(step), Batches(job)(step))


def test_points_are_uniform_on_the_sphere():
    x = uniform_points(stream(1, "test"), 3, 50, 1000).astype(float).reshape(3, -1)
    assert np.allclose((x**2).sum(0), 1, atol=1e-6)
    # One coordinate is uniform on [-1, 1] in R^3; 50000 values, five standard errors.
    assert abs(x[0].mean()) < 5 / (3 * 50_000) ** 0.5
    counts = np.histogram(x[2], bins=10, range=(-1, 1))[0]
    assert np.abs(counts - 5000).max() < 5 * 5000**0.5


def test_the_target_is_the_point_with_the_least_inner_product():
    for n, d in ((3, 4), (20, 6)):
        x = torch.from_numpy(uniform_points(stream(1, "test"), 2, d, n, 5))
        found = farthest_points(x)
        for run, i, b in np.ndindex(2, n, 5):
            others = x[run, :, :, b]
            nearest = torch.argmax(torch.linalg.vector_norm(others - others[:, i : i + 1], dim=0))
            assert torch.equal(found[run, :, i, b], others[:, nearest])


def test_predicting_zero_scores_one(monkeypatch):
    monkeypatch.setattr(train_cell, "transformer", lambda job, tensors, x: torch.zeros_like(x))
    mean, error = Transformers(small()).score(blocks=1)
    assert np.allclose(mean, 1, atol=1e-6)
    assert np.allclose(error, 0, atol=1e-6)


def test_an_error_is_summed_over_coordinates_and_averaged_over_points(monkeypatch):
    """All outputs are right but one, which is 0 in place of a unit vector."""

    def nearly_right(job, tensors, x):
        outputs = farthest_points(x)
        outputs[1, :, 2, 5] = 0
        return outputs

    monkeypatch.setattr(train_cell, "transformer", nearly_right)
    job = small()
    network = Transformers(job)
    errors = network.errors(network.batch(0))
    wanted = torch.zeros(len(job.seeds), job.batch)
    wanted[1, 5] = 1 / job.n
    torch.testing.assert_close(errors, wanted)


@pytest.mark.parametrize(
    ("settings", "step", "share"),
    [
        ({"steps": 1000}, 0, 1 / 100),
        ({"steps": 1000}, 99, 1.0),
        ({"steps": 1000}, 550, 0.5),
        ({"steps": 1000}, 999, (1 + math.cos(math.pi * 899 / 900)) / 2),
        ({"steps": 1000, "warm_up": 0.5}, 0, 1 / 500),
        ({"steps": 1000, "warm_up": 0.5}, 499, 1.0),
        # 0.29 of 100 is a little less than 29 in floating point.
        ({"steps": 100, "warm_up": 0.29}, 27, 28 / 29),
        ({"steps": 100, "warm_up": 0.29}, 28, 1.0),
        # Few epochs have no warm-up.
        ({"steps": 1900, "schedule": "per_epoch"}, 0, 1.0),
        # A warm-up of one epoch begins at 0.
        ({"steps": 2000, "schedule": "per_epoch"}, 0, 0.0),
        ({"steps": 2000, "schedule": "per_epoch"}, 100, 1.0),
    ],
)
def test_learning_rates(settings, step, share):
    assert learning_rate(small(lr=0.02, **settings), step) == pytest.approx(0.02 * share, rel=1e-14)


def test_the_published_learning_rates():
    repeated = small(steps=8000, lr=0.03, schedule="per_epoch")
    of_epochs = [learning_rate(repeated, 100 * epoch) for epoch in range(80)]
    assert of_epochs[:5] == pytest.approx([0, 0.01, 0.02, 0.03, 0.03], abs=1e-15)
    assert of_epochs[42] == pytest.approx(0.015)
    assert all(learning_rate(repeated, 100 * k + 99) == value for k, value in enumerate(of_epochs))
    # The cosine is torch's own.
    one = torch.nn.Parameter(torch.zeros(1))
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(torch.optim.SGD([one], lr=0.03), 76)
    for epoch in range(4, 80):
        assert of_epochs[epoch] == pytest.approx(cosine.get_last_lr()[0], abs=1e-12)
        cosine.optimizer.step()
        cosine.step()


D_8 = {"d": 8, "n": 4, "heads": 1, "width": 1, "layers": 1, "seeds": [0, 1]}


@pytest.mark.parametrize("regime", ["fresh", "repeated"])
@pytest.mark.parametrize("schedule", ["per_step", "per_epoch"])
def test_a_run_that_stops_early_is_the_beginning_of_the_whole_one(regime, schedule):
    recipe = D_8 | {"regime": regime, "schedule": schedule, "encoding": "additive"}
    whole = Transformers(small(**recipe, steps=4000))
    part = Transformers(small(**recipe, steps=4000, stop_after=200))
    part.train()
    while whole.step < 200:
        whole.advance(whole.batch(whole.step))
    assert part.step == 200
    assert torch.equal(part.optimizer.vector, whole.optimizer.vector)
    assert part.history["train"] == whole.history["train"]
    for row in part.table().to_pylist():
        assert row["curve_step"] == [100, 200]
        assert (row["steps"], row["stop_after"]) == (4000, 200)
        assert row["train_error"] == row["curve_train"][-1]


def test_the_least_training_loss_is_of_all_epochs_and_a_curve_of_some():
    job = small(**D_8, steps=5200)
    ensemble = Transformers(job)
    losses = [[1.0 + abs(epoch - 9), 0.5] for epoch in range(1, 53)]
    ensemble.history |= {"train": losses, "test": [[0.25, 0.25]] * 18}
    first, _ = ensemble.table().to_pylist()
    assert first["min_train"] == 1.0
    assert first["curve_step"] == [100 * epoch for epoch in range(1, 53, 3)]
    assert first["curve_train"] == [losses[epoch][0] for epoch in range(0, 52, 3)]


def test_the_crossing_has_both_batches_under_both_warm_ups():
    study = head_rank(scale="crossing")
    rates = {}
    for job in study.cells["crossing"].values():
        assert not job.batches
        arm = job.encoding, job.layers, job.regime
        rises = [learning_rate(job, step) for step in (0, 999, 1000, 3999, 9900)]
        rates.setdefault(job.run_steps, {}).setdefault(arm, []).append(rises)
    assert rates.keys() == {4000, 20_000}
    assert len(rates[4000]) == 8
    published = [0.0, 0.005 * 9 / 99, 0.005 * 10 / 99, 0.005 * 39 / 99, 0.005]
    for fast, slow in rates[4000].values():
        assert fast[:2] == [0.005 / 1000, 0.005]
        assert slow == pytest.approx(published)
    # Past the published warm-up, and under it alone.
    for (slow,) in rates[20_000].values():
        assert slow == pytest.approx(published)


def test_runs_of_one_start_differ_by_their_batches_alone():
    apart, together = (Transformers(small(one_start=start)) for start in (None, True))
    assert not torch.equal(apart.tensors[0][0], apart.tensors[0][1])
    for own, first in zip(together.tensors, apart.tensors, strict=True):
        assert all(torch.equal(run, first[0]) for run in own)
    assert np.array_equal(together.batches(3), apart.batches(3))
    assert distinct(together.batches(3)) == 3


def test_data_and_schedule_are_settings_of_their_own():
    for regime in ("fresh", "repeated"):
        jobs = [
            small(regime=regime, schedule=each, steps=4000) for each in ("per_step", "per_epoch")
        ]
        assert [learning_rate(job, 199) for job in jobs] == pytest.approx([0.01 * 200 / 400, 0.01])
        first, second = (Batches(job)(150) for job in jobs)
        assert np.array_equal(first, second)


@pytest.mark.parametrize("encoding", ["none", "additive"])
def test_a_run_of_an_ensemble_is_the_same_run_alone(encoding):
    def after(seeds, dtype):
        ensemble = Transformers(small(seeds=seeds, encoding=encoding), dtype=dtype)
        for step in range(20):
            ensemble.advance(ensemble.batch(step))
        return ensemble.tensors

    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-4)):
        together = after([0, 1, 2], dtype)
        for run in range(3):
            for one, of_all in zip(after([run], dtype), together, strict=True):
                torch.testing.assert_close(of_all[run], one[0], rtol=0, atol=tolerance)


def test_a_run_that_breaks_leaves_the_others_alone():
    whole, broken = Transformers(small()), Transformers(small())
    with torch.no_grad():
        broken.tensors[0][1] = math.nan
    for step in range(5):
        for ensemble in (whole, broken):
            ensemble.advance(ensemble.batch(step))
    for one, other in zip(whole.tensors, broken.tensors, strict=True):
        assert torch.equal(one[[0, 2]], other[[0, 2]])
    assert broken.tensors[0][1].isnan().all()
    errors = broken.errors(broken.batch(5))
    assert errors.isnan().any(1).tolist() == [False, True, False]


@pytest.mark.parametrize("regime", ["fresh", "repeated"])
def test_resumed_training_gives_the_same_bytes(tmp_path, regime, capsys):
    run = partial(train_small, regime=regime, checkpoint_every=CHECKPOINT_EVERY)
    drawn_steps = random.Random(f"{regime}{tmp_path.name}")
    kills = sorted(drawn_steps.randrange(60, 190) for _ in range(2))
    assert_resumed_alike(run, tmp_path, (Transformers, "batch"), kills, capsys)


def test_the_table_says_what_was_trained(tmp_path):
    path = tmp_path / "cell.parquet"
    assert train_small(path, layers=1, heads=1, regime="repeated", held_out=1500) == 0
    table = pq.read_table(path)
    assert {b"name", b"settings", b"code", b"versions", b"seed", b"torch", b"device"} == set(
        table.schema.metadata
    )
    rows = table.to_pylist()
    assert [row["run"] for row in rows] == [0, 1, 2]
    for row in rows:
        assert row["curve_step"] == [100, 200]
        assert row["train_error"] == row["curve_train"][-1]
        assert row["min_train"] == min(row["curve_train"])
        assert row["test_error"] == pytest.approx(row["curve_test"][-1], abs=0.1)
        assert 0 < row["test_se"] < 0.05
        assert row["dead"] == (row["train_error"] > 0.98 * least_error(4, 3))
        assert row["head_layer"] == [1, 1]
        assert len(row["angle"]) == len(row["norm"]) == len(row["scale"]) == 2
    streams = {row[f"{kind}_stream"] for row in rows for kind in ("initial", "data", "held_out")}
    assert len(streams) == 9


def test_dead_runs_are_reported(tmp_path, monkeypatch):
    path = tmp_path / "cell.parquet"

    class Broken(Transformers):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            with torch.no_grad():
                self.tensors[0][1] = math.nan

    monkeypatch.setattr(train_cell, "Transformers", Broken)
    monkeypatch.setattr(train_cell, "farthest_points", lambda x: _zero_last_run(x))
    assert train_small(path) == 0
    rows = pq.read_table(path).to_pylist()
    assert [row["dead"] for row in rows] == [False, True, True]
    assert rows[1]["test_error"] is rows[1]["train_error"] is rows[1]["min_train"] is None
    assert rows[1]["curve_train"] == [None, None]
    assert rows[2]["train_error"] > 0.98


def _zero_last_run(x):
    """Targets that runs 0 and 1 can learn; those of run 2 are noise."""
    wanted = x.clone()
    noise = torch.Generator().manual_seed(int(x.abs().sum()))
    wanted[2] = torch.randn(x[2].shape, generator=noise) * 0.6
    return wanted


@pytest.mark.parametrize(
    ("limit", "of_a_set"),
    [
        ("MOST_ACTIVATIONS", lambda job: job.activations() * len(job.seeds)),
        ("MOST_HIDDEN", lambda job: job.n * job.feed_forward),
    ],
)
def test_a_batch_in_parts_is_the_same_step(limit, of_a_set, monkeypatch):
    job = small(steps=100)
    steps = []
    for most in (getattr(cells, limit), 3 * of_a_set(job)):
        monkeypatch.setattr(cells, limit, most)
        ensemble = Transformers(job, dtype=torch.float64)
        ensemble.advance(ensemble.batch(0))
        moment, epoch_sum = ensemble.optimizer.first, ensemble.running["epoch_sum"]
        steps.append((job.sets_at_once(), moment, epoch_sum))
    (whole, moment, loss), (parts, moment_of_parts, loss_of_parts) = steps
    assert (whole, parts) == (job.batch, 3)
    torch.testing.assert_close(moment_of_parts, moment, rtol=1e-12, atol=1e-15)
    torch.testing.assert_close(loss_of_parts, loss)


@pytest.mark.parametrize("betas", [(0.9, 0.95), (0.9, 0.99)])
def test_the_optimizer_is_adamw_without_decay(betas):
    generator = torch.Generator().manual_seed(2)
    theirs = torch.nn.Parameter(torch.randn(50, generator=generator, dtype=torch.float64))
    ours = theirs.detach().clone()
    reference = torch.optim.AdamW([theirs], lr=0.01, betas=betas, eps=1e-8, weight_decay=0)
    optimizer = Adam(ours, betas)
    for step in range(1, 30):
        theirs.grad = torch.randn(50, generator=generator, dtype=torch.float64)
        reference.step()
        optimizer.begin_step(0.01, step)
        optimizer.step(theirs.grad)
    torch.testing.assert_close(ours, theirs.detach(), rtol=0, atol=1e-13)


def test_a_step_on_a_gpu_finds_what_is_its_own_in_tensors():
    """The rate and what makes up for means that began at 0, of every step, where they were."""
    job = small(steps=4000, schedule="per_epoch", seeds=[0])
    ensemble = Transformers(job)
    optimizer = ensemble.optimizer
    places = set()
    ensemble._move = lambda batch: places.add(optimizer._factor.data_ptr())
    for number in range(1, 402):
        ensemble.advance(torch.empty(0))
        lr = learning_rate(job, number - 1)
        assert optimizer._factor == torch.tensor(-lr / (1 - 0.9**number))
        assert optimizer._root_of_weights == torch.tensor((1 - 0.95**number) ** 0.5)
    assert len(places) == 1
    assert lr > 0
