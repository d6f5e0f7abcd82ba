"""Figures of the needle: what they show is the tables', with and without trained dots."""

import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import CONFIG
from needle_tables import folder_of_tables

from attention_separation.__main__ import main
from attention_separation.needle.figures import accuracy, critical
from attention_separation.needle.figures.accuracy import Panel
from attention_separation.needle.figures.style import STYLES, AccuracyDot, CriticalDot
from attention_separation.needle.settings.titles import FIGURES
from attention_separation.pages import drawing

STUDY = CONFIG.studies()["needle"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folder_of_tables(tmp_path_factory.mktemp("needle"))


def table(folder, name):
    return pq.read_table(folder / f"tables/{name}.parquet")


def test_the_verb_writes_the_same_twice(folder, monkeypatch):
    monkeypatch.setattr(drawing, "FORMATS", ("svg",))
    for name, title in FIGURES.items():
        source = {"needle_accuracy": "needle_lines"}.get(name, name)
        read = folder / f"tables/{source}.parquet"
        texts = []
        for k in range(2):
            path = folder / f"{k}/{name}.svg"
            status = main(
                [
                    "needle-figure", "--settings", STUDY.figure_job(title).canonical(),
                    "--figure", name, "--table", str(read), "--output", str(path),
                ]
            )  # fmt: skip
            assert status == 0
            texts.append(path.read_bytes())
        assert texts[0] == texts[1]
        assert title.encode() in texts[0]
        numbers = pq.read_table(folder / f"0/{name}.parquet")
        assert numbers.to_pylist() == pq.read_table(read).to_pylist()


def test_a_table_of_other_settings_is_refused(folder, capsys):
    job = STUDY.figure_job("t").model_copy(update={"lines": "other"})
    read = folder / "tables/needle_critical.parquet"
    status = main(
        [
            "needle-figure", "--settings", job.canonical(), "--figure", "needle_critical",
            "--table", str(read), "--output", str(folder / "no.svg"),
        ]
    )  # fmt: skip
    assert status == 1
    assert "made with other settings" in capsys.readouterr().err
    assert not (folder / "no.svg").exists()


def test_lines_of_accuracy(folder):
    lines = table(folder, "needle_lines")
    figure = accuracy.draw("Title", lines)
    assert [ax.get_title(loc="left")[-1] for ax in figure.axes] == ["4", "5"]
    rows = lines.to_pylist()
    for ax, mu in zip(figure.axes, (4, 5), strict=True):
        drawn = {line.get_color(): line for line in ax.lines[1:]}
        for kernel, style in STYLES.items():
            own = sorted(
                (r["n"], r["accuracy"]) for r in rows if (r["kernel"], r["mu"]) == (kernel, mu)
            )
            assert [*zip(*drawn[style.color].get_data(), strict=True)] == own
    assert len({style.color for style in STYLES.values()}) == len(STYLES)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [style.words for style in STYLES.values()]


def test_trained_dots_stand_in_their_panels(folder):
    lines = table(folder, "needle_lines")
    panels = [
        Panel(5.0, "asked", [AccuracyDot("linear", 128, 0.77, 0.76, 0.78)]),
        Panel(5.0, "fixed", [AccuracyDot("exp", 128, 0.95), AccuracyDot("none", 8, 0.8)]),
    ]
    figure = accuracy.draw("Title", lines, panels)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["asked", "fixed"]
    dots = [[line for line in ax.lines if line.get_marker() == "o"] for ax in figure.axes]
    assert [len(each) for each in dots] == [1, 2]
    assert dots[0][0].get_xydata().tolist() == [[128, 0.77]]
    assert dots[0][0].get_color() == STYLES["linear"].color
    assert figure.legends[0].get_texts()[-1].get_text() == "trained"


def test_critical_n_and_slopes(folder):
    numbers = table(folder, "needle_critical")
    figure = critical.draw("Title", numbers, [CriticalDot("linear", 5.0, 150.0)])
    left, right = figure.axes
    rows = [r for r in numbers.to_pylist() if r["kernel"] == "power_4"]
    wanted = sorted((r["mu"], r["n_critical"]) for r in rows)
    of_color = [line for line in left.lines if line.get_color() == STYLES["power_4"].color]
    assert [*map(tuple, of_color[0].get_xydata())] == wanted
    squares = [line for line in right.lines if line.get_color() == STYLES["power_4"].color]
    assert [*map(tuple, squares[0].get_xydata())] == [(mu * mu, n) for mu, n in wanted]
    triangles = [line.get_xydata() for line in left.lines if len(line.get_xydata()) == 4]
    triangles = [t for t in triangles if np.array_equal(t[0], t[-1])]
    slopes = [math.log(t[2, 1] / t[1, 1]) / math.log(t[1, 0] / t[0, 0]) for t in triangles]
    assert sorted(slopes) == pytest.approx([2, 4, 6, 8, 10])
    assert [line.get_ydata()[0] for line in left.lines if line.get_marker() == "o"] == [150.0]


def test_what_is_endless_is_left_out(folder):
    numbers = table(folder, "needle_critical")
    rows = numbers.to_pylist()
    rows = [r | {"n_critical": math.inf} if r["kernel"] == "exp" else r for r in rows]
    found = critical._lines(type(numbers).from_pylist(rows, numbers.schema))
    assert "exp" not in found
    assert {*found} == {*STYLES} - {"exp"}
