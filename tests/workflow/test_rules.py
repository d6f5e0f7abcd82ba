"""Rules say what they run, as their studies declare it; wildcard rules make what is one's own."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from making import CHOICES, LEMMAS, ROOT, SECTION, STUDIES, STUDY
from papers_panels import PAPERS_PANELS
from project import Project
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ResourceSettings

from attention_separation import __version__
from attention_separation.results.declared_jobs import DeclaredJobs
from attention_separation.results.job_files import settings_file
from attention_separation.studies.softmax_vs_linear.settings.section import RULE_NAME
from attention_separation.studies.softmax_vs_linear.study import PAPERS_FIGURES

JOBS = DeclaredJobs(STUDIES.values())
ALONE = {*SECTION.panels}
"""Panels drawn alone, which have a wildcard rule."""
OF_ADDED_PANELS = {f"simulate_{panel}" for panel in SECTION.panels if panel not in PAPERS_PANELS}
"""Trials of panels that config.yaml adds to the paper's: by a wildcard rule, or by their own."""
LITERAL = {
    name
    for study in (STUDY, LEMMAS, CHOICES)
    for name in study.results
    if name not in ALONE | OF_ADDED_PANELS
}
"""Jobs whose rules are written out."""
BY_WILDCARD = {"simulate", "slice", "exact", "figure", "rank_train", "needle_cell", "recall_cell"}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """The rules of the workflow by name, as Snakemake has read them."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("rules"))
    try:
        with SnakemakeApi() as api:
            workflow = api.workflow(ResourceSettings(cores=1), snakefile=ROOT / "Snakefile")
            yield {rule.name: rule for rule in workflow._workflow.rules}
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """The command of each job of a whole run and of its page, by the job's name, as a dry run
    prints them."""
    project = Project(tmp_path_factory.mktemp("commands"))
    printed = project.make("--dry-run", "--printshellcmds", "all", "index")
    lines = re.findall(r"^Shell command: (.*)$", printed, re.M)
    named = {re.search(r"settings/(\w+)-\w+\.json", line): line for line in lines}
    return {match[1]: shlex.split(line) for match, line in named.items() if match}


def test_every_job_of_the_paper_and_its_judges_has_a_rule_of_its_name(rules):
    """Every rule that runs something is of a job, of any job of a kind, or of a folder."""
    assert {*PAPERS_FIGURES} <= {*SECTION.figures}
    assert rules.keys() >= LITERAL
    running = {name for name, rule in rules.items() if rule.shellcmd}
    of_folders = {name for name in running if name.endswith("manifest")} | {"provenance"}
    cells = {name for name in JOBS.names() if re.match("(rank_train|(needle|recall)_cell)_", name)}
    of_jobs = JOBS.names() - ALONE - cells - (OF_ADDED_PANELS - rules.keys())
    assert running == of_jobs | BY_WILDCARD | of_folders


def test_every_panel_and_figure_is_a_rule_and_no_other_rule_s_name_can_be_one(rules):
    own = {*SECTION.panels, *SECTION.figures}
    assert {f"simulate_{name}" for name in SECTION.panels} | own <= rules.keys()
    assert [name for name in rules.keys() - own if not RULE_NAME.fullmatch(name)] == []


@pytest.mark.parametrize("name", sorted(LITERAL))
def test_a_rule_has_the_files_and_the_module_of_its_job(rules, name):
    rule, job = rules[name], JOBS[name]
    reported = {file.path for files in job.outputs().values() for file in files if file.is_reported}
    assert sorted(map(str, rule.output)) == sorted(job.paths())
    assert {str(file) for file in rule.output if "report" in file.flags} == reported
    read = {
        option: [str(path) for path in files] for option, files in by_option(rule.input) if files
    }
    assert read == job.inputs()
    assert f"{{params.run}} {job.result.module} --settings {{params.settings:q}} " in rule.shellcmd
    assert rule.params["code"](None) == job.result.code
    assert rule.params["settings"]({}) == settings_file(job.result)
    assert rule.params["run"]({}).seconds == job.result.seconds
    assert rule.resources["mem_mb"].evaluate({}, attempt=2).value == 2 * job.result.memory_mb
    assert rule.resources["runtime"].evaluate({}, attempt=1).value == job.result.minutes
    assert rule.priority({}) == job.result.priority
    assert rule.ruleinfo.localrule == job.result.is_local


def by_option(files):
    """A rule's files by name."""
    return [(option, files[first:end]) for option, (first, end) in files._get_names()]


def test_a_command_names_the_files_of_its_job(commands):
    assert commands.keys() >= LITERAL
    for name, words in commands.items():
        job = JOBS[name]
        begin = words.index("job")
        assert words[begin - 4 : begin + 3] == [
            *words[begin - 4 : begin - 3], "-P", "-m", "attention_separation", "job",
            job.result.module, "--settings",
        ]  # fmt: skip
        assert words[0].startswith("PYTHONPATH=")
        assert Path(words[begin - 4]).name.startswith("python")
        told = {
            option: [job.study.folder + "/" + each.path() for each in outputs]
            for option, outputs in job.result.outputs.items()
            if option
        }
        assert options(words[begin + 4 :]) == {
            option: files for option, files in (job.inputs() | told).items() if files
        } | {option: [value] for option, value in pairs(job.result.options)}


def test_a_whole_run_has_no_job_of_the_studies_that_are_asked_for(commands):
    assert not {name for name in commands if name.startswith(("rank", "needle", "recall"))}


def options(words):
    """The options of a command with their values, up to where its output goes; those without any
    left out."""
    found = {}
    for word in words[: words.index("3>&2")]:
        if word.startswith("--"):
            values = found.setdefault(word.removeprefix("--"), [])
        else:
            values.append(word)
    return {option: values for option, values in found.items() if values}


def pairs(words):
    """Options of a declaration, each with its value."""
    return [(word.removeprefix("--"), words[k + 1]) for k, word in enumerate(words[::2])]


def test_every_rule_says_what_it_makes_and_no_two_say_the_same(rules):
    """In a sentence that `snakemake --list-rules` prints."""
    sentences = {name: rule.docstring or "" for name, rule in rules.items()}
    assert {"all", "fig4", "simulate_fig4c", "rank_train", "needle_cell", "kernels"} < {*sentences}
    # A panel's name alone stands for its figure: what that is, the rule `figure` says.
    silent = {rule for rule, sentence in sentences.items() if not sentence}
    assert silent == {*SECTION.panels}
    assert len({*sentences.values()}) == len(sentences) - len(silent) + 1
    # Rules are a list that people read: cells and slices stand behind one.
    assert len(sentences) < 150
    assert sentences["simulate_fig4c"] == "Panel 4c: success rate against the width m"


def test_tools_find_the_same_rules_in_workflow(project):
    """The Snakefile there, and the graph of a figure's rules, which docs/run.md shows."""
    ask = ("fig4", "--rulegraph", "mermaid-js")
    graph = project.make(*ask, "--snakefile", "workflow/Snakefile")
    names = dict(re.findall(r"^\s*(id\d+)\[(\w+)\]$", graph, re.M))
    edges = re.findall(r"^\s*(id\d+) --> (id\d+)$", graph, re.M)
    page = (ROOT / "docs/run.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    (\w+) --> (\w+)$", page, re.M)
    assert len(edges) == 7
    assert shown == sorted((names[before], names[after]) for before, after in edges)


def test_a_panel_of_the_paper_that_is_removed_is_missed_where_it_is_asked_for(small):
    """The small project has neither fig7e nor Figure 5; no other target breaks for that."""
    planned = small.would_run("all", "rank_fig4", "needle_lines")
    assert {"simulate_fig7b", "rank_fig4", "needle_exact"} <= planned
    assert not {"simulate_fig7e", "fig5"} & planned
    done = small.run("fig5", "--dry-run")
    assert done.returncode == 1
    assert "fig5: the settings have no such panel, figure or cell" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_command_as_it_is_printed_can_be_pasted_into_a_shell(made):
    """Without any variable of Snakemake's own process."""
    table = made.folder / "results/panels/fig4b.parquet"
    before = table.read_bytes()
    said = made.make("simulate_fig4b", "--forcerun", "simulate_fig4b", "--dry-run", "-p")
    (command,) = re.findall(r"^Shell command: (.*simulate_fig4b.*)$", said, re.M)
    table.unlink()
    subprocess.run(["bash", "-c", command], cwd=made.folder, env={}, check=True)
    assert table.read_bytes() == before
    log = (made.folder / "results/logs/simulate_fig4b.log").read_text()
    assert log.startswith(f"# attention-separation {__version__}, Python 3.")
