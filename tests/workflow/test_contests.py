"""A panel and a map whose contest is not the paper's, and all that shows them."""

import re

import pyarrow.parquet as pq
import pytest
import yaml
from making import spelled_out
from project import Project

SELF = {"n": 60, "d": 12, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
CONTEST = {"fires": "exp", "silent": ["linear", "elu_plus_one", "x**2"]}
EVENTS = [
    "exp_d1_positive", "linear_d1_zero", "elu_plus_one_d1_zero", "x**2_d1_zero",
    "exp_d0_zero", "linear_d0_zero", "elu_plus_one_d0_zero", "x**2_d0_zero",
]  # fmt: skip
PAPERS = ["f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero"]
SHOWN = ("both", "check", "whp", "threshold", "phase")
PANELS = {
    "papers": {"model": "self_attention", "sweep": {"a1": [0.8, 1.2]}, "trials": 300},
    "mine": {
        "model": "self_attention", "sweep": {"m": [2, 9, 30]}, "trials": 300, "contest": CONTEST,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The project with two panels, one of them of another contest, and all that shows them."""
    project = Project(tmp_path_factory.mktemp("contests"))
    path = project.folder / "config.yaml"
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {
        name: panel | {"fixed": {k: v for k, v in SELF.items() if k not in panel["sweep"]}}
        for name, panel in PANELS.items()
    }
    values["panels"]["papers"]["fixed"]["m"] = 5
    values["figures"] = {"both": {"title": "Both", "panels": ["papers", "mine"]}}
    grid = {"model": "self_attention", "sweep": {"a1": [0.8, 1.2], "m": [2, 9]}}
    fixed = {key: value for key, value in SELF.items() if key != "a1"}
    whole["open_choices"]["phase"] = {"map": grid | {"fixed": fixed, "contest": CONTEST}}
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    project.make(*SHOWN)
    return project


def read(project, path):
    return pq.read_table(project.folder / f"results/{path}.parquet")


def test_a_run_makes_the_tables_of_every_contest(whole):
    assert read(whole, "panels/mine").schema.names[15:23] == EVENTS
    assert read(whole, "panels/papers").schema.names[15:19] == PAPERS
    exactly = read(whole, "exact/mine").schema.names
    assert exactly[6:14] == [f"prob_{event}" for event in EVENTS]
    both = read(whole, "figures/both")
    for event in EVENTS:
        assert both[event].null_count == 2
    for event in PAPERS:
        assert both[event].null_count == 3
    whp = read(whole, "tables/whp").to_pylist()
    assert [row["event"] for row in whp if row["panel"] == "mine"] == [*EVENTS, "all"]
    networks = read(whole, "tables/threshold")["network"].unique().to_pylist()
    assert networks == ["exp", "linear", "elu_plus_one", "x**2"]
    assert (whole.folder / "results/checks/check.txt").read_text() == "panels: 2 agree\n"
    assert "Nothing to be done" in whole.make(*SHOWN)


def test_another_contest_reruns_what_depends_on_it(whole):
    said = whole.would_run(*SHOWN, "--config", "panels={mine: {contest: {silent: [linear, x**3]}}}")
    assert said == {
        "simulate", "exact", "figure", "both", "verdicts", "check", "whp", "threshold", "phase",
    }  # fmt: skip
    map_of_one = "open_choices={phase: {map: {contest: {silent: []}}}}"
    assert whole.would_run(*SHOWN, "--config", map_of_one) == {"phase"}


def test_commands_read_it(whole):
    said = whole.run_command("verify", "results", "--sample", "5").stdout
    assert said.count("the same") == 5
    assert re.search(r"^mine +3 +300 .* agrees$", whole.run_command("summary").stdout, re.M)
