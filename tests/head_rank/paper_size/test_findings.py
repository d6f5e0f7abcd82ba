"""What is said of the kept runs: sentences that hang on what the runs have."""

import pytest
from making import CONFIG
from rank_runs import changed, runs_of

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import chosen
from attention_separation.head_rank.paper_size.kept_runs import SCALES
from attention_separation.head_rank.paper_size.more_layers_findings import more_layers_findings

FIG1 = CONFIG.head_rank.scales["reference"].training.fig1
FIG3 = CONFIG.head_rank.scales["reference"].training.fig3
FIG4 = CONFIG.head_rank.scales["reference"].training.fig4
FIVE = changed(FIG1, layers=[5], widths=[1], ranks=[4, 8, 16, 64], also=[])


def said_of(layers, error, grid=FIG1):
    """The sentence on a number of layers, of made-up errors by rank and width."""
    runs = runs_of(grid, error=lambda cell: error(cell.rank, cell.width))
    (text,) = said_of_runs(chosen(runs, layers=layers, run=0))
    return text


def said_of_runs(runs):
    kept = {scale: [] for scale in SCALES} | {"reference": runs}
    return more_layers_findings(kept)


def as_published(rank, width):
    return published_values.figure_1(3, width)[rank]


def test_errors_that_fall_as_published_are_said_to_and_no_others():
    text = said_of(3, lambda rank, width: 2 * as_published(rank, width))
    assert text.startswith(
        "**Three layers: errors fall from each rank to the next, as published; full rank 2, lower "
        "ranks 2 times the published errors.** w = 1, 5,000 steps, 50 % of them warm-up: r = 1: "
        "1.6 (0.801), r = 2: 1.59 (0.796), "
    )
    rises = 1.01 * as_published(4, 8)
    text = said_of(3, lambda rank, width: rises if rank == 8 else as_published(rank, width))
    assert text.startswith("**Three layers: full rank 1, lower ranks ")
    # Of five layers the published errors do not fall at each rank.
    text = said_of(5, lambda rank, width: 0.5 / rank, FIVE)
    assert text.startswith("**Five layers: full rank ")


@pytest.mark.parametrize(("error", "is_zero"), [(0.9995, True), (0.998, False)])
def test_runs_that_predict_zero_are_said_to(error, is_zero):
    text = said_of(5, lambda rank, width: error)
    assert text.startswith("**Five layers: all runs end at predicting zero.** w = 1") == is_zero


@pytest.mark.parametrize(("at_4", "falls"), [(0.4, True), (0.7, False)])
def test_points_are_compared_only_where_they_were_trained_alike(at_4, falls):
    errors = {4: at_4, 16: 0.6, 64: 0.5}
    runs = runs_of(FIG4, error=lambda cell: 0.01 if cell.rank == 64 else errors[cell.n])
    (text,) = said_of_runs(chosen(runs, run=0))
    lead = "**Number of points: below full rank errors grow from N = 4 to 16.** Two layers with w"
    assert text.startswith(lead) == falls
    assert "; N = 64, 2,500 steps, 50 % of them warm-up (rank 0: 0.903): r = 1: 0.5 (" in text


def test_encodings_are_set_beside_none():
    concatenated = {1: 0.4, 4: 0.6, 8: 0.46, 32: 0.44}

    def error(cell):
        if cell.encoding == "concatenated":
            return concatenated.get(cell.rank, 0.1)
        return 1.0 if cell.additive_mean == -1 else 0.5

    _, text = said_of_runs(chosen(runs_of(FIG3, error=error), run=0))
    assert text.startswith(
        "**Positional encodings at three layers, w = 8, beside none: additive from N(−1, 1) ends "
        "at predicting zero; additive from N(0, 0.02) no clear difference; concatenated clearly "
        "less at r = 1 and 32, clearly more at r = 4.** After 5,000 steps"
    )
