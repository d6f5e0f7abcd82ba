"""Recall's rules at the scale smoke, as this checkout has made it; they need no PyTorch."""

import re

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from project import Project

from attention_separation.config import load_config, overrides_of
from attention_separation.studies.recall.settings.titles import FIGURES_OF_RECALL

SMOKE = "recall={scale: smoke}"
FOLDER = "results/recall/smoke"


@pytest.fixture(scope="module")
def recalled(tmp_path_factory):
    """The project with recall made, its claims without PyTorch; only to be read."""
    project = Project(tmp_path_factory.mktemp("recall"))
    project.begin_with_made(FOLDER)
    (project.folder / FOLDER / "tables/recall_claims.parquet").unlink(missing_ok=True)
    done = project.run("recall", "--config", SMOKE, torch=False)
    assert done.returncode == 0, done.stdout
    return project


def test_everything_is_made_and_current(recalled):
    assert recalled.would_run("recall", "--config", SMOKE) == set()
    folder = recalled.folder / FOLDER
    for name in FIGURES_OF_RECALL:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/{name}.{extension}").stat().st_size > 300
    for name in ("recall_lines", "recall_capacity", "recall_claims"):
        for extension in ("html", "csv", "parquet"):
            assert (folder / f"tables/{name}.{extension}").stat().st_size > 300
    assert {path.name for path in (recalled.folder / "results").iterdir()} == {"recall"}
    done = recalled.run_command("recall-verify", FOLDER, SMOKE)
    assert done.returncode == 0, done.stdout
    done = recalled.run_command("recall-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "How many pairs a layer recalls, claims at the scale smoke: " in done.stdout
    verdicts = re.findall(r"^ *(agrees|differs|undecided) +R\d", done.stdout, re.MULTILINE)
    assert len(verdicts) == 6
    assert "differs" not in verdicts


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(recalled, tmp_path, monkeypatch):
    made = recalled.copy(tmp_path)
    studies = load_config(made.folder / "config.yaml", overrides_of([SMOKE])).studies()
    assert_verify_sees_damage(studies, studies["recall"], made.folder, flips=10)
    assert assert_no_job_reads_damage(studies["recall"], made.folder, monkeypatch) > 3
