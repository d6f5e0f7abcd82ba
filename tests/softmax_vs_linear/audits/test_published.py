"""Curves read off the paper: files and their faults; simulated under a reading, it is found again.

The level of the verdicts is the false-alarm budget of each random test.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from making import ROOT, SECTION, STUDY

from attention_separation.config import load_config
from attention_separation.softmax_vs_linear.audits.choices import effect_of
from attention_separation.softmax_vs_linear.audits.open_choices import CHOICES
from attention_separation.softmax_vs_linear.audits.published import (
    COLUMNS,
    read_curves,
    reading_rows,
)
from attention_separation.softmax_vs_linear.figures.verdicts import verdict_tables
from attention_separation.softmax_vs_linear.settings.panels import PublishedJob
from attention_separation.softmax_vs_linear.settings.published_files import PUBLISHED
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
    return PublishedJob(panels=known, files=files, level=BUDGET, margin=0.1, panel_margins=margins)


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
        ({"fig4c": text_of(GOOD, "2,0.3,0.01,a,b")}, "line 3: more than 4 cells; allowed"),
        ({"fig4c": text_of("1,0.3,0.01," + "x" * 200_000)}, "fig4c.csv, line .*: field larger"),
    ],
)
def test_what_is_wrong_with_a_file_is_a_sentence(files, words):
    with pytest.raises(ValueError, match=words):
        read_curves(job(**files))


@pytest.mark.parametrize("column", COLUMNS[:3])
@pytest.mark.parametrize("cell", ["high", "", "1,5", "1_0", "0x1", "½", "1 2"])
def test_a_cell_that_is_no_number_is_named_by_its_column(column, cell):
    cells = dict(zip(COLUMNS, GOOD.split(","), strict=True)) | {column: f'"{cell}"'}
    words = re.escape(f"docs/published/fig4c.csv, line 3: {column} is '{cell}'; allowed: a number")
    with pytest.raises(ValueError, match=words):
        read_curves(job(fig4c=text_of("2,0.3,0.01,x", ",".join(cells.values()))))


def unreadable(path):
    """Ways in which a file cannot be read, each of which makes one."""
    return {
        "a link that leads nowhere": lambda: path.symlink_to("nowhere"),
        "a link to itself": lambda: path.symlink_to(path.name),
        "a folder": path.mkdir,
        "a pipe": lambda: os.mkfifo(path),
        "too large": lambda: path.write_bytes(bytes(2 * 10**6)),
    }


@pytest.mark.parametrize("kind", unreadable(Path()))
def test_a_file_that_cannot_be_read_stops_only_who_asks_for_it(tmp_path, kind):
    folder = tmp_path / "docs/published"
    folder.mkdir(parents=True)
    (folder / "fig4c.csv").write_text(text_of(GOOD))
    unreadable(folder / "fig4d.csv")[kind]()
    study = load_config(ROOT / "config.yaml").studies(tmp_path)["softmax_vs_linear"]
    others = load_config(ROOT / "config.yaml").studies(tmp_path / "none")["softmax_vs_linear"]
    digests = {name: result.settings.digest() for name, result in study.results.items()}
    same = {name: result.settings.digest() for name, result in others.results.items()}
    assert digests | {"published": ""} == same | {"published": ""}
    with pytest.raises(ValueError, match=r"docs/published/fig4d\.csv: cannot be read: ") as error:
        read_curves(study.results["published"].settings)
    assert "\n" not in str(error.value)


def test_curves_are_those_of_the_folder_of_the_settings(tmp_path, monkeypatch):
    for folder, name in ((tmp_path / "project", "fig4c"), (tmp_path / "here", "fig4d")):
        (folder / PUBLISHED).mkdir(parents=True)
        (folder / PUBLISHED / f"{name}.csv").write_text(text_of(GOOD))
    (tmp_path / "project" / PUBLISHED / os.fsdecode(b"\xff.csv")).write_text("x")
    monkeypatch.chdir(tmp_path / "here")
    studies = load_config(ROOT / "config.yaml").studies(tmp_path / "project")
    job = studies["softmax_vs_linear"].results["published"].settings
    assert json.loads(job.canonical())["files"] == {"\\udcff": "x", "fig4c": text_of(GOOD)}


def test_rates_are_successes_each_off_by_its_reading_error_at_most():
    """0.305 of 100 trials, off by 0.005 at most: 30 or 31, and the nearest whole number is one."""
    (curve,) = read_curves(job(fig4c=text_of("1,0.305,0.005,x", "2,0.5,0,x", "3,0.5,0.03,x")))
    assert curve["trials"].to_pylist() == [100] * 3
    assert curve["successes"].to_pylist() == [30, 50, 50]
    assert curve["misread"].to_pylist() == [1, 0, 3]
