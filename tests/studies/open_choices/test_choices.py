"""The audit of the open choices: every choice is there, and each effect is recomputed here."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import STUDY, config_points, exact_at

from attention_separation.studies.open_choices.alternatives import ALTERNATIVES
from attention_separation.studies.open_choices.choices import choices_table, ranked
from attention_separation.studies.open_choices.choices_figure import (
    EFFECT_MARKERS,
    LEAST_DRAWN,
    Kind,
    choices_figure,
    kind_of,
)
from attention_separation.studies.softmax_vs_linear.exact.compute import references
from attention_separation.studies.softmax_vs_linear.models.attention import IN_BOTH
from attention_separation.studies.softmax_vs_linear.settings.panels import KEY, PanelsJob

EXPECTED = [
    "base of the logarithm", "m = log n", "m = max{log(n/δ), 15}", "τ of softmax regression",
    "τ of self-attention, X the identity", "τ of self-attention, X all ones",
    "τ of cross-attention", "law of Ax", "data of D0 and D1", "shape of y",
    "y of the four networks", "y redrawn", "special indices", "entries of the datasets",
    "common value of the scores", "d of cross-attention", "which special index", "a0 and a1", "V",
    "b where c is swept", "a0 where a0 is swept", "grids", "a score that equals τ",
]  # fmt: skip


def job(*names, points=4):
    panels = [
        STUDY.panels.marked[n].with_more(most_values=points, figure=n[:4], seed=5) for n in names
    ]
    return PanelsJob(panels=panels)


@pytest.fixture(scope="module")
def rows():
    names = ("fig3a", "fig3b", "fig4a", "fig4d", "fig4f", "fig5f", "fig7b", "fig7d")
    return choices_table(job(*names)).to_pylist()


@pytest.fixture(scope="module")
def rows_of_7a():
    return choices_table(job("fig7a", points=None)).to_pylist()


def test_every_choice_and_every_alternative_has_a_row(rows):
    assert len(ALTERNATIVES) == len(EXPECTED)
    for beginning in EXPECTED:
        assert any(row["choice"].startswith(beginning) for row in rows), beginning
    for choice in ALTERNATIVES:
        assert choice.alternatives or choice.note
        for alternative in choice.alternatives:
            key = choice.name, alternative.name
            assert any((row["choice"], row["alternative"]) == key for row in rows), key


def effect(rows, choice, alternative, panel):
    (row,) = (
        r
        for r in rows
        if r["choice"].startswith(choice) and (r["alternative"], r["panel"]) == (alternative, panel)
    )
    return row


def test_an_effect_is_the_change_of_the_exact_values(rows):
    p = config_points("fig7b")
    chosen = [p[0], p[2], p[3], p[5]]
    changes = [
        exact_at(dataclasses.replace(q, theta=0.5)).success - exact_at(q).success for q in chosen
    ]
    row = effect(rows, "τ of cross-attention", "0.5 √log n", "fig7b")
    assert row["points"] == 4
    assert row["mean_change"] == pytest.approx(np.mean(np.abs(changes)), abs=1e-12)
    assert row["signed_change"] == pytest.approx(np.mean(changes), abs=1e-12)
    assert row["largest_change"] == pytest.approx(np.max(np.abs(changes)), abs=1e-12)
    assert row["at_value"] == chosen[int(np.argmax(np.abs(changes)))].d


def changes_at(name, k, change):
    p = config_points(name)
    chosen = [p[round(i * (len(p) - 1) / (k - 1))] for i in range(k)]
    return [exact_at(change(q)).success - exact_at(q).success for q in chosen]


@pytest.mark.parametrize("over", [0.05, 0.15, 0.4])
def test_another_threshold_over_c(rows, over):
    changes = changes_at("fig4f", 4, lambda q: dataclasses.replace(q, theta=q.c + over))
    row = effect(rows, "τ of self-attention, X the", f"(c + {over:g}) √log n", "fig4f")
    assert row["mean_change"] == pytest.approx(np.mean(np.abs(changes)), abs=1e-12)
    assert row["signed_change"] == pytest.approx(np.mean(changes), abs=1e-12)


def test_d_of_cross_attention_is_12_where_11_divides_n(rows_of_7a):
    """n = 220, 330, ..., 990: at no other point of Figure 7a do identities of 11 stack."""
    at = [p for p in config_points("fig7a") if p.n % 11 == 0]
    assert [p.n for p in at] == list(range(220, 1000, 110))
    changes = [exact_at(dataclasses.replace(p, d=12)).success - exact_at(p).success for p in at]
    row = effect(rows_of_7a, "d of cross-attention", "12 for 11", "fig7a")
    assert row["points"] == 8
    assert row["note"].startswith("at 8 of the 81 points")
    assert row["mean_change"] == pytest.approx(np.mean(np.abs(changes)), abs=1e-12)


def test_datasets_of_another_reading(rows):
    """a in A1 and in A2: in D0 and D1 the special score has a squared, its value a."""
    row = effect(rows, "entries of", "a √log n in A1 and in A2", "fig7d")
    of = [config_points("fig7d")[k] for k in (0, 27, 53, 80)]
    changes = [references(IN_BOTH, [p])[0].success - exact_at(p).success for p in of]
    assert row["mean_change"] == pytest.approx(np.mean(np.abs(changes)), abs=1e-12)
    assert row["mean_change"] > 0.001
    # c and tau smaller by the same factor; and a common factor of exp's weights.
    assert effect(rows, "entries of", "log n in A1, 0 and 1 in A2, τ/√log n for τ", "fig7d")[
        "largest_change"
    ] == pytest.approx(0, abs=1e-12)
    assert effect(rows, "common value", "2 log n", "fig7d")["largest_change"] < 1e-3


def test_one_point_that_an_alternative_does_not_allow():
    """A grid of its upper end alone has no point left where that is left out."""
    table = choices_table(job("fig7c", points=1)).to_pylist()
    assert not any(r["alternative"] == "22 for 21" and r["panel"] for r in table)
    marked = STUDY.panels.marked["fig7c"]
    end = marked.sweep["m"].model_copy(update={"start": 80})
    only = marked.with_more(sweep={"m": end})
    table = choices_table(PanelsJob(panels=[only])).to_pylist()
    (row,) = (r for r in table if r["alternative"] == "the upper end left out")
    assert row["panel"] is None


@pytest.mark.parametrize(("name", "falls"), [("fig4e", True), ("fig5e", True), ("fig7e", False)])
def test_a_random_v_is_simulated_where_a0_starts(name, falls):
    """In self-attention all rows have c s in the last coordinate: with a random V a network that
    should be zero seldom is. False-alarm chance: the bounds are 10 standard errors off."""
    p = config_points(name)[0]
    assert (p.n, p.a0, p.a1) == (200, 0.01, 1.2)
    table = choices_table(job(name)).to_pylist()
    for alternative in ("random orthogonal", "random signs / √d"):
        row = effect(table, "V", alternative, name)
        assert (row["points"], row["at_value"], row["trials"]) == (1, 0.01, 3000)
        assert row["ci_low"] < row["signed_change"] < row["ci_high"] < row["ci_low"] + 0.04
        assert row["mean_change"] == abs(row["signed_change"])
        assert (exact_at(p).success + row["ci_high"] < 0.3) == falls
        assert (exact_at(p).success + row["ci_low"] > 0.9) == (not falls)


def test_no_v_is_simulated_that_would_take_long():
    wide = STUDY.panels.marked["fig4e"].with_more(most_values=2)
    wide = wide.with_more(fixed={**wide.fixed, "m": 101})
    table = choices_table(PanelsJob(panels=[wide])).to_pylist()
    assert [row["panel"] for row in table if row["choice"] == "V"] == [None, None]


def test_what_is_reconstructed_stands_beside_every_effect(rows):
    for row in rows:
        expected = STUDY.panels.marked[row["panel"]].reconstruction if row["panel"] else None
        assert row["reconstructed"] == expected


def test_choices_that_change_nothing(rows):
    """Rounding m of max{log(n/δ), 15} up changes no point: 15 is the larger everywhere."""
    row = effect(rows, "m = max", "rounded up", "fig4a")
    assert row["mean_change"] == row["largest_change"] == 0.0
    assert effect(rows, "a score", "is above it", "fig4d")["largest_change"] == 0.0


def test_an_alternative_touches_the_panels_that_it_speaks_of(rows):
    touched = {}
    for row in rows:
        if row["panel"]:
            touched.setdefault(row["alternative"], set()).add(row["panel"])
    assert touched["0.3"] == {"fig3a", "fig3b"}
    assert touched["to the nearest"] == {"fig3a"}
    assert touched["⌊8 log(n/δ)⌋, δ = 0.01"] == {"fig3a"}
    assert touched["1 − c"] == {"fig4f", "fig5f"}
    assert touched["(c + 0.2) √log n"] == {"fig4a", "fig4d", "fig4f"}
    assert touched["0.7 √log n"] == {"fig7b", "fig7d"}
    assert touched["as many values, evenly up to the written end"] == {"fig4d", "fig7d"}
    assert touched["0.1 log n"] == {"fig7b", "fig7d"}
    assert len(touched["a fresh y for each"]) == 8


def exact_row(choice, mean, signed=0.0):
    """A row of an alternative that is measured by exact values."""
    return {"choice": choice, "mean_change": mean, "signed_change": signed}


RANKED = [
    exact_row("small", 0.1), exact_row("large", 0.2), exact_row("small", 0.05),
    exact_row("large", 0.7), exact_row("between", 0.3), exact_row("large", 0.01),
    exact_row("none", 0.0),
    # A random V is simulated.
    exact_row("V", 0.95, 0.95) | {"trials": 3000},
]  # fmt: skip
BOUNDS = [
    {"choice": "a bound", "mean_change": 0.9, "signed_change": None},
    {"choice": "another bound", "mean_change": 0.99, "signed_change": None},
]
WITHOUT_EFFECT = [{"choice": "grids", "note": "x"}, {"choice": "a tie", "note": "y"}]
RANKS = {"V": 1, "large": 2, "between": 3, "small": 4, "none": 5}


@given(seed=st.sampled_from(range(20)))
def test_rows_stand_by_rank_then_bounds_then_choices_without_effect(seed):
    """In whatever order they are made; of one place in the order that they are made in."""
    rng = np.random.default_rng(seed)
    rows = [*RANKED, *BOUNDS, *WITHOUT_EFFECT]
    rows = [rows[k] for k in rng.permutation(len(rows))]
    places = []
    for rank in range(1, 6):
        places.append([row for row in rows if RANKS.get(row["choice"]) == rank])
    places.append([row for row in rows if row in BOUNDS])
    places.append([row for row in rows if row in WITHOUT_EFFECT])
    expected = [row | {"rank": RANKS.get(row["choice"])} for of_place in places for row in of_place]
    assert ranked(rows) == expected


def test_the_figure_has_a_row_for_each_alternative_that_moves_much_and_a_dot_for_each_panel():
    names = ("fig4a", "fig4f", "fig7b")
    table = choices_table(job(*names, points=2))
    figure = choices_figure(table, {name: name[:4] for name in names})
    figure.draw_without_rendering()
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["fig4*", "fig7*"]
    effects = {}
    for row in table.to_pylist():
        if row["panel"]:
            effects.setdefault((row["choice"], row["alternative"]), []).append(row)
    drawn = {
        names: rows
        for names, rows in effects.items()
        if max(row["largest_change"] for row in rows) >= LEAST_DRAWN
    }
    assert 0 < len(drawn) < len(effects)
    assert f" {len(effects) - len(drawn)} more alternatives" in figure.get_supxlabel()
    assert KEY in figure.get_supxlabel()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    bold = [
        label.get_text()
        for label in figure.axes[0].get_yticklabels()
        if label.get_fontweight() == "bold"
    ]
    assert bold == [*dict.fromkeys(choice for choice, _ in drawn)]
    # Rows are numbered through.
    numbered = [f"{name}   {number}" for number, (_, name) in enumerate(drawn, start=1)]
    assert [name for name in labels if name not in bold] == numbered
    label_of = dict(zip(drawn, numbered, strict=True))
    for ax, of_figure in zip(figure.axes, ("fig4", "fig7"), strict=True):
        dots = sorted(
            (labels[int(line.get_ydata()[0])], line.get_xdata()[0])
            for line in ax.lines
            if line.get_marker() in EFFECT_MARKERS.values()
        )
        assert dots == sorted(
            (label_of[alternative], row["mean_change"])
            for alternative, rows in drawn.items()
            for row in rows
            if row["panel"].startswith(of_figure)
        )


def test_a_mean_a_bound_and_one_point_have_marks_of_their_own_which_the_note_explains():
    kinds = [
        kind_of({"points": 81, "signed_change": -0.1}),
        kind_of({"points": 81, "signed_change": None}),
        kind_of({"points": 1, "signed_change": -0.1}),
    ]
    assert kinds == [Kind.MEAN, Kind.BOUND, Kind.ONE_POINT]
    assert len({EFFECT_MARKERS[kind] for kind in kinds}) == len(kinds)
    table = choices_table(job("fig4a", points=2))
    note = choices_figure(table, {"fig4a": "fig4"}).get_supxlabel()
    assert all(mark in note for mark in "○◁◇")
