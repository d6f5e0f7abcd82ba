"""Grids of trained cells, figures and claims of their runs; the runs here are made up."""

import numpy as np
import pytest
from making import CONFIG
from pydantic import ValidationError
from scipy import stats

from attention_separation.head_rank.claims import judged, learned, repeated
from attention_separation.head_rank.comparisons import CLAIMS
from attention_separation.head_rank.contrasts import difference, mean_of, together
from attention_separation.head_rank.study import Grid
from attention_separation.head_rank.training_figures import FIGURES, draw

RECIPE = {
    "d": 8, "feed_forward": 16, "batch": 4, "steps": 100, "lr": 0.01, "runs": 3, "held_out": 10,
}  # fmt: skip
FIG1 = Grid(**RECIPE, layers=[1, 3], widths=[1, 3], ranks=[2, 4, 8], n=[4])
FIG3 = Grid(
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 4, 8], n=[4], matched=True,
    encodings=["none", "additive", "concatenated"],
)  # fmt: skip
FIG4 = Grid(**RECIPE | {"d": 16}, layers=[2], widths=[3], ranks=[2, 16], n=[3, 8])
FRESH = Grid(
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 8], n=[4], regimes=["fresh", "repeated"]
)
LEVEL, MARGIN = 0.05, 0.03


def as_published(cell):
    """An error that has all that the paper claims."""
    if cell.rank == cell.model_dimension:
        return 0.01
    error = 0.5 if cell.layers == 1 else 0.2 + 0.02 * cell.n
    return error - 0.1 * (cell.encoding == "concatenated" and cell.layers == 3)


def runs_of(*grids, error=as_published, reported=None):
    """Rows as `runs.read_runs` reads them, each cell once."""
    cells = {cell.name: cell for grid in grids for cell in grid.cells(seed=1)}
    rows = []
    for cell in cells.values():
        full = cell.rank == cell.model_dimension
        for run in cell.seeds:
            value = error(cell) + 0.001 * run
            rows.append(
                cell.model_dump()
                | {"cell": cell.name, "rank": cell.rank, "total_heads": cell.total_heads}
                | {"run": run, "test_error": value, "dead": False}
                | {"min_train": value if reported is None else reported}
                | {"angle": [175.0 + run] * full, "norm": [90.0] * full, "scale": [-20.0] * full}
            )
    return rows


def verdict(name, rows):
    (claim,) = [claim for claim in CLAIMS if claim.name == name]
    return judged(claim, rows, MARGIN, LEVEL)["verdict"]


def test_a_grid_is_every_combination():
    cells = list(FIG1.cells(seed=1))
    assert len({cell.name for cell in cells}) == len(cells) == 2 * 2 * 3
    assert {(cell.rank, cell.total_heads) for cell in cells if cell.width == 3} == {
        (2, 12), (4, 6), (8, 3)
    }  # fmt: skip
    assert all(cell.seeds == [0, 1, 2] for cell in cells)


def test_the_control_has_the_attention_parameters_of_concatenated_encodings():
    matrices = {}
    for cell in FIG3.cells(seed=1):
        weights = cell.layers * 4 * cell.width * cell.model_dimension**2
        key = "control" if cell.width == 12 else cell.encoding
        matrices.setdefault((key, cell.layers), set()).add(weights)
    for layers in (1, 3):
        assert matrices["control", layers] == matrices["concatenated", layers]
        assert matrices["none", layers] == matrices["additive", layers]


def test_a_rank_must_divide_the_dimension():
    with pytest.raises(ValidationError, match="ranks has 3, which does not divide the dimension 8"):
        Grid(**RECIPE, layers=[1], widths=[1], ranks=[3], n=[4])


def test_what_the_paper_says_is_found_where_it_holds():
    rows = runs_of(FIG1, FIG3, FIG4)
    assert {claim.name: verdict(claim.name, rows) for claim in CLAIMS} == dict.fromkeys(
        (claim.name for claim in CLAIMS), "agrees"
    )
    assert [row["verdict"] for row in learned(rows)] == ["agrees", "agrees"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("full rank at one layer", lambda cell: 0.2),
        ("more heads at one layer", lambda cell: 0.5 / cell.total_heads),
        ("depth helps", lambda cell: 0.3),
        ("concatenated, three layers", lambda cell: 0.3),
        ("concatenated, three layers, matched", lambda cell: 1 / cell.width),
        ("concatenated, one layer, matched", lambda cell: 0.4 - 0.2 * (cell.d_e is not None)),
        ("additive", lambda cell: 0.4 - 0.2 * (cell.encoding == "additive")),
        ("more points, lower rank", lambda cell: 0.4),
        ("more points, full rank", lambda cell: 0.1 * cell.n),
    ],
)
def test_what_does_not_hold_differs(name, error):
    assert verdict(name, runs_of(FIG1, FIG3, FIG4, error=error)) == "differs"


def test_without_runs_there_is_no_verdict():
    for claim in CLAIMS:
        assert judged(claim, [], MARGIN, LEVEL)["verdict"] == "not run"


def test_what_was_not_run_has_no_verdict():
    assert verdict("additive", runs_of(FIG1)) == "not run"
    assert repeated(runs_of(FIG1), MARGIN, LEVEL)["verdict"] == "not run"


def test_a_training_loss_that_flatters_is_found():
    assert repeated(runs_of(FRESH), MARGIN, LEVEL)["verdict"] == "agrees"
    assert repeated(runs_of(FRESH, reported=0.001), 0.005, LEVEL)["verdict"] == "differs"


def test_a_run_without_a_number_counts_as_predicting_zero():
    rows = runs_of(FIG1)
    for row in rows:
        if row["rank"] == 8:
            row["test_error"] = None
    assert verdict("full rank at one layer", rows) == "differs"


def test_scattered_runs_decide_nothing():
    scattered = difference([([0.1, 0.9, 0.5], [0.0, 0.3, 0.6])], LEVEL)
    assert scattered.exceeds(MARGIN) == scattered.stays_below(MARGIN) == "undecided"
    assert together(["agrees", "undecided"]) == "undecided"
    assert together(["undecided", "differs"]) == "differs"


@pytest.mark.parametrize("figure", FIGURES)
def test_each_figure_is_drawn(figure):
    grids = {"rank_fig3": [FIG3], "rank_fig4": [FIG4], "rank_fresh": [FRESH]}
    picture = draw(figure, runs_of(*grids.get(figure, [FIG1])))
    shown = [ax for ax in picture.axes if ax.lines]
    assert len(shown) == (1 if figure == "rank_fig4" else 4 if figure == "rank_fig2" else 2)


def test_runs_of_another_recipe_are_in_no_comparison():
    other = Grid(**RECIPE | {"batch": 2}, layers=[1, 3], widths=[1], ranks=[2], n=[4])
    rows = runs_of(FIG1) + [row | {"test_error": 0.0} for row in runs_of(other)]
    assert verdict("full rank at one layer", rows) == "agrees"


def test_the_interval_of_one_pair_is_that_of_welchs_test():
    larger, smaller = [0.5, 0.6, 0.55, 0.7], [0.2, 0.25, 0.4]
    expected = stats.ttest_ind(larger, smaller, equal_var=False).confidence_interval(1 - LEVEL)
    found = difference([(larger, smaller)], LEVEL)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_intervals_over_pairs_hold_as_often_as_they_say():
    """False alarms: with 2,000 draws at a level of 0.05, fewer than 50 misses or more than 155 have
    probability below 1e-7."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(2000):
        # Spreads that differ, and means that differ by 0.1 on average.
        pairs = [(rng.normal(0.3 + k / 10, 0.05, 5), rng.normal(0.2 + k / 10, 0.1, 5))
                 for k in range(3)]  # fmt: skip
        found = difference(pairs, 0.05)
        missed += not found.low < 0.1 < found.high
    assert 50 <= missed <= 155


def test_of_those_that_differ_the_surest_is_shown():
    rows = runs_of(FIG1)
    for row in rows:
        if (row["layers"], row["width"]) == (1, 3):
            spread = {2: 0.0001, 4: 0.01, 8: 0.0001}[row["rank"]]
            row["test_error"] = (0.9 if row["rank"] == 8 else 0.4) + spread * (row["run"] - 1)
    (claim,) = [claim for claim in CLAIMS if claim.name == "full rank at one layer"]
    assert judged(claim, rows, MARGIN, LEVEL)["decided_at"] == "w=3, r=2"


def test_gaps_within_runs_have_students_interval():
    gaps = [0.1, 0.2, 0.15, 0.3]
    expected = stats.ttest_1samp(gaps, 0).confidence_interval(1 - LEVEL)
    found = mean_of(gaps, LEVEL)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-4)


def test_the_comparison_shown_is_the_one_that_decides():
    rows = runs_of(FIG1)
    for row in rows:
        if (row["layers"], row["width"], row["rank"]) == (1, 3, 2):
            row["test_error"] = 0.01 + 0.0001 * row["run"]
    (claim,) = [claim for claim in CLAIMS if claim.name == "full rank at one layer"]
    row = judged(claim, rows, MARGIN, LEVEL)
    assert (row["verdict"], row["decided_at"]) == ("differs", "w=3, r=2")
    assert row["high"] < MARGIN


def test_cells_of_one_name_are_told_apart_by_their_recipe():
    study = CONFIG.head_rank
    names = list(study.every_cell(seed=1))
    assert "d8_n4_L1_w1_r1" in names
    assert {"d8_n4_L3_w3_r8_b64_s2000", "d8_n4_L3_w3_r8_b16_s4000"} <= set(names)
    scale = study.chosen.training
    slower = scale.fig1.model_copy(update={"lr": 0.001})
    training = scale.model_copy(update={"fig4": slower})
    chosen_scale = study.chosen.model_copy(update={"training": training})
    study = study.model_copy(update={"scales": {"desk": chosen_scale}})
    grids = study.cells(seed=1)
    assert not grids["fig1"].keys() & grids["fig4"].keys()
    assert len(study.every_cell(seed=1)) == len(names) - len(CONFIG.head_rank.cells(1)["fig4"]) + 16


PAPER = CONFIG.head_rank.scales["paper"].training


def legend(figure, grid):
    """The texts beside a figure of made-up runs of a grid."""
    picture = draw(figure, runs_of(grid))
    return [text.get_text() for each in picture.legends for text in each.get_texts()]


@pytest.mark.parametrize(
    ("figure", "grid", "other"),
    [
        ("rank_fig1", PAPER.fig1, {"n": [8]}),
        ("rank_fig3", PAPER.fig3, {"widths": [4]}),
        ("rank_fig4", PAPER.fig4, {"widths": [8]}),
    ],
)
def test_published_values_stand_beside_runs_of_the_papers_size_alone(figure, grid, other):
    small = {"ranks": [8, 64], "runs": 2}
    grid = grid.model_copy(update=small)
    assert "published" in legend(figure, grid)
    assert "published" not in legend(figure, grid.model_copy(update=other))
