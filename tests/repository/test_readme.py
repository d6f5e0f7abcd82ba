"""What README and the pages in docs/ show is what happens."""

import re
from pathlib import Path

import pytest
import yaml
from making import ROOT, study_of, values, with_config

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = (DOCS / "run.md").read_text(encoding="utf-8")


def linked_from(page: Path) -> set[Path]:
    """The files that a page links to."""
    targets = re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


def test_readme_links_to_every_page_but_the_reference_of_settings():
    pages = {*DOCS.glob("*.md")}
    assert pages - linked_from(ROOT / "README.md") == {DOCS / "settings.md"}


def test_readme_names_those_who_run_the_workflow():
    for word in ("cluster", "SLURM", "module", "--config"):
        assert word in README


def test_no_page_is_an_old_address():
    for page in DOCS.glob("*.md"):
        assert not page.read_text(encoding="utf-8").startswith("Moved to ")


def test_the_faults_it_shows(tmp_path):
    wrong = values()
    panels = wrong["softmax_vs_linear"]["panels"]
    panels["fig4a"]["trails"] = 200
    panels["fig4b"]["sweep"]["d"] = [5]
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(wrong))
    try:
        load_config(path)
    except ConfigError as error:
        shown = "\n".join(f"    {line}" for line in str(error).splitlines())
        assert shown in RUN
    else:
        raise AssertionError("no fault was found")


def test_the_panel_it_shows_is_valid(tmp_path):
    block, _of_a_module = re.findall(r"```yaml\n(.*?)```", RUN, re.S)
    before, panels, after = (
        (ROOT / "config.yaml").read_text(encoding="utf-8").partition("  panels:\n")
    )
    path = with_config(tmp_path, before + panels + block + after)
    assert "mine" in study_of(path).section.panels


PAGES = (*ROOT.glob("*.md"), *DOCS.glob("*.md"), *ROOT.glob("src/*/studies/*/README.md"))


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_file_a_page_links_to_exists(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        file, _, place = target.partition("#")
        other = page.parent / file if file else page
        assert other.exists(), target
        if place:
            headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.M)
            plain = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings]
            assert place in plain, target


def test_every_override_it_shows_works():
    overrides = re.findall(r"--config (\w+)=(\w+)", RUN)
    assert len(overrides) >= 4
    for key, value in overrides:
        load_config(ROOT / "config.yaml", {key: value})


def test_the_papers_objects_have_the_names_that_the_table_says():
    import importlib

    folder = ROOT / "src" / "attention_separation" / "studies" / "softmax_vs_linear"
    text = (folder / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"`((?:\w+/)*\w+)\.py`: ((?:`\w+`(?:, )?)+)", text)
    named = [(f"{file}.{name}", "") for file, names in listed for name in re.findall(r"\w+", names)]
    named += re.findall(r"`([a-z][\w/]+\.(?!py`)\w+)(?:\.(\w+))?`", text)
    named += [(f"models/model.{a}", b) for a, b in re.findall(r"`(Att\w+)\.(\w+)`", text)]
    assert len(named) > 20
    for place, attribute in named:
        file, _, name = place.replace("/", ".").rpartition(".")
        if file == "config":
            continue
        top = file.partition(".")[0]
        room = "attention_separation.studies.softmax_vs_linear"
        if top in ("attention", "datasets"):
            room = "attention_separation"
        elif top in ("lemmas", "open_choices"):
            room = "attention_separation.studies"
        thing = getattr(importlib.import_module(f"{room}.{file}"), name)
        assert not attribute or hasattr(thing, attribute)
