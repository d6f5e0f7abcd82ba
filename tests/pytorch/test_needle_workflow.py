"""The needle's rules with training, at the scale smoke."""

import pytest
from making import CONFIG
from project import Project

from attention_separation.needle.study import Needle

SMOKE = "needle={scale: smoke}"
ASK = ("needle", "--config", SMOKE)
STUDY = Needle(CONFIG.needle.model_copy(update={"scale": "smoke"}), CONFIG.seed, CONFIG.jobs, {})
TRAINED = {f"needle_cell_{name}" for name in STUDY.cells}
AFTER = {
    "needle_cells", "needle_claims", "needle_accuracy", "needle_critical", "needle_features",
    "needle_paper_network",
}  # fmt: skip
PACKAGE = "src/attention_separation"
ROOM = f"{PACKAGE}/needle"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The project with the needle made, all of it; only to be read."""
    project = Project(tmp_path_factory.mktemp("trained"))
    project.make(*ASK)
    return project


def test_a_second_run_has_nothing_to_do(trained):
    assert trained.would_run(*ASK) == set()
    made = {name.rpartition("/")[2].partition(".")[0] for name in trained.files()}
    assert made >= AFTER
    assert STUDY.cells.keys() <= made


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ((f"{ROOM}/training/weights.py", "FLOOR = 1e-3", "FLOOR = 2e-3"), TRAINED | AFTER),
        ((f"{PACKAGE}/training/ensemble.py", "EPS = 1e-8", "EPS = 1e-9"), TRAINED | AFTER),
        ((f"{ROOM}/claims/trained_claims.py", "NEAR, BEHIND = 0.04", "NEAR, BEHIND = 0.05"),
         {"needle_claims"}),
        ((f"{ROOM}/figures/networks.py", "held-out accuracy", "accuracy"),
         AFTER - {"needle_cells", "needle_claims"}),
    ],
)  # fmt: skip
def test_a_change_reruns_what_depends_on_it(trained, tmp_path, edit, expected):
    changed = trained.copy(tmp_path)
    changed.edit(*edit)
    assert changed.would_run(*ASK) == expected


def test_another_rate_trains_its_cells_again(trained, tmp_path):
    changed = trained.copy(tmp_path)
    changed.edit(
        "config.yaml", "maps: [exp], batch: 32, steps: 60", "maps: [exp], batch: 32, steps: 59"
    )
    assert changed.would_run(*ASK) == {"needle_cell_query_learned_mu5_n32_exp"} | AFTER


def test_the_same_bytes_again(trained, tmp_path):
    other = Project(tmp_path)
    cell = "results/needle/smoke/cells/self_attention_mu5_n32_linear.parquet"
    other.make(cell, "--config", SMOKE, "--cores", "1")
    assert other.files()[cell] == trained.files()[cell]
