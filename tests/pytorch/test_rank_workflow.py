"""The second paper's rules with training, at the scale smoke."""

import re
from pathlib import Path

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from made_report import Report
from making import SECTION, head_rank
from project import Project
from rank_cells import SMOKE
from training_jobs import small

from attention_separation.studies.head_rank.training import train_cell

ASK = ("rank", "--config", SMOKE)
SMOKE_STUDY = head_rank(scale="smoke")
FIGURES = (
    "theory", "heads", "points", "temperature", "vote", "random_features", "weight", "fig1", "fig2",
    "fig3", "fig4", "fresh",
)  # fmt: skip
TRAINED = {f"rank_train_{name}" for name in SMOKE_STUDY.every_cell}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The project with the second paper made, all of it; only to be read."""
    project = Project(tmp_path_factory.mktemp("trained"))
    project.begin_with_made("results/head_rank/smoke")
    project.make(*ASK)
    return project


@pytest.fixture
def copy(trained, tmp_path):
    """A copy of it."""
    return trained.copy(tmp_path)


def test_everything_is_made_and_current(trained):
    folder = trained.folder / SMOKE_STUDY.folder
    for name in FIGURES:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/rank_{name}.{extension}").stat().st_size > 100
    for name in ("rank_claims", "rank_errors"):
        assert (folder / f"tables/{name}.html").stat().st_size > 1000
    assert trained.would_run(*ASK) == set()
    # Nothing of the first paper.
    assert {path.name for path in (trained.folder / "results").iterdir()} == {"head_rank"}
    done = trained.run_command("rank-verify", SMOKE_STUDY.folder, SMOKE)
    assert done.returncode == 0, done.stdout
    assert f"{len(trained.files()) - 1:5} current" in done.stdout
    done = trained.run_command("rank-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "agrees     majority vote" in done.stdout


def test_what_is_not_current_is_named(copy):
    folder = copy.folder / SMOKE_STUDY.folder
    (folder / "figures/rank_vote.svg").write_text("<svg/>")
    (folder / "tables/rank_claims.csv").unlink()
    done = copy.run_command("rank-verify", SMOKE_STUDY.folder, SMOKE)
    assert "figures/rank_vote.svg: other bytes than manifest.json lists" in done.stdout
    assert "tables/rank_claims.csv: missing" in done.stdout
    assert "2 files are not current" in done.stdout
    done = copy.run_command("rank-verify", SMOKE_STUDY.folder, SMOKE, "seed=5")
    assert "numbers/vote.parquet: of other settings" in done.stdout
    assert "cells/d4_n3_L1_w1_r1.parquet: of other settings" in done.stdout
    copy.add_line("src/attention_separation/studies/head_rank/training/transformer.py")
    done = copy.run_command("rank-verify", SMOKE_STUDY.folder, SMOKE)
    assert f"{len(TRAINED)} of other code" in done.stdout


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(copy, monkeypatch):
    assert_verify_sees_damage({SMOKE_STUDY.name: SMOKE_STUDY}, SMOKE_STUDY, copy.folder, flips=20)
    assert assert_no_job_reads_damage(SMOKE_STUDY, copy.folder, monkeypatch) > len(TRAINED)


def test_the_report_holds_what_has_been_made(copy):
    scales = ("--config", SMOKE, "scale=smoke")
    # Of the first paper all, as long as nothing of it has been made.
    first = {f"simulate_{name}" for name in SECTION.panels} | {
        f"exact_{k}" for k in SECTION.figures
    }
    first |= {
        *SECTION.figures,
        "verdicts",
        "claims",
        "whp",
        "choices",
        "threshold",
        "theta",
        "index",
    }
    pages = {"report", "provenance"}
    assert copy.would_run("report", *scales) == first | {"phase"} | pages
    copy.make("phase", *scales)
    assert copy.would_run("report", *scales) == pages
    out = copy.make("report", "--report-after-run", "--report", "page.html", *scales)
    assert "Report created" in out
    report = Report(copy.folder / "page.html")
    assert sorted(report.categories)[:2] == [
        "1 Open choices of the first paper",
        "2 The rank of attention heads",
    ]
    listed = {Path(path).name for path in report.results}
    assert {"rank_fig1.png", "rank_claims.html"} <= listed
    assert "rank_bound.html" not in listed


def test_the_same_bytes_again(trained, tmp_path):
    other = Project(tmp_path)
    other.make("rank_fig4", "--config", SMOKE, "--cores", "1")
    made = other.files()
    assert len(made) == 4 + 5
    assert [name for name, content in made.items() if trained.files()[name] != content] == []


def test_how_long_training_takes_is_measured_for_what_is_not_trained(trained, tmp_path):
    def said(project):
        done = project.run_command("rank-time", SMOKE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said(trained) == f"all {len(TRAINED)} cells are trained\n"
    other = trained.copy(tmp_path)
    gone = sorted(TRAINED)[:3]
    for rule in gone:
        name = rule.removeprefix("rank_train_")
        (other.folder / SMOKE_STUDY.folder / f"cells/{name}.parquet").unlink()
    words = said(other).splitlines()[-1]
    found = re.fullmatch(
        r"3 cells to train, (\S+) operations: about (\S+) minutes of one (core|GPU), the longest "
        r"(\S+), at (\S+) GFLOP/s, measured here; less what checkpoints have", words,
    )  # fmt: skip
    assert found, words
    operations, minutes, longest, rate = (float(found[k]) for k in (1, 2, 4, 5))
    flops = [SMOKE_STUDY.results[rule].settings.training_flops() for rule in gone]
    assert operations == pytest.approx(sum(flops), rel=0.05)
    assert 0 < longest <= minutes
    assert rate == pytest.approx(operations / (60e9 * minutes), rel=0.1)


def test_cells_beyond_what_is_measured_go_by_the_last_rate(monkeypatch):
    jobs = [small(steps=steps) for steps in (100, 300, 200)]
    monkeypatch.setattr(train_cell, "seconds_per_step", lambda job, device: 0.25)
    assert train_cell.seconds_of_training(jobs, "cpu") == [25.0, 75.0, 50.0]
    at_each_speed = {100: 0.25, 200: 0.5, 300: 1.0}
    monkeypatch.setattr(train_cell, "seconds_per_step", lambda job, _: at_each_speed[job.steps])
    assert train_cell.seconds_of_training(jobs, "cpu") == [25.0, 300.0, 100.0]
    monkeypatch.setattr(train_cell, "MOST_SECONDS", -1.0)
    assert train_cell.seconds_of_training(jobs, "cpu") == pytest.approx([25.0, 75.0, 50.0])
    larger = [*jobs, small(feed_forward=160)]
    expected = larger[3].training_flops() * 25.0 / jobs[0].training_flops()
    assert train_cell.seconds_of_training(larger, "cpu")[3] == pytest.approx(expected)
