"""What README and pages say that no template takes from tables: names, rows, numbers, examples and
links."""

import importlib
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from making import ROOT, study_of, values, with_config

from attention_separation.attention.dense import attention_weights
from attention_separation.attention.kernels import KERNELS
from attention_separation.config import load_config
from attention_separation.datasets.self_attention import tokens
from attention_separation.pages.rendering import Tables, one
from attention_separation.settings.faults import ConfigError
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.needle.facts import Needle

PACKAGE = ROOT / "src/attention_separation"
STUDIES = "attention_separation.studies"
DOCS = ROOT / "docs"
TABLES = Tables(DOCS)

RUN = (DOCS / "run.md").read_text(encoding="utf-8")
PAPERS = (DOCS / "papers.md").read_text(encoding="utf-8")
IDS = [row["id"] for row in TABLES("gallery/claims")]
NAMES = [
    *(row["claim"] for row in TABLES("head_rank/rank_claims")),
    *(row["choice"] for row in TABLES("gallery/choices")),
]
SECTIONS = {
    "Softmax against linear attention": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCDEF"),
    "The rank of heads": ("1", "2", "3", "4", "5", "6", "7", "8", *"ABCD"),
}
"""Sections of both papers."""

READING = (DOCS / "gallery.md").read_text(encoding="utf-8")
SIGNS, FAILING = np.array([1, -1, -1, 1]), np.array([-1, 1, 1, 1])
SPECIAL = 2

LONG_DESCRIPTION = (DOCS / "site/long_description.md").read_text(encoding="utf-8")
"""What a package index shows: no relative link works there."""

MOST_LINES = 40


def notes(study):
    return " ".join((PACKAGE / "studies" / study / "README.md").read_text(encoding="utf-8").split())


def test_the_needles_objects_have_the_names_that_its_notes_say():
    named = re.findall(r"`((?:needle|claims)/\w+)\.(\w+)`", notes("needle"))
    assert len(named) > 8
    for place, name in named:
        room = "attention_separation" if place.startswith("needle/") else f"{STUDIES}.needle"
        module = f"{room}.{place.replace('/', '.')}"
        assert hasattr(importlib.import_module(module), name), name


def test_the_needles_numbers_are_those_of_its_tables():
    text, facts = notes("needle"), Needle(TABLES)
    own = {"arm": "query_learned", "mu": 5.0, "n": 512}
    linear = facts.trained(kernel="linear", divided_by="n", **own)
    features = facts.trained(kernel="elu_plus_one", features=12, **own)
    lines = TABLES("needle/needle_lines", kernel="linear", mu=5.0)
    bound = one(lines, n=512)["accuracy"]
    assert f"comes to {linear:.3f} there, for {bound:.3f}, and `elu_12` to {features:.3f}" in text
    lost = facts.trained(arm="query_given", kernel="linear", divided_by="n", n=2048)
    assert f"not learned: {lost:.3f}, for {one(lines, n=2048)['accuracy']:.3f}" in text
    failed = facts.trained(arm="self_attention", kernel="linear", divided_by="sum")
    assert f"its training failed, at {failed:.3f}, where" in text


def test_the_numbers_on_the_rank_of_heads_are_those_of_its_tables():
    text = notes("head_rank")
    claim = one(TABLES("head_rank/rank_claims"), claim="published random features")
    heads, reported, attained = re.search(
        r"H=(\d+), (\S+) reported for (\S+),", claim["deciding_case"]
    ).groups()
    assert f"with {int(heads):,} heads of one draw, that computation reports {reported}" in text
    assert f"while the error of its own weights is {attained}" in text
    cells = {row["cell"]: row["attention_parameters"] for row in TABLES("head_rank/rank_errors")}
    more = cells["d8_n4_L1_w12_r1"] / cells["d8_n4_L1_w3_r1_concatenated"] - 1
    assert f"(at w = 3 and d = 8, {100 * more:.0f} % more)" in text
    small, papers = least_error(8, 4), least_error(64, 16)
    assert f"{small:.3f} at d = 8 and N = 4, and {papers:.3f} at the paper's" in text


def test_rows_that_the_page_on_the_papers_names_exist():
    ids = re.findall(r"`([A-F0-9][\w.*-]*)`", PAPERS)
    rows = re.findall(r'"([^"|]+)"', re.sub(r"\[[^]]*\]\([^)]*\)", "", PAPERS))
    assert len(ids) > 5
    for cited in ids:
        if cited.endswith(".*"):
            assert any(each.startswith(cited[:-1]) for each in IDS), cited
        else:
            assert any(each == cited or each.startswith(f"{cited}.") for each in IDS), cited
    quoted = [row for row in rows if row in NAMES]
    assert len(quoted) >= 2
    # What is quoted and no row's name is a word of a paper.
    assert {*rows} - {*NAMES} <= {"the second step", "and", "or", "the paper's", "Let"}


def test_every_section_of_both_papers_is_covered():
    for paper, sections in SECTIONS.items():
        (part,) = re.findall(rf"^## {paper}.*?(?=^## |\Z)", PAPERS, re.M | re.S)
        first = re.findall(r"^\| ([^|]+) \|", part, re.M)
        named = {name for cell in first for name in re.findall(r"\b([1-8A-F])\b", cell)}
        assert named >= {*sections}


def row(words):
    (line,) = (line for line in READING.splitlines() if line.startswith(f"| {words}"))
    return line.strip("|").split("|")[1:]


@pytest.mark.parametrize(
    ("column", "a", "kernel"),
    [(0, 1.2, "exp"), (1, 1.2, "linear"), (2, 0.01, "exp"), (3, 0.01, "linear")],
)
def test_the_trial_step_by_step(column, a, kernel):
    of = tokens(8, 4, a, 0.2, 0.8, SPECIAL)
    weights = attention_weights(of, of, np.eye(4), np.eye(4), KERNELS[kernel])
    averages = weights @ of
    tau = 1.1 * math.sqrt(math.log(8))
    assert f"= {tau:.3f}" in READING
    first, *of_classes, last = averages[SPECIAL]
    found = {
        "weight of": weights[SPECIAL, SPECIAL],
        "its average": first,
        "its two class numbers": sum(of_classes),
        "its last number": last,
        "with the signs": averages[SPECIAL] @ SIGNS,
    }
    for words, number in found.items():
        assert float(row(words)[column]) == round(number, 2)
    above = (averages @ SIGNS) > tau
    assert row("above τ")[column].strip() == ("yes" if above[SPECIAL] else "no")
    assert not np.delete(above, SPECIAL).any()
    assert not (averages @ FAILING > tau).any()


def test_the_long_description_is_short_and_leads_nowhere_within_the_repository():
    assert len(LONG_DESCRIPTION.splitlines()) <= MOST_LINES
    targets = re.findall(
        r"\]\((.*?)\)|(?:href|src)=[\"'](.*?)[\"']|^\[.*?\]: (.*)$", LONG_DESCRIPTION, re.M
    )
    assert [link for found in targets for link in found if link and "://" not in link] == []
    assert "![" not in LONG_DESCRIPTION


def linked_from(page: Path) -> set[Path]:
    """The files that a page links to."""
    targets = re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


def test_readme_links_to_every_page_but_the_reference_of_settings():
    pages = {*DOCS.glob("*.md")}
    assert pages - linked_from(ROOT / "README.md") == {DOCS / "settings.md"}


def test_the_faults_it_shows(tmp_path):
    wrong = values()
    panels = wrong["softmax_vs_linear"]["panels"]
    panels["fig4a"]["trails"] = 200
    panels["fig4b"]["sweep"]["d"] = [5]
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(wrong))
    with pytest.raises(ConfigError) as error:
        load_config(path)
    shown = "\n".join(f"    {line}" for line in str(error.value).splitlines())
    assert shown in RUN


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


def test_the_papers_objects_have_the_names_that_the_table_says():
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
