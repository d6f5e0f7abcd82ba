"""Which points leave the datasets' definition, and the sentence that says so."""

import pytest
from making import SECTION, STUDY

from attention_separation.softmax_vs_linear.figures.figure_text import (
    meets_definition,
    note_on_definition,
    parameters_of,
)

SELF = ("self_attention", (0.05, 0.7, 0.2, 0.8))


@pytest.mark.parametrize(
    ("model", "parameters", "meets"),
    [
        (*SELF, True),
        ("self_attention", (0.1, 0.7, 0.2, 0.8), False),
        ("self_attention", (0.05, 0.69, 0.2, 0.8), False),
        ("self_attention", (0.05, 0.7, 0.2, 0.81), False),
        ("cross_attention", (0.05, 1.0, None, None), True),
        ("cross_attention", (0.05, 0.99, None, None), False),
        ("regression", (None,) * 4, True),
    ],
)
def test_ranges(model, parameters, meets):
    assert meets_definition(model, parameters) == meets
    assert (note_on_definition([(model, parameters)]) == "") == meets


def test_the_sentence_counts_points_of_attention():
    outside = ("cross_attention", (0.5, 1.2, None, None))
    text = note_on_definition([SELF, outside, ("regression", (None,) * 4)])
    assert text.startswith("1 of the 2 points of attention leave what the datasets' definition")
    assert text.endswith("a₁ ≥ 1 (reconstructed).")
    assert "0.7" not in text


def test_the_papers_sweeps_leave_the_definition():
    """Definition D.1 asks a0 < 0.1, a1 >= 0.7 and b + c = 1; panels d, e and f sweep beyond."""
    outside = {
        name: sum(not meets_definition(*point) for point in parameters_of([STUDY.exact[name]]))
        for name in SECTION.panels
    }
    left = {name: count for name, count in outside.items() if count}
    assert set(left) == {f"fig{k}{letter}" for k in (4, 5) for letter in "def"} | {"fig7d", "fig7e"}
    assert left["fig4f"] == 80
