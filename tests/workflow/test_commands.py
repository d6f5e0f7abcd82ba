"""Commands that pages show: of Snakemake and of this package, each is run here, or planned; make
has the others."""

import re
import shlex
import shutil

import pytest
from making import ROOT
from page_commands import all_commands, commands
from project import Project

from attention_separation import commands as commands_of
from attention_separation.__main__ import main

COMMANDS = all_commands(ROOT)

SMALL = (
    "snakemake fig4c --config trials=20",
    "snakemake fig4c",
    "snakemake mine",
    "snakemake fig4d --config 'panels={fig4d: {contest: {fires: exp, silent: [linear, elu_plus_one,"
    " power_2]}}}'",
)
"""Run here one after another, at the scale smoke where they name none."""

FORMS = {
    "snakemake PREFIX", "snakemake NAME", "python",
    "snakemake --snakefile CLONE/Snakefile", "snakemake results/head_rank/cells/CELL.parquet",
    "python -m attention_separation job MODULE --settings FILE ...",
    "snakemake fig4d --config 'panels={fig4d: {contest: {fires: exp, silent: [NAME]}}}'",
    "PYTHONPATH=src python -m attention_separation separate ...",
}  # fmt: skip
"""No commands: forms of them, with a word to fill in."""

SERVING = "attention-separation explore"
"""In this process it would take its place, and serve for ever; `make test OF=explore` starts it."""

OF_MODULES = {"snakemake --cores 2", "snakemake --cores 2 attention_fig4", "snakemake --report"}
"""For workflows that use this one, and of Snakemake's own pages."""

GRAPH = "snakemake fig4 --rulegraph mermaid-js"
"""It plans nothing, and prints; test_rule_graph.py runs it."""

OF_API = {c for c in COMMANDS if c.startswith("attention-separation ")} - {SERVING} - FORMS
DRY = {
    command
    for command in COMMANDS - FORMS - OF_MODULES - {*SMALL, GRAPH}
    if command.startswith("snakemake") and "--unlock" not in command and "--report" not in command
}
"""Planned here, and not run: over a minute, or in need of PyTorch."""


def test_the_lists_are_of_commands_that_pages_show():
    assert FORMS | OF_MODULES | {SERVING, GRAPH} | {*SMALL} <= COMMANDS
    assert len(OF_API) > 3
    assert len(DRY) > 10


def test_every_make_target_exists():
    (targets,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    shown = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert shown <= {*targets.split()}
    assert len(shown) > 10


def test_every_file_and_module_that_a_command_names_exists():
    words = {word for command in COMMANDS - FORMS for word in command.split()}
    paths = {word for word in words if re.match(r"(tests|docs|src|requirements)\b.*[^*]$", word)}
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
    ours = {
        c.split("attention_separation ")[1].split()[0]
        for c in COMMANDS - FORMS
        if "-m attention_separation " in c
    }
    assert {"verify", "rank-verify"} <= ours <= commands_of.COMMANDS.keys()


def test_commands_are_found():
    text = "Do `make a` or\n`b c`:\n\n```sh\nmake x   # why\n\nfoo\n```\n\n`snakemake -n`\n"
    assert commands(text) == {"make a", "make x", "foo", "snakemake -n"}


@pytest.mark.parametrize("command", sorted(OF_API))
def test_a_command_of_the_api(command, capsys):
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with the panel that docs/run.md shows, nothing made."""
    one = Project(tmp_path_factory.mktemp("project"))
    (one.folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/contests.yaml", one.folder / "docs")
    page = (ROOT / "docs/run.md").read_text(encoding="utf-8")
    panel, _of_a_module = re.findall(r"^```yaml\n(.*?)^```$", page, re.S | re.M)
    one.edit("config.yaml", "  panels:\n", f"  panels:\n{panel}")
    return one


def words_of(command: str) -> list[str]:
    """What stands after `snakemake`."""
    first, *words = shlex.split(command)
    assert first == "snakemake"
    return words


@pytest.mark.whole_run
@pytest.mark.parametrize("command", sorted(DRY))
def test_it_can_be_planned(project, command):
    planned = project.make(*words_of(command), "--dry-run", "--nolock", "--quiet", "host", "reason")
    assert re.search(r"^total +\d+$", planned, re.M) or "Nothing to be done" in planned


@pytest.mark.whole_run
def test_small_ones_one_after_another(project):
    for command in SMALL:
        words = words_of(command)
        scale = ["scale=smoke"] if "--config" in words else ["--config", "scale=smoke"]
        assert project.run(*words, *scale).returncode == 0, command
    made = project.folder / "results/smoke"
    for path in ("panels/fig4c.parquet", "figures/fig4c.svg", "figures/mine.svg"):
        assert (made / path).is_file(), path
