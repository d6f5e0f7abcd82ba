"""Runs that docs/ keeps: what comes back of a cell's table, and the figures drawn of them."""

import csv
import json

import numpy as np
import pytest
from making import ROOT, head_rank
from rank_cells import write_made_up
from rank_runs import LEVEL, MARGIN

from attention_separation.results.tables import (
    TableError,
    chosen,
    metadata_of,
    read_parquet,
    write_parquet,
)
from attention_separation.studies.head_rank import comparison, kept_figures, kept_runs, paper_size
from attention_separation.studies.head_rank.claims.claim import Evidence
from attention_separation.studies.head_rank.claims.one_run_claims import one_run_rows
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.head_rank.training import published_values
from attention_separation.studies.head_rank.training.cell_table import (
    ADDED,
    OF_HEADS,
    OF_SHARES,
    RUNS,
    SCHEMA,
)
from attention_separation.studies.head_rank.training.runs import columns_of

STUDIES = {scale: head_rank(scale=scale) for scale in (*paper_size.KEPT_SCALES, "as_published")}


def train(results, scale, *names):
    """Made-up tables of cells in a folder of results, as training leaves them."""
    for name in names:
        job = STUDIES[scale].every_cell[name]
        write_made_up(job, results / scale / "cells" / f"{name}.parquet")
        benchmark = results / scale / "benchmarks" / f"rank_train_{name}.tsv"
        benchmark.parent.mkdir(exist_ok=True)
        benchmark.write_text("s\tmean_load\tcpu_time\n1.0\t99.0\t120.5\n")


def test_what_is_kept_comes_back(tmp_path):
    names = ["d64_n16_L1_w1_r64", "d64_n16_L1_w8_r8"]
    train(tmp_path, "paper_size", *names)
    assert kept_runs.keep_runs(tmp_path / "paper_size", tmp_path / "docs") == 2
    back = kept_runs.read_kept(tmp_path / "docs")
    assert [row["cell"] for row in back] == [names[0]] * 3 + [names[1]]
    for name in names:
        table = read_parquet(tmp_path / f"paper_size/cells/{name}.parquet", SCHEMA)
        for row, kept in zip(table.to_pylist(), chosen(back, cell=name), strict=True):
            for column in (*RUNS.names, *OF_HEADS):
                wanted = row[column]
                if isinstance(wanted, float | list):
                    wanted = pytest.approx(wanted, rel=1e-7)
                assert kept[column] == wanted, column
            assert kept["curve_step"][-1] == row["curve_step"][-1]
            assert len(kept["curve_step"]) == len(kept["curve_test"]) <= 25
    made_with = kept_runs.read_made_with(tmp_path / "docs")
    assert {entry["core_seconds"] for entry in made_with.values()} == {120.5}
    assert all(entry["code"] and entry["settings"] for entry in made_with.values())


def test_what_a_gpu_trained_says_nothing_of_a_core(tmp_path):
    name = "d64_n16_L1_w1_r64"
    train(tmp_path, "paper_size", name)
    path = tmp_path / f"paper_size/cells/{name}.parquet"
    write_made_up(STUDIES["paper_size"].every_cell[name], path, device="cuda")
    kept_runs.keep_runs(tmp_path / "paper_size", tmp_path / "docs")
    made_with = kept_runs.read_made_with(tmp_path / "docs")[name]
    assert made_with["device"] == "cuda"
    assert (made_with["processor"], made_with["core_seconds"]) == (None, None)


def test_a_cell_takes_the_place_of_its_namesake_alone(tmp_path):
    docs = tmp_path / "docs"
    train(tmp_path / "a", "reference", "d64_n16_L1_w1_r1", "d64_n16_L1_w1_r2")
    kept_runs.keep_runs(tmp_path / "a/reference", docs)
    before = {path.name: path.read_bytes() for path in docs.iterdir()}
    kept_runs.keep_runs(tmp_path / "a/reference", docs)
    assert {path.name: path.read_bytes() for path in docs.iterdir()} == before
    train(tmp_path / "b", "reference", "d64_n16_L1_w1_r2", "d64_n16_L3_w1_r4")
    kept_runs.keep_runs(tmp_path / "b/reference", docs)
    assert [row["cell"] for row in kept_runs.read_kept(docs)] == [
        "d64_n16_L1_w1_r1", "d64_n16_L1_w1_r2", "d64_n16_L3_w1_r4",
    ]  # fmt: skip


def test_nothing_to_keep_writes_nothing_and_a_foreign_file_is_refused(tmp_path):
    assert kept_runs.keep_runs(tmp_path / "paper_size", tmp_path / "docs") == 0
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "paper_size/cells").mkdir(parents=True)
    (tmp_path / "paper_size/cells/mine.parquet").write_text("no table")
    with pytest.raises(TableError, match=r"mine\.parquet"):
        kept_runs.keep_runs(tmp_path / "paper_size", tmp_path / "docs")
    assert not (tmp_path / "docs").exists()


@pytest.fixture
def undrawn(monkeypatch):
    """No figures are drawn of what is kept: they take most of the time."""
    monkeypatch.setattr(paper_size, "runs_by_figure", lambda rows: {})


def test_figures_and_published_values_are_kept_beside_the_tables(tmp_path):
    docs, results = tmp_path / "docs", tmp_path / "results"
    said, *_ = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    kept = docs / "head_rank"
    assert said == f"paper_size: 0 cells put into {kept}/paper_size, which has 0 runs"
    train(results, "reference", "d64_n16_L1_w1_r64")
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    made_with = json.loads((kept / "reference/made_with.json").read_text())
    assert made_with.keys() == {row["cell"] for row in kept_runs.read_kept(kept / "reference")}
    pictures = {path.name: path.read_bytes() for path in (kept / "reference").glob("*.svg")}
    assert {*pictures} == {"rank_fig1.svg", "rank_fig2.svg"}
    assert (kept / "published.csv").read_bytes() == (
        ROOT / "docs/head_rank/published.csv"
    ).read_bytes()
    # From the tables alone, as in a clone.
    [*_] = paper_size.keep_paper_size(tmp_path / "nothing", docs, MARGIN, LEVEL)
    assert {path.name: path.read_bytes() for path in (kept / "reference").glob("*.svg")} == pictures


def test_what_is_tried_beside_the_papers_figures_has_figures_of_its_own(tmp_path):
    docs, results = tmp_path / "docs", tmp_path / "results"
    cells = STUDIES["reference"].cells
    train(results, "reference", *[*cells["collapse"]][-4:], *cells["memory"])
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    kept = docs / "head_rank/reference"
    assert {path.stem for path in kept.glob("*.svg")} == {"rank_collapse", "rank_memory"}
    for row in kept_runs.read_kept(kept):
        table = read_parquet(results / f"reference/cells/{row['cell']}.parquet", SCHEMA)
        (same,) = [each for each in table.to_pylist() if each["run"] == row["run"]]
        assert all(row[name] == same[name] for name in OF_SHARES)
    # Of Figure 3 only what was trained as its authors say.
    assert {row["lr"] for row in compared(docs)} == {0.005}


def test_three_layers_by_the_recipe_are_drawn_and_judged_as_far_as_they_are_there(tmp_path):
    docs, results = tmp_path / "docs", tmp_path / "results"
    folder = docs / "head_rank"

    def kept():
        [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
        pictures = {path.stem for path in folder.rglob("*.svg")}
        with (folder / "one_run_claims.csv").open(encoding="utf-8") as file:
            return pictures, {row["claim"]: row["verdict"] for row in csv.DictReader(file)}

    one_layer = "d64_n16_L1_w1_r32_repeated_one_start_per_epoch"
    train(results, "as_published_first_run", one_layer)
    pictures, verdicts = kept()
    assert pictures == {"rank_fig1"}
    assert {*verdicts.values()} == {"not run"}
    train(results, "as_published_first_run", one_layer.replace("L1", "L3"))
    train(results, "as_published_new_sets", "d64_n16_L3_w1_r32_one_start_per_epoch")
    train(results, "as_published_new_sets", "d64_n16_L3_w1_r8_one_start_per_epoch")
    pictures, verdicts = kept()
    assert pictures == {"rank_fig1", "rank_by_heart"}
    assert verdicts["depth helps"] == verdicts["three layers by heart"] == "one run"
    assert verdicts["depth helps, new batches"] == "not run"
    scales = ("as_published_first_run", "as_published_new_sets")
    rows = {scale: kept_runs.read_kept(folder / scale) for scale in scales}
    drawn = kept_figures.by_heart_rows(rows)
    assert [(row["regime"], row["rank"]) for row in drawn] == [("repeated", 32), ("fresh", 32)]


def test_the_beginning_of_three_layers_is_drawn_and_judged_by_no_claim(tmp_path):
    docs, results = tmp_path / "docs", tmp_path / "results"
    train(results, "as_published_begun", *STUDIES["as_published_begun"].every_cell)
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    folder = docs / "head_rank"
    begun = folder / "as_published_begun"
    assert {path.stem for path in folder.rglob("*.svg")} == {"rank_by_heart"}
    (row,) = kept_runs.read_kept(begun)
    assert (row["layers"], row["rank"], row["stop_after"]) == (3, 32, 6000)
    assert compared(docs) == comparison.crossing_rows([row], kept_runs.read_made_with(begun)) == []
    evidence = Evidence(margin=MARGIN, level=LEVEL, seed=0, runs=[row])
    assert {claim["verdict"] for claim in one_run_rows(evidence)} == {"not run"}


def test_what_figure_1_takes_is_that_of_its_published_configurations():
    """Of the scale that has them, but for its further runs of two cells."""
    cells = [*STUDIES["as_published"].parts["fig1"][0].values()]
    rows = comparison.cost_rows()
    assert {(row["layers"], row["width"]) for row in rows} == {*published_values.FIGURE_1}
    for row in rows:
        own = [job for job in cells if (job.layers, job.width) == (row["layers"], row["width"])]
        assert {job.rank for job in own} == {*published_values.RANKS}
        assert row["runs"] == sum(len(job.seeds) for job in own)
        assert row["operations"] == sum(job.training_flops() for job in own)
        seconds = row["operations"] / (comparison.GIGAFLOPS * 1e9)
        assert row["core_hours"] == pytest.approx(seconds / 3600)


def test_the_crossing_has_an_outcome_for_each_arm(tmp_path):
    docs, results = tmp_path / "docs", tmp_path / "results"
    arms = [name for name in STUDIES["crossing"].every_cell if "L1" in name and "additive" in name]
    train(results, "crossing", *arms)
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    assert {path.stem for path in (docs / "head_rank/crossing").glob("*.svg")} == {"rank_crossing"}
    assert compared(docs) == []
    rows = kept_runs.read_kept(docs / "head_rank/crossing")
    assert {row["cell"] for row in rows} == {*arms}
    made_with = kept_runs.read_made_with(docs / "head_rank/crossing")
    errors = {0: (0.9, 0.95), 1: (1.0, 0.5), 2: (None, None)}
    for row in rows:
        row["test_error"], row["train_error"] = errors[row["run"]]
    found = comparison.crossing_rows(rows, made_with)
    longer = [row for row in found if row["steps"] == 20_000]
    assert {(row["regime"], row["schedule"], row["runs"]) for row in longer} == {
        ("fresh", "per_epoch", 1),
        ("repeated", "per_epoch", 1),
    }
    found = [row for row in found if row not in longer]
    assert {(row["regime"], row["schedule"]) for row in found} == {
        (regime, schedule)
        for regime in ("fresh", "repeated")
        for schedule in ("per_step", "per_epoch")
    }
    for row in found:
        assert (row["steps"], row["runs"], row["learning"], row["by_heart"]) == (4000, 3, 1, 1)
        assert (row["least"], row["largest"]) == (0.9, 1.0)
        assert row["error"] == pytest.approx((0.9 + 1.0 + 1.0) / 3)
        assert row["core_minutes"] == 120.5 / 60


def compared(docs):
    path = docs / "head_rank/compared.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return [{name: json.loads(x or "null") if name in NUMBERS else x for name, x in row.items()}
            for row in rows]  # fmt: skip


NUMBERS = {*comparison.COMPARED_SCHEMA.names} - {"encoding", "in_band", "regime", "schedule"}


def test_cells_stand_beside_the_published_values(tmp_path, undrawn):
    docs, results = tmp_path / "docs", tmp_path / "results"
    wanted = {
        # Cell: figure, encoding, published, and the largest of five runs.
        "d64_n16_L1_w1_r64": (1, "none", 0.0153, None),
        "d64_n16_L1_w8_r8_lr0p005": (3, "none", 0.73, None),
        "d64_n16_L1_w8_r64_additive_lr0p005": (3, "additive from N(−1, 1)", 0.0151, 0.025),
        "d64_n16_L1_w8_r64_additive_0_0p02_lr0p005": (3, "additive from N(0, 0.02)", None, None),
        "d64_n16_L3_w8_r4_concatenated": (3, "concatenated", 0.00491, 0.0087),
        "d64_n4_L2_w8_r1": (4, "none", 0.023, 0.045),
    }
    train(results, "reference", *wanted)
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    rows = kept_runs.read_kept(docs / "head_rank/reference")
    assert {*kept_figures.runs_by_figure(rows)} == {f"rank_fig{k}" for k in (1, 2, 3, 4)}
    found = compared(docs)
    names = ("figure", "encoding", "published", "top")
    assert {tuple(row[name] for name in names) for row in found} == {*wanted.values()}
    (full,) = [row for row in found if row["figure"] == 1]
    runs = read_parquet(results / "reference/cells/d64_n16_L1_w1_r64.parquet", SCHEMA).to_pylist()
    assert full["runs"] == len(runs)
    assert full["error"] == pytest.approx(np.mean([row["test_error"] for row in runs]))
    assert full["over_rank_0"] == pytest.approx(full["error"] / least_error(64, 16))
    assert full["dead"] == 0


def test_rows_beside_the_published_values_stand_in_the_order_of_their_figures(tmp_path, undrawn):
    """By figure, layers, width, encoding, N, rate, steps and rank: numbers by size, and cells of
    two scales among each other. Heads by what is measured, then width."""
    docs, results = tmp_path / "docs", tmp_path / "results"
    of_width_8 = [name for name in STUDIES["reference"].every_cell if "n16_L1_w8_r64" in name]
    cells = ["d64_n16_L1_w1_r8", "d64_n16_L1_w1_r64", *of_width_8]
    train(results, "reference", *cells)
    train(results, "paper_size", "d64_n16_L1_w1_r16", "d64_n16_L1_w8_r8")
    [*_] = paper_size.keep_paper_size(results, docs, MARGIN, LEVEL)
    names = ("figure", "layers", "width", "encoding", "n", "lr", "steps", "rank")
    keys = [tuple(row[name] for name in names) for row in compared(docs)]
    assert keys == sorted(keys)
    assert len({key[-1] for key in keys if key[:3] == (1, 1, 1)}) == 3
    text = (docs / "head_rank/compared_heads.csv").read_text(encoding="utf-8")
    heads = [*csv.DictReader(text.splitlines())]
    keys = [(row["quantity"], int(row["width"]), int(row["steps"])) for row in heads]
    assert keys == sorted(keys)
    assert {key[:2] for key in keys} == {(name, w) for name in ("angle", "norm") for w in (1, 8)}


def test_numbers_of_rows_are_in_the_order_of_the_first():
    rows = [{"x": 3, "y": 1.0}, {"x": 1, "y": 3.0}, {"x": 10, "y": None}, {"x": 2, "y": 2.0}]
    x, y = columns_of(rows, "x", "y")
    assert x.tolist() == [1, 2, 3, 10]
    np.testing.assert_array_equal(y, [3.0, 2.0, 1.0, np.nan])


def test_cells_and_tables_from_before_there_were_variants_are_those_of_the_papers_networks(
    tmp_path,
):
    train(tmp_path, "reference", "d64_n16_L1_w1_r64")
    (path,) = (tmp_path / "reference/cells").iterdir()
    cell = read_parquet(path, SCHEMA)
    metadata = metadata_of(cell.schema)
    write_parquet(cell.drop_columns([*ADDED]), path, metadata)
    docs = tmp_path / "docs"
    kept_runs.keep_runs(tmp_path / "reference", docs)
    rows = kept_runs.read_kept(docs)
    of_heads = [name for name in ADDED if name in OF_HEADS]
    for row in rows:
        assert all(row[name] is None for name in ADDED if name not in of_heads)
        assert all(row[name] == [None] * len(row["angle"]) for name in of_heads)
    assert len(rows[0]["angle"]) == 1
    lines = csv.DictReader((docs / "runs.csv").read_text(encoding="utf-8").splitlines())
    old = [{name: x for name, x in row.items() if name not in ADDED} for row in lines]
    with (docs / "runs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, old[0])
        writer.writeheader()
        writer.writerows(old)
    assert kept_runs.read_kept(docs) == rows
    # No other column may be missing.
    write_parquet(cell.drop_columns(["test_error"]), path, metadata)
    with pytest.raises(TableError, match="not a table of this version"):
        kept_runs.keep_runs(tmp_path / "reference", docs)


def test_the_least_training_loss_is_held_against_the_published_five_runs(subtests):
    for losses, place in [
        ([0.0086], "inside"),
        ([0.0088, 0.005], "inside"),
        ([0.01, 0.0088], "above"),
        ([0.5, 0.0049], "below"),
        ([None], None),
    ]:
        with subtests.test(losses=losses, place=place):
            row = one_row("reference", "d64_n16_L3_w8_r4_concatenated")
            rows = [row | {"run": run, "min_train": loss} for run, loss in enumerate(losses)]
            (found,) = comparison.compared_rows(rows, {row["cell"]: {"core_seconds": 1.0}})
            assert (found["published"], found["top"], found["in_band"]) == (0.00491, 0.0087, place)
            assert found["least_train"] == min(losses)


def one_row(scale, name):
    job = STUDIES[scale].every_cell[name]
    heads = {"angle": [], "norm": [], "share": [], "test_error": 0.1, "dead": False}
    return job.model_dump() | heads | {"cell": name, "rank": job.rank}


def test_only_networks_of_the_published_width_are_held_against_a_band():
    rows = [one_row("reference", "d64_n4_L2_w8_r1") | {"run": 0, "min_train": 0.03, "width": w}
            for w in (8, 64)]  # fmt: skip
    places = [comparison.compared_rows([row], {row["cell"]: {"core_seconds": 1.0}}) for row in rows]
    assert [(found["top"], found["in_band"]) for (found,) in places] == [
        (0.045, None), (0.045, "inside"),
    ]  # fmt: skip


def test_quartiles_of_heads_stand_beside_the_published_boxes():
    row = one_row("reference", "d64_n16_L1_w8_r64")
    rows = [row | {"run": 0, "angle": [170.0, 172.0], "norm": [300.0, None]},
            row | {"run": 1, "angle": [174.0, 176.0, 178.0], "norm": [500.0, 500.0]}]  # fmt: skip
    angle, norm = comparison.head_rows([*rows, one_row("reference", "d64_n16_L3_w1_r64")])
    assert angle == {
        "width": 8, "steps": 10000, "runs": 2, "heads": 5, "quantity": "angle",
        "q1": 172.0, "median": 174.0, "q3": 176.0,
        "published_q1": 174.8, "published_median": 176.3, "published_q3": 176.55,
    }  # fmt: skip
    assert (norm["heads"], norm["q1"], norm["median"]) == (3, 400.0, 500.0)
    (single, _) = comparison.head_rows([
        one_row("reference", "d64_n16_L1_w1_r64") | {"run": 0, "angle": [179.0], "norm": [1.0]}
    ])  # fmt: skip
    assert (single["published_median"], single["published_q1"]) == (179.6, None)
