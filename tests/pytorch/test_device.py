"""Training on the device that PyTorch finds; `make test-cuda` expects a GPU, and resumes there.

On a CPU, which captures nothing, steps that are to be captured are gone through as before a capture
and then launched.
"""

import contextlib
import itertools
import os
from typing import NamedTuple

import needle_cells
import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from training_jobs import small, train_small

from attention_separation.attention.kernel_names import kernel_named
from attention_separation.studies.head_rank.training.train_cell import Transformers
from attention_separation.studies.needle.training.train_cell import NeedleNetworks
from attention_separation.training import captured_step
from attention_separation.training.captured_step import CapturedStep
from attention_separation.training.ensemble import compute_exactly
from attention_separation.training.job import device_kind

DEVICE = os.environ.get("TEST_DEVICE", device_kind())
STEPS = {"cpu": 30, "cuda": 500}[DEVICE]
"""Captured ones that are held to launched ones."""

LEARNT = {"steps": 400, "layers": 2, "seeds": list(range(8)), "held_out": 512}


def test_the_device_is_the_one_that_is_there(tmp_path, capsys):
    assert device_kind() == DEVICE, f"PyTorch {torch.__version__} finds no {DEVICE} here"
    assert train_small(tmp_path / "cell.parquet") == 0
    assert pq.read_schema(tmp_path / "cell.parquet").metadata[b"device"] == DEVICE.encode()
    assert f"on {DEVICE}" in capsys.readouterr().err


CURVES = list(itertools.product(["none", "additive", "concatenated"], ["fresh", "repeated"]))
if DEVICE == "cpu":
    CURVES = [CURVES[0], CURVES[3], CURVES[4]]
"""Position vectors and batches; on a CPU each of them once."""


@pytest.mark.parametrize(("encoding", "regime"), CURVES)
def test_loss_curves_agree_with_those_of_a_cpu_in_double_precision(encoding, regime):
    """The first epoch run by run, whose steps have not yet spread rounding errors; all epochs in
    the mean of the runs, to their spread over seeds."""
    rows = {"d_e": 4} if encoding == "concatenated" else {}
    job = small(regime=regime, encoding=encoding, **LEARNT, **rows)
    ensembles = Transformers(job, DEVICE), Transformers(job, "cpu", torch.float64)
    for each in ensembles:
        each.train()
    here, judge = (np.array(each.history["train"]) for each in ensembles)
    assert here[0] == pytest.approx(judge[0], rel=1e-3)
    spread = judge.std(1, ddof=1)
    assert spread.min() > 0
    assert (np.abs(here.mean(1) - judge.mean(1)) <= spread).all()
    assert (judge[-1] < judge[0]).all()


@pytest.fixture(autouse=True)
def _captures_on_a_cpu(monkeypatch):
    """Where there is no GPU: the steps before a capture, and none."""
    if DEVICE == "cuda":
        return

    def gone_through(step, batch, stream):
        for _ in range(captured_step.WARM_UP_STEPS):
            step(batch)
        return False

    monkeypatch.setattr(captured_step, "can_be_captured", gone_through)
    monkeypatch.setattr(torch.cuda, "Stream", lambda device: None)


def transformers(is_captured=True, **changes):
    """Small ones, or of the paper's shape and fewer sets."""
    ensemble = Transformers(small(steps=1000, **changes), DEVICE)
    ensemble.is_captured = is_captured
    return ensemble


def needles(is_captured=True, **changes):
    job = needle_cells.small(steps=1000, **changes)
    kernel = job.map.kernel and kernel_named(job.map.kernel)
    ensemble = NeedleNetworks(job, kernel, device=DEVICE)
    ensemble.is_captured = is_captured
    return ensemble


def advanced(ensemble, steps=STEPS):
    for _ in range(steps):
        ensemble.advance(ensemble.batch(ensemble.step))
    return ensemble


def assert_same_numbers(ensemble, other):
    """To the last bit; else it says of which tensor by how much they differ."""
    saved = ensemble.saved()
    differences = {
        name: np.abs(array - saved[name]).max()
        for name, array in other.saved().items()
        if not np.array_equal(array, saved[name])
    }
    assert not differences


PAPERS_SHAPE = {"d": 64, "n": 16, "feed_forward": 256, "batch": 8, "width": 1, "seeds": [0]}
TRAINED = {
    "rank 2, three runs": (transformers, {}),
    "rank 1": (transformers, {"heads": 4}),
    "new batches, with an encoding": (transformers, {"encoding": "additive", "layers": 3}),
    "the same batches": (transformers, {"regime": "repeated", "schedule": "per_epoch"}),
    "the paper's shape, rank 1": (transformers, PAPERS_SHAPE | {"heads": 64}),
    "the paper's shape, rank 16": (transformers, PAPERS_SHAPE | {"heads": 4}),
    "the paper's shape, full rank": (transformers, PAPERS_SHAPE | {"heads": 1}),
    "needle, a query given": (needles, {}),
    "needle, features": (needles, {"kernel": "elu_plus_one", "features": 3}),
    "needle, a query learned": (needles, {"arm": "query_learned"}),
    "needle, no attention": (needles, {"arm": "self_attention", "kernel": None}),
    "needle, a sink": (
        needles,
        {"arm": "sink_learned", "kernel": "softmax_one", "standardise": False},
    ),
}


@pytest.mark.parametrize("name", TRAINED)
def test_captured_steps_give_the_numbers_of_launched_ones(name):
    trained, settings = TRAINED[name]
    launched = advanced(trained(is_captured=False, **settings))
    captured = advanced(trained(**settings))
    if DEVICE == "cuda":
        assert captured._captured_step._graph is not None
    assert_same_numbers(launched, captured)


@pytest.mark.parametrize("name", TRAINED)
def test_a_step_changes_its_tensors_in_place(name):
    trained, settings = TRAINED[name]
    ensemble = trained(**settings)
    addresses = {name: array.data_ptr() for name, array in ensemble._arrays().items()}
    advanced(ensemble, 3)
    assert addresses == {name: array.data_ptr() for name, array in ensemble._arrays().items()}


@pytest.mark.parametrize("name", ["the same batches", "the paper's shape, rank 16"])
def test_training_that_goes_on_captures_anew_and_gives_the_same_numbers(name):
    trained, settings = TRAINED[name]
    whole = advanced(trained(**settings), 170)
    resumed = trained(**settings)
    resumed.restore(advanced(trained(**settings), 133).saved())
    assert_same_numbers(whole, advanced(resumed, 37))


def test_two_trained_at_once_are_each_as_alone():
    names = ["the paper's shape, full rank", "the paper's shape, rank 16"]
    alone = [advanced(trained(**settings)) for trained, settings in map(TRAINED.get, names)]
    together = [trained(**settings) for trained, settings in map(TRAINED.get, names)]
    streams = [contextlib.nullcontext(), contextlib.nullcontext()]
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        streams = [torch.cuda.stream(torch.cuda.Stream()) for _ in together]
    for _ in range(STEPS):
        for ensemble, stream in zip(together, streams, strict=True):
            with stream:
                advanced(ensemble, 1)
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    for one, other in zip(alone, together, strict=True):
        assert_same_numbers(one, other)


class Pair(NamedTuple):
    number: torch.Tensor
    other: torch.Tensor


@pytest.mark.parametrize("waits", [False, True])
def test_a_step_that_waits_for_the_processor_is_launched_each_time(waits, capsys):
    total = torch.zeros((), device=DEVICE)

    def step(batch):
        total.add_(batch.number * batch.other)
        if waits:
            total.tolist()

    pairs = [Pair(torch.tensor(float(k)), torch.tensor(2.0)) for k in range(1, 5)]
    captured = CapturedStep(step, pairs[0], [total])
    assert total == 0
    for pair in pairs:
        captured(pair)
    assert total == 20
    assert ("it is not captured" in capsys.readouterr().err) == (waits or DEVICE == "cpu")


def test_an_error_of_a_step_is_told_and_leaves_no_trace():
    total = torch.ones((), device=DEVICE)

    def step(batch):
        total.add_(1)
        raise RuntimeError("no such numbers")

    with pytest.raises(RuntimeError, match="no such numbers"):
        CapturedStep(step, torch.tensor(0.0), [total])
    assert total == 1


def test_products_are_of_float32_whatever_was_asked_for():
    torch.set_float32_matmul_precision("high")
    Transformers(small(), DEVICE)
    if DEVICE == "cpu":
        # There no product is ever rounded further.
        compute_exactly()
    assert torch.get_float32_matmul_precision() == "highest"
    a, b = torch.randn(2, 300, 300, generator=torch.Generator().manual_seed(1))
    product = (a.to(DEVICE) @ b.to(DEVICE)).cpu().double()
    # TF32 has ten bits: its products of numbers of size 1 are off by 1e-2.
    torch.testing.assert_close(product, a.double() @ b.double(), rtol=0, atol=1e-4)


@pytest.mark.parametrize("arm", ["query_given", "query_learned", "self_attention"])
def test_needles_losses_agree_with_those_of_a_cpu(arm):
    here = advanced(needles(arm=arm), 40)
    cpu = NeedleNetworks(here.job, kernel_named("exp"))
    there = advanced(cpu, 40)
    losses = (ensemble.running["losses"][-40:].cpu() for ensemble in (here, there))
    torch.testing.assert_close(*losses, rtol=1e-3, atol=1e-4)
    assert sum(here.count_correct()) == pytest.approx(sum(there.count_correct()), abs=3)
