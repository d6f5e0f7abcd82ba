"""The needle's rules without training: what is made, that it is current, what a change reruns."""

from pathlib import Path

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from made_report import Report
from project import Project

from attention_separation.config import load_config, overrides_of
from attention_separation.studies.needle.settings.titles import FIGURES_OF_LINES, TABLES_OF_LINES

pytestmark = pytest.mark.whole_run

SMOKE = "needle={scale: smoke, scales: {smoke: {training: null}}}"
ASK = ("needle", "--config", SMOKE)
FOLDER = "results/needle/smoke"
STUDY = "src/attention_separation/needle"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """The project with the needle made at the scale smoke, by its part's name first, without
    PyTorch; only to be read."""
    project = Project(tmp_path_factory.mktemp("needle"))
    done = project.run("needle_lines", "--config", SMOKE, torch=False)
    assert done.returncode == 0, done.stdout
    assert project.would_run(*ASK) == set()
    project.make(*ASK)
    return project


@pytest.fixture
def made(made_once, tmp_path):
    """A copy of it."""
    return made_once.copy(tmp_path)


def test_everything_is_made_and_current(made_once):
    folder = made_once.folder / FOLDER
    for name in FIGURES_OF_LINES:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/{name}.{extension}").stat().st_size > 300
    for name in (*TABLES_OF_LINES, "needle_claims"):
        for extension in ("html", "csv", "parquet"):
            assert (folder / f"tables/{name}.{extension}").stat().st_size > 300
    assert {path.name for path in (made_once.folder / "results").iterdir()} == {"needle"}
    done = made_once.run_command("needle-verify", FOLDER, SMOKE)
    assert done.returncode == 0, done.stdout
    assert f"{len(made_once.files()) - 1:5} current" in done.stdout
    done = made_once.run_command("needle-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "The same with noise, claims at the scale smoke: 3 agree" in done.stdout


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(made, monkeypatch):
    studies = load_config(made.folder / "config.yaml", overrides_of([SMOKE])).studies()
    assert_verify_sees_damage(studies, studies["needle"], made.folder, flips=20)
    assert assert_no_job_reads_damage(studies["needle"], made.folder, monkeypatch) > 3


def test_plain_snakemake_makes_none_of_it(project):
    assert not {name for name in project.would_run() if name.startswith("needle")}


def test_the_report_holds_it(made):
    made.make("phase", "--config", SMOKE, "scale=smoke")
    out = made.make(
        "report", "--report-after-run", "--report", "page.html", "--config", SMOKE, "scale=smoke"
    )
    assert "Report created" in out
    report = Report(made.folder / "page.html")
    assert "2 The same with noise" in report.categories
    listed = {Path(path).name for path in report.results}
    assert {"needle_accuracy.png", "needle_claims.html"} <= listed
    assert "needle_lines.html" not in listed
