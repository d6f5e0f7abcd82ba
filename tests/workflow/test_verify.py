"""`verify` says of every file whether it is that of this code and config, and how to heal it."""

import os
import random
import re
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from damage import (
    assert_no_job_reads_damage,
    assert_verify_sees_damage,
    flip_unseen,
    one_bit_changed,
)
from project import said_by

from attention_separation.__main__ import main
from attention_separation.config import load_config
from attention_separation.results.tables import metadata_of, read_table, write_parquet
from attention_separation.studies.softmax_vs_linear.recompute import RECOMPUTED_TOLERANCE


@pytest.fixture
def verify(monkeypatch, capsys):
    """A function of a project that returns the exit status of `verify results` and what it says."""

    def run(project, *arguments):
        with monkeypatch.context() as there:
            there.chdir(project.folder)
            status = main(["verify", "results", *arguments])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def test_all_is_current_after_a_run(made_once, verify):
    status, said = verify(made_once, "--sample", "4")
    assert status == 0, said
    # The manifest lists the others and not itself.
    assert f"{len(made_once.files()) - 1:5} current" in said
    assert said.count("the same") == 4


def test_another_config(made_once, verify):
    status, said = verify(made_once, "seed=8", "--sample", "0")
    assert status == 1
    assert "panels/fig3a.parquet: of other settings" in said
    assert "figures/fig3.svg: of other settings" in said
    assert "exact/fig3a.parquet" not in said
    status, said = verify(made_once, "scale=smoke", "--sample", "0")
    assert status == 1
    assert "with these settings a run writes to results/smoke: say those of results" in said
    assert "snakemake" not in said


def test_other_code(made):
    """Which counts otherwise."""
    made.edit("src/attention_separation/statistics/seeding.py", "\\x1f", "\\x1e")
    done = made.run_command("verify", "results", "--sample", "3")
    assert "panels/fig7b.parquet: of other code" in done.stdout
    assert "the file has" in done.stdout
    assert "tables/claims.parquet" not in done.stdout


@pytest.mark.parametrize(
    ("table", "column", "change", "words"),
    [
        ("panels", "f_lin_d0_zero", lambda count: count - 1 if count else 1, "counted ["),
        ("exact", "p_exact", lambda p: p - 2 * RECOMPUTED_TOLERANCE, "the exact value is "),
        ("exact", "p_exact", lambda p: p - RECOMPUTED_TOLERANCE / 2, "the same"),
    ],
    ids=("one trial", "too far", "near"),
)
def test_numbers_that_another_run_would_not_have(made, verify, table, column, change, words):
    path = made.folder / f"results/{table}/fig7b.parquet"
    before = read_table(path)
    numbers = before[column].to_pylist()
    numbers[0] = change(numbers[0])
    place, kind = before.schema.get_field_index(column), before.schema.field(column)
    after = before.set_column(place, kind, pa.array(numbers, kind.type))
    write_parquet(after, path, metadata_of(before.schema))
    status, said = verify(made, "--sample", "100")
    assert status == (words != "the same")
    assert f"fig7b, d=3: {words}" in said
    assert f"{table}/fig7b.parquet" not in said
    (count,) = re.findall(r"(\d+) points differ", said) or ["0"]
    assert int(count) == status


def test_one_changed_bit_is_seen_in_every_kind_of_file(made):
    studies = load_config(made.folder / "config.yaml").studies()
    assert_verify_sees_damage(studies, studies["softmax_vs_linear"], made.folder, flips=3)


def test_nothing_is_drawn_or_judged_from_a_damaged_table(made, monkeypatch):
    study = load_config(made.folder / "config.yaml").studies()["softmax_vs_linear"]
    assert assert_no_job_reads_damage(study, made.folder, monkeypatch) > 10


def test_nothing_of_a_damaged_table_is_computed_again(made, verify):
    path = made.folder / "results/exact/fig7b.parquet"
    with one_bit_changed(path, random.Random(0)):
        status, said = verify(made, "--sample", "1000")
    assert status == 1
    assert "\nexact/fig7b.parquet: damaged" in said
    assert "fig7b, " not in said
    assert "computed again: fig4b, " in said
    assert "verify: 1 files are not current, 0 points differ" in said


def commands_in(said):
    """The commands that `verify` says make all current: removals, and the run."""
    lines = said.partition("these commands, in this folder, make all current:\n")[2].splitlines()
    *removed, run = (line for line in lines if line.startswith(("rm ", "snakemake")))
    return removed, run


def obey(project, *lines):
    """Do what `verify` says, in a shell."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = said_by(["bash", "-ec", "\n".join(lines)], project.folder, PATH=path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout


def test_what_verify_says_heals(made, verify):
    """Of what is damaged, missing, changed, added, and left by a kill; once must do."""
    whole = made.files()
    folder = made.folder / "results"
    flip_unseen(folder / "tables/kernels_splits.parquet")
    (folder / "tables/kernels_splits.csv").write_text("mine")
    (folder / "tables/kernels_splits.html").unlink()
    (folder / "tables/extra.csv").write_text("mine")
    (folder / "panels/.fig3a.parquet.abc.part").write_text("half")
    _, said = verify(made, "--sample", "0")
    assert "\ntables/kernels_splits.parquet: damaged" in said
    assert "\ntables/kernels_splits.csv: other bytes than manifest.json lists" in said
    assert "\ntables/kernels_splits.html: missing" in said
    assert "\ntables/extra.csv: not listed in manifest.json" in said
    assert "\npanels/.fig3a.parquet.abc.part: left by a killed job, or being written" in said
    assert "5 files are not current" in said
    removed, run = commands_in(said)
    assert run == "snakemake"
    obey(made, *removed, run)
    status, said = verify(made, "--sample", "0")
    assert status == 0, said
    assert made.files() == whole


JOBS_OF_FILES = {
    "panels/fig4a.parquet": "simulate_fig4a", "exact/fig4a.parquet": "exact_fig4",
    "figures/fig3.parquet": "fig3", "figures/fig7.csv": "fig7", "figures/phase.svg": "phase",
    "figures/theta.pdf": "theta", "figures/kernels_accuracy.png": "kernels_accuracy",
    "tables/claims.csv": "claims", "tables/kernels.html": "kernels_values",
}  # fmt: skip
"""A file of each kind, with the job that makes it."""

DRAWN = {"fig4", "verdicts", "whp", "theta"}
"""What reads the numbers among them."""


@pytest.mark.parametrize("lose", [flip_unseen, Path.unlink])
def test_files_of_each_kind_come_back_by_what_verify_says(made, verify, lose):
    """The run is planned alone: tests/release makes each of them again."""
    for path in JOBS_OF_FILES:
        lost = made.folder / "results" / path
        lose(lost)
    removed, run = commands_in(verify(made, "--sample", "0")[1])
    assert run == "snakemake"
    wrong = set(JOBS_OF_FILES) if lose is flip_unseen else set()
    assert {*re.findall(r"results/(\S+)", " ".join(removed))} >= wrong
    obey(made, *removed, "true")
    found = made.would_run()
    assert found - {"check", "index"} == {*JOBS_OF_FILES.values()} | DRAWN


def test_folders_of_tables_that_are_gone_come_back(made, verify):
    for folder in ("panels", "exact"):
        shutil.rmtree(made.folder / "results" / folder)
    assert commands_in(verify(made, "--sample", "0")[1]) == ([], "snakemake")
    again = made.would_run("fig3", "fig7")
    assert again >= {"simulate_fig3a", "simulate_fig7b", "exact_fig3", "exact_fig7"}


def test_a_table_of_the_same_job_in_the_place_of_another_is_seen_and_made_again(made, verify):
    figures = made.folder / "results/figures"
    shutil.copy(figures / "fig4_lines.parquet", figures / "fig4.parquet")
    _, said = verify(made, "--sample", "0")
    assert "\nfigures/fig4.parquet: written as fig4_lines; run again\n" in said
    assert commands_in(said) == ([], "snakemake")
    assert made.would_run("fig4") == {"fig4"}


def test_other_settings_and_what_no_run_makes_stand_in_the_commands(made, verify):
    picture = made.folder / "results/figures/fig4a.svg"
    shutil.copy(made.folder / "results/figures/fig4.svg", picture)
    removed, run = commands_in(verify(made, "trials=7", "--sample", "0")[1])
    assert run == "snakemake --config trials=7"
    assert removed[-1].endswith("# made by no whole run")
    assert "results/figures/fig4a.svg" in removed[-1]


def test_without_a_manifest_nothing_is_compared(made, verify):
    """As after one figure alone: what cannot be compared is made again."""
    (made.folder / "results/manifest.json").unlink()
    flip_unseen(made.folder / "results/figures/fig7.svg")
    _, said = verify(made, "--sample", "0")
    assert "\nmanifest.json: missing; run again\n" in said
    removed, run = commands_in(said)
    assert run == "snakemake"
    assert {"results/figures/fig7.svg", "results/figures/fig3.pdf"} <= {*" ".join(removed).split()}


def test_what_cannot_be_verified(made, verify):
    assert "--config trials: 'x' is not allowed" in verify(made, "trials=x")[1]
    (made.folder / "results/exact/fig3a.parquet").write_bytes(b"PAR1")
    _, said = verify(made, "--sample", "0")
    assert "exact/fig3a.parquet: no parquet file that can be read" in said
