"""The jobs of one layer of low-rank heads: from settings to tables, figures and sentences."""

import re

import pyarrow.parquet as pq
import pytest
from attention_separation.head_rank.pages.captions import figure_caption
from attention_separation.head_rank.pages.theory_findings import _large, heads_findings
from making import head_rank

from attention_separation.__main__ import main, run_job
from attention_separation.head_rank.figures import theory_figures
from attention_separation.head_rank.settings.titles import NUMBERED, THEORY
from attention_separation.results.tables import read_parquet

STUDY = head_rank(scale="smoke")
TABLES = {"bound": "rank_bound", "found": "rank_found", "plurality": "rank_plurality"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `snakemake rank_theory` makes, at the scale smoke."""
    folder = tmp_path_factory.mktemp("theory")
    for name, table in TABLES.items():
        text = STUDY.results[table].settings.canonical()
        path = str(folder / f"tables/{table}.parquet")
        (folder / "tables").mkdir(exist_ok=True)
        assert run_job(f"head_rank.theory.{name}_table", "--settings", text, "--output", path) == 0
    settings = STUDY.results["rank_theory"].settings.canonical()
    tables = {name: str(folder / f"tables/{name}.parquet") for name in NUMBERED}
    bound = [tables["rank_bound"], tables["rank_heads_needed"]]
    command = ["job", "head_rank.figures.theory_figures", "--settings", settings, "--bound", *bound]
    command += ["--found", tables["rank_found"], "--plurality", tables["rank_plurality"]]
    (folder / "figures").mkdir()
    assert main([*command, "--output", str(folder / "figures/rank_theory.svg")]) == 0
    return folder


def test_every_table_and_figure_is_made(folder):
    for name in NUMBERED:
        for suffix in ("parquet", "csv", "html"):
            assert (folder / f"tables/{name}.{suffix}").stat().st_size > 300
    for name in THEORY:
        for suffix in ("svg", "png", "pdf", "csv", "parquet"):
            assert (folder / f"figures/{name}.{suffix}").stat().st_size > 300
        assert THEORY[name] in (folder / f"figures/{name}.svg").read_text(encoding="utf-8")


def test_their_digests_are_those_that_the_study_expects(folder):
    for path, current in STUDY.expected_tables().items():
        if (folder / path).exists():
            metadata = pq.read_metadata(folder / path).metadata
            assert metadata[b"settings"].decode() == current.settings
            assert metadata[b"code"].decode() == current.code


def test_what_is_said_has_the_tables_numbers(folder):
    for name in THEORY:
        table = pq.read_table(folder / f"figures/{name}.parquet")
        caption = figure_caption(name, table, 0.01)
        assert caption.title == THEORY[name]
        assert all(sentence.startswith("**") for sentence in caption.sentences)
    rows = pq.read_table(folder / "figures/rank_theory.parquet").to_pylist()
    said = figure_caption("rank_theory", pq.read_table(folder / "figures/rank_theory.parquet"), 0.1)
    row = next(row for row in rows if (row["d"], row["rank"], row["heads"]) == (8, 4, 2))
    assert f"below {row['bound']:.3f} (r = 4)" in said.sentences[0]
    assert f"the bound is {row['bound_any_value']:.3f} at r = 4" in said.sentences[0]
    assert "if value maps are multiples of the identity and values see no" in said.sentences[0]
    assert "as their value weights grow without limit" in said.sentences[0]
    for heads, budget in ((6, "d^1.5/r"), (16, "d²/r")):
        found = [r for r in rows if (r["d"], r["rank"], r["heads"]) == (8, 4, heads)]
        least = min(row["error"] for row in found)
        ends = f"between {found[0]['bound']:.3f} ({found[0]['bound_any_value']:.3f} for any value"
        assert f"{ends} maps) and {least:.3f} with {budget} = {heads} heads" in said.sentences[0]
    needed = read_parquet(
        folder / "tables/rank_heads_needed.parquet", theory_figures.bound_table.NEEDED
    )
    (sentence,) = heads_findings(needed)
    row = next(r for r in needed.to_pylist() if (r["d"], r["rank"], r["error"]) == (8, 4, 0.1))
    assert f"{row['heads']} ({row['heads_any_value']}) of rank 4" in sentence


def test_large_numbers_of_heads_are_powers_of_10():
    assert _large("1234567") == "1,234,567"
    assert _large("123456700000") == "1.23·10^11"


def test_the_figure_of_ranks_draws_what_the_table_has(folder):
    table = pq.read_table(folder / "figures/rank_theory.parquet")
    figure = theory_figures.draw_ranks("Title", table)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert len(titles) == 6
    assert titles[0] == "$d$ = 4,  $H = d/r$"
    rows = [row for row in table.to_pylist() if (row["d"], row["budget"]) == (8, "d^3")]
    lines = figure.axes[-1].lines
    drawn = {tuple(line.get_ydata()) for line in lines}
    for kinds in theory_figures.LINES:
        low = [row for row in rows if row["rank"] < 8]
        assert tuple(theory_figures.least(low, kinds)[1]) in drawn
    assert tuple(row["bound"] for row in sorted(
        {row["rank"]: row for row in rows if row["rank"] < 8}.values(), key=lambda r: r["rank"]
    )) in drawn  # fmt: skip


def test_the_figure_of_heads_has_every_error(folder):
    table = pq.read_table(folder / "figures/rank_heads.parquet")
    figure = theory_figures.draw_heads("Title", table)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [re.sub("ε = ", "", text) for text in labels[:3]] == ["0.4", "0.2", "0.1"]
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["$d$ = 4", "$d$ = 8"]


def test_the_figure_of_points_has_the_line_of_rank_0(folder):
    table = pq.read_table(folder / "figures/rank_points.parquet")
    figure = theory_figures.draw_points("Title", table)
    rows = table.to_pylist()
    levels = {line.get_ydata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "-."}
    own = [row for row in rows if row["distribution"] == "uniform"]
    assert levels == {row["rank_0"] for row in own}


def test_a_rule_makes_all_three_figures_of_all_four_tables():
    result = STUDY.results["rank_theory"]
    assert [output.name for output in result.made()] == list(THEORY)
    assert [output.name for output in result.read()] == list(NUMBERED)
