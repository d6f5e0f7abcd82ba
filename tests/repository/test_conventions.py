"""What tools of others look for: GitHub's, and the catalogue of Snakemake workflows."""

import re
import tomllib

import yaml
from making import ROOT
from packaging.requirements import Requirement

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.M))
ELSEWHERE = {"test-cluster", "test-faults"}
"""Targets of .ci/run that a runner of GitHub's does not call: they need root."""


def commands(text: str) -> set[str]:
    """The targets of make that a text calls."""
    return set(re.findall(r"\bmake ([a-z][\w-]*)", re.sub(r"^ *#.*$", "", text, flags=re.M)))


def test_they_call_targets_that_there_are_on_linux_and_on_macos():
    called = set()
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        called |= commands(text)
        jobs = yaml.safe_load(text)["jobs"]
        assert "macos-latest" in text
        assert "ubuntu-latest" in text
        for job in jobs.values():
            runs = [step["run"].split()[0] for step in job["steps"] if "run" in step]
            assert {*runs} == {"make"}
    assert called <= TARGETS
    ci = commands((ROOT / ".ci/run").read_text(encoding="utf-8")) - {"gallery", "keep"}
    assert ci - ELSEWHERE - {"report"} <= called


def test_every_target_is_phony_and_told():
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())
    assert phony == TARGETS
    told = set(re.findall(r"^\t@echo 'make ([a-z][\w-]*)", MAKEFILE, re.M))
    assert told <= TARGETS
    assert {"paper", "rank", "report", "docs", "test"} <= told


def test_the_catalogue_of_workflows_finds_what_it_looks_for():
    """Its general list: README with two words, a Snakefile in workflow/ where there is such a
    folder, and rules that end on .smk."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme
    assert "../Snakefile" in (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
    assert {path.suffix for path in (ROOT / "workflow/rules").iterdir()} == {".smk"}
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))["usage"]
    assert usage["report"] is True


def test_the_catalogue_has_its_page_on_settings():
    """Its list of standardised usage wants config/README.md: it names sections that there are."""
    page = (ROOT / "config/README.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"`(\w+):`", page))
    settings = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert sections == settings.keys() - {"seed", "jobs"}
    for target in re.findall(r"\]\(([^)]+)\)", page):
        assert (ROOT / "config" / target).is_file(), target


def test_the_environment_of_rules_has_what_jobs_ask_for():
    """Of one channel: jobs import no Snakemake, which is in another."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["workflow"]]
    libraries = [each for each in map(Requirement, asked) if each.name != "snakemake"]
    wanted = {f"{each.name} {sorted_(each)}" for each in libraries}
    text = (ROOT / "workflow/envs/environment.yaml").read_text(encoding="utf-8")
    environment = yaml.safe_load(text)
    assert environment["channels"] == ["conda-forge"]
    found = {*environment["dependencies"]}
    assert found == wanted | {f"python {project['requires-python']}"}


def sorted_(requirement: Requirement) -> str:
    """Its versions as conda has them, the least first."""
    return ",".join(sorted(map(str, requirement.specifier), reverse=True))
