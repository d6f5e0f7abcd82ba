"""Figures of trained transformers, of made-up runs."""

import pytest
from making import CONFIG
from rank_runs import ARMS, FIG1, FIG3, FIG4, runs_of

from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.figures.training_figures import FIGURES, draw

PAPER = CONFIG.head_rank.scales["paper"].training


@pytest.mark.parametrize("figure", FIGURES)
def test_each_figure_is_drawn(figure):
    grids = {"rank_fig3": [FIG3], "rank_fig4": [FIG4], "rank_fresh": [ARMS]}
    picture = draw(figure, runs_of(*grids.get(figure, [FIG1])))
    shown = [ax for ax in picture.axes if ax.lines]
    assert len(shown) == (1 if figure == "rank_fig4" else 4 if figure == "rank_fig2" else 2)


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
