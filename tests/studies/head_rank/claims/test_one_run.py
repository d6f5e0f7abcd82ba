"""Claims on single runs by the authors' recipe, on made-up cells, whichever there are."""

import pytest
from making import head_rank
from rank_runs import LEVEL, MARGIN, runs_of

from attention_separation.statistics.claims import Verdict
from attention_separation.studies.head_rank.claims.claim import Evidence
from attention_separation.studies.head_rank.claims.one_run_claims import one_run_rows

PUBLISHED = head_rank(scale="as_published_first_run").chosen.training.fig1
NEW = head_rank(scale="as_published_new_sets").chosen.training.fig1
NAMES = ("full rank at three layers", "more heads at three layers", "depth helps")
OF_NEW_BATCHES = tuple(f"{name}, new batches" for name in NAMES)


def as_claimed(cell):
    if cell.rank == 64:
        return 0.01
    return 0.6 if cell.layers == 1 else 0.4


def judged(rows):
    evidence = Evidence(margin=MARGIN, level=LEVEL, seed=0, runs=rows)
    return {row["claim"]: row for row in one_run_rows(evidence)}


def reported(rows, least):
    """The runs with other training losses, by layers and rank."""
    return [
        row | {"min_train": least(row["layers"], row["rank"])}
        if row["regime"] == "repeated"
        else row
        for row in rows
    ]


def test_single_runs_say_how_they_stand_to_the_bound_and_no_more():
    found = judged(runs_of(PUBLISHED, NEW, error=as_claimed))
    assert [*found] == [*NAMES, *OF_NEW_BATCHES, "three layers by heart"]
    for row in found.values():
        assert row["verdict"] == Verdict.ONE_RUN
        assert (row["low"], row["high"], row["interval"]) == (None, None, None)
    full, heads, depth = (found[name] for name in NAMES)
    assert (full["comparisons"], heads["comparisons"], depth["comparisons"]) == (6, 6, 6)
    assert full["reason"].endswith("6 of 6 are as claimed")
    assert full["measured"] == pytest.approx(0.39)
    assert depth["measured"] == pytest.approx(0.2)
    assert found[OF_NEW_BATCHES[2]]["comparisons"] == 2
    assert full["sizes"] == "d=64, N=16"


@pytest.mark.parametrize(("inside", "count"), [(1e-9, 6), (-1e-9, 0)])
def test_a_single_run_is_as_claimed_from_the_margin_on(inside, count):
    difference = MARGIN + inside

    def error(cell):
        if cell.layers == 1:
            return 0.1 + 2 * difference
        return 0.1 + difference * (cell.rank < 64)

    found = judged(runs_of(PUBLISHED, NEW, error=error))
    for name in NAMES:
        assert found[name]["reason"].endswith(f"{count} of 6 are as claimed"), name


def test_one_comparison_that_is_not_as_claimed_is_named():
    def error(cell):
        deep_half = cell.layers == 3 and cell.rank == 32 and cell.regime == "fresh"
        return 0.7 if deep_half else as_claimed(cell)

    found = judged(runs_of(PUBLISHED, NEW, error=error))
    assert found["depth helps"]["reason"].endswith("6 of 6 are as claimed")
    row = found["depth helps, new batches"]
    assert row["reason"] == "one run each, without interval: 1 of 2 are as claimed"
    assert (row["deciding_case"], row["measured"]) == ("w=1, r=32", pytest.approx(-0.1))


def test_what_is_learned_by_heart_has_five_times_its_training_loss_on_new_sets():
    rows = runs_of(PUBLISHED, error=lambda cell: 0.5)
    just_below, just_above = 0.1 - 1e-9, 0.1 + 1e-9
    all_of_them = judged(reported(rows, lambda layers, rank: just_below))["three layers by heart"]
    assert all_of_them["reason"].endswith("7 of 7 are as claimed")
    but_one = reported(rows, lambda layers, rank: just_above if rank == 64 else just_below)
    row = judged(but_one)["three layers by heart"]
    assert row["reason"].endswith("6 of 7 are as claimed")
    assert row["deciding_case"] == "L=3, w=1, r=64"
    assert row["measured"] == pytest.approx(5)


def test_cells_that_are_not_there_yet_are_not_compared():
    rows = runs_of(PUBLISHED, error=as_claimed)
    one_layer = [row for row in rows if row["layers"] == 1]
    assert {row["verdict"] for row in judged(one_layer).values()} == {Verdict.NOT_RUN}
    first_two = [row for row in rows if row["layers"] == 3 and row["rank"] in (32, 64)]
    found = judged(one_layer + first_two)
    verdicts = {name: (row["verdict"], row["comparisons"]) for name, row in found.items()}
    assert verdicts == {
        **dict.fromkeys(NAMES, (Verdict.ONE_RUN, 1)),
        **dict.fromkeys(OF_NEW_BATCHES, (Verdict.NOT_RUN, 0)),
        "three layers by heart": (Verdict.ONE_RUN, 2),
    }


def test_several_runs_have_intervals_and_verdicts():
    several = PUBLISHED.model_copy(update={"runs": 5, "also": [
        part.model_copy(update={"runs": 5}) for part in PUBLISHED.also
    ]})  # fmt: skip
    found = judged(runs_of(several, error=as_claimed))
    assert {found[name]["verdict"] for name in NAMES} == {"agrees"}
    assert found["depth helps"]["interval"]


def test_runs_of_another_recipe_are_not_among_them():
    shorter = PUBLISHED.model_copy(update={"steps": 5000})
    reference = head_rank(scale="reference").chosen.training.fig1
    rows = runs_of(reference, shorter.model_copy(update={"also": []}), error=as_claimed)
    assert {row["verdict"] for row in judged(rows).values()} == {Verdict.NOT_RUN}
