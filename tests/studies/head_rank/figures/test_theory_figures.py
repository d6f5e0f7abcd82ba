"""The jobs of one layer of low-rank heads: from settings to tables and figures."""

import re

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import head_rank
from matplotlib.colors import to_rgb

from attention_separation.__main__ import main, run_job
from attention_separation.results.tables import table_from_rows
from attention_separation.studies.head_rank.figures import theory_figures
from attention_separation.studies.head_rank.settings.jobs import BoundSettings
from attention_separation.studies.head_rank.settings.titles import NUMBERED, THEORY_TITLES
from attention_separation.studies.head_rank.theory.bound_table import NEEDED, needed_rows

STUDY = head_rank(scale="smoke")
TABLES = {
    "bound": "rank_bound", "found": "rank_found", "plurality": "rank_plurality",
    "layers": "rank_layers",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `snakemake rank_theory` makes, at the scale smoke."""
    folder = tmp_path_factory.mktemp("theory")
    for name, table in TABLES.items():
        text = STUDY.results[table].settings.canonical()
        path = str(folder / f"tables/{table}.parquet")
        (folder / "tables").mkdir(exist_ok=True)
        assert (
            run_job(f"studies.head_rank.theory.{name}_table", "--settings", text, "--output", path)
            == 0
        )
    settings = STUDY.results["rank_theory"].settings.canonical()
    tables = {name: str(folder / f"tables/{name}.parquet") for name in NUMBERED}
    bound = [tables[name] for name in ("rank_bound", "rank_heads_needed", "rank_bound_points")]
    command = [
        "job",
        "studies.head_rank.figures.theory_figures",
        "--settings",
        settings,
        "--bound",
        *bound,
    ]
    command += ["--found", tables["rank_found"], "--plurality", tables["rank_plurality"]]
    command += ["--layers", tables["rank_layers"]]
    (folder / "figures").mkdir()
    assert main([*command, "--output", str(folder / "figures/rank_theory.svg")]) == 0
    return folder


def test_every_table_and_figure_is_made(folder):
    for name in NUMBERED:
        rows = pq.read_table(folder / f"tables/{name}.parquet").num_rows
        assert rows > 0
        for line_of, suffix in (("\n", "csv"), ("<tr>", "html")):
            text = (folder / f"tables/{name}.{suffix}").read_text(encoding="utf-8")
            assert text.count(line_of) >= rows
    for name in THEORY_TITLES:
        for suffix, first in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("parquet", b"PAR1")):
            assert (folder / f"figures/{name}.{suffix}").read_bytes().startswith(first)
        assert THEORY_TITLES[name] in (folder / f"figures/{name}.svg").read_text(encoding="utf-8")


def test_their_digests_are_those_that_the_study_expects(folder):
    for path, current in STUDY.expected_tables().items():
        if (folder / path).exists():
            metadata = pq.read_metadata(folder / path).metadata
            assert metadata[b"settings"].decode() == current.settings
            assert metadata[b"code"].decode() == current.code


def test_the_figure_of_ranks_draws_what_the_table_has(folder):
    table = pq.read_table(folder / "figures/rank_theory.parquet")
    layers = pq.read_table(folder / "tables/rank_layers.parquet")
    figure = theory_figures.draw_ranks("Title", table, layers)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert len(titles) == 6
    assert titles[0] == "$d$ = 4,  $H = d/r$"
    rows = [row for row in table.to_pylist() if (row["d"], row["budget"]) == (8, "d^3")]
    lines = figure.axes[-1].lines
    drawn = {tuple(line.get_ydata()) for line in lines}
    for line in theory_figures.HEAD_LINES:
        of_kinds = [row for row in rows if row["rank"] < 8 and row["kind"] in line.kinds]
        assert tuple(theory_figures.least_errors(of_kinds).values()) in drawn
    assert tuple(row["bound"] for row in sorted(
        {row["rank"]: row for row in rows if row["rank"] < 8}.values(), key=lambda r: r["rank"]
    )) in drawn  # fmt: skip


def test_the_figure_of_ranks_draws_the_least_trained_error_below_full_rank(folder):
    table = pq.read_table(folder / "figures/rank_theory.parquet")
    layers = pq.read_table(folder / "tables/rank_layers.parquet")
    figure = theory_figures.draw_ranks("Title", table, layers)
    rows = [row for row in layers.to_pylist() if row["budget"] == "d^3" and row["rank"] < 4]
    (line,) = [
        line
        for ax in figure.axes
        for line in ax.lines
        if line.get_label() == theory_figures.LEARNED_LABEL
        and ax.get_title(loc="left").endswith("d^2/r$")
    ]
    assert list(line.get_xdata()) == [1, 2]
    for rank, error in zip(line.get_xdata(), line.get_ydata(), strict=True):
        trained = [row["error"] for row in rows if row["rank"] == rank]
        assert len(trained) == 2
        assert error == min(trained)


def test_the_figure_of_heads_has_every_error(folder):
    table = pq.read_table(folder / "figures/rank_heads.parquet")
    figure = theory_figures.draw_heads("Title", table)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [re.sub("ε = ", "", text) for text in labels[:3]] == ["0.4", "0.2", "0.1"]
    # All heads above, and below as many as a model may have.
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["$d$ = 4", "$d$ = 8"] * 2


@pytest.mark.parametrize("errors", [[0.1], [0.4, 0.2, 0.1]])
def test_the_figure_of_heads_has_the_papers_largest_budget_once(errors):
    """Also of one error alone."""
    job = BoundSettings(dimensions=[8], doublings=0, errors=errors, points=[2])
    table = table_from_rows(needed_rows(job), NEEDED)
    for panel in theory_figures.draw_heads("Title", table).axes:
        (budget,) = [line for line in panel.lines if line.get_linestyle() == "--"]
        assert budget.get_xdata().tolist() == [1, 2, 4, 8]
        assert budget.get_ydata() == pytest.approx(np.log10([64, 32, 16, 8]))


def test_the_figure_of_points_has_the_line_of_rank_0(folder):
    table = pq.read_table(folder / "figures/rank_points.parquet")
    figure = theory_figures.draw_points("Title", table)
    rows = table.to_pylist()
    levels = {line.get_ydata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "-."}
    own = [row for row in rows if row["distribution"] == "uniform"]
    assert levels == {row["rank_0"] for row in own}


def test_a_rule_makes_all_three_figures_of_all_tables():
    result = STUDY.results["rank_theory"]
    assert [output.name for output in result.all_outputs()] == list(THEORY_TITLES)
    assert [output.name for output in sum(result.inputs.values(), ())] == list(NUMBERED)


def test_what_is_impossible_is_seen_in_print(folder):
    """Two grays, apart from each other and from white by a fifth of the way to black."""
    table = pq.read_table(folder / "figures/rank_theory.parquet")
    layers = pq.read_table(folder / "tables/rank_layers.parquet")
    figure = theory_figures.draw_ranks("Title", table, layers)
    shades = [patch.get_facecolor()[0] for patch in figure.legends[0].get_patches()]
    dark, light = sorted(shades)
    assert dark + 0.2 < light < 0.8


def test_numbers_of_heads_are_read_off_the_axis_and_seen_on_white():
    """A tick stands at the logarithm of the number that it says."""
    job = BoundSettings(dimensions=[8], doublings=0, errors=[0.4, 0.2, 0.1], points=[2])
    figure = theory_figures.draw_heads("Title", table_from_rows(needed_rows(job), NEEDED))
    _, few_heads = figure.axes
    assert few_heads.get_yscale() == "linear"
    for tick, label in zip(few_heads.get_yticks(), few_heads.get_yticklabels(), strict=True):
        assert 10**tick == pytest.approx(int(label.get_text().replace(",", "")))
    for line in few_heads.lines:
        assert np.mean(to_rgb(line.get_color())) < 0.7
