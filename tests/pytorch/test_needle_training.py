"""Training of the needle's networks: what runs owe each other, resuming, and that it learns."""

import random
from functools import partial

import pyarrow.parquet as pq
import pytest
import torch
from needle_cells import small
from resuming import CHECKPOINT_EVERY, assert_resumed_alike

from attention_separation.__main__ import run_job
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.studies.needle.settings.cells import NeedleCell
from attention_separation.studies.needle.training import train_cell
from attention_separation.studies.needle.training.batches import held_out
from attention_separation.studies.needle.training.train_cell import NeedleNetworks, rate
from attention_separation.training.ensemble import Adam

MAPS = [
    ("query_given", "exp", "sum", None),
    ("query_given", "elu_plus_one", "sum", 3),
    ("query_learned", "linear", "n", None),
    ("query_learned", "elu_plus_one", "sum", 3),
    ("self_attention", "linear", "n", None),
    ("self_attention", None, "sum", None),
]


def doubled(batch):
    return type(batch)(*(each.double() if each.is_floating_point() else each for each in batch))


@pytest.mark.parametrize(("arm", "kernel", "divided_by", "features"), MAPS)
def test_an_ensemble_of_three_is_three_single_runs(arm, kernel, divided_by, features):
    def after(seeds):
        job = small(kernel, divided_by, features, arm=arm, seeds=seeds)
        ensemble = NeedleNetworks(job, kernel and kernel_named(kernel), torch.float64)
        for step in range(12):
            ensemble.advance(doubled(ensemble.batch(step)))
        return ensemble

    together = after([0, 1, 2])
    for run in range(3):
        alone = after([run])
        for name in ("vector", "first"):
            found, wanted = (getattr(each.optimizer, name) for each in (together, alone))
            torch.testing.assert_close(found[run], wanted[0], rtol=0, atol=1e-10)
        means = together.running["mean"][run], alone.running["mean"][0]
        torch.testing.assert_close(*means, rtol=0, atol=1e-10)
    assert not torch.equal(together.optimizer.vector[0], together.optimizer.vector[1])


def test_the_rate():
    job = small(steps=100, lr=0.02)
    assert rate(job, 0) == pytest.approx(0.02 / 50)
    assert rate(job, 49) == pytest.approx(0.02 * (1 - 0.49) ** 0.5)
    assert rate(job, 99) == pytest.approx(0.02 * 0.1)


def test_long_gradients_are_shortened_run_by_run(monkeypatch):
    steps = []
    monkeypatch.setattr(Adam, "step", lambda self, g: steps.append(g))
    ensemble = NeedleNetworks(small(steps=10), kernel_named("exp"))
    with torch.no_grad():
        ensemble.parameters["output"][0].mul_(1000)
    ensemble.advance(ensemble.batch(0))
    norms = torch.linalg.vector_norm(steps[0], dim=1)
    assert norms[0].item() == pytest.approx(1, rel=1e-5)
    monkeypatch.setattr(train_cell, "MOST_NORM", 1e9)
    ensemble.advance(ensemble.batch(0))
    assert torch.linalg.vector_norm(steps[1], dim=1)[0] > 2
    for run in (1, 2):
        if norms[run] < 0.999:
            torch.testing.assert_close(steps[0][run], steps[1][run])


@pytest.mark.parametrize("arm", ["query_given", "query_learned", "self_attention"])
def test_outputs_are_standardised_run_by_run(arm):
    job = small(arm=arm, batch=64)
    ensemble = NeedleNetworks(job, kernel_named("exp"))
    seen = []
    read = ensemble.network.read
    ensemble.network.read = lambda parameters, numbers: (
        seen.append(numbers),
        read(parameters, numbers),
    )[1]
    ensemble.logits(ensemble.batch(0), is_training=True)
    (numbers,) = seen
    axes = tuple(range(2, numbers.dim()))
    variance, mean = torch.var_mean(numbers, axes, correction=0)
    torch.testing.assert_close(mean, torch.zeros_like(mean), rtol=0, atol=1e-4)
    torch.testing.assert_close(variance, torch.ones_like(variance), rtol=0, atol=1e-3)
    # What held-out sequences are standardised by has moved a tenth of the way.
    assert ensemble.running["mean"].any()
    plain = NeedleNetworks(small(arm=arm, batch=64, standardise=False), kernel_named("exp"))
    plain.logits(plain.batch(0), is_training=True)


def test_held_out_sequences_come_in_blocks_of_which_the_last_is_shorter():
    job = small(held_out=1203)
    sizes = [len(batch.labels) for batch in held_out(job)]
    assert sizes == [500, 500, 203]


def train_small(path, checkpoint=None, **changes) -> int:
    job = small(**changes).canonical()
    more = ["--checkpoint", str(checkpoint)] if checkpoint else []
    return run_job(
        "studies.needle.training.train_cell", "--settings", job, "--output", str(path), *more
    )


@pytest.mark.parametrize("arm", ["query_given", "query_learned", "self_attention"])
def test_resumed_training_gives_the_same_bytes(tmp_path, arm, capsys):
    run = partial(train_small, arm=arm, checkpoint_every=CHECKPOINT_EVERY, steps=100)
    last = random.Random(f"{arm}{tmp_path.name}").randrange(8, 98)
    assert_resumed_alike(run, tmp_path, (train_cell, "batch_at"), [last], capsys)


def test_the_table_says_what_was_trained(tmp_path):
    path = tmp_path / "cell.parquet"
    assert train_small(path, kernel="elu_plus_one", features=3, held_out=600) == 0
    table = pq.read_table(path)
    metadata = {b"name", b"settings", b"code", b"versions", b"seed", b"torch", b"device"}
    assert {*table.schema.metadata} == metadata
    rows = table.to_pylist()
    assert [row["run"] for row in rows] == [0, 1, 2]
    for row in rows:
        assert row["accuracy"] == row["correct"] / 600
        assert (row["kernel"], row["features"], row["d"]) == ("elu_plus_one", 3, 8)
        # W_q and W_k of 3 x 8 each, the shift, 8 neurons with biases, and the output.
        assert row["parameters"] == 2 * 24 + 1 + 16 + 8 + 1
        assert row["train_loss"] > 0


def test_training_learns_what_the_kernel_can():
    """A needle that stands out far: softmax finds it, uniform weights do not. The bounds of the
    accuracies are 0.993 and 0.61 (n = 32, mu = 6 and the mean of 32 tokens), so 0.9 and 0.75 are
    more than ten standard errors of 1000 sequences off."""
    found = {}
    for kernel in ("exp", "uniform"):
        job = small(kernel, n=32, mu=6.0, batch=64, steps=300, held_out=1000, seeds=[0, 1])
        ensemble = NeedleNetworks(job, kernel_named(kernel))
        ensemble.train()
        found[kernel] = [correct / 1000 for correct in ensemble.count_correct()]
    assert min(found["exp"]) > 0.9
    assert max(found["uniform"]) < 0.78


def test_an_own_kernel_is_trained_as_the_built_in_one_of_its_formula(tmp_path):
    """At the same values of the weights: to the last bits of float32 in 20 steps."""
    own, built_in = tmp_path / "own", tmp_path / "built-in"
    settings = {"map": {"kernel": "mine"}, "own": {"score": "1 + x + x**2/2"}, "held_out": 2000}
    job = small(held_out=2000).model_dump() | settings
    text = NeedleCell.model_validate(job).canonical()
    assert (
        run_job("studies.needle.training.train_cell", "--settings", text, "--output", str(own)) == 0
    )
    assert train_small(built_in, kernel="taylor_2", held_out=2000) == 0
    rows, wanted = (pq.read_table(path).to_pylist() for path in (own, built_in))
    assert [row["kernel"] for row in rows] == ["mine"] * 3
    for row, like in zip(rows, wanted, strict=True):
        assert row["train_loss"] == pytest.approx(like["train_loss"], abs=1e-4)
        assert abs(row["correct"] - like["correct"]) <= 20
