"""Curves read off the paper: files and their faults; simulated under a reading, it is found again.

The level of the verdicts is the false-alarm budget of each random test.
"""

import numpy as np
import pytest
from making import SECTION, STUDY

from attention_separation.softmax_vs_linear.audits.choices import effect_of
from attention_separation.softmax_vs_linear.audits.open_choices import CHOICES
from attention_separation.softmax_vs_linear.audits.published import (
    COLUMNS,
    read_curves,
    reading_rows,
)
from attention_separation.softmax_vs_linear.figures.verdicts import verdict_tables
from attention_separation.softmax_vs_linear.settings.panels import PublishedJob
from attention_separation.softmax_vs_linear.simulation.simulate import count, units
from attention_separation.statistics import panel_agreement

BUDGET = 1e-6
READING_ERROR = 0.01


def job(**files):
    """The job of some files, as the study declares it."""
    known = [
        STUDY.marked[name].with_more(trials=SECTION.panels[name].trials)
        for name in files
        if name in STUDY.marked
    ]
    margins = [0.1] * len(known)
    return PublishedJob(panels=known, files=files, level=BUDGET, margin=0.1, margins=margins)


def text_of(*lines):
    return "\n".join([",".join(COLUMNS), *lines])


@pytest.fixture(autouse=True)
def verdicts_alone(monkeypatch):
    """Without the search for what would decide: most of the time."""
    monkeypatch.setattr(panel_agreement, "_trials_to_decide", lambda *_: None)


EVERY = {"fig3a": 24}
"""Of a panel whose values take long, so many points stand for one."""


def simulated_curve(name, alternative=None):
    """A file: the paper's trials of points, under an alternative, read with an error."""
    panel = STUDY.simulated[name].with_more(trials=SECTION.panels[name].trials)
    of_panel = points = panel.points()
    if alternative:
        choice, other = named(*alternative)
        points = effect_of(choice, other, panel, of_panel).after
    of_panel, points = (part[:: EVERY.get(name, 1)] for part in (of_panel, points))
    rng = np.random.default_rng(5)
    rates = count(panel, points, units(points, panel.trials))[:, 1] / panel.trials
    read = np.clip(rates + rng.uniform(-READING_ERROR, READING_ERROR, len(rates)), 0, 1)
    return text_of(
        *(
            f"{point.swept[0]!r},{rate:.6f},{READING_ERROR},simulated"
            for point, rate in zip(of_panel, read, strict=True)
        )
    )


def named(choice, alternative):
    (found,) = (
        (each, other)
        for each in CHOICES
        for other in each.alternatives
        if each.name.startswith(choice) and other.name == alternative
    )
    return found


def found(name, alternative=None):
    """The verdict on a simulated curve, and the outcome of each reading of each choice."""
    whole = job(**{name: simulated_curve(name, alternative)})
    (curve,) = read_curves(whole)
    (verdict,) = verdict_tables(whole, [curve])[0]["verdict"].to_pylist()
    rows = [*reading_rows(whole, whole.panels[0], curve)]
    return verdict, rows


@pytest.mark.parametrize(
    ("name", "choice", "alternative"),
    [
        ("fig3a", "base of the logarithm", "log10, m = log n"),
        ("fig4c", "τ of self-attention, X the identity", "(c + 0.12) √log n"),
        ("fig4f", "b where c is swept", "1 − c"),
        ("fig5a", "y of the four networks", "a fresh y for each"),
        ("fig7d", "τ of cross-attention", "0.7 √log n"),
    ],
)
def test_a_curve_made_under_an_alternative_selects_it(name, choice, alternative):
    verdict, rows = found(name, (choice, alternative))
    assert verdict == "differs"
    own = [row for row in rows if row["choice"].startswith(choice)]
    assert [row["reading"] for row in own if row["outcome"] == "selected"] == [alternative]
    assert [row["reading"] for row in own if row["is_best"]] == [alternative]
    assert {row["outcome"] for row in own} == {"selected", "excluded"}


@pytest.mark.parametrize("name", ["fig3b", "fig4a", "fig4b", "fig4d", "fig5c", "fig7e"])
def test_a_curve_made_under_the_defaults_agrees_and_excludes_none_of_them(name):
    verdict, rows = found(name)
    assert verdict == "agrees"
    assert "V" not in {row["choice"] for row in rows}  # it is simulated, at one point
    for choice in CHOICES:
        own = [row for row in rows if row["choice"] == choice.name]
        assert not own or own[0]["reading"] == choice.default
        assert not own or own[0]["outcome"] != "excluded"


def test_readings_that_cannot_be_told_are_undecided_and_one_without_a_point_is_excluded():
    _, rows = found("fig4d")
    outcomes = {row["reading"]: row["outcome"] for row in rows}
    assert outcomes["rounded down"] == outcomes["rounded up"] == "undecided"
    at = {row["reading"]: row for row in found("fig5c")[1]}
    assert at["the upper end left out"]["outcome"] == "excluded"
    assert at["the upper end left out"]["mean_difference"] is None


GOOD = "1,0.3,0.01,by eye"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "docs/published: no curves there; its README.md says how to add"),
        ({"fig9": text_of(GOOD)}, "fig9.csv, line 1: config.yaml has no panel fig9"),
        ({"fig4c": "m,rate\n1,0.3"}, r"line 1: columns are \['m', 'rate'\]; allowed: \['value'"),
        ({"fig4c": text_of()}, "fig4c.csv, line 1: no points"),
        ({"fig4c": text_of(GOOD, "2.5,0.3,0.01,x")}, "fig4c.csv, line 3: value 2.5; allowed"),
        ({"fig4c": text_of(GOOD, GOOD)}, "line 3: value 1; allowed: .* each once"),
        ({"fig4c": text_of("1,1.2,0.01,x")}, "line 2: success_rate and reading_error; allowed"),
        ({"fig4c": text_of("1,0.3,nan,x")}, "line 2: success_rate and reading_error; allowed"),
        ({"fig4c": text_of("1,high,0.01,x")}, "line 2: .*float: 'high'"),
        ({"fig4c": text_of("1,0.3")}, "line 2: could not convert string to float: ''"),
    ],
)
def test_what_is_wrong_with_a_file_is_a_sentence(files, words):
    with pytest.raises(ValueError, match=words):
        read_curves(job(**files))


def test_rates_are_successes_each_off_by_its_reading_error_at_most():
    """0.305 of 100 trials, off by 0.005 at most: 30 or 31, and the nearest whole number is one."""
    (curve,) = read_curves(job(fig4c=text_of("1,0.305,0.005,x", "2,0.5,0,x", "3,0.5,0.03,x")))
    assert curve["trials"].to_pylist() == [100] * 3
    assert curve["successes"].to_pylist() == [30, 50, 50]
    assert curve["misread"].to_pylist() == [1, 0, 3]
