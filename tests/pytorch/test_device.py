"""Training on the device that PyTorch finds; `make test-cuda` expects a GPU, and resumes there."""

import os

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from training_jobs import small, train_small

from attention_separation.studies.head_rank.training.train_cell import Transformers
from attention_separation.training.job import device_kind

DEVICE = os.environ.get("TEST_DEVICE", device_kind())
LEARNT = {"steps": 400, "layers": 2, "seeds": list(range(8)), "held_out": 512}


def test_the_device_is_the_one_that_is_there(tmp_path, capsys):
    assert device_kind() == DEVICE, f"PyTorch {torch.__version__} finds no {DEVICE} here"
    assert train_small(tmp_path / "cell.parquet") == 0
    assert pq.read_schema(tmp_path / "cell.parquet").metadata[b"device"] == DEVICE.encode()
    assert f"on {DEVICE}" in capsys.readouterr().err


@pytest.mark.parametrize("regime", ["fresh", "repeated"])
@pytest.mark.parametrize("encoding", ["none", "additive", "concatenated"])
def test_loss_curves_agree_with_those_of_a_cpu_in_double_precision(regime, encoding):
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
