"""The first paper's rules stand by name, in step with config.yaml; wildcard rules make the rest."""

import re
from pathlib import Path

import pytest
import yaml
from few import few
from making import ROOT, SECTION, STUDY, spelled_out

from attention_separation import __version__
from attention_separation.studies.softmax_vs_linear.study import PAPERS_FIGURES

RULES = (ROOT / "workflow/rules/softmax_vs_linear.smk").read_text(encoding="utf-8")
NAMED = dict(re.findall(r"^use rule \w+ as (\w+) with:\n(.*?)(?=^\S|\Z)", RULES, re.M | re.S))
WILDCARD = {"slice", "exact", "figure"}
MINE = """
    mine:
      model: cross_attention
      sweep: {a1: [0.5, 1.0]}
      fixed: {n: 40, d: 11, m: 5, a0: 0.0, theta: 0.7}
      trials: 10
"""


def test_every_job_of_the_paper_has_a_rule_and_every_rule_a_job():
    """A panel drawn alone has a wildcard rule, as a user's own panels have."""
    assert {*SECTION.figures} == {*PAPERS_FIGURES}
    papers = {panel for figure in SECTION.figures.values() for panel in figure.panels}
    assert papers == {*SECTION.panels}
    assert len(papers) == 19
    assert NAMED.keys() - WILDCARD == STUDY.results.keys() - papers


@few(5, "name", sorted(NAMED.keys() - WILDCARD))
def test_a_rule_names_its_own_job_and_files_alone(name):
    body, result = NAMED[name], STUDY.results[name]
    if name.startswith("simulate_"):
        panel = name.removeprefix("simulate_")
        assert f'output=f"{{RESULTS}}/panels/{panel}.parquet"' in body
        assert f'slices_of("{panel}")' in body
        assert f'localrule: is_local("{name}")' in body
        named = {panel, name}
    elif name in PAPERS_FIGURES:
        assert f'**writes("{name}")' in body
        read = re.findall(r'f"\{RESULTS\}/([a-z0-9]+/[a-z0-9]+\.parquet)"', body)
        inputs = [output.path() for outputs in result.inputs.values() for output in outputs]
        assert read == inputs
        named = {*name.split(), *(Path(path).stem for path in read)}
    else:
        assert f'**writes("{name}")' in body
        assert f'**reads("{name}")' in body or not result.inputs
        assert result.is_local
        assert "localrule: True" in body, "it is not inherited"
        named = {name}
    assert {*re.findall(r'(?:\("|/panels/|/exact/|/logs/|/benchmarks/)(\w+)', body)} == named


@pytest.mark.exhaustive
def test_every_rule_says_what_it_makes_and_no_two_say_the_same(project):
    listed = project.make("--list-rules").splitlines()
    sentences = dict(re.findall(r"^(\w+)(?: \((.*)\))?$", "\n".join(listed), re.M))
    assert {"all", "fig4", "simulate_fig4c", "rank_train", "needle_cell", "kernels"} < {*sentences}
    # A panel's name alone stands for its figure: what that is, the rule `figure` says.
    silent = {rule for rule, sentence in sentences.items() if not sentence}
    assert silent == {*SECTION.panels}
    assert len({*sentences.values()}) == len(sentences) - len(silent) + 1
    # Rules are a list that people read: cells and slices stand behind one.
    assert len(sentences) < 150
    assert sentences["simulate_fig4c"] == "Panel 4c: success rate against the width m"


@few(5, "panel", [name for name in NAMED if name.startswith("simulate_")])
def test_the_sentence_on_a_panel_names_what_it_sweeps(panel):
    (swept,) = STUDY.panels.exact[panel.removeprefix("simulate_")].sweep
    (sentence,) = re.findall(r'"""\s*(.*?)\s*"""', NAMED[panel], re.S)
    number = panel.removeprefix("simulate_fig")
    assert re.fullmatch(
        rf"Panel {number}: success rate against the .*\b{swept}( of D\d)?", sentence
    )


@pytest.mark.whole_run
def test_a_figure_without_one_of_the_papers_panels_says_so_and_no_other_target_breaks(project):
    config = spelled_out()
    del config["softmax_vs_linear"]["panels"]["fig4c"]
    config["softmax_vs_linear"]["figures"]["fig4"]["panels"].remove("fig4c")
    (project.folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    said = project.make("--dry-run")
    assert "Figure fig4, without fig4c, which config.yaml has not" in said
    assert "Figure fig5\n" in said
    assert "simulate_fig4c" not in project.would_run("fig4", "fig5", "rank_fig4", "needle_lines")
    done = project.run("results/panels/fig4c.parquet", "--dry-run")
    assert done.returncode == 1
    assert "simulate_fig4c: the settings have no such panel, figure or cell" in done.stdout


@pytest.mark.whole_run
def test_a_panel_of_the_paper_that_is_removed_is_missed_where_it_is_asked_for(small):
    """The small project has neither fig7e nor Figure 5."""
    assert "simulate_fig7b" in small.would_run()
    for target in ("results/panels/fig7e.parquet", "fig5"):
        done = small.run(target, "--dry-run")
        assert done.returncode == 1
        name = target.replace("results/panels/", "simulate_").removesuffix(".parquet")
        assert f"{name}: the settings have no such panel, figure or cell" in done.stdout
        assert "Traceback" not in done.stdout


@pytest.mark.whole_run
def test_a_panel_of_ones_own_has_the_wildcard_rules_and_a_figure_by_name(small):
    with (small.folder / "config.yaml").open("a") as file:
        file.write(MINE)
    said = small.make("mine", "--config", "jobs={slices: 2}", "--printshellcmds")
    jobs = re.findall(r"^\d of 6: (.*);", said, re.M)
    assert sorted(jobs) == [
        "exact mine", "figure mine", "mine", "simulate mine", "slice mine 1 2", "slice mine 2 2"
    ]  # fmt: skip
    made = {path.partition("/")[2] for path in small.files()}
    assert {"panels/mine.parquet", "exact/mine.parquet", "figures/mine.svg"} <= made
    assert not any(path.startswith("slices/") for path in made)
    for log in ("slice_mine_1-of-2", "simulate_mine", "exact_mine", "mine"):
        first, line, *_, last = (small.folder / f"results/logs/{log}.log").read_text().splitlines()
        assert first.startswith(f"# attention-separation {__version__}, Python 3.")
        assert " -m attention_separation job " in line
        assert re.fullmatch(r"# \d+\.\d s", last)
    # What a rule runs can be typed: settings are a file.
    (command,) = {line for line in said.splitlines() if "--merge" in line}
    assert re.search(
        r"-m attention_separation job studies\.softmax_vs_linear\.simulation\.simulate"
        r" --settings \.snakemake/settings/simulate_mine-\w+\.json"
        r" --merge results/slices/mine/1-of-2\.parquet results/slices/mine/2-of-2\.parquet"
        r" --output results/panels/mine\.parquet ",
        command,
    )
