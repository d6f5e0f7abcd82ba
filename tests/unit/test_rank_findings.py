"""What is said of the second paper's results: every number is one of a table's."""

import re

import pyarrow as pa
import pyarrow.csv
import pytest
from making import CONFIG, ROOT
from rank_cells import SMOKE, write_made_up

from attention_separation.__main__ import main
from attention_separation.head_rank import claims, features, temperature, vote
from attention_separation.head_rank.captions import TITLES, trained_caption
from attention_separation.head_rank.cell_table import RUNS
from attention_separation.head_rank.errors_table import SCHEMA, errors_table
from attention_separation.head_rank.findings import (
    claims_findings,
    features_findings,
    fresh_findings,
    rank_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.gallery import BEGIN, END, FOLDER
from attention_separation.head_rank.runs import read_runs

README = (ROOT / "README.md").read_text(encoding="utf-8")
STUDY = CONFIG.head_rank.model_copy(update={"scale": "smoke"})


def table(schema, *rows):
    return pa.Table.from_pylist(list(rows), schema=schema)


@pytest.fixture
def runs(tmp_path):
    """The runs of all cells of the smallest scale, made up."""
    job = STUDY.claims_job(CONFIG.seed)
    paths = []
    for name, cell in STUDY.every_cell(CONFIG.seed).items():
        paths.append(tmp_path / f"{name}.parquet")
        write_made_up(cell, paths[-1])
    return read_runs(paths, job.cells)


FACT_1 = {
    "construction": "fact_1", "distribution": "uniform", "d": 8, "n": 2, "temperature": 100.0,
    "draws": 2000, "error": 0.5, "ci_low": 0.4, "ci_high": 0.6,
}  # fmt: skip
FACT_3 = {"construction": "fact_3", "d": 8, "b_1": 0.5, "b_2": 0.0, "error": 0.0}


def test_the_sentence_on_fact_1_has_exact_values_and_sampled_ones_with_their_interval():
    (said,) = temperature_findings(
        table(
            temperature.SCHEMA,
            FACT_1 | {"error_exact": 0.01, "error_law": 0.0102},
            FACT_1 | {"d": 64, "error_exact": 0.03, "error_law": 0.03},
            FACT_1 | {"temperature": 10.0, "error_exact": 0.9, "error_law": 0.99},
            FACT_1 | {"n": 16, "distribution": "orthogonal", "error_law": 0.7},
            FACT_1 | {"n": 16, "error_law": 0.55},
        )
    )
    assert "At c = 100 in K Qᵀ = cI it is 0.01 to 0.03 for N = 2 at d = 8 and 64, by quad" in said
    assert "and 0.5 (95 % interval 0.4 to 0.6, 2,000 draws) for N = 16 independent points" in said
    assert "differs by up to 2 % for N = 2 and gives 0.55 for N = 16" in said
    (said,) = temperature_findings(
        table(temperature.SCHEMA, FACT_1 | {"error_exact": 0.01, "error_law": 0.01})
    )
    assert "it is 0.01 for N = 2 at d = 8, by quadrature. The law" in said
    assert "interval" not in said


def test_the_sentence_on_fact_3_has_the_range_of_the_texts_error_with_its_d_and_b():
    rows = [
        FACT_3 | {"added": "-b/2", "error_exact": 0.0},
        FACT_3 | {"added": "-b/2", "error_exact": 0.0, "d": 64},
        FACT_3 | {"added": "+b", "error_exact": 0.987},
        FACT_3 | {"added": "+b", "error_exact": 1.84, "d": 64},
        FACT_3 | {"added": "+b", "error_exact": 0.215, "b_1": 0.1},
        # Not of the hardmax head.
        FACT_3 | {"added": "+b", "error_exact": 0.1, "temperature": 1.0},
        FACT_3 | {"added": "-b/2", "error_exact": 0.1, "temperature": 1.0},
    ]
    (said,) = temperature_findings(table(temperature.SCHEMA, *rows))
    assert "adds −b/2 to the scores has error 0 in 2 cases of d and b." in said
    assert "0.215 (d = 8, b = (0.1, 0)) to 1.84 (d = 64, b = (0.5, 0)), by quadrature" in said
    assert "read here in translation" in said
    worse = FACT_3 | {"added": "-b/2", "error_exact": 0.0, "error": 0.25}
    (said,) = temperature_findings(table(temperature.SCHEMA, *rows, worse))
    assert "has error 0 to 0.25 in 3 cases" in said
    (said,) = temperature_findings(table(temperature.SCHEMA, rows[0], rows[2]))
    assert "error 0 in 1 case of d and b." in said
    assert "d and b: 0.987 (d = 8, b = (0.5, 0)), by quadrature" in said
    assert temperature_findings(table(temperature.SCHEMA)) == []


def test_the_sentence_on_the_vote_is_on_the_largest_dimension():
    row = {"series": "heads_needed", "d": 64}
    (text,) = vote_findings(
        table(
            vote.SCHEMA,
            row | {"epsilon": 0.1, "heads": 6147},
            row | {"epsilon": 0.3, "heads": 601},
            row | {"epsilon": 0.3, "heads": 5, "d": 4},
        )
    )
    assert "At d = 64" in text
    assert "601 for 0.3 and 6,147 for 0.1" in text


def test_the_sentences_on_random_heads():
    best = {"law": "compromise", "quantity": "best", "d": 8, "heads": 4}
    as_published = {"law": "published", "d": 8, "draw": 0, "heads": 4}
    first, second = features_findings(
        table(
            features.SCHEMA,
            best | {"draw": 0, "error": 0.3}, best | {"draw": 1, "error": 0.5},
            best | {"draw": 0, "heads": 2, "error": 0.9},
            as_published | {"quantity": "reported", "error": 0.12},
            as_published | {"quantity": "attained", "error": 0.34},
        )
    )  # fmt: skip
    assert "0.400 at d = 8 with 4 heads" in first
    assert "reports 0.120; the error its weights have is 0.340" in second


def test_the_sentences_on_trained_transformers(runs):
    rows = runs.to_pylist()
    (text,) = rank_findings([row for row in rows if row["encoding"] == "none"])
    assert "(r = d = 4) reach a held-out error of 0.010 to 0.011; lower ranks have 0.500" in text
    for row in rows:
        row["min_train"] = 0.2 if row["regime"] == "repeated" else row["test_error"]
    (text,) = fresh_findings(rows)
    assert "that is 0.200, where the error on new data is 0.501" in text
    assert "the same run reaches 0.501" in text
    assert fresh_findings([row for row in rows if row["regime"] == "fresh"]) == []


def test_captions_count_cells_runs_and_the_dead(runs):
    own = runs.select(RUNS.names)
    dead = pa.array([k == 0 for k in range(len(own))])
    own = own.set_column(own.column_names.index("dead"), "dead", dead)
    for figure in ("rank_fig1", "rank_fig3", "rank_fig4", "rank_fresh"):
        first = trained_caption(figure, own).sentences[0]
        assert first.startswith("22 cells, 44 runs in all")
        assert first.endswith("1 of them dead.")


def test_errors_are_means_over_runs_with_the_least_beside_them(runs):
    cells = errors_table(runs)
    assert cells.schema == SCHEMA
    rows = {row["cell"]: row for row in cells.to_pylist()}
    row = rows["d4_n3_L1_w1_r1"]
    assert (row["runs"], row["dead"], row["heads"]) == (2, 0, 4)
    assert (row["least"], row["largest"]) == (0.5, 0.501)
    assert row["mean"] == pytest.approx(0.5005)


def test_a_claim_is_said_with_its_numbers():
    row = {"claim": "a", "statement": "It is so", "comparisons": 1, "decided_at": "r=2"}
    judged = table(
        claims.SCHEMA,
        row | {"verdict": "agrees"},
        row | {"verdict": "differs", "measured": 0.5, "low": 0.25, "high": 0.75, "bound": 0.1},
        row | {"verdict": "not run", "decided_at": None},
    )
    assert claims_findings(judged, "desk") == [
        "**The claims**, at the scale desk: of 3, 1 agree, 1 differ, 1 not run.",
        "**Differs:** it is so (r=2: 0.5, 0.25 to 0.75).",
    ]


def test_readme_says_what_the_tracked_tables_say():
    block = README.partition(BEGIN)[2].partition(END)[0]
    options = pyarrow.csv.ConvertOptions(column_types=claims.SCHEMA, strings_can_be_null=True)
    path = ROOT / "docs" / FOLDER / "rank_claims.csv"
    judged = pyarrow.csv.read_csv(path, convert_options=options)
    sentences = claims_findings(judged, CONFIG.head_rank.scale)
    assert [sentence for sentence in sentences if f"- {sentence}\n" not in block] == []
    page = (ROOT / "docs" / f"{FOLDER}.md").read_text(encoding="utf-8")
    for sentence in re.findall(r"^- .*$", block, re.M):
        assert sentence in page
    for name in TITLES:
        assert (ROOT / "docs" / FOLDER / f"{name}.svg").is_file()


def test_a_summary_of_nothing_says_what_to_run(capsys, monkeypatch, tmp_path):
    (tmp_path / "config.yaml").write_text((ROOT / "config.yaml").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    assert main(["rank-summary", SMOKE]) == 1
    assert "not made yet; run `snakemake rank` first" in capsys.readouterr().err
    assert main(["rank-summary", "head_rank"]) == 1
    assert "'head_rank' is no KEY=VALUE" in capsys.readouterr().err
