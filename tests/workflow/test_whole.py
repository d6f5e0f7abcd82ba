"""The whole workflow: what it makes, and that it makes the same again."""

import json
import re

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from making import SECTION, STUDY

from attention_separation.results.tables import metadata_of, read_table, write_parquet
from attention_separation.studies.any_attention.settings import FIGURES as OF_KERNELS
from attention_separation.studies.softmax_vs_linear.models import panel_tables
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.models.panel_tables import simulated_schema
from attention_separation.studies.softmax_vs_linear.settings.section import RULE_NAME

pytestmark = pytest.mark.whole_run

FIGURES = ("fig3", "fig4", "fig5", "fig7")
AUDIT_FIGURES = ("choices", "threshold", "theta", "phase")
KERNEL_FIGURES = tuple(OF_KERNELS)
TABLES = (
    "verdicts", "claims", "claims_readings", "whp", "choices", "threshold", "kernels",
    "kernel_values", "kernel_laws", "kernels_splits", "kernels_simulated", "temperature",
)  # fmt: skip
MANIFEST = "results/smoke/manifest.json"
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


SMOKE = ("--config", "scale=smoke", "any_attention={only: [exp, uniform], simulated: {trials: 5}}")


def test_smoke_scale_makes_every_file_of_the_contract(project):
    project.make(*SMOKE)
    made = project.files()
    panels = {f"results/smoke/panels/{name}.parquet" for name in SECTION.panels}
    exact = {f"results/smoke/exact/{name}.parquet" for name in SECTION.panels}
    figures = {
        f"results/smoke/figures/{name}.{extension}"
        for name in FIGURES + AUDIT_FIGURES + KERNEL_FIGURES
        for extension in PICTURES
    }
    # The numbers of the others are tables.
    with_numbers = {*FIGURES, *AUDIT_FIGURES, *KERNEL_FIGURES} - {"choices", "threshold"}
    with_numbers |= {f"{name}_lines" for name in FIGURES}
    figures |= {
        f"results/smoke/figures/{name}.{extension}"
        for name in with_numbers
        for extension in NUMBERS
    }
    tables = {
        f"results/smoke/tables/{name}.{extension}"
        for name in TABLES
        for extension in (*NUMBERS, "html")
    }
    more = {"verdicts_points.parquet", "verdicts_points.csv"}
    tables |= {f"results/smoke/tables/{name}" for name in more}
    more = {"results/smoke/index.html", "results/smoke/checks/check.txt"}
    assert set(made) == panels | exact | figures | tables | more | {MANIFEST}
    for name in SECTION.panels:
        table = pq.read_table(project.folder / f"results/smoke/panels/{name}.parquet")
        assert table.schema.names == CONTRACT == simulated_schema(CONTEST_OF_PAPER).names
        assert table["panel"].unique().to_pylist() == [name]
        assert table["trials"].unique().to_pylist() == [20]
        assert len(table) == min(5, len(STUDY.panels.simulated[name].points()))
        for count in CONTRACT[14:19]:
            assert str(table.schema.field(count).type) == "int64"
            assert all(0 <= value <= 20 for value in table[count].to_pylist())
        metadata = metadata_of(table.schema)
        assert set(metadata) == {"name", "seed", "settings", "code", "versions"}
        assert metadata["seed"] == "2310"
        assert json.loads(metadata["versions"])["numpy"]
        jobs = project.folder / "results/smoke"
        assert (jobs / f"logs/simulate_{name}.log").is_file()
        assert (jobs / f"benchmarks/simulate_{name}.tsv").is_file()
        exactly = pq.read_table(project.folder / f"results/smoke/exact/{name}.parquet")
        assert exactly.schema.names == EXACT == panel_tables.exact_schema(CONTEST_OF_PAPER).names
        assert len(exactly) == len(table)
        assert exactly.to_pandas().notna().all(axis=None)
    joined = pq.read_table(project.folder / "results/smoke/figures/fig4.parquet")
    assert joined["panel"].unique().to_pylist() == SECTION.figures["fig4"].panels
    csv = pyarrow.csv.read_csv(project.folder / "results/smoke/figures/fig4.csv")
    assert csv.column_names == CONTRACT + EXACT[3:]
    assert csv["successes"].to_pylist() == joined["successes"].to_pylist()

    assert "Nothing to be done" in project.make(*SMOKE)


def test_no_test_of_the_workflow_passes_where_a_job_loads_pandas(small):
    tables = "src/attention_separation/results/tables.py"
    small.edit(tables, "    arrays = [", "    pa.array([1])\n    arrays = [")
    done = small.run("results/exact/fig4a.parquet")
    assert done.returncode == 1
    assert "a job loads pandas" in done.stdout


def test_values_that_a_model_does_not_have_are_null(made_once):
    regression = pq.read_table(made_once.folder / "results/panels/fig3a.parquet")
    for name in ("d", "a0", "a1", "b", "c", "delta", "attention_x"):
        assert regression[name].null_count == len(regression)
    attention = pq.read_table(made_once.folder / "results/panels/fig4b.parquet")
    assert attention.to_pandas().notna().all(axis=None)
    assert attention["attention_x"].unique().to_pylist() == ["identity"]


def read_counts(project, name):
    table = pq.read_table(project.folder / f"results/panels/{name}.parquet")
    return table.select(CONTRACT[2:]).to_pylist()


def test_a_shorter_run_is_a_prefix_of_a_longer_one(made):
    """Successes of more trials are at least those of fewer: the same trials come first."""
    short = read_counts(made, "fig4b")
    made.make("simulate_fig4b", "--config", "trials=40")
    for few, many in zip(short, read_counts(made, "fig4b"), strict=True):
        assert (few["trials"], many["trials"]) == (20, 40)
        assert few["successes"] <= many["successes"] <= few["successes"] + 20


def test_one_target_makes_that_much(small):
    extensions = ("svg", "png", "pdf", "parquet", "csv")
    # The exact values of a figure's panels are one job.
    expected = {f"results/exact/{name}.parquet" for name in ("fig4a", "fig4b")}
    for target, panel in (("fig4b", "fig4b"), ("fig4", "fig4a")):
        small.make(target)
        expected |= {f"results/figures/{target}.{extension}" for extension in extensions}
        expected |= {f"results/figures/{target}_lines.{extension}" for extension in NUMBERS}
        expected.add(f"results/panels/{panel}.parquet")
        assert set(small.files()) == expected


def test_every_panel_and_figure_is_a_rule_and_no_other_rule_s_name_can_be_one(project):
    # Each with what it makes in brackets; panels drawn alone go without.
    rules = {*re.findall(r"^(\w+)(?: \(|$)", project.make("--list-rules"), re.M)}
    own = {*SECTION.panels, *FIGURES}
    assert {f"simulate_{name}" for name in SECTION.panels} | own <= rules
    assert [name for name in rules - own if not RULE_NAME.fullmatch(name)] == []


def test_a_title_may_hold_braces_and_settings_be_longer_than_a_command_line(made):
    made.edit("config.yaml", "title: Three", "title: 'Three, {x} and $5'")
    # One argument of a command may have 128 KiB.
    made.edit(
        "config.yaml",
        "      reconstructed:\n      - m\n",
        f"      reconstructed: {['m'] * 40_000}\n",
    )
    assert "1 of 1: fig3;" in made.make("fig3")


def test_a_users_own_panels(made):
    """A new panel, and one that sweeps two parameters, in no figure of the file."""
    text = """
    mine:
      model: cross_attention
      sweep: {a1: {from: 0.5, to: 1.5, step: 0.5}}
      fixed: {n: 40, d: 11, m: 5, a0: 0.0, theta: 0.7}
      trials: 10
    map:
      model: self_attention
      sweep: {d: [4, 6, 10], theta: [0.5, 0.9]}
      fixed: {n: 32, m: 5, a0: 0.01, a1: 1.2, b: 0.2, c: 0.8}
      trials: 10
"""
    with (made.folder / "config.yaml").open("a") as file:
        first, settings = [*_sections(made).items()][-1]
        assert (first, [*settings][-1]) == ("softmax_vs_linear", "panels")
        file.write(text)
    assert made.would_run() >= {"simulate", "exact", "figure", "check"}
    made.make("mine", "map", "check")
    for name, rows in (("mine", 3), ("map", 6)):
        assert len(pq.read_table(made.folder / f"results/panels/{name}.parquet")) == rows
        assert (made.folder / f"results/figures/{name}.svg").stat().st_size > 5000
    table = pq.read_table(made.folder / "results/panels/map.parquet")
    assert table["parameter"].unique().to_pylist() == ["d,theta"]


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


def test_docs_keep_a_run_of_these_settings_alone(made):
    done = made.run_command("keep", "paper")
    assert done.returncode == 0, done.stdout
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
    done = made.run_command("keep", "paper")
    assert done.returncode == 1
    assert re.search(r"^keep: results/\S+\.parquet: made with other settings", done.stdout, re.M)


def _sections(project):
    import yaml

    return yaml.safe_load((project.folder / "config.yaml").read_text())
