"""The jobs of one layer of low-rank heads: from settings to tables and figures."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import head_rank
from matplotlib.colors import to_rgb
from picture_formats import pictures_as

from attention_separation.__main__ import main, run_job
from attention_separation.results.tables import table_from_rows
from attention_separation.studies.head_rank.figures import theory_figures
from attention_separation.studies.head_rank.settings.jobs import BoundSettings
from attention_separation.studies.head_rank.settings.titles import NUMBERED, THEORY_TITLES
from attention_separation.studies.head_rank.theory.bound_table import NEEDED, needed_rows

TABLES = {
    "bound": "rank_bound", "found": "rank_found", "plurality": "rank_plurality",
    "layers": "rank_layers",
}  # fmt: skip


def smaller_than_smoke():
    """The study at the scale smoke, with a vote in a dimension that has no exact chance, which is
    what takes long."""
    chosen = head_rank(scale="smoke").chosen
    plurality = chosen.theory.plurality.model_copy(update={"dimensions": [3], "points": [2, 3]})
    theory = chosen.theory.model_copy(update={"plurality": plurality})
    scales = {"smoke": chosen.model_copy(update={"theory": theory})}
    return head_rank(scale="smoke", scales=scales)


STUDY = smaller_than_smoke()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `snakemake rank_theory` makes, as svg files alone."""
    folder = tmp_path_factory.mktemp("theory")
    for name, table in TABLES.items():
        text = STUDY.results[table].settings.canonical()
        path = str(folder / f"tables/{table}.parquet")
        (folder / "tables").mkdir(exist_ok=True)
        job = f"studies.head_rank.theory.{name}_table"
        assert run_job(job, "--settings", text, "--output", path) == 0
    settings = STUDY.results["rank_theory"].settings.canonical()
    tables = {name: str(folder / f"tables/{name}.parquet") for name in NUMBERED}
    bound = [tables[name] for name in ("rank_bound", "rank_heads_needed", "rank_bound_points")]
    command = ["job", "studies.head_rank.figures.theory_figures", "--settings", settings]
    command += ["--bound", *bound, "--layers", tables["rank_layers"]]
    command += ["--found", tables["rank_found"], "--plurality", tables["rank_plurality"]]
    (folder / "figures").mkdir()
    with pictures_as("svg"):
        assert main([*command, "--output", str(folder / "figures/rank_theory.svg")]) == 0
    return folder


def read(folder, name):
    return pq.read_table(folder / f"{name}.parquet")


@pytest.fixture(scope="module")
def ranks(folder):
    """The figure of ranks, drawn again of what was written."""
    table, layers = read(folder, "figures/rank_theory"), read(folder, "tables/rank_layers")
    return theory_figures.draw_ranks("Title", table, layers)


def test_every_table_and_figure_is_made(folder):
    for name in NUMBERED:
        rows = read(folder, f"tables/{name}").num_rows
        assert rows > 0
        for line_of, suffix in (("\n", "csv"), ("<tr>", "html")):
            text = (folder / f"tables/{name}.{suffix}").read_text(encoding="utf-8")
            assert text.count(line_of) >= rows
    for name, title in THEORY_TITLES.items():
        assert read(folder, f"figures/{name}").num_rows > 0
        assert title in (folder / f"figures/{name}.svg").read_text(encoding="utf-8")


def test_their_digests_are_those_that_the_study_expects(folder):
    for path, current in STUDY.expected_tables().items():
        if (folder / path).exists():
            metadata = pq.read_metadata(folder / path).metadata
            assert metadata[b"settings"].decode() == current.settings
            assert metadata[b"code"].decode() == current.code


def test_the_figure_of_ranks_draws_what_the_table_has(folder, ranks):
    rows = read(folder, "figures/rank_theory").to_pylist()
    titles = [ax.get_title(loc="left") for ax in ranks.axes]
    heads = {"d^2": "$H = d/r$", "d^2.5": "$H = d^{1.5}/r$", "d^3": "$H = d^2/r$"}
    dimensions = sorted({row["d"] for row in rows})
    assert sorted(titles) == sorted(
        f"$d$ = {d},  {number}" for d in dimensions for number in heads.values()
    )
    ax = ranks.axes[titles.index(f"$d$ = 8,  {heads['d^3']}")]
    lower = [row for row in rows if (row["d"], row["budget"]) == (8, "d^3") and row["rank"] < 8]
    drawn = {tuple(line.get_ydata()) for line in ax.lines}
    for line in theory_figures.HEAD_LINES:
        of_kinds = [row for row in lower if row["kind"] in line.kinds]
        assert tuple(theory_figures.least_errors(of_kinds).values()) in drawn
    bounds = {row["rank"]: row["bound"] for row in sorted(lower, key=lambda row: row["rank"])}
    assert tuple(bounds.values()) in drawn


def test_the_figure_of_ranks_draws_the_least_trained_error_below_full_rank(folder, ranks):
    layers = read(folder, "tables/rank_layers").to_pylist()
    rows = [row for row in layers if row["budget"] == "d^3" and row["rank"] < 4]
    (line,) = [
        line
        for ax in ranks.axes
        for line in ax.lines
        if line.get_label() == theory_figures.LEARNED_LABEL
        and ax.get_title(loc="left").endswith("d^2/r$")
    ]
    assert list(line.get_xdata()) == [1, 2]
    for rank, error in zip(line.get_xdata(), line.get_ydata(), strict=True):
        trained = [row["error"] for row in rows if row["rank"] == rank]
        assert len(trained) > 1
        assert error == min(trained)


def test_the_figure_of_heads_has_every_error(folder):
    table = read(folder, "figures/rank_heads")
    figure = theory_figures.draw_heads("Title", table)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    errors = sorted({row["error"] for row in table.to_pylist()}, reverse=True)
    assert [label for label in labels if label.startswith("ε = ")] == [f"ε = {e:g}" for e in errors]


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
    table = read(folder, "figures/rank_points")
    figure = theory_figures.draw_points("Title", table)
    rows = table.to_pylist()
    levels = {line.get_ydata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "-."}
    own = [row for row in rows if row["distribution"] == "uniform"]
    assert levels == {row["rank_0"] for row in own}


def test_a_rule_makes_all_three_figures_of_all_tables():
    result = STUDY.results["rank_theory"]
    assert [output.name for output in result.all_outputs()] == list(THEORY_TITLES)
    assert [output.name for output in sum(result.inputs.values(), ())] == list(NUMBERED)


def test_what_is_impossible_is_seen_in_print(ranks):
    """Two grays, apart from each other and from white by a fifth of the way to black."""
    shades = [patch.get_facecolor()[0] for patch in ranks.legends[0].get_patches()]
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
