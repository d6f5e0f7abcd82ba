"""The second paper's rules with training, at the scale smoke."""

import pytest
from making import head_rank
from project import Project
from rank_cells import SMOKE

ASK = ("rank", "--config", SMOKE)
SMOKE_STUDY = head_rank(scale="smoke")
TRAINED = {f"rank_train_{name}" for name in SMOKE_STUDY.every_cell}
AFTER = {"rank_fig1", "rank_fig2", "rank_fig3", "rank_fig4", "rank_fresh", "rank_claims"}
PAPER = "src/attention_separation/head_rank"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The project with the second paper made, all of it; only to be read."""
    project = Project(tmp_path_factory.mktemp("trained"))
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


@pytest.mark.parametrize(
    "edit",
    [
        (f"{PAPER}/training/transformer.py", "dimension**-0.5", "dimension**-0.51"),
        ("src/attention_separation/training/checkpoint.py", '"made_with_{name}"', '"with_{name}"'),
    ],
)
def test_a_change_of_training_trains_again(trained, tmp_path, edit):
    changed = trained.copy(tmp_path)
    changed.edit(*edit)
    assert changed.would_run(*ASK) == TRAINED | AFTER
