"""What tools of others look for: GitHub's, and the catalogue of Snakemake workflows; that lock
files agree, and that a constant's name means one thing in the package."""

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from making import ROOT
from packaging.requirements import Requirement
from page_commands import all_commands

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(" ".join(re.findall(r"^([a-z][\w -]*):(?!=)", MAKEFILE, re.M)).split())
CONVENTIONS = {"SCHEMA", "ABOUT", "TITLE"}
"""Constants of a module that makes a table: its columns, the words on it, its title."""

MORE_MEANINGS = {"LAYERS"}
"""Names that still have several meanings: `recall.LAYERS` is public."""

CI = (ROOT / ".ci/run").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """The commands of make that a text has, a line each."""
    return re.findall(r"^ *(make .*)$", text, re.M)


def steps_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The steps of each job of a workflow file."""
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return {name: job["steps"] for name, job in jobs.items()}


def alike(things: Sequence[object]) -> list[object]:
    """Those that stand more than once."""
    return [one for k, one in enumerate(things) if one in things[:k]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_on_linux_and_macos_what_our_own_check_runs_once_each(path):
    text = path.read_text(encoding="utf-8")
    assert "macos-latest" in text
    assert "ubuntu-latest" in text
    steps = steps_of(path)
    runs = [step["run"] for job in steps.values() for step in job if "run" in step]
    assert set(runs) <= {*commands(CI)}
    assert alike(runs) == []
    for job, own in steps.items():
        assert alike(own) == [], job


def test_our_own_check_runs_targets_that_there_are_once_each():
    called = commands(CI)
    assert alike(called) == []
    assert {command.split()[1] for command in called} <= TARGETS


def test_two_steps_that_are_alike_are_found():
    assert alike(["make test", "make lint", "make test"]) == ["make test"]


def test_every_target_is_phony_and_has_its_word_in_the_help():
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())
    assert phony == TARGETS
    lines = re.findall(r"^\t@echo '(.*)'$", MAKEFILE, re.M)
    groups = [line.split()[0] for line in lines if "   " in line]
    assert groups == ["make", "study", "look", "check", "keep"]
    assert {*re.findall(r"[a-z][a-z-]*", " ".join(lines))} >= TARGETS - {"help"}


def test_what_is_installed_beside_has_a_lock_and_what_is_tested_a_folder():
    parts = re.search(r"^PARTS := (.*)$", MAKEFILE, re.M)[1].split()
    for part in parts:
        assert (ROOT / f"locks/{part}.lock").is_file(), part
    tested = dict(re.findall(r"^TESTS_(\w+) := (?:(tests/\S+))?", MAKEFILE, re.M))
    assert len(tested) > 5
    for name, folder in tested.items():
        assert (ROOT / folder).is_dir(), name
    pages = " ".join(all_commands(ROOT)) + CI
    assert {*re.findall(r"\bOF=(\w+)", pages)} <= tested.keys()
    assert {*re.findall(r"\bWITH=\"?(\w+)", pages)} <= {*parts}


def pins(path: str) -> set[str]:
    return set(re.findall(r"^(\S+==\S+(?: ; .+)?) \\$", (ROOT / path).read_text(), re.M))


def versions(path: str) -> set[str]:
    """The pins without their platforms: of what two locks need, one may need it on fewer."""
    return {pin.partition(" ;")[0] for pin in pins(path)}


@pytest.mark.parametrize(
    ("more", "brings"),
    [
        ("test", "pytest"),
        ("cluster", "snakemake-executor-plugin-slurm"),
        ("rank", "torch"),
        ("rank-cpu", "torch"),
        ("publish", "zensical"),
        ("explore", "marimo"),
    ],
)
def test_what_is_installed_beside_changes_nothing_that_is_there(more, brings):
    there = {"build", "run", "test"} - {more}
    locked = set().union(*(versions(f"locks/{name}.lock") for name in there))
    names = {pin.partition("==")[0] for pin in locked}
    found = versions(f"locks/{more}.lock")
    assert {pin for pin in found if pin.partition("==")[0] in names} <= locked
    assert brings in {pin.partition("==")[0] for pin in found - locked}


def test_the_lock_with_the_cpu_build_has_the_same_packages_less_those_of_cuda():
    whole, cpu = pins("locks/rank.lock"), pins("locks/rank-cpu.lock")
    torch = next(pin for pin in whole if pin.startswith("torch=="))
    assert cpu - whole == {f"{torch}+cpu"}
    assert all(
        pin == torch or pin.startswith(("cuda-", "nvidia-", "triton==")) for pin in whole - cpu
    )


def test_the_explorer_and_the_site_agree_on_what_both_need():
    # Both are installed beside each other.
    explorer, site = (
        dict(pin.split("==") for pin in versions(f"locks/{name}.lock"))
        for name in ("explore", "publish")
    )
    both = explorer.keys() & site.keys()
    assert {name: explorer[name] for name in both} == {name: site[name] for name in both}
    assert "pymdown-extensions" in both


def test_the_catalogue_of_workflows_finds_what_it_looks_for():
    """Its general list: README with two words, a Snakefile in workflow/ where there is such a
    folder, and rules that end on .smk."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme
    assert 'include: "workflow/Snakefile"' in (ROOT / "Snakefile").read_text(encoding="utf-8")
    assert {path.suffix for path in (ROOT / "workflow/rules").iterdir()} == {".smk"}
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))["usage"]
    assert usage["report"] is True


def test_the_catalogue_has_its_page_on_settings():
    """Its list of standardised usage wants config/README.md: it names the files that there are."""
    page = (ROOT / "config/README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", page)
    sections = {path.name for path in (ROOT / "config").glob("*.yaml")}
    assert {target for target in targets if target.endswith(".yaml")} == {
        "../config.yaml"
    } | sections
    settings = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert settings.keys() == {"seed", "jobs", "softmax_vs_linear"}
    for target in targets:
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


@pytest.mark.parametrize(("studies", "makes"), [("paper kernels", True), ("rank", False)])
def test_only_tables_of_the_default_run_are_made_before_they_are_kept(studies, makes):
    """A run of the others takes half an hour, and is the user's."""
    command = ["make", "--dry-run", "keep", f"KEEP={studies}"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert ("bin/snakemake" in done.stdout) == makes
    assert f"attention_separation keep {studies}" in done.stdout


def assigned_names(target: ast.expr) -> list[str]:
    """The names that an assignment binds, of a pair both."""
    if isinstance(target, ast.Tuple):
        return [name for element in target.elts for name in assigned_names(element)]
    return [target.id] if isinstance(target, ast.Name) else []


def constants_of(source: str) -> dict[str, set[str]]:
    """The constants that a module assigns, each with its values as they are written."""
    values: dict[str, set[str]] = defaultdict(set)
    for statement in ast.parse(source).body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        names = [name for target in targets for name in assigned_names(target)]
        for name in filter(str.isupper, names):
            values[name].add(ast.unparse(value))
    return values


def names_of_several_meanings(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """The constants that differ between modules, each with the modules that assign it."""
    modules: dict[str, list[str]] = defaultdict(list)
    meanings: dict[str, set[frozenset[str]]] = defaultdict(set)
    for module, source in sources.items():
        for name, values in constants_of(source).items():
            modules[name].append(module)
            meanings[name].add(frozenset(values))
    return {name: modules[name] for name, values in meanings.items() if len(values) > 1}


def test_a_constants_name_means_one_thing_in_the_package():
    package = ROOT / "src/attention_separation"
    sources = {
        str(path.relative_to(package)): path.read_text(encoding="utf-8")
        for path in sorted(package.rglob("*.py"))
    }
    assert len(sources) > 200
    modules = names_of_several_meanings(sources)
    unlisted = modules.keys() - CONVENTIONS - MORE_MEANINGS
    assert {name: modules[name] for name in unlisted} == {}
    assert MORE_MEANINGS - modules.keys() == set(), "these have one meaning: take them off the list"


def test_constants_of_several_meanings_are_found():
    sources = {
        "a.py": "NODES = 4\nFEWEST, MOST = 1, 2\nR: int = 3\nSAME = (1, 2)\nlower = 1",
        "b.py": "NODES: int = 5\nMOST = 2\nR: int\nSAME = (1,  2)\nlower = 2",
    }
    # A pair's values are not taken apart.
    assert names_of_several_meanings(sources) == {
        "NODES": ["a.py", "b.py"],
        "MOST": ["a.py", "b.py"],
    }
