"""Commands that pages show: of Snakemake and of this package, each is run here, or planned; make
has the others."""

import re
import shlex
import shutil

import pytest
from making import ROOT
from page_commands import all_commands, commands
from project import Project
from snakemake.cli import parse_args

from attention_separation import commands as commands_of
from attention_separation.__main__ import main
from attention_separation.config import load_config, overrides_of

COMMANDS = all_commands(ROOT)

SMALL = (
    "snakemake fig4c --config trials=20",
    "snakemake fig4c",
    "snakemake mine",
    "snakemake fig4d --config 'panels={fig4d: {contest: {fires: exp, silent: [linear, elu_plus_one,"
    " power_2]}}}'",
)
"""Planned here together, at the scale smoke."""

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

OF_MODULES = {"snakemake --cores 2", "snakemake --cores 2 attention_fig4"}
"""For workflows that use this one, and of Snakemake's own pages."""

GRAPH = "snakemake fig4 --rulegraph mermaid-js"
"""It plans nothing, and prints; test_rules.py runs it."""

OF_API = {c for c in COMMANDS if c.startswith("attention-separation ")} - {SERVING} - FORMS
DRY = sorted(
    command
    for command in COMMANDS - FORMS - OF_MODULES - {*SMALL, GRAPH}
    if command.startswith("snakemake") and "--unlock" not in command and "--report" not in command
)
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


def parsed(*lines: str) -> tuple[list[str], list[str], list[str]]:
    """Targets of some commands, what stands after --config, and files after --configfile."""
    targets, config, files = [], [], []
    for command in lines:
        first, *words = shlex.split(command)
        assert first == "snakemake"
        _, options = parse_args(words)
        targets += sorted(options.targets)
        config += options.config or []
        files += map(str, options.configfile or [])
    return targets, config, files


def test_their_settings_are_allowed():
    given = [config for _, config, _ in map(parsed, DRY) if config]
    assert len(given) > 5
    for config in given:
        assert load_config(ROOT / "config.yaml", overrides_of(config)).studies()


def plan(project, targets, config=(), files=()) -> str:
    words = [*targets, "--dry-run", "--nolock", "--quiet", "host", "reason"]
    words += ["--config", *config] if config else []
    words += ["--configfile", *files] if files else []
    return project.make(*words)


def test_their_targets_can_be_planned(project):
    """All at once where none says another configuration, and the others where they name what is not
    among those, or another file."""
    plain = {target for targets, *more in map(parsed, DRY) if not any(more) for target in targets}
    assert len(plain) > 10
    assert re.search(r"^total +\d+$", plan(project, {"all", *plain}), re.M)
    others = [each for each in map(parsed, DRY) if each[2] or {*each[0]} - plain - {"rank"}]
    others = [each for each in others if each[1] or each[2]]
    assert len(others) == 2
    for each in others:
        assert re.search(r"^total +\d+$", plan(project, *each), re.M), each


def test_small_ones_can_be_planned(project):
    targets, config, _ = parsed(*SMALL)
    said = plan(project, {*targets}, ["scale=smoke", *config])
    assert re.search(r"^figure +3$", said, re.M)
