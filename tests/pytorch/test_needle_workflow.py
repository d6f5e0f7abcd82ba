"""The needle's rules with training, at the scale smoke."""

from pathlib import Path

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from made_report import Report
from making import CONFIG
from project import Project

from attention_separation.config import load_config, overrides_of
from attention_separation.studies.needle.settings.titles import FIGURES_OF_LINES, TABLES_OF_LINES
from attention_separation.studies.needle.study import Needle

SMOKE = "needle={scale: smoke}"
FOLDER = "results/needle/smoke"
ASK = ("needle", "--config", SMOKE)
STUDY = Needle(CONFIG.needle.model_copy(update={"scale": "smoke"}), CONFIG.seed, CONFIG.jobs, {})
AFTER = {
    "needle_cells", "needle_claims", "needle_accuracy", "needle_critical", "needle_features",
    "needle_paper_network",
}  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The project with the needle made, all of it; only to be read."""
    project = Project(tmp_path_factory.mktemp("trained"))
    project.begin_with_made(FOLDER)
    project.make(*ASK)
    return project


def test_a_second_run_has_nothing_to_do(trained):
    assert trained.would_run(*ASK) == set()
    made = {name.rpartition("/")[2].partition(".")[0] for name in trained.files()}
    assert made >= AFTER
    assert STUDY.cells.keys() <= made


@pytest.fixture
def copy(trained, tmp_path):
    """A copy of it."""
    return trained.copy(tmp_path)


def test_everything_is_made_and_current(trained):
    folder = trained.folder / FOLDER
    for name in FIGURES_OF_LINES:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/{name}.{extension}").stat().st_size > 300
    for name in (*TABLES_OF_LINES, "needle_claims"):
        for extension in ("html", "csv", "parquet"):
            assert (folder / f"tables/{name}.{extension}").stat().st_size > 300
    assert {path.name for path in (trained.folder / "results").iterdir()} == {"needle"}
    done = trained.run_command("needle-verify", FOLDER, SMOKE)
    assert done.returncode == 0, done.stdout
    assert f"{len(trained.files()) - 1:5} current" in done.stdout
    done = trained.run_command("needle-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "The same with noise, claims at the scale smoke: " in done.stdout


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(copy, monkeypatch):
    studies = load_config(copy.folder / "config.yaml", overrides_of([SMOKE])).studies()
    assert_verify_sees_damage(studies, studies["needle"], copy.folder, flips=10)
    assert assert_no_job_reads_damage(studies["needle"], copy.folder, monkeypatch) > 3


def test_the_report_holds_it(copy):
    scales = ("--config", SMOKE, "scale=smoke")
    copy.make("phase", *scales)
    out = copy.make("report", "--report-after-run", "--report", "page.html", *scales)
    assert "Report created" in out
    report = Report(copy.folder / "page.html")
    assert "2 The same with noise" in report.categories
    listed = {Path(path).name for path in report.results}
    assert {"needle_accuracy.png", "needle_claims.html"} <= listed
    assert "needle_lines.html" not in listed


def test_the_same_bytes_again(trained, tmp_path):
    other = Project(tmp_path)
    cell = f"{FOLDER}/cells/self_attention_mu5_n32_linear.parquet"
    other.make(cell, "--config", SMOKE, "--cores", "1")
    assert other.files()[cell] == trained.files()[cell]
