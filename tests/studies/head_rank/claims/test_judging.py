"""When runs judge a claim, and by which interval; the runs here are made up."""

import numpy as np
import pytest
from rank_runs import (
    FIG1,
    FIG3,
    FIG4,
    FIVE,
    LEVEL,
    RECIPE,
    as_published,
    changed,
    evidence_of,
    judged,
    rows_of_claims,
    runs_of,
)
from scipy import stats

from attention_separation.results.tables import chosen
from attention_separation.statistics.contrasts import PAIRED, WELCH
from attention_separation.statistics.means import mean_of
from attention_separation.studies.head_rank.claims.judging import LEARNED_SHARE
from attention_separation.studies.head_rank.claims.trained_claims import TRAINED_CLAIMS
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.head_rank.settings.section import Grid, Part
from attention_separation.studies.head_rank.training.runs import APART, plain

OF_RUNS = {claim.name for claim in TRAINED_CLAIMS}


def test_without_runs_there_is_no_verdict():
    for claim in TRAINED_CLAIMS:
        assert claim.row(evidence_of([]))["verdict"] == "not run"
    assert judged("additive", runs_of(FIG1))["verdict"] == "not run"


def test_a_comparison_that_rests_on_dead_runs_says_so():
    rows = runs_of(FIG4)
    for row in rows:
        row["dead"] = (row["rank"], row["n"], row["run"]) == (16, 8, 1)
    found = judged("more points, full rank", rows)
    assert found["deciding_case"] == "r=16, N=8 against 3 (1 of 6 runs dead)"


def test_claims_on_the_number_of_points_say_that_the_width_is_not_the_paper_s():
    row = judged("more points, lower rank", runs_of(FIG4))
    assert row["sizes"] == "d=16, N=3/8, w=3 where the paper has w=d"
    wide = runs_of(changed(FIG4, widths=[16]))
    assert judged("more points, lower rank", wide)["sizes"] == "d=16, N=3/8"


def test_runs_of_another_recipe_are_in_no_comparison():
    other = Grid(**RECIPE | {"batch": 2}, layers=[1, 3], widths=[1], ranks=[2], n=[4])
    rows = runs_of(FIG1) + [row | {"test_error": 0.0} for row in runs_of(other)]
    assert judged("full rank at one layer", rows)["verdict"] == "agrees"


# Pairing.


def scattered(rows, rng):
    """Runs whose seeds differ much, in all cells alike."""
    of_seed = rng.normal(0, 0.05, 100)
    return [row | {"test_error": row["test_error"] + of_seed[row["run"]]} for row in rows]


@pytest.mark.parametrize("shared", ["initial", "data", "held_out"])
def test_one_stream_in_common_is_enough(shared):
    others = {"initial", "data", "held_out"} - {shared}
    rows = [row | {f"{name}_stream": f"{name} of {row['cell']} {row['run']}" for name in others}
            | {f"{shared}_stream": f"of run {row['run']}"} for row in runs_of(FIG1)]  # fmt: skip
    assert judged("full rank at one layer", rows)["interval"] == PAIRED


def test_the_interval_is_students_of_the_differences_over_the_pairs():
    """By hand, for the mean over ranks; and whatever the order of the rows."""
    rng = np.random.default_rng(2)
    rows = scattered(runs_of(changed(FIG3, runs=4)), rng)
    for row in rows:
        row["test_error"] += rng.normal(0, 0.01)
    found = judged("additive, control", rows[::-1])
    cells = {(row["layers"], row["rank"], row["additive_mean"], row["width"], row["encoding"],
              row["run"]): row["test_error"] for row in rows}  # fmt: skip
    intervals = [
        mean_of(
            [
                np.mean([cells[layers, rank, None, 3, "none", run]
                         - cells[layers, rank, 0.0, 3, "additive", run] for rank in (2, 4)])
                for run in range(4)
            ],
            LEVEL / 2,
        )
        for layers in (1, 3)
    ]  # fmt: skip
    (decided,) = [each for each in intervals if each.value == pytest.approx(found["measured"])]
    assert (found["low"], found["high"]) == pytest.approx((decided.low, decided.high))


def test_a_factor_between_runs_that_share_data_is_fiellers():
    rows = runs_of(Grid(**RECIPE | {"runs": 5}, layers=[1], widths=[1], ranks=[2, 8], n=[4]))
    rng = np.random.default_rng(3)
    of_seed = rng.normal(0, 0.01, 5)
    for row in rows:
        row["test_error"] += 0.1 + of_seed[row["run"]] + rng.normal(0, 0.002)
    found = judged("full rank at one layer, factor", rows)
    low, full = (np.array([row["test_error"] for row in chosen(rows, rank=r)]) for r in (2, 8))
    for factor in (found["low"], found["high"]):
        assert stats.ttest_1samp(low - factor * full, 0).pvalue == pytest.approx(LEVEL)
    assert found["interval"] == PAIRED


def test_runs_of_other_numbers_of_points_share_nothing():
    assert judged("more points, full rank", runs_of(FIG4))["interval"] == WELCH


def test_groups_of_other_seeds_are_compared_by_welch():
    rows = [row for row in runs_of(FIG1) if row["rank"] == 8 or row["run"] < 2]
    found = judged("full rank at one layer", rows)
    assert (found["interval"], found["verdict"]) == (WELCH, "agrees")


# What cannot be judged.


def test_of_single_runs_the_number_is_said_and_not_judged():
    """As at d = 64: one run a cell, and several of one head of full rank."""
    grid = Grid(
        **RECIPE | {"runs": 1}, layers=[1], widths=[1, 3], ranks=[2, 4], n=[4],
        also=[Part(ranks=[8], widths=[1], runs=3), Part(ranks=[8], widths=[3])],
    )  # fmt: skip
    rows = rows_of_claims(runs_of(grid, error=lambda cell: 0.5 / cell.rank))
    row = rows["full rank at one layer"]
    assert row["verdict"] == "not judged"
    assert row["reason"] == "a single run has no interval (L=1, w=1, r=2, N=4 and 4 more)"
    # The one that is the furthest from agreeing.
    assert row["deciding_case"] == "w=1, r=4"
    assert row["measured"] == pytest.approx(0.125 - 0.0635)
    assert row["low"] is None
    factor = rows["full rank at one layer, factor"]
    assert (factor["verdict"], factor["deciding_case"]) == ("not judged", "w=1, r=4")
    assert factor["measured"] == pytest.approx(0.125 / 0.0635)
    # What needs no interval over runs is judged: each learned head has its own sets.
    assert rows["learned head near hardmax"]["comparisons"] == 3
    assert {rows[name]["verdict"] for name in rows if name.startswith("learned")} <= {
        "agrees", "differs", "undecided", "not run",
    }  # fmt: skip


def test_no_claim_fails_on_single_runs():
    grids = [changed(grid, runs=1) for grid in (FIG1, FIG3, FIG4, FIVE)]
    rows = rows_of_claims(runs_of(*grids))
    found = {rows[name]["verdict"] for name in OF_RUNS - {"five layers"}}
    assert found == {"not judged"}


STEPS = Grid(
    **RECIPE, layers=[1], widths=[1, 3], ranks=[2, 4, 8], n=[4],
    also=[Part(layers=[3], steps=200)],
)  # fmt: skip


def test_layers_trained_for_other_steps_are_each_judged_and_not_compared():
    rows = runs_of(STEPS)
    assert {(row["layers"], row["steps"]) for row in plain(rows)} == {(1, 100), (3, 200)}
    assert judged("full rank at one layer", rows)["verdict"] == "agrees"
    assert judged("full rank at three layers", rows)["verdict"] == "agrees"
    depth = judged("depth helps", rows)
    assert depth["verdict"] == "not judged"
    assert depth["reason"] == "trained with 100 against 200 steps (w=3, mean over r=2, 4)"
    assert "measured" not in depth


@pytest.mark.parametrize(
    ("names", "grid", "reason"),
    [
        (
            ["depth helps"],
            Grid(**RECIPE, layers=[1], widths=[1, 3], ranks=[2, 4, 8], n=[4],
                 also=[Part(layers=[3], warm_up=0.5)]),
            "trained with 0.1 against 0.5 of the steps as warm-up (w=3",
        ),
        (
            ["more points, lower rank", "more points, full rank"],
            Grid(**RECIPE | {"d": 16}, layers=[2], widths=[16], ranks=[2, 16], n=[3, 8],
                 also=[Part(n=[12], steps=200)]),
            "trained with 200 against 100 steps (r=",
        ),
    ],
)  # fmt: skip
def test_runs_that_were_trained_otherwise_are_not_compared(names, grid, reason):
    for name in names:
        row = judged(name, runs_of(grid))
        assert row["verdict"] == "not judged"
        assert row["reason"].startswith(reason)


DEEP = ("full rank at three layers", "more heads at three layers")


@pytest.mark.parametrize("name", [*DEEP, "learned angle, L=3"])
def test_three_layers_that_end_in_two_ways_are_not_judged(name):
    rows = runs_of(FIG1)
    for row in chosen(rows, layers=3, rank=8, width=1, run=2):
        row["test_error"] = 0.3
    row = rows_of_claims(rows)[name]
    assert row["verdict"] == "not judged"
    assert row["reason"] == "runs of one cell end at 0.010 and at 0.300: L=3, w=1, r=8"
    # A spread of less than the factor is one.
    for row in chosen(rows, layers=3, rank=8, width=1, run=2):
        row["test_error"] = 0.99 * APART * 0.01
    assert rows_of_claims(rows)[name]["verdict"] in ("agrees", "undecided")


@pytest.mark.parametrize("name", DEEP)
def test_three_layers_of_which_runs_are_dead_are_not_judged(name):
    rows = runs_of(FIG1)
    for row in chosen(rows, layers=3, rank=8, width=1, run=2):
        row["dead"] = True
    row = judged(name, rows)
    assert row["verdict"] == "not judged"
    assert row["reason"].endswith("end at 0.010 and at 0.012: L=3, w=1, r=8 (1 of 3 runs dead)")
    # One layer, and lower ranks, are not asked.
    for row in rows:
        row["dead"] = row["layers"] == 1 or row["rank"] < 8
    assert judged(name, rows)["verdict"] == "agrees"


POINTS = ("more points, lower rank", "more points, lower rank, over rank 0")


@pytest.mark.parametrize("name", [*POINTS, "more points, full rank"])
def test_more_points_are_judged_where_full_rank_learns_the_fewest_or_the_width_is_the_paper_s(name):
    def error(cell, share):
        return as_published(cell) if cell.rank < 16 else share * least_error(16, 3)

    bad = runs_of(changed(FIG4, n=[2, 3, 8]), error=lambda cell: error(cell, 0.9))
    row = judged(name, bad)
    assert row["verdict"] == "not judged"
    assert row["reason"].startswith("w is not d, and full rank is not learned: 0.90 of rank 0's")
    assert "at N=3" in row["reason"]
    good = runs_of(FIG4, error=lambda cell: error(cell, 0.9 * LEARNED_SHARE))
    assert judged(name, good)["verdict"] == "agrees"
    wide = runs_of(changed(FIG4, widths=[16]), error=lambda cell: error(cell, 0.9))
    assert judged(name, wide)["verdict"] == "agrees"


@pytest.mark.parametrize("name", POINTS)
def test_more_points_without_full_rank_are_not_judged(name):
    row = judged(name, runs_of(changed(FIG4, ranks=[2])))
    assert row["verdict"] == "not judged"
    assert row["reason"] == "w is not d, and no runs of full rank show that such networks learn"
