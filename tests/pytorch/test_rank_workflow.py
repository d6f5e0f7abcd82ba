"""The second paper's rules with training, at the scale smoke."""

import re

import pytest
from making import head_rank
from project import Project
from rank_cells import SMOKE
from training_jobs import small

from attention_separation.studies.head_rank.training import train_cell

ASK = ("rank", "--config", SMOKE)
SMOKE_STUDY = head_rank(scale="smoke")
TRAINED = {f"rank_train_{name}" for name in SMOKE_STUDY.every_cell}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The project with the second paper made, all of it; only to be read."""
    project = Project(tmp_path_factory.mktemp("trained"))
    project.begin_with_made("results/head_rank/smoke")
    project.make(*ASK)
    return project


def test_a_second_run_has_nothing_to_do(trained):
    assert trained.would_run(*ASK) == set()


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
    monkeypatch.setattr(train_cell, "MOST_SECONDS", -1.0)
    assert train_cell.seconds_of_training(jobs, "cpu") == pytest.approx([25.0, 75.0, 50.0])
    larger = [*jobs, small(feed_forward=160)]
    expected = larger[3].training_flops() * 25.0 / jobs[0].training_flops()
    assert train_cell.seconds_of_training(larger, "cpu")[3] == pytest.approx(expected)
