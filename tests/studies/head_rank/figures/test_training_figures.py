"""Figures of trained transformers, of made-up runs."""

from functools import cache

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG, head_rank
from picture_formats import pictures_as
from rank_cells import write_made_up
from rank_runs import (
    ARMS,
    COLLAPSE,
    CROSSING,
    DIMENSION,
    FIG1,
    FIG3,
    FIG4,
    MEMORY,
    RECIPE,
    changed,
    runs_of,
)

from attention_separation.__main__ import run_job
from attention_separation.results.tables import chosen
from attention_separation.studies.head_rank.constructions.farthest_point import (
    least_error,
    simulated_errors,
)
from attention_separation.studies.head_rank.figures.training_figures import (
    TRAINED_FIGURES,
    WITH_FACT_1,
    numbers_table,
    runs_shown,
)
from attention_separation.studies.head_rank.settings.section import Grid, Normal, Part
from attention_separation.studies.head_rank.training import published_values

BY_HEART = Grid(
    **RECIPE, layers=[3], widths=[1], ranks=[2, 8], n=[4], regimes=["repeated"],
    schedules=["per_epoch"], also=[Part(regimes=["fresh"], ranks=[8])],
)  # fmt: skip
PAPER = CONFIG.head_rank.scales["paper"].training
GRIDS = {
    "rank_fig3": FIG3, "rank_fig4": FIG4, "rank_fresh": ARMS, "rank_collapse": COLLAPSE,
    "rank_memory": MEMORY, "rank_crossing": CROSSING, "rank_dimension": DIMENSION,
    "rank_by_heart": BY_HEART,
}  # fmt: skip
"""How many of a figure have lines, where they are not two."""
SMALL = {"ranks": [64], "runs": 2}
THEIRS = {
    "rank_fig1": changed(PAPER.fig1, **SMALL, layers=[1]),
    "rank_fig2": changed(PAPER.fig1, **SMALL, layers=[1]),
    "rank_fig3": changed(PAPER.fig3, **SMALL),
    "rank_fig4": changed(PAPER.fig4, **SMALL, n=[4, 16]),
}
"""Grids of the paper's size, a part of each."""


def picture_of(figure, grid, **changes):
    """The figure of made-up runs of a grid, each of them changed alike."""
    if not changes:
        return drawn(figure, grid.model_dump_json())
    return TRAINED_FIGURES[figure](
        runs_shown(figure, [row | changes for row in runs_of(grid)], seed=1)
    )


@cache
def drawn(figure, grid):
    """Of a grid as text: several tests look at one picture."""
    return TRAINED_FIGURES[figure](
        runs_shown(figure, runs_of(Grid.model_validate_json(grid)), seed=1)
    )


def legend(figure, grid, **changes):
    """The texts beside it."""
    picture = picture_of(figure, grid, **changes)
    return [text.get_text() for each in picture.legends for text in each.get_texts()]


def note(figure, grid):
    """The text below it."""
    return picture_of(figure, grid).get_supxlabel()


def titles(figure, grid):
    return [ax.get_title(loc="left") for ax in picture_of(figure, grid).axes if ax.lines]


SAVED = ("rank_fig1", "rank_fig2", "rank_collapse", "rank_memory", "rank_crossing", "rank_by_heart")
"""Figures that are saved where runs are kept."""


@given(figure=st.sampled_from([*TRAINED_FIGURES]))
def test_each_figure_is_drawn(figure):
    runs = 1 if figure in [*TRAINED_FIGURES][::3] else 3
    picture = picture_of(figure, changed(GRIDS.get(figure, FIG1), runs=runs))
    if figure not in SAVED:
        # With a missing glyph, or a formula that cannot be set, it would warn.
        picture.draw_without_rendering()
    drawn = [ax for ax in picture.axes if ax.lines]
    assert drawn
    for ax in drawn:
        # All of the made-up runs have numbers.
        numbers = np.concatenate([np.asarray(line.get_ydata(), float) for line in ax.lines])
        assert np.isfinite(numbers).all(), ax.get_title(loc="left")


def test_a_line_is_of_the_means_of_runs_that_have_a_number():
    rows = [row for row in runs_of(FIG1) if (row["layers"], row["width"]) == (1, 1)]
    for row in rows:
        if row["rank"] == 2 or (row["rank"], row["run"]) == (4, 0):
            row["test_error"] = None
    picture = TRAINED_FIGURES["rank_fig1"](runs_shown("rank_fig1", rows, seed=1))
    line = next(line for line in picture.axes[0].lines if len(line.get_xdata()) == 3)
    means = [
        np.mean(
            [row["test_error"] for row in chosen(rows, rank=rank) if row["test_error"]] or np.nan
        )
        for rank in (2, 4, 8)
    ]
    np.testing.assert_allclose(line.get_ydata(), means)


STEPS = {"steps": 4000, "batch": 64}
OF_THEIRS = "training loss of five runs on repeated batches."
NOTES = [
    # A figure, a grid, and what its note says.
    ("rank_fig1", changed(THEIRS["rank_fig1"], **STEPS), "4,000 steps of 64 sets, 2 runs."),
    (
        "rank_fig1", changed(THEIRS["rank_fig1"], **STEPS),
        f"Published: 100,000 steps of 256, least {OF_THEIRS}",
    ),
    (
        "rank_fig3", changed(THEIRS["rank_fig3"], **STEPS),
        f"Published: 200,000 steps of 256 (100,000 without an encoding), least {OF_THEIRS}",
    ),
    (
        "rank_fig4", changed(THEIRS["rank_fig4"], **STEPS),
        f"Published: 200,000 steps of 256, least {OF_THEIRS}",
    ),
    (
        "rank_fig2", THEIRS["rank_fig2"],
        "Published: medians after 100,000 steps of 256, on repeated batches.",
    ),
    ("rank_fig2", THEIRS["rank_fig2"], "a head −𝑐𝐼 has 𝑐 = value/√𝑟; here √𝑟 = 8."),
    ("rank_fig2", FIG1, "Not in the paper's figure: 3 layers."),
    ("rank_fig1", FIG1, "\n$w$ = 1 and 3: the paper's $w$ = $d$ is not run."),
    # Published values stand beside other widths too.
    (
        "rank_fig4", changed(THEIRS["rank_fig4"], widths=[8]),
        "\n$w$ = 8, where the paper has $w$ = $d$.\nPublished:",
    ),
    (
        "rank_fig1", changed(THEIRS["rank_fig1"], widths=[1, 8]),
        "$d^2$, $d^{2.5}$: the paper's attention parameters of a layer, $r d H$.",
    ),
    ("rank_fig1", changed(FIG1, runs=1), "100 steps of 4 sets, 1 run."),
    (
        "rank_fig1",
        Grid(**RECIPE | {"runs": 1}, layers=[1], widths=[1], ranks=[2], n=[4],
             also=[Part(ranks=[8], runs=3)]),
        "100 steps of 4 sets, 1 to 3 runs a cell.",
    ),
    (
        "rank_dimension", DIMENSION,
        "$d$ = 8 or 16, $N$ = 4, 100 steps of 4 sets, 3 runs; modules of heads in a layer: 1.",
    ),
    ("rank_fig3", FIG3, "normal, N(mean, standard deviation); N(−1, 1) as published."),
]  # fmt: skip


@given(case=st.sampled_from(NOTES))
def test_what_a_note_says(case):
    figure, grid, said = case
    assert said in note(figure, grid)


def test_what_a_note_says_only_where_it_is_so(subtests):
    for figure, grid, unsaid in [
        ("rank_fig1", changed(THEIRS["rank_fig1"], d=128), "Published:"),
        ("rank_fig1", changed(FIG1, widths=[1, 8]), "the paper's $w$"),
        ("rank_fig4", changed(FIG4, widths=[16]), "the paper has"),
        ("rank_fig1", changed(FIG1, widths=[3]), "parameters"),
        ("rank_fig2", changed(FIG1, layers=[1]), "Not in"),
        ("rank_fig3", changed(FIG3, encodings=["none"]), "Initial values"),
    ]:
        with subtests.test(figure=figure, grid=grid, unsaid=unsaid):
            assert unsaid not in note(figure, grid)


def test_published_values_stand_beside_runs_of_the_papers_size_alone(subtests):
    for figure, other, label in [
        ("rank_fig1", {"n": [8]}, "published"),
        ("rank_fig2", {"n": [8]}, "published\nmedian"),
        ("rank_fig3", {"widths": [4]}, "published"),
        ("rank_fig4", {"layers": [3]}, "published"),
    ]:
        with subtests.test(figure=figure, other=other, label=label):
            assert label in legend(figure, THEIRS[figure])
            assert label not in legend(figure, changed(THEIRS[figure], **other))


def published_lines(figure):
    picture = picture_of(figure, THEIRS[figure])
    dotted = [line for ax in picture.axes for line in ax.lines if line.get_linestyle() == ":"]
    return sorted(tuple(line.get_ydata()) for line in dotted)


def test_every_published_value_is_drawn_beside_its_runs():
    lines_of_1 = published_values.FIGURE_1
    assert published_lines("rank_fig1") == sorted(lines_of_1[1, width] for width in (1, 8, 64))
    lines_of_3 = [*published_values.FIGURE_3.values(), lines_of_1[1, 8], lines_of_1[3, 8]]
    assert published_lines("rank_fig3") == sorted(lines_of_3)
    assert published_lines("rank_fig4") == sorted(published_values.FIGURE_4[n] for n in (4, 16))
    picture = picture_of("rank_fig2", THEIRS["rank_fig2"])
    medians = []
    for ax in picture.axes:
        diamonds = [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "D"]
        medians.append(tuple(diamonds))
    assert medians == [*zip(*published_values.FIGURE_2.values(), strict=True)]


def test_series_have_the_paper_s_budgets_where_they_hold_exactly():
    names = legend("rank_fig1", THEIRS["rank_fig1"])
    assert names[:3] == ["$w$ = 1 ($d^2$)", "$w$ = 8 ($d^{2.5}$)", "$w$ = 64 ($d^3$)"]
    # No whole number is the root of 8.
    assert legend("rank_fig1", FIG1)[:2] == ["$w$ = 1 ($d^2$)", "$w$ = 3"]


def test_panels_say_their_steps_where_these_differ():
    assert titles("rank_fig1", FIG1) == ["1 layer", "3 layers"]
    grid = Grid(**RECIPE, layers=[1], widths=[1], ranks=[2, 8], n=[4],
                also=[Part(layers=[3], steps=1200)])  # fmt: skip
    assert titles("rank_fig1", grid) == ["1 layer, 100 steps", "3 layers, 1,200 steps"]
    points = Grid(**RECIPE, layers=[2], widths=[8], ranks=[2, 8], n=[3],
                  also=[Part(n=[4], steps=1200)])  # fmt: skip
    assert titles("rank_fig4", points) == ["2 layers"]
    assert legend("rank_fig4", points)[:2] == ["$N$ = 3, 100 steps", "$N$ = 4, 1,200 steps"]
    assert legend("rank_fig4", FIG4)[:2] == ["$N$ = 3", "$N$ = 8"]


@pytest.mark.parametrize(("figure", "grid"), [("rank_fig1", FIG1), ("rank_fig3", FIG3)])
def test_figures_have_a_line_at_the_error_of_uniform_attention(figure, grid):
    picture = picture_of(figure, grid)
    wanted = {round(least_error(row["d"], row["n"]), 9) for row in runs_of(grid)}
    for ax in picture.axes:
        drawn = [line.get_ydata() for line in ax.lines if line.get_linestyle() == "-."]
        assert {round(float(ys[0]), 9) for ys in drawn} == wanted
    assert "uniform attention\n(rank 0)" in legend(figure, grid)


def test_figure_4_is_linear_with_rank_0_in_the_colour_of_each_number_of_points():
    (ax,) = picture_of("rank_fig4", FIG4).axes
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[0] == 0
    lines = [line for line in ax.lines if line.get_linestyle() == "-."]
    assert {line.get_ydata()[0]: line.get_color() for line in lines} == {
        least_error(16, n): line.get_color()
        for n, line in zip((3, 8), ax.figure.legends[0].get_lines(), strict=False)
    }
    # Of two points uniform attention makes no error.
    (ax,) = picture_of("rank_fig4", changed(FIG4, n=[2])).axes
    assert not any(line.get_linestyle() == "-." for line in ax.lines)


# Additive encodings.


def test_additive_encodings_are_drawn_by_their_initial_values():
    names = legend("rank_fig3", FIG3)
    assert names[:5] == [
        "no encoding", "additive,\ninitial N(−1, 1)", "additive,\ninitial N(0, 0.02)",
        "concatenated", "no encoding, 4 × 𝑤",
    ]  # fmt: skip
    alone = changed(FIG3, additive=[Normal(mean=0, sd=0.02)])
    assert "additive,\ninitial N(−1, 1)" not in legend("rank_fig3", alone)


def test_published_values_of_additive_encodings_stand_beside_the_published_initial_values_alone():
    def dotted(*laws):
        only = {"encodings": ["additive"], "matched": False, "additive": [*laws]}
        grid = changed(THEIRS["rank_fig3"], **only)
        ax, *_ = picture_of("rank_fig3", grid).axes
        return sum(line.get_linestyle() == ":" for line in ax.lines)

    theirs, control = Normal(mean=-1, sd=1), Normal(mean=0, sd=0.02)
    assert (dotted(theirs), dotted(control), dotted(theirs, control)) == (1, 0, 1)


# Dead runs.


@given(figure=st.sampled_from(["rank_fig1", "rank_fig3", "rank_fig4", "rank_fresh"]))
def test_dead_runs_are_crosses_that_the_legend_explains(figure):
    grid, words = GRIDS.get(figure, FIG1), "dead run: 98 % or more of\nuniform attention's error"
    assert words not in legend(figure, grid)
    assert words in legend(figure, grid, dead=True)
    picture = picture_of(figure, grid, dead=True)
    crosses = sum(line.get_marker() == "x" for ax in picture.axes for line in ax.lines)
    assert crosses == len(runs_of(grid))


# Repeated batches.


def test_the_three_arms_have_markers_of_their_own():
    picture = picture_of("rank_fresh", ARMS)
    found = {}
    for ax in picture.axes:
        for line in ax.lines:
            found[line.get_marker()] = found.get(line.get_marker(), 0) + 1
    runs = len(chosen(runs_of(ARMS), regime="fresh"))
    assert {marker: found[marker] for marker in "os^"} == dict.fromkeys("os^", runs)
    assert legend("rank_fresh", ARMS)[2:] == [
        "new batches", "the same 100 again",
        "the same 100 again,\nschedule per epoch,\nas published",
    ]  # fmt: skip
    wide = changed(ARMS, widths=[1, 3])
    assert titles("rank_fresh", wide) == [
        f"{layers}, $w$ = {width}" for width in (1, 3) for layers in ("1 layer", "3 layers")
    ]


def test_the_crossing_has_a_colour_for_each_arm_and_two_lines_for_each_run():
    one, three = picture_of("rank_crossing", CROSSING).axes
    assert titles("rank_crossing", CROSSING) == ["1 layer, additive", "3 layers, additive"]
    rows = runs_of(CROSSING)
    colours = []
    for ax, layers in ((one, 1), (three, 3)):
        *of_runs, uniform_attention = ax.lines
        assert len(of_runs) == 2 * len(chosen(rows, layers=layers))
        assert set(uniform_attention.get_ydata()) == {least_error(8, 4)}
        colours.append({line.get_color() for line in of_runs})
    # Three layers have the fast warm-up alone.
    assert list(map(len, colours)) == [4, 2]
    assert legend("rank_crossing", CROSSING)[-1] == "uniform attention\n(rank 0)"


@given(case=st.sampled_from([(0.9, 1.1), (1.3, 1.365), (50.0, 2), (None, 1.1)]))
def test_the_crossing_shows_where_its_runs_end(case):
    error, top = case
    axes = picture_of("rank_crossing", CROSSING, test_error=error).axes
    assert [ax.get_ylim()[1] for ax in axes] == pytest.approx([top] * len(axes))


# Fact 1 at the learned c.


def test_beside_single_heads_stands_what_fact_1_has_at_their_c():
    grid = changed(FIG1, ranks=[4, 8])
    rows = runs_of(grid)
    for row in rows:
        row["scale"] = [-20.0 - row["run"]] * len(row["scale"])
    found = runs_shown("rank_fig1", rows, seed=1)
    own = [row for row in found if row["fact_1_error"] is not None]
    assert {(row["layers"], row["total_heads"], row["rank"]) for row in own} == {(1, 1, 8)}
    exact = [error for error, _ in simulated_errors(8, 4, [20.0, 21.0, 22.0], seed=1)]
    assert [row["fact_1_error"] for row in own] == pytest.approx(exact)
    table = numbers_table("rank_fig1", found)
    assert table.schema.names[-1] == "fact_1_error"
    assert table["fact_1_error"].null_count == len(rows) - 3
    picture = TRAINED_FIGURES["rank_fig1"](found)
    squares = [line.get_ydata()[0] for ax in picture.axes for line in ax.lines
               if line.get_marker() == "s"]  # fmt: skip
    assert squares == pytest.approx(exact)
    assert "Fact 1's head at the\nlearned 𝑐" in legend("rank_fig1", grid)
    assert "Fact 1's head at the\nlearned 𝑐" not in legend("rank_fig1", changed(grid, layers=[3]))


def test_a_figure_of_tables_has_their_seed(tmp_path):
    """Fact 1's errors are of the sets that the claims simulate, whatever the seed of the cells."""
    study = head_rank(scale="smoke")
    tables = []
    for name, job in study.cells["fig1"].items():
        tables.append(tmp_path / f"{name}.parquet")
        write_made_up(job, tables[-1])
    settings = study.results["rank_fig1"].settings.canonical()
    out = tmp_path / "rank_fig1.svg"
    words = ["--settings", settings, "--figure", "rank_fig1", "--output", str(out)]
    words += ["--tables", *map(str, tables)]
    with pictures_as():
        assert run_job("studies.head_rank.figures.training_figures", *words) == 0
    table = pq.read_table(out.with_suffix(".parquet"))
    assert table.schema.names == WITH_FACT_1.names
    ((wanted, _),) = simulated_errors(4, 3, [20.0], CONFIG.seed)
    found = [x for x in table["fact_1_error"].to_pylist() if x is not None]
    assert found == pytest.approx([wanted] * 2)


def test_the_error_against_d_has_a_line_for_each_part_that_the_rank_is():
    one, two = (ax for ax in picture_of("rank_dimension", DIMENSION).axes if ax.lines)
    assert titles("rank_dimension", DIMENSION) == ["1 layer", "2 layers"]
    assert legend("rank_dimension", DIMENSION) == [
        "𝑟 = 𝑑",
        "𝑟 = 𝑑/2",
        "𝑟 = 𝑑/4",
        "uniform attention\n(rank 0)",
    ]
    for ax in (one, two):
        lines = [line for line in ax.lines if line.get_linestyle() == "-"]
        assert [list(line.get_xdata()) for line in lines] == [[8, 16]] * 3
        (uniform,) = (line for line in ax.lines if line.get_linestyle() == "-.")
        assert list(uniform.get_ydata()) == [least_error(8, 4), least_error(16, 4)]
    # Full rank, which learns; then what the made-up runs of lower rank have, of 3 runs each.
    medians = [line.get_ydata() for line in one.lines if line.get_linestyle() == "-"]
    assert medians[0] == pytest.approx([0.011, 0.011])
    assert medians[1] == pytest.approx([0.501, 0.501])


def test_a_line_against_d_is_of_medians():
    rows = runs_of(DIMENSION, error=lambda cell: 0.1)
    for row in rows:
        row["test_error"] = (0.1, 0.2, 0.9)[row["run"]]
    one, _ = TRAINED_FIGURES["rank_dimension"](rows).axes
    medians = [list(line.get_ydata()) for line in one.lines if line.get_linestyle() == "-"]
    assert medians == [[0.2, 0.2]] * 3


def test_a_run_without_a_number_is_as_good_as_zero_against_d():
    one, _ = picture_of("rank_dimension", DIMENSION, test_error=None).axes
    assert all(set(line.get_ydata()) == {1.0} for line in one.lines if line.get_linestyle() != "-.")


def test_what_is_learned_by_heart_is_drawn_beside_new_batches():
    low, full = picture_of("rank_by_heart", BY_HEART).axes
    assert titles("rank_by_heart", BY_HEART) == ["rank 2", "rank 8"]
    # Three runs of each arm with two lines each, and uniform attention's error.
    assert (len(low.lines), len(full.lines)) == (3 * 2 + 1, 2 * 3 * 2 + 1)
    assert legend("rank_by_heart", BY_HEART) == [
        "the same 100 again", "new batches", "on new sets", "in training",
        "uniform attention\n(rank 0)",
    ]  # fmt: skip


def test_the_beginning_of_runs_is_said_to_be_one_and_has_the_colour_of_its_batches():
    begun = changed(BY_HEART, also=[], ranks=[8], steps=200, stop_after=100)
    said = note("rank_by_heart", begun).replace("\n", " ")
    assert said.endswith("These are the first 100 of 200 steps.")
    assert "first" not in note("rank_by_heart", BY_HEART)
    assert legend("rank_by_heart", begun)[:2] == ["the same 100 again", "on new sets"]
    new = changed(begun, regimes=["fresh"])
    colours = [
        picture_of("rank_by_heart", grid).axes[0].lines[0].get_color() for grid in (begun, new)
    ]
    _, both = picture_of("rank_by_heart", BY_HEART).axes
    assert colours == [both.lines[0].get_color(), both.lines[6].get_color()]


def test_runs_on_batches_that_come_back_show_their_training_loss_too():
    again = changed(FIG1, regimes=["repeated"])
    assert "its least training loss" in legend("rank_fig1", again)
    assert "its least training loss" not in legend("rank_fig1", FIG1)
    rows = [row | {"min_train": 0.0625} for row in runs_of(again)]
    picture = TRAINED_FIGURES["rank_fig1"](runs_shown("rank_fig1", rows, seed=1))
    hollow = [
        line
        for ax in picture.axes
        for line in ax.lines
        if line.get_marker() == "o" and line.get_markerfacecolor() == "none"
    ]
    assert len(hollow) == len(rows)
    assert {line.get_ydata()[0] for line in hollow} == {0.0625}
