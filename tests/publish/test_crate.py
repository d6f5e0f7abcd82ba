"""`crate` writes a valid Workflow Run RO-Crate of results, the same bytes each time."""

import hashlib
import json
import os
import zipfile

import pytest
from forked import command
from rocrate.rocrate import ROCrate
from rocrate_validator import models, services

PROFILE = "workflow-run-crate"
METADATA = "ro-crate-metadata.json"

LEFT = {
    "The Application SHOULD have a url",
    "The SoftwareApplication id SHOULD be an absolute URI",
    "The organization SHOULD have a URL.",
    "The `publisher` property of a `Root Data Entity` SHOULD be an `Organization`",
    "The Main Workflow SHOULD comply with Bioschemas ComputationalWorkflow profile version 1.0 "
    "or later",
}  # fmt: skip
"""What is recommended and not there: the repository has no address of its own to name, who deposits
a crate names the publisher, and Bioschemas asks for an address too."""


@pytest.fixture(scope="module")
def crate(project):
    """The zip, of a run by somebody who is named."""
    done = command(project.folder, "crate", "--agent", "A. Person")
    assert done.returncode == 0, done.stdout
    return project.folder / "results/crate.zip"


@pytest.fixture
def unpacked(crate, tmp_path):
    """Its content."""
    folder = tmp_path / "crate"
    zipfile.ZipFile(crate).extractall(folder)
    return folder


def faults(folder, severity=models.Severity.REQUIRED) -> set[str]:
    """What the profiles find, from the least severe that counts."""
    settings = services.ValidationSettings(
        rocrate_uri=str(folder), profile_identifier=PROFILE, requirement_severity=severity,
        offline=True, cache_path=folder.with_suffix(".cache"),
    )  # fmt: skip
    return {str(issue.message) for issue in services.validate(settings).get_issues(severity)}


# rdflib's, which the validator calls.
old_graphs = pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning")


@old_graphs
def test_it_has_all_that_its_profiles_demand_and_most_that_they_recommend(unpacked, network):
    assert faults(unpacked) == set()
    assert faults(unpacked, models.Severity.RECOMMENDED) <= LEFT
    assert network.refused == []


@old_graphs
@pytest.mark.parametrize(
    ("kind", "key", "said"),
    [
        ("CreateAction", "instrument", "MUST have an instrument"),
        ("Dataset", "mainEntity", "Main Workflow must be specified"),
        ("Dataset", "license", "must specify a license"),
    ],
)
def test_the_validator_finds_what_is_left_out(unpacked, network, kind, key, said):
    path = unpacked / METADATA
    whole = json.loads(path.read_text(encoding="utf-8"))
    del next(each for each in whole["@graph"] if each["@type"] == kind and key in each)[key]
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert any(said in fault for fault in faults(unpacked))


def test_every_file_has_its_digest_and_every_result_is_in_it(unpacked, project):
    described = {entity.id: entity for entity in ROCrate(unpacked).data_entities}
    files = {name: entity for name, entity in described.items() if "sha256" in entity}
    for name, entity in files.items():
        content = (unpacked / name).read_bytes()
        assert entity["sha256"] == hashlib.sha256(content).hexdigest(), name
        assert entity["contentSize"] == str(len(content)), name
    results = {path for path in files if path.startswith("results/")}
    assert results == project.files().keys() - {"results/crate.zip"}
    assert {"Snakefile", "config.yaml", "requirements.lock", "LICENSE"} <= files.keys()
    assert {"src/", "workflow/", "profiles/"} <= described.keys()
    assert not [path for path in unpacked.rglob("*") if "__pycache__" in path.parts]


def test_the_run_says_of_what_when_and_by_whom(unpacked):
    crate = ROCrate(unpacked)
    (run,) = crate.get_by_type("CreateAction")
    assert run["instrument"] is crate.mainEntity
    assert crate.mainEntity.id == "Snakefile"
    assert run["object"].id == "config.yaml"
    assert run["agent"]["name"] == "A. Person"
    assert run["startTime"] < run["endTime"]
    assert crate.root_dataset["datePublished"] == run["endTime"]
    results = {entity.id for entity in run["result"]}
    assert {"results/figures/fig4.svg", "results/panels/fig4a.parquet"} <= results
    assert "files of a whole run" in crate.description


def test_the_same_files_give_the_same_bytes(crate, project):
    before = crate.read_bytes()
    os.utime(project.folder / "Snakefile", (10**9, 10**9))
    assert command(project.folder, "crate", "--agent", "A. Person").returncode == 0
    assert crate.read_bytes() == before


def test_other_settings_than_those_of_the_results_are_refused(crate, project):
    before = crate.read_bytes()
    done = command(project.folder, "crate", "seed=8")
    assert done.returncode == 1
    assert "results/figures/fig4.csv: of other settings" in done.stdout
    assert "KEY=VALUE" in done.stdout
    assert crate.read_bytes() == before


def test_where_nothing_is_made_it_says_so(project):
    done = command(project.folder, "crate", "scale=deep", "head_rank={scale: paper}")
    assert done.returncode == 1
    wanted = (
        "no results in results/deep, results/head_rank/paper, results/needle: first make paper, "
    )
    assert wanted + "make needle or make rank" in done.stdout
    assert not (project.folder / "results/deep").exists()
