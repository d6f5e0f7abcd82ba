"""Figures of the needle: what they show is the tables', with and without trained dots."""

import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from matplotlib.colors import to_rgb
from needle_cells import runs, table_of
from needle_tables import SCHEMAS, folder_of_tables

from attention_separation.__main__ import run_job
from attention_separation.looks.kernel_styles import kernel_line, kernel_marker
from attention_separation.pages import drawing
from attention_separation.settings.strict_model import Job
from attention_separation.studies.needle import figures
from attention_separation.studies.needle.settings.titles import FIGURES_OF_LINES, FIGURES_OF_NEEDLE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folder_of_tables(tmp_path_factory.mktemp("needle"))


def colour_of(kernel):
    return kernel_line(kernel)["color"]


def table(folder, name):
    return pq.read_table(folder / f"tables/{name}.parquet")


def run_figure(folder, name, output, job=None):
    """The status of the job of a figure, of the tables in a folder."""
    table = name if name in SCHEMAS else "needle_lines"
    read, cells = (str(folder / f"tables/{each}.parquet") for each in (table, "needle_cells"))
    return run_job(
        "studies.needle.figures", "--settings", (job or Job()).canonical(), "--figure", name,
        "--table", read, "--cells", cells, "--output", str(folder / output),
    )  # fmt: skip


AXES_OF_FIGURES = {
    "needle_accuracy": ("tokens $n$", 3),
    "needle_critical": ("signal-to-noise ratio $\\mu$ of the needle, logarithmic", 2),
    "needle_sink": ("tokens $n$", 2),
    "needle_features": ("features $r$", 1),
    "needle_paper_network": ("", 2),
}
"""What is on the first axis, and how many panels the kept tables have."""


def test_the_job_draws_each_figure_of_its_tables(subtests, folder, monkeypatch):
    saved = {}
    monkeypatch.setattr(
        figures,
        "save_with_numbers",
        lambda picture, output, numbers, _: saved.update({output.name: (picture, numbers)}),
    )
    for name, title in FIGURES_OF_NEEDLE.items():
        with subtests.test(name=name):
            assert run_figure(folder, name, name) == 0
            picture, numbers = saved[name]
            assert picture.get_suptitle().split() == title.split()
            axes = picture.axes
            assert (axes[0].get_xlabel(), len(axes)) == AXES_OF_FIGURES[name]
            shown = "needle_cells"
            if name in FIGURES_OF_LINES:
                shown = name if name in SCHEMAS else "needle_lines"
            assert numbers.to_pylist() == table(folder, shown).to_pylist()


def test_the_job_writes_a_figure_and_its_numbers(folder, monkeypatch):
    name = "needle_features"
    monkeypatch.setattr(drawing, "FORMATS", ("svg",))
    for k in range(2):
        assert run_figure(folder, name, f"{k}/{name}.svg") == 0
    drawn = (folder / f"0/{name}.svg").read_bytes()
    assert FIGURES_OF_NEEDLE[name].encode() in drawn
    assert (folder / f"1/{name}.svg").read_bytes() == drawn
    numbers = pq.read_table(folder / f"0/{name}.parquet")
    assert numbers.to_pylist() == table(folder, "needle_cells").to_pylist()


def test_a_table_of_other_settings_is_refused(folder, capsys):
    job = Job(inputs={"table": ["other"]})
    assert run_figure(folder, "needle_critical", "no.svg", job) == 1
    assert "made with other settings" in capsys.readouterr().err
    assert not (folder / "no.svg").exists()


def test_lines_of_accuracy(folder):
    lines = table(folder, "needle_lines")
    figure = figures.draw_accuracies("Title", lines)
    assert [ax.get_title(loc="left")[-1] for ax in figure.axes] == ["4", "5"]
    rows = lines.to_pylist()
    for ax, mu in zip(figure.axes, (4, 5), strict=True):
        drawn = {line.get_color(): line for line in ax.lines[1:]}
        for kernel in figures.WORDS:
            own = sorted(
                (r["n"], r["accuracy"]) for r in rows if (r["kernel"], r["mu"]) == (kernel, mu)
            )
            assert [*zip(*drawn[colour_of(kernel)].get_data(), strict=True)] == own
    assert len({*map(colour_of, figures.WORDS)}) == len(figures.WORDS)
    assert not figure.legends


def test_each_line_is_named_at_the_line_and_there_are_at_most_eight(folder):
    """In the legend stands what dots are, and nothing else."""
    lines = table(folder, "needle_lines")
    cells = [
        *runs("query_given", "exp", 5.0, 128, [0.95]),
        *runs("query_given", "elu_plus_one", 5.0, 128, [0.9], features=8),
        *runs("query_given", "elu_plus_one", 5.0, 128, [0.9], features=12),
    ]
    for figure in (
        figures.draw_accuracies("Title", lines),
        figures.draw_accuracies("Title", lines, table_of(cells)),
    ):
        for ax in figure.axes:
            assert len(ax.texts) == len(figures.WORDS) <= 8
            drawn = [line for line in ax.lines[1:] if line.get_marker() == "None"]
            points = {line.get_color(): line.get_xydata().tolist() for line in drawn}
            for kernel, text in zip(figures.LABELS, ax.texts, strict=True):
                assert list(text.xy) in points[colour_of(kernel)]
                assert text.get_text() == figures.LABELS[kernel].words
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["trained softmax", "trained elu_plus_one"]


def test_every_run_is_a_dot_in_the_panel_of_its_arm(folder):
    lines = table(folder, "needle_lines")
    cells = table_of(
        [
            *runs("query_given", "linear", 5.0, 128, [0.77, 0.75], "n"),
            *runs("query_learned", "exp", 5.0, 128, [0.95]),
            *runs("query_learned", "linear", 5.0, 128, [0.76], "sum"),
            *runs("query_learned", "elu_plus_one", 5.0, 32, [0.9], features=12),
            *runs("query_given", "exp", 5.0, 128, [0.6], control=True),
            *runs("self_attention", None, 5.0, 128, [0.7]),
        ]
    )
    figure = figures.draw_accuracies("Title", lines, cells)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "query given, $\\mu$ = 5", "query learned, $\\mu$ = 5"
    ]  # fmt: skip
    dots = [
        [(line.get_marker(), line.get_color(), *line.get_xydata()[0]) for line in ax.lines
         if line.get_marker() != "None"]
        for ax in figure.axes
    ]  # fmt: skip
    linear, exp = map(colour_of, ("linear", "exp"))
    mark = kernel_marker("linear")
    assert dots[0] == [(mark, linear, 128, 0.77), (mark, linear, 128, 0.75)]
    assert dots[1][:2] == [(kernel_marker("exp"), exp, 128, 0.95), ("s", linear, 128, 0.76)]
    # A map without a line has a colour of its own.
    assert dots[1][2][1] not in {*map(colour_of, figures.WORDS)}
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [
        "trained linear",
        "trained softmax",
        "trained linear, by row sums",
        "trained elu_plus_one",
    ]


def test_an_own_kernel_is_among_the_dots(folder):
    cells = table_of(runs("query_given", "mine", 4.0, 32, [0.8, 0.81]))
    figure = figures.draw_accuracies("Title", table(folder, "needle_lines"), cells)
    assert figure.legends[0].get_texts()[-1].get_text() == "trained mine"
    assert sum(line.get_marker() != "None" for line in figure.axes[0].lines) == 2


def test_features_against_their_lines(folder):
    cells = table_of(
        [
            *runs("query_given", "elu_plus_one", 5.0, 128, [0.6, 0.62], features=8),
            *runs("query_given", "elu_plus_one", 5.0, 128, [0.7], features=32),
            *runs("query_given", "elu_plus_one", 5.0, 512, [0.55], features=8),
        ]
    )
    lines = table(folder, "needle_lines")
    (ax,) = figures.draw_features("Title", lines, cells).axes
    means = [
        line for line in ax.lines if line.get_marker() == "None" and len(line.get_xdata()) == 2
    ]
    values = {
        row["kernel"]: row["accuracy"]
        for row in lines.to_pylist()
        if (row["mu"], row["n"]) == (5.0, 128)
    }
    levels = [line.get_ydata()[0] for line in means[:-1]]
    assert sorted(levels) == sorted(values[name] for name in figures.REFERENCES)
    assert means[-1].get_xydata().tolist() == [[8, pytest.approx(0.61)], [32, 0.7]]
    assert ax.get_title(loc="left") == "query given, $\\mu$ = 5, $n$ = 128"


def test_the_papers_network_beside_no_attention(folder):
    cells = table_of(
        [
            *runs("self_attention", None, 5.0, 512, [0.9, 0.92]),
            *runs("self_attention", "linear", 5.0, 512, [0.91, 0.91], "n"),
            *runs("self_attention", "linear", 5.0, 512, [0.5], "sum"),
            *runs("query_given", "exp", 5.0, 512, [0.9]),
        ]
    )
    lines = table(folder, "needle_lines")
    (ax,) = figures.draw_paper_network("Title", lines, cells).axes
    heights = [bar.get_y() + bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx([0.91, 0.91, 0.5])
    colours = [bar.get_facecolor()[:3] for bar in ax.patches]
    assert colours[0] != colours[1] == colours[2] == to_rgb(kernel_line("linear")["color"])
    assert ax.get_xticklabels()[0].get_text() == "no\nattention"
    levels = {line.get_ydata()[0] for line in ax.lines if line.get_marker() == "None"}
    (bayes,) = (
        row["accuracy"] for row in lines.to_pylist()
        if (row["kernel"], row["mu"], row["n"]) == ("bayes", 5.0, 512)
    )  # fmt: skip
    assert sorted(levels) == pytest.approx([0.91, bayes])


def test_critical_n_and_slopes(folder):
    numbers = table(folder, "needle_critical")
    curve = {8: 0.97, 32: 0.85, 128: 0.65}
    cells = [
        row
        for n, mean in curve.items()
        for row in runs("query_given", "linear", 5.0, n, [mean], "n")
    ]
    figure = figures.draw_critical("Title", numbers, table_of(cells))
    left, right = figure.axes
    rows = [r for r in numbers.to_pylist() if r["kernel"] == "power_4"]
    wanted = sorted((r["mu"], r["n_critical"]) for r in rows)
    of_color = [line for line in left.lines if line.get_color() == colour_of("power_4")]
    assert [*map(tuple, of_color[0].get_xydata())] == wanted
    squares = [line for line in right.lines if line.get_color() == colour_of("power_4")]
    assert [*map(tuple, squares[0].get_xydata())] == [(mu * mu, n) for mu, n in wanted]
    triangles = [line.get_xydata() for line in left.lines if len(line.get_xydata()) == 4]
    triangles = [t for t in triangles if np.array_equal(t[0], t[-1])]
    slopes = [math.log(t[2, 1] / t[1, 1]) / math.log(t[1, 0] / t[0, 0]) for t in triangles]
    assert sorted(slopes) == pytest.approx([2, 4, 6, 8, 10])
    dots = [line for line in left.lines if line.get_marker() == "o"]
    assert [line.get_ydata()[0] for line in dots] == [pytest.approx(64)]
    assert [line.get_color() for line in dots] == [colour_of("linear")]


def test_what_is_endless_is_left_out(folder):
    numbers = table(folder, "needle_critical")
    rows = numbers.to_pylist()
    rows = [r | {"n_critical": math.inf} if r["kernel"] == "exp" else r for r in rows]
    found = figures.critical_points(type(numbers).from_pylist(rows, numbers.schema))
    assert "exp" not in found
    assert {*found} == {*figures.WORDS} - {"exp"}


def test_sinks_and_the_last_n_of_each(folder):
    sinks = table(folder, "needle_sink")
    figure = figures.draw_sinks("Title", sinks)
    assert [ax.get_title(loc="left")[-1] for ax in figure.axes] == ["4", "5"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    of_sinks = [f"right at n₀ = {n}" for n in ("128", "512", "2,048")]
    assert labels == ["right at every n (Bayes)", *of_sinks, "softmax-one"]
    ax = figure.axes[1]
    assert [text.get_text() for text in ax.texts] == ["1,461", "3,675", "9,618"]
    (line,) = (line for line in ax.lines if line.get_label() == of_sinks[1])
    own = sorted(
        (row["n"], row["accuracy"]) for row in sinks.to_pylist()
        if (row["mu"], row["right_at"]) == (5.0, 512)
    )  # fmt: skip
    assert [*zip(*line.get_data(), strict=True)] == own
