"""The jobs of the second paper's numbers: from settings to table and figure."""

import ast
import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import ROOT
from picture_formats import pictures_as

from attention_separation.__main__ import run_job
from attention_separation.results.tables import chosen, table_from_rows
from attention_separation.studies.head_rank.constructions import (
    features,
    rank_1_heads,
    temperature,
    vote,
)
from attention_separation.studies.head_rank.constructions.published_features import RANDOM_FEATURES
from attention_separation.studies.head_rank.constructions.sphere import harmonics, sign_coefficient
from attention_separation.studies.head_rank.figures import weight_figure
from attention_separation.studies.head_rank.figures.features_figure import draw_features
from attention_separation.studies.head_rank.figures.temperature_figure import draw_temperature
from attention_separation.studies.head_rank.figures.vote_figure import draw_vote

SETTINGS = {
    "temperature": {
        "seed": 1, "draws": 60, "temperatures": [2.0, 50.0],
        "cases": [
            {"distribution": "uniform", "d": 5, "n": 2},
            {"distribution": "orthogonal", "d": 5, "n": 4},
        ],
        "biased": [
            {"d": d, "biases": biases} for biases in ([0.5, 0.0], [3.0, 0.0]) for d in (4, 6)
        ],
    },
    "vote": {
        "seed": 1, "draws": 60, "dimensions": [3, 6], "heads": [1, 9, 41], "epsilons": [0.5],
    },
    "features": {
        "seed": 1,
        "runs": [
            {"law": law, "dimensions": [8, 10], "draws": 2, "heads": 32}
            for law in ("compromise", "independent", "published")
        ],
    },
}  # fmt: skip

FIGURES = {"temperature": "rank_temperature", "vote": "rank_vote",
           "features": "rank_random_features"}  # fmt: skip


def texts(figure):
    return "\n".join(text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text")))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_job_writes_a_table_and_its_figure_pictures_and_numbers(name, tmp_path):
    table, figure = tmp_path / "t.parquet", tmp_path / "f.svg"
    make = [
        f"studies.head_rank.constructions.{name}",
        "--settings",
        json.dumps(SETTINGS[name]),
        "--output",
    ]
    assert run_job(*make, str(table)) == 0
    metadata = pq.read_metadata(table).metadata
    assert metadata[b"code"]
    shown = {"inputs": {"table": [metadata[b"settings"].decode()]}}
    draw = ["--table", str(table), "--output", str(figure), "--settings", json.dumps(shown)]
    draw += ["--figure", FIGURES[name]]
    with pictures_as("svg"):
        assert run_job("studies.head_rank.figures.construction_figures", *draw) == 0
    suffixes = {path.suffix for path in tmp_path.glob("f.*")}
    assert suffixes == {".svg", ".parquet", ".csv"}
    assert pq.read_table(tmp_path / "f.parquet").equals(pq.read_table(table))
    again = tmp_path / "again/t.parquet"
    assert run_job(*make, str(again)) == 0
    assert again.read_bytes() == table.read_bytes()


@pytest.fixture(scope="module")
def temperatures():
    job = temperature.TemperatureJob.model_validate(SETTINGS["temperature"])
    return temperature.errors_of_temperature(job)


def shows(ax, rows, columns=("error", "error_exact")):
    """Whether each of these columns of the rows is a line, by default of simulated errors and of
    exact ones."""
    drawn = [line.get_ydata() for line in ax.lines]
    return all(
        any(np.array_equal(line, [row[column] for row in rows]) for line in drawn)
        for column in columns
    )


def test_the_temperature_figure_shows_points_exact_values_and_law(temperatures):
    figure = draw_temperature(temperatures)
    fact_1, right, text = figure.axes
    rows = temperatures.to_pylist()
    for n, columns in ((2, ("error", "error_exact")), (4, ("error",))):
        of_fact_1 = chosen(rows, construction="fact_1", n=n)
        assert shows(fact_1, of_fact_1, columns)
        law = of_fact_1[-1]["error_law"]
        assert any(
            line.get_linestyle() == "--" and line.get_ydata()[-1] == law for line in fact_1.lines
        )
    of_fact_3 = chosen(rows, construction="fact_3")
    for d in (4, 6):
        own = [row for row in chosen(of_fact_3, d=d, added="-b/2") if row["temperature"]]
        assert shows(right, chosen(own, b_1=0.5))
        # Of b = (3, 0) one point is always the nearest.
        assert not shows(right, chosen(own, b_1=3.0))
    for b_1 in (0.5, 3.0):
        assert shows(text, chosen(of_fact_3, added="+b", temperature=None, b_1=b_1))
    labels = [[entry.get_text() for entry in ax.get_legend().get_texts()] for ax in figure.axes]
    assert labels == [
        ["$d$ = 5, $N$ = 2", "$d$ = 5, $N$ = 4", "independent points", "orthogonal points"],
        ["𝑏 = (0.5, 0)", "$d$ = 4", "$d$ = 6"],
        ["𝑏 = (0.5, 0)", "𝑏 = (3, 0)", "− 𝑏/2, the worst 𝑏"],
    ]
    assert "as in the text" in texts(figure)
    assert "a translation of the text" in texts(figure)


def test_where_one_point_is_always_the_nearest_no_softmax_heads_are_drawn(temperatures):
    """Nor is there a panel of them, where all cases are such."""
    rows = [row for row in temperatures.to_pylist() if row["b_1"] in (None, 3.0)]
    figure = draw_temperature(table_from_rows(rows, temperatures.schema))
    figure.draw_without_rendering()
    for d in (4, 6):
        own = [row for row in chosen(rows, added="-b/2", d=d) if row["temperature"]]
        assert not any(shows(ax, own) for ax in figure.axes)
    assert not any("Equation 8" in ax.get_title(loc="left") for ax in figure.axes)


def test_the_vote_figure_says_what_is_no_number_of_the_paper():
    table = vote.vote_table(vote.VoteJob.model_validate(SETTINGS["vote"]))
    figure = draw_vote(table)
    errors, _ = figure.axes
    rows = [row for row in table.to_pylist() if row["series"] == "error" and row["d"] == 6]
    for column in ("error", "error_exact"):
        wanted = [row[column] for row in rows]
        assert any(np.array_equal(line.get_ydata(), wanted) for line in errors.lines)
    assert "slope 𝑑³, as in the guarantee 𝑑³/ε²\n(constant unknown;" in texts(figure)
    assert errors.get_xlabel() == "voting heads 𝐻 of rank 1"
    assert "both layers have max(𝐻, 𝑑)" in " ".join(texts(figure).split())
    assert "whose proof is not in the text that was read" in texts(figure)


def test_the_features_figure_has_a_panel_for_each_dimension():
    table = features.features_table(features.FeaturesJob.model_validate(SETTINGS["features"]))
    figure = draw_features(table)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["𝑑 = 8", "𝑑 = 10"]
    (published,) = [line for line in figure.axes[0].lines if "read" in str(line.get_label())]
    assert published.get_label() == "as published:\nread from its figure"
    # Of 1, 2, 4, .., 32 heads.
    assert list(published.get_ydata()) == [*RANDOM_FEATURES[8][:6]]
    assert not any("read" in str(line.get_label()) for line in figure.axes[1].lines)
    best = [line for line in figure.axes[0].lines if "uniform" in str(line.get_label())]
    rows = [r for r in table.to_pylist() if (r["law"], r["d"]) == ("compromise", 8)]
    means = [np.mean([r["error"] for r in rows if r["heads"] == h]) for h in (1, 2, 4, 8, 16, 32)]
    np.testing.assert_array_equal(best[0].get_ydata(), means)
    assert "a lower bound for rank-1 heads of any kind with $V = aI$" in texts(figure)
    # What is below the bound is seen in print.
    shade = figure.axes[0].collections[0].get_facecolor()[0][0]
    assert shade < 0.8


def defined_in(path):
    """Names that a module defines, without importing it: some modules need PyTorch."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_the_papers_objects_have_the_names_that_the_table_says():
    package = ROOT / "src/attention_separation"
    folder = package / "studies/head_rank"
    named = re.findall(
        r"`([\w/]+)\.(?!py`|csv`)(\w+)`", (folder / "README.md").read_text(encoding="utf-8")
    )
    assert named
    for module, name in named:
        room = package if module.startswith("rank_bound/") else folder
        assert name in defined_in(room / f"{module}.py"), (module, name)


def test_the_weights_are_both_drawn_at_every_dimension():
    axes = weight_figure.draw_weight().axes
    for ax, d in zip(axes, (4, 6, 8), strict=True):
        own = weight_figure.weights(d)
        for line, name in zip(ax.lines, ("published", "representing"), strict=True):
            assert np.array_equal(line.get_ydata(), np.abs(own[name]))
        # At an angle of 0 all polynomials are 1: the sum of N_l / s_l, in each with its root.
        degrees = range(1, rank_1_heads.SERIES_DEGREES, 2)
        for name, power in (("published", 1.5), ("representing", 1.0)):
            terms = [harmonics(d, k) ** power / sign_coefficient(d, k) for k in degrees]
            assert own[name][-1] == pytest.approx(-sum(terms), rel=1e-9)
