"""Recall's rules: what is made without PyTorch, that it is current, and that damage is seen."""

import re

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from project import Project

from attention_separation.config import load_config, overrides_of
from attention_separation.studies.recall.settings.titles import FIGURES_OF_RECALL

pytestmark = pytest.mark.whole_run

SMOKE = "recall={scale: smoke}"
FOLDER = "results/recall/smoke"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """The project with recall made at the scale smoke, its claims without PyTorch and the rest by
    this checkout, if it has it; only to be read."""
    project = Project(tmp_path_factory.mktemp("recall"))
    project.begin_with_made(FOLDER)
    (project.folder / FOLDER / "tables/recall_claims.parquet").unlink(missing_ok=True)
    done = project.run("recall", "--config", SMOKE, torch=False)
    assert done.returncode == 0, done.stdout
    return project


def test_everything_is_made_and_current(made_once):
    assert made_once.would_run("recall", "--config", SMOKE) == set()
    folder = made_once.folder / FOLDER
    for name in FIGURES_OF_RECALL:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/{name}.{extension}").stat().st_size > 300
    for name in ("recall_lines", "recall_capacity", "recall_claims"):
        for extension in ("html", "csv", "parquet"):
            assert (folder / f"tables/{name}.{extension}").stat().st_size > 300
    assert {path.name for path in (made_once.folder / "results").iterdir()} == {"recall"}
    done = made_once.run_command("recall-verify", FOLDER, SMOKE)
    assert done.returncode == 0, done.stdout
    done = made_once.run_command("recall-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "How many pairs a layer recalls, claims at the scale smoke: " in done.stdout
    verdicts = re.findall(r"^ *(agrees|differs|undecided) +R\d", done.stdout, re.MULTILINE)
    assert len(verdicts) == 6
    assert "differs" not in verdicts


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(made_once, tmp_path, monkeypatch):
    made = made_once.copy(tmp_path)
    studies = load_config(made.folder / "config.yaml", overrides_of([SMOKE])).studies()
    assert_verify_sees_damage(studies, studies["recall"], made.folder, flips=20)
    assert assert_no_job_reads_damage(studies["recall"], made.folder, monkeypatch) > 3


def test_plain_snakemake_makes_none_of_it(project):
    assert not {name for name in project.would_run() if name.startswith("recall")}
