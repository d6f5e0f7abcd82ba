"""Slices of a panel's trials: whatever their number, the same table."""

import subprocess
import sys

import numpy as np
import pytest
from making import CONFIG, ROOT, SECTION, STUDY, changed_study, contest, panel

from attention_separation.results.tables import read_parquet, write_parquet
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.simulation import simulate
from attention_separation.softmax_vs_linear.simulation.simulate import (
    cut_units,
    merge_counts,
    slice_schema,
    slice_table,
    units,
)
from attention_separation.softmax_vs_linear.study import SoftmaxVsLinear
from attention_separation.statistics.counts import Counts

OTHERS = contest("power_2", "linear", "cosh")
SWEEPS = {
    "regression": panel("regression", {"n": [50, 200]}, trials=5100, m=3),
    "cross_attention": panel(
        "cross_attention", {"d": [3, 6, 11]}, trials=10_050, n=40, m=3, a0=0.01, a1=1.2
    ),
    "other kernels": panel(
        "self_attention", {"d": [3, 12, 6]}, trials=5100, contest=OTHERS,
        n=40, m=3, a0=0.01, a1=1.2, b=0.2, c=0.8,
    ),
}  # fmt: skip


def job(name):
    return SWEEPS[name]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_every_block_of_every_point_is_in_one_slice(count):
    of_panel = SWEEPS["cross_attention"].points()
    parts = cut_units(of_panel, 10_050, [1.0, 2.0, 5.0], count)
    assert len(parts) == count
    assert [unit for part in parts for unit in part] == units(of_panel, 10_050)


def test_slices_take_about_equal_time():
    of_panel = SWEEPS["cross_attention"].points()
    seconds = [1.0, 2.0, 5.0]
    parts = cut_units(of_panel, 10**6, seconds, 4)
    times = [sum(unit.trials * seconds[unit.point] for unit in part) for part in parts]
    assert max(times) / min(times) < 1.01


@pytest.mark.parametrize("name", SWEEPS)
@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_merged_slices_are_the_panel(name, count):
    slices = [simulate.slice_of(job(name), k + 1, count) for k in range(count)]
    assert simulate.merged(job(name), slices[::-1]).equals(simulate.simulate(job(name)))


def test_a_slice_has_a_column_for_each_outcome():
    assert simulate.slice_of(job("other kernels"), 1, 1).column_names == [
        "point", "trials", "successes", "power_2_d1_positive", "linear_d1_zero", "cosh_d1_zero",
        "power_2_d0_zero", "linear_d0_zero", "cosh_d0_zero",
    ]  # fmt: skip
    assert simulate.slice_of(job("regression"), 1, 1).column_names == [
        "point", "trials", "successes", "f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero",
        "f_lin_d0_zero",
    ]  # fmt: skip


def test_counts_of_slices_are_added_column_by_column():
    one = Counts(10, np.arange(7))
    two = Counts(5, np.array([3, 0, 5, 1, 1, 2, 4]))
    tables = [slice_table({0: one, 2: two}, OTHERS), slice_table({2: one}, OTHERS)]
    first, second, third = merge_counts([*tables, slice_table({}, OTHERS)], 3, OTHERS)
    assert (first.trials, second.trials, third.trials) == (10, 0, 15)
    assert first.happened.tolist() == list(range(7))
    assert second.happened.tolist() == [0] * 7
    assert third.happened.tolist() == [3, 1, 7, 4, 5, 7, 10]


def test_a_slice_too_few_or_twice_is_refused():
    slices = [simulate.slice_of(job("regression"), k + 1, 3) for k in range(3)]
    for wrong in (slices[:2], [*slices, slices[0]]):
        with pytest.raises(ValueError, match=r"p, n=\d+: the slices hold \d+ trials of 5100"):
            simulate.merged(job("regression"), wrong)


JOB = "softmax_vs_linear.simulation.simulate"


def command(*arguments, given=None):
    return subprocess.run(
        [sys.executable, "-m", "attention_separation", "job", JOB, *map(str, arguments)],
        cwd=ROOT / "src", text=True, capture_output=True, check=False, input=given,
    )  # fmt: skip


def test_the_command_line_cuts_and_merges(tmp_path):
    settings = job("regression").canonical()
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    for k, path in enumerate(paths, start=1):
        done = command("--settings", settings, "--output", path, "--slice", f"{k}/2")
        assert done.returncode == 0, done.stderr
    whole, alone = tmp_path / "whole.parquet", tmp_path / "alone.parquet"
    assert command("--settings", settings, "--output", whole, "--merge", *paths).returncode == 0
    assert command("--settings", settings, "--output", alone).returncode == 0
    assert whole.read_bytes() == alone.read_bytes()

    alone.unlink()
    done = command("--settings", "-", "--output", alone, given=f"{settings}\n")
    assert done.returncode == 0, done.stderr
    assert whole.read_bytes() == alone.read_bytes()

    wrong = tmp_path / "wrong.parquet"
    done = command("--settings", settings, "--output", wrong, "--merge", paths[0], paths[0])
    assert "not all slices, each once: 1/2" in done.stderr
    done = command("--settings", settings, "--output", wrong, "--slice", "3/2")
    assert "allowed: K/N with 1 <= K <= N" in done.stderr
    assert not wrong.exists()


def test_a_slice_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "slice.parquet"
    write_parquet(simulate.slice_of(job("regression"), 1, 1), path, {"settings": "other"})
    with pytest.raises(ValueError, match="made with other settings"):
        read_parquet(path, slice_schema(PAPERS), "mine")


def test_long_panels_are_cut_by_time_and_by_number():
    assert STUDY.results["simulate_fig4a"].slices == 1
    deep = changed_study(scale="deep")
    assert deep.results["simulate_fig3a"].slices > 1
    by_number = SoftmaxVsLinear(SECTION, 1, CONFIG.jobs.model_copy(update={"slices": 7}))
    assert by_number.results["simulate_fig4a"].slices == 7
