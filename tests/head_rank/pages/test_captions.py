"""What stands beneath the figures of trained transformers."""

import pyarrow as pa
import pyarrow.csv
from attention_separation.head_rank.pages.captions import figure_caption
from rank_cells import table_of

from attention_separation.head_rank.training.cell_table import HEADS, RUNS

RANK_0 = "−a xᵢ + b Σⱼ xⱼ"


def with_fact_1(table, errors=()):
    """The numbers of Figure 1: of the first single heads of one layer, these errors of Fact 1's."""
    left = iter(errors)
    column = [
        next(left, None) if (row["layers"], row["total_heads"], row["encoding"]) == (1, 1, "none")
        else None for row in table.to_pylist()
    ]  # fmt: skip
    return table.append_column("fact_1_error", pa.array(column, pa.float64()))


def test_the_caption_of_figure_1_has_the_errors_of_fact_1s_head(runs):
    own = runs.select(RUNS.names)
    said = " ".join(figure_caption("rank_fig1", with_fact_1(own, [0.011, 0.02]), 0.01).sentences)
    assert (
        "with one head of full rank has learned, simulated: 0.011 to 0.020, where the runs" in said
    )
    assert "where the runs have 0.010 to 0.011." in said
    said = " ".join(figure_caption("rank_fig1", with_fact_1(own, [0.02]), 0.01).sentences)
    assert "simulated: 0.020, where the run has 0.010." in said
    said = " ".join(figure_caption("rank_fig1", with_fact_1(own), 0.01).sentences)
    assert "Squares" not in said


def test_captions_count_cells_runs_and_the_dead(runs):
    own = runs.select(RUNS.names)
    dead = pa.array([k == 0 for k in range(len(own))])
    own = own.set_column(own.column_names.index("dead"), "dead", dead)
    for figure in ("rank_fig1", "rank_fig3", "rank_fig4", "rank_fresh"):
        table = with_fact_1(own) if figure == "rank_fig1" else own
        first = figure_caption(figure, table, 0.01).sentences[0]
        assert first.startswith("28 cells, 56 runs in all; 1 of them dead: with 98 % of")
        assert "Runs of one cell differ in initial values and data" in first


def test_captions_say_what_rests_on_the_original_s_choices(runs):
    own = runs.select(RUNS.names)
    said = " ".join(figure_caption("rank_fig3", own, 0.01).sentences)
    assert "Additive encodings begin from normal values of mean m and standard deviation s" in said
    assert "N(m, s): N(−1, 1), as published; N(0, 0.02), a control." in said
    assert f"uniform attention (rank 0), the best {RANK_0}" in said
    said = " ".join(figure_caption("rank_fresh", own, 0.01).sentences)
    assert "three arms: new batches, and the same 100 again, both with one schedule" in said
    assert "and the same ones with the published schedule, per epoch." in said


def test_the_caption_of_figure_2_has_every_group_of_heads(runs):
    rows = [
        row | {"angle": 170.0 + row["layers"] + row["run"], "scale": -2.0, "head_layer": 1}
        for row in runs.select(RUNS.names).to_pylist()
        if row["cell"] in ("d4_n3_L1_w1_r4", "d4_n3_L3_w2_r4")
    ]
    said = figure_caption("rank_fig2", table_of(HEADS, *rows), 0.01).sentences
    assert said[1].startswith("At d = 4 and N = 3, after 100 steps of 16 sets. The paper's norm is")
    assert said[1].endswith("a head near −cI has c = norm/√r, which is norm/2 here.")
    assert "L = 1, 1 head of full rank per layer" in said[2]
    assert (
        "median 172 degrees from +I, 171 to 172; c of the nearest −cI of the logits 2 t" in said[2]
    )
    assert "L = 3, 2 heads of full rank per layer" in said[3]
    assert said[4] == "The paper's figure has one layer only."
