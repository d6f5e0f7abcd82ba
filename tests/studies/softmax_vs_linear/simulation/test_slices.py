"""Slices of a panel's trials: whatever their number, the same table."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG, SECTION, STUDY, changed_study, contest, panel

from attention_separation.__main__ import run_job
from attention_separation.results.tables import metadata_of, read_parquet, read_table, write_parquet
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.settings.run_panels import RunPanels
from attention_separation.studies.softmax_vs_linear.simulation import estimates, simulate
from attention_separation.studies.softmax_vs_linear.simulation.simulate import (
    cut_units,
    slice_schema,
)
from attention_separation.studies.softmax_vs_linear.study import SoftmaxVsLinear

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


def test_slices_take_about_equal_time():
    of_panel = SWEEPS["cross_attention"].points()
    seconds = [1.0, 2.0, 5.0]
    parts = cut_units(of_panel, 10**6, seconds, 4)
    times = [sum(unit.trials * seconds[unit.point] for unit in part) for part in parts]
    assert max(times) / min(times) < 1.01


@given(name=st.sampled_from([*SWEEPS]), count=st.sampled_from([1, 2, 5, 30]))
def test_merged_slices_are_the_panel(name, count):
    slices = [simulate.slice_of(job(name), k + 1, count) for k in range(count)]
    assert simulate.merged(job(name), slices[::-1]).equals(simulate.simulate(job(name)))


def test_a_slice_too_few_or_twice_is_refused():
    slices = [simulate.slice_of(job("regression"), k + 1, 3) for k in range(3)]
    for wrong in (slices[:2], [*slices, slices[0]]):
        with pytest.raises(ValueError, match=r"p, n=\d+: the slices hold \d+ trials of 5100"):
            simulate.merged(job("regression"), wrong)


JOB = "studies.softmax_vs_linear.simulation.simulate"


def test_the_command_line_cuts_and_merges(tmp_path, capsys, monkeypatch):
    settings = job("regression").canonical()

    def made(name, *arguments, given=settings):
        path = tmp_path / str(name) / "p.parquet"
        command = ("--settings", given, "--output", path, *arguments)
        return path if run_job(JOB, *map(str, command)) == 0 else None

    one, two = (made(k, "--slice", f"{k}/2") for k in (1, 2))
    whole = made("whole", "--merge", one, two).read_bytes()
    assert made("alone").read_bytes() == whole
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{settings}\n"))
    assert made("from stdin", given="-").read_bytes() == whole

    for wrong, words in (
        (("--merge", one, one), "not all slices, each once: 1/2"),
        (("--slice", "3/2"), "allowed: K/N with 1 <= K <= N"),
    ):
        assert made("wrong", *wrong) is None
        assert words in capsys.readouterr().err
    table = read_table(two)
    metadata = metadata_of(table.schema)
    write_parquet(table, two, metadata | {"code": "other"})
    assert made("wrong", "--merge", one, two) is None
    assert f"{two}: made with other code than this; remove the file" in capsys.readouterr().err
    assert not (tmp_path / "wrong/p.parquet").exists()


def test_a_slice_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "slice.parquet"
    write_parquet(simulate.slice_of(job("regression"), 1, 1), path, {"settings": "other"})
    with pytest.raises(ValueError, match="made with other settings"):
        read_parquet(path, slice_schema(CONTEST_OF_PAPER), "mine")


def test_long_panels_are_cut_by_time_and_by_number():
    assert STUDY.results["simulate_fig4a"].slices == 1
    deep = changed_study(scale="deep")
    assert deep.results["simulate_fig3a"].slices > 1
    by_number = SoftmaxVsLinear(RunPanels(SECTION, 1), CONFIG.jobs.model_copy(update={"slices": 7}))
    assert by_number.results["simulate_fig4a"].slices == 7


def test_a_dense_job_asks_for_the_memory_of_its_arrays():
    points = panel(
        "self_attention", {"n": [400]}, d=22, m=3, a0=0.01, a1=1.2, b=0.2, c=0.8
    ).points()
    beside = estimates.memory_mb("dense", points) - estimates.memory_mb("reduced", points)
    assert beside == pytest.approx(estimates.DENSE_ARRAYS * 400**2 * 8 / 1e6, abs=1)
    assert beside > 1
