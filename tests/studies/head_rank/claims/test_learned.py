"""Claims on what single heads of full rank have learned; the runs here are made up."""

import pytest
from rank_runs import FIG1, evidence_of, runs_of

from attention_separation.results.tables import chosen
from attention_separation.studies.head_rank.claims.claim import OURS, PAPERS
from attention_separation.studies.head_rank.claims.learned_claims import (
    ATTENTION_ALONE,
    LEARNED_CLAIMS,
    MORE_HEADS,
    VALUE_MAP,
)

OF_ATTENTION = (VALUE_MAP, ATTENTION_ALONE)


def learned(rows):
    """The rows of the claims on the scores of single heads."""
    others = (MORE_HEADS, *OF_ATTENTION)
    return [claim.row(evidence_of(rows)) for claim in LEARNED_CLAIMS if claim not in others]


def value_map(rows):
    """The row of the claim on the value maps of single heads."""
    return VALUE_MAP.row(evidence_of(rows))


def attention_alone(rows):
    """The row of the claim on what their attention has without the MLP."""
    return ATTENTION_ALONE.row(evidence_of(rows))


def more_heads(rows):
    """The row of the claim on several heads."""
    return MORE_HEADS.row(evidence_of(rows))


def test_the_median_angle_decides_with_how_many_heads_reach_the_bound():
    rows = runs_of(FIG1, error=lambda cell: 0.01 if cell.rank == 8 else 0.5)
    for row in chosen(rows, layers=3):
        row["test_error"] = 0.01 if row["run"] == 2 else 0.03
        row["angle"] = [90.0 if row["run"] == 1 else angle for angle in row["angle"]]
    one, _, _, three = learned(rows)
    assert (one["verdict"], three["verdict"]) == ("agrees", "agrees")
    assert one["deciding_case"] == "3 of 3 heads reach it; lowest 175, median"
    assert three["deciding_case"] == "2 of 3 heads reach it; lowest 90, median"
    assert three["measured"] == 175
    for row in chosen(rows, layers=3, run=0):
        row["angle"] = [100.0] * len(row["angle"])
    three = learned(rows)[-1]
    assert (three["verdict"], three["measured"]) == ("differs", 100)


@pytest.mark.parametrize(
    ("claim", "cells", "column", "inside", "outside"),
    [
        ("learned angle, L=1", {"layers": 1, "width": 1}, "angle", 165.0, 164.999),
        ("learned angle, L=3", {"layers": 3, "width": 1}, "angle", 165.0, 164.999),
        ("learned angle, more heads", {"layers": 3, "width": 3}, "angle", 165.0, 165.001),
        ("learned value map", {"layers": 1, "width": 1}, "angle_value", 15.0, 15.001),
        # -I is as good as I: what follows takes the sign back.
        ("learned value map", {"layers": 1, "width": 1}, "angle_value", 165.0, 164.999),
    ],
)
def test_a_median_at_the_bound_agrees_and_one_beyond_it_differs(
    claim, cells, column, inside, outside
):
    (judged,) = [each for each in LEARNED_CLAIMS if each.name == claim]
    for angle, verdict in ((inside, "agrees"), (outside, "differs")):
        rows = runs_of(FIG1, error=lambda cell: 0.01 if cell.rank == 8 else 0.5)
        for row in chosen(rows, rank=8, **cells):
            row[column] = [angle, 100.0 * row["run"], angle]
        assert judged.row(evidence_of(rows))["verdict"] == verdict


@pytest.mark.parametrize("name", ["learned head near hardmax", "learned head"])
def test_the_interval_of_a_head_is_held_against_the_margin(name):
    """Its error is simulated: with its own, at c = 100, d = 8 and N = 4, to 0.0003."""
    check_margin(name, runs_of(FIG1, error=lambda cell: 0.2 if cell.rank == 8 else 0.5))


def test_the_interval_of_attention_alone_is_held_against_the_margin():
    check_margin(
        "learned attention alone", [row | {"attention_error": 0.2} for row in runs_of(FIG1)]
    )


def check_margin(name, rows):
    """That all of the interval that decides must lie below the margin, or all above it."""
    (claim,) = [each for each in LEARNED_CLAIMS if each.name == name]
    decided = claim.row(evidence_of(rows))
    assert 0 < decided["low"] < decided["high"] < 0.3
    for margin, verdict in (
        (decided["high"] + 1e-9, "agrees"),
        (decided["high"] - 1e-9, "undecided"),
        (decided["low"] + 1e-9, "undecided"),
        (decided["low"] - 1e-9, "differs"),
    ):
        assert claim.row(evidence_of(rows, margin))["verdict"] == verdict, margin


def test_a_learned_head_acts_as_hardmax_only_where_its_own_c_is_large():
    """At d = 8 and N = 4 softmax has an error of about 0.06 at c = 13, and 0.01 at c = 100."""
    rows = runs_of(FIG1)
    _, near, own, _ = learned(rows)
    assert (near["verdict"], near["origin"], own["origin"]) == ("agrees", PAPERS, OURS)
    cold = [row | {"scale": [-13.0] * len(row["scale"])} for row in rows]
    _, near, _, _ = learned(cold)
    assert near["verdict"] == "differs"
    assert near["measured"] == pytest.approx(0.063, abs=0.005)
    hot = [row | {"scale": [-2.0] * len(row["scale"])} for row in rows]
    assert learned(hot)[2]["verdict"] == "differs"


def test_a_value_map_is_that_of_fact_1_where_it_is_a_multiple_of_the_identity(subtests):
    for angles, verdict, measured in [
        ([180.0, 170.0, 160.0], "agrees", 10.0),
        ([115.0, 120.0, 135.0], "differs", 60.0),
        # A head that broke is no multiple of I.
        ([None, None, 5.0], "differs", 90.0),
    ]:
        with subtests.test(angles=angles, verdict=verdict, measured=measured):
            rows = runs_of(FIG1)
            single = chosen(rows, layers=1, width=1, rank=8)
            for row, angle in zip(single, angles, strict=True):
                row["angle_value"] = [angle]
            found = value_map(rows)
            assert (found["verdict"], found["origin"], found["comparisons"]) == (verdict, PAPERS, 3)
            assert found["measured"] == pytest.approx(measured)


def test_value_maps_that_were_not_measured_are_not_judged():
    rows = [row | {"angle_value": [], "attention_error": None} for row in runs_of(FIG1)]
    assert value_map(rows)["verdict"] == attention_alone(rows)["verdict"] == "not run"


def test_several_heads_in_several_layers_have_another_strategy_where_cell_by_cell_they_do():
    rows = runs_of(FIG1, error=lambda cell: 0.01 if cell.rank == 8 else 0.5)
    several = chosen(rows, layers=3, width=3, rank=8)
    for row in several:
        row["angle"] = [90.0, 100.0 + row["run"], 179.0]
    found = more_heads(rows)
    assert (found["verdict"], found["origin"], found["comparisons"]) == ("agrees", PAPERS, 1)
    assert (found["deciding_case"], found["measured"]) == ("L=3, w=3, r=8, median", 101)
    # One layer, or one head, is no such network; these all have 175 degrees or more.
    assert more_heads([row for row in rows if row not in several])["verdict"] == "not run"
    more = [row | {"cell": "other", "layers": 2, "angle": [166.0]} for row in several]
    found = more_heads(rows + more)
    assert (found["verdict"], found["comparisons"], found["measured"]) == ("differs", 2, 166)
    for row in several:
        row["test_error"] = 0.01 if row["run"] else 0.5
    found = more_heads(rows)
    assert found["verdict"] == "not judged"
    assert found["reason"] == "runs of one cell end at 0.010 and at 0.500: L=3, w=3, r=8"
    assert more_heads(rows + more)["comparisons"] == 1
