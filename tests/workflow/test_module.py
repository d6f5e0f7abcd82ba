"""Another workflow uses this one as a module, as docs/run.md shows."""

import re
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest
import yaml
from making import ROOT, study_of
from project import Project, planned

from attention_separation.results.tables import write_parquet
from attention_separation.studies.softmax_vs_linear.simulation.simulate import metadata, simulate

RUN = (ROOT / "docs/run.md").read_text(encoding="utf-8")
PAGE = RUN.partition("## As a module of another workflow")[2]
(SNAKEFILE,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
TABLE = "results/smoke/panels/fig4b.parquet"
SHELL = """

rule environment:
    output:
        "environment.txt",
    shell:
        "echo ${{PYTHONPATH-none}} $PATH > {output:q}"
"""


class Outer(Project):
    """A workflow in `folder` with a clone of this project below it."""

    def __init__(self, folder):
        (folder / "attention-separation").mkdir(parents=True)
        self.clone = Project(folder / "attention-separation")
        self.folder = folder
        (folder / "Snakefile").write_text(SNAKEFILE + SHELL)
        (folder / "config.yaml").write_text(CONFIG)

    def command(self, *arguments):
        """As this project's profile, which is not the outer workflow's."""
        return super().command("--scheduler", "greedy", *arguments)


@pytest.fixture(scope="module")
def outer(tmp_path_factory):
    """Such a workflow, all of it made; only to be read."""
    made = Outer(tmp_path_factory.mktemp("outer"))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        made.make("successes", "attention_fig4b", "environment")
        # It asks for the verdicts of all panels where nothing has been made.
        made.make("attention_provenance")
    return made


def test_a_panel_of_a_module_is_the_projects_own(outer, tmp_path):
    mine = outer.folder / "attention" / TABLE
    own = study_of(outer.clone.folder / "config.yaml", yaml.safe_load(CONFIG)["attention"])
    job = own.panels.simulated["fig4b"]
    path = tmp_path / mine.name
    write_parquet(simulate(job), path, metadata(job))
    assert mine.read_bytes() == path.read_bytes()
    assert set(pq.read_table(mine)["trials"].to_pylist()) == {50}
    assert (outer.folder / "successes.csv").read_text().count("\n") == 1 + 5


def test_it_touches_nothing_outside_of_its_prefix(outer):
    environment = (outer.folder / "environment.txt").read_text()
    assert environment.startswith("none ")
    assert str(outer.clone.folder) not in environment
    made = outer.folder / "attention/results/smoke/report"
    assert "fig4b" in (made / "provenance.html").read_text()
    assert {path.name for path in made.iterdir()} == {"provenance.html", "opening.rst"}
    assert not (outer.folder / "results").exists()


def test_a_table_of_other_settings_is_made_again_below_the_prefix(outer, tmp_path):
    """Though Snakemake's records are gone."""
    copy = Outer(tmp_path)
    shutil.copytree(outer.folder / "attention", tmp_path / "attention")
    copy.edit("config.yaml", "trials: 50", "trials: 40")
    said = copy.make("attention_simulate_fig4b", "--dry-run")
    assert f"of other settings, so made again: attention/{TABLE}" in said


def test_a_fault_names_the_key(tmp_path):
    outer = Outer(tmp_path)
    outer.edit("config.yaml", "fixed:", "fixd:")
    done = outer.run()
    assert done.returncode != 0
    assert "config.yaml: 1 fault" in done.stdout
    assert "fixd" in done.stdout
    assert "fixed" in done.stdout
    assert "Traceback" not in done.stdout
    assert {path.name for path in tmp_path.iterdir()} <= {
        "attention-separation", "config.yaml", "Snakefile", ".snakemake",
    }  # fmt: skip


def test_a_rule_with_other_resources_is_used_as_the_page_shows(tmp_path):
    """`rules.attention_simulate_fig4b.output` is the panel's still."""
    outer = Outer(tmp_path)
    (other_resources,) = re.findall(r"```smk\n(.*?)```", PAGE, re.S)
    shown = f'{other_resources.rstrip()}\n    message: "of the page"\n\n\n'
    outer.edit("Snakefile", "rule successes:", f"{shown}rule successes:")
    said = outer.make("successes", "attention_all", "attention_report", "--dry-run")
    assert "of the page" in said
    assert {"attention_simulate_fig4b", "attention_fig4", "attention_report"} <= planned(said)


def test_from_git_alone_one_sentence_asks_for_a_clone(tmp_path):
    """Snakemake hands over the rules there, and no package."""
    outer = Outer(tmp_path)
    git = ["git", "-C", str(outer.clone.folder), "-c", "user.name=x", "-c", "user.email=x"]
    for words in (["init", "-q"], ["add", "workflow"], ["commit", "-qm", "rules"]):
        subprocess.run([*git, *words], check=True)
    at = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    path = '"workflow/Snakefile"'
    file = f'gitfile("{outer.clone.folder}", path={path}, commit="{at.stdout.strip()}")'
    outer.edit("Snakefile", '"attention-separation/Snakefile"', file)
    done = outer.run("--dry-run")
    assert done.returncode == 1
    assert "is in no clone, whose package and config.yaml jobs need" in done.stdout
    assert "Traceback" not in done.stdout
