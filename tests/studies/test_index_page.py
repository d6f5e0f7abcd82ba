"""The page from which all results are reached: what it says, and that it stands alone."""

import re
from pathlib import Path

import pytest
from making import CHOICES, LEMMAS, SECTION, STUDY

from attention_separation.results.declaration import outputs_of
from attention_separation.results.job_files import files_of_run
from attention_separation.studies.index_page import page
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


def test_it_shows_the_four_figures_with_what_they_are(text):
    pictures = re.findall(r'<img src="(.*?)" alt="(.*?)">', text)
    assert [path for path, _ in pictures] == [f"figures/fig{k}.svg" for k in (3, 4, 5, 7)]
    for _, words in pictures:
        assert re.match(r"Figure \d\. \w+.* Success rates of \d panels, simulated and", words)
    assert f"{len(SECTION.figures['fig4'].panels) - 1} agree, 1 differ." in pictures[1][1]


def test_it_says_the_verdicts(text):
    answer = f"trials agree with computed values at {COUNT - 1} of {COUNT} panels; fig4b differs"
    assert f"<strong>{answer}</strong>" in text
    assert text.count("<td>agrees</td>") == COUNT - 1
    assert "Of 2, 1 hold at all sizes tested, 0 at some or from an n on, 1 at none." in text
    assert text.count("<td>Lemma C.1</td>") == 2
    assert "agreement with them is not claimed" in text


def test_its_links_lead_to_every_table_and_picture_of_a_run(text):
    links = set(re.findall(r'href="(.*?)"', text))
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
    assert "<script" not in text
    assert "http" not in text
    assert set(re.findall(r'src="(\w+)/', text)) == {"figures"}
    assert '<meta name="viewport"' in text


def test_a_whole_run_makes_it():
    assert "results/index.html" in files_of_run(STUDY)
