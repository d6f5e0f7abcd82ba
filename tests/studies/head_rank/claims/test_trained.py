"""Grids of trained cells, and claims on their runs; the runs here are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import head_rank
from pydantic import ValidationError
from rank_runs import (
    FIG1,
    FIG3,
    FIG4,
    FIVE,
    MARGIN,
    RECIPE,
    changed,
    evidence_of,
    judged,
    rows_of_claims,
    runs_of,
)

from attention_separation.studies.head_rank.claims import learned_claims
from attention_separation.studies.head_rank.claims.claim import OURS, PAPERS, PUBLISHED
from attention_separation.studies.head_rank.claims.learned_claims import MORE_HEADS
from attention_separation.studies.head_rank.claims.published_claims import (
    BEST_BELOW_FULL_RANK,
    FIVE_LAYERS,
)
from attention_separation.studies.head_rank.claims.trained_claims import FACTOR, TRAINED_CLAIMS
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.head_rank.settings.section import Grid
from attention_separation.studies.head_rank.training import published_values


def verdict(name, rows):
    return judged(name, rows)["verdict"]


def test_a_rank_must_divide_the_dimension():
    with pytest.raises(ValidationError, match="ranks has 3, which does not divide the dimension 8"):
        Grid(**RECIPE, layers=[1], widths=[1], ranks=[3], n=[4])


def test_what_the_paper_says_is_found_where_it_holds():
    rows = runs_of(FIG1, FIG3, FIG4, FIVE)
    assert {claim.name: verdict(claim.name, rows) for claim in TRAINED_CLAIMS} == dict.fromkeys(
        (claim.name for claim in TRAINED_CLAIMS), "agrees"
    )
    of_single_heads = [each for each in learned_claims.LEARNED_CLAIMS if each is not MORE_HEADS]
    learned = [claim.row(evidence_of(rows)) for claim in of_single_heads]
    assert [row["verdict"] for row in learned] == ["agrees"] * 6


def is_lower(cell):
    return cell.rank < cell.model_dimension


def is_unencoded(cell):
    return cell.encoding == "none"


def has_more_points(cell):
    return cell.n == 8


LARGER, NO_LARGER, ALIKE = "larger", "no larger", "alike"
"""How the error of some cells is claimed to stand to that of others: larger by the margin, larger
by no more than it, or neither larger nor smaller by more."""
EDGES = [
    # A claim, the cells of which the error is compared with that of all others, and how.
    ("full rank at one layer", is_lower, LARGER),
    ("more heads at one layer", is_lower, LARGER),
    ("full rank at three layers", is_lower, LARGER),
    ("more heads at three layers", is_lower, LARGER),
    ("depth helps", lambda cell: cell.layers == 1, LARGER),
    ("five layers", lambda cell: cell.layers == 5, LARGER),
    ("concatenated, three layers", is_unencoded, LARGER),
    ("concatenated, three layers, matched", is_unencoded, LARGER),
    ("concatenated, one layer", is_unencoded, NO_LARGER),
    ("concatenated, one layer, matched", is_unencoded, NO_LARGER),
    ("additive", is_unencoded, NO_LARGER),
    ("additive, control", is_unencoded, ALIKE),
    ("additive, initial values", lambda cell: cell.additive_mean == -1, LARGER),
    ("more points, lower rank", has_more_points, LARGER),
    ("more points, lower rank, over rank 0", has_more_points, LARGER),
    ("more points, full rank", has_more_points, NO_LARGER),
]
FACTORS = ("full rank at one layer, factor", "more heads at one layer, factor")


def runs_alike(error):
    """Runs of which all of a cell have one error."""
    rows = runs_of(FIG1, FIG3, FIG4, FIVE, error=error)
    return [row | {"test_error": row["test_error"] - 0.001 * row["run"]} for row in rows]


@given(
    edge=st.sampled_from(EDGES),
    case=st.sampled_from([(1e-6, "agrees"), (-1e-6, "differs")]),
)
def test_just_inside_the_margin_an_error_agrees_and_just_outside_it_differs(
    exact_intervals, edge, case
):
    (name, is_compared, claimed), (inside, expected) = edge, case
    over_rank_0 = name.endswith("over rank 0")
    difference = MARGIN + inside if claimed == LARGER else MARGIN - inside
    for signed in {difference, -difference if claimed == ALIKE else difference}:

        def error(cell, signed=signed):
            share = 0.1 + signed * is_compared(cell)
            return share * least_error(cell.d, cell.n) if over_rank_0 else share

        assert verdict(name, runs_alike(error)) == expected, (name, signed)


@given(name=st.sampled_from(FACTORS), case=st.sampled_from([(1e-6, "agrees"), (-1e-6, "differs")]))
def test_just_inside_the_factor_an_error_agrees_and_just_outside_it_differs(
    exact_intervals, name, case
):
    inside, expected = case
    rows = runs_alike(lambda cell: 0.1 * (2 + inside) if is_lower(cell) else 0.1)
    assert verdict(name, rows) == expected


def test_every_claim_on_runs_has_its_edges():
    assert {*(name for name, *_ in EDGES), *FACTORS} == {claim.name for claim in TRAINED_CLAIMS}


def test_a_run_without_a_number_counts_as_predicting_zero():
    rows = runs_of(FIG1)
    for row in rows:
        if row["rank"] == 8:
            row["test_error"] = None
    assert verdict("full rank at one layer", rows) == "differs"


def test_additive_encodings_are_told_apart_by_their_initial_values():
    """The published ones are judged against none of the control's runs, and the other way round."""
    rows = runs_of(FIG3)
    theirs = [row for row in rows if row["additive_mean"] != 0]
    assert verdict("additive", theirs) == verdict("additive", rows) == "agrees"
    assert verdict("additive, control", theirs) == "not run"
    assert verdict("additive, initial values", theirs) == "not run"
    control = [row for row in rows if row["additive_mean"] != -1]
    assert verdict("additive", control) == "not run"
    assert verdict("additive, control", control) == "agrees"


def test_cells_of_one_name_are_told_apart_by_their_recipe():
    study = head_rank()
    names = list(study.every_cell)
    assert "d8_n4_L1_w1_r1" in names
    assert {"d8_n4_L3_w3_r8_b64_s4000", "d8_n4_L3_w3_r8_b16_s4000"} <= set(names)
    scale = study.chosen.training
    slower = scale.fig1.model_copy(update={"lr": 0.001})
    training = scale.model_copy(update={"fig4": slower})
    chosen_scale = study.chosen.model_copy(update={"training": training})
    other = head_rank(scales={"desk": chosen_scale})
    grids = other.cells
    assert not grids["fig1"].keys() & grids["fig4"].keys()
    assert len(other.every_cell) == len(names) - len(study.cells["fig4"]) + 16


def test_errors_grow_from_each_number_of_points_to_the_next():
    """One step that falls decides, and is named; two points have no rank 0 to compare with."""

    def error(cell):
        return 0.01 if cell.rank == 16 else 0.08 * cell.n if cell.n < 16 else 0.5

    row = rows_of_claims(runs_of(changed(FIG4, n=[2, 3, 8, 16]), error=error))
    wanted = {
        "more points, lower rank": 0.501 - 0.641,
        "more points, lower rank, over rank 0": 0.501 / 0.76891 - 0.641 / 0.76454,
    }
    for name, measured in wanted.items():
        found = row[name]
        assert (found["verdict"], found["comparisons"]) == ("differs", 2)
        assert found["deciding_case"] == "r=2, N=16 against 8"
        assert found["measured"] == pytest.approx(measured, abs=1e-4)
        assert found["sizes"].startswith("d=16, N=3/8/16")


def test_what_no_run_can_judge_rests_on_published_values_and_says_so():
    without, with_runs = (rows_of_claims(runs_of(*grids)) for grids in ([FIG1], [FIG1, FIVE]))
    assert without["five layers"]["origin"] == PUBLISHED
    assert (without["five layers"]["verdict"], without["five layers"]["comparisons"]) == (
        "agrees", 7
    )  # fmt: skip
    assert with_runs["five layers"]["origin"] == PAPERS
    assert with_runs["five layers"]["comparisons"] == 3
    # A single run has no interval: it judges no more than none.
    single = rows_of_claims(runs_of(*(changed(grid, runs=1) for grid in (FIG1, FIVE))))
    assert single["five layers"]["origin"] == PUBLISHED


def test_the_best_published_model_below_full_rank_is_better_than_the_worst_of_full_rank():
    row = BEST_BELOW_FULL_RANK.row(evidence_of([]))
    assert row["deciding_case"].startswith("L=5, w=64, r=32 against L=1, w=1, r=64: 0.0141 against")
    assert "8 % smaller" in row["deciding_case"]
    assert "least of five runs of unknown spread" in row["deciding_case"]
    assert row["measured"] == pytest.approx(0.0153 - 0.0141)
    assert (row["verdict"], row["origin"], row["bound"]) == ("differs", PUBLISHED, 0.0)
    assert "320 times the attention parameters" in row["statement"]
    assert row["bound_description"].endswith("how far runs spread is not known")


AS_GOOD = (1 - 0.007) / (1 + 0.007)
"""Of two values that are each read to 0.7 %: the ratio from which one may be the other."""


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (AS_GOOD - 1e-6, "agrees"), (AS_GOOD + 1e-6, "undecided"),
        (1 / AS_GOOD - 1e-6, "undecided"), (1 / AS_GOOD + 1e-6, "differs"),
    ],
)  # fmt: skip
def test_a_published_model_of_full_rank_could_be_as_good(monkeypatch, ratio, verdict):
    worst = 0.0141 * ratio
    other = published_values.FIGURE_1 | {(1, 1): (*published_values.FIGURE_1[1, 1][:-1], worst)}
    monkeypatch.setattr(published_values, "FIGURE_1", other)
    assert BEST_BELOW_FULL_RANK.row(evidence_of([]))["verdict"] == verdict


def test_published_values_of_five_layers_are_held_against_the_margin():
    """The least difference is that of rank 2, of values that are each read to 0.7 %."""
    decided = FIVE_LAYERS.row(evidence_of([]))
    assert decided["deciding_case"] == "r=2"
    reach = 0.007 * (0.876 + 0.796)
    assert (decided["low"], decided["high"]) == pytest.approx((0.08 - reach, 0.08 + reach))
    for margin, verdict in (
        (decided["low"] - 1e-9, "agrees"),
        (decided["low"] + 1e-9, "undecided"),
        (decided["high"] - 1e-9, "undecided"),
        (decided["high"] + 1e-9, "differs"),
    ):
        assert FIVE_LAYERS.row(evidence_of([], margin))["verdict"] == verdict


def test_every_row_says_whose_it_is_what_its_bound_is_and_its_sizes():
    rows = rows_of_claims(runs_of(FIG1, FIG3, FIG4))
    ours = {name for name, row in rows.items() if row["origin"] == OURS}
    assert ours == {
        "concatenated, one layer, matched", "concatenated, three layers, matched", "learned head",
        "learned attention alone", "more points, lower rank, over rank 0", "additive, control",
        "additive, initial values",
    }  # fmt: skip
    assert {row["origin"] for row in rows.values()} == {PAPERS, PUBLISHED, OURS}
    for row in rows.values():
        assert row["bound_description"]
        assert row["sizes"].startswith("d=")
    factor = rows["full rank at one layer, factor"]
    assert (factor["bound"], factor["bound_description"]) == (FACTOR, "factor between mean errors")
    assert "N(−1, 1)" in rows["additive"]["statement"]
    assert "N(0, 0.02)" in rows["additive, control"]["statement"]
