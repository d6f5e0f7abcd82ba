"""A panel and a map whose contest is not the paper's, in a whole run."""

import re

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from making import ROOT, spelled_out
from project import FEW_KERNELS, Project

pytestmark = pytest.mark.whole_run

SELF = {"n": 60, "d": 12, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
CONTEST = {"fires": "exp", "silent": ["linear", "elu_plus_one", "x**2"]}
EVENTS = [
    "exp_d1_positive", "linear_d1_zero", "elu_plus_one_d1_zero", "x**2_d1_zero",
    "exp_d0_zero", "linear_d0_zero", "elu_plus_one_d0_zero", "x**2_d0_zero",
]  # fmt: skip
PAPERS = ["f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero"]
TRIALS = "results/panels/mine.parquet"
PANELS = {
    "papers": {"model": "self_attention", "sweep": {"a1": [0.8, 1.2]}, "trials": 300},
    "mine": {
        "model": "self_attention", "sweep": {"m": [2, 9, 30]}, "trials": 300, "contest": CONTEST,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The project with two panels, one of them of another contest, all of it made."""
    project = Project(tmp_path_factory.mktemp("contests"))
    path = project.folder / "config.yaml"
    whole = spelled_out()
    whole["any_attention"] |= FEW_KERNELS
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
    sizes = {"regression": [100], "self_attention": [{"n": 60, "d": 12}]}
    whole["lemmas"]["sizes"] |= sizes | {"cross_attention": [{"n": 60, "d": 11}]}
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    project.make()
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
    assert "Nothing to be done" in whole.make()


def test_slices_of_its_trials_change_no_byte_and_the_dense_engine_no_count(whole, tmp_path):
    copy = whole.copy(tmp_path)
    said = copy.make(TRIALS, "--config", "jobs={slices: 3}", "--forceall")
    assert "slice mine 3 3" in said
    assert copy.files("results/panels") == whole.files("results/panels")
    copy.make(TRIALS, "--config", "engine=dense")
    assert copy.files("results/panels") != whole.files("results/panels")
    assert read(copy, "panels/mine").to_pylist() == read(whole, "panels/mine").to_pylist()


def test_another_contest_reruns_what_depends_on_it(whole):
    said = whole.would_run("--config", "panels={mine: {contest: {silent: [linear, x**3]}}}")
    assert said == {
        "simulate", "exact", "figure", "verdicts", "check", "whp", "choices", "threshold", "theta",
        "phase", "index",
    }  # fmt: skip
    map_of_one = "open_choices={phase: {map: {contest: {silent: []}}}}"
    assert whole.would_run("--config", map_of_one) == {"phase", "index"}


def test_all_is_current_and_commands_read_it(whole):
    def said_by(*arguments):
        done = whole.run_command(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    said = said_by("verify", "results", "--sample", "5")
    assert said.count("the same") == 5
    assert re.search(r"^mine +3 +300 .* agrees$", said_by("summary"), re.M)


def test_what_docs_keep_is_what_their_command_makes(tmp_path):
    """Where it is not, the files of results/contests belong into docs/contests."""
    project, kept = Project(tmp_path), ROOT / "docs/contests"
    figures = sorted(path.stem for path in kept.glob("*.svg"))
    project.make(*figures, "verdicts", "--configfile", f"{kept}.yaml")
    made = project.folder / "results/contests"
    for name in figures:
        picture = (made / f"figures/{name}.svg").read_bytes()
        assert picture == (kept / f"{name}.svg").read_bytes(), name
    verdicts = [pd.read_csv(path) for path in (made / "tables/verdicts.csv", kept / "verdicts.csv")]
    pd.testing.assert_frame_equal(*verdicts, rtol=1e-6, atol=1e-13)
