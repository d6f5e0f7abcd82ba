"""What is said of the kept runs: sentences that hang on what the runs have."""

import pytest
from attention_separation.head_rank.paper_size.more_layers_findings import more_layers_findings
from attention_separation.head_rank.paper_size.one_layer_findings import one_layer_findings
from making import CONFIG, ROOT
from rank_runs import changed, runs_of

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import chosen, values
from attention_separation.head_rank.paper_size.kept_runs import SCALES
from attention_separation.head_rank.paper_size.page import PAGE, read_all

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


@pytest.mark.parametrize(("error", "is_zero"), [(0.9995, True), (0.998, False), (1.4, False)])
def test_runs_that_predict_zero_are_said_to(error, is_zero):
    text = said_of(5, lambda rank, width: error)
    assert (
        text.startswith(
            "**Five layers: no run trained with this recipe: all end at predicting zero.**"
        )
        == is_zero
    )


@pytest.mark.parametrize("error", [1.0, 0.8])
def test_what_did_not_train_is_not_set_beside_one_layer(error):
    runs = runs_of(FIG1, error=lambda cell: 0.5 if cell.layers == 1 else error)
    *_, text = said_of_runs(chosen(runs, run=0))
    assert text.startswith("**Five layers: ")
    assert ("; beside one layer after 10,000 steps" in text) == (error < 1)


@pytest.mark.parametrize(("at_4", "does"), [(0.4, "grow"), (0.7, "do not grow at each rank")])
def test_points_are_compared_only_where_they_were_trained_alike(at_4, does):
    errors = {4: at_4, 16: 0.6, 64: 0.5}
    runs = runs_of(FIG4, error=lambda cell: 0.01 if cell.rank == 64 else errors[cell.n])
    (text,) = said_of_runs(chosen(runs, run=0))
    assert text.startswith(
        f"**Number of points: below full rank errors {does} from N = 4 to 16; N = 64, with other "
        "steps than N = 16, has less at r = 1, 8, 16 and 32.** Two layers with w = 8"
    )
    assert "; N = 64, 2,500 steps, 50 % of them warm-up (rank 0: 0.903): r = 1: 0.5 (" in text


def test_encodings_are_set_beside_none():
    concatenated = {1: 0.4, 4: 0.6, 8: 0.46, 32: 0.44}

    def error(cell):
        if cell.encoding == "concatenated":
            return concatenated.get(cell.rank, 0.1)
        return 1.0 if cell.additive_mean == -1 else 0.5

    _, text = said_of_runs(chosen(runs_of(FIG3, error=error), run=0))
    assert text.startswith(
        "**Positional encodings at three layers, w = 8, beside none: additive from N(−1, 1): no "
        "run trained with this recipe: all end at predicting zero; additive from N(0, 0.02): "
        "neither less nor more; concatenated: less at r = 1 and 32, more at r = 4.** After 5,000 "
    )


def test_parts_of_the_runs_say_nothing_of_what_is_not_there():
    """As `make rank-reference` keeps them between two parts."""
    full = chosen(runs_of(FIG1, FIG3, FIG4, error=lambda cell: 0.3), run=0, rank=64)
    said = more_layers_findings({scale: [] for scale in SCALES} | {"reference": full})
    assert [text.split("**")[1] for text in said] == [
        "Three layers: full rank 43 to 95 times the published errors.",
        "Five layers: full rank 0.5 times the published errors.",
        "Number of points.",
    ]
    apart = chosen(runs_of(FIG3, error=lambda cell: 0.3), run=0, rank=4, encoding="concatenated")
    none = chosen(runs_of(FIG3, error=lambda cell: 0.3), run=0, rank=8, encoding="none")
    *_, text = said_of_runs(apart + none)
    assert "beside none: concatenated: not compared.**" in text


def said_of_one_layer(short, long):
    """The sentences of made-up errors of both scales, by rank."""
    kept = {}
    for scale, error, steps in zip(SCALES, (short, long), (4000, 10000), strict=True):
        grid = changed(FIG1, steps=steps, also=[])
        kept[scale] = chosen(runs_of(grid, error=lambda cell, of=error: of(cell)), run=0)
    return one_layer_findings(kept)


def published_times(full, lower):
    def error(cell):
        of = published_values.figure_1(1, cell.width)[cell.rank]
        return of * (full if cell.rank == cell.d else lower)

    return error


@pytest.mark.parametrize(
    ("full", "lower", "answer"),
    [
        ((10, 5), (1.1, 1.05), True),
        # Full rank gains nothing; lower ranks gain; full rank is there; lower ranks are not.
        ((5, 5), (1.1, 1.05), False),
        ((10, 5), (1.5, 1.05), False),
        ((10, 1.5), (1.1, 1.05), False),
        ((10, 5), (1.6, 1.5), False),
        # Lower ranks lose.
        ((10, 5), (0.9, 1.2), False),
    ],
)
def test_what_more_steps_change_is_said_of_errors_that_show_it(full, lower, answer):
    pairs = zip(full, lower, strict=True)
    text = said_of_one_layer(*(published_times(*pair) for pair in pairs))[3]
    lead = "**From 4,000 to 10,000 steps full rank gains, lower ranks hardly: that there is a gap"
    assert text.startswith(lead) == answer
    assert text.startswith("**From 4,000 to 10,000 steps.** At w = 1 full") != answer


@pytest.mark.parametrize(("full", "far"), [(0.2, True), (0.3, False)])
def test_full_rank_is_said_to_be_ahead_where_it_is_by_a_factor(full, far):
    text, *_ = said_of_one_layer(*[lambda cell: full if cell.rank == cell.d else 0.5] * 2)
    assert text.startswith("**At the paper's size, too, full rank leaves lower ranks far") == far
    assert text.startswith("**One layer at the paper's size.** d = 64, N = 16") != far


def test_dead_runs_of_one_layer_are_marked():
    runs = chosen(runs_of(changed(FIG1, also=[]), error=lambda cell: 0.5 / cell.rank), run=0)
    for row in runs:
        row["dead"] = row["width"] == 1 and row["rank"] in (2, 8)
    _, text, *_ = one_layer_findings({scale: [] for scale in SCALES} | {"reference": runs})
    assert ", dead at r = 2 and 8 (published 0.0153 and" in text
    assert text.count("dead") == 1


def test_the_page_marks_the_dead_runs_that_are_kept():
    text = (ROOT / f"docs/{PAGE}.md").read_text(encoding="utf-8")
    for rows in read_all(ROOT / "docs").values():
        assert values(chosen(rows, layers=1, dead=True), "width") == [1]
        assert values(chosen(rows, layers=1, dead=True), "rank") == [1, 2, 4]
    assert text.count(", dead at r = 1, 2 and 4 (published 0.0153 and") == len(SCALES)
    assert text.index("Dead runs have 98 %") < text.index("dead at")


@pytest.mark.parametrize(
    ("angle", "scale", "learned"),
    [(179.0, -40.0, True), (160.0, -40.0, False), (179.0, -400.0, False)],
)
def test_what_single_heads_have_learned_is_said_of_their_angles(angle, scale, learned):
    runs = runs_of(changed(FIG1, widths=[1], ranks=[64], runs=2, also=[]))
    rows = [row | {"angle": [angle + row["run"]], "scale": [scale]} for row in runs]
    *_, text = one_layer_findings({scale: [] for scale in SCALES} | {"reference": rows})
    lead = "**One layer with one head of full rank learns K Qᵀ near −cI**, as in the paper's Figure"
    assert text.startswith(lead) == learned
    said = f"after 10,000 steps {angle} to {angle + 1} degrees from +I, c = {-scale:g} (2 runs)."
    assert text.endswith(said)
