"""Beside figures: which points leave the datasets' definition, in words; the report's labels."""

from dataclasses import replace
from pathlib import Path

import pytest
from making import CHOICES, LEMMAS, SECTION, STUDIES, STUDY, panel

from attention_separation.results.declaration import FIGURE, PICTURE, TABLE, Output, outputs_of
from attention_separation.results.tables import TableError
from attention_separation.studies.softmax_vs_linear import summary as labels_module
from attention_separation.studies.softmax_vs_linear.figures.figure_text import (
    inside_in_words,
    items_in_lines,
    note_on_definition,
)
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.settings.section import RULE_NAME


def self_attention(a0=0.05, a1=0.7, c=0.8):
    return panel("self_attention", {"m": [3]}, n=40, d=12, a0=a0, a1=a1, b=0.2, c=c)


def cross_attention(a1):
    return panel("cross_attention", {"m": [3]}, n=40, d=11, a0=0.05, a1=a1)


REGRESSION = panel("regression", {"m": [3]}, n=40)


def test_ranges(subtests):
    for of, meets in [
        (self_attention(), True),
        (self_attention(a0=0.1), False),
        (self_attention(a1=0.69), False),
        (self_attention(c=0.81), False),
        (cross_attention(1.0), True),
        (cross_attention(0.99), False),
        (REGRESSION, True),
    ]:
        with subtests.test(of=of, meets=meets):
            assert (note_on_definition([of]) == "") == meets


def test_the_sentence_counts_points_of_attention():
    text = note_on_definition([self_attention(), cross_attention(0.5), REGRESSION], "Shaded")
    assert text.startswith("Shaded, outside the datasets' definition: 1 of 2 points of attention.")
    assert "a₁ ≥ 1 (reconstructed)" in text
    assert "0.7" not in text


def test_a_model_of_ones_own_says_its_own_range(monkeypatch):
    third = replace(MODELS["self_attention"], name="a_third", range_words="a₁ ≥ 3", least_a1=3)
    monkeypatch.setitem(MODELS, "a_third", third)
    of_third = self_attention().with_more(model="a_third")
    assert "asks for a₁ ≥ 3." in note_on_definition([of_third])
    text = note_on_definition([of_third, cross_attention(0.5), self_attention(c=0.9)])
    assert (
        "asks for a₀ < 0.1, a₁ ≥ 0.7, b + c = 1; in cross-attention a₀ < 0.1, a₁ ≥ 1 "
        "(reconstructed); in a-third a₁ ≥ 3."
    ) in text


def unbroken(text):
    """A text as it stands in one line of a note."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def swept(sweep, **held):
    """A panel of self-attention that sweeps some parameters."""
    parameters = {"a0": 0.05, "a1": 0.7, "b": 0.2, "c": 0.8} | held
    fixed = {name: value for name, value in parameters.items() if name not in sweep}
    return panel("self_attention", sweep, n=40, d=12, m=3, **fixed)


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (swept({"c": [0.7, 0.8, 0.9]}), "only 𝑐 = 0.8"),
        (swept({"a1": [0.6, 0.7, 0.8]}), "𝑎₁ ≥ 0.7"),
        (swept({"a0": [0.01, 0.02, 0.1]}), "𝑎₀ ≤ 0.02"),
        (swept({"c": [0.5, 0.6]}), "none"),
        (swept({"a1": [0.6, 0.7, 0.8], "c": [0.8, 0.9]}), "𝑎₁ ≥ 0.7, only 𝑐 = 0.8"),
        (swept({"a1": [0.7, 0.8], "c": [0.8, 0.9]}), "only 𝑐 = 0.8"),
        (swept({"b": [0.1, 0.2], "c": [0.8, 0.9]}), "2 of 4 points"),
    ],
)
def test_what_is_inside_is_said_of_each_panel(of, words):
    assert inside_in_words(of) == words
    assert note_on_definition([of, self_attention()], names="ab").endswith(
        f" {unbroken(f'a: {words}')}."
    )


def test_panels_with_the_same_inside_are_named_together():
    of = swept({"c": [0.7, 0.8, 0.9]})
    assert note_on_definition([of, of], names="ad").endswith(f" {unbroken('a, d: only 𝑐 = 0.8')}.")


def test_the_papers_sweeps_leave_the_definition():
    """Definition D.1 asks a0 < 0.1, a1 >= 0.7 and b + c = 1; panels d, e and f sweep beyond."""
    notes = {name: note_on_definition([STUDY.panels.exact[name]]) for name in SECTION.panels}
    left = {name for name, note in notes.items() if note}
    within = {name for name in notes if {"n", "d", "m"} & STUDY.panels.exact[name].sweep.keys()}
    assert left == notes.keys() - within
    assert "definition: 80 of 81 points" in notes["fig4f"]


def test_titles_are_broken_between_items_alone():
    items = ["n = 200", "m = max(⌊log(n/δ)⌋, 15)", "c = 0.8"]
    text = items_in_lines(items, 30)
    assert text.replace(",\n", ",  ").split(",  ") == items
    assert all(len(line) <= 30 for line in text.splitlines())
    assert "\n" in text


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
    assert audits
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
