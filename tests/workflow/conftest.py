"""Copies of the project for the tests of the workflow."""

import pytest
import yaml
from workflow.project import Project


@pytest.fixture
def project(tmp_path):
    """The project as it is, nothing made."""
    return Project(tmp_path)


@pytest.fixture
def small(tmp_path):
    """The project with one or two small panels of each model."""
    made = Project(tmp_path)
    path = tmp_path / "config.yaml"
    values = yaml.safe_load(path.read_text())
    values["panels"] = {k: values["panels"][k] for k in ("fig3a", "fig4a", "fig4b", "fig7b")}
    values["panels"]["fig3a"]["sweep"] = {"n": [100, 150]}
    values["panels"]["fig4a"]["sweep"] = {"n": [200, 210]}
    for panel in values["panels"].values():
        panel["trials"] = 20
    values["figures"] = {
        "fig3": {"title": "Three", "panels": ["fig3a"]},
        "fig4": {"title": "Four", "panels": ["fig4a", "fig4b"]},
        "fig7": {"title": "Seven", "panels": ["fig7b"]},
    }
    grid = {"d": [4, 6], "m": [2, 4]}
    fixed = {"n": 40, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
    values["phase"] = {"small": {"model": "self_attention", "sweep": grid, "fixed": fixed}}
    values["claims"] |= {"theta": 0.85, "tau": 0.24}
    values["panels"] = values.pop("panels")
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    return made
