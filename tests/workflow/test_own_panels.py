"""Panels of one's own, one of them of another contest and of two parameters, a figure of both, and
all that shows them: by wildcard rules, their trials in slices."""

import re

import pyarrow.parquet as pq
import pytest
import yaml
from making import spelled_out
from project import Project

from attention_separation import __version__
from attention_separation.__main__ import main

SELF = {"n": 60, "d": 12, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
CONTEST = {"fires": "exp", "silent": ["linear", "elu_plus_one", "x**2"]}
EVENTS = [
    "exp_d1_positive", "linear_d1_zero", "elu_plus_one_d1_zero", "x**2_d1_zero",
    "exp_d0_zero", "linear_d0_zero", "elu_plus_one_d0_zero", "x**2_d0_zero",
]  # fmt: skip
PAPERS = ["f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero"]
TABLES = ("check", "whp", "threshold", "phase")
PANELS = {
    "papers": {"model": "self_attention", "sweep": {"a1": [0.8, 1.2]}, "trials": 300},
    "mine": {
        "model": "self_attention", "sweep": {"d": [6, 12, 17], "a1": [0.8, 1.2]}, "trials": 300,
        "contest": CONTEST,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The project with two panels, one of them of another contest, and all that shows them; and
    what its run said."""
    project = Project(tmp_path_factory.mktemp("own_panels"))
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {
        name: panel | {"fixed": {k: v for k, v in SELF.items() if k not in panel["sweep"]}}
        for name, panel in PANELS.items()
    }
    for panel in values["panels"].values():
        panel["fixed"]["m"] = 5
    values["figures"] = {"both": {"title": "Both", "panels": [*PANELS]}}
    grid = {"model": "self_attention", "sweep": {"a1": [0.8, 1.2], "m": [2, 9]}}
    fixed = {key: value for key, value in SELF.items() if key != "a1"}
    whole["open_choices"]["phase"] = {"map": grid | {"fixed": fixed, "contest": CONTEST}}
    whole["jobs"]["slices"] = 2
    (project.folder / "config.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
    return project, project.make("both", *TABLES, "--printshellcmds")


def read(project, path):
    return pq.read_table(project.folder / f"results/{path}.parquet")


def test_a_run_makes_the_tables_of_every_contest(finished):
    project, _ = finished
    mine = read(project, "panels/mine")
    assert mine["parameter"].unique().to_pylist() == ["d,a1"]
    assert len(mine) == 3 * 2
    assert mine.schema.names[15:23] == EVENTS
    assert read(project, "panels/papers").schema.names[15:19] == PAPERS
    exactly = read(project, "exact/mine").schema.names
    assert exactly[6:14] == [f"prob_{event}" for event in EVENTS]
    both = read(project, "figures/both")
    for event in EVENTS:
        assert both[event].null_count == 2
    for event in PAPERS:
        assert both[event].null_count == 6
    whp = read(project, "tables/whp").to_pylist()
    assert [row["event"] for row in whp if row["panel"] == "mine"] == [*EVENTS, "all"]
    networks = read(project, "tables/threshold")["network"].unique().to_pylist()
    assert networks == ["exp", "linear", "elu_plus_one", "x**2"]
    assert (project.folder / "results/checks/check.txt").read_text() == "panels: 2 agree\n"
    assert project.would_run("both", "mine", *TABLES) == {"figure", "mine"}


def test_they_have_the_wildcard_rules(finished):
    project, said = finished
    jobs = re.findall(r"^\d+ of \d+: (.*);", said, re.M)
    assert {job for job in jobs if "mine" in job} == {
        "exact mine", "simulate mine", "slice mine 1 2", "slice mine 2 2",
    }  # fmt: skip
    assert {"figure both", "both"} <= {*jobs}
    assert not (project.folder / "results/slices/mine").exists()
    for log in ("slice_mine_1-of-2", "simulate_mine", "exact_mine", "both"):
        path = project.folder / f"results/logs/{log}.log"
        first, line, *_, last = path.read_text().splitlines()
        assert first.startswith(f"# attention-separation {__version__}, Python 3.")
        assert " -m attention_separation job " in line
        assert re.fullmatch(r"# \d+\.\d s", last)
    # What a rule runs can be typed: settings are a file.
    assert re.search(
        r"-m attention_separation job studies\.softmax_vs_linear\.simulation\.simulate"
        r" --settings \.snakemake/settings/simulate_mine-\w+\.json"
        r" --merge results/slices/mine/1-of-2\.parquet results/slices/mine/2-of-2\.parquet"
        r" --output results/panels/mine\.parquet ",
        said,
    )


def test_commands_read_them(finished, monkeypatch, capsys):
    project, _ = finished
    monkeypatch.chdir(project.folder)
    main(["verify", "results", "--sample", "5"])
    assert capsys.readouterr().out.count("the same") == 5
    assert main(["summary"]) == 0
    assert re.search(r"^mine +6 +300 .* agrees$", capsys.readouterr().out, re.M)
