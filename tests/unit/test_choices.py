"""The audit of the open choices: every choice is there, and each effect is recomputed here."""

import dataclasses

import numpy as np
import pytest
from making import CONFIG, config_points, exact_at

from attention_separation.softmax_vs_linear.choices import CHOICES
from attention_separation.softmax_vs_linear.choices_audit import choices_table, draw
from attention_separation.softmax_vs_linear.jobs import ChoicesJob

EXPECTED = [
    "base of the logarithm", "m = log n", "m = max{log(n/δ), 15}", "τ of softmax regression",
    "τ of self-attention", "τ of cross-attention", "law of Ax", "data of D0 and D1",
    "shape of y", "y of the four networks", "y redrawn", "special indices", "a0 and a1", "V",
    "b where c is swept", "a0 where a0 is swept", "grids", "a score that equals τ",
]  # fmt: skip


def job(*names, points=4):
    panels = [CONFIG.exact_panel(n).model_copy(update={"points": points}) for n in names]
    return ChoicesJob(panels=panels, figures={name: name[:4] for name in names})


@pytest.fixture(scope="module")
def rows():
    names = ("fig3a", "fig3b", "fig4a", "fig4d", "fig4f", "fig7b")
    return choices_table(job(*names)).to_pylist()


def test_every_choice_has_a_row(rows):
    assert len(CHOICES) == len(EXPECTED)
    for beginning in EXPECTED:
        assert any(row["choice"].startswith(beginning) for row in rows), beginning
    for choice in CHOICES:
        assert choice.alternatives or choice.note


def test_every_alternative_has_a_row(rows):
    for choice in CHOICES:
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
        exact_at(dataclasses.replace(q, tau=0.5 * q.s)).success - exact_at(q).success
        for q in chosen
    ]
    row = effect(rows, "τ of cross-attention", "0.5 √log n", "fig7b")
    assert row["points"] == 4
    assert row["mean_change"] == pytest.approx(np.mean(np.abs(changes)), abs=1e-12)
    assert row["signed_change"] == pytest.approx(np.mean(changes), abs=1e-12)
    assert row["largest_change"] == pytest.approx(np.max(np.abs(changes)), abs=1e-12)
    assert row["at_value"] == chosen[int(np.argmax(np.abs(changes)))].d


def test_b_follows_c(rows):
    chosen = [p for p in config_points("fig4f") if p.c == 0.9]
    changed = dataclasses.replace(chosen[0], b=1 - 0.9)
    row = effect(rows, "b where c", "1 − c", "fig4f")
    change = abs(exact_at(changed).success - exact_at(chosen[0]).success)
    assert row["largest_change"] >= change - 1e-12
    assert row["mean_change"] > 0.1


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
    assert touched["1 − c"] == {"fig4f"}
    assert touched["0.7 √log n"] == {"fig7b"}
    assert touched["as many values, evenly up to the written end"] == {"fig4d"}
    assert touched["a fresh y for each"] == {"fig3a", "fig3b", "fig4a", "fig4d", "fig4f", "fig7b"}


def test_ranks_order_the_choices_by_their_largest_mean_change(rows):
    most = {}
    for row in rows:
        if row["rank"] is not None:
            most[row["rank"]] = max(most.get(row["rank"], 0.0), row["mean_change"])
    assert [*most] == sorted(most) == list(range(1, len(most) + 1))
    assert [*most.values()] == sorted(most.values(), reverse=True)
    assert all(row["note"] for row in rows if row["rank"] is None)


def test_the_figure_has_a_line_for_each_alternative():
    names = ("fig4a", "fig4f", "fig7b")
    table = choices_table(job(*names, points=2))
    figure = draw(table, {name: name[:4] for name in names})
    figure.draw_without_rendering()
    (ax,) = figure.axes
    lines = {(r["choice"], r["alternative"]) for r in table.to_pylist() if r["panel"]}
    assert len(ax.get_yticklabels()) == len(lines)
