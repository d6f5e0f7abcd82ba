"""The needle's rules with training, at the scale smoke."""

import pytest
from making import CONFIG
from project import Project

from attention_separation.studies.needle.study import Needle

SMOKE = "needle={scale: smoke}"
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
    project.begin_with_made("results/needle/smoke")
    project.make(*ASK)
    return project


def test_a_second_run_has_nothing_to_do(trained):
    assert trained.would_run(*ASK) == set()
    made = {name.rpartition("/")[2].partition(".")[0] for name in trained.files()}
    assert made >= AFTER
    assert STUDY.cells.keys() <= made


def test_the_same_bytes_again(trained, tmp_path):
    other = Project(tmp_path)
    cell = "results/needle/smoke/cells/self_attention_mu5_n32_linear.parquet"
    other.make(cell, "--config", SMOKE, "--cores", "1")
    assert other.files()[cell] == trained.files()[cell]
