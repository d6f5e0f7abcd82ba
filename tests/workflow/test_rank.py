"""The second paper's rules, over cells that were never trained: all but training, without torch."""

import re
import shutil
from pathlib import Path

import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage
from made_report import Report
from making import SECTION, head_rank
from project import Project
from rank_cells import SMOKE, write_made_up

pytestmark = pytest.mark.whole_run

SCALED = head_rank(scale="smoke")
CELLS = SCALED.every_cell
FIGURES = (
    "theory",
    "heads",
    "points",
    "temperature",
    "vote",
    "random_features",
    "weight",
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "fresh",
)
PAPER = "src/attention_separation/studies/head_rank"
ASK = ("rank", "--config", SMOKE)


@pytest.fixture(scope="module")
def ranked_once(tmp_path_factory):
    """The project with the second paper made, at the scale smoke: by this checkout, if it has all
    of it and it is current, or else with cells that are made up. Only to be read."""
    made_here = Project(tmp_path_factory.mktemp("made_here"))
    made_here.begin_with_made(SCALED.folder)
    if made_here.run_command("rank-verify", SCALED.folder, SMOKE).returncode == 0:
        return made_here
    project = Project(tmp_path_factory.mktemp("ranked"))
    for name, job in CELLS.items():
        write_made_up(job, project.folder / SCALED.folder / "cells" / f"{name}.parquet")
    project.make(*ASK)
    return project


@pytest.fixture
def ranked(ranked_once, tmp_path):
    """A copy of it."""
    return ranked_once.copy(tmp_path)


def test_everything_is_made_and_current(ranked_once):
    folder = ranked_once.folder / SCALED.folder
    for name in FIGURES:
        for extension in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/rank_{name}.{extension}").stat().st_size > 100
    for name in ("rank_claims", "rank_errors"):
        assert (folder / f"tables/{name}.html").stat().st_size > 1000
    assert ranked_once.would_run(*ASK) == set()
    # Nothing of the first paper.
    assert {path.name for path in (ranked_once.folder / "results").iterdir()} == {"head_rank"}
    done = ranked_once.run_command("rank-verify", SCALED.folder, SMOKE)
    assert done.returncode == 0, done.stdout
    assert f"{len(ranked_once.files()) - 1:5} current" in done.stdout
    done = ranked_once.run_command("rank-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "agrees     majority vote" in done.stdout


def test_what_is_not_current_is_named(ranked):
    folder = ranked.folder / SCALED.folder
    (folder / "figures/rank_vote.svg").write_text("<svg/>")
    (folder / "tables/rank_claims.csv").unlink()
    done = ranked.run_command("rank-verify", SCALED.folder, SMOKE)
    assert "figures/rank_vote.svg: other bytes than manifest.json lists" in done.stdout
    assert "tables/rank_claims.csv: missing" in done.stdout
    assert "2 files are not current" in done.stdout
    done = ranked.run_command("rank-verify", SCALED.folder, SMOKE, "seed=5")
    assert "numbers/vote.parquet: of other settings" in done.stdout
    assert "cells/d4_n3_L1_w1_r1.parquet: of other settings" in done.stdout
    ranked.edit(f"{PAPER}/training/transformer.py", "dimension**-0.5", "dimension**-0.51")
    done = ranked.run_command("rank-verify", SCALED.folder, SMOKE)
    assert f"{len(CELLS)} of other code" in done.stdout


def test_one_changed_bit_is_seen_by_verify_and_by_every_job(ranked, monkeypatch):
    assert_verify_sees_damage({SCALED.name: SCALED}, SCALED, ranked.folder, flips=20)
    assert assert_no_job_reads_damage(SCALED, ranked.folder, monkeypatch) > len(CELLS)


def test_one_figure_asks_for_its_cells_alone(project):
    assert project.would_run("rank_fig4", "--config", SMOKE) == {"rank_train", "rank_fig4"}
    said = project.make("rank_fig4", "--config", SMOKE, "--dry-run")
    assert {*re.findall(r"Training (\w+)", said)} == {*SCALED.cells["fig4"]}


def test_a_cell_that_no_figure_has_is_refused_with_a_sentence(project):
    cell = f"{SCALED.folder}/cells/d4_n3_L9_w1_r1.parquet"
    done = project.run(cell, "--config", SMOKE)
    assert done.returncode == 1
    assert "rank_train_d4_n3_L9_w1_r1: the settings have no such" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (project.folder / "results").exists()


def test_without_torch_nothing_is_begun(ranked):
    for name in ("cells/d4_n3_L1_w1_r1.parquet", "tables/rank_claims.parquet"):
        (ranked.folder / SCALED.folder / name).unlink()
    shutil.rmtree(ranked.folder / SCALED.folder / "logs")
    done = ranked.run(*ASK, torch=False)
    assert done.returncode == 1
    assert "training needs PyTorch, which `make setup WITH=rank` installs" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (ranked.folder / SCALED.folder / "logs").exists()


def test_without_torch_what_needs_none_is_made(project):
    done = project.run("rank_vote", "--config", SMOKE, torch=False)
    assert done.returncode == 0, done.stdout
    assert (project.folder / SCALED.folder / "figures/rank_vote.svg").is_file()


def test_the_report_holds_what_has_been_made(ranked):
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
    assert ranked.would_run("report", *scales) == first | {"phase"} | pages
    ranked.make("phase", *scales)
    assert ranked.would_run("report", *scales) == pages
    out = ranked.make("report", "--report-after-run", "--report", "page.html", *scales)
    assert "Report created" in out
    report = Report(ranked.folder / "page.html")
    assert sorted(report.categories)[:2] == [
        "1 Open choices of the first paper", "2 The rank of attention heads",
    ]  # fmt: skip
    listed = {Path(path).name for path in report.results}
    assert {"rank_fig1.png", "rank_claims.html"} <= listed
    assert "rank_bound.html" not in listed
