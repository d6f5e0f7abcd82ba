"""The whole workflow: what it makes, and that it makes the same again."""

import json
import re

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from making import study_of

from attention_separation.__main__ import main
from attention_separation.results.tables import metadata_of, read_table, write_parquet
from attention_separation.studies.softmax_vs_linear.models import panel_tables
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.models.panel_tables import simulated_schema
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate

PANELS = {"fig3a": 2, "fig4a": 2, "fig4b": 6, "fig7b": 6}
"""With their numbers of points."""

FIGURES = ("fig3", "fig4", "fig7")
AUDIT_FIGURES = ("choices", "threshold", "theta", "phase")
KERNEL_FIGURES = ("kernels_accuracy",)
TABLES = (
    "verdicts", "claims", "claims_readings", "whp", "choices", "threshold", "kernels",
    "kernel_values", "kernel_laws", "kernels_splits", "kernels_simulated", "temperature",
)  # fmt: skip
PICTURES = ("svg", "png", "pdf")
NUMBERS = ("parquet", "csv")
CONTRACT = [
    "panel", "parameter", "value", "n", "d", "m", "a0", "a1", "b", "c", "delta", "tau",
    "attention_x", "trials", "successes", "f_exp_d1_positive", "f_lin_d1_zero",
    "f_exp_d0_zero", "f_lin_d0_zero", "p_hat", "ci_low", "ci_high",
]  # fmt: skip
EXACT = [
    "panel", "parameter", "value", "p_exact", "p_error", "p_method",
    "prob_f_exp_d1_positive", "prob_f_lin_d1_zero", "prob_f_exp_d0_zero", "prob_f_lin_d0_zero",
    "error_f_exp_d1_positive", "error_f_lin_d1_zero", "error_f_exp_d0_zero", "error_f_lin_d0_zero",
]  # fmt: skip


def test_a_run_makes_every_file_of_the_contract(made_once):
    pictures = (*FIGURES, *AUDIT_FIGURES, *KERNEL_FIGURES)
    # The numbers of the others are tables.
    with_numbers = {*pictures} - {"choices", "threshold"} | {f"{name}_lines" for name in FIGURES}
    expected = {
        *(f"{folder}/{name}.parquet" for folder in ("panels", "exact") for name in PANELS),
        *(f"figures/{name}.{extension}" for name in pictures for extension in PICTURES),
        *(f"figures/{name}.{extension}" for name in with_numbers for extension in NUMBERS),
        *(f"tables/{name}.{extension}" for name in TABLES for extension in (*NUMBERS, "html")),
        "tables/verdicts_points.parquet",
        "tables/verdicts_points.csv",
        "index.html",
        "checks/check.txt",
        "manifest.json",
    }
    assert {*made_once.files()} == {f"results/{path}" for path in expected}


def test_tables_of_panels_have_the_columns_of_the_contract(made_once):
    results = made_once.folder / "results"
    for name, points in PANELS.items():
        table = pq.read_table(results / f"panels/{name}.parquet")
        assert table.schema.names == CONTRACT == simulated_schema(CONTEST_OF_PAPER).names
        assert table["panel"].unique().to_pylist() == [name]
        assert table["trials"].unique().to_pylist() == [20]
        assert len(table) == points
        for count in CONTRACT[14:19]:
            assert str(table.schema.field(count).type) == "int64"
            assert all(0 <= value <= 20 for value in table[count].to_pylist())
        metadata = metadata_of(table.schema)
        assert set(metadata) == {"name", "seed", "settings", "code", "versions"}
        assert metadata["seed"] == "2310"
        assert json.loads(metadata["versions"])["numpy"]
        assert (results / f"logs/simulate_{name}.log").is_file()
        assert (results / f"benchmarks/simulate_{name}.tsv").is_file()
        exactly = pq.read_table(results / f"exact/{name}.parquet")
        assert exactly.schema.names == EXACT == panel_tables.exact_schema(CONTEST_OF_PAPER).names
        assert len(exactly) == points
        assert exactly.to_pandas().notna().all(axis=None)
    joined = pq.read_table(results / "figures/fig4.parquet")
    assert joined["panel"].unique().to_pylist() == ["fig4a", "fig4b"]
    csv = pyarrow.csv.read_csv(results / "figures/fig4.csv")
    assert csv.column_names == CONTRACT + EXACT[3:]
    assert csv["successes"].to_pylist() == joined["successes"].to_pylist()


def test_no_test_of_the_workflow_passes_where_a_job_loads_pandas(small):
    tables = "src/attention_separation/results/tables.py"
    small.edit(tables, "    arrays = [", "    pa.array([1])\n    arrays = [")
    settings = study_of(small.folder / "config.yaml").panels.simulated["fig4b"].canonical()
    job = "studies.softmax_vs_linear.simulation.simulate"
    done = small.run_command("job", job, "--settings", settings, "--output", "x.parquet")
    assert done.returncode == 1
    assert "a job loads pandas" in done.stdout


def test_values_that_a_model_does_not_have_are_null(made_once):
    regression = pq.read_table(made_once.folder / "results/panels/fig3a.parquet")
    for name in ("d", "a0", "a1", "b", "c", "delta", "attention_x"):
        assert regression[name].null_count == len(regression)
    attention = pq.read_table(made_once.folder / "results/panels/fig4b.parquet")
    assert attention.to_pandas().notna().all(axis=None)
    assert attention["attention_x"].unique().to_pylist() == ["identity"]


def test_a_shorter_run_is_a_prefix_of_a_longer_one(made_once):
    """Successes of more trials are at least those of fewer: the same trials come first."""
    path = made_once.folder / "config.yaml"
    short = read_table(made_once.folder / "results/panels/fig4b.parquet").to_pylist()
    long = simulate(study_of(path, {"trials": 40}).panels.simulated["fig4b"]).to_pylist()
    for few, many in zip(short, long, strict=True):
        assert (few["trials"], many["trials"]) == (20, 40)
        for count in CONTRACT[14:19]:
            assert few[count] <= many[count] <= few[count] + 20


def test_one_target_makes_that_much(small):
    said = small.make("fig4b", "--summary")
    # The exact values of a figure's panels are one job.
    expected = {"panels/fig4b.parquet", "exact/fig4a.parquet", "exact/fig4b.parquet"}
    expected |= {f"figures/fig4b.{extension}" for extension in (*PICTURES, *NUMBERS)}
    expected |= {f"figures/fig4b_lines.{extension}" for extension in NUMBERS}
    assert {*re.findall(r"^results/(\S+)\t", said, re.M)} == expected


def test_a_title_may_hold_braces_and_settings_be_longer_than_a_command_line(made):
    made.edit("config.yaml", "title: Three", "title: 'Three, {x} and $5'")
    # One argument of a command may have 128 KiB.
    made.edit(
        "config.yaml",
        "      reconstructed:\n      - m\n",
        f"      reconstructed: {['m'] * 40_000}\n",
    )
    assert "1 of 1: fig3;" in made.make("fig3")


def test_a_panel_that_differs_stops_the_run(made):
    """Counts of another experiment under this one's name: the check says which and fails."""
    path = made.folder / "results/panels/fig4b.parquet"
    table = read_table(path)
    wrong = pa.array([20] * len(table), pa.int64())
    column = table.schema.get_field_index("successes")
    metadata = metadata_of(table.schema)
    write_parquet(table.set_column(column, "successes", wrong), path, metadata)
    done = made.run("check", "--forcerun", "verdicts")
    assert done.returncode != 0
    assert "fig4b differs: its mean success rate is 1.0000" in done.stdout
    verdicts = pyarrow.csv.read_csv(made.folder / "results/tables/verdicts.csv")
    assert verdicts["verdict"].to_pylist().count("differs") == 1
    assert not (made.folder / "results/checks/check.txt").exists()


def test_docs_keep_a_run_of_these_settings_alone(made, monkeypatch, capsys):
    monkeypatch.chdir(made.folder)
    assert main(["keep", "paper"]) == 0
    kept = made.folder / "docs/gallery"
    assert {path.name for path in kept.iterdir()} == {
        *(f"{name}.{kind}" for name in ("fig3", "fig4", "fig7") for kind in ("svg", "csv")),
        *(f"{name}.svg" for name in AUDIT_FIGURES),
        *(f"{name}.csv" for name in ("verdicts", "claims", "claims_readings", "whp", "choices")),
        *(f"{name}.csv" for name in ("threshold", "theta")),
    }
    picture = (made.folder / "results/figures/fig4.svg").read_bytes()
    assert (kept / "fig4.svg").read_bytes() == picture
    made.edit("config.yaml", "seed: 2310", "seed: 1")
    assert main(["keep", "paper"]) == 1
    refusal = r"^keep: results/\S+\.parquet: made with other settings"
    assert re.search(refusal, capsys.readouterr().err, re.M)
