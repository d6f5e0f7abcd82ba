"""The pages of a run: from which all results are reached, and of versions and settings."""

import json
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from making import CHOICES, CONFIG, LEMMAS, ROOT, SECTION, STUDY

from attention_separation import __version__
from attention_separation.results import environment as installed
from attention_separation.results.declaration import outputs_of
from attention_separation.results.job_files import files_of_run
from attention_separation.results.tables import write_parquet
from attention_separation.studies.index_page import page
from attention_separation.studies.provenance_page import (
    DEPENDENCIES,
    IN_WORDS,
    ProvenanceJob,
    opening,
    run,
    verdicts_of,
)
from attention_separation.studies.provenance_page import page as provenance_page
from attention_separation.studies.softmax_vs_linear.figures.verdicts import agreement

INDEX = STUDY.results["index"]
CLAIM = {"place": "Lemma C.1", "identity": False, "source": "given"}
CLAIM_ROWS = [
    CLAIM | {"id": "C.1", "n": 200, "verdict": "holds at the sizes tested"},
    CLAIM | {"id": "C.1", "n": 500, "verdict": "holds at the sizes tested"},
    CLAIM | {"id": "C.2", "n": 200, "verdict": "fails at every n tested"},
    CLAIM | {"id": "C.3", "n": 200, "verdict": "holds at the sizes tested", "source": "guessed"},
]


COUNT = len(STUDY.panels.exact)


def verdict_rows(**others):
    """A row for each panel, each of which agrees but for others."""
    return [
        {
            "panel": panel,
            "verdict": others.get(panel, "agrees"),
            "trials": 1000,
            "mean_p_hat": 0.5,
            "mean_p_exact": 0.25,
        }
        for panel in STUDY.panels.exact
    ]


def read(option):
    return [Path(output.path()) for output in INDEX.inputs[option]]


@pytest.fixture
def text():
    """The page of a run in which one panel differs."""
    rows = verdict_rows(fig4b="differs")
    others = [*read("tables"), *read("pictures")]
    return page(INDEX.settings, rows, CLAIM_ROWS, read("figures"), others)


def test_the_answer_counts_the_panels_that_agree_and_names_the_others():
    assert (
        agreement(verdict_rows())
        == f"trials agree with computed values at {COUNT} of {COUNT} panels"
    )
    several = agreement(verdict_rows(fig4b="differs", fig7a="undecided"))
    names = "fig4b differs; fig7a undecided"
    assert several == f"trials agree with computed values at {COUNT - 2} of {COUNT} panels; {names}"


class Elements(HTMLParser):
    """The attributes of a page's elements, by their names."""

    def __init__(self, text):
        super().__init__()
        self.found = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.setdefault(tag, []).append(dict(attrs))


def test_it_shows_the_four_figures_with_what_they_are(text):
    alt_by_path = {picture["src"]: picture["alt"] for picture in Elements(text).found["img"]}
    assert [*alt_by_path] == [f"figures/{figure}.svg" for figure in SECTION.figures]
    for figure, own in SECTION.figures.items():
        alt, count = alt_by_path[f"figures/{figure}.svg"], len(own.panels)
        assert own.title in alt
        agreeing = count - ("fig4b" in own.panels)
        assert f" of {count} panels, simulated and computed: {agreeing} agree" in alt
    assert ", 1 differ." in alt_by_path["figures/fig4.svg"]


def test_it_says_the_verdicts(text):
    answer = f"trials agree with computed values at {COUNT - 1} of {COUNT} panels; fig4b differs"
    assert f"<strong>{answer}</strong>" in text
    assert text.count("<td>agrees</td>") == COUNT - 1
    assert "Of 2, 1 hold at all sizes tested, 0 at some or from an n on, 1 at none." in text
    assert text.count("<td>Lemma C.1</td>") == 2
    assert "agreement with them is not claimed" in text


def test_its_links_lead_to_every_table_and_picture_of_a_run(text):
    links = {link["href"] for link in Elements(text).found["a"]}
    made = {
        output.path(suffix)
        for study in (STUDY, LEMMAS, CHOICES)
        for result, output in outputs_of(study.results)
        if result.in_default_run and output.kind.folder in ("figures", "tables")
        for suffix in output.kind.suffixes
    }
    assert made - links == {
        "tables/verdicts_points.parquet",
        "tables/verdicts_points.csv",
    }
    assert links <= made


def test_it_has_no_script_and_loads_nothing_from_elsewhere(text):
    found = Elements(text).found
    assert "script" not in found
    assert "http" not in text
    sources = [one["src"] for elements in found.values() for one in elements if "src" in one]
    assert all(source.startswith("figures/") for source in sources)
    assert any(meta.get("name") == "viewport" for meta in found["meta"])


def test_a_whole_run_makes_it():
    assert "results/index.html" in files_of_run(STUDY)


JOB = ProvenanceJob(
    python="CPython 3.99", packages={"numpy": "9.9", "zzz": "1"}, results="results",
    code="abc",
    facts={"scale": "paper", "engine": "dense", "trials": "each panel's own"},
    config=json.dumps({"seed": 5, "a": {"z": 1, "b": 2}}),
)  # fmt: skip


def test_the_page_of_versions():
    text = provenance_page(JOB)
    for words in (
        "<td>seed</td><td>5</td>", "<td>numpy</td><td>9.9</td>", "not installed", "zzz 1",
        "<td>code</td><td>abc</td>", "CPython 3.99",
        "a: {z: 1, b: 2}", "each panel&#x27;s own",
    ):  # fmt: skip
        assert words in text


def test_the_opening_says_what_was_run(tmp_path):
    facts = (
        ":seed: 5\n:scale: paper\n:engine: dense\n:trials: each panel's own\n:results: results/\n"
    )
    assert opening(JOB, {}) == f"What was run\n------------\n\n{facts}\n"
    found = opening(JOB, {"Claims": "2 agree"})
    assert found == f"What was found\n--------------\n\n:Claims: 2 agree\n\n{opening(JOB, {})}"
    run(JOB, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == provenance_page(JOB)
    assert (tmp_path / "opening.rst").read_text(encoding="utf-8") == opening(JOB, {})


def write(path, **columns):
    write_parquet(pa.table(columns), path, {})
    return path


def test_the_opening_counts_the_verdicts_of_each_table(tmp_path):
    panels = write(tmp_path / "verdicts.parquet", verdict=["agrees", "agrees", "differs"])
    origins = ["the paper's", "the paper's", "the paper's, judged on its published values alone"]
    rank = write(
        tmp_path / "rank_claims.parquet", origin=origins, verdict=["agrees", "not judged", "agrees"]
    )
    bounds = write(
        tmp_path / "claims.parquet",
        id=["4.1.P1", "4.1.P1", "5.1", "5.1.m", "C.3", "4.2.P1"],
        source=["given"] * 4 + ["guessed", "given"],
        identity=[False] * 6,
        verdict=[
            "holds at the sizes tested",
            "holds at the sizes tested",
            "with τ = 1/4*: refuted below n = 2, proved from n = 4",
            "fails at every n tested",
            "holds at the sizes tested",
            "fails at every n tested",
        ],
    )
    judged = {"claims": "Bounds", "verdicts": "Panels", "rank_claims": "Ranks"}
    assert verdicts_of(judged, [rank, panels, bounds]) == {
        "Ranks": "1 agree, 1 not judged",
        "Panels": "2 agree, 1 differ",
        "Bounds": "1 hold at all sizes tested, 1 at some or from an n on, 1 at none",
    }
    job = JOB.model_copy(update={"judged": judged})
    run(job, tmp_path / "page.html", verdicts=[panels])
    text = (tmp_path / "opening.rst").read_text(encoding="utf-8")
    assert ":Panels: 2 agree, 1 differ\n" in text


def test_every_study_says_what_it_judges():
    judged = {
        output.name
        for study in CONFIG.studies().values()
        for _, output in outputs_of(study.results)
        if output.judged
    }
    assert judged == {
        "claims", "verdicts", "kernel_laws", "rank_claims", "needle_claims", "recall_claims",
    }  # fmt: skip
    assert IN_WORDS.keys() <= judged


def test_what_is_installed():
    found = installed.packages()
    assert found["attention-separation"] == __version__
    assert found["pyarrow"] == pa.__version__
    assert list(found) == sorted(found)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = wanted["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["workflow"]
    names = [text.split(">")[0] for text in needed]
    assert sorted(DEPENDENCIES) == sorted(names)


def test_the_processor_is_named_by_its_family(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        "processor\t: 0\nvendor_id\t: Maker\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: A: B\n"
        "flags\t\t:\n\nprocessor\t: 1\nvendor_id\t: Other\n"
    )
    assert installed.processor(cpuinfo) == "Maker family 6 model 85"
    cpuinfo.write_text("processor\t: 0\nBogoMIPS\t: 50.00\n")
    assert installed.processor(cpuinfo)
    assert installed.processor(tmp_path / "none")
