"""Rules of the second paper and of both tasks, without PyTorch; tests/pytorch has whole runs."""

import re

import pytest
from making import head_rank
from project import planned
from rank_cells import SMOKE

RANK = head_rank(scale="smoke")
LINES = "needle={scale: smoke, scales: {smoke: {training: null}}}"
RECALL = "recall={scale: smoke}"


@pytest.fixture
def without_torch(project):
    """A function that runs snakemake where there is no PyTorch, all studies small."""

    def run(*targets):
        return project.run(*targets, "--config", SMOKE, LINES, RECALL, torch=False)

    return run


def test_one_figure_asks_for_its_cells_alone(project):
    ask = ("rank_fig4", "--config", SMOKE, "--dry-run", "--quiet", "host", "reason")
    said = project.make(*ask)
    assert planned(said) == {"rank_train", "rank_fig4"}
    assert {*re.findall(r"Training (\w+)", said)} == {*RANK.cells["fig4"]}


def test_a_cell_that_no_figure_has_is_refused_with_a_sentence(project):
    cell = f"{RANK.folder}/cells/d4_n3_L9_w1_r1.parquet"
    done = project.run(cell, "--config", SMOKE)
    assert done.returncode == 1
    assert "rank_train_d4_n3_L9_w1_r1: the settings have no such" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (project.folder / "results").exists()


def test_without_torch_no_training_is_begun(project, without_torch):
    done = without_torch("rank_fig4")
    assert done.returncode == 1
    assert "training needs PyTorch, which `make setup WITH=rank` installs" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (project.folder / RANK.folder / "logs").exists()


def test_without_torch_what_needs_none_is_made(project, without_torch):
    done = without_torch("results/recall/smoke/cells/linear.parquet")
    assert done.returncode == 0, done.stdout
    assert (project.folder / "results/recall/smoke/cells/linear.parquet").is_file()
