"""Jobs by name: what rules ask of them, and what is said of names that are none."""

import shlex
from pathlib import Path

import pytest
from making import STUDIES, changed_study

from attention_separation.results.declared_jobs import (
    DeclaredJobs,
    JobCommand,
    cells_of,
    command_line,
    expected_seconds,
)

JOBS = DeclaredJobs(STUDIES.values())


def test_a_name_that_is_no_job_is_a_sentence_and_asks_for_nothing():
    assert "fig9" not in JOBS
    assert JOBS.is_local("fig9")
    assert JOBS.slices_of("fig9") == []
    with pytest.raises(LookupError, match=r"fig9: .* no such panel, figure or cell"):
        JOBS["fig9"]


def test_files_of_a_job_lie_in_its_studys_folder():
    figure = JOBS["fig3"]
    assert figure.inputs()["exact"] == [
        "results/exact/fig3a.parquet",
        "results/exact/fig3b.parquet",
    ]
    assert "results/figures/fig3_lines.csv" in figure.paths()
    assert figure.output_of("results/figures/fig3.png").name == "fig3"
    reported = [
        file.path for files in figure.outputs().values() for file in files if file.is_reported
    ]
    assert reported == ["results/figures/fig3.png"]
    with pytest.raises(LookupError, match=r"figures/fig4\.svg: no file of fig3"):
        figure.output_of("results/figures/fig4.svg")


def test_a_sentence_says_of_a_figure_what_it_is_of():
    assert JOBS["kernels_accuracy"].sentence.endswith("what each kernel can do, against n")
    title = STUDIES["softmax_vs_linear"].section.figures["fig3"].title
    assert JOBS["fig3"].sentence == f"Figure fig3: {title}"


def test_cells_have_a_rule_together_and_other_jobs_one_each():
    study = STUDIES["head_rank"]
    cells = cells_of(study)
    assert cells
    assert all(name.startswith("rank_train_") for name in cells)
    assert JOBS.are_local(cells) == all(study.results[name].is_local for name in cells)
    assert cells_of(STUDIES["any_attention"]) == []


def test_slices_of_a_panel_are_those_that_its_job_merges():
    jobs = DeclaredJobs([changed_study(trials=10**9)])
    slices = jobs.slices_of("fig4b")
    assert len(slices) > 1
    assert slices == jobs["simulate_fig4b"].inputs()["merge"]


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        ("s\tmax_rss\n1.5\t3\n2.5\t3\n", 2.5),
        ("s\tmax_rss\n", 7.0),
        ("s\nnone\n", 7.0),
        ("", 7.0),
        (None, 7.0),
    ],
)
def test_a_job_is_expected_to_take_what_it_took_last(tmp_path, table, seconds):
    path = tmp_path / "job.tsv"
    if table is not None:
        path.write_text(table)
    assert expected_seconds(str(path), declared=7.0) == seconds
    assert expected_seconds(None, declared=7.0) == 7.0


def test_a_command_is_what_a_shell_reads_and_no_text_that_is_compared():
    command = JobCommand(command_line(Path("/a clone/src"), "/bin/it's"), seconds=3.0)
    assert not isinstance(command, str)
    assert shlex.split(f"{command}") == [
        "PYTHONPATH=/a clone/src", "/bin/it's", "-P", "-m", "attention_separation", "job",
    ]  # fmt: skip
