"""What stands beside a figure in the list of the report."""

from pathlib import Path

import pytest
from making import CHOICES, LEMMAS, STUDIES, STUDY

from attention_separation.results.declaration import FIGURE, PICTURE, TABLE, Output, outputs_of
from attention_separation.results.tables import TableError
from attention_separation.studies.softmax_vs_linear import summary as labels_module
from attention_separation.studies.softmax_vs_linear.settings.section import RULE_NAME

RESULTS = Path("results")


def figure(name: str) -> Output:
    """A figure of the first study, as it declares it."""
    (found,) = (o for _, o in outputs_of(STUDY.results) if (o.kind, o.name) == (FIGURE, name))
    return found


def test_labels_of_figures(monkeypatch):
    made = {"fig4a": {"verdict": "agrees"}, "fig4b": {"verdict": "undecided"}}
    monkeypatch.setattr(labels_module, "verdicts_in", lambda digest, folder: made)
    assert STUDY.labels(Output(FIGURE, "fig4", panels=("fig4a", "fig4b")), RESULTS) == {
        "figure": "fig4", "model": "self-attention", "swept": "n, d",
        "verdict": "1 agree, 1 undecided",
    }  # fmt: skip
    assert STUDY.labels(figure("fig4a"), RESULTS)["verdict"] == "agrees"
    assert STUDY.labels(figure("fig7a"), RESULTS)["verdict"] == "not judged"
    assert STUDY.labels(figure("fig7a"), RESULTS)["swept"] == "n*"
    audits = [output for output in CHOICES.shown_outputs() if output.kind in (FIGURE, PICTURE)]
    assert len(audits) == 4
    assert {len(CHOICES.labels(output, RESULTS)) for output in audits} == {4}
    (claims,) = (output for output in LEMMAS.shown_outputs() if output.name == "claims")
    assert LEMMAS.labels(claims, RESULTS) == {"table": "claims of the paper"}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_table_is_labelled_by_its_title(study):
    for output in study.shown_outputs():
        if output.kind == TABLE:
            assert output.title in study.labels(output, RESULTS).values()


def test_verdicts_of_other_settings_are_no_labels(monkeypatch):
    def refuse(digest, folder):
        raise TableError("made with other settings than these")

    monkeypatch.setattr(labels_module, "verdicts_in", refuse)
    assert STUDY.labels(figure("fig4a"), RESULTS)["verdict"] == "not judged"


@pytest.mark.parametrize("name", ["provenance", "report", "rank_fig1"])
def test_no_panel_takes_a_rules_name(name):
    assert RULE_NAME.fullmatch(name)
