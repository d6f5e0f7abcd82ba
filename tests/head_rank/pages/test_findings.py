"""What is said of the second paper's results: every number is one of a table's."""

import re

import pyarrow as pa
import pyarrow.csv
import pytest
from making import CONFIG, ROOT, head_rank
from rank_cells import SMOKE, write_made_up

from attention_separation.__main__ import main
from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.construction_claims import published_curve
from attention_separation.head_rank.claims.errors_table import SCHEMA, errors_table
from attention_separation.head_rank.claims.outcomes import CHECK
from attention_separation.head_rank.claims.outcomes import SCHEMA as SCHEMA_OF_CLAIMS
from attention_separation.head_rank.claims.runs import chosen, read_runs
from attention_separation.head_rank.constructions import features, temperature, vote
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.pages.batch_findings import fresh_findings
from attention_separation.head_rank.pages.captions import figure_caption
from attention_separation.head_rank.pages.claim_findings import claims_findings
from attention_separation.head_rank.pages.construction_findings import (
    features_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.pages.gallery import GALLERY, claims_text
from attention_separation.head_rank.pages.overview import claims_section
from attention_separation.head_rank.pages.summary import line
from attention_separation.head_rank.pages.training_findings import (
    additive_findings,
    depth_findings,
    points_findings,
    published_findings,
    rank_findings,
)
from attention_separation.head_rank.settings.titles import FIGURES
from attention_separation.head_rank.training.cell_table import HEADS, RUNS
from attention_separation.pages.gallery import gallery_page

DOCS = ROOT / "docs" / GALLERY.folder
README = (ROOT / "README.md").read_text(encoding="utf-8")
RANK_0 = "−a xᵢ + b Σⱼ xⱼ"
STUDY = head_rank(scale="smoke")


def table(schema, *rows):
    return pa.Table.from_pylist(list(rows), schema=schema)


@pytest.fixture
def runs(tmp_path):
    """The runs of all cells of the smallest scale, made up."""
    job = STUDY.claims_job()
    paths = []
    for name, cell in STUDY.every_cell.items():
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
    assert "adds −b/2 to the scores is Equation 8 itself (checked in 2 cases of d and b)." in said
    assert "0.215 (d = 8, b = (0.1, 0)) to 1.84 (d = 64, b = (0.5, 0)), by quadrature" in said
    assert "read here in translation" in said
    worse = FACT_3 | {"added": "-b/2", "error_exact": 0.0, "error": 0.25}
    (said,) = temperature_findings(table(temperature.SCHEMA, *rows, worse))
    assert "has error 0 to 0.25 (checked in 3 cases of d and b)" in said
    (said,) = temperature_findings(table(temperature.SCHEMA, rows[0], rows[2]))
    assert "(checked in 1 case of d and b)" in said
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
    assert "601 for 0.3 (0.85 times d/ε²) and 6,147 for 0.1 (0.96 times d/ε²)" in text
    assert "the second layer takes d heads" in text
    assert "the proof is not in the text that was read" in text


def test_the_sentences_on_random_heads():
    best = {"law": "compromise", "quantity": "best", "d": 8, "heads": 4}
    as_published = {"law": "published", "d": 8, "draw": 0, "heads": 4}
    wide = as_published | {"d": 16, "heads": 2}
    first, second = features_findings(
        table(
            features.SCHEMA,
            best | {"draw": 0, "error": 0.3}, best | {"draw": 1, "error": 0.5},
            # As many heads for each d as all have.
            best | {"draw": 0, "heads": 8, "error": 0.9}, best | {"d": 16, "draw": 0, "error": 0.7},
            best | {"law": "independent", "draw": 0, "error": 0.8},
            as_published | {"quantity": "reported", "error": 0.12},
            as_published | {"quantity": "attained", "error": 0.34},
            wide | {"quantity": "reported", "error": 0.2},
            wide | {"quantity": "attained", "error": 0.204},
        )
    )  # fmt: skip
    # Of two draws Student's interval reaches 12.706 standard errors of 0.1.
    assert "4 heads have these errors: where the cosine of q and k is uniform, the law of" in first
    assert "0.400 (-0.871 to 1.671, 2 draws) at d = 8, 0.700 (1 draw) at d = 16; where q" in first
    assert "and k are independent, 0.800 (1 draw) at d = 8." in first
    assert "The largest gap of 2 points is one draw's: at d = 8 and 4 heads" in second
    assert "reports 0.120, its weights have 0.340, the best weights of unit heads 0.400" in second
    assert "at d = 16 it reports 0.004 to 0.004 less than its weights have." in second


def test_the_published_curve_reports_less_than_its_weights_have():
    row = {"law": "published", "d": 8, "draw": 0}
    shown = [
        row | {"heads": heads, "quantity": quantity, "error": error}
        for heads, quantity, error in (
            (2, "reported", 0.5), (2, "attained", 0.505), (4, "reported", 0.1),
            (4, "attained", 0.3), (8, "reported", 0.5), (8, "attained", 0.1),
        )
    ]  # fmt: skip
    found = published_curve(shown)
    assert (found["verdict"], found["comparisons"]) == ("agrees", 3)
    assert found["decided_at"] == "d=8, H=4, 0.100 reported for 0.300, the largest of 3"
    assert found["measured"] == pytest.approx(0.2)
    # More than the weights have is no smaller error.
    assert published_curve(shown[:2] + shown[4:])["verdict"] == "differs"
    assert published_curve([])["verdict"] == "not run"


def test_the_sentences_on_trained_transformers(runs):
    rows = runs.to_pylist()
    (text,) = rank_findings([row for row in rows if row["encoding"] == "none"])
    # 0.3005 over 0.0105.
    assert text.startswith("**At one layer the best of lower rank has 29 times the error of the wo")
    assert "at d = 4 and N = 3 after 100 steps" in text
    assert "These are held-out errors, means over 2 runs with 95 % intervals." in text
    # Two runs, 0.001 apart: 12.706 standard errors of 0.0005.
    assert "Full rank has 0.010 (0.004 to 0.017) with 1 head of rank 4" in text
    assert "of the lower ranks with w = 1, 2 or 8 the best cell has 0.300 (0.294 to 0.307)" in text
    narrow = [row for row in rows if row["encoding"] == "none" and row["width"] == 1]
    assert "of the lower ranks with w = 1 the best cell" in rank_findings(narrow)[0]
    assert f"Predicting zero has 1, and uniform attention (rank 0, the best {RANK_0}) has" in text
    assert f"has {least_error(4, 3):.3f}." in text
    for row in narrow:
        row["test_error"] = 0.2 if row["rank"] == 4 else 0.1
    (text,) = rank_findings(narrow)
    assert text.startswith("**At one layer the best of lower rank has no larger error than the wo")


def test_the_sentences_on_single_runs_have_no_intervals(runs):
    """As at d = 64: one run a cell, several of one head of full rank, other steps where L = 3."""
    rows = [
        row | {"steps": 100 if row["layers"] == 1 else 50}
        for row in runs.to_pylist()
        if row["run"] == 0 or (row["layers"], row["rank"], row["width"]) == (1, 4, 1)
    ]
    (text,) = rank_findings(rows)
    assert "Full rank has 0.010 (0.004 to 0.017) with 1 head of rank 4" in text
    assert "0.010 with 2 heads of rank 4; of the lower" in text
    assert "best cell has 0.300 with 4 heads of rank 1, the worst" in text
    assert "means over 1 to 2 runs with 95 % intervals, of which a single run has none." in text
    (text,) = rank_findings([row for row in rows if row["run"] == 0])
    assert "These are held-out errors, of a single run each." in text
    (text,) = additive_findings(rows)
    assert "by 0.000 [L=1, mean over r=1] and 0.000 [L=3, mean over r=1] from N(−1, 1), as" in text
    assert "single runs have none" in text
    deep = [row | {"test_error": row["layers"] * 0.1} for row in rows if row["run"] == 0]
    (text,) = depth_findings(deep)
    assert text.startswith("**Three layers of full rank end above one here**, at d = 4 and N = 3.")
    assert "1 head per layer at 0.300 where one layer has 0.100, and" in text
    assert "With 50 steps, and one layer had 100, nothing is said of what three layers" in text
    assert fresh_findings(deep) == []
    everything = [rank_findings, additive_findings, depth_findings, points_findings, fresh_findings]
    assert "nan" not in " ".join(text for say in everything for text in say(rows))


def test_the_sentence_on_repeated_batches_is_on_means_over_runs(runs):
    rows = runs.to_pylist()
    for row in rows:
        row["min_train"] = 0.2 if row["regime"] == "repeated" else row["test_error"]
    for row in chosen(rows, cell="d4_n3_L3_w1_r1_repeated_per_epoch"):
        # The largest difference, but that of a single run.
        row["test_error"] = 0.21 if row["run"] else 0.99
    reported, repetition, schedule = fresh_findings(rows)
    assert reported.startswith("**Repeated batches: the least training loss is less than the error")
    assert "the same 100 batches of 256 sets come back in each of 1,000 or 2,000 epochs" in reported
    assert "here 100 batches of 16 sets come back 1 times" in reported
    assert "Of 4 cells trained so, it is surest at d=4, L=1, w=1, r=1, N=3: 0.200 (0.200 to" in (
        reported
    )
    # Two runs, 0.001 apart: 12.706 standard errors of 0.0005.
    assert "reported for 0.300 (0.294 to 0.307), means over 2 runs with 95 % intervals" in reported
    # Of four cells, 50.92 standard errors, of at least 0.001 over the root of 2.
    assert "0.100 (0.064 to 0.137) less (simultaneous over the cells at level 0.05)" in reported
    assert "the surest cell's mean, not the largest gap." in reported
    assert "With a schedule per step the loss on the same batches is 0.100 (0.064 to" in reported
    said = "surely changes the error on new data in none of 4 cells**"
    assert repetition.startswith(f"**Repetition alone {said}")
    assert schedule.startswith(f"**The schedule alone {said}")
    # Two runs: at a level of 1e-6 no difference is sure.
    reported, *_ = fresh_findings(rows, level=1e-6)
    assert "the least training loss is in no cell surely less than the error" in reported
    assert "simultaneous over the cells at level 1e-06" in reported
    assert fresh_findings([row for row in rows if row["regime"] == "fresh"]) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_what_repetition_does_is_said_apart_from_what_the_schedule_does(runs, sign):
    rows = runs.to_pylist()
    for row in rows:
        repeated = row["regime"] == "repeated"
        row["test_error"] = 0.5 + sign * (0.1 * repeated * (row["rank"] == 1))
        row["test_error"] -= sign * 0.2 * (row["schedule"] == "per_epoch")
    _, repetition, schedule = fresh_findings(rows)
    does, undoes = ("raises", "lowers") if sign > 0 else ("lowers", "raises")
    assert f"**Repetition alone surely {does} the error on new data in 2 of 4 cells**" in repetition
    assert "the same batches again against new ones, both with one schedule per step" in repetition
    value = sign * 0.1
    assert f"a difference of {value:.3f} (" in repetition
    assert f"**The schedule alone surely {undoes} the error on new data in 4 of 4 cel" in schedule
    assert f"a difference of {-0.2 * sign:.3f} (" in schedule


def test_the_sentence_on_points_says_where_the_error_over_rank_0_falls(runs):
    (first, *_) = chosen(runs.to_pylist(), encoding="none", layers=3, rank=1)
    rows = []
    for n, error in ((3, 0.2), (4, 0.4), (8, 0.3)):
        for run in range(3):
            own = {"n": n, "run": run, "cell": f"n{n}", "layers": 2, "dead": (n, run) == (4, 2)}
            rows.append(first | own | {"test_error": error + 0.001 * run})
    full = [row | {"rank": 4, "test_error": 0.01, "dead": False} for row in rows]
    (text,) = points_findings(rows + full)
    shares = [0.201 / least_error(4, 3), 0.401 / least_error(4, 4), 0.301 / least_error(4, 8)]
    # Student's quantile for 3 runs is 4.303, times 0.001 / sqrt(3).
    half = 0.002484 / least_error(4, 3)
    listed = "/".join(f"{(0.4 + 0.001 * run) / least_error(4, 4):.2f}" for run in range(3))
    assert f"rank 1: {shares[0]:.3f} ± {half:.3f}, runs at {listed} (1 of 3 runs dead)" in text
    assert "with two layers and w = 1 where the paper has w = d" in text
    assert "), means over 3 runs with 95 % intervals: rank 1: " in text
    assert text.endswith("The paper's own values over rank 0, at d = 64, grow at every step.")
    assert f"rank 0: {least_error(4, 3):.3f} at N = 3" in text
    assert f"From N = 4 to 8 at rank 1 it falls by {shares[1] - shares[2]:.3f} (" in text
    lead = "**Number of points: below full rank the mean error over uniform attention's"
    assert text.startswith(f"{lead} does not grow at every step**")
    (text,) = points_findings([row for row in rows + full if row["n"] < 8])
    assert text.startswith(f"{lead} grows at every step**")
    assert points_findings(chosen(rows, n=3)) == []
    (text,) = points_findings(rows)
    assert text.startswith(
        "**Number of points: w is not d, and no runs of full rank show that such"
    )
    bad = [row | {"test_error": 0.9 * least_error(4, row["n"])} for row in full]
    (text,) = points_findings(rows + bad)
    assert text.startswith("**Number of points: w is not d, and full rank is not learned: 0.90 of")


def test_the_sentence_on_points_compares_none_that_were_trained_for_other_steps(runs):
    (first, *_) = chosen(runs.to_pylist(), encoding="none", layers=3, rank=1)
    own = first | {"layers": 2, "width": 4, "test_error": 0.3}
    rows = [own | {"n": n, "cell": f"n{n}", "steps": 100 if n < 8 else 50} for n in (3, 4, 8)]
    (text,) = points_findings(rows)
    shares = [0.3 / least_error(4, n) for n in (3, 4, 8)]
    assert f"of a single run each: rank 1: {', '.join(f'{x:.2f}' for x in shares)}. Fr" in text
    assert f"From N = 3 to 4 at rank 1 it falls by {shares[0] - shares[1]:.3f}. Trained" in text
    assert "does not grow at every step of those trained alike**" in text
    listed = "100 at N = 3, 100 at N = 4, 50 at N = 8"
    assert f" Trained for different steps, which are compared with none: {listed}." in text
    (text,) = points_findings(rows[1:])
    assert text.startswith("**Number of points: trained with other steps each, so not compared**")


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
        assert first.startswith("28 cells, 56 runs in all; 1 of them dead, which is no better than")
        assert "Runs of one cell differ in initial values and data" in first


def test_published_values_are_counted_beside_rank_0():
    """Against Figure 1's N = 16, where it has 0.891, and Figure 4's N = 256, where it has 0.877."""
    (text,) = published_findings()
    assert "At d = 64 and N = 16 uniform attention has 0.891. Of the 94 values" in text
    # 0.899 and 0.911 of five layers, and 1.165 of 256 points.
    hard = "L = 5, w = 1 (which the paper sets apart as hard to train)"
    named = f"r = 1 and 16 at {hard}; r = 1 at N = 256."
    assert f"3 are no smaller than its error at their N: {named}" in text
    # 0.865, 0.860 and 0.854 of one layer, 0.876 and 0.854 of five.
    assert "5 more are smaller by 5 % at most" in text
    (first, *_), last = published_values.below_full_rank(), published_values.below_full_rank()[-1]
    assert (first, last) == (("L = 1, w = 1", 1, 16, 0.865), ("N = 4", 32, 4, 0.006))


def test_errors_are_means_over_runs_with_the_least_beside_them(runs):
    cells = errors_table(runs)
    assert cells.schema == SCHEMA
    rows = {row["cell"]: row for row in cells.to_pylist()}
    row = rows["d4_n3_L1_w1_r1"]
    assert (row["runs"], row["dead"], row["heads"]) == (2, 0, 4)
    assert (row["least"], row["largest"]) == (0.3, 0.301)
    assert row["mean"] == pytest.approx(0.3005)
    assert row["rank_0"] == least_error(4, 3)
    assert row["over_rank_0"] == pytest.approx(0.3005 / least_error(4, 3))
    # Of two points uniform attention makes no error.
    assert (rows["d4_n2_L2_w1_r1"]["rank_0"], rows["d4_n2_L2_w1_r1"]["over_rank_0"]) == (0, None)


ROW = {
    "claim": "a", "whose": "the paper's", "statement": "It is so", "comparisons": 1,
    "sizes": "d=8, N=4", "decided_at": "r=2", "bound_is": "margin, of errors", "reason": None,
}  # fmt: skip
NUMBERS = {"measured": 0.5, "low": 0.25, "high": 0.75, "bound": 0.1}


def judged_table():
    """Two claims of the paper's and two of ours."""
    ours = ROW | {"whose": "this reproduction's"}
    return table(
        SCHEMA_OF_CLAIMS,
        ROW | {"verdict": "agrees"},
        ROW | {"verdict": "differs"} | NUMBERS,
        ROW | {"verdict": "agrees", "whose": "the paper's, judged on its published values alone"},
        # What only a mistake can fail is among no claims, but heard if it does.
        ROW | {"verdict": "agrees", "whose": CHECK},
        ours | {"verdict": "not run", "decided_at": None},
        ours | {"verdict": "undecided"} | NUMBERS | {"high": None},
    )


def test_a_claim_is_said_with_its_numbers():
    assert claims_findings(judged_table(), "desk") == [
        "**The claims**, at the scale desk, by bounds that are this reproduction's: of 2 of the "
        "paper's, 1 agree, 1 differ; of 1 of the paper's, judged on its published values alone, "
        "1 agree; of 2 of this reproduction's own, 1 undecided, 1 not run.",
        "**Differs, the paper's:** it is so [d=8, N=4; r=2: 0.5 (0.25 to 0.75)].",
        "**Undecided, this reproduction's:** it is so [d=8, N=4].",
    ]
    failed = table(SCHEMA_OF_CLAIMS, ROW | {"verdict": "differs", "whose": CHECK} | NUMBERS)
    assert claims_findings(failed, "desk")[1].startswith("**Differs, a check:** it is so [d=8")


def test_the_paper_s_claims_and_ours_stand_apart():
    """In the gallery's page, the report's and the summary."""
    text = gallery_page(GALLERY, ["Said."], claims_text(judged_table()))
    papers, published_alone, ours, check = re.split("## Claims: ", text)[1:]
    counts = [part.count("| It is so |") for part in (papers, published_alone, ours, check)]
    assert counts == [2, 1, 2, 1]
    assert (
        "| It is so | differs | d=8, N=4; r=2: 0.5 (0.25 to 0.75); bound 0.1, margin, of" in papers
    )
    section = claims_section(judged_table(), "All claims.")
    assert section.about == ["All claims."]
    assert [*section.tables] == [
        "the paper's, 2: 1 agree, 1 differ",
        "the paper's, judged on its published values alone, 1: 1 agree",
        "this reproduction's, 2: 1 undecided, 1 not run",
        "a check, 1: 1 agree",
    ]
    assert [len(own) for own in section.tables.values()] == [2, 1, 2, 1]
    for own in section.tables.values():
        assert "bound_is" in own.column_names
        assert "whose" not in own.column_names
    assert line(ROW | {"verdict": "differs"} | NUMBERS).endswith("bound 0.1, margin, of errors")


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
    said = figure_caption("rank_fig2", table(HEADS, *rows), 0.01).sentences
    assert said[1].startswith("At d = 4 and N = 3, after 100 steps of 16 sets. The paper's norm is")
    assert said[1].endswith("a head near −cI has c = norm/√r, which is norm/2 here.")
    assert "L = 1, 1 head of full rank per layer" in said[2]
    assert (
        "median 172 degrees from +I, 171 to 172; c of the nearest −cI of the logits 2 t" in said[2]
    )
    assert "L = 3, 2 heads of full rank per layer" in said[3]
    assert said[4] == "The paper's figure has one layer only."


def test_three_layers_that_end_worse_than_one_are_said_and_only_those(runs):
    rows = [row for row in runs.to_pylist() if row["rank"] == 4]
    for row in rows:
        row["test_error"] = 0.1 + (0.2 + 0.1 * row["run"]) * (row["layers"] == 3)
    (text,) = depth_findings(rows)
    assert "1 head per layer at 0.350 (runs 0.300, 0.400) where one layer has 0.100, and w" in text
    assert text.startswith("**Three layers of full rank train badly here**, at d = 4 and N = 3.")
    assert "With 100 steps, nothing is said of what three layers of full rank can do." in text
    # As much again, and a little more, is no worse.
    for deep in (0.05, 0.12):
        for row in rows:
            row["test_error"] = 0.1 if row["layers"] == 1 else deep
        assert depth_findings(rows) == []


def test_the_sentence_on_additive_encodings_tells_initial_values_apart(runs):
    rows = runs.to_pylist()

    def said(published, control):
        raised = {-1.0: published, 0.0: control, None: 0.0}
        for row in rows:
            row["test_error"] = 0.5 + raised[row["additive_mean"]] + 0.0001 * row["run"]
        (text,) = additive_findings(rows)
        return text

    text = said(0.2, 0.0)
    assert text.startswith(
        "**Additive encodings do worse from N(−1, 1), as published, than from N(0, 0.02).** They "
        "change the mean error of lower ranks at d = 4 and N = 3 by 0.200 ("
    )
    assert "[L=1, mean over r=1] and 0.200 (" in text
    assert "[L=3, mean over r=1] from N(−1, 1), as published; 0.000 (" in text
    assert "from N(0, 0.02); 0.200 (" in text
    assert "from N(−1, 1) rather than N(0, 0.02); intervals are simultaneous at level 0.05." in text
    assert "have a norm of about √(2d) = 2.8, beside points of norm 1." in text
    assert said(-0.2, 0.0).startswith("**Additive encodings** change the mean error of lower ranks")
    assert said(0.1, 0.1).startswith("**Additive encodings** change the mean error of lower ranks")


def test_numbers_in_the_notes_on_the_paper_are_those_of_the_tables():
    """By hand in two files, from the page of findings, from quadrature and from the claims."""
    notes = (ROOT / "src/attention_separation/head_rank/README.md").read_text(encoding="utf-8")
    page = DOCS.with_suffix(".md").read_text(encoding="utf-8")
    (curve,) = re.findall(r"The published curve of random features.*?\n- ", notes, re.S)
    (found,) = re.findall(r"^- \*\*The published curve.*", page, re.M)
    numbers = re.findall(r"0\.\d{3}", curve)
    assert len(numbers) == 3
    assert [number for number in numbers if number not in found] == []
    cells = {
        row["cell"]: row["attention_parameters"]
        for row in pyarrow.csv.read_csv(DOCS / "rank_errors.csv").to_pylist()
    }
    more = cells["d8_n4_L1_w12_r1"] / cells["d8_n4_L1_w3_r1_concatenated"] - 1
    assert f"(at w = 3 and d = 8, {100 * more:.0f} % more)" in notes
    assert f"{least_error(8, 4):.3f} at d = 8 and N = 4, and {least_error(64, 16):.3f} at" in notes
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    ends = [f(least_error(d, n) for d, n in ((8, 3), (8, 8))) for f in (min, max)]
    (claims,) = re.findall(r"^- \*\*Claims\*\* of the paper \(18\).*?\n- ", changes, re.M | re.S)
    numbers = [*re.findall(r"0\.\d{4}", claims), "of 18 of", "of 2 of", "of 15 of"]
    assert [number for number in numbers if number not in page] == []
    assert all(f"({count})" in claims for count in (18, 2, 15))
    assert f"{ends[0]:.3f} to {ends[1]:.3f} at the sizes here ({least_error(64, 16):.3f}" in changes


def test_readme_says_what_the_tracked_tables_say():
    begin, end = GALLERY.marks
    block = README.partition(begin)[2].partition(end)[0]
    options = pyarrow.csv.ConvertOptions(
        column_types=SCHEMA_OF_CLAIMS, strings_can_be_null=True,
        include_columns=SCHEMA_OF_CLAIMS.names, include_missing_columns=True,
    )  # fmt: skip
    path = DOCS / "rank_claims.csv"
    judged = pyarrow.csv.read_csv(path, convert_options=options)
    counts, *others = claims_findings(judged, CONFIG.head_rank.scale)
    page = DOCS.with_suffix(".md").read_text(encoding="utf-8")
    assert f"- {counts}\n" in block
    assert [sentence for sentence in others if f"- {sentence}\n" not in page] == []
    for sentence in re.findall(r"^- .*$", block, re.M):
        assert sentence in page
    for name in FIGURES:
        assert (DOCS / f"{name}.svg").is_file()


def test_a_summary_of_nothing_says_what_to_run(capsys, monkeypatch, tmp_path):
    (tmp_path / "config.yaml").write_text((ROOT / "config.yaml").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    assert main(["rank-summary", SMOKE]) == 1
    assert "not made yet; run `snakemake rank` first" in capsys.readouterr().err
    assert main(["rank-summary", "head_rank"]) == 1
    assert "'head_rank' is no KEY=VALUE" in capsys.readouterr().err
