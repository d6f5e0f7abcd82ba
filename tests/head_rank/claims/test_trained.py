"""Grids of trained cells, figures and claims of their runs; the runs here are made up."""

import pytest
from making import CONFIG, head_rank
from pydantic import ValidationError

from attention_separation.head_rank.claims import published_claims, published_values
from attention_separation.head_rank.claims.claims_table import judge_claim, of_runs, repeated
from attention_separation.head_rank.claims.learned_claims import learned
from attention_separation.head_rank.claims.outcomes import OURS, PAPERS, PUBLISHED
from attention_separation.head_rank.claims.published_claims import best_below_full_rank
from attention_separation.head_rank.claims.runs import chosen
from attention_separation.head_rank.claims.trained_claims import CLAIMS, FACTOR
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.figures.training_figures import FIGURES, draw
from attention_separation.head_rank.settings.jobs import ClaimsJob
from attention_separation.head_rank.settings.section import Grid, Part
from attention_separation.statistics.group_means import difference_of_means
from attention_separation.statistics.verdict_words import combine_verdicts

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
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 8], n=[4],
    also=[Part(regimes=["repeated"], schedules=["per_step", "per_epoch"])],
)  # fmt: skip
FIVE = Grid(**RECIPE, layers=[5], widths=[1], ranks=[2, 4, 8], n=[4])
LEVEL, MARGIN = 0.05, 0.03


def as_published(cell):
    """An error that has all that the paper claims."""
    if cell.layers == 5:
        return 0.9
    if cell.rank == cell.model_dimension:
        return 0.01
    error = 0.5 if cell.layers == 1 else 0.08 * cell.n
    return error - 0.1 * (cell.encoding == "concatenated" and cell.layers == 3)


def runs_of(*grids, error=as_published, reported=None):
    """Rows as `runs.read_runs` reads them, each cell once."""
    products = [product for grid in grids for product in grid.products()]
    cells = {cell.name: cell for product in products for cell in product.cells(seed=1)}
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
                | {"angle": [175.0 + run] * full, "norm": [90.0] * full, "scale": [-100.0] * full}
                | {"test_se": 0.001}
            )
    return rows


def verdict(name, rows):
    (claim,) = [claim for claim in CLAIMS if claim.name == name]
    return judge_claim(claim, rows, MARGIN, LEVEL)["verdict"]


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
    rows = runs_of(FIG1, FIG3, FIG4, FIVE)
    assert {claim.name: verdict(claim.name, rows) for claim in CLAIMS} == dict.fromkeys(
        (claim.name for claim in CLAIMS), "agrees"
    )
    assert [row["verdict"] for row in learned(rows, 1, MARGIN, LEVEL)] == ["agrees"] * 4


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("full rank at one layer", lambda cell: 0.2),
        ("full rank at one layer, factor", lambda cell: 0.3 if cell.rank == 8 else 0.5),
        ("more heads at one layer", lambda cell: 0.5 / cell.total_heads),
        ("more heads at one layer, factor", lambda cell: 0.3 if cell.rank == 8 else 0.5),
        ("full rank at three layers", lambda cell: 0.2 if cell.layers == 3 else as_published(cell)),
        (
            "more heads at three layers",
            lambda cell: 0.2 if cell.layers == 3 else as_published(cell),
        ),
        ("five layers", lambda cell: 0.4),
        ("depth helps", lambda cell: 0.3),
        ("concatenated, three layers", lambda cell: 0.3),
        ("concatenated, three layers, matched", lambda cell: 1 / cell.width),
        # Half the error beside the same w, and as much as at 4 times the w.
        ("concatenated, one layer", lambda cell: 0.8 / (4 if cell.d_e or cell.width == 12 else 2)),
        ("concatenated, one layer, matched", lambda cell: 0.4 - 0.2 * (cell.d_e is not None)),
        ("additive", lambda cell: 0.4 - 0.2 * (cell.encoding == "additive")),
        ("more points, lower rank", lambda cell: 0.4),
        ("more points, lower rank, over rank 0", lambda cell: 0.4),
        # The error grows, but less than that of uniform attention.
        ("more points, lower rank, over rank 0", lambda cell: 0.35 + 0.01 * cell.n),
        ("more points, full rank", lambda cell: 0.1 * cell.n),
    ],
)
def test_what_does_not_hold_differs(name, error):
    assert verdict(name, runs_of(FIG1, FIG3, FIG4, FIVE, error=error)) == "differs"


def test_the_error_grows_as_the_paper_says_it_where_over_rank_0_it_does_not():
    rows = runs_of(FIG4, error=lambda cell: 0.35 + 0.01 * cell.n)
    assert verdict("more points, lower rank", rows) == "agrees"
    assert verdict("more points, lower rank, over rank 0", rows) == "differs"


def test_the_control_of_about_as_many_parameters_is_this_reproduction_s():
    """What the paper says is beside the same w: it differs where the control's agrees."""
    rows = rows_of_claims(FIG3, error=lambda cell: 0.2 if cell.d_e or cell.width == 12 else 0.4)
    same, control = rows["concatenated, one layer"], rows["concatenated, one layer, matched"]
    assert (same["verdict"], same["whose"]) == ("differs", PAPERS)
    assert (control["verdict"], control["whose"]) == ("agrees", OURS)
    assert "about as many attention parameters" in control["statement"]


def test_claims_on_the_number_of_points_say_that_the_width_is_not_the_paper_s():
    row = rows_of_claims(FIG4)["more points, lower rank"]
    assert row["sizes"] == "d=16, N=3/8, w=3 where the paper has w=d"
    wide = FIG4.model_copy(update={"widths": [16]})
    assert rows_of_claims(wide)["more points, lower rank"]["sizes"] == "d=16, N=3/8"


def test_without_runs_there_is_no_verdict():
    for claim in CLAIMS:
        assert judge_claim(claim, [], MARGIN, LEVEL)["verdict"] == "not run"


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
    scattered = difference_of_means([([0.1, 0.9, 0.5], [0.0, 0.3, 0.6])], LEVEL)
    assert scattered.exceeds(MARGIN) == scattered.stays_below(MARGIN) == "undecided"
    assert combine_verdicts(["agrees", "undecided"]) == "undecided"
    assert combine_verdicts(["undecided", "differs"]) == "differs"


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


def test_of_those_that_differ_the_surest_is_shown():
    rows = runs_of(FIG1)
    for row in rows:
        if (row["layers"], row["width"]) == (1, 3):
            spread = {2: 0.0001, 4: 0.01, 8: 0.0001}[row["rank"]]
            row["test_error"] = (0.9 if row["rank"] == 8 else 0.4) + spread * (row["run"] - 1)
    (claim,) = [claim for claim in CLAIMS if claim.name == "full rank at one layer"]
    assert judge_claim(claim, rows, MARGIN, LEVEL)["decided_at"] == "w=3, r=2"


def test_the_comparison_shown_is_the_one_that_decides():
    rows = runs_of(FIG1)
    for row in rows:
        if (row["layers"], row["width"], row["rank"]) == (1, 3, 2):
            row["test_error"] = 0.01 + 0.0001 * row["run"]
    (claim,) = [claim for claim in CLAIMS if claim.name == "full rank at one layer"]
    row = judge_claim(claim, rows, MARGIN, LEVEL)
    assert (row["verdict"], row["decided_at"]) == ("differs", "w=3, r=2")
    assert row["high"] < MARGIN


def test_cells_of_one_name_are_told_apart_by_their_recipe():
    study = head_rank()
    names = list(study.every_cell)
    assert "d8_n4_L1_w1_r1" in names
    assert {"d8_n4_L3_w3_r8_b64_s2000", "d8_n4_L3_w3_r8_b16_s4000"} <= set(names)
    scale = study.chosen.training
    slower = scale.fig1.model_copy(update={"lr": 0.001})
    training = scale.model_copy(update={"fig4": slower})
    chosen_scale = study.chosen.model_copy(update={"training": training})
    other = head_rank(scales={"desk": chosen_scale})
    grids = other.cells
    assert not grids["fig1"].keys() & grids["fig4"].keys()
    assert len(other.every_cell) == len(names) - len(study.cells["fig4"]) + 16


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


def rows_of_claims(*grids, **options):
    """The rows of the paper's claims on made-up runs, by name."""
    job = ClaimsJob(
        cells=[{"name": "any", "settings": ""}], seed=1, scale="desk", margin=MARGIN, level=LEVEL,
        vote="", features="", temperature="", bound="", found="", plurality="",
    )  # fmt: skip
    return {row["claim"]: row for row in of_runs(job, runs_of(*grids, **options))}


def test_errors_grow_from_each_number_of_points_to_the_next():
    """One step that falls decides, and is named; two points have no rank 0 to compare with."""
    grid = FIG4.model_copy(update={"n": [2, 3, 8, 16]})
    row = rows_of_claims(grid, error=lambda cell: 0.08 * cell.n if cell.n < 16 else 0.5)
    wanted = {
        "more points, lower rank": 0.501 - 0.641,
        "more points, lower rank, over rank 0": 0.501 / 0.76891 - 0.641 / 0.76454,
    }
    for name, measured in wanted.items():
        found = row[name]
        assert (found["verdict"], found["comparisons"]) == ("differs", 2)
        assert found["decided_at"] == "r=2, N=16 against 8"
        assert found["measured"] == pytest.approx(measured, abs=1e-4)
        assert found["sizes"].startswith("d=16, N=3/8/16")


def test_what_no_run_can_judge_rests_on_published_values_and_says_so():
    without, with_runs = rows_of_claims(FIG1), rows_of_claims(FIG1, FIVE)
    assert without["five layers"]["whose"] == PUBLISHED
    assert (without["five layers"]["verdict"], without["five layers"]["comparisons"]) == (
        "agrees", 7
    )  # fmt: skip
    assert with_runs["five layers"]["whose"] == PAPERS
    assert with_runs["five layers"]["comparisons"] == 3


def test_the_best_published_model_below_full_rank_is_better_than_the_worst_of_full_rank():
    row = best_below_full_rank()
    assert row["decided_at"].startswith("L=5, w=64, r=32 against L=1, w=1, r=64: 0.0141 against")
    assert "8 % smaller" in row["decided_at"]
    assert "least of five runs of unknown spread" in row["decided_at"]
    assert row["measured"] == pytest.approx(0.0153 - 0.0141)
    assert (row["verdict"], row["whose"], row["bound"]) == ("differs", PUBLISHED, 0.0)
    assert "320 times the attention parameters" in row["statement"]
    assert row["bound_is"].endswith("how far runs spread is not known")


@pytest.mark.parametrize(("worst", "verdict"), [(0.0135, "agrees"), (0.0142, "undecided")])
def test_a_published_model_of_full_rank_could_be_as_good(monkeypatch, worst, verdict):
    other = published_values.FIGURE_1 | {(1, 1): (*published_values.FIGURE_1[1, 1][:-1], worst)}
    monkeypatch.setattr(published_claims, "FIGURE_1", other)
    assert best_below_full_rank()["verdict"] == verdict


def test_every_row_says_whose_it_is_what_its_bound_is_and_its_sizes():
    rows = rows_of_claims(FIG1, FIG3, FIG4)
    ours = {name for name, row in rows.items() if row["whose"] == OURS}
    assert ours == {
        "concatenated, one layer, matched", "concatenated, three layers, matched", "learned head",
        "more points, lower rank, over rank 0",
    }  # fmt: skip
    assert {row["whose"] for row in rows.values()} == {PAPERS, PUBLISHED, OURS}
    assert repeated(runs_of(FRESH), MARGIN, LEVEL)["whose"] == "this reproduction's"
    for row in rows.values():
        assert row["bound_is"]
        assert row["sizes"].startswith("d=")
    assert rows["full rank at one layer"]["bound_is"].startswith("margin, of the difference")
    factor = rows["full rank at one layer, factor"]
    assert (factor["bound"], factor["bound_is"]) == (FACTOR, "factor between mean errors")
    assert f"more than {FACTOR:g} times" in factor["statement"]
    assert rows["more points, lower rank, over rank 0"]["bound_is"].endswith("over rank 0")


def test_a_comparison_that_rests_on_dead_runs_says_so():
    rows = runs_of(FIG4)
    for row in rows:
        row["dead"] = (row["rank"], row["n"], row["run"]) == (16, 8, 1)
    (claim,) = [claim for claim in CLAIMS if claim.name == "more points, full rank"]
    found = judge_claim(claim, rows, MARGIN, LEVEL)
    assert found["decided_at"] == "r=16, N=8 against 3 (1 of 6 runs dead)"


def test_the_median_angle_decides_with_how_many_heads_reach_the_bound():
    rows = runs_of(FIG1, error=lambda cell: 0.01 if cell.rank == 8 else 0.5)
    for row in chosen(rows, layers=3):
        # Only the last run does as well as one layer.
        row["test_error"] = row["test_error"] if row["run"] == 2 else 0.3
        row["angle"] = [90.0 if row["run"] == 1 else angle for angle in row["angle"]]
    one, _, _, three = learned(rows, 1, MARGIN, LEVEL)
    assert (one["verdict"], three["verdict"]) == ("agrees", "agrees")
    assert one["decided_at"] == "3 of 3 heads reach it; lowest 175, median"
    assert three["decided_at"] == (
        "2 of 3 heads reach it, 1 of 1 in the 1 of 3 runs with less than 2 times one layer's error;"
        " lowest 90, median"
    )
    assert three["measured"] == 175
    for row in chosen(rows, layers=3, run=0):
        row["angle"] = [100.0] * len(row["angle"])
    three = list(learned(rows, 1, MARGIN, LEVEL))[-1]
    assert (three["verdict"], three["measured"]) == ("differs", 100)


def test_a_learned_head_acts_as_hardmax_only_where_its_own_c_is_large():
    """At d = 8 and N = 4 softmax has an error of about 0.06 at c = 13, and 0.01 at c = 100."""
    rows = runs_of(FIG1)
    _, near, own, _ = learned(rows, 1, MARGIN, LEVEL)
    assert (near["verdict"], near["whose"], own["whose"]) == ("agrees", PAPERS, OURS)
    cold = [row | {"scale": [-13.0] * len(row["scale"])} for row in rows]
    _, near, _, _ = learned(cold, 1, MARGIN, LEVEL)
    assert near["verdict"] == "differs"
    assert near["measured"] == pytest.approx(0.063, abs=0.005)


@pytest.mark.parametrize(("error", "expected"), [(0.01, "agrees"), (0.2, "differs"), (0.03, None)])
def test_a_learned_head_has_the_error_of_its_own_temperature(error, expected):
    """At c = 100, d = 8 and N = 4 the head has about 0.01: simulated to 0.0003."""
    rows = runs_of(FIG1, error=lambda cell: error if cell.rank == 8 else 0.5)
    _, _, found, _ = learned(rows, 1, MARGIN, LEVEL)
    assert found["comparisons"] == 3
    if expected:
        assert found["verdict"] == expected
    else:
        # The run is off by as much as its own standard error allows for.
        assert found["verdict"] == "agrees"
        noisy = [row | {"test_se": 0.01} for row in rows]
        assert list(learned(noisy, 1, MARGIN, LEVEL))[2]["verdict"] == "undecided"
    hot = [row | {"scale": [-2.0] * len(row["scale"])} for row in rows]
    assert list(learned(hot, 1, MARGIN, LEVEL))[2]["verdict"] == "differs"


def note(figure, grid):
    """The text below a figure of made-up runs of a grid."""
    return draw(figure, runs_of(grid)).get_supxlabel()


@pytest.mark.parametrize(
    ("figure", "grid", "wide", "said"),
    [
        ("rank_fig1", FIG1, [1, 8], "$w$ = 1 and 3: the paper's $w$ = $d$ is not run."),
        ("rank_fig4", FIG4, [16], "$w$ = 3, where the paper has $w$ = $d$."),
    ],
)
def test_notes_say_which_widths_are_not_the_paper_s(figure, grid, wide, said):
    assert note(figure, grid).endswith(said)
    assert "the paper" not in note(figure, grid.model_copy(update={"widths": wide}))


def test_the_note_of_figure_2_has_the_recipe_and_what_the_paper_does_not_show():
    assert note("rank_fig2", FIG1).startswith("$d$ = 8, $N$ = 4, 100 steps of 4 sets, 3 runs.")
    assert note("rank_fig2", FIG1).endswith("Not in the paper's figure: 3 layers.")
    shallow = FIG1.model_copy(update={"layers": [1]})
    assert "Not in" not in note("rank_fig2", shallow)


@pytest.mark.parametrize(
    ("figure", "grids"), [("rank_fig1", [FIG1]), ("rank_fig3", [FIG3]), ("rank_fig4", [FIG4])]
)
def test_figures_have_a_line_at_the_error_of_uniform_attention(figure, grids):
    rows = runs_of(*grids)
    picture = draw(figure, rows)
    wanted = {round(least_error(row["d"], row["n"]), 9) for row in rows}
    for ax in picture.axes:
        shown = [line.get_ydata() for line in ax.lines if line.get_linestyle() == "-."]
        assert {round(float(ys[0]), 9) for ys in shown} == wanted
    assert "uniform attention\n(rank 0)" in legend(figure, grids[0])
