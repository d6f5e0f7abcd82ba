"""Every command that a page shows is run: here, in full, small or dry, or where a list says."""

import re
import shlex
import shutil

import pytest
from making import ROOT
from page_commands import all_commands, commands
from project import Project

from attention_separation.__main__ import main

COMMANDS = all_commands(ROOT)

SMALL = (
    "snakemake fig4c --config trials=20",
    "snakemake fig4c",
    "snakemake fig4",
    "snakemake mine",
    "snakemake claims",
    "snakemake fig4d --config 'panels={fig4d: {contest: {fires: exp, silent: [linear, elu_plus_one,"
    " power_2]}}}'",
)
"""Run here one after another, at the scale smoke where they name none."""

DRY = {
    "snakemake", "snakemake -n", "snakemake check", "snakemake kernels",
    "snakemake --config seed=7", "snakemake --config engine=dense",
    "snakemake --config scale=smoke",
    "snakemake --config scale=hundredfold", "snakemake --config scale=deep",
    "snakemake --config trials=10000", "snakemake rank", "snakemake rank_fig4",
    "snakemake rank_theory", "snakemake rank_vote rank_random_features",
    "snakemake rank --config 'head_rank={scale: smoke}'",
    "snakemake needle", "snakemake needle_lines",
    "snakemake rank --config 'head_rank={scale: paper}'",
    "snakemake rank_fig1_part_1 --config 'head_rank={scale: reference}'",
    "snakemake fig4 fig5 fig7 verdicts --configfile docs/contests.yaml",
}  # fmt: skip
"""Over a minute, or in need of PyTorch: planned here, and not run. What plans the same jobs is run
by lines of .ci/run: `make paper`, `make report` and `make rank` at scale smoke."""

SLURM, CI = "tests/cluster/conftest.py", ".ci/run"
ELSEWHERE = {
    "make setup": (CI, "make test"),
    "make test": (CI, "make test\n"),
    "make test-all": (CI, "make test-slow\n"),
    "make lint": (CI, "make lint\n"),
    "make paper": (CI, "make paper CORES=2"),
    "make rank": (CI, "make rank CONFIG=\"'head_rank={scale: smoke}'\""),
    "make needle": (CI, "make needle CONFIG=\"'needle={scale: smoke}'\""),
    "make report": (CI, "make report"),
    "make gallery": (CI, "make gallery\n"),
    "make keep": (CI, "make keep CORES=2\n"),
    "make docs": (CI, "make test-publish\n"),
    "make test-report": (CI, "make test-report\n"),
    "make test-cluster": (CI, "make test-cluster\n"),
    "make test-explore": (CI, "make test-explore\n"),
    # In this process it would take its place, and serve for ever.
    "attention-separation explore": ("tests/explorer_app/conftest.py", '"explore"'),
    "make explore": ("tests/explorer_app/conftest.py", '"explore"'),
    "make explore PORT=2718 HEADLESS=1": ("tests/explorer_app/conftest.py", '"--headless"'),
    "pip install '.[explore]'": (CI, "make test-explore\n"),
    "make test-rank": (CI, "make test-rank\n"),
    "make test-publish": (CI, "make test-publish\n"),
    "make check-macos": (CI, "make check-macos\n"),
    "make setup-explore": (CI, "make test-explore\n"),
    "make setup-rank": (CI, "make test-rank\n"),
    "make setup-cluster": (CI, "make test-cluster\n"),
    "make test-faults": (CI, "-m pytest tests/faults"),
    "make test-faults KILLS=24": (CI, "-m pytest tests/faults"),
    "make wheel": (".github/workflows/tests.yml", "make wheel\n"),
    "pip install .": ("tests/repository/test_wheel.py", "def wheel("),
    "python -m pip install dist/*.whl": ("tests/repository/test_wheel.py", "*options, wheel]"),
    ".venv/bin/python -m pytest tests/attention": ("pyproject.toml", '"tests/attention"'),
    "EXAMPLES=1000 .venv/bin/python -m pytest tests/settings": ("tests/conftest.py", '"EXAMPLES"'),
    "PYTHONPATH=src python -m attention_separation separate ...": (
        "tests/workflow/test_commands.py", "def test_a_command_of_the_api",
    ),
    "python -m attention_separation verify results": (
        "tests/workflow/test_verify.py", '"verify", "results"',
    ),
    "python -m attention_separation rank-verify results/head_rank": (
        "tests/workflow/test_rank.py", '"rank-verify"',
    ),
    "python -m attention_separation rank-time": (
        "tests/pytorch/test_rank_workflow.py", '"rank-time"',
    ),
    "snakemake --cores 2": ("tests/workflow/test_module.py", "attention_fig4"),
    "snakemake --cores 2 attention_fig4": ("tests/workflow/test_module.py", "attention_fig4"),
    "snakemake --report": ("tests/report/test_report.py", '"--report-after-run", "--report"'),
    "snakemake report --report-after-run --report results/report.html": (
        "tests/report/test_report.py", '("report", "--report-after-run", "--report",',
    ),
    "snakemake --unlock": ("tests/workflow/test_kills.py", 'make("--unlock")'),
    ".venv/bin/snakemake --workflow-profile slurm --config scale=deep": (
        SLURM, '"--workflow-profile", self.profile',
    ),
    ".venv/bin/snakemake --workflow-profile slurm --default-resources slurm_partition=short"
    " slurm_account=lab": ("tests/cluster/test_slurm.py", "slurm_partition"),
    ".venv/bin/snakemake --workflow-profile slurm --config scale=smoke 'jobs={local_below: 0}'": (
        SLURM, '"--workflow-profile", self.profile',
    ),
    "python3 tests/cluster/throwaway.py up": (SLURM, "import ClusterError, down, up"),
    'squeue -o "%i %T %M %k"': (SLURM, '"--format=%k %i"'),
    "scancel --name": ("tests/cluster/throwaway.py", '"scancel"'),
}  # fmt: skip
"""Run by a line of another file: of what CI runs, in full or in another form."""

BY_HAND = {
    "pip install coverage": "for the breaks of the source alone",
    "python tests/breaks/run.py --again": "hours",
    "make explorer-pictures": "writes tracked pictures, by tests that `make test-explore` runs too",
    "make rank-paper-size": "half an hour; a test plans it, and CI runs `make rank` at scale smoke",
    "make test-cuda": "no GPU; `make test-rank` runs the same tests on a CPU",
    "make keep KEEP=rank": "writes tracked tables; a test calls its function",
    "make bench": "measures, and fails at nothing",
    "PYTHONPATH=src .venv/bin/python tests/bench/bench.py cluster": "measures",
    "make paper PYTHON=python3.12": "the same as make paper, with a Python that need not be there",
    "xcode-select --install": "of macOS",
    ".venv/bin/pip uninstall --yes torch": "some GB of CUDA, and no GPU",
    ".venv/bin/pip install --require-hashes -r requirements-rank.lock": "the same",
    "touch .venv/ready-for-rank": "the same",
    ".venv/bin/python -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'": (
        "the same"
    ),
}
"""Run by no test, and why."""

FORMS = {
    "snakemake PREFIX", "python", "python -m attention_separation job MODULE --settings FILE ...",
    "snakemake fig4d --config 'panels={fig4d: {contest: {fires: exp, silent: [NAME]}}}'",
}  # fmt: skip
"""No commands: forms of them, with a word to fill in."""

OF_API = {
    command
    for command in COMMANDS - ELSEWHERE.keys()
    if command.startswith("attention-separation ")
}


def test_every_command_is_in_one_list_and_every_list_is_of_commands():
    lists = [{*SMALL}, DRY, {*ELSEWHERE}, {*BY_HAND}, FORMS, OF_API]
    unknown = COMMANDS.difference(*lists)
    assert not unknown, "in no list: say where each is run"
    for one in lists:
        others = [other for other in lists if other is not one]
        assert one.isdisjoint(set().union(*others))
        assert not one - COMMANDS, "on no page"


@pytest.mark.parametrize("command", ELSEWHERE)
def test_it_is_run_where_the_list_says(command):
    file, text = ELSEWHERE[command]
    assert text in (ROOT / file).read_text(encoding="utf-8")


def test_every_make_target_exists():
    targets = re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    shown = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert shown <= {*targets}


def test_commands_are_found():
    text = "Do `make a` or\n`b c`:\n\n```sh\nmake x   # why\n\nfoo\n```\n\n`snakemake -n`\n"
    assert commands(text) == {"make a", "make x", "foo", "snakemake -n"}


@pytest.mark.parametrize("command", sorted(OF_API))
def test_a_command_of_the_api(command, capsys):
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with the panel that docs/change-a-number.md shows, nothing made."""
    one = Project(tmp_path_factory.mktemp("project"))
    (one.folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/contests.yaml", one.folder / "docs")
    page = (ROOT / "docs/change-a-number.md").read_text(encoding="utf-8")
    (panel,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.S | re.M)
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
    for path in ("panels/fig4c.parquet", "figures/fig4.svg", "figures/mine.svg"):
        assert (made / path).is_file(), path
