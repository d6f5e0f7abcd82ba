"""Cells of training: one test per way to be wrong; and training without torch."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT
from needle_cells import small
from pydantic import ValidationError

from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.head_rank.settings.cells import (
    MOST_ACTIVATIONS,
    MOST_CURVE_POINTS,
    CellJob,
)
from attention_separation.studies.head_rank.training.cell_table import blind_error, is_dead

GOOD = {
    "name": "a", "d": 8, "n": 4, "layers": 1, "heads": 8, "width": 3, "feed_forward": 64,
    "batch": 128, "steps": 200, "lr": 0.01, "seeds": [0, 1], "held_out": 100, "seed": 1,
}  # fmt: skip

WRONG = {
    # what is wrong: (changes, words of the sentence)
    "heads do not divide D": ({"heads": 3}, "3, which does not divide the model's dimension 8"),
    "NaN": ({"lr": float("nan")}, "finite number"),
    "no d_e": ({"encoding": "concatenated"}, "d_e is None with encoding: concatenated"),
    "no initial values": ({"encoding": "additive"}, "are None and None with encoding: additive"),
    "initial values for nothing": (
        {"additive_mean": 0.0, "additive_sd": 1.0},
        "are 0.0 and 1.0 with encoding: none",
    ),
    "d_e for nothing": ({"d_e": 4}, "d_e is 4 with encoding: none"),
    "part of an epoch": ({"steps": 150}, "steps is 150; allowed: a multiple of 100"),
    "stops within an epoch": (
        {"stop_after": 150},
        "stop_after is 150; allowed: a multiple of 100, the steps of an epoch, below the 200 steps",
    ),
    "stops at the end": ({"stop_after": 200}, "stop_after is 200; allowed: a multiple of 100"),
    "a seed twice": ({"seeds": [1, 1]}, "each seed once"),
    "misspelt": ({"bacth": 3}, "unknown key; did you mean 'batch'?"),
}


@given(wrong=st.sampled_from([*WRONG]))
def test_every_way_to_be_wrong_is_said(wrong):
    changes, words = WRONG[wrong]
    CellJob.model_validate(GOOD)
    with pytest.raises(ValidationError) as error:
        CellJob.model_validate(GOOD | changes)
    (only,) = error.value.errors()
    assert words in only["msg"]


def test_ranks_and_counts():
    job = CellJob.model_validate(GOOD | {"encoding": "concatenated", "d_e": 8, "heads": 4})
    assert (job.model_dimension, job.rank, job.total_heads) == (16, 4, 12)
    # By hand: 3 modules of 3 x 16 x 16 and biases, one output of 16 x 48 and its bias.
    assert job.attention_parameters() == 3 * 3 * (16 * 16 + 16) + 16 * 48 + 16
    # MLP, two scales, and the table of 8 x 4.
    assert job.parameters() == job.attention_parameters() + 2 * 16 * 64 + 64 + 16 + 2 + 32
    plain = CellJob.model_validate(GOOD | {"width": 12})
    concatenated = CellJob.model_validate(GOOD | {"encoding": "concatenated", "d_e": 8})
    assert plain.attention_parameters() == pytest.approx(
        concatenated.attention_parameters(), rel=0.1
    )


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_a_curve_has_few_points_evenly_spread_with_the_last_epoch_among_them(epochs, more):
    changes = {"steps": 100 * (epochs + more), "stop_after": 100 * epochs}
    job = CellJob.model_validate(GOOD | changes)
    scored = [epoch for epoch in range(1, epochs + 1) if job.is_scored(epoch)]
    assert scored[-1] == epochs
    assert len(scored) <= MOST_CURVE_POINTS
    assert len({*np.diff(scored)}) <= 1
    # Short runs have all of their epochs.
    assert epochs > MOST_CURVE_POINTS or len(scored) == epochs


def test_a_batch_is_whole_where_an_mlp_of_it_fits_a_cache():
    assert CellJob.model_validate(GOOD).sets_at_once() == 128
    large = {"d": 64, "n": 16, "feed_forward": 2048, "batch": 256}
    assert CellJob.model_validate(GOOD | large).sets_at_once() == 32
    assert CellJob.model_validate(GOOD | large | {"n": 2**11}).sets_at_once() == 1


def test_on_a_gpu_a_batch_is_whole_where_its_activations_fit_the_memory():
    large = CellJob.model_validate(GOOD | {"d": 64, "n": 16, "feed_forward": 2048, "batch": 256})
    assert large.sets_at_once("cuda") == 256
    larger = large.model_copy(update={"batch": 2**14})
    sets = larger.sets_at_once("cuda")
    numbers_of_a_set = larger.activations() * len(larger.seeds)
    assert sets * numbers_of_a_set <= MOST_ACTIVATIONS < (sets + 1) * numbers_of_a_set


def test_what_is_run_is_what_is_counted():
    whole = CellJob.model_validate(GOOD | {"steps": 1000})
    half = CellJob.model_validate(GOOD | {"steps": 1000, "stop_after": 500})
    assert (whole.run_steps, half.run_steps) == (1000, 500)
    assert half.training_flops() == whole.training_flops() / 2


def test_a_run_is_dead_where_it_looks_at_nothing():
    rank_0 = least_error(8, 4)
    assert blind_error(8, 4) == rank_0 < 1 == blind_error(8, 2)
    assert is_dead(1.0, 1.0, rank_0)
    assert is_dead(0.99 * rank_0, rank_0, rank_0)
    assert not is_dead(0.97 * rank_0, rank_0, rank_0)
    assert is_dead(float("nan"), 0.1, rank_0)
    assert is_dead(0.1, float("inf"), rank_0)


def test_what_no_result_depends_on_is_in_no_digest():
    job = CellJob.model_validate(GOOD)
    rarer = job.model_copy(update={"checkpoint_every": 7})
    assert rarer.result_settings() == job.result_settings()
    assert job.model_copy(update={"steps": 300}).result_settings() != job.result_settings()


@pytest.mark.parametrize("study", ["head_rank", "needle"])
def test_without_torch_training_is_one_sentence(tmp_path, study):
    """A module that cannot be imported stands where torch would."""
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('no torch', name='torch')\n")
    path, module = tmp_path / "cell.parquet", f"studies.{study}.training.train_cell"
    settings = json.dumps(GOOD) if study == "head_rank" else small().canonical()
    done = subprocess.run(
        [sys.executable, "-m", "attention_separation", "job", module,
         "--settings", settings, "--output", str(path)],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True, text=True,
    )  # fmt: skip
    sentence = f"job {module}: this needs PyTorch, which `make setup WITH=rank` installs\n"
    assert done.returncode == 1
    assert all(line.startswith("# ") for line in done.stdout.splitlines())
    assert done.stderr.startswith(sentence)
    assert not path.exists()
